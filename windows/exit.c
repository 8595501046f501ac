/*
 * exit.c -- the end of a process in words.
 *
 * A crash ends a process with the code of its exception.  "Exited with code
 * E24C4A04" has cost people days: it is Lua out of memory.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "windows/proc_priv.h"

#include "base/fmt.h"


/* LuaJIT throws its error codes as exceptions of this number plus the code. */
#define LUAJIT  0xe24c4a00u

static const struct {
    uint32_t     code;
    const char  *words;
} riddles[] = {
    { 0xc0000005, "access violation" },
    { 0xc0000006, "page could not be read" },
    { 0xc0000017, "out of memory" },
    { 0xc000001d, "illegal instruction" },
    { 0xc0000025, "exception that could not be continued" },
    { 0xc0000026, "invalid exception disposition" },
    { 0xc000008c, "array bounds exceeded" },
    { 0xc000008e, "floating-point division by zero" },
    { 0xc0000094, "integer division by zero" },
    { 0xc0000096, "privileged instruction" },
    { 0xc00000fd, "stack overflow" },
    { 0xc0000135, "a DLL was not found" },
    { 0xc0000138, "a DLL lacks a function" },
    { 0xc0000139, "a DLL lacks a function" },
    { 0xc000013a, "Ctrl+C" },
    { 0xc0000142, "a DLL failed to start" },
    { 0xc0000374, "heap corruption" },
    { 0xc0000409, "fast fail: stack overrun or abort" },
    { 0xc0000417, "invalid argument to the C library" },
    { 0xc0000420, "assertion failure" },
    { 0xc06d007e, "a delay-loaded DLL was not found" },
    { 0xe06d7363, "uncaught C++ exception" },
    { LUAJIT + 1, "Lua coroutine yielded outside its scheduler" },
    { LUAJIT + 2, "uncaught Lua error" },
    { LUAJIT + 3, "Lua syntax error" },
    { LUAJIT + 4, "Lua out of memory" },
    { LUAJIT + 5, "error in a Lua error handler" },
    { LUAJIT + 6, "Lua file could not be read" }
};


void
lun_exit_text(uint32_t code, char *text, size_t room)
{
    char    *p, *end;
    size_t   i;

    end = text + room - 1;

    if (code == LUN_EXIT_KILLED) {
        *lun_fmt(text, end, "exited on signal 9") = 0;
        return;
    }

    if (code <= 0xffff) {
        *lun_fmt(text, end, "exited with code %u", (unsigned) code) = 0;
        return;
    }

    p = lun_fmt(text, end, "exited with code %08X", (unsigned) code);

    for (i = 0; i < LUN_ARRAY_LEN(riddles); i++) {
        if (riddles[i].code == code) {
            p = lun_fmt(p, end, " (%s)", riddles[i].words);
            break;
        }
    }

    *p = 0;
}
