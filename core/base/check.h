/*
 * check.h -- our own mistakes: assertions that stay on in release builds,
 * marks on long-lived objects, and the panic report.
 *
 *     LUN_CHECK(n <= room);
 *     LUN_NEVER("no such phase");
 *
 * A failed check prints file, line, the words, then every registered
 * reporter's line ("what this worker was doing"), and aborts the process;
 * the master starts another.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CHECK_H
#define LUN_CHECK_H

#include "base/base.h"

#define LUN_CHECK(x)                                                          \
    (LUN_LIKELY(x) ? (void) 0 : lun_panic(__FILE__, __LINE__, #x))

#define LUN_NEVER(why)     lun_panic(__FILE__, __LINE__, why)

/*
 * Marks: the first member of connection, request, pool, zone, generation,
 * HTTP/2 connection and stream, and of what waits for others, is `uint32_t
 * mark`; it is set when the object is made and spoiled when it ends.
 */
#define LUN_CHECK_MARK(p, m)                                                  \
    LUN_CHECK((p) != NULL && (p)->mark == (m))

enum {
    LUN_MARK_DEAD       = 0xdeaddead,
    LUN_MARK_POOL       = 0x9001cafe,
    LUN_MARK_CONN       = 0xc033ec71,
    LUN_MARK_REQUEST    = 0x4e9e5701,
    LUN_MARK_SESSION    = 0x5e5510a1,
    LUN_MARK_GENERATION = 0x6e4e4a71,
    LUN_MARK_ZONE       = 0x204e0001,
    LUN_MARK_H1         = 0x41c03ec7,
    LUN_MARK_MUX        = 0x42c03ec7,
    LUN_MARK_MUX_STREAM = 0x4257ea31,
    LUN_MARK_QUIC       = 0x9c1c8d65,
    LUN_MARK_UPREQ      = 0x0b51e4e9,
    LUN_MARK_CACHING    = 0xcac41495,
    LUN_MARK_PROXY      = 0x94058001,
    LUN_MARK_RESOLVE    = 0x4e5017e5,
    LUN_MARK_DIAL       = 0xd1a10001,
    LUN_MARK_LUA_CTX    = 0x10acc7c7,
    LUN_MARK_LUA_CO     = 0x10ac0c0c
};

/* Writes at most `size` bytes of text that say what is going on. */
typedef size_t lun_panic_fn(char *text, size_t size);

/* Adds a reporter; at most 8, more are ignored. */
void lun_panic_add(lun_panic_fn *report);

/* Where the report goes; by default standard error. */
typedef void lun_panic_sink_fn(const char *text, size_t size);
void lun_panic_set_sink(lun_panic_sink_fn *sink);

LUN_NORETURN LUN_COLD void lun_panic(const char *file, int line,
    const char *what);

#endif
