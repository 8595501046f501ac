/*
 * certificate.h -- certificates whose names have variables, or are in the
 * system's store: they are read when a session speaks TLS, and may be kept for
 * others.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CERTIFICATE_H
#define LUN_CERTIFICATE_H

#include "net/tls/tls_cert.h"
#include "session/script.h"

/*
 * NAME_certificate_cache: off, or max=N with inactive=time and valid=time; the
 * field is a lun_tls_cert_cache *, NULL for none.
 */
lun_set_fn  lun_set_certificate_cache;

/* Whether a pair (either may be NULL) has to be read for each session. */
bool lun_certificate_is_read_late(const lun_script *cert,
    const lun_script *key);
/*
 * Whether one is there whose name says that it is in the system's store.
 * ERROR was logged as [emerg].
 */
lun_rc lun_certificate_check(const lun_log *log, const lun_script *cert);

/*
 * The certificate of these names becomes that of the session's TLS, in either
 * direction; an empty name: none.  `cache` may be NULL.  ERROR was logged.
 */
lun_rc lun_certificate_use(lun_session *s, SSL *ssl, const lun_script *cert,
    const lun_script *key, const lun_array *passwords,
    lun_tls_cert_cache *cache);

#endif
