/*
 * dial_tls.h -- TLS to a server, as far as no variable is asked: it is told
 * who is meant, goes on with a session that was kept, and has to be who it
 * should be.  For the .secure and .trusts of a dial.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DIAL_TLS_H
#define LUN_DIAL_TLS_H

#include "net/tls/tls.h"

/* Whether a name may be told (SNI): an address may not. */
bool lun_dial_tls_is_name(lun_str name);

/*
 * Tells the server which name is meant.  ERROR, logged: it can't be told.
 * `whose` stands in front of the log's words: "upstream ", or "".
 */
lun_rc lun_dial_tls_tell_name(SSL *ssl, const lun_log *log, const char *whose,
    lun_str name);

/*
 * After a handshake: whether the server's certificate is for `name`.  If
 * `addresses`, one that is an address has to be in it as an address; else as a
 * name, as nginx looks for it.
 */
bool lun_dial_tls_matches(const SSL *ssl, lun_str name, bool addresses);

/* ... and whether it was also found good.  False was logged. */
bool lun_dial_tls_is_trusted(const SSL *ssl, const lun_log *log,
    const char *whose, lun_str name, bool addresses);

#endif
