/*
 * acme_demand.h -- certificates on demand: a name that nobody has written down
 * gets one when a client asks for it, if a URL of the user's says that it may.
 *
 * What is stored is served, without a question: files of a folder, by the
 * name that the client says, read and kept as any that ssl_certificate names
 * by a variable.  For another name the handshake has a certificate that is
 * signed by itself, and leaves a wish in the zone: so many in a minute, and no
 * more.  The worker whose duty it is takes wishes, asks, and orders.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_DEMAND_H
#define LUN_ACME_DEMAND_H

#include "modules/http/acme/acme_duty_priv.h"

/* Of an issuer: all servers that have it on demand. */
struct lun_acme_demand {
    lun_acme_issuer  *issuer;
    lun_acme_issuer  *home;        /* the same, with a folder of its own */
    lun_str           ask;         /* the URL that is asked */
    lun_key_kind      kind;
    int64_t           rate;        /* names in a minute that are looked at */
    lun_acme_cert    *own;         /* signed by itself, for all others */
};

/* --- acme_demand.c: who serves --- */

/* What ssl_certificate, or (key) its key, is for the name that the session's
   client asks for. */
lun_str lun_acme_demand_file(lun_session *s, const lun_acme *a,
    const lun_acme_demand *d, bool key);

/* --- acme_demand_work.c: whose duty it is --- */

typedef struct lun_acme_demand_work  lun_acme_demand_work;

/* NULL: nothing is on demand. */
lun_acme_demand_work *lun_acme_demand_begin(lun_acme_work *w);

/* Takes wishes, and sees to what is due; true: there is more to be read. */
bool lun_acme_demand_run(lun_acme_demand_work *dw);
void lun_acme_demand_end(lun_acme_demand_work *dw);

/* An order of it may begin; false: that is being asked. */
bool lun_acme_demand_permits(lun_acme_demand_work *dw, lun_acme_cert *cert);

#endif
