/*
 * signals.c -- words told to a master, and telling it one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/signals.h"

#include <stdlib.h>

#include "os/control.h"
#include "os/privileged.h"
#include "os/service.h"
#include "run/main_conf.h"
#include "run/startlog.h"


enum { ANSWER_LIMIT = 60000 };     /* ms: a reload may read much */

/* As nginx's log has them; on Windows the words come through the pipe. */
static const struct {
    int          number;
    const char  *name;
    const char  *what;
} texts[LUN_SIGNALS] = {
    [LUN_SIGNAL_QUIT]    = { 3,  "SIGQUIT",  ", shutting down" },
    [LUN_SIGNAL_STOP]    = { 15, "SIGTERM",  ", exiting" },
    [LUN_SIGNAL_REOPEN]  = { 10, "SIGUSR1",  ", reopening logs" },
    [LUN_SIGNAL_RELOAD]  = { 1,  "SIGHUP",   ", reconfiguring" },
    [LUN_SIGNAL_UPGRADE] = { 12, "SIGUSR2",  ", changing binary" },
    [LUN_SIGNAL_WINCH]   = { 28, "SIGWINCH", ", shutting down workers" },
    [LUN_SIGNAL_DUMP]    = { 21, "SIGTTIN",  ", writing a dump" },
    [LUN_SIGNAL_PROFILE] = { 22, "SIGTTOU",  ", profiling" },
};

static char  last_error[LUN_LOG_LINE];


void
lun_signals_log(lun_signal signal, const lun_log *log)
{
    if (texts[signal].name != NULL) {
        lun_log(LUN_LOG_NOTICE, log, 0, "signal %d (%s) received%s",
                texts[signal].number, texts[signal].name, texts[signal].what);
    }
}


/* Text behind the head: "date time [emerg] 1#1: text". */
static void
keep_error(lun_log_target *t, lun_log_level level, const char *line,
    size_t len)
{
    lun_str      rest = lun_str_of(line, len);
    const char  *text = lun_str_find(rest, LUN_STR(": "));

    if (text != NULL) {
        lun_event_log(level, text + 2, (size_t) (line + len - text) - 2);
    }

    if (last_error[0] == '\0' && text != NULL) {
        text += 2;
        len -= (size_t) (text - line) + 1;
        memcpy(last_error, text, len);
        last_error[len] = '\0';
    }
}


void
lun_signals_keep_error(const lun_generation *gen)
{
    static lun_log         both;
    static lun_log_target  ear = { .level = LUN_LOG_EMERG,
                                   .write = keep_error };

    last_error[0] = '\0';

    both = gen->log;
    ear.next = both.targets;
    both.targets = &ear;

    lun_log_set_default(&both);
}


const char *
lun_signals_last_error(void)
{
    return last_error[0] != '\0' ? last_error : "see the error log";
}


void
lun_signals_set_error(const char *text)
{
    if (last_error[0] == '\0') {
        (void) lun_fmt(last_error, last_error + sizeof(last_error) - 1, "%s",
                       text);
    }
}


static void
say_unreadable(lun_str path, lun_err err)
{
    lun_log(LUN_LOG_ERR, NULL, err, "open() \"%.*s\" failed", LUN_S(path));

    if (lun_err_kind_of(err) == LUN_ERR_NOT_FOUND) {
        lun_startlog_say("not running, or with another \"pid\"");

    } else if (lun_err_kind_of(err) == LUN_ERR_ACCESS) {
        lun_startlog_say("run this as administrator, or as the account "
                         "that started " LUN_PRODUCT);
    }
}


/* The number in a pid file, with its newline. */
static lun_rc
parse_pid(lun_str path, lun_str text, int64_t *pid)
{
    while (text.len != 0 && (text.data[text.len - 1] == '\n'
                             || text.data[text.len - 1] == '\r'))
    {
        text.len--;
    }

    if (lun_str_to_i64(text, pid) == LUN_OK && *pid > 0) {
        return LUN_OK;
    }

    lun_log(LUN_LOG_ERR, NULL, 0, "invalid PID number \"%.*s\" in \"%.*s\"",
            (int) lun_min(text.len, (size_t) 32), text.data, LUN_S(path));
    return LUN_ERROR;
}


/* Whoever may write the file must not make root end what only root may. */
static lun_rc
read_pid(lun_str path, int64_t *pid)
{
    char     *data = NULL;
    lun_fd    fd;
    lun_rc    rc;
    size_t    size;
    lun_err   err = lun_file_open(path.data, LUN_FILE_READ, 0, &fd);

    if (err != 0) {
        say_unreadable(path, err);
        return LUN_ERROR;
    }

    err = lun_file_slurp_fd(fd, &data, &size);

    if (err != 0) {
        say_unreadable(path, err);
        rc = LUN_ERROR;

    } else {
        rc = parse_pid(path, lun_str_of(data, size), pid);
    }

    if (rc == LUN_OK && !lun_privileged_may_name(fd, *pid)) {
        lun_log(LUN_LOG_ERR, NULL, 0, "process %" PRId64 " does not belong "
                "to the owner of \"%.*s\"", *pid, LUN_S(path));
        rc = LUN_ERROR;
    }

    lun_file_close(fd);
    free(data);
    return rc;
}


int
lun_signals_send(const lun_generation *gen, lun_signal signal)
{
    char     why[LUN_LOG_LINE];
    int64_t  pid;

    if (read_pid(lun_main_conf_of(gen)->pid, &pid) != LUN_OK) {
        return 1;
    }

    if (lun_control_send(pid, signal, ANSWER_LIMIT, why, sizeof(why))
        != LUN_OK)
    {
        lun_log(LUN_LOG_ALERT, NULL, 0, "%s", why);
        return 1;
    }

    return 0;
}
