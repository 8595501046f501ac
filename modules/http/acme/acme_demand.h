/*
 * acme_demand.h -- certificates on demand: a name that nobody has written down
 * gets one when a client asks for it, if a URL of the user's says that it may.
 *
 * What is stored is served, without a question: files of a folder, by the
 * name that the client says, read and kept as any that ssl_certificate names
 * by a variable.  A handshake for another name leaves a wish in the zone (so
 * many in a minute, and no more) and waits a while; then it has a certificate
 * that is signed by itself, as have those for which there was no room to wait.
 * The worker whose duty it is takes wishes, asks, and orders.
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
    lun_msec          wait;        /* a handshake does, for a new one; or 0 */
    lun_acme_cert    *own;         /* signed by itself, for all others */
};

/* --- acme_demand.c: who serves --- */

/* What ssl_certificate, or (key) its key, is for the name that the session's
   client asks for; one of our own if it has none yet. */
lun_str lun_acme_demand_file(lun_session *s, const lun_acme *a,
    const lun_acme_demand *d, bool key);

/* The name that a handshake is for, in lower case; empty: it is none that an
   authority could know. */
lun_str lun_acme_demand_host(lun_conn *c, lun_pool *pool);

/* Its file, without an end. */
lun_str lun_acme_demand_name(lun_str host, lun_pool *pool);

/* That of a file's name with that end, which stays where it is; empty: it is
   another file. */
lun_str lun_acme_demand_host_of(const char *file, const char *end);

/* The certificate of a name: cert->names is *name, and what it says stands in
   `text`, which has room for so many bytes. */
size_t lun_acme_demand_room(const lun_acme_demand *d, lun_str host);
void lun_acme_demand_cert(const lun_acme_demand *d, lun_str host, char *text,
    lun_str *name, lun_acme_cert *cert);

typedef enum {
    LUN_ACME_NOT_ASKED,            /* nobody sees to it */
    LUN_ACME_ASKED,                /* somebody does */
    LUN_ACME_SETTLED               /* it has none, and will not soon */
} lun_acme_asked;

lun_acme_asked lun_acme_demand_asked(const lun_acme *a, lun_str host);

/* It will have none in so many seconds; 0: whoever asks is heard again. */
void lun_acme_demand_settle(const lun_acme *a, lun_str host, int64_t seconds);

/* A client asks for a name that has none: whether somebody sees to it. */
bool lun_acme_demand_wish(const lun_acme *a, const lun_acme_demand *d,
    lun_str host, const lun_log *log);

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
