/*
 * ssl_preread.c -- what a client of TLS says first, for those who choose by it
 * where the session goes; nothing of it is used up.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"

#include "base/check.h"
#include "format/host.h"
#include "format/tls_hello.h"
#include "stream/conf/core_conf.h"


enum { HANDSHAKE = 0x16, SSL3 = 3 };   /* a record's type, and version */

typedef struct {
    bool  on;
} ssl_preread_conf;

extern lun_module  lun_stream_ssl_preread;


/* --- the hello ----------------------------------------------------------- */

/* Views into buffers that go on to be used become texts of the session. */
static void
keep(lun_session *s, const lun_tls_hello *hello)
{
    lun_tls_hello  *own = lun_pool_new(s->pool, lun_tls_hello);

    own->version = hello->version;
    own->server_name = lun_pool_str(s->pool, hello->server_name);
    own->alpn = lun_pool_str(s->pool, hello->alpn);
    lun_session_set_state(s, &lun_stream_ssl_preread, own);

    lun_debug(s->log, "ssl preread: version 0x%04x, SNI hostname \"%.*s\"",
              own->version, LUN_S(own->server_name));
}


/* Of several servers of the address, the one that is named. */
static void
choose_server(lun_session *s)
{
    char                 *text;
    lun_str               host;
    uint16_t              port;
    const lun_tls_hello  *hello;

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);

    hello = lun_session_state(s, &lun_stream_ssl_preread);
    text = lun_pool_text(s->pool, hello->server_name.len + 1);

    if (hello->server_name.len != 0
        && lun_host_parse(hello->server_name, text, &host, &port) == LUN_OK)
    {
        lun_stream_choose_server(lun_stream_session_of(s), host);
    }
}


/* What does not even begin as TLS has no variables; others' may be empty. */
static bool
is_record(const char *data, size_t len)
{
    return len > 0 && data[0] == HANDSHAKE && (len < 2 || data[1] == SSL3);
}


static lun_verdict
on_preread(lun_session *s)
{
    char                    *room;
    size_t                   len;
    lun_conn                *c = s->conn;
    lun_tls_hello            hello;
    lun_tls_hello_verdict    rc;
    const ssl_preread_conf  *conf;

    LUN_CHECK_MARK(s, LUN_MARK_SESSION);

    conf = lun_session_conf(s, &lun_stream_ssl_preread);

    if (!conf->on) {
        return LUN_NEXT;
    }

    /* There may be more than may be looked at: room for a PROXY header. */
    len = lun_min((size_t) (c->in.last - c->in.pos),
                  lun_stream_core_of(lun_stream_session_of(s))
                      ->preread_buffer_size);
    room = lun_malloc(len + 1);
    rc = lun_tls_hello_parse(c->in.pos, len, room, &hello);

    if (rc != LUN_TLS_HELLO_MORE) {
        keep(s, &hello);

    } else if (lun_session_state(s, &lun_stream_ssl_preread) == NULL) {
        lun_session_set_state(s, &lun_stream_ssl_preread,
                              lun_pool_new(s->pool, lun_tls_hello));
    }

    lun_free(room);

    switch (rc) {

    case LUN_TLS_HELLO_MORE:
        return lun_stream_more(lun_stream_session_of(s));

    case LUN_TLS_HELLO_NONE:
        if (!is_record(c->in.pos, len)) {
            lun_session_set_state(s, &lun_stream_ssl_preread, NULL);
        }

        lun_debug(s->log, "ssl preread: not a client hello");
        return LUN_NEXT;

    case LUN_TLS_HELLO_DONE:
        choose_server(s);
        break;
    }

    return LUN_LEAVE;
}


/* --- variables ----------------------------------------------------------- */

static const lun_tls_hello *
hello_of(const lun_session *s)
{
    return lun_session_state(s, &lun_stream_ssl_preread);
}


static void
get_protocol(lun_session *s, lun_value *v, uintptr_t data)
{
    size_t                i;
    const lun_tls_hello  *hello = hello_of(s);

    static const struct {
        uint16_t  version;
        lun_str   name;
    } all[] = {
        { 0x0002, LUN_STR_INIT("SSLv2") },
        { 0x0300, LUN_STR_INIT("SSLv3") },
        { 0x0301, LUN_STR_INIT("TLSv1") },
        { 0x0302, LUN_STR_INIT("TLSv1.1") },
        { 0x0303, LUN_STR_INIT("TLSv1.2") },
        { 0x0304, LUN_STR_INIT("TLSv1.3") }
    };

    v->not_found = hello == NULL;
    v->text = LUN_STR("");

    for (i = 0; hello != NULL && i < LUN_ARRAY_LEN(all); i++) {
        if (all[i].version == hello->version) {
            v->text = all[i].name;
        }
    }
}


static void
get_server_name(lun_session *s, lun_value *v, uintptr_t data)
{
    const lun_tls_hello  *hello = hello_of(s);

    v->not_found = hello == NULL;

    if (hello != NULL) {
        v->text = hello->server_name;
    }
}


/* "h2,http/1.1": a comma stands where a length stood. */
static void
get_alpn_protocols(lun_session *s, lun_value *v, uintptr_t data)
{
    char                 *text;
    size_t                at, next;
    lun_str               list;
    const lun_tls_hello  *hello = hello_of(s);

    v->not_found = hello == NULL;
    v->text = LUN_STR("");

    if (hello == NULL || hello->alpn.len == 0) {
        return;
    }

    list = hello->alpn;
    text = lun_pool_text(s->pool, list.len);
    (void) lun_copy_str(text, list);

    for (at = 0; at < list.len; at = next) {
        next = at + 1 + (unsigned char) list.data[at];
        text[at] = ',';
    }

    v->text = lun_str_of(text + 1, list.len - 1);
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("ssl_preread_protocol"), .get = get_protocol,
      .help = "the highest version of TLS that the client takes" },
    { .name = LUN_STR_INIT("ssl_preread_server_name"),
      .get = get_server_name,
      .help = "the name in the client's first message" },
    { .name = LUN_STR_INIT("ssl_preread_alpn_protocols"),
      .get = get_alpn_protocols,
      .help = "the protocols in the client's first message" },
    { .name = LUN_STR_NULL }
};


/* --- the module ---------------------------------------------------------- */

static const lun_directive  directives[] = {
    { .name = "ssl_preread", .where = LUN_STREAM_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(ssl_preread_conf, on),
      .fallback = "off",
      .help = "reads the name from a handshake without ending it" },
    { 0 }
};

lun_module  lun_stream_ssl_preread = {
    .name = "ssl_preread",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(ssl_preread_conf),
    .variables = variables,
    .on[LUN_STREAM_PREREAD] = on_preread,
};
