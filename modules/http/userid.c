/*
 * userid.c -- a cookie by which a client is known again.
 *
 *     userid         on;
 *     userid_name    uid;
 *     userid_domain  example.com;
 *     userid_expires 365d;
 *
 * It is 16 bytes in base64: a service's number or the server's address, when
 * it was made, by which process, and a number in turn.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/digest.h"
#include "format/cookie.h"
#include "os/clock.h"
#include "os/proc.h"
#include "os/random.h"


enum {
    WORDS   = 4,
    BYTES   = 16,
    LETTERS = 22,                  /* of base64, without "==" */
    FIRST   = 0x03030302,          /* of the numbers in turn */
    MAX     = -1                   /* userid_expires max */
};

typedef enum { OFF, LOG, V1, V2 } userid_mode;

enum { SECURE = 1, HTTPONLY = 2, STRICT = 4, LAX = 8, NONE = 16 };

typedef struct {
    int       mode;
    lun_str   name;
    lun_str   domain;
    lun_str   path;
    lun_str   p3p;
    int64_t   service;             /* -1: none */
    int64_t   expires;             /* seconds; 0: with the browser's session */
    char      mark;                /* '\0': none */
    uint32_t  flags;
} userid_conf;

typedef struct {
    lun_str   cookie;
    lun_str   line;                /* the header that has it */
    uint32_t  got[WORDS];
    uint32_t  set[WORDS];
    bool      has_got;
    bool      has_set;
    bool      judged;              /* whether one has to be set */
} userid_state;

extern lun_http_module  lun_http_userid;

static uint32_t  next_number = FIRST;


/* --- the one that came --------------------------------------------------- */

static lun_str
find_cookie(const lun_request *r, lun_str name, lun_str *line)
{
    lun_str            value;
    const lun_header  *h = r->in.known[LUN_HIN_COOKIE];

    for ( ; h != NULL; h = h->same) {
        if (lun_cookie_find(h->value, name, &value)) {
            *line = h->value;
            return value;
        }
    }

    return LUN_STR_NULL;
}


static void
read_cookie(lun_request *r, userid_state *s)
{
    char    bytes[LETTERS / 4 * 3 + 3];
    size_t  len;

    if (s->cookie.data == NULL) {
        return;
    }

    if (s->cookie.len < LETTERS) {
        lun_log(LUN_LOG_ERR, r->log, 0, "client sent too short userid cookie "
                "\"%.*s\"", LUN_S(s->line));
        return;
    }

    if (lun_base64_decode(bytes, &len, lun_str_of(s->cookie.data, LETTERS),
                          false, false) != LUN_OK || len != BYTES)
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "client sent invalid userid cookie "
                "\"%.*s\"", LUN_S(s->line));
        return;
    }

    memcpy(s->got, bytes, BYTES);
    s->has_got = true;
}


static userid_state *
state_of(lun_request *r, const userid_conf *conf)
{
    userid_state  *s = lun_http_state(r, &lun_http_userid);

    if (s == NULL) {
        s = lun_pool_new(r->pool, userid_state);
        s->cookie = find_cookie(r, conf->name, &s->line);
        read_cookie(r, s);
        lun_http_set_state(r, &lun_http_userid, s);
    }

    return s;
}


/* --- the one that goes --------------------------------------------------- */

/* A number in network order, whatever the machine's. */
static uint32_t
network(uint32_t n)
{
    const uint8_t  bytes[] = {
        (uint8_t) (n >> 24), (uint8_t) (n >> 16), (uint8_t) (n >> 8),
        (uint8_t) n
    };

    memcpy(&n, bytes, sizeof(n));
    return n;
}


static uint32_t
server_word(lun_request *r)
{
    uint32_t         word = 0;
    const lun_addr  *addr = lun_conn_local(r->conn);

    if (addr->family == LUN_AF_INET || addr->family == LUN_AF_INET6) {
        memcpy(&word, addr->ip + (addr->family == LUN_AF_INET ? 0 : 12), 4);
    }

    return word;
}


static void
make(lun_request *r, const userid_conf *conf, uint32_t words[WORDS])
{
    static uint32_t  start;

    if (start == 0) {
        lun_random_bytes(&start, sizeof(start));
        start = start << 16 | ((uint32_t) lun_proc_pid() & 0xffff) | 1 << 16;
    }

    words[0] = conf->service >= 0 ? (uint32_t) conf->service : 0;
    words[1] = (uint32_t) lun_clock.sec;
    words[2] = start;
    words[3] = next_number;

    if (conf->mode == V2) {
        words[0] = conf->service >= 0 ? network(words[0]) : server_word(r);
        words[1] = network(words[1]);
        words[2] = network(words[2]);
        words[3] = network(words[3]);
    }

    next_number = next_number > UINT32_MAX - 0x100 ? FIRST
                                                   : next_number + 0x100;
}


static bool
is_marked(const userid_conf *conf, lun_str cookie)
{
    return conf->mark == '\0'
           || (cookie.len > LETTERS + 1 && cookie.data[LETTERS] == conf->mark
               && cookie.data[LETTERS + 1] == '=');
}


static lun_str
text_of(lun_request *r, lun_str name, const uint32_t w[WORDS])
{
    return lun_pool_fmt(r->pool, "%.*s=%08X%08X%08X%08X", LUN_S(name), w[0],
                        w[1], w[2], w[3]);
}


/* $uid_reset may say that the one that came no longer counts. */
static bool
is_reset(lun_request *r, const userid_conf *conf, const userid_state *s)
{
    const lun_value  *v = lun_var_get_named(&r->session, LUN_STR("uid_reset"));

    if (v == NULL || v->not_found || !lun_script_true(v->text)) {
        return false;
    }

    if (lun_str_eq(v->text, LUN_STR("log")) && s->has_got) {
        lun_log(LUN_LOG_NOTICE, r->log, 0, "userid cookie \"%.*s\" was reset",
                LUN_S(text_of(r, conf->name, s->got)));
    }

    return true;
}


static void
check(lun_request *r, const userid_conf *conf, userid_state *s)
{
    if (s->judged || conf->mode < V1) {
        return;
    }

    s->judged = true;

    if (!s->has_got || is_reset(r, conf, s)) {
        make(r, conf, s->set);
        s->has_set = true;

    } else if (!is_marked(conf, s->cookie)) {
        memcpy(s->set, s->got, sizeof(s->set));
        s->has_set = true;
    }
}


static lun_str
expires_of(lun_request *r, const userid_conf *conf)
{
    char  room[LUN_COOKIE_DATE], *end;

    if (conf->expires == 0) {
        return LUN_STR("");
    }

    if (conf->expires == MAX) {
        return LUN_STR("; expires=Thu, 31-Dec-37 23:55:55 GMT");
    }

    end = lun_cookie_date_put(room, lun_clock.sec + conf->expires);
    return lun_pool_fmt(r->pool, "; expires=%.*s", (int) (end - room), room);
}


static lun_str
flags_of(lun_request *r, uint32_t flags)
{
    return lun_pool_fmt(r->pool, "%s%s%s%s%s",
                        flags & SECURE ? "; secure" : "",
                        flags & HTTPONLY ? "; httponly" : "",
                        flags & STRICT ? "; samesite=strict" : "",
                        flags & LAX ? "; samesite=lax" : "",
                        flags & NONE ? "; samesite=none" : "");
}


static void
set_cookie(lun_request *r, const userid_conf *conf, const uint32_t w[WORDS])
{
    char     code[24 + 1];
    bool     domain = conf->domain.len != 0;
    lun_str  expires = expires_of(r, conf), flags = flags_of(r, conf->flags);

    *lun_base64_encode(code, lun_str_of((const char *) w, BYTES), false, true)
        = '\0';

    if (conf->mark != '\0') {
        code[LETTERS] = conf->mark;
    }

    lun_http_add_out(r, LUN_STR("Set-Cookie"),
                     lun_pool_fmt(r->pool, "%.*s=%s%.*s%s%.*s; path=%.*s%.*s",
                                  LUN_S(conf->name), code, LUN_S(expires),
                                  domain ? "; domain=" : "",
                                  LUN_S(conf->domain), LUN_S(conf->path),
                                  LUN_S(flags)));

    if (conf->p3p.len != 0) {
        lun_http_add_out(r, LUN_STR("P3P"), conf->p3p);
    }
}


static lun_rc
header_filter(lun_request *r)
{
    userid_state       *s;
    const userid_conf  *conf = lun_http_conf(r, &lun_http_userid);

    if (r->parent == NULL && conf->mode >= V1) {
        s = state_of(r, conf);
        check(r, conf, s);

        if (s->has_set) {
            set_cookie(r, conf, s->set);
        }
    }

    return lun_http_next_header(r, &lun_http_userid);
}


/* --- variables ----------------------------------------------------------- */

static void
get_got(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request        *r = lun_request_of(s);
    userid_state       *state;
    const userid_conf  *conf = lun_http_conf(r->main, &lun_http_userid);

    v->not_found = 1;

    if (conf->mode == OFF) {
        return;
    }

    state = state_of(r->main, conf);

    if (state->has_got) {
        v->not_found = 0;
        v->text = text_of(r, conf->name, state->got);
    }
}


static void
get_set(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request        *r = lun_request_of(s);
    userid_state       *state;
    const userid_conf  *conf = lun_http_conf(r->main, &lun_http_userid);

    v->not_found = 1;

    if (conf->mode < V1) {
        return;
    }

    state = state_of(r->main, conf);
    check(r->main, conf, state);

    if (state->has_set) {
        v->not_found = 0;
        v->text = text_of(r, conf->name, state->set);
    }
}


/* It is for others to set. */
static void
get_reset(lun_session *s, lun_value *v, uintptr_t data)
{
    v->not_found = 1;
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("uid_got"), .get = get_got,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "the name and number in the cookie that came" },
    { .name = LUN_STR_INIT("uid_set"), .get = get_set,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "the name and number in the cookie that is sent" },
    { .name = LUN_STR_INIT("uid_reset"), .get = get_reset,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_WRITTEN,
      .help = "anything but empty: send a new cookie" },
    { .name = LUN_STR_NULL }
};


/* --- reading ------------------------------------------------------------- */

static lun_rc
set_expires(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str       text = cf->args[1];
    userid_conf  *conf = data;

    if (lun_str_eq(text, LUN_STR("max"))) {
        conf->expires = MAX;

    } else if (lun_str_eq(text, LUN_STR("off"))) {
        conf->expires = 0;

    } else if (lun_str_to_sec(text, &conf->expires) != LUN_OK) {
        return lun_conf_bad_value(cf);
    }

    return LUN_OK;
}


/* "none" is nothing. */
static lun_rc
set_text(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str  text = cf->args[1];

    *(lun_str *) (void *) ((char *) data + d->field) =
        lun_str_eq(text, LUN_STR("none")) ? LUN_STR("") : text;
    return LUN_OK;
}


static lun_rc
set_mark(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str       text = cf->args[1];
    userid_conf  *conf = data;

    if (lun_str_eq(text, LUN_STR("off"))) {
        conf->mark = '\0';
        return LUN_OK;
    }

    if (text.len != 1
        || !(lun_is_digit(text.data[0]) || text.data[0] == '='
             || (lun_lower(text.data[0]) >= 'a'
                 && lun_lower(text.data[0]) <= 'z')))
    {
        return lun_conf_fail(cf, "\"%.*s\" directive value must be \"off\" or "
                             "a single letter, digit or \"=\"",
                             LUN_S(cf->args[0]));
    }

    conf->mark = text.data[0];
    return LUN_OK;
}


static lun_rc
set_service(lun_conf *cf, const lun_directive *d, void *data)
{
    uint64_t      n;
    userid_conf  *conf = data;

    if (lun_str_eq(cf->args[1], LUN_STR("none"))) {
        conf->service = -1;
        return LUN_OK;
    }

    if (lun_str_to_u64(cf->args[1], &n) != LUN_OK || n > UINT32_MAX) {
        return lun_conf_fail(cf, "\"%s\" directive invalid number", d->name);
    }

    conf->service = (int64_t) n;
    return LUN_OK;
}


static const lun_enum  modes[] = {
    { "off", OFF }, { "log", LOG }, { "v1", V1 }, { "on", V2 }, { NULL, 0 }
};

static const lun_enum  flags[] = {
    { "off", 0 }, { "secure", SECURE }, { "httponly", HTTPONLY },
    { "samesite=strict", STRICT }, { "samesite=lax", LAX },
    { "samesite=none", NONE }, { NULL, 0 }
};

static const lun_directive  directives[] = {
    { .name = "userid", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_enum, .data = modes, LUN_FIELD(userid_conf, mode),
      .fallback = "off",
      .help = "marks clients by a cookie" },
    { .name = "userid_service", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_service, LUN_FIELD(userid_conf, service),
      .fallback = "none",
      .values = "number | address",
      .help = "the number of this server in it" },
    { .name = "userid_name", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_str, LUN_FIELD(userid_conf, name), .fallback = "uid",
      .values = "name",
      .help = "its name" },
    { .name = "userid_domain", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_text, LUN_FIELD(userid_conf, domain), .fallback = "none",
      .values = "name | none",
      .help = "its domain" },
    { .name = "userid_path", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_str, LUN_FIELD(userid_conf, path), .fallback = "/",
      .values = "path",
      .help = "its path" },
    { .name = "userid_expires", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_expires, LUN_FIELD(userid_conf, expires),
      .fallback = "off",
      .values = "time | max | off",
      .help = "how long it holds" },
    { .name = "userid_p3p", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_text, LUN_FIELD(userid_conf, p3p), .fallback = "none",
      .values = "string | none",
      .help = "the P3P header that goes with it" },
    { .name = "userid_mark", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_mark, LUN_FIELD(userid_conf, mark), .fallback = "off",
      .values = "letter | digit | = | off",
      .help = "a letter that tells it apart" },
    { .name = "userid_flags", .where = LUN_HTTP_LEVELS, .args = 1,
      .args_max = 3, .repeats = true,
      .set = lun_set_bits, .data = flags,
      LUN_FIELD(userid_conf, flags), .fallback = "off",
      .help = "its flags" },
    { 0 }
};

lun_http_module  lun_http_userid = {
    .name = "userid",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(userid_conf),
    .variables = variables,
    .header_filter = header_filter,
};
