/*
 * ffi_ssl.h -- the prototypes of ngx.ssl's FFI functions, and what their files
 * share.
 *
 * Those with `why` return LUN_FFI_OK, or LUN_FFI_ERROR and the words in *why,
 * or LUN_FFI_NONE: there is nothing of the kind.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_FFI_SSL_H
#define LUN_LUA_FFI_SSL_H

#include "modules/lua/lua.h"

/* As base.lua has them. */
enum {
    LUN_FFI_OK    = 0,
    LUN_FFI_ERROR = -1,
    LUN_FFI_BUSY  = -3,
    LUN_FFI_NONE  = -5
};

/* Of the present context's client; NULL: no TLS, as *why says. */
SSL *lun_ffi_ssl_of(const char **why);

/* --- ffi_ssl.c: what is known of the connection, for ngx/ssl.lua --- */

LUN_EXPORT void *lun_ffi_ssl_pointer(void);
LUN_EXPORT int lun_ffi_ssl_version(const char **why);
LUN_EXPORT int lun_ffi_ssl_server_name(lun_str *name, const char **why);
LUN_EXPORT int lun_ffi_ssl_server_port(const char **why);
/* The kind (0: unix, 1: inet, 2: inet6), or LUN_FFI_ERROR. */
LUN_EXPORT int lun_ffi_ssl_addr(int server, lun_str *addr, const char **why);
/* Returns the size; with room for 0 bytes, of all of it. */
LUN_EXPORT int lun_ffi_ssl_client_random(uint8_t *room, size_t size,
    const char **why);
LUN_EXPORT int lun_ffi_ssl_server_random(uint8_t *room, size_t size,
    const char **why);
LUN_EXPORT int lun_ffi_ssl_master_key(uint8_t *room, size_t size,
    const char **why);
/* Of an SSL that a script has. */
LUN_EXPORT int lun_ffi_ssl_is_reused(void *ssl);
/* How many suites both sides have, the client's best first; or ERROR. */
LUN_EXPORT int lun_ffi_ssl_shared_ciphers(uint16_t *ids, int most,
    const char **why);
LUN_EXPORT int lun_ffi_ssl_export(uint8_t *room, size_t size,
    const char *label, size_t label_len, const char *context,
    size_t context_len, const char **why);
LUN_EXPORT int lun_ffi_ssl_export_early(uint8_t *room, size_t size,
    const char *label, size_t label_len, const char *context,
    size_t context_len, const char **why);

/* --- ffi_ssl_hello.c, for ngx/ssl/clienthello.lua --- */

LUN_EXPORT int lun_ffi_hello_name(lun_str *name, const char **why);
LUN_EXPORT int lun_ffi_hello_ext(unsigned type, lun_str *text,
    const char **why);
/* How many there are; up to `most` are in `types`. */
LUN_EXPORT int lun_ffi_hello_exts(int *types, int most, const char **why);
LUN_EXPORT int lun_ffi_hello_ciphers(lun_str *pairs, const char **why);
/* A set of LUN_TLS_1_2, ...: what the server speaks to this client. */
LUN_EXPORT int lun_ffi_hello_set_protocols(unsigned protocols,
    const char **why);

/* --- ffi_ssl_session.c, for ngx/ssl/session.lua --- */

enum { LUN_FFI_SESSION_ID = 64, LUN_FFI_SESSION_MOST = 1 << 20 };

LUN_EXPORT int lun_ffi_session_id(char *room,
    const char **why);
LUN_EXPORT int lun_ffi_session_get(lun_str *der, const char **why);
LUN_EXPORT int lun_ffi_session_set(const char *der, size_t len,
    const char **why);

/* --- ffi_ssl_cert.c: certificates and keys, for ngx/ssl.lua --- */

LUN_EXPORT int lun_ffi_ssl_clear_certs(const char **why);
/* Malloc'ed, for lun_ffi_ssl_free_der(); or none. */
LUN_EXPORT int lun_ffi_ssl_cert_to_der(const char *pem, size_t len,
    lun_str *der, const char **why);
LUN_EXPORT int lun_ffi_ssl_key_to_der(const char *pem, size_t len,
    const char *password, lun_str *der, const char **why);
LUN_EXPORT void lun_ffi_ssl_free_der(lun_str *der);
/* The caller's, to be freed; NULL: *why. */
LUN_EXPORT void *lun_ffi_ssl_parse_cert(const char *text, size_t len, int pem,
    const char **why);
LUN_EXPORT void *lun_ffi_ssl_parse_key(const char *text, size_t len, int pem,
    const char *password, const char **why);
LUN_EXPORT void lun_ffi_ssl_free_cert(void *chain);
LUN_EXPORT void lun_ffi_ssl_free_key(void *key);
LUN_EXPORT int lun_ffi_ssl_set_cert(void *chain, const char **why);
LUN_EXPORT int lun_ffi_ssl_set_key(void *key, const char **why);
/* A depth below zero: the server's. */
LUN_EXPORT int lun_ffi_ssl_verify_client(void *named, void *trusted,
    int depth, const char **why);

/* --- ffi_ocsp.c, for ngx/ocsp.lua --- */

LUN_EXPORT int lun_ffi_ocsp_responder(const char *der, size_t len, char *room,
    size_t *size, const char **why);
LUN_EXPORT int lun_ffi_ocsp_request(const char *der, size_t len, char *room,
    size_t *size, const char **why);
LUN_EXPORT int lun_ffi_ocsp_check(const char *answer, size_t answer_len,
    const char *der, size_t len, char *room, size_t *size, int64_t *next);
LUN_EXPORT int lun_ffi_ocsp_staple(const char *answer, size_t len,
    const char **why);

/* The same for any SSL: a cosocket's. */
const char *lun_ssl_use_chain(SSL *ssl, void *chain);

#endif
