/*
 * control.c -- words to a master: signals to its pid, which carry no answer.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/control.h"

#include <errno.h>
#include <signal.h>

#include "base/fmt.h"
#include "os/posix/proc_priv.h"


static lun_control_fn  *control_fn;
static lun_port        *control_port;


static void
on_signal(void *data, lun_signal signal)
{
    control_fn(data, signal, NULL);
}


lun_err
lun_control_open(lun_port *port, lun_control_fn *fn, void *data)
{
    control_fn = fn;
    control_port = port;
    lun_proc_on_signal(port, on_signal, data);

    return 0;
}


void
lun_control_close(void)
{
    if (control_port) {
        lun_proc_on_signal(control_port, NULL, NULL);
        control_port = NULL;
    }
}


void
lun_control_answer(lun_control *c, bool ok, const char *text)
{
}


lun_rc
lun_control_send(int64_t pid, lun_signal signal, lun_msec limit, char *why,
    size_t room)
{
    int      signo = lun_proc_signal(signal);
    char     text[64], *p;
    lun_err  err;
    lun_str  reason;

    err = pid <= 0 ? ESRCH : signo == 0 ? EINVAL
          : kill((pid_t) pid, signo) == -1 ? errno : 0;

    if (err == 0) {
        return LUN_OK;
    }

    reason = lun_err_text(err, text, sizeof(text));
    p = lun_fmt(why, why + room - 1, "kill(%" PRId64 ", %d) failed (%d: %.*s)",
                pid, signo, err, LUN_S(reason));
    *p = '\0';

    return LUN_ERROR;
}
