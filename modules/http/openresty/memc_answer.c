/*
 * memc_answer.c -- what a memcached server says, for the memc module.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/openresty/memc_priv.h"

#include "http/upstream/upreq_answer.h"
#include "os/clock.h"


/* What a server says, and as which status it is passed on. */
static const struct {
    lun_str   line;
    unsigned  status;
} verdicts[] = {
    { LUN_STR_INIT("STORED"), 201 },
    { LUN_STR_INIT("NOT_STORED"), 200 },
    { LUN_STR_INIT("EXISTS"), 409 },
    { LUN_STR_INIT("NOT_FOUND"), 404 },
    { LUN_STR_INIT("DELETED"), 200 },
    { LUN_STR_INIT("TOUCHED"), 200 },
    { LUN_STR_INIT("OK"), 200 },
    { LUN_STR_INIT("ERROR"), 502 }
};


void
lun_memc_reset(lun_upreq *x)
{
    lun_memc_state  *s = x->protocol_data;

    s->line = LUN_STR("");
    s->value = (lun_upreq_value) { .end = LUN_STR("\r\nEND\r\n") };
}


static lun_upstream_verdict
refuse(const lun_upreq *x, lun_str line)
{
    const lun_memc_state  *s = x->protocol_data;

    lun_log(LUN_LOG_ERR, x->r->log, 0, "memcached sent invalid response: "
            "\"%.*s\" for key \"%.*s\"", LUN_S(line), LUN_S(s->key));
    return LUN_UPSTREAM_BAD;
}


/* Takes the word up to the next blank, and that, off *text. */
static lun_str
take_word(lun_str *text)
{
    lun_str      word = *text;
    const char  *mark = lun_str_chr(*text, ' ');

    if (mark != NULL) {
        word.len = (size_t) (mark - word.data);
    }

    text->data += lun_min(word.len + 1, text->len);
    text->len -= lun_min(word.len + 1, text->len);
    return word;
}


static void
use_flags(lun_upreq *x, lun_str text, uint64_t flags)
{
    char        *date;
    lun_header   h;

    lun_var_set(&x->r->session,
                lun_memc_conf_of(x->r)->variables[LUN_MEMC_V_FLAGS],
                lun_pool_str(x->r->pool, text));

    if (lun_memc_conf_of(x->r)->flags_are_time && flags <= UINT32_MAX) {
        date = lun_pool_text(x->r->pool, LUN_HTTP_DATE);
        h = lun_upreq_field(LUN_STR("Last-Modified"), lun_str_of(date,
                (size_t) (lun_clock_http_date(date, (int64_t) flags) - date)));
        lun_header_list_add(&x->answer.list, &h);
        x->conditional = true;
    }
}


/* "VALUE key flags length" */
static lun_upstream_verdict
take_header(lun_upreq *x, lun_str line)
{
    lun_memc_state  *s = x->protocol_data;
    lun_str    rest = line, flags;
    uint64_t   n;

    (void) take_word(&rest);

    if (!lun_str_eq(take_word(&rest), s->key)) {
        return refuse(x, line);
    }

    flags = take_word(&rest);

    if (lun_str_to_u64(flags, &n) != LUN_OK || rest.len == 0
        || !lun_is_digit(rest.data[0])
        || lun_str_to_i64(rest, &x->answer.head_length) != LUN_OK)
    {
        return refuse(x, line);
    }

    use_flags(x, flags, n);
    return lun_upreq_value_found(x, &s->value);
}


/* The line becomes the body; those of `stats` follow it. */
static lun_upstream_verdict
take_line(lun_upreq *x, lun_str line, lun_str whole, unsigned status)
{
    lun_memc_state  *s = x->protocol_data;

    x->answer.status = status;
    x->answer.framed = true;
    s->line = lun_pool_str(x->r->pool, whole);

    if (lun_memc_index(s) != LUN_MEMC_STATS || status != 200) {
        x->answer.head_length = (int64_t) whole.len;
        s->value.end = LUN_STR("");
    }

    (void) lun_upreq_set_length(x, x->r->method == LUN_HEAD);
    return LUN_UPSTREAM_DONE;
}


/* 0: it is no answer to that command. */
static unsigned
status_of(const lun_memc_state *s, lun_str line)
{
    size_t  i, which = lun_memc_index(s);

    for (i = 0; i < LUN_ARRAY_LEN(verdicts); i++) {
        if (lun_str_eq(line, verdicts[i].line)) {
            return verdicts[i].status;
        }
    }

    if (lun_str_starts(line, LUN_STR("CLIENT_ERROR"))
        || lun_str_starts(line, LUN_STR("SERVER_ERROR")))
    {
        return 502;
    }

    if ((s->cmd->parts & LUN_MEMC_VALUE) != 0 && line.len != 0
        && lun_is_digit(line.data[0]))
    {
        return 201;
    }

    if ((which == LUN_MEMC_STATS && lun_str_starts(line, LUN_STR("STAT ")))
        || lun_str_starts(line, LUN_STR("VERSION ")))
    {
        return 200;
    }

    return 0;
}


/*
 * Values come with a length, all else is one line, whose words say whether it
 * went well.
 */
lun_upstream_verdict
lun_memc_read_header(lun_upreq *x, const char **pos, const char *end)
{
    lun_memc_state  *s = x->protocol_data;
    bool         gets = lun_memc_index(s) == LUN_MEMC_GET;
    lun_str      line, whole;
    unsigned     status;
    const char  *lf = memchr(*pos, '\n', (size_t) (end - *pos));

    if (lf == NULL) {
        return LUN_UPSTREAM_MORE;
    }

    whole = line = lun_str_of(*pos, (size_t) (lf + 1 - *pos));
    *pos = lf + 1;

    if (line.len < 2 || line.data[line.len - 2] != '\r') {
        return refuse(x, line);
    }

    line.len -= 2;

    if (gets && lun_str_starts(line, LUN_STR("VALUE "))) {
        return take_header(x, line);
    }

    if (gets && lun_str_eq(line, LUN_STR("END"))) {
        return lun_upreq_value_missing(x, "memcached", s->key, *pos != end);
    }

    if (lun_str_eq(line, LUN_STR("NOT_FOUND"))) {
        x->answer.status = 404;
        x->answer.keep = *pos == end;
        x->answer.complete = true;
        return LUN_UPSTREAM_DONE;
    }

    status = status_of(s, line);

    return status != 0 ? take_line(x, line, whole, status) : refuse(x, line);
}


/* Lines, the last of which is END. */
static lun_upstream_verdict
read_stats(lun_upreq *x, const char **pos, const char *end, lun_str *piece)
{
    lun_memc_state  *s = x->protocol_data;
    const char  *start = *pos, *p;
    const char  *last = "\r\nEND\r\n";

    for (p = start; p != end && s->value.matched != s->value.end.len; p++) {
        if (*p == last[s->value.matched]) {
            s->value.matched++;

        } else {
            s->value.matched = *p == '\r';
        }
    }

    *pos = p;

    if (p != start) {
        *piece = lun_str_of(start, (size_t) (p - start));
        return LUN_UPSTREAM_DATA;
    }

    if (s->value.matched != s->value.end.len) {
        return LUN_UPSTREAM_MORE;
    }

    x->answer.keep = true;
    return LUN_UPSTREAM_DONE;
}


lun_upstream_verdict
lun_memc_read_body(lun_upreq *x, const char **pos, const char *end,
    lun_str *piece)
{
    lun_memc_state        *s = x->protocol_data;
    lun_upstream_verdict   v;

    if (x->r->method == LUN_HEAD) {
        return LUN_UPSTREAM_DONE;
    }

    if (s->line.len != 0) {
        *piece = s->line;
        s->line.len = 0;
        s->value.matched = s->value.end.len != 0 ? 2 : 0;
        return LUN_UPSTREAM_DATA;
    }

    if (lun_memc_index(s) == LUN_MEMC_STATS && s->value.end.len != 0) {
        return read_stats(x, pos, end, piece);
    }

    v = lun_upreq_value_read(x, &s->value, "memcached", pos, end, piece);

    /* Behind an error more lines may come, which would answer another. */
    if (v == LUN_UPSTREAM_DONE) {
        x->answer.keep = x->answer.status < 500;
    }

    return v;
}
