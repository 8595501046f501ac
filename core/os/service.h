/*
 * service.h -- a server that the system starts at boot and watches over:
 * Windows services.  Elsewhere every call fails and says in words that this
 * is another program's work (systemd and its like).
 *
 * What fails answers LUN_ERROR and says why in `why`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OS_SERVICE_H
#define LUN_OS_SERVICE_H

#include "base/log.h"
#include "os/err.h"

typedef enum {
    LUN_SERVICE_STOPPED,
    LUN_SERVICE_STARTING,
    LUN_SERVICE_RUNNING,
    LUN_SERVICE_STOPPING
} lun_service_state;

typedef struct {
    const char         *name;      /* letters, digits, '-', '_', '.' */
    const char         *prefix;    /* absolute */
    const char *const  *argv;      /* behind this executable; ends with NULL */
} lun_service_spec;

typedef struct {
    lun_service_state  state;
    int64_t            pid;        /* 0 unless it has a process */
    uint32_t           exit_code;  /* of the last run, once it is stopped */
    bool               ever_ran;
    char               account[256];
} lun_service_info;

/* The name that is used when none is given. */
extern const char  lun_service_default_name[];

/*
 * Registers the service: at boot, as the virtual account NT SERVICE\name,
 * started again when it dies.  The account may read the prefix and the folder
 * of this program, and write into the prefix's "logs", "client_body_temp",
 * "proxy_temp" and their like, which are made.  `note` gets what had to be left
 * out, or "".
 */
lun_rc lun_service_install(const lun_service_spec *spec, char *note,
    size_t note_room, char *why, size_t room);

/* Stops it first; takes back what its account was allowed. */
lun_rc lun_service_uninstall(const char *name, char *why, size_t room);

/*
 * The command line that it was installed with, from the program on; ends with
 * NULL, lun_free() it.  NULL and why.
 */
char **lun_service_argv(const char *name, int *argc, char *why, size_t room);

/*
 * All wait until it has happened: a start and a reload, until workers serve.
 * *ended: its process began and gave up, which why does not explain.
 */
lun_rc lun_service_start(const char *name, bool *ended, char *why,
    size_t room);
lun_rc lun_service_stop(const char *name, char *why, size_t room);
lun_rc lun_service_reload(const char *name, char *why, size_t room);

lun_rc lun_service_query(const char *name, lun_service_info *info, char *why,
    size_t room);

/*
 * In the process that the system has started: calls serve(data) on a thread
 * of its own, passes words on to it as lun_proc_listen() gets them, and
 * returns when it has returned; *status is what it returned.
 */
typedef int lun_service_fn(void *data);

lun_rc lun_service_run(const char *name, lun_service_fn *serve, void *data,
    int *status, char *why, size_t room);

/*
 * Its workers are coming up: the manager is told that we are getting on.
 * False when nobody waits for lun_service_ready(): this is no service, or it
 * took so long that we said it ourselves.
 */
bool lun_service_starting(void);

/* It serves now.  Does nothing in a process that is no service. */
void lun_service_ready(void);

/* --- the event log, of a service; nothing elsewhere --- */

/* One line, with or without its newline; only notices and worse. */
void lun_event_log(lun_log_level level, const char *line, size_t len);

#endif
