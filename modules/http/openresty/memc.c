/*
 * memc.c -- OpenResty's memc: any command of a memcached server.
 *
 *     location /memc {
 *         set $memc_key $arg_key;         # $memc_cmd: by the method
 *         set $memc_exptime 60;
 *         memc_pass 127.0.0.1:11211;
 *     }
 *
 * `get` answers with the value, the others with the line (`stats`: the lines)
 * that the server says, and a status that goes with it.  What is stored is
 * $memc_value, or the client's body.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/openresty/memc_priv.h"

#include "base/fmt.h"
#include "config/slots.h"
#include "http/upstream/upreq_answer.h"
#include "http/upstream/upreq_rows.h"


/*
 * For memcached: bytes of a key, and of a value.  It refuses the line of a
 * command whose numbers are larger, and takes the value for more commands.
 */
enum { KEY_MOST = 250, VALUE_MOST = INT32_MAX - 2 };

/* In the order of the bits of memc_cmds_allowed. */
const lun_memc_command  lun_memc_commands[] = {
    { LUN_STR_INIT("get"), LUN_MEMC_KEY },
    { LUN_STR_INIT("set"), LUN_MEMC_KEY | LUN_MEMC_STORES },
    { LUN_STR_INIT("add"), LUN_MEMC_KEY | LUN_MEMC_STORES },
    { LUN_STR_INIT("replace"), LUN_MEMC_KEY | LUN_MEMC_STORES },
    { LUN_STR_INIT("append"), LUN_MEMC_KEY | LUN_MEMC_STORES },
    { LUN_STR_INIT("prepend"), LUN_MEMC_KEY | LUN_MEMC_STORES },
    { LUN_STR_INIT("delete"), LUN_MEMC_KEY | LUN_MEMC_TIME | LUN_MEMC_MAY },
    { LUN_STR_INIT("incr"), LUN_MEMC_KEY | LUN_MEMC_VALUE },
    { LUN_STR_INIT("decr"), LUN_MEMC_KEY | LUN_MEMC_VALUE },
    { LUN_STR_INIT("touch"), LUN_MEMC_KEY | LUN_MEMC_TIME },
    { LUN_STR_INIT("flush_all"), LUN_MEMC_TIME | LUN_MEMC_MAY },
    { LUN_STR_INIT("stats"), 0 },
    { LUN_STR_INIT("version"), 0 }
};

static const lun_str  names[LUN_MEMC_V_COUNT] = {
    LUN_STR_INIT("memc_cmd"), LUN_STR_INIT("memc_key"),
    LUN_STR_INIT("memc_value"), LUN_STR_INIT("memc_flags"),
    LUN_STR_INIT("memc_exptime")
};

static const uint64_t  most[LUN_MEMC_V_COUNT] = {
    [LUN_MEMC_V_VALUE]   = UINT64_MAX,
    [LUN_MEMC_V_FLAGS]   = UINT32_MAX,
    [LUN_MEMC_V_EXPTIME] = INT32_MAX
};

/* NULL: it is not set. */
static const lun_value *
value_of(lun_request *r, unsigned which)
{
    const lun_value  *v;

    v = lun_var_get_fresh(&r->session, lun_memc_conf_of(r)->variables[which]);
    return v->not_found ? NULL : v;
}


/* --- the command --------------------------------------------------------- */

static const lun_memc_command *
find_command(lun_str name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(lun_memc_commands); i++) {
        if (lun_str_eq(lun_memc_commands[i].name, name)) {
            return &lun_memc_commands[i];
        }
    }

    return NULL;
}


/* By the method, where nothing else is said; len 0: there is none for it. */
static lun_str
usual_command(lun_method method)
{
    switch (method) {

    case LUN_GET:
    case LUN_HEAD:
        return LUN_STR("get");

    case LUN_POST:
        return LUN_STR("add");

    case LUN_PUT:
        return LUN_STR("set");

    case LUN_DELETE:
        return LUN_STR("delete");

    default:
        return LUN_STR("");
    }
}


/* NULL: *v is the answer. */
static const lun_memc_command *
choose_command(lun_request *r, lun_verdict *v)
{
    lun_str           name;
    const lun_memc_command  *cmd;
    const lun_value  *said = value_of(r, LUN_MEMC_V_CMD);

    name = said != NULL && said->text.len != 0 ? said->text
                                               : usual_command(r->method);
    cmd = find_command(name);
    *v = LUN_STATUS + 400;

    if (name.len == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "ngx_memc: $memc_cmd variable not "
                "found for HTTP %.*s requests", LUN_S(r->method_name));

    } else if (cmd == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "ngx_memc: unknown $memc_cmd "
                "\"%.*s\"", LUN_S(name));

    } else if (lun_memc_conf_of(r)->allowed != 0
               && (lun_memc_conf_of(r)->allowed
                   >> (cmd - lun_memc_commands) & 1) == 0)
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "ngx_memc: memcached command "
                "\"%.*s\" not allowed", LUN_S(name));
        *v = LUN_STATUS + 403;
        cmd = NULL;
    }

    return cmd;
}


/* A key ends at a blank, a command at the end of a line. */
static lun_str
escape_key(lun_pool *pool, lun_str key)
{
    char                *text = lun_pool_text(pool, 3 * key.len), *p = text;
    size_t               i;
    unsigned char        c;
    static const char    digits[] = "0123456789ABCDEF";

    for (i = 0; i < key.len; i++) {
        c = (unsigned char) key.data[i];

        if (c <= ' ' || c == '%' || c == 0x7f) {
            *p++ = '%';
            *p++ = digits[c >> 4];
            *p++ = digits[c & 15];

        } else {
            *p++ = (char) c;
        }
    }

    return lun_str_of(text, (size_t) (p - text));
}


/* A number, "0" where none is said; false: it is none, which is logged. */
static bool
read_number(lun_request *r, unsigned which, lun_str *text)
{
    uint64_t          n;
    const lun_value  *v = value_of(r, which);

    *text = v != NULL && v->text.len != 0 ? v->text : LUN_STR("0");

    if (lun_str_to_u64(*text, &n) != LUN_OK || n > most[which]) {
        lun_log(LUN_LOG_ERR, r->log, 0, "variable \"$%.*s\" %s: %.*s",
                LUN_S(names[which]), which == LUN_MEMC_V_VALUE
                ? "is invalid for incr/decr" : "takes invalid value",
                LUN_S(*text));
        return false;
    }

    return true;
}


/* Whether the numbers of a command are some. */
static bool
check_numbers(lun_request *r, const lun_memc_command *cmd)
{
    lun_str           text;
    const lun_value  *v = value_of(r, LUN_MEMC_V_VALUE);

    if ((cmd->parts & LUN_MEMC_VALUE) != 0 && (v == NULL || v->text.len == 0)) {
        lun_log(LUN_LOG_ERR, r->log, 0, "the \"$memc_value\" variable is "
                "required for command \"%.*s\"", LUN_S(cmd->name));
        return false;
    }

    return ((cmd->parts & LUN_MEMC_STORES) == 0
            || read_number(r, LUN_MEMC_V_FLAGS, &text))
           && ((cmd->parts & (LUN_MEMC_STORES | LUN_MEMC_TIME)) == 0
               || read_number(r, LUN_MEMC_V_EXPTIME, &text))
           && ((cmd->parts & LUN_MEMC_VALUE) == 0
               || read_number(r, LUN_MEMC_V_VALUE, &text));
}


/* LUN_NEXT: everything that the command needs is there. */
static lun_verdict
check_command(lun_request *r, const lun_memc_command *cmd)
{
    const lun_value  *key = value_of(r, LUN_MEMC_V_KEY);

    if (!check_numbers(r, cmd)) {
        return LUN_STATUS + 400;
    }

    if ((cmd->parts & LUN_MEMC_KEY) != 0) {
        if (key == NULL || key->text.len == 0) {
            lun_log(LUN_LOG_ERR, r->log, 0, "the \"$memc_key\" variable is "
                    "not set");
            return LUN_STATUS + 500;
        }

        if (escape_key(r->pool, key->text).len > KEY_MOST) {
            lun_log(LUN_LOG_ERR, r->log, 0, "the \"$memc_key\" variable is "
                    "too long");
            return LUN_STATUS + 400;
        }
    }

    if ((cmd->parts & LUN_MEMC_STORES) != 0
        && value_of(r, LUN_MEMC_V_VALUE) == NULL && r->body == NULL
        && r->in.content_length < 0 && !r->in.chunked)
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "neither the \"$memc_value\" variable "
                "nor the request body is available");
        return LUN_STATUS + 500;
    }

    return LUN_NEXT;
}


/* --- the request --------------------------------------------------------- */

/* The body of the client, or the variable, and the end of its line. */
static int64_t
take_value(lun_upreq *x)
{
    int64_t           size = 0;
    lun_buf          *copy;
    lun_chain         out;
    const lun_buf    *b;
    const lun_value  *v = value_of(x->r, LUN_MEMC_V_VALUE);

    lun_chain_init(&out);

    if (v != NULL) {
        size = (int64_t) v->text.len;

        if (size != 0) {
            lun_chain_push(&out, lun_buf_new_str(x->r->pool, v->text));
        }

    } else {
        for (b = x->body; b != NULL; b = b->next) {
            copy = lun_buf_new(x->r->pool);
            *copy = *b;
            size += lun_buf_size(b);
            lun_chain_push(&out, copy);
        }
    }

    lun_chain_push(&out, lun_buf_new_str(x->r->pool, LUN_STR("\r\n")));
    x->body = out.head;
    x->body_is_plain = true;

    return size;
}


static lun_rc
make(lun_upreq *x, lun_buf **head)
{
    lun_memc_state  *s = x->protocol_data;
    int64_t            size;
    lun_str            flags, time, number;
    lun_request       *r = x->r;
    const char        *blank = "";
    const lun_value   *said;

    /* A variable that says something else each time may say nothing now. */
    if (check_command(r, s->cmd) != LUN_NEXT) {
        return LUN_ERROR;
    }

    if ((s->cmd->parts & LUN_MEMC_KEY) != 0) {
        s->key = escape_key(r->pool, value_of(r, LUN_MEMC_V_KEY)->text);
        blank = " ";
    }

    (void) read_number(r, LUN_MEMC_V_FLAGS, &flags);
    (void) read_number(r, LUN_MEMC_V_EXPTIME, &time);
    said = value_of(r, LUN_MEMC_V_EXPTIME);

    if ((s->cmd->parts & LUN_MEMC_STORES) != 0) {
        size = take_value(x);

        if (size > VALUE_MOST) {
            lun_log(LUN_LOG_ERR, r->log, 0, "the value is too large for "
                    "memcached: %" PRId64, size);
            return LUN_ERROR;
        }

        number = lun_pool_fmt(r->pool, " %.*s %.*s %" PRId64, LUN_S(flags),
                              LUN_S(time), size);

    } else {
        x->body = NULL;
        number = LUN_STR("");

        if ((s->cmd->parts & LUN_MEMC_VALUE) != 0) {
            number = lun_pool_fmt(r->pool, " %.*s",
                                  LUN_S(value_of(r, LUN_MEMC_V_VALUE)->text));

        } else if ((s->cmd->parts & LUN_MEMC_TIME) != 0
                   && ((s->cmd->parts & LUN_MEMC_MAY) == 0
                       || (said != NULL && said->text.len != 0)))
        {
            number = lun_pool_fmt(r->pool, " %.*s", LUN_S(time));
        }
    }

    *head = lun_buf_new_str(r->pool,
                            lun_pool_fmt(r->pool, "%.*s%s%.*s%.*s\r\n",
                                         LUN_S(s->cmd->name), blank,
                                         LUN_S(s->key), LUN_S(number)));
    return LUN_OK;
}


static const lun_upstream_protocol  protocol = {
    .schema      = LUN_STR_INIT("memcached://"),
    .tls_schema  = LUN_STR_INIT("memcached://"),
    .make        = make,
    .reset       = lun_memc_reset,
    .read_header = lun_memc_read_header,
    .read_body   = lun_memc_read_body,
};


static lun_verdict
on_content(lun_session *session)
{
    lun_verdict              v;
    lun_request             *r = lun_request_of(session);
    lun_memc_state          *s;
    const lun_memc_conf     *conf = lun_memc_conf_of(r);
    const lun_memc_command  *cmd;

    if (conf->address == NULL || !lun_http_has_content(r, &lun_http_memc)) {
        return LUN_NEXT;
    }

    cmd = choose_command(r, &v);

    if (cmd == NULL) {
        return v;
    }

    v = check_command(r, cmd);

    if (v != LUN_NEXT) {
        return v;
    }

    /* A body that is stored is read; any other is nobody's. */
    if ((cmd->parts & LUN_MEMC_STORES) == 0
        || value_of(r, LUN_MEMC_V_VALUE) != NULL)
    {
        v = lun_body_discard(r);

        if (v != LUN_LEAVE) {
            return v;
        }
    }

    lun_http_set_type(r);
    s = lun_pool_new(r->pool, lun_memc_state);
    s->cmd = cmd;

    return lun_upreq_ask(r, &conf->up, conf->address, &protocol, s);
}


/* --- the configuration --------------------------------------------------- */

static lun_rc
set_pass(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_memc_conf  *conf = data;

    conf->variables = lun_pool_new_n(cf->pool, unsigned, LUN_MEMC_V_COUNT);

    return lun_var_define_unset(cf, names, LUN_MEMC_V_COUNT, conf->variables)
           == LUN_OK ? lun_upreq_set_pass(cf, &lun_http_memc,
                                          lun_upreq_no_schemes, &conf->address)
           : LUN_ERROR;
}


static lun_rc
set_allowed(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t                   i;
    lun_memc_conf           *conf = data;
    const lun_memc_command  *cmd;

    conf->allowed = 0;

    for (i = 1; i < cf->argc; i++) {
        cmd = find_command(cf->args[i]);

        if (cmd == NULL) {
            return lun_conf_fail(cf, "Unknown memcached command \"%.*s\" used "
                                 "in \"memc_cmds_allowed\"",
                                 LUN_S(cf->args[i]));
        }

        conf->allowed |= 1U << (cmd - lun_memc_commands);
    }

    return LUN_OK;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    lun_memc_conf        *conf = data;
    const lun_memc_conf  *outer = parent;

    conf->up.intercept_404 = true;
    conf->up.pass_request_body = true;

    if (conf->variables == NULL && outer != NULL) {
        conf->variables = outer->variables;
    }

    return lun_upreq_finish_conf(cf, "memc", &conf->up, NULL);
}


enum { ALL = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

static const lun_no_effect  no_fails = { NULL, "max_fails is a server's" };
static const lun_no_effect  no_fail_timeout = { NULL,
    "fail_timeout is a server's" };

static const lun_directive  directives[] = {
    { .name = "memc_pass", .where = LUN_LOCATION | LUN_LOCATION_IF,
      .args = 1, .set = set_pass, LUN_FIELD(lun_memc_conf, address),
      .values = "address",
      .help = "the server that answers" },
    { .name = "memc_cmds_allowed", .where = ALL, .args = 1,
      .args_max = LUN_ARGS_ANY, .repeats = true, .set = set_allowed,
      LUN_FIELD(lun_memc_conf, allowed),
      .values = "command ...",
      .help = "commands that $memc_cmd may name" },
    { .name = "memc_flags_to_last_modified", .where = ALL, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_memc_conf, flags_are_time),
      .fallback = "off",
      .help = "flags of values are seconds of Last-Modified" },
    { .name = "memc_upstream_max_fails", .where = ALL, .args = 1,
      .set = lun_set_no_effect, .data = &no_fails,
      .help = "max_fails of servers; use theirs" },
    { .name = "memc_upstream_fail_timeout", .where = ALL, .args = 1,
      .set = lun_set_no_effect, .data = &no_fail_timeout,
      .help = "fail_timeout of servers; use theirs" },
    { .name = "memc_ignore_client_abort", .where = ALL, .args = 1,
      .set = lun_set_flag, LUN_FIELD(lun_memc_conf, up.ignore_client_abort),
      .fallback = "off",
      .help = "an answer is fetched to its end all the same" },

    LUN_UPSTREAM_CONN_ROWS_OF("memc_", lun_memc_conf, up,
                              lun_upreq_value_tries, "4k"),
    { 0 }
};

lun_http_module  lun_http_memc = {
    .name = "memc",
    .directives = directives,
    .conf_size = sizeof(lun_memc_conf),
    .inherited = inherited,
    .on[LUN_CONTENT] = on_content,
};
