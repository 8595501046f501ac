/*
 * tls_conf.h -- what all directives about TLS read alike: ssl_..., proxy_ssl_
 * ..., lua_ssl_....
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TLS_CONF_H
#define LUN_TLS_CONF_H

#include "config/conf.h"
#include "net/tls/tls_cert.h"

/* "SSLv2" to "TLSv1.3", as LUN_TLS_... */
extern const lun_enum  lun_tls_protocols[];

/*
 * The file of that name, its text LUN_STR_NULL if it cannot be read; or what
 * "data:..." says.  "store:..." and "engine:..." stay as they are.
 */
lun_tls_file lun_tls_load(lun_conf *cf, lun_str name);
/* The same of whom to trust: "system" stays as it is, too. */
lun_tls_file lun_tls_load_trusted(lun_conf *cf, lun_str name);

/* For a setter: what is in the file that its argument names. */
lun_rc lun_tls_read_named(lun_conf *cf, lun_str *text);

/* A file of one password in a line; the field is a lun_array *, of lun_str. */
lun_set_fn  lun_set_tls_passwords;

/*
 * Names of protocols; the field is a lun_str, of what a handshake says: each
 * behind a byte of its length.
 */
lun_set_fn  lun_set_tls_alpn;

/*
 * NAME_conf_command: all of them (lun_pair; NULL: none) act on a context; a
 * path is relative to the configuration's folder.
 */
lun_rc lun_tls_commands(lun_conf *cf, SSL_CTX *ctx, const lun_array *commands);

#endif
