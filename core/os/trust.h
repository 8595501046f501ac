/*
 * trust.h -- the authorities that this machine trusts to name servers.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_TRUST_H
#define LUN_OS_TRUST_H

#include "base/str.h"
#include "os/err.h"

/*
 * Certificates: any number in PEM, or one in DER (whose first byte is 0x30).
 * Valid during the call.
 */
typedef void lun_trust_fn(void *data, lun_str certificates);

/*
 * Calls `take` for all that the system has: reads files, so not for a
 * request's way.  An error: there is no store.  Who sets SSL_CERT_FILE in the
 * environment has chosen another on Linux.
 */
lun_err lun_trust_each(lun_trust_fn *take, void *data);

#endif
