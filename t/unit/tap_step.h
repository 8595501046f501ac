/*
 * tap_step.h -- runs a function one machine instruction at a time.
 *
 * The processor's trap flag interrupts it after each instruction; what looks
 * on then sees memory as it would be if the process were killed there.  Where
 * there is no such flag, tap_step() runs the function and says false.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TAP_STEP_H
#define LUN_TAP_STEP_H

#include "tap.h"

typedef void tap_step_fn(void *data);

#ifdef __x86_64__

#ifndef _WIN32
#include <signal.h>
#include <ucontext.h>
#endif

enum { TAP_TRAP_FLAG = 0x100 };

static struct {
    tap_step_fn   *look;
    void          *data;
    volatile int   on;
} tap_stepping;


#ifdef _WIN32

static LONG CALLBACK
tap_on_trap(EXCEPTION_POINTERS *what)
{
    if (what->ExceptionRecord->ExceptionCode != EXCEPTION_SINGLE_STEP) {
        return EXCEPTION_CONTINUE_SEARCH;
    }

    if (tap_stepping.on) {
        tap_stepping.look(tap_stepping.data);
        what->ContextRecord->EFlags |= TAP_TRAP_FLAG;
    } else {
        what->ContextRecord->EFlags &= ~(DWORD) TAP_TRAP_FLAG;
    }

    return EXCEPTION_CONTINUE_EXECUTION;
}


static void
tap_catch_traps(void)
{
    static PVOID  handler;

    if (handler == NULL) {
        handler = AddVectoredExceptionHandler(1, tap_on_trap);
    }
}

#else

static void
tap_on_trap(int signo, siginfo_t *info, void *context)
{
    ucontext_t  *uc = context;

    if (tap_stepping.on) {
        tap_stepping.look(tap_stepping.data);
        uc->uc_mcontext.gregs[REG_EFL] |= TAP_TRAP_FLAG;
    } else {
        uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t) TAP_TRAP_FLAG;
    }
}


static void
tap_catch_traps(void)
{
    struct sigaction  action;

    memset(&action, 0, sizeof(action));
    action.sa_sigaction = tap_on_trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, NULL);
}

#endif


/* Calls run(data), and look(data) after each of its instructions. */
static int
tap_step(tap_step_fn *run, tap_step_fn *look, void *data)
{
    tap_catch_traps();
    tap_stepping.look = look;
    tap_stepping.data = data;
    tap_stepping.on = 1;

    /* Below the red zone, where the compiler may keep what it needs. */
    __asm__ volatile (
        "leaq -256(%%rsp), %%rsp\n\t"
        "pushfq\n\t"
        "orq $0x100, (%%rsp)\n\t"
        "popfq\n\t"
        "leaq 256(%%rsp), %%rsp"
        ::: "memory", "cc");

    run(data);

    tap_stepping.on = 0;
    return 1;
}

#else

static int
tap_step(tap_step_fn *run, tap_step_fn *look, void *data)
{
    run(data);
    return 0;
}

#endif

#endif
