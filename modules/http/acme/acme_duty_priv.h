/*
 * acme_duty_priv.h -- what the files of the duty share: acme_duty.c (what is
 * due), acme_office.c (orders), acme_account.c (accounts), acme_key_job.c
 * (keys that take long to make), acme_demand_work.c (names on demand).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_DUTY_PRIV_H
#define LUN_ACME_DUTY_PRIV_H

#include "modules/http/acme/acme_priv.h"

#include "client/http_client.h"
#include "net/duty.h"

typedef struct lun_acme_work     lun_acme_work;
typedef struct lun_acme_key_job  lun_acme_key_job;

/* An issuer, and what it is being asked. */
typedef struct {
    lun_acme_work     *work;
    lun_acme_issuer   *issuer;
    lun_http_client   *client;
    EVP_PKEY          *pkey;       /* NULL: not read yet */
    lun_acme_key       key;
    lun_str            kid;

    bool               rolls;      /* its account is to have another key */
    EVP_PKEY          *next_pkey;  /* ... that one; NULL: none yet */
    lun_acme_key       next_key;

    lun_acme_cert     *cert;       /* in hand; NULL: none, or the account */
    lun_pool          *pool;       /* of the flow */
    lun_acme_flow     *flow;
    lun_http_ask      *ask;        /* under way; NULL: none */
    lun_acme_key_job  *key_job;    /* same */
    lun_timer          timer;
} lun_acme_office;

struct lun_acme_work {
    lun_pool         *pool;
    lun_acme         *acme;
    lun_loop         *loop;
    const lun_log    *log;
    lun_duty         *duty;
    lun_acme_office  *offices;
    size_t            count;
    lun_resolver     *resolver;    /* NULL: the system's */
    lun_acme_dns_asker  dns;
    struct lun_acme_demand_work  *demand;      /* NULL: nothing is on demand */
    int64_t          *next;        /* by certificate: nothing is to be done
                                      before; 0: its state says it */
};

/* --- acme_duty.c --- */

enum { LUN_ACME_REST = 3600 };

/* One certificate: begins what is due; in how many seconds again, LUN_ACME_REST
   at most. */
int64_t lun_acme_see_to(lun_acme_work *w, lun_acme_cert *cert);

/* --- acme_office.c --- */

/* It has no flow in hand; that one's begins. */
void lun_acme_office_begin(lun_acme_office *o, lun_acme_cert *cert,
    lun_acme_state *state);

/* The same for its account, which is to have another key. */
void lun_acme_office_roll(lun_acme_office *o);

/* What it has in hand is left as it is, for whoever comes next. */
void lun_acme_office_close(lun_acme_office *o);

/* --- acme_account.c --- */

/* Its key is read, or made, and its URL read, if there is one; false: no key,
   which was logged. */
bool lun_acme_has_account(lun_acme_office *o);

/* Its next key, which the authority knows now, is its key. */
void lun_acme_take_next_key(lun_acme_office *o, lun_acme_flow *f);

/* A flow's: an account is there, or not good any more. */
void lun_acme_on_account(lun_acme_flow *f, lun_str kid);

/* --- acme_key_job.c --- */

/*
 * Makes a key, in a thread if that takes long; done() comes later or at once,
 * with an empty text if there can be none.
 */
typedef void lun_acme_key_fn(lun_acme_office *o, lun_str pem);
void lun_acme_key_make(lun_acme_office *o, lun_key_kind kind,
    lun_acme_key_fn *done);

/* done() will not come. */
void lun_acme_key_forget(lun_acme_office *o);

#endif
