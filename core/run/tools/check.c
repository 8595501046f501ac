/*
 * check.c -- what this machine gives, as a table that a person can paste.
 *
 * First what can be asked for, then the proof: a server with two workers, in
 * a folder of its own, is started, asked, reloaded, asked again and told to
 * quit. That takes in one go what shared memory at one address, listeners
 * that workers share, locks, signals and rights need.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/tools/check.h"

#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fmt.h"
#include "base/pool.h"
#include "os/datagram.h"
#include "os/dir.h"
#include "os/machine.h"
#include "os/path.h"
#include "os/proc.h"
#include "os/shm.h"
#include "os/sock.h"
#include "os/time.h"
#include "os/user.h"
#include "run/tools/check_files.h"
#include "run/options.h"


enum {
    PATH      = LUN_CHECK_PATH,
    PATIENCE  = 20000,
    ASKED     = 40,
    DATAGRAMS = 8,
    DATAGRAM  = 1200,              /* bytes */
    LITTLE    = 1024 * 1024        /* bytes that may wait */
};

typedef lun_machine_finding  finding;

/* Absolute, where a plain start with these options would look. */
static const char  *conf_file;
static const char  *logs;          /* the folder of the error log */


/* --- rows ---------------------------------------------------------------- */

static void
look_conf(const char *folder, finding *f)
{
    lun_err        err;
    lun_file_info  info;

    err = lun_file_stat(conf_file, &info);

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, "-p says where the server's folder"
                      " is", conf_file, err);
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "%s", conf_file);
    }
}


/* Where the scratch folder could be made, this user may write. */
static void
look_logs(const char *folder, finding *f)
{
    lun_err        err;
    lun_file_info  info;

    err = lun_file_stat(logs, &info);

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, "the server's logs go there: make"
                      " it", logs, err);

    } else if (strncmp(folder, logs, strlen(logs)) != 0) {
        lun_machine_say(f, LUN_MACHINE_NOTE,
                        "the account that runs the server has to",
                        "this user may not write to %s", logs);
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "%s can be written to",
                        logs);
    }
}


static void
look_tls(const char *folder, finding *f)
{
    SSL_CTX  *ctx = SSL_CTX_new(TLS_method());

    if (ctx == NULL || RAND_status() != 1) {
        lun_machine_say(f, LUN_MACHINE_BAD, NULL, "%s %s",
                        OpenSSL_version(OPENSSL_VERSION),
                        ctx == NULL ? "does not start" : "has no entropy");
    } else {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "%s",
                        OpenSSL_version(OPENSSL_VERSION));
    }

    SSL_CTX_free(ctx);
}


/* Sent to ourselves, as HTTP/3 sends. */
static void
look_datagrams(const char *folder, finding *f)
{
    char      bytes[DATAGRAMS * DATAGRAM] = { 0 };
    bool      at_once;
    size_t    sent, room;
    lun_fd    fd = LUN_FD_NONE;
    lun_err   err;
    lun_addr  here;

    (void) lun_addr_parse(LUN_STR("127.0.0.1"), &here);
    err = lun_sock_datagram(here.family, &fd);
    err = err == 0 ? lun_sock_bind(fd, &here) : err;
    err = err == 0 ? lun_sock_local(fd, &here) : err;

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_NOTE, "there is no HTTP/3 without it",
                      "no datagrams", err);
    } else {
        lun_datagram_tune(fd, here.family);
        (void) lun_datagram_send_many(fd, bytes, sizeof(bytes), DATAGRAM, 0,
                                      &here, NULL, true, &sent);
        room = lun_datagram_room(fd);
        at_once = lun_datagram_sends_at_once();
        lun_machine_say(f, room < LITTLE ? LUN_MACHINE_NOTE : LUN_MACHINE_GOOD,
                        room < LITTLE ? "packets are lost when many come: let"
                        " it be more (Linux: sysctl net.core.rmem_max=4194304)"
                        : NULL, "%u KB may wait at a socket, %s",
                        (unsigned) (room / 1024), at_once
                        ? "many are sent at once" : "each is sent alone");
    }

    if (fd != LUN_FD_NONE) {
        lun_sock_close(fd);
    }
}


static void
look_shm(const char *folder, finding *f)
{
    lun_err  err = lun_shm_init();
    lun_shm  shm;

    if (err == 0) {
        err = lun_shm_new(1024 * 1024, &shm);
    }

    if (err != 0) {
        lun_check_err(f, LUN_MACHINE_BAD, "something has taken the addresses"
                      " that shared dictionaries use", "no shared memory",
                      err);
        return;
    }

    lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "at %p", shm.addr);
    lun_shm_free(&shm);
}


/* --- the proof ----------------------------------------------------------- */

typedef struct {
    const char  *folder;
    char         program[PATH];
    char         conf[PATH];
    char         log[PATH];
    lun_addr     addr;
    lun_proc     server;
} proof;


/* A port that was free a moment ago. */
static bool
choose_port(proof *p)
{
    lun_fd       fd;
    lun_addr     addr = { .family = LUN_AF_INET, .ip = { 127, 0, 0, 1 } };
    const char  *failed;

    if (lun_sock_listen(&addr, &(lun_listen_options) { .backlog = -1 }, &fd,
                        &failed) != 0)
    {
        return false;
    }

    if (lun_sock_local(fd, &p->addr) != 0) {
        p->addr.port = 0;
    }

    lun_sock_close(fd);
    return p->addr.port != 0;
}


static bool
write_conf(proof *p)
{
    char  text[2048];

    (void) snprintf(text, sizeof(text),
        "worker_processes 2;\n"
        "daemon off;\n"
        "pid server.pid;\n"
        "error_log error.log info;\n"
        "events { worker_connections 64; }\n"
        "http {\n"
        "    access_log off;\n"
        "    client_body_temp_path body;\n"
        "    proxy_temp_path proxy;\n"
        "    lua_shared_dict counts 1m;\n"
        "    server {\n"
        "        listen 127.0.0.1:%u;\n"
        "        location / {\n"
        "            content_by_lua_block {\n"
        "                local id = 'w' .. ngx.worker.id()\n"
        "                local counts = ngx.shared.counts\n"
        "                counts:incr(id, 1, 0)\n"
        "                ngx.print(counts:incr('all', 1, 0), ' ',\n"
        "                          counts:get('w0') or 0, ' ',\n"
        "                          counts:get('w1') or 0)\n"
        "            }\n"
        "        }\n"
        "    }\n"
        "}\n", p->addr.port);

    return lun_check_put(p->conf, text) == 0;
}


/* One request; its body's three numbers. */
static bool
ask(const proof *p, unsigned n[3])
{
    static const char  request[] =
        "GET / HTTP/1.0\r\nHost: localhost\r\n\r\n";

    bool         done = false;
    char         answer[1024];
    size_t       got, have = 0;
    lun_fd       fd;
    const char  *body;

    if (lun_sock_connect_wait(&p->addr, 2000, &fd) != 0) {
        return false;
    }

    if (lun_sock_send_wait(fd, request, sizeof(request) - 1, 2000) == 0) {
        while (have < sizeof(answer) - 1
               && lun_sock_recv_wait(fd, answer + have,
                                     sizeof(answer) - 1 - have, 5000, &got)
                  == 0
               && got != 0)
        {
            have += got;
        }

        answer[have] = '\0';
        body = strstr(answer, "\r\n\r\n");
        done = body != NULL
               && sscanf(body, "%u %u %u", &n[0], &n[1], &n[2]) == 3;
    }

    lun_sock_close(fd);
    return done;
}


/* This program with the proof's folder, and maybe a word for the server. */
static lun_err
run_self(proof *p, const char *word, lun_proc *proc)
{
    const char        *argv[10];
    size_t             n = 0;
    lun_proc_command   command = {
        .argv = argv, .out = p->log, .err = p->log
    };

    argv[n++] = p->program;
    argv[n++] = "-p";
    argv[n++] = p->folder;
    argv[n++] = "-e";
    argv[n++] = "error.log";
    argv[n++] = "-c";
    argv[n++] = p->conf;

    if (word != NULL) {
        argv[n++] = "-s";
        argv[n++] = word;
    }

    argv[n] = NULL;
    return lun_proc_run(&command, proc);
}


static bool
tell(proof *p, const char *word)
{
    int       code = -1;
    lun_proc  proc;

    return run_self(p, word, &proc) == 0
           && lun_proc_wait(&proc, PATIENCE, &code) == LUN_OK && code == 0;
}


static bool
has_ended(proof *p, lun_msec limit)
{
    int  code;

    if (p->server.pid == 0) {
        return true;
    }

    if (lun_proc_wait(&p->server, limit, &code) == LUN_AGAIN) {
        return false;
    }

    p->server.pid = 0;
    return true;
}


static bool
comes_up(proof *p, unsigned n[3])
{
    lun_msec  end = lun_time_monotonic() + PATIENCE;

    while (!ask(p, n)) {
        if (lun_time_monotonic() > end || has_ended(p, 0)) {
            return false;
        }

        lun_time_sleep(20);
    }

    return true;
}


/* Both workers count in one place, and none of it is lost. */
static bool
count(proof *p, unsigned n[3])
{
    unsigned  i, before = n[0];

    for (i = 0; i < ASKED; i++) {
        if (!ask(p, n)) {
            return false;
        }
    }

    return n[0] == before + ASKED && n[1] + n[2] == n[0];
}


/* What went wrong; NULL: nothing. */
static const char *
prove(proof *p, unsigned n[3])
{
    if (!choose_port(p) || !write_conf(p)
        || run_self(p, NULL, &p->server) != 0)
    {
        return "could not be started";
    }

    if (!comes_up(p, n)) {
        return "did not serve";
    }

    if (!count(p, n)) {
        return "lost count of its requests";
    }

    if (!tell(p, "reload")) {
        return "could not be told to reload";
    }

    if (!count(p, n)) {
        return "lost count after a reload";
    }

    if (!tell(p, "quit") || !has_ended(p, PATIENCE)) {
        return "did not end when it was told to quit";
    }

    return NULL;
}


/* The last line of a log, for the finding. */
static void
add_last_line(finding *f, const char *path)
{
    char    *data, *p;
    size_t   size, len = strlen(f->text);

    if (lun_file_slurp(path, &data, &size) != 0) {
        return;
    }

    while (size > 0 && (data[size - 1] == '\n' || data[size - 1] == '\r')) {
        data[--size] = '\0';
    }

    p = strrchr(data, '\n');

    if (size > 0) {
        *lun_fmt(f->text + len, f->text + sizeof(f->text) - 1, ": %s",
                 p != NULL ? p + 1 : data) = '\0';
    }

    free(data);
}


/*
 * The proof of everything before: two workers, a dictionary that both count in,
 * and a reload in the middle.
 */
static void
look_server(const char *folder, finding *f)
{
    proof        p = { .folder = folder };
    unsigned     n[3] = { 0 };
    const char  *wrong;

    if (lun_proc_program(p.program, sizeof(p.program)) != 0) {
        lun_machine_say(f, LUN_MACHINE_NOTE, NULL, "where is this program?");
        return;
    }

    (void) snprintf(p.conf, PATH, "%s/server.conf", folder);
    (void) snprintf(p.log, PATH, "%s/output.log", folder);

    wrong = prove(&p, n);

    if (p.server.pid != 0) {
        lun_proc_kill(&p.server);
        (void) has_ended(&p, PATIENCE);
    }

    if (wrong == NULL) {
        lun_machine_say(f, LUN_MACHINE_GOOD, NULL, "two workers served %u and"
                        " %u requests over a reload, and counted all of them",
                        n[1], n[2]);
        return;
    }

    lun_machine_say(f, LUN_MACHINE_BAD, NULL, "%s", wrong);
    add_last_line(f, lun_check_in(folder, "error.log"));
}


/* --- the table ----------------------------------------------------------- */

static const lun_machine_row  rows[] = {
    { "configuration", look_conf },
    { "logs", look_logs },
    { "TLS", look_tls },
    { "UDP (HTTP/3)", look_datagrams },
    { "shared memory", look_shm },
    { "a server", look_server },
    { NULL, NULL }
};


/* Counts the bad ones. */
static int
look_at(const lun_machine_row *row, const char *folder)
{
    static const char *const  words[] = { "ok", "note", "BAD" };

    int      bad = 0;
    finding  f;

    for ( ; row->name != NULL; row++) {
        f = (finding) { .verdict = LUN_MACHINE_BAD, .text = "no answer" };

        if (lun_dir_make(folder, 0755) != 0) {
            lun_machine_say(&f, LUN_MACHINE_BAD, NULL, "cannot make %s",
                            folder);
        } else {
            row->look(folder, &f);
            (void) lun_dir_remove_tree(folder);
        }

        printf("%-5s %-17s %s\n", words[f.verdict], row->name, f.text);

        if (f.advice != NULL) {
            printf("%23s %s\n", "->", f.advice);
        }

        fflush(stdout);
        bad += f.verdict == LUN_MACHINE_BAD;
    }

    return bad;
}


/* A folder that can be made: in the logs, or where temporary files go. */
static bool
choose_folder(char *folder)
{
    char  temp[PATH / 2];

    (void) snprintf(folder, PATH, "%s/check-%" PRId64, logs,
                    lun_proc_pid());

    /* Root makes nothing by name in a folder that may be the workers'. */
    if (lun_user_is_root() || lun_dir_make(folder, 0755) != 0) {
        if (lun_dir_temp(temp, sizeof(temp)) != 0) {
            return false;
        }

        (void) snprintf(folder, PATH, "%s/lunette-check-%" PRId64, temp,
                        lun_proc_pid());

        if (lun_dir_make(folder, 0755) != 0) {
            return false;
        }
    }

    return lun_dir_delete(folder) == 0;
}


/* Of an option: made absolute by the prefix, and that by where we are. */
static const char *
absolute(const lun_options *o, lun_str path, lun_pool *pool)
{
    char     here[PATH];
    lun_str  full = lun_options_path(o, path, pool);

    if (!lun_path_is_absolute(full, lun_path_native)
        && lun_dir_current(here, sizeof(here)) == 0)
    {
        full = lun_pool_fmt(pool, "%s/%.*s", here, LUN_S(full));
    }

    return lun_pool_strz(pool, full);
}


static const char *
folder_of(const char *path, lun_pool *pool)
{
    const char  *slash = strrchr(path, '/');

    return slash == NULL ? path
           : lun_pool_strz(pool, lun_str_of(path, (size_t) (slash - path)));
}


int
lun_check_tool(int argc, char **argv)
{
    int           bad;
    char          folder[PATH];
    lun_pool     *pool = lun_pool_new_sized(1024);
    lun_options   o;

    if (lun_options_parse(&o, argc, argv, pool) != LUN_OK) {
        lun_pool_free(pool);
        return 1;
    }

    conf_file = absolute(&o, o.conf, pool);
    logs = folder_of(absolute(&o, o.error_log, pool), pool);

    if (!choose_folder(folder)) {
        fprintf(stderr, LUN_PRODUCT ": no folder that can be written to\n");
        lun_pool_free(pool);
        return 1;
    }

    printf(LUN_PRODUCT " " LUN_VERSION "\n");
    bad = look_at(lun_machine_rows, folder)
          + look_at(lun_check_file_rows, folder) + look_at(rows, folder);
    printf(bad == 0 ? "nothing is in the way\n" : "%d will not work\n", bad);

    lun_pool_free(pool);
    return bad == 0 ? 0 : 1;
}
