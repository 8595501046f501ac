/*
 * trust.c -- the file in which a distribution gathers authorities.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/trust.h"

#include <stdlib.h>

#include "base/pool.h"
#include "os/file.h"


static const char *const  files[] = {
    "/etc/ssl/certs/ca-certificates.crt",              /* Debian, Alpine */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",       /* Fedora */
    "/etc/pki/tls/certs/ca-bundle.crt",                /* older ones */
    "/etc/ssl/ca-bundle.pem",                          /* SUSE */
    "/etc/ssl/cert.pem"
};


static lun_err
take_file(const char *path, lun_trust_fn *take, void *data)
{
    char     *text;
    size_t    size;
    lun_err   err = lun_file_slurp(path, &text, &size);

    if (err == 0) {
        take(data, lun_str_of(text, size));
        lun_free(text);
    }

    return err;
}


lun_err
lun_trust_each(lun_trust_fn *take, void *data)
{
    size_t       i;
    lun_err      err = 0;
    const char  *chosen = getenv("SSL_CERT_FILE");

    if (chosen != NULL && *chosen != '\0') {
        return take_file(chosen, take, data);
    }

    for (i = 0; i < LUN_ARRAY_LEN(files); i++) {
        err = take_file(files[i], take, data);

        if (err == 0) {
            break;
        }
    }

    return err;
}
