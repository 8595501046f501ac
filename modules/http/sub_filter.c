/*
 * sub_filter.c -- strings of an answer replaced by others.
 *
 *     sub_filter </head> "<script src=/x.js></script></head>";
 *     sub_filter_once on;
 *
 * Letters match in either case.  Of strings that begin at the same byte the
 * one that was given first wins.  What might be the beginning of one at the
 * end of what has come is held back until more comes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/conf/core_conf.h"
#include "http/filter_buf.h"


enum { PAIRS_MOST = 255, OUT_SIZE = 4096, OUT_MOST = 32 };

typedef struct {
    lun_script  *what;
    lun_script  *by;
} pair;

typedef struct {
    lun_array   *pairs;            /* of pair */
    bool         once;
    bool         last_modified;
    lun_hash    *types;
} sub_conf;

/* A pair in a request; in the order of the configuration. */
typedef struct {
    lun_str      what;             /* lower case */
    lun_script  *by;
    lun_str      text;             /* what that gives, when `known` */
    bool         known;            /* it has been found before */
} needle;

typedef struct {
    needle          *needles;      /* those that are still looked for */
    size_t           count;
    size_t           least, most;  /* bytes of the shortest, the longest */
    uint8_t          skip[256];    /* see set_skips() */
    bool             once;
    size_t           room;         /* of `held`, twice: the longest of all */
    char            *held;
    size_t           held_len;
    lun_filter_buf   out;
} sub_state;

extern lun_http_module  lun_http_sub_filter;


/* --- finding ------------------------------------------------------------- */

/*
 * How far a window of `least` bytes, whose last is that one, may move on: so
 * that the byte could stand in some needle's beginning.
 */
static void
set_skips(sub_state *s)
{
    size_t    i, n;
    uint8_t  *skip = s->skip, c;

    s->least = SIZE_MAX;
    s->most = 0;

    for (i = 0; i < s->count; i++) {
        s->least = lun_min(s->least, s->needles[i].what.len);
        s->most = lun_max(s->most, s->needles[i].what.len);
    }

    s->least = lun_min(s->least, (size_t) UINT8_MAX);
    memset(skip, (int) s->least, 256);

    for (i = 0; i < s->count; i++) {
        for (n = 0; n < s->least; n++) {
            c = (uint8_t) s->needles[i].what.data[n];
            skip[c] = (uint8_t) lun_min(skip[c], s->least - 1 - n);
            c = (uint8_t) lun_upper((char) c);
            skip[c] = (uint8_t) lun_min(skip[c], s->least - 1 - n);
        }
    }
}


typedef enum { NO, YES, MAYBE } match;

/* Whether a needle begins here; MAYBE: as far as the text goes, so far. */
static match
begins(sub_state *s, const char *p, size_t len, bool last, needle **which)
{
    size_t   i, n;
    needle  *one;

    for (i = 0; i < s->count; i++) {
        one = &s->needles[i];
        n = lun_min(len, one->what.len);

        if ((n == one->what.len || !last)
            && lun_mem_casecmp(p, one->what.data, n) == 0)
        {
            *which = one;
            return n == one->what.len ? YES : MAYBE;
        }
    }

    return NO;
}


/* The first place at or behind p where one begins, or might; end: nowhere. */
static const char *
find(sub_state *s, const char *p, const char *end, bool last, match *m,
    needle **which)
{
    uint8_t  skip;

    *m = NO;

    while (p < end) {
        if ((size_t) (end - p) >= s->least) {
            skip = s->skip[(uint8_t) p[s->least - 1]];

            if (skip != 0) {
                p += skip;
                continue;
            }
        }

        *m = begins(s, p, (size_t) (end - p), last, which);

        if (*m != NO) {
            return p;
        }

        p++;
    }

    return end;
}


/* --- replacing ----------------------------------------------------------- */

static void
replace(sub_state *s, needle *one)
{
    if (!one->known) {
        one->text = lun_script_run(&s->out.r->session, one->by);
        one->known = true;
    }

    lun_filter_buf_put(&s->out, one->text.data, one->text.len);

    if (s->once) {
        s->count--;
        memmove(one, one + 1, (size_t) (s->needles + s->count - one)
                              * sizeof(needle));
        set_skips(s);
    }
}


/*
 * Says what is decided of a text, and returns where the rest begins; with
 * `last` there is none.
 */
static const char *
work(sub_state *s, const char *p, const char *end, bool last)
{
    match        m;
    needle      *one;
    const char  *found;

    while (p < end && s->count != 0) {
        found = find(s, p, end, last, &m, &one);
        lun_filter_buf_put(&s->out, p, (size_t) (found - p));
        p = found;

        if (m != YES) {
            return p;
        }

        p += one->what.len;
        replace(s, one);
    }

    lun_filter_buf_put(&s->out, p, (size_t) (end - p));
    return end;
}


/* What is held and the beginning of what comes are looked at as one text. */
static lun_rc
take(void *state, lun_str *text)
{
    size_t       n, left;
    sub_state   *s = state;
    const char  *p = text->data, *end = p + text->len, *rest;

    while (s->held_len != 0 && p < end) {
        n = lun_min((size_t) (end - p), s->room);
        memcpy(s->held + s->held_len, p, n);
        rest = work(s, s->held, s->held + s->held_len + n, false);
        left = (size_t) (s->held + s->held_len + n - rest);

        if (left <= n) {           /* what is left is all of the new text */
            p += n - left;
            s->held_len = 0;
            break;
        }

        memmove(s->held, rest, left);
        s->held_len = left;
        p += n;
    }

    if (p < end) {
        rest = work(s, p, end, false);
        s->held_len = (size_t) (end - rest);
        memcpy(s->held, rest, s->held_len);
    }

    text->len = 0;
    return LUN_OK;
}


static lun_rc
close_buf(void *state, lun_buf *b)
{
    sub_state  *s = state;

    if (b->eof || b->eof_part) {
        (void) work(s, s->held, s->held + s->held_len, true);
        s->held_len = 0;
    }

    lun_filter_buf_close(&s->out, b);
    return LUN_OK;
}


static const lun_filter  filter = {
    .module = &lun_http_sub_filter,
    .step = OUT_SIZE,
    .take = take,
    .close = close_buf,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    sub_state  *s = lun_http_state(r, &lun_http_sub_filter);

    if (s == NULL
        || (s->count == 0 && s->held_len == 0 && s->out.in.head == NULL))
    {
        return lun_http_next_body(r, &lun_http_sub_filter, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


/* --- beginning ----------------------------------------------------------- */

/*
 * Needles are lowered once, since the search is without case; room to hold is
 * that of the longest, twice, so that a match may lie across two buffers.
 */
static sub_state *
start(lun_request *r, const sub_conf *conf)
{
    char        *low;
    size_t       i;
    lun_str      what;
    sub_state   *s = lun_pool_new(r->pool, sub_state);
    const pair  *one;

    s->needles = lun_pool_new_n(r->pool, needle, conf->pairs->count);

    for (i = 0; i < conf->pairs->count; i++) {
        one = lun_array_at(conf->pairs, i);
        what = lun_script_run(&r->session, one->what);

        if (what.len == 0) {
            continue;
        }

        low = lun_pool_text(r->pool, what.len);
        lun_mem_lower(low, what.data, what.len);
        s->needles[s->count++] = (needle) {
            .what = lun_str_of(low, what.len), .by = one->by
        };
    }

    if (s->count == 0) {
        return NULL;
    }

    set_skips(s);
    s->once = conf->once;
    s->room = s->most;
    s->held = lun_pool_text(r->pool, 2 * s->room);
    lun_filter_buf_init(&s->out, r, OUT_SIZE, OUT_MOST);

    return s;
}


static lun_rc
on_header(lun_request *r)
{
    sub_state       *s;
    const sub_conf  *conf = lun_http_conf(r, &lun_http_sub_filter);

    if (conf->pairs == NULL || r->out.content_length == 0
        || !lun_http_is_type(r, conf->types)
        || (s = start(r, conf)) == NULL)
    {
        return lun_http_next_header(r, &lun_http_sub_filter);
    }

    lun_http_set_state(r, &lun_http_sub_filter, s);
    r->filter_need_in_memory = 1;

    if (r->parent == NULL) {
        lun_http_text_changes(r, conf->last_modified);
    }

    return lun_http_next_header(r, &lun_http_sub_filter);
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_pair(lun_conf *cf, const lun_directive *d, void *data)
{
    pair      *one;
    sub_conf  *conf = data;

    if (cf->args[1].len == 0) {
        return lun_conf_fail(cf, "empty search pattern");
    }

    if (conf->pairs == NULL) {
        conf->pairs = lun_array_new(cf->pool, sizeof(pair), 1);
    }

    if (conf->pairs->count == PAIRS_MOST) {
        return lun_conf_fail(cf, "number of search patterns exceeds %d",
                             PAIRS_MOST);
    }

    one = lun_array_push(conf->pairs);
    one->what = lun_script_new(cf, cf->args[1]);
    one->by = lun_script_new(cf, cf->args[2]);

    return one->what != NULL && one->by != NULL ? LUN_OK : LUN_ERROR;
}


static const lun_directive  directives[] = {
    { .name = "sub_filter", .where = LUN_HTTP_LEVELS, .args = 2,
      .repeats = true, .set = set_pair, LUN_FIELD(sub_conf, pairs),
      .values = "string replacement",
      .help = "replaces a text in answers" },
    { .name = "sub_filter_once", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(sub_conf, once), .fallback = "on",
      .help = "replaces the first one only" },
    { .name = "sub_filter_last_modified", .where = LUN_HTTP_LEVELS,
      .args = 1, .set = lun_set_flag, LUN_FIELD(sub_conf, last_modified),
      .fallback = "off",
      .help = "keeps Last-Modified" },
    { .name = "sub_filter_types", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_media_types,
      LUN_FIELD(sub_conf, types), .fallback = "text/html",
      .values = "mime-type ...",
      .help = "types of answers that are changed" },
    { 0 }
};

lun_http_module  lun_http_sub_filter = {
    .name = "sub_filter",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(sub_conf),
    .header_filter = on_header,
    .body_filter = on_body,
};
