/*
 * rds_json.c -- results of databases as JSON; answers about failures alike.
 *
 *     rds_json on;  rds_json_root rows;
 *     if ($arg_limit !~ "^\d+$") { rds_json_ret 400 "Bad limit"; }
 *
 * A table is a list of objects, or of lists (compact), or an object with that
 * list; what is no table is an object with errcode.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/rds/rds_priv.h"

#include "base/escape.h"
#include "base/fmt.h"


enum { NORMAL, COMPACT };

typedef struct {
    lun_str      key;
    lun_script  *value;
} property;

/* What rds_json_ret says. */
typedef struct {
    uint64_t     code;
    lun_str      text;
} json_answer;

typedef struct {
    bool          on;
    int           format;
    size_t        buffer;
    lun_str       type;
    lun_str       root;            /* len 0: none */
    lun_str       success;
    lun_array    *properties;      /* of property; NULL: none */
    lun_str       code_key, text_key;
    json_answer  *answer;          /* of this very block */
} json_conf;

extern lun_http_module  lun_http_rds_json;


/* --- what is written ----------------------------------------------------- */

static lun_str
quote(lun_pool *pool, lun_str text)
{
    return lun_pool_fmt(pool, "\"%.*s\"",
                        LUN_S(lun_escape_json_new(pool, text)));
}


/* "key":true and those of the user, with a comma behind each. */
static lun_str
properties_text(lun_request *r, const json_conf *conf, bool good)
{
    size_t     i;
    lun_str    text = LUN_STR("");
    property  *p;

    if (conf->success.len != 0) {
        text = lun_pool_fmt(r->pool, "%.*s:%s,",
                            LUN_S(quote(r->pool, conf->success)),
                            good ? "true" : "false");
    }

    for (i = 0; conf->properties != NULL && i < conf->properties->count; i++) {
        p = lun_array_at(conf->properties, i);
        text = lun_pool_fmt(r->pool, "%.*s%.*s:%.*s,", LUN_S(text),
                            LUN_S(quote(r->pool, p->key)),
                            LUN_S(quote(r->pool,
                                        lun_script_run(&r->session,
                                                       p->value))));
    }

    return text;
}


/* "errcode":0,"errstr":"..." */
static lun_str
error_text(lun_pool *pool, const json_conf *conf, uint64_t code, lun_str text)
{
    lun_str  all;

    all = lun_pool_fmt(pool, "%.*s:%" PRIu64,
                       LUN_S(quote(pool, conf->code_key)), code);

    return text.len == 0
           ? all : lun_pool_fmt(pool, "%.*s,%.*s:%.*s", LUN_S(all),
                                LUN_S(quote(pool, conf->text_key)),
                                LUN_S(quote(pool, text)));
}


static void
put_escaped(lun_rds *s, lun_str text)
{
    char    room[6 * 64];
    size_t  n;

    while (text.len != 0) {
        n = lun_min(text.len, sizeof(room) / 6);
        lun_filter_buf_put(&s->out, room,
                           (size_t) (lun_escape_json(room,
                                                     lun_str_of(text.data, n))
                                     - room));
        text = lun_str_of(text.data + n, text.len - n);
    }
}


static void
put_quoted(lun_rds *s, lun_str text)
{
    lun_rds_put(s, LUN_STR("\""));
    put_escaped(s, text);
    lun_rds_put(s, LUN_STR("\""));
}


static void
put_state(lun_rds *s)
{
    lun_request      *r = s->out.r;
    const json_conf  *conf = s->conf;

    lun_rds_put(s, LUN_STR("{"));
    lun_rds_put(s, properties_text(r, conf, s->errcode == 0));
    lun_rds_put(s, error_text(r->pool, conf, s->errcode, s->errstr));

    if (s->insert_id != 0) {
        lun_rds_put(s, LUN_STR(",\"insert_id\":"));
        lun_rds_put_number(s, s->insert_id);
    }

    if (s->affected != 0) {
        lun_rds_put(s, LUN_STR(",\"affected_rows\":"));
        lun_rds_put_number(s, s->affected);
    }

    lun_rds_put(s, LUN_STR("}"));
}


/* Whether the list is in an object, and by which name. */
static bool
has_root(const json_conf *conf, lun_str *root)
{
    *root = conf->root.len != 0 ? conf->root : LUN_STR("data");

    return conf->root.len != 0 || conf->success.len != 0
           || conf->properties != NULL;
}


/*
 * Without columns it is the answer to something that changes: a state, and no
 * rows.
 */
static void
on_head(lun_rds *s)
{
    size_t            i;
    lun_str           root;
    const json_conf  *conf = s->conf;

    if (s->count == 0) {
        put_state(s);
        return;
    }

    if (has_root(conf, &root)) {
        lun_rds_put(s, LUN_STR("{"));
        lun_rds_put(s, properties_text(s->out.r, conf, s->errcode == 0));
        put_quoted(s, root);
        lun_rds_put(s, LUN_STR(":"));
    }

    lun_rds_put(s, LUN_STR("["));

    if (conf->format == COMPACT) {
        for (i = 0; i < s->count; i++) {
            lun_rds_put(s, i == 0 ? LUN_STR("[") : LUN_STR(","));
            put_quoted(s, s->columns[i].name);
        }

        lun_rds_put(s, LUN_STR("]"));
    }
}


static void
on_row(lun_rds *s)
{
    const json_conf  *conf = s->conf;
    bool              compact = conf->format == COMPACT;

    if (s->any_row || compact) {
        lun_rds_put(s, LUN_STR(","));
    }

    lun_rds_put(s, compact ? LUN_STR("[") : LUN_STR("{"));
}


static void
begin_field(lun_rds *s)
{
    const json_conf  *conf = s->conf;

    if (s->column != 0) {
        lun_rds_put(s, LUN_STR(","));
    }

    if (conf->format != COMPACT) {
        put_quoted(s, s->columns[s->column].name);
        lun_rds_put(s, LUN_STR(":"));
    }
}


static void
on_null(lun_rds *s)
{
    begin_field(s);
    lun_rds_put(s, LUN_STR("null"));
}


/* A number of JSON's: "NaN" and "007" of a database are texts. */
static bool
is_number(lun_str t)
{
    size_t  i = 0, from;

    i += i < t.len && t.data[i] == '-';
    from = i;

    while (i < t.len && lun_is_digit(t.data[i])) {
        i++;
    }

    if (i == from || (t.data[from] == '0' && i > from + 1)) {
        return false;
    }

    if (i < t.len && t.data[i] == '.') {
        from = ++i;

        while (i < t.len && lun_is_digit(t.data[i])) {
            i++;
        }

        if (i == from) {
            return false;
        }
    }

    if (i < t.len && lun_lower(t.data[i]) == 'e') {
        i++;
        i += i < t.len && (t.data[i] == '-' || t.data[i] == '+');
        from = i;

        while (i < t.len && lun_is_digit(t.data[i])) {
            i++;
        }

        if (i == from) {
            return false;
        }
    }

    return i == t.len;
}


/* What goes out without quotes; len 0: nothing does. */
static lun_str
plain_form(lun_rds_kind kind, lun_str text)
{
    if (kind == LUN_RDS_BOOL) {
        return lun_str_eq(text, LUN_STR("t"))
               || lun_str_eq(text, LUN_STR("true"))
               || lun_str_eq(text, LUN_STR("1"))
               ? LUN_STR("true") : LUN_STR("false");
    }

    return kind != LUN_RDS_TEXT && is_number(text) ? text : LUN_STR("");
}


static void
on_value(lun_rds *s, lun_str piece, bool first, bool last)
{
    lun_str  plain = LUN_STR("");

    if (first) {
        begin_field(s);

        if (last) {
            plain = plain_form(s->columns[s->column].kind, piece);
        }

        if (plain.len != 0) {
            lun_rds_put(s, plain);
            return;
        }

        lun_rds_put(s, LUN_STR("\""));
    }

    put_escaped(s, piece);

    if (last) {
        lun_rds_put(s, LUN_STR("\""));
    }
}


static void
on_row_end(lun_rds *s)
{
    const json_conf  *conf = s->conf;

    lun_rds_put(s, conf->format == COMPACT ? LUN_STR("]") : LUN_STR("}"));
}


static void
on_end(lun_rds *s)
{
    lun_str  root;

    if (s->count != 0) {
        lun_rds_put(s, has_root(s->conf, &root) ? LUN_STR("]}")
                                                : LUN_STR("]"));
    }
}


static const lun_rds_writer  writer = {
    .head = on_head,
    .row = on_row,
    .null = on_null,
    .value = on_value,
    .row_end = on_row_end,
    .end = on_end,
};


/* --- the filter ---------------------------------------------------------- */

static const lun_filter  filter = {
    .module = &lun_http_rds_json,
    .step = LUN_RDS_WHOLE,
    .take = lun_rds_take,
    .close = lun_rds_close,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    lun_rds  *s = lun_http_state(r, &lun_http_rds_json);

    if (s == NULL) {
        return lun_http_next_body(r, &lun_http_rds_json, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


static lun_rc
on_header(lun_request *r)
{
    lun_rds          *s;
    const json_conf  *conf = lun_http_conf(r, &lun_http_rds_json);
    lun_rds_options   options = { conf->type, conf->buffer, &writer };

    if (conf->on && lun_http_state(r, &lun_http_rds_json) == NULL) {
        s = lun_rds_start(r, &lun_http_rds_json, &options);

        if (s != NULL) {
            s->conf = conf;
        }
    }

    return lun_http_next_header(r, &lun_http_rds_json);
}


/* --- rds_json_ret -------------------------------------------------------- */

static lun_verdict
on_content(lun_session *session)
{
    lun_str           text, more;
    lun_verdict       v;
    lun_request      *r = lun_request_of(session);
    const json_conf  *conf = lun_http_conf(r, &lun_http_rds_json);

    if (conf->answer == NULL || !lun_http_has_content(r, &lun_http_rds_json)) {
        return LUN_NEXT;
    }

    v = lun_body_discard(r);

    if (v != LUN_LEAVE) {
        return v;
    }

    text = error_text(r->pool, conf, conf->answer->code, conf->answer->text);
    more = properties_text(r, conf, conf->answer->code == 0);

    /* The comma that is behind them belongs before. */
    text = more.len == 0
           ? lun_pool_fmt(r->pool, "{%.*s}", LUN_S(text))
           : lun_pool_fmt(r->pool, "{%.*s,%.*s}", LUN_S(text),
                          LUN_S(lun_str_of(more.data, more.len - 1)));

    return lun_http_respond(r, 200, conf->type, text);
}


static lun_rc
set_answer(lun_conf *cf, const lun_directive *d, void *data)
{
    json_conf  *conf = data;

    conf->answer = lun_pool_new(cf->pool, json_answer);
    conf->answer->text = cf->args[2];

    if (lun_str_to_u64(cf->args[1], &conf->answer->code) != LUN_OK) {
        return lun_conf_fail(cf, "invalid value \"%.*s\"", LUN_S(cf->args[1]));
    }

    lun_http_set_content(cf, &lun_http_rds_json);
    return LUN_OK;
}


/* --- other directives ---------------------------------------------------- */

static lun_rc
set_property(lun_conf *cf, const lun_directive *d, void *data)
{
    property   *p;
    json_conf  *conf = data;

    if (conf->properties == NULL) {
        conf->properties = lun_array_new(cf->pool, sizeof(property), 2);
    }

    p = lun_array_push(conf->properties);
    p->key = cf->args[1];
    p->value = lun_script_new(cf, cf->args[2]);

    return p->value != NULL ? LUN_OK : LUN_ERROR;
}


static const lun_enum  formats[] = {
    { "normal", NORMAL }, { "compact", COMPACT }, { NULL, 0 }
};

enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

static const lun_directive  directives[] = {
    { .name = "rds_json", .where = PLACES, .args = 1, .set = lun_set_flag,
      LUN_FIELD(json_conf, on), .fallback = "off",
      .help = "results of databases as JSON" },
    { .name = "rds_json_format", .where = PLACES, .args = 1,
      .set = lun_set_enum, .data = formats, LUN_FIELD(json_conf, format),
      .fallback = "normal",
      .help = "rows as objects, or as lists behind one of names" },
    { .name = "rds_json_root", .where = PLACES, .args = 1, .set = lun_set_str,
      LUN_FIELD(json_conf, root),
      .values = "key",
      .help = "rows are in an object, by this name" },
    { .name = "rds_json_success_property", .where = PLACES, .args = 1,
      .set = lun_set_str, LUN_FIELD(json_conf, success),
      .values = "name",
      .help = "the name of what says whether it was good" },
    { .name = "rds_json_user_property", .where = PLACES, .args = 2,
      .repeats = true, .set = set_property, LUN_FIELD(json_conf, properties),
      .values = "name value",
      .help = "a name and a text of that object" },
    { .name = "rds_json_errcode_key", .where = PLACES, .args = 1,
      .set = lun_set_str, LUN_FIELD(json_conf, code_key),
      .fallback = "errcode",
      .values = "key",
      .help = "the name of the error's number" },
    { .name = "rds_json_errstr_key", .where = PLACES, .args = 1,
      .set = lun_set_str, LUN_FIELD(json_conf, text_key),
      .fallback = "errstr",
      .values = "key",
      .help = "the name of the error's text" },
    { .name = "rds_json_ret", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 2, .set = set_answer,
      .values = "code message",
      .help = "answers with an error's number and text" },
    { .name = "rds_json_content_type", .where = PLACES, .args = 1,
      .set = lun_set_str, LUN_FIELD(json_conf, type),
      .fallback = "application/json",
      .values = "mime-type",
      .help = "the type that they have" },
    { .name = "rds_json_buffer_size", .where = PLACES, .args = 1,
      .set = lun_set_size, LUN_FIELD(json_conf, buffer), .fallback = "4k",
      .help = "how much is gathered before it is sent" },
    { 0 }
};

lun_http_module  lun_http_rds_json = {
    .name = "rds_json",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(json_conf),
    .header_filter = on_header,
    .body_filter = on_body,
    .on[LUN_CONTENT] = on_content,
};
