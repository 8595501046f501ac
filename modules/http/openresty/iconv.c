/*
 * iconv.c -- OpenResty's iconv: variables and answers in another encoding.
 *
 *     set_iconv $dst $src from=utf-8 to=gbk;
 *     iconv_filter from=utf-8 to=gbk;
 *
 * What can't be converted becomes "?", one for each of its bytes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "http/filter_buf.h"
#include "http/rewrite.h"
#include "os/iconv.h"


enum {
    PIECE = 1024,                  /* converted at a time */
    LEAST = 1024, MOST = 32        /* the filter's bufs: their size, how many */
};

typedef struct {
    lun_str  from, to;
} encodings;

typedef struct {
    encodings  *filter;            /* NULL: none */
    size_t      size;
} iconv_conf;

typedef struct {
    lun_filter_buf  out;
    lun_iconv      *cd;
    char            held[LUN_ICONV_MOST];  /* the beginning of a character */
    size_t          held_len;
} iconv_state;

typedef struct {
    encodings    e;
    lun_script  *source;
    unsigned     index;            /* the variable's */
} iconv_code;

extern lun_http_module  lun_http_iconv;


/* --- texts --------------------------------------------------------------- */

typedef void put_fn(void *to, const char *data, size_t len);

/* What is left in the text begins a character. */
static void
convert(lun_iconv *cd, lun_str *text, put_fn *put, void *to)
{
    char               room[PIECE], *out;
    lun_iconv_verdict  v;

    for ( ;; ) {
        out = room;
        v = lun_iconv_run(cd, text, &out, room + sizeof(room));
        put(to, room, (size_t) (out - room));

        if (v == LUN_ICONV_BAD) {
            put(to, "?", 1);
            *text = lun_str_of(text->data + 1, text->len - 1);

        } else if (v != LUN_ICONV_FULL) {
            return;
        }
    }
}


/* Behind the last character; `left` bytes of one that never came whole. */
static void
finish(lun_iconv *cd, size_t left, put_fn *put, void *to)
{
    char               room[PIECE], *out;
    lun_iconv_verdict  v;

    for ( ; left != 0; left--) {
        put(to, "?", 1);
    }

    do {
        out = room;
        v = lun_iconv_finish(cd, &out, room + sizeof(room));
        put(to, room, (size_t) (out - room));
    } while (v == LUN_ICONV_FULL && out != room);
}


/* --- set_iconv ----------------------------------------------------------- */

typedef struct {
    lun_pool  *pool;
    char      *data;
    size_t     len, room;
    bool       failed;             /* there is no memory for it */
} growing;


static void
append(void *to, const char *data, size_t len)
{
    char     *more;
    growing  *g = to;

    if (len > g->room - g->len && !g->failed) {
        more = lun_pool_alloc_try(g->pool, 2 * (g->room + len));

        if (more == NULL) {
            g->failed = true;
            return;
        }

        memcpy(more, g->data, g->len);
        g->data = more;
        g->room = 2 * (g->room + len);
    }

    if (!g->failed) {
        memcpy(g->data + g->len, data, len);
        g->len += len;
    }
}


static lun_verdict
run_code(lun_request *r, void *data)
{
    char               room[PIECE];
    lun_str            text;
    growing            g = { r->pool, room, 0, sizeof(room), false };
    lun_iconv         *cd;
    const iconv_code  *code = data;

    text = lun_script_run(&r->session, code->source);
    cd = lun_iconv_open(code->e.to, code->e.from);

    if (cd == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "iconv_open() failed");
        return LUN_STATUS + 500;
    }

    convert(cd, &text, append, &g);
    finish(cd, text.len, append, &g);
    lun_iconv_close(cd);

    if (g.failed) {
        return LUN_STATUS + 500;
    }

    lun_var_set(&r->session, code->index,
                lun_pool_str(r->pool, lun_str_of(g.data, g.len)));
    return LUN_NEXT;
}


/* --- the filter ---------------------------------------------------------- */

static void
put_out(void *to, const char *data, size_t len)
{
    lun_filter_buf_put(to, data, len);
}


/* Goes on with what is held; a character never has more bytes than fit. */
static void
take_byte(iconv_state *s, char byte)
{
    lun_str  text;

    s->held[s->held_len++] = byte;
    text = lun_str_of(s->held, s->held_len);
    convert(s->cd, &text, put_out, &s->out);

    if (text.len == sizeof(s->held)) {
        lun_filter_buf_put(&s->out, "?", 1);
        text = lun_str_of(text.data + 1, text.len - 1);
    }

    memmove(s->held, text.data, text.len);
    s->held_len = text.len;
}


static lun_rc
take(void *state, lun_str *text)
{
    size_t        i;
    lun_str       rest;
    iconv_state  *s = state;

    for (i = 0; i < text->len && s->held_len != 0; i++) {
        take_byte(s, text->data[i]);
    }

    rest = lun_str_of(text->data + i, text->len - i);
    convert(s->cd, &rest, put_out, &s->out);

    for (i = 0; i < rest.len; i++) {
        take_byte(s, rest.data[i]);
    }

    text->len = 0;
    return LUN_OK;
}


static lun_rc
close_buf(void *state, lun_buf *b)
{
    iconv_state  *s = state;

    if (b->eof || b->eof_part) {
        finish(s->cd, s->held_len, put_out, &s->out);
        s->held_len = 0;
    }

    lun_filter_buf_close(&s->out, b);
    return LUN_OK;
}


static const lun_filter  filter = {
    .module = &lun_http_iconv,
    .step = PIECE,
    .take = take,
    .close = close_buf,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    iconv_state  *s = lun_http_state(r, &lun_http_iconv);

    if (s == NULL) {
        return lun_http_next_body(r, &lun_http_iconv, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


static void
close_cd(void *data)
{
    lun_iconv_close(data);
}


static lun_rc
on_header(lun_request *r)
{
    iconv_state       *s;
    const iconv_conf  *conf = lun_http_conf(r, &lun_http_iconv);

    /* What is compressed is no text. */
    if (conf->filter == NULL || r->header_only || r->out.status == 304
        || r->out.known[LUN_HOUT_CONTENT_ENCODING] != NULL
        || lun_http_state(r, &lun_http_iconv) != NULL)
    {
        return lun_http_next_header(r, &lun_http_iconv);
    }

    s = lun_pool_new(r->pool, iconv_state);
    s->cd = lun_iconv_open(conf->filter->to, conf->filter->from);

    if (s->cd == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "iconv_open() failed");
        return LUN_ERROR;
    }

    lun_pool_on_end(r->pool, close_cd, s->cd);
    lun_filter_buf_init(&s->out, r, conf->size, MOST);
    lun_http_set_state(r, &lun_http_iconv, s);
    r->filter_need_in_memory = 1;
    lun_http_text_changes(r, true);

    return lun_http_next_header(r, &lun_http_iconv);
}


/* --- directives ---------------------------------------------------------- */

/* from=NAME and to=NAME are the last two arguments, in any order. */
static lun_rc
read_encodings(lun_conf *cf, encodings *e)
{
    size_t      i;
    lun_str     word;
    lun_iconv  *cd;

    for (i = cf->argc - 2; i < cf->argc; i++) {
        word = cf->args[i];

        if (!lun_str_after(word, LUN_STR("from="), &e->from)
            && !lun_str_after(word, LUN_STR("to="), &e->to))
        {
            return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                                 LUN_S(word));
        }
    }

    cd = lun_iconv_open(e->to, e->from);

    if (cd == NULL) {
        return lun_conf_fail(cf, "no conversion from \"%.*s\" to \"%.*s\"",
                             LUN_S(e->from), LUN_S(e->to));
    }

    lun_iconv_close(cd);
    return LUN_OK;
}


static lun_rc
set_iconv(lun_conf *cf, const lun_directive *d, void *conf)
{
    iconv_code  *code = lun_pool_new(cf->pool, iconv_code);

    if (read_encodings(cf, &code->e) != LUN_OK) {
        return LUN_ERROR;
    }

    code->index = lun_rewrite_variable(cf, cf->args[1]);

    if (code->index == 0) {
        return LUN_ERROR;
    }

    code->source = lun_script_new(cf, cf->args[2]);

    if (code->source == NULL) {
        return LUN_ERROR;
    }

    lun_rewrite_add(cf, run_code, code);
    return LUN_OK;
}


static lun_rc
set_filter(lun_conf *cf, const lun_directive *d, void *data)
{
    iconv_conf  *conf = data;

    conf->filter = lun_pool_new(cf->pool, encodings);
    return read_encodings(cf, conf->filter);
}


/* A buf that no character fits into would never be full. */
static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    iconv_conf  *conf = data;

    conf->size = lun_max(conf->size, (size_t) LEAST);
    return LUN_OK;
}


enum {
    PLACES = LUN_SERVER | LUN_SERVER_IF | LUN_LOCATION | LUN_LOCATION_IF,
    LEVELS = LUN_HTTP_LEVELS | LUN_LOCATION_IF
};

static const lun_directive  directives[] = {
    { .name = "set_iconv", .where = PLACES, .args = 4, .repeats = true,
      .set = set_iconv,
      .values = "$variable value from=encoding to=encoding",
      .help = "a text in another encoding" },
    { .name = "iconv_filter", .where = LEVELS, .args = 2, .set = set_filter,
      LUN_FIELD(iconv_conf, filter),
      .values = "from=encoding to=encoding",
      .help = "answers in another encoding" },
    { .name = "iconv_buffer_size", .where = LEVELS, .args = 1,
      .set = lun_set_size, LUN_FIELD(iconv_conf, size), .fallback = "4k",
      .help = "how much of an answer is converted at a time" },
    { 0 }
};

lun_http_module  lun_http_iconv = {
    .name = "iconv",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(iconv_conf),
    .inherited = inherited,
    .header_filter = on_header,
    .body_filter = on_body,
};
