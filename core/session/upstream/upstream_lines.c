/*
 * upstream_lines.c -- the servers of an upstream as text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/upstream/upstream_lines.h"

#include "base/check.h"
#include "session/engine.h"
#include "session/upstream/round_robin.h"
#include "session/upstream/upstream_priv.h"


enum { FRAME = 256 };              /* bytes of a line without its texts */


bool
lun_upstream_lines_takes(lun_str text)
{
    size_t         i;
    unsigned char  c;

    for (i = 0; i < text.len; i++) {
        c = (unsigned char) text.data[i];

        if (c <= ' ' || c == 127 || c == ';' || c == '#' || c == '"'
            || c == '\'' || c == '\\' || c == '{' || c == '}')
        {
            return false;
        }
    }

    return text.len != 0;
}


/* --- writing ------------------------------------------------------------- */

static char *
put_flags(char *p, const lun_upstream_server_conf *s)
{
    size_t  i;

    const struct {
        bool         is;
        const char  *word;
    } flags[] = {
        { s->backup, " backup" }, { s->down, " down" }, { s->drain, " drain" },
        { s->resolve, " resolve" }
    };

    for (i = 0; i < LUN_ARRAY_LEN(flags); i++) {
        if (flags[i].is) {
            p = lun_copy_str(p, lun_str_z(flags[i].word));
        }
    }

    return p;
}


/*
 * As a `server` directive, without what is usual, so that an administrator can
 * read and change the file; the id follows as a comment.
 */
static char *
put_line(char *p, const char *end, const lun_upstream_server_conf *s)
{
    lun_upstream_server_conf  usual = { .weight = 0 };

    lun_upstream_server_defaults(&usual);
    p = lun_fmt(p, end, "server %.*s", LUN_S(s->name));

    if (s->weight != usual.weight) {
        p = lun_fmt(p, end, " weight=%" PRId64, s->weight);
    }

    if (s->max_conns != usual.max_conns) {
        p = lun_fmt(p, end, " max_conns=%" PRId64, s->max_conns);
    }

    if (s->max_fails != usual.max_fails) {
        p = lun_fmt(p, end, " max_fails=%" PRId64, s->max_fails);
    }

    if (s->fail_timeout != usual.fail_timeout) {
        p = lun_fmt(p, end, " fail_timeout=%" PRId64 "s", s->fail_timeout);
    }

    if (s->slow_start != 0) {
        p = lun_fmt(p, end, " slow_start=%" PRIu64 "ms",
                    (uint64_t) s->slow_start);
    }

    if (s->route.len != 0) {
        p = lun_fmt(p, end, " route=%.*s", LUN_S(s->route));
    }

    if (s->service.len != 0) {
        p = lun_fmt(p, end, " service=%.*s", LUN_S(s->service));
    }

    p = put_flags(p, s);
    return lun_fmt(p, end, "; # %" PRId64 "\n", s->id);
}


lun_str
lun_upstream_lines_write(lun_pool *pool, const lun_upstream_server_conf *s,
    size_t n)
{
    char    *text, *p;
    size_t   i, size = 1;

    for (i = 0; i < n; i++) {
        size += FRAME + s[i].name.len + s[i].route.len + s[i].service.len;
    }

    text = p = lun_pool_text(pool, size);

    for (i = 0; i < n; i++) {
        p = put_line(p, text + size, &s[i]);
    }

    LUN_CHECK(p < text + size);
    return lun_str_of(text, (size_t) (p - text));
}


/* --- reading ------------------------------------------------------------- */

/* The next word of the line; "": there is none. */
static lun_str
next_word(lun_str *line)
{
    size_t   i = 0, n;
    lun_str  word;

    while (i < line->len && (line->data[i] == ' ' || line->data[i] == '\t'
                             || line->data[i] == '\r'))
    {
        i++;
    }

    n = i;

    while (n < line->len && line->data[n] != ' ' && line->data[n] != '\t'
           && line->data[n] != '\r')
    {
        n++;
    }

    word = lun_str_of(line->data + i, n - i);
    *line = lun_str_of(line->data + n, line->len - n);
    return word;
}


static lun_str
cut_at(lun_str *line, char c)
{
    lun_str      after = LUN_STR("");
    const char  *at = lun_str_chr(*line, c);

    if (at != NULL) {
        after = lun_str_of(at + 1,
                           (size_t) (line->data + line->len - at - 1));
        line->len = (size_t) (at - line->data);
    }

    return after;
}


/* What the configuration has looked up. */
static void
take_known(const lun_upstream *u, lun_upstream_server_conf *s)
{
    size_t                           i;
    const lun_upstream_server_conf  *known = u->servers.items;

    for (i = 0; i < u->servers.count; i++) {
        if (lun_str_eq(known[i].name, s->name)) {
            s->addrs = known[i].addrs;
            s->addr_names = known[i].addr_names;
            s->count = known[i].count;
            s->resolve = known[i].resolve;
            s->host = known[i].host;
            s->port = known[i].port;
            s->service = known[i].service;
            return;
        }
    }

    s->resolve = false;
}


/*
 * A name of the configuration keeps the addresses that it was found at; a new
 * one needs `resolve`, since nothing is looked up while requests wait.
 */
const char *
lun_upstream_lines_address(lun_pool *pool, const lun_upstream *u, lun_str text,
    lun_upstream_server_conf *s)
{
    const char          *why;
    lun_upstream_place   p;

    if (!lun_upstream_lines_takes(text)) {
        return "invalid host";
    }

    s->name = lun_pool_str(pool, text);
    s->count = 0;
    why = lun_upstream_parse(pool, s->name, lun_str_eq(u->protocol,
                                                LUN_STR("http")) ? 80 : 0, &p);

    if (why != NULL) {
        return why;
    }

    if (!p.numeric) {
        take_known(u, s);
        return s->count != 0 || s->resolve || p.port != 0 ? NULL : "no port";
    }

    if (p.port == 0 && p.addr.family != LUN_AF_UNIX) {
        return "no port";
    }

    s->resolve = false;
    s->service = LUN_STR("");
    lun_upstream_server_addrs(pool, s, &p.addr, 1);
    return NULL;
}


static const char *
read_line(lun_pool *pool, const lun_upstream *u, lun_str line,
    lun_upstream_server_conf *s)
{
    lun_str      word, number = cut_at(&line, '#'), behind;
    lun_str      address;
    const char  *why;

    behind = cut_at(&line, ';');
    number = next_word(&number);
    lun_upstream_server_defaults(s);

    if (lun_str_to_i64(number, &s->id) != LUN_OK || s->id < 0) {
        s->id = -1;
    }

    if (!lun_str_eq(next_word(&line), LUN_STR("server"))
        || next_word(&behind).len != 0)
    {
        return "invalid line";
    }

    address = next_word(&line);
    why = address.len == 0 ? "invalid line" : NULL;

    while (why == NULL && (word = next_word(&line)).len != 0) {
        if (!lun_upstream_lines_takes(word)
            || lun_upstream_server_word(u, lun_pool_str(pool, word), s)
               != LUN_UPSTREAM_WORD_OK)
        {
            why = "invalid parameter";
        }
    }

    return why != NULL ? why
           : lun_upstream_lines_address(pool, u, address, s);
}


/* An id that no line before has; lines of people have none. */
static void
give_id(const lun_array *to, lun_upstream_server_conf *s)
{
    size_t                           i;
    int64_t                          next = 0;
    bool                             taken = false;
    const lun_upstream_server_conf  *all = to->items;

    for (i = 0; &all[i] != s; i++) {
        next = lun_max(next, all[i].id + 1);
        taken |= all[i].id == s->id;
    }

    if (s->id < 0 || taken) {
        s->id = next;
    }
}


const char *
lun_upstream_lines_read(lun_pool *pool, const lun_upstream *u, lun_str text,
    lun_array *to, unsigned *line)
{
    lun_str                    one, words;
    const char                *why = NULL;
    lun_upstream_server_conf  *s;

    for (*line = 1; text.len != 0 && why == NULL; ++*line) {
        one = text;
        text = cut_at(&one, '\n');
        words = one;
        (void) cut_at(&words, '#');

        if (next_word(&words).len == 0) {
            continue;
        }

        s = lun_array_push(to);
        why = read_line(pool, u, one, s);

        if (why == NULL) {
            give_id(to, s);

        } else {
            to->count--;
            --*line;
        }
    }

    return why;
}
