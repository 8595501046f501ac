/*
 * generation.h -- one configuration generation: what a reload makes anew.
 * core/run/cycle.c makes and ends it; modules ask it for listeners, zones and
 * log files while they read their directives.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_GENERATION_H
#define LUN_GENERATION_H

#include <stdatomic.h>

#include "config/conf.h"
#include "net/listen.h"
#include "net/zone.h"

typedef struct lun_log_file      lun_log_file;
typedef struct lun_log_rotation  lun_log_rotation;

struct lun_generation {
    uint32_t          mark;
    uint32_t          number;      /* 1, 2, ... with each reload */
    lun_pool         *pool;
    lun_log           log;         /* the error log of this generation */
    lun_str           prefix;      /* ends with '/' */
    lun_str           conf_prefix;
    lun_str           conf_path;
    bool              testing;     /* -t: open nothing for good */
    bool              deaf;        /* a tool's: listeners are not opened */

    lun_schema       *schema;
    lun_block        *top;         /* the main block */
    lun_conf_snapshot snapshot;    /* every file that was read */

    lun_listen_set   *listeners;
    lun_zone_set     *zones;
    lun_array         log_files;   /* of lun_log_file * */
    lun_array        *crews;       /* of lun_crew *: thread_pool; or NULL */
    lun_array         folders;     /* of const char *: made by the master for
                                      workers to write in */
    void             *http;        /* the http floor's: http/engine.h */
    lun_hash          log_names;   /* the same by path */

    unsigned          workers;     /* worker_processes */
    bool              agent;       /* on_init may want it: one more process,
                                      that accepts nothing and keeps the
                                      master's user */
    bool              alone;       /* master_process off */
    bool              exiting;     /* a worker: told to quit */

    /*
     * Hooks of the floors above, each an array of lun_gen_hook, called in
     * order.  A failure of `init` (master) or `start` (worker) is the
     * generation's.
     */
    lun_array         on_init;     /* conf is read, zones are there: master
                                      (and a Windows worker) */
    lun_array         on_start;    /* a worker is up, before it accepts */
    lun_array         on_quit;     /* a worker was told to quit; timers that
                                      are started now still keep it */
    lun_array         on_exit;     /* a worker is about to exit */
};

typedef struct {
    lun_rc  (*run)(lun_generation *gen, void *data);
    void     *data;
} lun_gen_hook;

/* The worker that this process is; number -1 in a master. */
typedef struct {
    int              number;
    unsigned         count;        /* worker_processes */
    lun_generation  *gen;
    bool             exiting;
    const _Atomic int64_t  *pids;  /* `count` of them, of the generation's
                                      workers, 0: not yet up; NULL: alone */
    bool             agent;        /* it is the generation's agent */
    void           (*child_ended)(int64_t pid);    /* of a program of Lua's */
    void           (*quit)(void);  /* as if it were told so; NULL: a tool */
} lun_worker_info;
extern lun_worker_info  lun_worker;

/* What is built in, as -V has it. */
extern lun_str  lun_build_arguments;

/*
 * A log file, opened for appending, shared by all who name the same path, and
 * opened anew by `reopen`.  Path absolute, or "stderr".  Not opened before
 * lun_log_files_open().
 */
struct lun_log_file {
    lun_str   path;
    lun_fd    fd;
    char     *buf;                 /* access_log buffer=, or NULL */
    size_t    buf_size;
    size_t    buf_used;
    int       gzip;                /* 1 ... 9: each write is a gzip member */
    int64_t   complained;          /* when a write last failed aloud */

    lun_log_rotation  *rotation;   /* NULL: it grows as it likes */
};

lun_log_file *lun_log_file_want(lun_generation *gen, lun_str path);
lun_rc lun_log_files_open(lun_generation *gen);
void lun_log_files_reopen(lun_generation *gen);
void lun_log_files_close(lun_generation *gen);

/*
 * A word of access_log or error_log: "rotate=100m", "rotate=1d", "keep=7".
 * LUN_AGAIN: it is none of these.  `f` NULL: a file that can't have it.
 */
lun_rc lun_log_rotation_word(lun_conf *cf, lun_log_file *f, lun_str word);

/*
 * Master, now and then: puts aside what workers want and may not; `give` gets
 * each new file, to hand it over.  False: no file of this generation is ever
 * rotated.
 */
typedef void lun_log_give_fn(void *data, const lun_log_file *f);
bool lun_log_files_rotate(lun_generation *gen, lun_log_give_fn *give,
    void *data);

/* Before that, once: a worker opens all of these anew when one is rotated. */
void lun_log_files_give(lun_generation *gen, lun_log_give_fn *give,
    void *data);

/*
 * Through the buffer, if there is one.  What could not be written is lost,
 * and the error log says so once in a minute.
 */
void lun_log_file_write(lun_log_file *f, const char *data, size_t len);
void lun_log_file_flush(lun_log_file *f);

/*
 * error_log's value (path, level) as a target of a lun_log; lines that come
 * before the file is open are lost to it.
 */
lun_rc lun_error_log_add(lun_generation *gen, lun_log *log, lun_str path,
    lun_log_level level);

/* The whole directive, of any level. */
lun_rc lun_error_log_set(lun_conf *cf, lun_log *log);

/* The first file that the log writes to, or LUN_FD_NONE. */
lun_fd lun_error_log_fd(const lun_log *log);

#endif
