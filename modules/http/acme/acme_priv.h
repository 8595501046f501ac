/*
 * acme_priv.h -- what the files of the acme module share: acme.c (its hooks,
 * variables), acme_conf.c and acme_cert_conf.c (directives), acme_store.c
 * (files), acme_certs.c (what is in use), acme_duty.c (who asks authorities).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_PRIV_H
#define LUN_ACME_PRIV_H

#include "http/module.h"
#include "modules/http/acme/acme_dns.h"
#include "modules/http/acme/order/acme_flow.h"
#include "modules/http/acme/acme_zone.h"
#include "net/duty.h"
#include "session/server.h"
#include "session/server_tls.h"
#include "session/tls_conf.h"

typedef struct {
    lun_str       name;
    lun_str       uri;             /* of its directory; empty: not said yet */
    lun_key_kind  key_kind;        /* of an account's key that is made */
    lun_str       key_pem;         /* empty: it is made, and kept */
    lun_str       challenge;       /* "http-01", ... */
    lun_acme_dns  dns;             /* for "dns-01" */
    lun_array     contacts;        /* of lun_str: URLs */
    lun_str       binding_kid, binding_key;        /* or empty */
    lun_str       chain;           /* preferred_chain; or empty */
    lun_str       profile;         /* or empty */
    bool          profile_required;
    lun_tls_file  trusted;         /* name empty: the system's authorities */
    bool          trusts_anybody;  /* ssl_verify off */
    lun_str       state_path;      /* empty: off */
    bool          agrees;
} lun_acme_issuer;

typedef struct lun_acme_demand  lun_acme_demand;

typedef struct {
    lun_acme_issuer  *issuer;      /* the first: files are in its folder */
    lun_array         issuers;     /* of lun_acme_issuer *, in the order in
                                      which they are asked */
    lun_str           id;          /* in the zone; "ISSUER/" and its files'
                                      name */
    lun_str           file;        /* ... without an end */
    lun_str          *names;       /* hosts in lower case, addresses */
    size_t            count;
    lun_key_kind      kind;
    lun_acme_state   *kept;        /* on demand: not in the zone, but here, and
                                      its pair in its files alone */
    int64_t           rest_until;  /* who asks has no use for it: no room */
} lun_acme_cert;

/* What an acme_certificate says, until all servers are known. */
typedef struct {
    lun_str       issuer;
    lun_array     names;           /* of lun_str; none: those of the server */
    lun_key_kind  kind;
    lun_str       file;            /* where it stands */
    unsigned      line;
} lun_acme_wish;

enum {
    LUN_ACME_KINDS = 2,            /* of keys that a server may have at once */
    LUN_ACME_ISSUERS = 8           /* of a certificate */
};

typedef struct {
    lun_array       wishes;        /* of lun_acme_wish *; items NULL: none */
    lun_acme_cert  *certs[LUN_ACME_KINDS];     /* one with an RSA key, or one
                                                  of ECDSA, or both */
    size_t          count;

    lun_acme_demand  *demand;      /* NULL: nothing is on demand */
    lun_str           demand_issuer, demand_file;      /* where it stands */
    unsigned          demand_line;
} lun_acme_conf;

/* Of an engine: lun_module_data(). */
typedef struct {
    lun_zone   *zone;              /* NULL: there are no certificates */
    lun_array   issuers;           /* of lun_acme_issuer * */
    lun_array   certs;             /* of lun_acme_cert * */
    lun_array   demands;           /* of lun_acme_demand * */
    lun_duty   *duty;              /* of one worker: acme_duty.c */
    lun_engine *engine;            /* whose it is */
} lun_acme;

extern lun_http_module  lun_http_acme;

/* --- acme_conf.c --- */

extern const lun_directive  lun_acme_directives[];

/* NULL: there is none of that name. */
lun_acme_issuer *lun_acme_find_issuer(const lun_acme *a, lun_str name);

lun_rc lun_acme_want_zone(lun_conf *cf, lun_str name, size_t size);

/* For a setter: a kind of key is none. */
lun_rc lun_acme_bad_key(lun_conf *cf, lun_str word, const char *why);

/* --- acme_cert_conf.c --- */

lun_set_fn  lun_acme_set_certificate;

/* --- acme_demand.c --- */

/* How files of certificates on demand begin. */
#define LUN_ACME_ON_DEMAND  "name-"

lun_set_fn  lun_acme_set_demand;

/* The server has one: its issuer, its folder. */
lun_rc lun_acme_demand_finish(lun_conf *cf, lun_acme *a, lun_acme_conf *conf);

/* --- acme_cert_conf.c, too --- */

/* All servers are read: their certificates; zones and folders are asked for. */
lun_rc lun_acme_conf_finish(lun_conf *cf, lun_acme *a);

/* The one of the engine, made by the first who asks. */
lun_acme *lun_acme_of(lun_conf *cf);

static inline lun_acme_cert *
lun_acme_cert_at(const lun_acme *a, size_t i)
{
    return *(lun_acme_cert **) lun_array_at(&a->certs, i);
}

static inline lun_acme_issuer *
lun_acme_issuer_at(const lun_acme_cert *cert, size_t i)
{
    return *(lun_acme_issuer **) lun_array_at(&cert->issuers, i);
}

/* Where it stands among them; 0: nowhere, or at the beginning. */
size_t lun_acme_issuer_place(const lun_acme_cert *cert, lun_str name);

/* --- acme_store.c --- */

/* What a state_path has; empty: it is not there, or cannot be read. */
lun_str lun_acme_store_read(const lun_acme_issuer *issuer, lun_pool *pool,
    lun_str name, const char *end);
/* Written aside, renamed; for this account alone.  False: logged. */
bool lun_acme_store_write(const lun_acme_issuer *issuer, const lun_log *log,
    lun_str name, const char *end, lun_str text);
void lun_acme_store_delete(const lun_acme_issuer *issuer, lun_str name,
    const char *end);

bool lun_acme_store_has(const lun_acme_issuer *issuer, lun_str name,
    const char *end);

/* It is there, and is no more. */
bool lun_acme_store_take(const lun_acme_issuer *issuer, lun_str name,
    const char *end);

/* A file that says: look what else there is to be done. */
#define LUN_ACME_LETTER  LUN_STR("letter")

/* Takes the first line off, which is returned without spaces at its ends. */
lun_str lun_acme_first_line(lun_str *text);

/* A pair of files that belong together, for the certificate's names. */
bool lun_acme_store_pair(const lun_acme_cert *cert, lun_pool *pool,
    lun_str *chain, lun_str *key);
/* Which of its issuers has given that pair. */
size_t lun_acme_store_giver(const lun_acme_cert *cert, lun_pool *pool);

/* --- acme_certs.c --- */

/* The master, or a worker alone: each has a certificate, whosever. */
void lun_acme_certs_begin(lun_acme *a, const lun_log *log);

/* What is known of it: in the zone, or where it is kept. */
void lun_acme_cert_state(const lun_acme *a, const lun_acme_cert *cert,
    lun_acme_state *state);
bool lun_acme_cert_put_state(const lun_acme *a, const lun_acme_cert *cert,
    const lun_acme_state *state);

/* It is in use from now on: zone, state; false: logged, and its order is not
   to be repeated soon. */
bool lun_acme_certs_take(const lun_acme *a, lun_acme_cert *cert,
    const lun_log *log, lun_str chain, lun_str key, size_t giver);

/* --- acme_proof.c --- */

/* How a name, or an address, is asked for in a handshake. */
lun_str lun_acme_proof_name(lun_pool *pool, lun_str name);

extern const lun_handshake_proof  lun_acme_proof;

/* --- acme_wait.c: lun_handshake_proof, of names on demand --- */

bool lun_acme_is_coming(lun_conn *c, const lun_server *server);
void lun_acme_wait(lun_conn *c, const lun_server *server);

/* --- acme_status.c --- */

/* A lun_status_fn, whose data is a lun_acme. */
struct lun_status_walk;
bool lun_acme_write_status(struct lun_status_walk *w, void *data,
    uint32_t *cursor);

/* --- acme_duty.c --- */

/* While the configuration is read: one worker of all asks the issuers. */
void lun_acme_duty_add(lun_conf *cf, lun_acme *a);

#endif
