/*
 * run/generation.c -- generations, with a floor of our own instead of http:
 * what a configuration must have, what is opened, what a failure leaves, and
 * what the boot block gives to a worker.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/run/generation.c"

#include "cache/cache_index.h"
#include "conf_help.h"
#include "net/datagram.h"
#include "os/dir.h"
#include "os/wake.h"
#include "run/boot.h"
#include "shm/mailbox.h"


static char         folder[1024];
static lun_options  options;
static int          inits;         /* times that on_init ran */
static bool         init_fails;


static lun_rc
on_init(lun_generation *gen, void *data)
{
    inits++;
    return init_fails ? LUN_ERROR : LUN_OK;
}


static lun_rc
set_hook(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_gen_add_hook(cf->gen, &cf->gen->on_init, on_init, NULL);
    return LUN_OK;
}


static const lun_zone_kind  kind = { .name = "zone", .min_size = 4096 };


static lun_rc
set_zone(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint64_t     size;
    const char  *why;

    if (lun_str_to_size(cf->args[2], &size) != LUN_OK
        || lun_zone_want(cf->gen->zones, cf->args[1], (size_t) size, &kind,
                         &why) == NULL)
    {
        return lun_conf_bad_value(cf);
    }

    return LUN_OK;
}


static lun_rc
set_listen(lun_conf *cf, const lun_directive *d, void *conf)
{
    bool      fresh;
    lun_addr  addr;

    if (lun_addr_parse(cf->args[1], &addr) != LUN_OK) {
        return lun_conf_bad_value(cf);
    }

    (void) lun_listen_want(cf->gen->listeners, &addr, &fresh);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "hook", .where = LUN_MAIN, .set = set_hook },
    { .name = "zone", .where = LUN_MAIN, .args = 2, .repeats = true,
      .set = set_zone },
    { .name = "listen", .where = LUN_MAIN, .args = 1, .repeats = true,
      .set = set_listen },
    { 0 }
};

static lun_conf_part  part = { .name = "test", .directives = directives };


static void
add_part(lun_schema *schema)
{
    lun_schema_add(schema, &part);
}


static const lun_floors  floors = { .add_parts = add_part };


/* A generation of that text, in our folder. */
static lun_generation *
read_gen(uint32_t number, const char *text)
{
    lun_conf_file      file = { .path = LUN_STR("main") };
    lun_conf_snapshot  s = { .files = &file, .file_count = 1 };

    said[0] = '\0';
    file.path = options.conf;
    file.text = lun_str_z(text);

    return lun_generation_new(&options, number, &s, NULL);
}


static void
test_reading(void)
{
    lun_generation         *gen;
    const lun_main_conf    *conf;
    const lun_events_conf  *events;

    gen = read_gen(1, "events { }");
    ok(gen != NULL, "the smallest configuration");
    conf = lun_main_conf_of(gen);
    events = lun_events_conf_of(gen);

    is_int(gen->workers, 1, "one worker by default");
    ok(conf->daemon && conf->master_process, "a daemon with a master");
    is_int(events->worker_connections, 512, "connections by default");
    ok(lun_str_ends(conf->pid, LUN_STR("/logs/nginx.pid")), "a pid file");
    is_int((int64_t) gen->logs.files.count, 1, "an error log is there");
    is_int(gen->log.level, LUN_LOG_ERR, "for errors");
    is_int((int64_t) gen->snapshot.file_count, 1, "what was read is known");
    lun_generation_free(gen);

    gen = read_gen(1, "worker_processes 3; error_log x info; daemon off;\n"
                   "error_log y debug; env A; env B=c; pid /x/y.pid;\n"
                   "events { worker_connections 7; use epoll; } "
                   "worker_shutdown_timeout 2s; thread_pool x threads=1;");
    ok(gen != NULL, "a longer one");
    conf = lun_main_conf_of(gen);
    is_int(gen->workers, 3, "its workers");
    is_int(lun_events_conf_of(gen)->worker_connections, 7, "its connections");
    is_int((int64_t) gen->env->count, 2, "its environment");
    is_int((int64_t) conf->shutdown_timeout, 2000, "its patience");
    is_str(conf->pid.data, "/x/y.pid", "its pid file");
    is_int(gen->log.level, LUN_LOG_DEBUG, "the most talkative log counts");
    ok(!conf->daemon, "no daemon");
    lun_generation_free(gen);

    gen = read_gen(1, "worker_processes 4; master_process off; events { }");
    is_int(gen->workers, 1, "without a master there is one");
    is_int(gen->asked_workers, 4, "of four that were asked for");
    lun_generation_free(gen);

    gen = read_gen(1, "worker_processes auto; events { }");
    is_int(gen->workers, lun_proc_cpus(), "auto: as many as processors");
    lun_generation_free(gen);
}


/* Two generations of 70 workers, and some that are still leaving. */
static void
test_room(void)
{
    lun_generation  *few = read_gen(1, "events { }");
    lun_generation  *many = read_gen(2, "worker_processes 70; events { }");
    const lun_zone  *rows;

    rows = lun_zone_find(few->zones, LUN_STR("workers of the server"));
    is_int((int64_t) (rows->size / LUN_MAILBOX_ROOM), 64,
           "rows, and boxes, of a few workers");
    rows = lun_zone_find(many->zones, LUN_STR("workers of the server"));
    is_int((int64_t) (rows->size / LUN_MAILBOX_ROOM), 192, "rows for 148");

    lun_generation_free(few);
    lun_generation_free(many);
}


static const struct {
    const char  *text;
    const char  *said;
} wrong[] = {
    { "", "no \"events\" section in configuration" },
    { "events { } events { }", "\"events\" directive is duplicate in " },
    { "events { daemon on; }", "\"daemon\" directive is not allowed here" },
    { "worker_processes 0; events { }",
      "\"worker_processes\" directive invalid value in " },
    { "worker_processes some; events { }",
      "\"worker_processes\" directive invalid value in " },
    { "error_log x loud; events { }", "invalid log level \"loud\" in " },
    { "events { use magic; }", "invalid event type \"magic\" in " },
    { "worker_cpu_affinity 012; events { }",
      "invalid character \"2\" in \"worker_cpu_affinity\" in " },
    { "worker_priority 21; events { }",
      "\"worker_priority\" directive invalid number in " },
};


static void
test_wrong(void)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(wrong); i++) {
        ok(read_gen(1, wrong[i].text) == NULL, "refused: %s", wrong[i].text);
        ok(strstr(said, wrong[i].said) == said, "because: %s", said);
    }
}


static void
test_opening(void)
{
    void            *addr;
    lun_generation  *old, *gen;

    old = read_gen(1, "events { } hook; zone a 64k; listen 127.0.0.1:18499;");
    is_int(lun_generation_open(old, NULL), LUN_OK, "a generation is opened");
    is_int(inits, 1, "its hook has run");
    addr = lun_zone_at(old->zones, 0)->shm.addr;
    ok(addr != NULL, "its zone is there");
    ok(lun_listen_at(old->listeners, 0)->fd != LUN_FD_NONE,
       "and its listener");

    gen = read_gen(2, "events { } hook; zone a 64k; zone b 64k;");
    init_fails = true;
    is_int(lun_generation_open(gen, old), LUN_ERROR, "the next one fails");
    init_fails = false;
    lun_generation_free(gen);
    ok(lun_zone_at(old->zones, 0)->shm.addr == addr, "the old zone stays");
    ok(lun_listen_at(old->listeners, 0)->fd != LUN_FD_NONE,
       "and the old listener");

    gen = read_gen(3, "events { } zone a 64k; listen 127.0.0.1:18499;");
    is_int(lun_generation_open(gen, old), LUN_OK,
           "the one after that is opened");
    ok(lun_zone_at(gen->zones, 0)->shm.addr == addr, "with the same zone");
    ok(lun_listen_at(gen->listeners, 0)->fd
       == lun_listen_at(old->listeners, 0)->fd, "and the same listener");

    lun_generation_drop(gen, old);
    ok(lun_listen_at(old->listeners, 0)->fd != LUN_FD_NONE,
       "dropping it leaves the old one alone");
    *(volatile char *) addr = 1;           /* the zone is still mapped */

    lun_listen_close_rest(old->listeners, NULL);
    lun_generation_free(old);
}


static void
test_boot(void)
{
    lun_err          err;
    lun_shm          shm;
    lun_str          match = LUN_STR("x/1");
    lun_boot        *boot;
    lun_conf_glob    glob = { LUN_STR("x/*"), &match, 1 };
    lun_generation  *gen;

    gen = read_gen(5, "events { } worker_processes 3; zone a 64k;");
    lun_generation_open(gen, NULL);
    gen->snapshot.globs = &glob;
    gen->snapshot.glob_count = 1;

    boot = lun_boot_new(gen, &options, &shm, &err);
    ok(boot != NULL && lun_boot_is_sane(boot), "a boot block");
    is_int(boot->generation, 5, "knows its generation");
    is_int(boot->workers, 3, "and how many workers");
    is_str(boot->options.prefix.data, options.prefix.data, "the prefix");
    ok(boot->options.prefix.data > (char *) boot
       && boot->options.prefix.data < (char *) boot + shm.size,
       "lies in the block");
    is_int((int64_t) boot->snapshot.file_count, 1, "the files");
    ok(lun_str_eq(boot->snapshot.files[0].text, gen->snapshot.files[0].text),
       "with their text");
    ok(lun_str_eq(boot->snapshot.globs[0].paths[0], match), "the patterns");
    ok(boot->zones[0].addr == lun_zone_at(gen->zones, 0)->shm.addr,
       "the zones");
    is_int(boot->serving[2], 0, "nobody serves yet");

    lun_shm_free(&shm);
    lun_generation_free(gen);
}


int
main(void)
{
    char  logs[1100];

    snprintf(folder, sizeof(folder), "build/cycle.test/");
    snprintf(logs, sizeof(logs), "%slogs", folder);
    lun_dir_make_all(logs, 0755);

    options.prefix = lun_str_z(folder);
    options.conf = LUN_STR("/main");
    options.error_log = LUN_STR("logs/error.log");

    lun_sock_init();
    lun_shm_init();
    lun_log_set_default(&test_log);
    lun_generation_use(&floors);

    test_reading();
    test_room();
    test_wrong();
    test_opening();
    test_boot();

    lun_file_delete("build/cycle.test/logs/error.log");
    lun_dir_delete(logs);
    lun_dir_delete("build/cycle.test");

    return done_testing();
}
