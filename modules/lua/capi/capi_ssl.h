/*
 * capi_ssl.h -- ngx.ssl and its kin, as lua-resty-core declares them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_CAPI_SSL_H
#define LUN_LUA_CAPI_SSL_H

#include "modules/lua/capi/capi.h"

/* capi_ssl.c */

LUN_EXPORT void *ngx_http_lua_ffi_parse_pem_cert(const char *pem, size_t
    pem_len, const char **err);
LUN_EXPORT void *ngx_http_lua_ffi_parse_der_cert(const char *data, size_t len,
    const char **err);
LUN_EXPORT void *ngx_http_lua_ffi_parse_pem_priv_key(const char *pem, size_t
    pem_len, const char **err);
LUN_EXPORT void *ngx_http_lua_ffi_parse_der_priv_key(const char *data, size_t
    len, const char **err);
LUN_EXPORT void ngx_http_lua_ffi_free_cert(void *cdata);
LUN_EXPORT void ngx_http_lua_ffi_free_priv_key(void *cdata);
LUN_EXPORT int ngx_http_lua_ffi_cert_pem_to_der(const char *pem, size_t
    pem_len, char *der, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_priv_key_pem_to_der(const char *pem, size_t
    pem_len, const char *passphrase, char *der, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_clear_certs(void *r, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_set_cert(void *r, void *cdata, const char
    **err);
LUN_EXPORT int ngx_http_lua_ffi_set_priv_key(void *r, void *cdata, const char
    **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_set_der_certificate(void *r, const char
    *data, size_t len, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_set_der_private_key(void *r, const char
    *data, size_t len, const char **err);
/* (..., trusted certificates, int depth, const char **err), or (depth, err). */
LUN_EXPORT int ngx_http_lua_ffi_ssl_verify_client(void *r, void *certs, void
    *third, intptr_t fourth, ...);
LUN_EXPORT int ngx_stream_lua_ffi_ssl_verify_client(void *r, void *certs, void
    *third, intptr_t fourth, ...);
LUN_EXPORT void *ngx_http_lua_ffi_get_req_ssl_pointer(void *r, ...);
LUN_EXPORT void *ngx_stream_lua_ffi_get_req_ssl_pointer(void *r, ...);
LUN_EXPORT void *ngx_http_lua_ffi_get_upstream_ssl_pointer(void *r, const char
    **err);
/* (..., int filter_grease, const char **err), or no filter_grease. */
LUN_EXPORT int ngx_http_lua_ffi_req_shared_ssl_ciphers(void *r, unsigned short
    *ciphers, unsigned short *nciphers, intptr_t fourth, ...);
LUN_EXPORT int ngx_stream_lua_ffi_req_shared_ssl_ciphers(void *r, unsigned
    short *ciphers, unsigned short *nciphers, intptr_t fourth, ...);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_tls1_version(void *r, const char
    **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_server_name(void *r, const char **name,
    size_t *namelen, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_server_port(void *r, unsigned short
    *server_port, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_raw_server_addr(void *r, const char
    **addr, size_t *addrlen, int *addrtype, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_raw_client_addr(void *r, const char
    **addr, size_t *addrlen, int *addrtype, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_client_random(void *r, unsigned char *out,
    size_t *outlen, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_server_random(void *r, unsigned char *out,
    size_t *outlen, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_session_master_key(void *r, unsigned char
    *out, size_t *outlen, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_export_keying_material(void *r, unsigned
    char *out, size_t out_size, const char *label, size_t llen, const char
    *ctx, size_t ctxlen, int use_ctx, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_export_keying_material_early(void *r,
    unsigned char *out, size_t out_size, const char *label, size_t llen, const
    char *ctx, size_t ctxlen, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_client_hello_server_name(void *r,
    const char **name, size_t *namelen, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_client_hello_ext(void *r, unsigned
    type, const char **out, size_t *outlen, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_client_hello_ext_present(void *r, int
    **extensions, size_t *extensions_len, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_client_hello_ciphers(void *r, unsigned
    short *ciphers, size_t ciphers_len, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_set_protocols(void *r, int protocols,
    const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_session_id_size(void *r, const char
    **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_session_id(void *r, char *buf, const
    char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_serialized_session_size(void *r, const
    char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_serialized_session(void *r, char *buf,
    const char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_set_serialized_session(void *r, const char
    *buf, int len, const char **err);
LUN_EXPORT void ngx_http_lua_ffi_ssl_free_session(void *sess);
LUN_EXPORT int ngx_http_lua_ffi_ssl_get_ocsp_responder_from_der_chain(const
    char *chain_data, size_t chain_len, char *out, size_t *out_size, const
    char **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_create_ocsp_request(const char
    *chain_data, size_t chain_len, char *out, size_t *out_size, const char
    **err);
LUN_EXPORT int ngx_http_lua_ffi_ssl_validate_ocsp_response(const char *resp,
    size_t resp_len, const char *chain_data, size_t chain_len, char *errbuf,
    size_t *errbuf_size, ...);
LUN_EXPORT int ngx_http_lua_ffi_ssl_set_ocsp_status_resp(void *r, const char
    *resp, size_t resp_len, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_proxy_ssl_get_tls1_version(void *r, const char
    **err);
LUN_EXPORT int ngx_http_lua_ffi_proxy_ssl_clear_certs(void *r, const char
    **err);
LUN_EXPORT int ngx_http_lua_ffi_proxy_ssl_set_cert(void *r, void *cdata, const
    char **err);
LUN_EXPORT int ngx_http_lua_ffi_proxy_ssl_set_priv_key(void *r, void *cdata,
    const char **err);
LUN_EXPORT int ngx_http_lua_ffi_proxy_ssl_set_der_certificate(void *r, const
    char *data, size_t len, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_proxy_ssl_set_der_private_key(void *r, const
    char *data, size_t len, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_proxy_ssl_set_verify_result(void *r, int
    verify_result, const char **err);
LUN_EXPORT int ngx_http_lua_ffi_proxy_ssl_get_verify_result(void *r, const
    char **err);
LUN_EXPORT void *ngx_http_lua_ffi_proxy_ssl_get_verify_cert(void *r, const
    char **err);
LUN_EXPORT void ngx_http_lua_ffi_proxy_ssl_free_verify_cert(void *cdata);

#endif
