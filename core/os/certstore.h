/*
 * certstore.h -- certificates that the system keeps, and keys that it uses for
 * us and never shows: Windows' stores.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_CERTSTORE_H
#define LUN_OS_CERTSTORE_H

#include <stdint.h>

#include "base/str.h"
#include "os/err.h"

typedef enum {
    LUN_SIGN_PKCS1,                /* RSA */
    LUN_SIGN_PSS,
    LUN_SIGN_ECDSA
} lun_signing_kind;

typedef struct {
    lun_signing_kind  kind;
    const char       *digest;      /* "SHA256"; NULL: MD5 and SHA-1, together */
    size_t            salt;        /* bytes, of PSS */
} lun_signing;

typedef struct lun_certstore_entry  lun_certstore_entry;

/* A certificate in DER: both valid during the call.  False: no more of them. */
typedef bool lun_certstore_fn(void *data, lun_str der,
    const lun_certstore_entry *e);

/*
 * Calls `take` for all certificates of a store ("MY", "CA"), the machine's or
 * the account's.  An error: there is no such store, or no such thing here
 * (LUN_ERR_UNSUPPORTED).  May read files.
 */
lun_err lun_certstore_each(bool machine, const char *store,
    lun_certstore_fn *take, void *data);

/* The key of an entry: the caller's.  NULL: *err. */
void *lun_certstore_open_key(const lun_certstore_entry *e, lun_err *err);
void lun_certstore_close_key(void *key);

/*
 * Signs a digest: `size` bytes of `room` at `out`; ECDSA: both numbers, each
 * of the curve's length, one behind the other.  May take as long as whoever
 * has the key does.  For any thread.
 */
lun_err lun_certstore_sign(void *key, const lun_signing *how, lun_str digest,
    uint8_t *out, size_t room, size_t *size);

#endif
