/*
 * lock.c -- a lock word that outlives its holder.
 *
 * The word is the process number and the low bits of the time it started, so
 * that a number used again is not taken for the owner.  A waiter spins, then
 * gives its turn away, and after about two milliseconds asks whether the
 * owner still lives: nobody has to come and free a dead man's lock.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/lock.h"

#include "windows/win.h"


enum {
    SPINS      = 1000,
    YIELDS     = 200,              /* before the first look at the owner */
    LOOK_EVERY = 50                /* sleeps of a millisecond between looks */
};

static uint64_t  self;


/* 1.6 ms units: the 32 bits come round after 81 days. */
static uint64_t
start_time(HANDLE process)
{
    FILETIME  created, unused;
    uint64_t  t;

    if (!GetProcessTimes(process, &created, &unused, &unused, &unused)) {
        return 0;
    }

    t = (uint64_t) created.dwHighDateTime << 32 | created.dwLowDateTime;
    return t >> 14 & 0xffffffff;
}


void
lun_lock_init_process(void)
{
    self = (uint64_t) GetCurrentProcessId() << 32
           | start_time(GetCurrentProcess());
}


uint64_t
lun_lock_self(void)
{
    if (LUN_UNLIKELY(self == 0)) {
        lun_lock_init_process();
    }

    return self;
}


bool
lun_lock_owner_lives(uint64_t owner)
{
    bool    lives;
    HANDLE  process;

    if (owner == lun_lock_self()) {
        return true;
    }

    process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE,
                          FALSE, (DWORD) (owner >> 32));

    if (process == NULL) {
        /* Somebody who does not let us look is somebody. */
        return GetLastError() == ERROR_ACCESS_DENIED;
    }

    lives = WaitForSingleObject(process, 0) == WAIT_TIMEOUT
            && start_time(process) == (owner & 0xffffffff);
    CloseHandle(process);
    return lives;
}


bool
lun_lock_try(lun_lock *lock)
{
    uint64_t  free_word;

    free_word = 0;

    return atomic_load_explicit(&lock->owner, memory_order_relaxed) == 0
           && atomic_compare_exchange_strong_explicit(&lock->owner, &free_word,
                  lun_lock_self(), memory_order_acquire, memory_order_relaxed);
}


/* Takes it from that owner, if it is dead and still has it. */
static bool
inherit(lun_lock *lock)
{
    uint64_t  owner;

    owner = atomic_load_explicit(&lock->owner, memory_order_relaxed);

    return owner != 0 && !lun_lock_owner_lives(owner)
           && atomic_compare_exchange_strong_explicit(&lock->owner, &owner,
                  lun_lock_self(), memory_order_acquire, memory_order_relaxed);
}


/*
 * Spin, yield, sleep: the holder may be on this very processor.  Whether it is
 * alive is asked while sleeping only.
 */
lun_lock_verdict
lun_lock_take(lun_lock *lock)
{
    unsigned  n;

    for (n = 0; n < SPINS; n++) {
        if (lun_lock_try(lock)) {
            return LUN_LOCK_TAKEN;
        }

        lun_cpu_relax();
    }

    for (n = 0; n < YIELDS; n++) {
        if (lun_lock_try(lock)) {
            return LUN_LOCK_TAKEN;
        }

        lun_cpu_yield();
    }

    for (n = 0; ; n++) {
        if (n % LOOK_EVERY == 0 && inherit(lock)) {
            return LUN_LOCK_ORPHAN;
        }

        if (lun_lock_try(lock)) {
            return LUN_LOCK_TAKEN;
        }

        Sleep(1);
    }
}


void
lun_lock_free(lun_lock *lock)
{
    atomic_store_explicit(&lock->owner, 0, memory_order_release);
}


bool
lun_lock_seize(lun_lock *lock, int64_t pid)
{
    uint64_t  owner;

    owner = atomic_load_explicit(&lock->owner, memory_order_relaxed);

    return owner != 0 && (int64_t) (owner >> 32) == pid
           && atomic_compare_exchange_strong(&lock->owner, &owner, 0);
}


void
lun_cpu_relax(void)
{
    YieldProcessor();
}


void
lun_cpu_yield(void)
{
    SwitchToThread();
}
