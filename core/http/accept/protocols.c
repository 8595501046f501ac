/*
 * protocols.c -- the protocols of the http block, and how one is chosen.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/accept/protocols.h"

#include <openssl/ssl.h>

#include "base/check.h"
#include "http/accept/accept.h"
#include "http/conf/core_conf.h"
#include "http/h1/h1.h"
#include "http/h2/h2.h"
#include "http/h3/h3.h"
#include "net/conn_io.h"
#include "net/tls/tls.h"


enum { ALPN = 64 };                /* bytes of a list of names */

/* The best first; the last is for those who do not say. */
static const lun_http_protocol *const  protocols[] = {
    &lun_h2_protocol,
    &lun_h1_protocol
};

enum { LAST = LUN_ARRAY_LEN(protocols) - 1 };

/* Over QUIC, which has no others: both begin by themselves. */
static const lun_http_protocol *const  over_quic[] = {
    &lun_h3_protocol,
    &lun_hq_protocol
};


const lun_http_protocol *
lun_http_default_protocol(void)
{
    return protocols[LAST];
}


static bool
is_enabled(const lun_http_protocol *p, const lun_listen_addr *listen,
    const lun_server *server)
{
    return p->enabled == NULL || p->enabled(listen, server);
}


/* --- TLS ----------------------------------------------------------------- */

static char *
put_names(char *p, const char *end, const lun_http_protocol *protocol)
{
    const lun_str  *name;

    for (name = protocol->names; name->len != 0; name++) {
        LUN_CHECK(p + 1 + name->len <= end);
        *p++ = (char) name->len;
        p = lun_copy_str(p, *name);
    }

    return p;
}


lun_str
lun_http_alpn(const lun_listen_addr *listen, const lun_server *chosen)
{
    size_t                           i, n;
    char                            *p;
    const lun_http_protocol *const  *all;
    static char                      list[ALPN];

    all = listen->quic ? over_quic : protocols;
    n = listen->quic ? LUN_ARRAY_LEN(over_quic) : LUN_ARRAY_LEN(protocols);
    p = list;

    for (i = 0; i < n; i++) {
        if (is_enabled(all[i], listen, chosen)) {
            p = put_names(p, list + ALPN, all[i]);
        }
    }

    return lun_str_of(list, (size_t) (p - list));
}


static bool
has_name(const lun_http_protocol *p, lun_str name)
{
    const lun_str  *own;

    for (own = p->names; own->len != 0; own++) {
        if (lun_str_eq(*own, name)) {
            return true;
        }
    }

    return false;
}


void
lun_http_begin_agreed(lun_conn *c)
{
    size_t                i;
    lun_str               chosen;
    unsigned              len = 0;
    const unsigned char  *name = NULL;

    LUN_CHECK_MARK(c, LUN_MARK_CONN);
    LUN_CHECK(lun_conn_is_secure(c));
    SSL_get0_alpn_selected(lun_tls_of(c), &name, &len);
    chosen = lun_str_of((const char *) name, len);

    for (i = 0; i < LAST && !has_name(protocols[i], chosen); i++) {
        /* the next */
    }

    protocols[i]->begin(c);
}


/* --- without ------------------------------------------------------------- */

/* Nothing has named a server yet: the default says what is spoken. */
static bool
is_plain_enabled(const lun_http_protocol *p, const lun_listen_addr *listen)
{
    return is_enabled(p, listen, lun_server_map_default(listen->servers));
}


/* The protocols that are known by their first bytes are asked for them. */
static void
look_at_first(lun_conn *c)
{
    size_t                  i, n = (size_t) (c->in.last - c->in.pos);
    lun_http_guess          guess;
    const lun_listen_addr  *listen = lun_listen_of(c);

    for (i = 0; i < LAST; i++) {
        if (!is_plain_enabled(protocols[i], listen)) {
            continue;
        }

        guess = protocols[i]->guess(c->in.pos, n);

        if (guess == LUN_HTTP_MAYBE && c->in.last != c->in.end) {
            lun_conn_want(c);
            return;
        }

        if (guess != LUN_HTTP_NO) {
            break;
        }
    }

    protocols[i]->begin(c);
}


static const lun_conn_state  waiting = {
    .name       = "accept waiting",
    .doing      = "waiting for request",
    .on_read    = look_at_first,
    .on_timeout = lun_http_give_up,
    .on_gone    = lun_http_gone_before,
    .on_quit    = lun_http_close_idle,
    .timeout    = LUN_TIMEOUT(lun_core_conf, client_header_timeout),
};


void
lun_http_begin_plain(lun_conn *c)
{
    size_t                  i;
    const lun_listen_addr  *listen = lun_listen_of(c);

    LUN_CHECK_MARK(c, LUN_MARK_CONN);

    for (i = 0; i < LAST && !is_plain_enabled(protocols[i], listen); i++) {
        /* the next */
    }

    if (i == LAST) {
        protocols[LAST]->begin(c);
        return;
    }

    lun_conn_enter(c, &waiting);

    if (c->in.pos < c->in.last) {
        look_at_first(c);

    } else {
        lun_conn_want(c);
    }
}
