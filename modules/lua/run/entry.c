/*
 * entry.c -- handlers that the JIT compiler takes.
 *
 * What luaL_loadbuffer() returns is a vararg function, and LuaJIT does not
 * begin a trace at such a one: a handler that is called a million times would
 * be interpreted a million times.  Putting "return function() ... end" around
 * the code helps, but then messages call it a function and no longer the main
 * chunk.  So the function is dumped, its vararg flag is cleared, and it is
 * loaded again: that is all the difference there is, as long as no "..." is
 * in it.  Whether there is one is asked of the parser, which refuses it in a
 * function without arguments.
 *
 * A dump (lj_bcdump.h of LuaJIT 2.1):
 *
 *     | ESC L J 2 | flags | name's size, name | prototypes | 0 |
 *
 * Flags and sizes are ULEB128.  A prototype is its size and so many bytes, of
 * which the first has its flags; the main one is the last.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/entry.h"

enum { STRIPPED = 0x02, VARARG = 0x02 };

static const char  head[4] = { 033, 'L', 'J', 2 };

typedef struct {
    char    *bytes;
    size_t   size;
    size_t   room;
} dump;

/* Where a reader is; at == end: past what there is, or nonsense. */
typedef struct {
    unsigned char  *at;
    unsigned char  *end;
} cursor;

/* What lua_load() is given, one after the other. */
typedef struct {
    lun_str   pieces[3];
    unsigned  next;
} source;


static size_t
uleb(cursor *c)
{
    size_t    n = 0;
    unsigned  shift;

    for (shift = 0; c->at < c->end && shift < 35; shift += 7) {
        unsigned char  byte = *c->at++;

        n |= (size_t) (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return n;
        }
    }

    c->at = c->end;
    return 0;
}


static void
skip(cursor *c, size_t n)
{
    c->at += lun_min(n, (size_t) (c->end - c->at));
}


/* The flags of the last prototype; NULL: not a dump as we know it. */
static unsigned char *
main_flags(dump *d)
{
    size_t          n;
    cursor          c = { (unsigned char *) d->bytes,
                          (unsigned char *) d->bytes + d->size };
    unsigned char  *last = NULL;

    if (d->size < sizeof(head) || memcmp(d->bytes, head, sizeof(head)) != 0) {
        return NULL;
    }

    c.at += sizeof(head);
    if (!(uleb(&c) & STRIPPED)) {
        skip(&c, uleb(&c));
    }

    while (c.at < c.end) {
        n = uleb(&c);
        if (n == 0) {
            break;
        }

        last = c.at;
        skip(&c, n);
    }

    return c.at == c.end ? last : NULL;
}


static const char *
next_piece(lua_State *L, void *data, size_t *size)
{
    source  *s = data;

    /* An empty piece would be the end. */
    while (s->next < LUN_ARRAY_LEN(s->pieces)) {
        lun_str  piece = s->pieces[s->next++];

        if (piece.len != 0) {
            *size = piece.len;
            return piece.data;
        }
    }

    *size = 0;
    return NULL;
}


static bool
takes_arguments(lua_State *L, lun_str code)
{
    bool    refused;
    source  s = { { LUN_STR("return function() "), code, LUN_STR("\nend") },
                  0 };

    refused = lua_load(L, next_piece, &s, "=entry") != 0;
    lua_pop(L, 1);
    return refused;
}


static int
append(lua_State *L, const void *data, size_t size, void *to)
{
    dump  *d = to;

    if (d->room - d->size < size) {
        d->room = lun_max(d->room * 2, d->size + size);
        d->bytes = lun_realloc(d->bytes, d->room);
    }

    memcpy(d->bytes + d->size, data, size);
    d->size += size;
    return 0;
}


void
lun_entry_fix(lua_State *L, lun_str code)
{
    dump            d = { NULL, 0, 0 };
    unsigned char  *flags;

    if ((code.len != 0 && code.data[0] == head[0])
        || takes_arguments(L, code))
    {
        return;
    }

    flags = lua_dump(L, append, &d) == 0 ? main_flags(&d) : NULL;

    if (flags != NULL && (*flags & VARARG)) {
        *flags &= (unsigned char) ~VARARG;

        if (luaL_loadbuffer(L, d.bytes, d.size, "=entry") == 0) {
            lua_replace(L, -2);
        } else {
            lua_pop(L, 1);
        }
    }

    lun_free(d.bytes);
}
