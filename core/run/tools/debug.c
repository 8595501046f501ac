/*
 * debug.c -- `lunette debug`: who may use the debugger, and what is served.
 *
 * A debugger runs whatever its client says, with the rights of the server. So
 * the client is either who has started this process, on its standard input and
 * output, or somebody on loopback, where other users of the machine are, too:
 * that one has to know a token.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/tools/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "modules/lua/look/debug_wire.h"
#include "modules/lua/look/debugger.h"
#include "os/random.h"

#define USUAL  "127.0.0.1:4711"
#define TOKEN  "LUNETTE_DEBUG_TOKEN"

enum { TOKEN_BYTES = 16, SHORTEST = 16, TEXT = 128 };

typedef struct {
    bool         stdio;
    const char  *listen;
    int          count;            /* words of the server's command line */
    char       **words;
} options;


static int
fail(const char *what, const char *of)
{
    fprintf(stderr, LUN_PRODUCT " debug: %s%s\n", what, of);
    return 1;
}


static bool
read_options(options *o, int argc, char **argv)
{
    int  i;

    o->words[o->count++] = argv[0];

    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--stdio") == 0) {
            o->stdio = true;

        } else if (strcmp(argv[i], "--listen") == 0) {
            if (++i == argc) {
                return fail("--listen needs ADDRESS:PORT", ""), false;
            }

            o->listen = argv[i];

        } else {
            o->words[o->count++] = argv[i];
        }
    }

    if (o->stdio && o->listen != NULL) {
        return fail("--stdio listens to nobody", ""), false;
    }

    return true;
}


static bool
is_loopback(const lun_addr *addr)
{
    static const uint8_t  six[16] = { [15] = 1 };

    switch (addr->family) {

    case LUN_AF_INET:
        return addr->ip[0] == 127;

    case LUN_AF_INET6:
        return memcmp(addr->ip, six, sizeof(six)) == 0;

    default:
        return false;
    }
}


/* The user's own, or one of today. */
static const char *
make_token(char *room)
{
    char           *p = room;
    size_t          i;
    uint8_t         bytes[TOKEN_BYTES];
    const char     *given = getenv(TOKEN);

    if (given != NULL) {
        return strlen(given) >= SHORTEST ? given : NULL;
    }

    lun_random_bytes(bytes, sizeof(bytes));

    for (i = 0; i < sizeof(bytes); i++) {
        p = lun_fmt(p, room + TEXT - 1, "%02x", (unsigned) bytes[i]);
    }

    *p = '\0';
    return room;
}


static int
serve_by_stdio(options *o, lun_debug_serve_fn *serve)
{
    int          status;
    lun_err      err;
    const char  *prefix, *conf;

    if (!lun_lua_debug_use(NULL)) {
        return 1;
    }

    err = lun_debug_wire_stdio();

    if (err != 0) {
        return fail("no thread to read with", "");
    }

    if (!lun_lua_debug_wait_for_launch(&prefix, &conf)) {
        return 0;
    }

    if (prefix != NULL) {
        o->words[o->count++] = (char *) (uintptr_t) "-p";
        o->words[o->count++] = (char *) (uintptr_t) prefix;
    }

    if (conf != NULL) {
        o->words[o->count++] = (char *) (uintptr_t) "-c";
        o->words[o->count++] = (char *) (uintptr_t) conf;
    }

    status = serve(o->count, o->words);

    if (status != 0) {
        lun_lua_debug_failed();
    }

    return status;
}


static int
serve_on_loopback(const options *o, lun_debug_serve_fn *serve)
{
    char         room[TEXT], text[LUN_ADDR_TEXT];
    lun_addr     addr;
    lun_str      where;
    lun_err      err;
    const char  *token, *listen = o->listen != NULL ? o->listen : USUAL;

    if (lun_addr_parse(lun_str_of(listen, strlen(listen)), &addr) != LUN_OK) {
        return fail("--listen takes ADDRESS:PORT, not ", listen);
    }

    if (!is_loopback(&addr)) {
        return fail("no debugger for other machines: 127.0.0.1 or ::1, not ",
                    listen);
    }

    token = make_token(room);

    if (token == NULL) {
        return fail(TOKEN " has fewer than 16 characters", "");
    }

    if (!lun_lua_debug_use(token)) {
        return 1;
    }

    err = lun_debug_wire_listen(&addr);

    if (err == 0) {
        err = lun_debug_wire_address(&addr);
    }

    if (err != 0) {
        where = lun_err_text(err, text, sizeof(text));
        fprintf(stderr, LUN_PRODUCT " debug: %s: %.*s\n", listen,
                LUN_S(where));
        return 1;
    }

    where = lun_addr_format(&addr, true, text, sizeof(text));
    fprintf(stderr, LUN_PRODUCT " debug: listens on %.*s, token %s\n",
            LUN_S(where), token == room ? token : "of " TOKEN);
    fflush(stderr);
    return serve(o->count, o->words);
}


int
lun_debug_tool(int argc, char **argv, lun_debug_serve_fn *serve)
{
    int        status = 1;
    options    o = { .stdio = false };
    lun_pool  *pool = lun_pool_new_sized(1024);

    /* A launch adds four at most. */
    o.words = lun_pool_alloc(pool, ((size_t) argc + 5) * sizeof(char *));

    if (read_options(&o, argc, argv)) {
        status = o.stdio ? serve_by_stdio(&o, serve)
                         : serve_on_loopback(&o, serve);
    }

    lun_pool_free(pool);
    return status;
}
