/*
 * tool_generation.c -- a generation that serves nobody, for `lunette run`.
 *
 * Without a configuration of its own a tool gives a text, from a snapshot:
 * nothing has to be on the disk but what the text includes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/tool_generation.h"

#include "net/loop.h"
#include "os/shm.h"
#include "run/generation.h"
#include "run/startlog.h"
#include "run/worker.h"


static lun_pool  *host_pool;


static lun_err
make_loop(void)
{
    lun_err  err;

    err = lun_shm_init();
    return err != 0 ? err : lun_loop_init(&lun_worker.loop);
}


/*
 * A command has the same generation as a server, of a text instead of files if
 * it brings one, and deaf: it listens nowhere.
 */
static lun_generation *
read_conf(const char *prefix, const char *conf, lun_str text)
{
    int                n = 0;
    char              *argv[8];
    lun_options        o;
    lun_conf_file      file;
    lun_conf_snapshot  given = { .files = &file, .file_count = 1,
                                 .partial = true };

    argv[n++] = (char *) (uintptr_t) LUN_PRODUCT;
    argv[n++] = (char *) (uintptr_t) "-estderr";

    if (prefix != NULL) {
        argv[n++] = (char *) (uintptr_t) "-p";
        argv[n++] = (char *) (uintptr_t) prefix;
    }

    if (conf != NULL) {
        argv[n++] = (char *) (uintptr_t) "-c";
        argv[n++] = (char *) (uintptr_t) conf;
    }

    if (lun_options_parse(&o, n, argv, host_pool) != LUN_OK) {
        return NULL;
    }

    o.deaf = true;
    file.path = lun_options_path(&o, o.conf, host_pool);
    file.text = text;
    file.asset = false;

    return lun_generation_new(&o, 1, conf == NULL ? &given : NULL, NULL);
}


/* As a worker starts, as far as that does not need others. */
lun_generation *
lun_tool_generation_begin(const char *prefix, const char *conf, lun_str text)
{
    lun_err          err;
    lun_generation  *gen;

    host_pool = lun_pool_new_sized(1024);
    lun_startlog_open(LUN_STR("stderr"));

    err = make_loop();

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "could not make a port");
        return NULL;
    }

    gen = read_conf(prefix, conf, text);

    if (gen == NULL) {
        return NULL;
    }

    lun_self.number = 0;
    lun_self.count = 1;
    lun_worker.gen = gen;

    if (lun_generation_open(gen, NULL) != LUN_OK) {
        lun_generation_free(gen);
        return NULL;
    }

    lun_startlog_close(gen);

    if (lun_generation_run_hooks(gen, &gen->on_start) != LUN_OK) {
        return NULL;
    }

    return gen;
}


void
lun_tool_generation_end(lun_generation *gen)
{
    lun_self.exiting = true;
    gen->exiting = true;

    (void) lun_generation_run_hooks(gen, &gen->on_exit);
    lun_generation_free(gen);
    lun_pool_free(host_pool);
}
