/*
 * service_priv.h -- what service.c, service_plan.c, service_run.c, grant.c and
 * eventlog.c share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WIN_SERVICE_PRIV_H
#define LUN_WIN_SERVICE_PRIV_H

#include "os/service.h"
#include "windows/win.h"

/*
 * How long a stop may take: the server is told to quit, and when its patience
 * is over to stop; the system at its own end waits a little longer than that,
 * and so does who has asked.
 */
enum {
    LUN_SERVICE_PATIENCE = 60000,  /* ms */
    LUN_SERVICE_SHUTDOWN = LUN_SERVICE_PATIENCE + 10000,
    LUN_SERVICE_LIMIT    = LUN_SERVICE_PATIENCE + 30000
};

/* --- service_plan.c: pure --- */

/* What to do about an error of the service manager; NULL: no idea. */
const char *lun_service_advice(DWORD err);

/* The first thing that had to be left out, for `note`; nothing for err 0. */
void lun_service_note(char *note, size_t room, const char *what, DWORD err);

/* That it is started again when it dies. */
void lun_service_recovery(SERVICE_FAILURE_ACTIONSW *actions);

bool lun_service_is_name(const char *name);
bool lun_service_is_drive(const char *prefix);

/* Program and arguments, quoted: what the manager starts.  malloc'ed. */
char *lun_service_image(const char *program, const char *const *argv);

/* The word behind "-p" and the like; NULL if there is none. */
const char *lun_service_option(char *const *argv, const char *option);

/* --- eventlog.c --- */

/* The source's key: what shows its events as text. */
lun_err lun_event_register(const wchar_t *name);
void lun_event_unregister(const wchar_t *name);

/* From then on lun_event_log() reports under that name. */
void lun_event_open(const wchar_t *name);

/* --- grant.c --- */

typedef enum {
    LUN_GRANT_NOTHING,             /* what was granted is taken back */
    LUN_GRANT_READ,                /* and run */
    LUN_GRANT_WRITE                /* as well, and delete */
} lun_grant_right;

/* What the service's own account may do in a folder and all below. */
lun_err lun_grant(const wchar_t *path, const wchar_t *service,
    lun_grant_right right);

/* `old` (NULL: empty) with that; pure.  The list is LocalFree()d. */
lun_err lun_grant_list(const wchar_t *sid, lun_grant_right right, PACL old,
    PACL *list);

/*
 * What a service's account needs: this program's folder and the prefix to
 * read, the folders in it that it writes to, which are made.  `note` as above;
 * NULL: all of it is taken back, and nobody minds a folder that has gone.
 */
void lun_grant_folders(const char *prefix, const wchar_t *service, char *note,
    size_t room);

/* "S-1-5-80-...": the system makes it of the name; `sid` has room for 80. */
void lun_grant_sid(const wchar_t *service, wchar_t *sid);

#endif
