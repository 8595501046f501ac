/*
 * acme_duty_priv.h -- what the files of the duty share: acme_duty.c (orders),
 * acme_account.c (accounts).
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ACME_DUTY_PRIV_H
#define LUN_ACME_DUTY_PRIV_H

#include "modules/http/acme/acme_priv.h"

#include "client/http_client.h"
#include "net/duty.h"

typedef struct lun_acme_work  lun_acme_work;

/* An issuer, and what it is being asked. */
typedef struct {
    lun_acme_work     *work;
    lun_acme_issuer   *issuer;
    lun_http_client   *client;
    EVP_PKEY          *pkey;       /* NULL: not read yet */
    lun_acme_key       key;
    lun_str            kid;

    lun_acme_cert     *cert;       /* in hand; NULL: none */
    lun_pool          *pool;       /* of the flow */
    lun_acme_flow     *flow;
    lun_http_ask      *ask;        /* under way; NULL: none */
    lun_timer          timer;
} lun_acme_office;

struct lun_acme_work {
    lun_pool       *pool;
    lun_acme       *acme;
    lun_loop       *loop;
    const lun_log  *log;
    lun_duty       *duty;
    lun_acme_office  *offices;
    size_t          count;
    int64_t        *warned;        /* by certificate: when */
};

/* --- acme_account.c --- */

/* Its key is read, or made, and its URL read, if there is one; false: no key,
   which was logged. */
bool lun_acme_has_account(lun_acme_office *o);

/* A flow's: an account is there, or not good any more. */
void lun_acme_on_account(lun_acme_flow *f, lun_str kid);

#endif
