/*
 * base.h -- the words everybody shares: result codes, times, small helpers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_BASE_H
#define LUN_BASE_H

/* C99's formats (%zu, PRIu64) on Windows; must precede the system's headers. */
#if defined(__MINGW32__) && !defined(__USE_MINGW_ANSI_STDIO)
#define __USE_MINGW_ANSI_STDIO  1
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What an operation says.  AGAIN always means "not yet, you will be called";
 * special contracts define an enum of their own instead of bending these.
 */
typedef enum {
    LUN_OK    =  0,
    LUN_ERROR = -1,
    LUN_AGAIN = -2
} lun_rc;

/* Milliseconds, of a duration or of the monotonic clock (os/time.h). */
typedef uint64_t lun_msec;

#define LUN_ARRAY_LEN(a)   (sizeof(a) / sizeof((a)[0]))

#define lun_container_of(p, type, member)                                     \
    ((type *) ((char *) (p) - offsetof(type, member)))

#define lun_min(a, b)      ((a) < (b) ? (a) : (b))
#define lun_max(a, b)      ((a) > (b) ? (a) : (b))

/* `a` must be a power of two. */
#define lun_align(n, a)                                                       \
    (((uintptr_t) (n) + ((uintptr_t) (a) - 1)) & ~((uintptr_t) (a) - 1))

#define LUN_UNUSED         __attribute__((unused))
#define LUN_NORETURN       __attribute__((noreturn))
#define LUN_COLD           __attribute__((cold))
#define LUN_NOINLINE       __attribute__((noinline))
#define LUN_LIKELY(x)      __builtin_expect(!!(x), 1)
#define LUN_UNLIKELY(x)    __builtin_expect(!!(x), 0)

#if defined(__MINGW32__)
#define LUN_PRINTF(f, a)   __attribute__((format(gnu_printf, f, a)))
/* Lua's ffi.C looks functions up in the executable's export table. */
#define LUN_EXPORT         __declspec(dllexport)
#else
#define LUN_PRINTF(f, a)   __attribute__((format(printf, f, a)))
#define LUN_EXPORT         __attribute__((visibility("default")))
#endif

#ifndef LUN_PRODUCT
#define LUN_PRODUCT        "lunette"
#endif
#ifndef LUN_VERSION
#define LUN_VERSION        "0.1.0"
#endif

#endif
