/*
 * rds_csv.c -- results of databases as comma-separated values (RFC 4180).
 *
 *     rds_csv on;  rds_csv_row_terminator "\n";
 *
 * What is no table becomes one of a row: errcode, errstr, insert_id and
 * affected_rows.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/rds/rds_priv.h"


typedef struct {
    bool     on;
    lun_str  terminator, separator;
    bool     names;                /* the first line has them */
    lun_str  type;                 /* len 0: by what the first line is */
    size_t   buffer;
} csv_conf;

extern lun_http_module  lun_http_rds_csv;


/* --- what is written ----------------------------------------------------- */

static bool
needs_quotes(const csv_conf *conf, lun_str text)
{
    size_t  i;
    char    c;

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (c == '"' || c == '\r' || c == '\n' || c == conf->separator.data[0])
        {
            return true;
        }
    }

    return false;
}


/* Between quotes: each of the text's own is two. */
static void
put_quoted(lun_rds *s, lun_str text)
{
    const char  *quote;

    while ((quote = lun_str_chr(text, '"')) != NULL) {
        lun_rds_put(s, lun_str_of(text.data,
                                  (size_t) (quote + 1 - text.data)));
        lun_rds_put(s, LUN_STR("\""));
        text = lun_str_of(quote + 1,
                          text.len - (size_t) (quote + 1 - text.data));
    }

    lun_rds_put(s, text);
}


/* Quotes are allowed for any value: a long one has them, unseen. */
static void
on_value(lun_rds *s, lun_str piece, bool first, bool last)
{
    bool             whole = first && last;
    const csv_conf  *conf = s->conf;

    if (first && s->column != 0) {
        lun_rds_put(s, conf->separator);
    }

    if (whole && !needs_quotes(conf, piece)) {
        lun_rds_put(s, piece);
        return;
    }

    if (first) {
        lun_rds_put(s, LUN_STR("\""));
    }

    put_quoted(s, piece);

    if (last) {
        lun_rds_put(s, LUN_STR("\""));
    }
}


static void
on_null(lun_rds *s)
{
    on_value(s, LUN_STR(""), true, true);
}


static void
on_row_end(lun_rds *s)
{
    const csv_conf  *conf = s->conf;

    lun_rds_put(s, conf->terminator);
}


/* A row of what the header says. */
static void
put_state(lun_rds *s)
{
    const csv_conf  *conf = s->conf;

    lun_rds_put_number(s, s->errcode);
    s->column = 1;
    on_value(s, s->errstr, true, true);
    lun_rds_put(s, conf->separator);
    lun_rds_put_number(s, s->insert_id);
    lun_rds_put(s, conf->separator);
    lun_rds_put_number(s, s->affected);
    on_row_end(s);
}


static void
on_head(lun_rds *s)
{
    const csv_conf        *conf = s->conf;
    static const lun_str   words[] = {
        LUN_STR_INIT("errcode"), LUN_STR_INIT("errstr"),
        LUN_STR_INIT("insert_id"), LUN_STR_INIT("affected_rows")
    };

    if (conf->names) {
        for (s->column = 0; s->column < (s->count != 0 ? s->count
                                         : LUN_ARRAY_LEN(words)); s->column++)
        {
            on_value(s, s->count != 0 ? s->columns[s->column].name
                     : words[s->column], true, true);
        }

        on_row_end(s);
    }

    if (s->count == 0) {
        put_state(s);
    }
}


static void
on_nothing(lun_rds *s)
{
}


static const lun_rds_writer  writer = {
    .head = on_head,
    .row = on_nothing,
    .null = on_null,
    .value = on_value,
    .row_end = on_row_end,
    .end = on_nothing,
};


/* --- the filter ---------------------------------------------------------- */

static const lun_filter  filter = {
    .module = &lun_http_rds_csv,
    .step = LUN_RDS_WHOLE,
    .take = lun_rds_take,
    .close = lun_rds_close,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    lun_rds  *s = lun_http_state(r, &lun_http_rds_csv);

    if (s == NULL) {
        return lun_http_next_body(r, &lun_http_rds_csv, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


static lun_rc
on_header(lun_request *r)
{
    lun_rds          *s;
    const csv_conf   *conf = lun_http_conf(r, &lun_http_rds_csv);
    lun_rds_options   options = { conf->type, conf->buffer, &writer };

    if (conf->on && lun_http_state(r, &lun_http_rds_csv) == NULL) {
        if (options.type.len == 0) {
            options.type = conf->names ? LUN_STR("text/csv; header=presence")
                                       : LUN_STR("text/csv; header=absence");
        }

        s = lun_rds_start(r, &lun_http_rds_csv, &options);

        if (s != NULL) {
            s->conf = conf;
        }
    }

    return lun_http_next_header(r, &lun_http_rds_csv);
}


/* --- directives ---------------------------------------------------------- */

/* The arguments that a row's .data lists, a byte behind each. */
static lun_rc
set_one_of(lun_conf *cf, const lun_directive *d, void *conf)
{
    const char  *p;

    for (p = d->data; *p != '\0'; p += strlen(p) + 1) {
        if (lun_str_eq(cf->args[1], lun_str_of(p, strlen(p)))) {
            return lun_set_str(cf, d, conf);
        }
    }

    return lun_conf_fail(cf, "invalid value \"%.*s\" for \"%s\"",
                         LUN_S(cf->args[1]), d->name);
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

static const lun_directive  directives[] = {
    { .name = "rds_csv", .where = PLACES, .args = 1, .set = lun_set_flag,
      LUN_FIELD(csv_conf, on), .fallback = "off",
      .help = "results of databases as comma-separated values" },
    { .name = "rds_csv_row_terminator", .where = PLACES, .args = 1,
      .set = set_one_of, .data = "\r\n\0\n\0",
      LUN_FIELD(csv_conf, terminator), .fallback = "\"\\r\\n\"",
      .values = "string",
      .help = "what ends a row" },
    { .name = "rds_csv_field_separator", .where = PLACES, .args = 1,
      .set = set_one_of, .data = ",\0;\0\t\0",
      LUN_FIELD(csv_conf, separator), .fallback = ",",
      .values = "character",
      .help = "what stands between values" },
    { .name = "rds_csv_field_name_header", .where = PLACES, .args = 1,
      .set = lun_set_flag, LUN_FIELD(csv_conf, names), .fallback = "on",
      .help = "a first line with the names of columns" },
    { .name = "rds_csv_content_type", .where = PLACES, .args = 1,
      .set = lun_set_str, LUN_FIELD(csv_conf, type),
      .values = "mime-type",
      .help = "the type that they have" },
    { .name = "rds_csv_buffer_size", .where = PLACES, .args = 1,
      .set = lun_set_size, LUN_FIELD(csv_conf, buffer), .fallback = "4k",
      .help = "how much is gathered before it is sent" },
    { 0 }
};

lun_http_module  lun_http_rds_csv = {
    .name = "rds_csv",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(csv_conf),
    .header_filter = on_header,
    .body_filter = on_body,
};
