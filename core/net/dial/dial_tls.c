/*
 * dial_tls.c -- who is meant, and whether it was they.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/dial/dial_tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>


enum { NAME = 256 };               /* bytes that a name or an address has */


/* --- who is meant -------------------------------------------------------- */

bool
lun_dial_tls_is_name(lun_str name)
{
    lun_addr  addr;

    return name.len != 0 && name.data[0] != '['
           && lun_addr_parse(name, &addr) != LUN_OK;
}


lun_rc
lun_dial_tls_tell_name(SSL *ssl, const lun_log *log, const char *whose,
    lun_str name)
{
    char  text[NAME];

    lun_debug(log, "%sSSL server name: \"%.*s\"", whose, LUN_S(name));
    ERR_clear_error();

    if (name.len < sizeof(text)) {
        *lun_copy_str(text, name) = '\0';

        if (SSL_set_tlsext_host_name(ssl, text) == 1) {
            return LUN_OK;
        }
    }

    lun_tls_log(LUN_LOG_ERR, log, 0, "SSL_set_tlsext_host_name(\"%.*s\") "
                "failed", LUN_S(name));
    return LUN_ERROR;
}


/* --- whether it was they ------------------------------------------------- */

static bool
has_address(X509 *x509, lun_str name)
{
    char  text[NAME];

    if (lun_str_starts(name, LUN_STR("[")) && lun_str_ends(name, LUN_STR("]")))
    {
        name = lun_str_of(name.data + 1, name.len - 2);
    }

    if (name.len >= sizeof(text)) {
        return false;
    }

    *lun_copy_str(text, name) = '\0';
    return X509_check_ip_asc(x509, text, 0) == 1;
}


bool
lun_dial_tls_matches(const SSL *ssl, lun_str name, bool addresses)
{
    bool   good;
    X509  *x509 = SSL_get0_peer_certificate(ssl);

    if (x509 == NULL || name.len == 0) {
        return false;
    }

    good = addresses && !lun_dial_tls_is_name(name)
           ? has_address(x509, name)
           : X509_check_host(x509, name.data, name.len, 0, NULL) == 1;
    ERR_clear_error();
    return good;
}


bool
lun_dial_tls_is_trusted(const SSL *ssl, const lun_log *log, const char *whose,
    lun_str name, bool addresses)
{
    int64_t  rc = SSL_get_verify_result(ssl);

    if (rc != X509_V_OK) {
        lun_log(LUN_LOG_ERR, log, 0, "%sSSL certificate verify error: "
                "(%" PRId64 ":%s)", whose, rc,
                X509_verify_cert_error_string((int) rc));
        return false;
    }

    if (!lun_dial_tls_matches(ssl, name, addresses)) {
        lun_log(LUN_LOG_ERR, log, 0, "%sSSL certificate does not match "
                "\"%.*s\"", whose, LUN_S(name));
        return false;
    }

    return true;
}
