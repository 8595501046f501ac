/*
 * acme_key_job.c -- keys that take long to make: an RSA key of 4096 bits is
 * seconds, in which a worker would serve nobody.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_duty_priv.h"

#include "net/thread_pool.h"


struct lun_acme_key_job {
    lun_job           job;
    lun_acme_office  *office;      /* NULL: it does not want it any more */
    lun_acme_key_fn  *done;
    lun_key_kind      kind;
    EVP_PKEY         *key;
};


/* The process's: a job may end after the duty that has begun it. */
static lun_thread_pool  threads = {
    .name = LUN_STR_INIT("acme"), .threads = 1, .max_queue = 64
};


static void
make(lun_job *job)
{
    lun_acme_key_job  *j = lun_container_of(job, lun_acme_key_job, job);

    j->key = lun_key_make(j->kind);
}


static void
give(lun_acme_office *o, lun_acme_key_fn *done, EVP_PKEY *key)
{
    lun_pool  *pool = lun_pool_new_sized(4096);

    done(o, key != NULL ? lun_key_pem(pool, key) : LUN_STR_NULL);
    lun_pool_free(pool);
}


static void
on_made(lun_job *job)
{
    lun_acme_key_job  *j = lun_container_of(job, lun_acme_key_job, job);

    if (j->office != NULL) {
        j->office->key_job = NULL;
        give(j->office, j->done, j->key);
    }

    EVP_PKEY_free(j->key);
    lun_free(j);
}


void
lun_acme_key_make(lun_acme_office *o, lun_key_kind kind, lun_acme_key_fn *done)
{
    EVP_PKEY          *key;
    lun_acme_key_job  *j;

    if (kind.rsa) {
        j = lun_calloc(sizeof(*j));
        *j = (lun_acme_key_job) {
            .job = { .work = make, .done = on_made },
            .office = o, .done = done, .kind = kind
        };

        if (lun_thread_pool_add(&threads, o->work->loop, &j->job,
                                o->work->log) == LUN_OK)
        {
            o->key_job = j;
            return;
        }

        lun_free(j);
    }

    key = lun_key_make(kind);
    give(o, done, key);
    EVP_PKEY_free(key);
}


void
lun_acme_key_forget(lun_acme_office *o)
{
    if (o->key_job != NULL) {
        o->key_job->office = NULL;
        o->key_job = NULL;
    }
}
