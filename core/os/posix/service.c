/*
 * service.c -- services are Windows'.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/service.h"

#include "base/fmt.h"


const char  lun_service_default_name[] = LUN_PRODUCT;


static lun_rc
refuse(char *why, size_t room)
{
    *lun_fmt(why, why + room - 1, "services are Windows only: here let "
             "systemd, or whatever starts programs, run \"" LUN_PRODUCT
             " -g 'daemon off;'\"") = '\0';
    return LUN_ERROR;
}


lun_rc
lun_service_install(const lun_service_spec *spec, char *note,
    size_t note_room, char *why, size_t room)
{
    *note = '\0';
    return refuse(why, room);
}


lun_rc
lun_service_uninstall(const char *name, char *why, size_t room)
{
    return refuse(why, room);
}


char **
lun_service_argv(const char *name, int *argc, char *why, size_t room)
{
    *argc = 0;
    (void) refuse(why, room);
    return NULL;
}


lun_rc
lun_service_start(const char *name, bool *ended, char *why, size_t room)
{
    *ended = false;
    return refuse(why, room);
}


lun_rc
lun_service_stop(const char *name, char *why, size_t room)
{
    return refuse(why, room);
}


lun_rc
lun_service_reload(const char *name, char *why, size_t room)
{
    return refuse(why, room);
}


lun_rc
lun_service_query(const char *name, lun_service_info *info, char *why,
    size_t room)
{
    return refuse(why, room);
}


lun_rc
lun_service_run(const char *name, lun_service_fn *serve, void *data,
    int *status, char *why, size_t room)
{
    return refuse(why, room);
}


bool
lun_service_starting(void)
{
    return false;
}


void
lun_service_ready(void)
{
}


void
lun_event_log(lun_log_level level, const char *line, size_t len)
{
}
