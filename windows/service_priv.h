/*
 * service_priv.h -- what service.c, service_run.c, grant.c and eventlog.c
 * share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_WIN_SERVICE_PRIV_H
#define LUN_WIN_SERVICE_PRIV_H

#include "os/service.h"
#include "windows/win.h"

/* --- eventlog.c --- */

/* The source's key: what shows its events as text. */
lun_err lun_event_register(const wchar_t *name);
void lun_event_unregister(const wchar_t *name);

/* From then on lun_event_log() reports under that name. */
void lun_event_open(const wchar_t *name);

/* --- grant.c --- */

/*
 * Lets the service's own account into a folder and all below: to read, or to
 * write as well.
 */
lun_err lun_grant(const wchar_t *path, const wchar_t *service, bool write);

/* "S-1-5-80-...": the system makes it of the name; `sid` has room for 80. */
void lun_grant_sid(const wchar_t *service, wchar_t *sid);

#endif
