/*
 * apart.c -- work in a process of the workers' user.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/apart.h"

#include "os/proc.h"
#include "os/shm.h"
#include "run/main_conf.h"
#include "run/signals.h"


enum { LIMIT = 5000 };             /* ms: zones are mended in a few */

/* What the child writes and the master reads: its lines, cut to size. */
typedef struct {
    _Atomic uint32_t  done;        /* 1 and what it has returned */
    char              error[LUN_LOG_LINE];
} answer;

typedef struct {
    const lun_generation  *gen;
    lun_apart_fn          *work;
    void                  *data;
    answer                *to;
} job;


bool
lun_apart_is_other(const lun_generation *gen)
{
    return !gen->alone && !gen->testing && !gen->deaf
           && lun_main_conf_of(gen)->user.uid > 0;
}


/* The child. */
static void
run(void *user)
{
    lun_rc   rc;
    lun_err  err;
    job     *j = user;

    lun_proc_bind_to_parent();
    err = lun_user_become(&lun_main_conf_of(j->gen)->user, false);

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "setuid(%" PRId64 ") failed",
                lun_main_conf_of(j->gen)->user.uid);
        return;
    }

    rc = j->work(j->data);

    if (rc != LUN_OK) {
        (void) strncpy(j->to->error, lun_signals_last_error(),
                       sizeof(j->to->error) - 1);
    }

    atomic_store(&j->to->done, rc == LUN_OK ? 1 : 2);
}


static lun_err
wait_for(job *j)
{
    int                  code;
    lun_err              err;
    lun_proc             proc;
    lun_proc_start_spec  spec = { .user = j, .run = run,
                                  .title = "looks at shared memory" };

    err = lun_proc_start(&spec, &proc);

    if (err == 0 && lun_proc_wait(&proc, LIMIT, &code) != LUN_OK) {
        lun_proc_kill(&proc);
        (void) lun_proc_wait(&proc, LIMIT, &code);
        err = lun_err_of_kind(LUN_ERR_TIMEOUT);
    }

    return err;
}


static lun_rc
tell(job *j, lun_err err)
{
    uint32_t  done = atomic_load(&j->to->done);

    if (err == 0 && done == 1) {
        return LUN_OK;
    }

    if (done == 2) {
        j->to->error[sizeof(j->to->error) - 1] = '\0';
        lun_signals_set_error(j->to->error);

    } else {
        lun_log(LUN_LOG_EMERG, NULL, err, "memory that workers share could "
                "not be looked at");
    }

    return LUN_ERROR;
}


lun_rc
lun_apart(const lun_generation *gen, lun_apart_fn *work, void *data)
{
    lun_rc   rc;
    lun_shm  shm;
    lun_err  err;
    job      j = { gen, work, data, NULL };

    if (!lun_apart_is_other(gen)) {
        return work(data);
    }

    err = lun_shm_new(sizeof(answer), &shm);

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "no memory for an answer");
        return LUN_ERROR;
    }

    j.to = shm.addr;
    rc = tell(&j, wait_for(&j));
    lun_shm_free(&shm);

    return rc;
}
