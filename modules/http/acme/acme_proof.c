/*
 * acme_proof.c -- tls-alpn-01: a handshake that shows a certificate with the
 * answer to a challenge in it (RFC 8737), on any listener of TLS.  Handshakes
 * that wait are acme_wait.c's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_priv.h"

#include <openssl/ssl.h>

#include "format/addr.h"
#include "net/tls/cert_maker.h"
#include "os/clock.h"


enum { DIGEST = 32, LIFE = 3600, SNI = 256 };


/* The name by which an authority asks for an address (RFC 8738, 6). */
lun_str
lun_acme_proof_name(lun_pool *pool, lun_str name)
{
    int       i;
    char     *p, *room;
    lun_addr  addr;

    if (lun_addr_parse(name, &addr) != LUN_OK) {
        return name;
    }

    p = room = lun_pool_text(pool, SNI);

    if (addr.family == LUN_AF_INET) {
        p = lun_fmt(p, room + SNI, "%d.%d.%d.%d.in-addr.arpa", addr.ip[3],
                    addr.ip[2], addr.ip[1], addr.ip[0]);
    } else {
        for (i = 15; i >= 0; i--) {
            p = lun_fmt(p, room + SNI, "%x.%x.", addr.ip[i] & 15,
                        addr.ip[i] >> 4);
        }

        p = lun_fmt(p, room + SNI, "ip6.arpa");
    }

    return lun_str_of(room, (size_t) (p - room));
}


static bool
show(SSL *ssl, lun_str name, lun_str authorization)
{
    bool            done;
    X509           *cert;
    EVP_PKEY       *key = lun_key_make((lun_key_kind) { .bits = 256 });
    unsigned char   digest[DIGEST];
    lun_cert_wish   wish = {
        .names = &name, .count = 1,
        .from = lun_clock.sec - LIFE, .until = lun_clock.sec + LIFE,
        .challenge = { DIGEST, (const char *) digest }
    };

    done = key != NULL
           && EVP_Q_digest(NULL, "SHA256", NULL, authorization.data,
                           authorization.len, digest, NULL) == 1;
    cert = done ? lun_cert_make(&wish, key, NULL, NULL) : NULL;
    done = cert != NULL && SSL_use_certificate(ssl, cert) == 1
           && SSL_use_PrivateKey(ssl, key) == 1;
    X509_free(cert);
    EVP_PKEY_free(key);

    return done;
}


static bool
prove(const lun_engine *e, SSL *ssl, lun_str host)
{
    bool             done = false;
    lun_str          text, name;
    lun_pool        *pool;
    const char      *space;
    const lun_acme  *a = lun_module_data(e, &lun_http_acme.head);

    if (a == NULL || a->zone == NULL || host.len == 0 || host.len > SNI) {
        return false;
    }

    pool = lun_pool_new_sized(2048);
    text = lun_acme_zone_text(a->zone, "name", host, pool);
    space = lun_str_chr(text, ' ');

    if (space != NULL) {
        name = lun_str_of(text.data, (size_t) (space - text.data));
        done = show(ssl, name, lun_str_of(space + 1,
                                          text.len - name.len - 1));
    }

    lun_pool_free(pool);
    return done;
}


const lun_handshake_proof  lun_acme_proof = {
    .protocol = LUN_STR_INIT("acme-tls/1"),
    .prove = prove,
    .is_coming = lun_acme_is_coming,
    .wait = lun_acme_wait
};
