/*
 * tap.h -- the Test Anything Protocol for the C unit tests, without a plan.
 *
 * A test includes the .c it tests, then this, and ends with
 * `return done_testing();`.  This is the one file above core/os that names an
 * operating system: tap_edge needs a page that cannot be read.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TAP_H
#define LUN_TAP_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#define TAP_UNUSED        __attribute__((unused))
#define TAP_PRINTF(f, a)  __attribute__((format(gnu_printf, f, a)))

#ifdef __clang__
#undef TAP_PRINTF
#define TAP_PRINTF(f, a)  __attribute__((format(printf, f, a)))
#endif

static int  tap_count;
static int  tap_failures;


static void
tap_line(int good, const char *name, va_list args)
{
    tap_count++;
    tap_failures += !good;
    printf("%sok %d - ", good ? "" : "not ", tap_count);
    vprintf(name, args);
    putchar('\n');
    fflush(stdout);
}


/* ok(n == 3, "three of %s", what): returns the condition. */
static TAP_UNUSED TAP_PRINTF(2, 3) int
ok(int good, const char *name, ...)
{
    va_list  args;

    va_start(args, name);
    tap_line(good, name, args);
    va_end(args);
    return good;
}


static TAP_UNUSED TAP_PRINTF(1, 2) void
diag(const char *text, ...)
{
    va_list  args;

    va_start(args, text);
    printf("# ");
    vprintf(text, args);
    putchar('\n');
    va_end(args);
}


static TAP_UNUSED TAP_PRINTF(3, 4) int
is_int(int64_t have, int64_t want, const char *name, ...)
{
    va_list  args;

    va_start(args, name);
    tap_line(have == want, name, args);
    va_end(args);

    if (have != want) {
        diag("have %lld, want %lld", (long long) have, (long long) want);
    }

    return have == want;
}


/* Prints bytes so that a line of TAP stays one line. */
static TAP_UNUSED void
tap_bytes(const char *label, const void *data, size_t len)
{
    size_t                i;
    const unsigned char  *p;

    p = data;
    printf("# %s: (%u) \"", label, (unsigned) len);

    for (i = 0; i < len; i++) {
        if (p[i] >= ' ' && p[i] < 0x7f && p[i] != '\\' && p[i] != '"') {
            putchar(p[i]);
        } else {
            printf("\\x%02x", p[i]);
        }
    }

    printf("\"\n");
}


static TAP_UNUSED TAP_PRINTF(5, 6) int
is_mem(const void *have, size_t have_len, const void *want, size_t want_len,
    const char *name, ...)
{
    int      good;
    va_list  args;

    good = have_len == want_len
           && (have_len == 0 || memcmp(have, want, have_len) == 0);

    va_start(args, name);
    tap_line(good, name, args);
    va_end(args);

    if (!good) {
        tap_bytes("have", have, have_len);
        tap_bytes("want", want, want_len);
    }

    return good;
}


/* Either may be NULL; two NULLs are the same. */
static TAP_UNUSED TAP_PRINTF(3, 4) int
is_str(const char *have, const char *want, const char *name, ...)
{
    int      good;
    va_list  args;

    good = have == want || (have && want && strcmp(have, want) == 0);

    va_start(args, name);
    tap_line(good, name, args);
    va_end(args);

    if (!good) {
        diag("have %s%s%s", have ? "\"" : "", have ? have : "NULL",
             have ? "\"" : "");
        diag("want %s%s%s", want ? "\"" : "", want ? want : "NULL",
             want ? "\"" : "");
    }

    return good;
}


/* For what cannot be tested here: counts as neither passed nor failed. */
static TAP_UNUSED TAP_PRINTF(1, 2) void
skip(const char *why, ...)
{
    va_list  args;

    va_start(args, why);
    printf("ok %d # SKIP ", ++tap_count);
    vprintf(why, args);
    putchar('\n');
    va_end(args);
}


/* Whether this is Windows as Wine plays it: some things it does not have. */
static TAP_UNUSED int
tap_wine(void)
{
#ifdef _WIN32
    return GetProcAddress(GetModuleHandleA("ntdll.dll"), "wine_get_version")
           != NULL;
#else
    return 0;
#endif
}


/* Prints the plan; the exit status of main. */
static TAP_UNUSED int
done_testing(void)
{
    printf("1..%d\n", tap_count);
    fflush(stdout);
    return tap_failures != 0 || tap_count == 0;
}


/*
 * A copy of the bytes that ends where an unreadable page begins: reading one
 * byte too far is a crash, not a passed test.  Never freed.
 */
static TAP_UNUSED void *
tap_edge(const void *data, size_t len)
{
    char    *base, *copy;
    size_t   page, room;

#ifdef _WIN32
    DWORD    was;
    page = 4096;
    room = (len + page - 1) / page * page;
    base = VirtualAlloc(NULL, room + page, MEM_RESERVE | MEM_COMMIT,
                        PAGE_READWRITE);
    if (base == NULL
        || !VirtualProtect(base + room, page, PAGE_NOACCESS, &was))
    {
        abort();
    }
#else
    page = (size_t) sysconf(_SC_PAGESIZE);
    room = (len + page - 1) / page * page;
    base = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED || mprotect(base + room, page, PROT_NONE) != 0) {
        abort();
    }
#endif

    copy = base + room - len;

    if (len != 0) {
        memcpy(copy, data, len);
    }

    return copy;
}

#endif
