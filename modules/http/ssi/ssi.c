/*
 * ssi.c -- commands in a page, carried out as it passes.
 *
 *     ssi on;
 *
 *     <!--#include virtual="/head.html" --> Hello <!--#echo var="name" -->
 *
 * What may be the beginning of a command is held until it is one or is not.
 * What another location says goes out in its place, as a subrequest; one whose
 * answer is waited for holds all that follows in the filter's bufs.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/ssi/ssi_priv.h"

#include "config/slots.h"
#include "http/conf/core_conf.h"
#include "http/subrequest.h"


#define BEGIN  "<!--#"
#define END    "-->"

enum {
    BEGIN_LEN    = sizeof(BEGIN) - 1,
    END_LEN      = sizeof(END) - 1,
    OUT_SIZE     = 4096,
    OUT_MOST     = 32,
    COMMAND_MOST = 65536           /* bytes; longer is none */
};


/* --- what is said --------------------------------------------------------- */

void
lun_ssi_say(lun_ssi *s, lun_str text)
{
    if (!s->shown) {
        return;
    }

    if (s->in_block) {
        lun_ssi_append(s, &s->block_text, text);

    } else {
        lun_filter_buf_put(&s->out, text.data, text.len);
    }
}


lun_rc
lun_ssi_flush(lun_ssi *s)
{
    lun_buf  *out = lun_filter_buf_take(&s->out);

    if (out == NULL) {
        return LUN_OK;
    }

    return lun_http_next_body(s->r, &lun_http_ssi, out) == LUN_ERROR
           ? LUN_ERROR : LUN_OK;
}


/* --- finding commands ----------------------------------------------------- */

static void
hold(lun_ssi *s, const char *c)
{
    lun_ssi_append(s, &s->held, lun_str_of(c, 1));
}


/* It was no command. */
static void
release(lun_ssi *s)
{
    lun_ssi_say(s, lun_str_of(s->held.data, s->held.len));
    s->held.len = 0;
    s->quote = '\0';
    s->escaped = false;
}


static void
run_command(lun_ssi *s)
{
    lun_str          text;
    lun_ssi_command  c;

    text = lun_pool_str(s->r->pool,
                        lun_str_of(s->held.data + BEGIN_LEN,
                                   s->held.len - BEGIN_LEN - END_LEN));
    s->held.len = 0;

    if (lun_ssi_parse(s, text, &c) == LUN_OK && lun_ssi_run(s, &c) == LUN_OK) {
        return;
    }

    if (!s->conf->silent_errors && !s->in_block) {
        lun_ssi_say(s, s->errmsg);
    }
}


/* A byte of a command.  True: it was the last one. */
static bool
take_command_byte(lun_ssi *s, char c)
{
    hold(s, &c);

    if (s->quote != '\0') {
        if (s->escaped) {
            s->escaped = false;

        } else if (c == '\\') {
            s->escaped = true;

        } else if (c == s->quote) {
            s->quote = '\0';
        }

        return false;
    }

    if (c == '"' || c == '\'') {
        s->quote = c;
        return false;
    }

    return c == '>' && s->held.len >= BEGIN_LEN + END_LEN
           && memcmp(s->held.data + s->held.len - END_LEN, END, END_LEN) == 0;
}


/* As much of a text as can be used before something is waited for. */
static void
take(lun_ssi *s, lun_str *text)
{
    const char  *p = text->data, *end = p + text->len, *next;

    while (p < end && s->asked == NULL) {

        if (s->held.len >= BEGIN_LEN) {
            if (take_command_byte(s, *p++)) {
                run_command(s);

            } else if (s->held.len > COMMAND_MOST) {
                lun_log(LUN_LOG_ERR, s->r->log, 0, "too long SSI command");
                release(s);
            }

            continue;
        }

        if (s->held.len != 0) {
            if (*p == BEGIN[s->held.len]) {
                hold(s, p++);

            } else {
                release(s);        /* the byte may begin another one */
            }

            continue;
        }

        next = memchr(p, '<', (size_t) (end - p));
        next = next != NULL ? next : end;
        lun_ssi_say(s, lun_str_of(p, (size_t) (next - p)));
        p = next;

        if (p < end) {
            hold(s, p++);
        }
    }

    text->len = (size_t) (end - p);
}


/* --- the body ------------------------------------------------------------- */

static lun_rc
take_bufs(lun_ssi *s)
{
    size_t    n;
    lun_buf  *b;
    lun_str   text;

    while (s->asked == NULL && s->out.in.head != NULL
           && !lun_filter_buf_is_full(&s->out))
    {
        b = s->out.in.head;

        if (lun_filter_buf_text(&s->out, &text) != LUN_OK) {
            return LUN_ERROR;
        }

        n = text.len;
        take(s, &text);
        lun_filter_buf_used(&s->out, n - text.len);

        if (lun_buf_size(b) != 0) {
            continue;
        }

        if (s->asked != NULL) {
            break;                 /* its flags follow what is waited for */
        }

        if (b->eof || b->eof_part) {
            if (s->held.len >= BEGIN_LEN) {
                s->held.len = 0;       /* a command without end is none */
            }

            release(s);
        }

        (void) lun_chain_shift(&s->out.in);
        lun_filter_buf_close(&s->out, b);
    }

    return LUN_OK;
}


static lun_rc
give_up(lun_ssi *s)
{
    s->busy = false;
    lun_chain_init(&s->out.in);
    lun_filter_buf_hold(&s->out);

    return LUN_ERROR;
}


/*
 * It goes on until the text is used up, its output is full, or a command waits
 * for a subrequest; who wakes it calls again.
 */
static lun_rc
run(lun_ssi *s)
{
    bool      pushed = false;
    lun_rc    rc;
    lun_buf  *out;

    s->busy = true;

    do {
        if (take_bufs(s) != LUN_OK) {
            return give_up(s);
        }

        rc = LUN_OK;
        out = lun_filter_buf_take(&s->out);

        if (out != NULL) {
            rc = lun_http_next_body(s->r, &lun_http_ssi, out);
            pushed = false;
        }

        if (rc != LUN_ERROR && !pushed && lun_filter_buf_is_full(&s->out)) {
            rc = lun_http_next_body(s->r, &lun_http_ssi, NULL);
            pushed = true;
        }

        if (rc == LUN_ERROR) {
            return give_up(s);
        }

    } while (s->asked == NULL && s->out.in.head != NULL
             && !lun_filter_buf_is_full(&s->out));

    s->busy = false;
    lun_filter_buf_hold(&s->out);
    return s->out.in.head != NULL ? LUN_AGAIN : rc;
}


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    lun_ssi  *s = lun_http_state(r, &lun_http_ssi);

    if (s == NULL || !s->active || r->header_only) {
        return lun_http_next_body(r, &lun_http_ssi, in);
    }

    lun_filter_buf_add(&s->out, in);

    /* A subrequest is being started: those before us tell what they hold. */
    if (s->busy) {
        return LUN_OK;
    }

    if (in == NULL && lun_http_next_body(r, &lun_http_ssi, NULL) == LUN_ERROR)
    {
        return give_up(s);
    }

    return run(s);
}


void
lun_ssi_go_on(lun_ssi *s)
{
    if (!s->busy) {
        lun_subrequest_go_on(s->r);
    }
}


void
lun_ssi_fail(lun_ssi *s)
{
    s->r->main->aborted = 1;
    (void) give_up(s);
}


/* --- the header ----------------------------------------------------------- */

static lun_ssi_shared *
new_shared(lun_request *r)
{
    lun_ssi_shared  *shared = lun_pool_new(r->pool, lun_ssi_shared);

    lun_array_init(&shared->vars, r->pool, sizeof(lun_ssi_pair), 4);
    lun_array_init(&shared->blocks, r->pool, sizeof(lun_ssi_pair), 2);

    return shared;
}


/* Variables and blocks are the main request's, whatever it is itself. */
static lun_ssi_shared *
shared_of(lun_request *r)
{
    lun_ssi  *top = lun_http_state(r->main, &lun_http_ssi);

    if (top == NULL) {
        top = lun_pool_new(r->pool, lun_ssi);
        top->shared = new_shared(r);
        lun_http_set_state(r->main, &lun_http_ssi, top);
    }

    return top->shared;
}


static void
start(lun_request *r, const lun_ssi_conf *conf)
{
    lun_ssi_shared  *shared = shared_of(r);
    lun_ssi         *s = lun_pool_new(r->pool, lun_ssi);

    s->r = r;
    s->conf = conf;
    s->shared = shared;
    s->active = true;
    s->shown = true;
    s->timefmt = LUN_STR("%A, %d-%b-%Y %H:%M:%S %Z");
    s->errmsg = LUN_STR("[an error occurred while processing the directive]");
    lun_filter_buf_init(&s->out, r, OUT_SIZE, OUT_MOST);
    lun_http_set_state(r, &lun_http_ssi, s);
}


static lun_rc
on_header(lun_request *r)
{
    const lun_ssi_conf  *conf = lun_http_conf(r, &lun_http_ssi);

    if (!conf->on || r->out.content_length == 0
        || !lun_http_is_type(r, conf->types))
    {
        return lun_http_next_header(r, &lun_http_ssi);
    }

    start(r, conf);
    r->filter_need_in_memory = 1;

    if (r->parent == NULL) {
        lun_http_text_changes(r, conf->last_modified);
    }

    return lun_http_next_header(r, &lun_http_ssi);
}


/* --- directives ----------------------------------------------------------- */

static lun_rc
set_ssi(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_subrequest_in_order(cf);
    return lun_set_flag(cf, d, data);
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

static const lun_directive  directives[] = {
    { .name = "ssi", .where = PLACES, .args = 1, .set = set_ssi,
      LUN_FIELD(lun_ssi_conf, on), .fallback = "off",
      .values = "on | off",
      .help = "carries out commands in pages: <!--#include "
              "virtual=\"/head\" -->" },
    { .name = "ssi_silent_errors", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_ssi_conf, silent_errors),
      .fallback = "off",
      .help = "a command that fails says nothing on the page" },
    { .name = "ssi_last_modified", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_ssi_conf, last_modified),
      .fallback = "off",
      .help = "a page with commands keeps its date" },
    { .name = "ssi_value_length", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_size, LUN_FIELD(lun_ssi_conf, value_length),
      .fallback = "256",
      .help = "longest value of a command's parameter" },
    { .name = "ssi_types", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true,
      .set = lun_set_media_types,
      LUN_FIELD(lun_ssi_conf, types), .fallback = "text/html",
      .values = "mime-type ...",
      .help = "types, beside text/html, whose pages may have commands" },
    { .name = "ssi_min_file_chunk", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_ignored, .data = &lun_ignored_size,
      .help = "without effect here" },
    { .name = "ssi_ignore_recycled_buffers", .where = LUN_HTTP_LEVELS,
      .args = 1, .set = lun_set_ignored, .data = &lun_ignored_flag,
      .help = "without effect here" },
    { 0 }
};

lun_http_module  lun_http_ssi = {
    .name = "ssi",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(lun_ssi_conf),
    .header_filter = on_header,
    .body_filter = on_body,
};
