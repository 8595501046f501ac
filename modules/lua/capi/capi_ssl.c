/*
 * capi_ssl.c -- ngx.ssl and its kin, as lua-resty-core declares them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi_ssl.h"

#include <limits.h>
#include <openssl/ssl.h>

#include "modules/lua/ssl/ffi_ssl.h"
#include "modules/lua/run/vm.h"
#include "modules/lua/ssl/proxy_handshake.h"


/* --- certificates and keys --- */

enum { DER, PEM };

void *
ngx_http_lua_ffi_parse_pem_cert(const char *pem, size_t pem_len,
    const char **err)
{
    return lun_ffi_ssl_parse_cert(pem, pem_len, PEM, err);
}


void *
ngx_http_lua_ffi_parse_der_cert(const char *data, size_t len,
    const char **err)
{
    return lun_ffi_ssl_parse_cert(data, len, DER, err);
}


void *
ngx_http_lua_ffi_parse_pem_priv_key(const char *pem, size_t pem_len,
    const char **err)
{
    return lun_ffi_ssl_parse_key(pem, pem_len, PEM, NULL, err);
}


void *
ngx_http_lua_ffi_parse_der_priv_key(const char *data, size_t len,
    const char **err)
{
    return lun_ffi_ssl_parse_key(data, len, DER, NULL, err);
}


void
ngx_http_lua_ffi_free_cert(void *cdata)
{
    lun_ffi_ssl_free_cert(cdata);
}


void
ngx_http_lua_ffi_free_priv_key(void *cdata)
{
    lun_ffi_ssl_free_key(cdata);
}


/* The caller's room is as long as the PEM, which is longer than its DER. */
static int
give_der(int rc, lun_str *made, size_t room, char *der, const char **err)
{
    int  len;

    if (rc != LUN_FFI_OK) {
        return LUN_CAPI_ERROR;
    }

    if (made->len > room) {
        lun_ffi_ssl_free_der(made);
        *err = "no memory";
        return LUN_CAPI_ERROR;
    }

    memcpy(der, made->data, made->len);
    len = (int) made->len;
    lun_ffi_ssl_free_der(made);

    return len;
}


int
ngx_http_lua_ffi_cert_pem_to_der(const char *pem, size_t pem_len, char *der,
    const char **err)
{
    lun_str  made;

    return give_der(lun_ffi_ssl_cert_to_der(pem, pem_len, &made, err), &made,
                    pem_len, der, err);
}


int
ngx_http_lua_ffi_priv_key_pem_to_der(const char *pem, size_t pem_len,
    const char *passphrase, char *der, const char **err)
{
    lun_str  made;

    return give_der(lun_ffi_ssl_key_to_der(pem, pem_len, passphrase, &made,
                                           err), &made, pem_len, der, err);
}


int
ngx_http_lua_ffi_ssl_clear_certs(void *r, const char **err)
{
    return lun_ffi_ssl_clear_certs(err);
}


int
ngx_http_lua_ffi_set_cert(void *r, void *cdata, const char **err)
{
    return lun_ffi_ssl_set_cert(cdata, err);
}


int
ngx_http_lua_ffi_set_priv_key(void *r, void *cdata, const char **err)
{
    return lun_ffi_ssl_set_key(cdata, err);
}


typedef int use_fn(void *made, const char **err);

static int
use_der_cert(const char *data, size_t len, use_fn *use, const char **err)
{
    int    rc;
    void  *chain = lun_ffi_ssl_parse_cert(data, len, DER, err);

    if (chain == NULL) {
        return LUN_CAPI_ERROR;
    }

    rc = use(chain, err);
    lun_ffi_ssl_free_cert(chain);
    return rc;
}


static int
use_der_key(const char *data, size_t len, use_fn *use, const char **err)
{
    int    rc;
    void  *key = lun_ffi_ssl_parse_key(data, len, DER, NULL, err);

    if (key == NULL) {
        return LUN_CAPI_ERROR;
    }

    rc = use(key, err);
    lun_ffi_ssl_free_key(key);
    return rc;
}


int
ngx_http_lua_ffi_ssl_set_der_certificate(void *r, const char *data,
    size_t len, const char **err)
{
    return use_der_cert(data, len, lun_ffi_ssl_set_cert, err);
}


int
ngx_http_lua_ffi_ssl_set_der_private_key(void *r, const char *data,
    size_t len, const char **err)
{
    return use_der_key(data, len, lun_ffi_ssl_set_key, err);
}


/*
 * Old ones have no `trusted_certs`: (certificates, depth, err).  As in
 * capi_balancer.c, what was not passed is not touched.
 */
static int
verify_client(void *certs, void *third, intptr_t fourth, va_list more)
{
    if (lun_capi_is_short(LUN_GROWN_VERIFY)) {
        return lun_ffi_ssl_verify_client(certs, NULL,
                                         (int) (intptr_t) third,
                                         (const char **) fourth);
    }

    return lun_ffi_ssl_verify_client(certs, third, (int) fourth,
                                     va_arg(more, const char **));
}


int
ngx_http_lua_ffi_ssl_verify_client(void *r, void *certs, void *third,
    intptr_t fourth, ...)
{
    int      rc;
    va_list  more;

    va_start(more, fourth);
    rc = verify_client(certs, third, fourth, more);
    va_end(more);
    return rc;
}


int
ngx_stream_lua_ffi_ssl_verify_client(void *r, void *certs, void *third,
    intptr_t fourth, ...)
{
    int      rc;
    va_list  more;

    va_start(more, fourth);
    rc = verify_client(certs, third, fourth, more);
    va_end(more);
    return rc;
}


/* --- the connection --- */

/* (r, const char **err), or no `err`. */
static void *
req_ssl_pointer(va_list more)
{
    void         *ssl = lun_ffi_ssl_pointer();
    const char  **err;

    if (ssl == NULL && !lun_capi_is_short(LUN_GROWN_POINTER)) {
        err = va_arg(more, const char **);
        *err = "bad request";
    }

    return ssl;
}


void *
ngx_http_lua_ffi_get_req_ssl_pointer(void *r, ...)
{
    void     *ssl;
    va_list   more;

    va_start(more, r);
    ssl = req_ssl_pointer(more);
    va_end(more);
    return ssl;
}


void *
ngx_stream_lua_ffi_get_req_ssl_pointer(void *r, ...)
{
    void     *ssl;
    va_list   more;

    va_start(more, r);
    ssl = req_ssl_pointer(more);
    va_end(more);
    return ssl;
}


void *
ngx_http_lua_ffi_get_upstream_ssl_pointer(void *r, const char **err)
{
    return lun_ffi_proxy_ssl_pointer(err);
}


/*
 * *nciphers: the room, and then how many there are.  Old ones have no
 * `filter_grease`: `fourth` is `err`.  RFC 8701's ids are never among those
 * that both sides have, whether they were to be left out or not.
 */
static int
shared_ciphers(unsigned short *ciphers, unsigned short *nciphers,
    intptr_t fourth, va_list more)
{
    int           n;
    const char  **err;

    err = lun_capi_is_short(LUN_GROWN_CIPHERS)
          ? (const char **) fourth : va_arg(more, const char **);
    n = lun_ffi_ssl_shared_ciphers(ciphers, *nciphers, err);

    if (n < 0) {
        return LUN_CAPI_ERROR;
    }

    *nciphers = (unsigned short) n;
    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_req_shared_ssl_ciphers(void *r, unsigned short *ciphers,
    unsigned short *nciphers, intptr_t fourth, ...)
{
    int      rc;
    va_list  more;

    va_start(more, fourth);
    rc = shared_ciphers(ciphers, nciphers, fourth, more);
    va_end(more);
    return rc;
}


int
ngx_stream_lua_ffi_req_shared_ssl_ciphers(void *r, unsigned short *ciphers,
    unsigned short *nciphers, intptr_t fourth, ...)
{
    int      rc;
    va_list  more;

    va_start(more, fourth);
    rc = shared_ciphers(ciphers, nciphers, fourth, more);
    va_end(more);
    return rc;
}


int
ngx_http_lua_ffi_ssl_get_tls1_version(void *r, const char **err)
{
    return lun_ffi_ssl_version(err);
}


static int
give_text(int rc, lun_str text, const char **data, size_t *len)
{
    if (rc == LUN_FFI_OK) {
        *data = text.data;
        *len = text.len;
    }

    return rc;
}


int
ngx_http_lua_ffi_ssl_server_name(void *r, const char **name, size_t *namelen,
    const char **err)
{
    lun_str  text = LUN_STR_NULL;
    int      rc = lun_ffi_ssl_server_name(&text, err);

    return give_text(rc, text, name, namelen);
}


int
ngx_http_lua_ffi_ssl_server_port(void *r, unsigned short *server_port,
    const char **err)
{
    int  port = lun_ffi_ssl_server_port(err);

    if (port < 0) {
        return LUN_CAPI_ERROR;
    }

    *server_port = (unsigned short) port;
    return LUN_CAPI_OK;
}


static int
give_address(int server, const char **addr, size_t *addrlen, int *addrtype,
    const char **err)
{
    lun_str  text = LUN_STR_NULL;
    int      kind = lun_ffi_ssl_addr(server, &text, err);

    if (kind < 0) {
        return LUN_CAPI_ERROR;
    }

    *addrtype = kind;
    return give_text(LUN_FFI_OK, text, addr, addrlen);
}


int
ngx_http_lua_ffi_ssl_raw_server_addr(void *r, const char **addr,
    size_t *addrlen, int *addrtype, const char **err)
{
    return give_address(1, addr, addrlen, addrtype, err);
}


int
ngx_http_lua_ffi_ssl_raw_client_addr(void *r, const char **addr,
    size_t *addrlen, int *addrtype, const char **err)
{
    return give_address(0, addr, addrlen, addrtype, err);
}


/* *outlen is the room; with none it becomes the size of all of it. */
static int
give_bytes(int size, size_t *outlen)
{
    if (size < 0) {
        return LUN_CAPI_ERROR;
    }

    *outlen = (size_t) size;
    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_ssl_client_random(void *r, unsigned char *out,
    size_t *outlen, const char **err)
{
    return give_bytes(lun_ffi_ssl_client_random(out, *outlen, err), outlen);
}


int
ngx_http_lua_ffi_ssl_server_random(void *r, unsigned char *out,
    size_t *outlen, const char **err)
{
    return give_bytes(lun_ffi_ssl_server_random(out, *outlen, err), outlen);
}


int
ngx_http_lua_ffi_ssl_session_master_key(void *r, unsigned char *out,
    size_t *outlen, const char **err)
{
    return give_bytes(lun_ffi_ssl_master_key(out, *outlen, err), outlen);
}


int
ngx_http_lua_ffi_ssl_export_keying_material(void *r, unsigned char *out,
    size_t out_size, const char *label, size_t llen, const char *ctx,
    size_t ctxlen, int use_ctx, const char **err)
{
    return lun_ffi_ssl_export(out, out_size, label, llen,
                              use_ctx ? ctx : NULL, ctxlen, err);
}


int
ngx_http_lua_ffi_ssl_export_keying_material_early(void *r,
    unsigned char *out, size_t out_size, const char *label, size_t llen,
    const char *ctx, size_t ctxlen, const char **err)
{
    return lun_ffi_ssl_export_early(out, out_size, label, llen, ctx, ctxlen,
                                    err);
}


/* --- the client's hello --- */

int
ngx_http_lua_ffi_ssl_get_client_hello_server_name(void *r, const char **name,
    size_t *namelen, const char **err)
{
    lun_str  text = LUN_STR_NULL;
    int      rc = lun_ffi_hello_name(&text, err);

    return give_text(rc, text, name, namelen);
}


int
ngx_http_lua_ffi_ssl_get_client_hello_ext(void *r, unsigned type,
    const char **out, size_t *outlen, const char **err)
{
    lun_str  text = LUN_STR_NULL;
    int      rc = lun_ffi_hello_ext(type, &text, err);

    return give_text(rc, text, out, outlen);
}


enum { EXTENSIONS_MOST = 256 };

/* They live as long as the handshake's context. */
int
ngx_http_lua_ffi_ssl_get_client_hello_ext_present(void *r, int **extensions,
    size_t *extensions_len, const char **err)
{
    int  n;

    if (lun_lua_now.ctx == NULL) {
        *err = "bad request";
        return LUN_CAPI_ERROR;
    }

    *extensions = lun_pool_new_n(lun_lua_now.ctx->pool, int, EXTENSIONS_MOST);
    n = lun_ffi_hello_exts(*extensions, EXTENSIONS_MOST, err);
    *extensions_len = (size_t) lun_max(lun_min(n, EXTENSIONS_MOST), 0);

    return n < 0 ? LUN_CAPI_ERROR : n == 0 ? LUN_CAPI_DECLINED : LUN_CAPI_OK;
}


/* How many there are room for: those of RFC 8701 are passed over. */
int
ngx_http_lua_ffi_ssl_get_client_hello_ciphers(void *r,
    unsigned short *ciphers, size_t ciphers_len, const char **err)
{
    int                   rc;
    size_t                i, n = 0;
    lun_str               text = LUN_STR_NULL;
    const unsigned char  *p;

    rc = lun_ffi_hello_ciphers(&text, err);

    if (rc != LUN_FFI_OK) {
        return rc;
    }

    p = (const unsigned char *) text.data;

    for (i = 0; i + 1 < text.len && n < ciphers_len; i += 2) {
        if (p[i] != p[i + 1] || p[i] % 16 != 10) {
            ciphers[n++] = (unsigned short) (p[i] << 8 | p[i + 1]);
        }
    }

    return (int) n;
}


/* nginx's bits of protocols are ours, one to the left. */
int
ngx_http_lua_ffi_ssl_set_protocols(void *r, int protocols, const char **err)
{
    return lun_ffi_hello_set_protocols((unsigned) protocols >> 1, err);
}


/* --- sessions --- */

int
ngx_http_lua_ffi_ssl_get_session_id_size(void *r, const char **err)
{
    char  room[LUN_FFI_SESSION_ID + 1];

    return lun_ffi_session_id(room, err);
}


int
ngx_http_lua_ffi_ssl_get_session_id(void *r, char *buf, const char **err)
{
    return lun_ffi_session_id(buf, err) >= 0 ? LUN_CAPI_OK : LUN_CAPI_ERROR;
}


int
ngx_http_lua_ffi_ssl_get_serialized_session_size(void *r, const char **err)
{
    int      len;
    lun_str  der;

    if (lun_ffi_session_get(&der, err) != LUN_FFI_OK) {
        return LUN_CAPI_ERROR;
    }

    len = (int) der.len;
    lun_ffi_ssl_free_der(&der);
    return len;
}


int
ngx_http_lua_ffi_ssl_get_serialized_session(void *r, char *buf,
    const char **err)
{
    lun_str  der;

    if (lun_ffi_session_get(&der, err) != LUN_FFI_OK) {
        return LUN_CAPI_ERROR;
    }

    memcpy(buf, der.data, der.len);
    lun_ffi_ssl_free_der(&der);
    return LUN_CAPI_OK;
}


int
ngx_http_lua_ffi_ssl_set_serialized_session(void *r, const char *buf, int len,
    const char **err)
{
    if (len < 0) {
        *err = "failed to de-serialize session";
        return LUN_CAPI_ERROR;
    }

    return lun_ffi_session_set(buf, (size_t) len, err);
}


void
ngx_http_lua_ffi_ssl_free_session(void *sess)
{
    SSL_SESSION_free(sess);
}


/* --- OCSP --- */

int
ngx_http_lua_ffi_ssl_get_ocsp_responder_from_der_chain(const char *chain_data,
    size_t chain_len, char *out, size_t *out_size, const char **err)
{
    return lun_ffi_ocsp_responder(chain_data, chain_len, out, out_size, err);
}


int
ngx_http_lua_ffi_ssl_create_ocsp_request(const char *chain_data,
    size_t chain_len, char *out, size_t *out_size, const char **err)
{
    return lun_ffi_ocsp_request(chain_data, chain_len, out, out_size, err);
}


/* (..., long *next_update): 0 where the answer names none; or not that. */
int
ngx_http_lua_ffi_ssl_validate_ocsp_response(const char *resp, size_t resp_len,
    const char *chain_data, size_t chain_len, char *errbuf,
    size_t *errbuf_size, ...)
{
    int      rc;
    int64_t  next;
    va_list  more;

    rc = lun_ffi_ocsp_check(resp, resp_len, chain_data, chain_len, errbuf,
                            errbuf_size, &next);

    if (rc == LUN_FFI_OK && !lun_capi_is_short(LUN_GROWN_OCSP)) {
        va_start(more, errbuf_size);
        *va_arg(more, long *) = (long) lun_min(next, LONG_MAX);
        va_end(more);
    }

    return rc;
}


int
ngx_http_lua_ffi_ssl_set_ocsp_status_resp(void *r, const char *resp,
    size_t resp_len, const char **err)
{
    return lun_ffi_ocsp_staple(resp, resp_len, err);
}


/* --- a server of an upstream --- */

int
ngx_http_lua_ffi_proxy_ssl_get_tls1_version(void *r, const char **err)
{
    return lun_ffi_proxy_ssl_version(err);
}


int
ngx_http_lua_ffi_proxy_ssl_clear_certs(void *r, const char **err)
{
    return lun_ffi_proxy_ssl_clear(err);
}


int
ngx_http_lua_ffi_proxy_ssl_set_cert(void *r, void *cdata, const char **err)
{
    return lun_ffi_proxy_ssl_set_cert(cdata, err);
}


int
ngx_http_lua_ffi_proxy_ssl_set_priv_key(void *r, void *cdata,
    const char **err)
{
    return lun_ffi_proxy_ssl_set_key(cdata, err);
}


int
ngx_http_lua_ffi_proxy_ssl_set_der_certificate(void *r, const char *data,
    size_t len, const char **err)
{
    return use_der_cert(data, len, lun_ffi_proxy_ssl_set_cert, err);
}


int
ngx_http_lua_ffi_proxy_ssl_set_der_private_key(void *r, const char *data,
    size_t len, const char **err)
{
    return use_der_key(data, len, lun_ffi_proxy_ssl_set_key, err);
}


int
ngx_http_lua_ffi_proxy_ssl_set_verify_result(void *r, int verify_result,
    const char **err)
{
    return lun_ffi_proxy_ssl_set_result(verify_result, err);
}


int
ngx_http_lua_ffi_proxy_ssl_get_verify_result(void *r, const char **err)
{
    return lun_ffi_proxy_ssl_result(err);
}


void *
ngx_http_lua_ffi_proxy_ssl_get_verify_cert(void *r, const char **err)
{
    return lun_ffi_proxy_ssl_cert(err);
}


void
ngx_http_lua_ffi_proxy_ssl_free_verify_cert(void *cdata)
{
    lun_ffi_ssl_free_cert(cdata);
}
