/*
 * startlog.c -- what a start says: to the person at the terminal without the
 * time, to the error log with it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/startlog.h"

#include <stdio.h>

#include "os/clock.h"
#include "os/privileged.h"
#include "os/proc.h"
#include "os/service.h"


static void to_terminal(lun_log_target *t, lun_log_level level,
    const char *line, size_t len);
static void to_file(lun_log_target *t, lun_log_level level, const char *line,
    size_t len);


static lun_fd  file = LUN_FD_NONE;

static lun_log_target  file_target = {
    .level = LUN_LOG_NOTICE, .write = to_file
};
static lun_log_target  terminal_target = {
    .level = LUN_LOG_WARN, .write = to_terminal
};
static lun_log  start_log = {
    .level = LUN_LOG_WARN, .targets = &terminal_target
};


static void
to_file(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    (void) lun_file_write(file, line, len, -1);
}


static void
write_stderr(const char *text, size_t len)
{
    (void) lun_file_write(lun_file_stderr(), text, len, -1);
}


/* "date time [level] 1#1: text" becomes "lunette: [level] text". */
static void
to_terminal(lun_log_target *t, lun_log_level level, const char *line,
    size_t len)
{
    char        *p;
    char         out[LUN_LOG_LINE + 64];
    lun_str      rest = lun_str_of(line, len);
    const char  *text = lun_str_find(rest, LUN_STR(": "));

    text = text != NULL ? text + 2 : line;
    rest = lun_str_of(text, (size_t) (line + len - text));

    p = lun_fmt(out, out + sizeof(out), LUN_PRODUCT ": [%s] %.*s",
                lun_log_level_name(level), LUN_S(rest));
    write_stderr(out, (size_t) (p - out));
    lun_event_log(level, rest.data, rest.len);
}


void
lun_startlog_say(const char *fmt, ...)
{
    char     *p;
    char      out[LUN_LOG_LINE] = LUN_PRODUCT ": ";
    va_list   args;

    va_start(args, fmt);
    p = lun_vfmt(out + strlen(out), out + sizeof(out) - 1, fmt, args);
    va_end(args);

    *p++ = '\n';
    write_stderr(out, (size_t) (p - out));
}


void
lun_startlog_open(lun_str path)
{
    char     room[256];
    lun_err  err;

    lun_log_set_default(&start_log);

    if (lun_str_eq(path, LUN_STR("stderr"))) {
        return;
    }

    err = lun_privileged_open(path.data,
                              LUN_FILE_WRITE | LUN_FILE_APPEND
                              | LUN_FILE_CREATE, 0644, NULL, &file);

    if (err != 0) {
        file = LUN_FD_NONE;
        lun_startlog_say("[alert] could not open error log file: open() "
                         "\"%.*s\" failed (%d: %.*s)", LUN_S(path), err,
                         LUN_S(lun_err_text(err, room, sizeof(room))));
        return;
    }

    start_log.level = LUN_LOG_NOTICE;
    terminal_target.next = &file_target;
}


static void
close_file(void)
{
    if (file != LUN_FD_NONE) {
        lun_file_close(file);
        file = LUN_FD_NONE;
    }
}


void
lun_startlog_use(const lun_generation *gen)
{
    terminal_target.next = gen->log.targets;
    start_log.level = lun_max(gen->log.level, LUN_LOG_WARN);
    close_file();
}


void
lun_startlog_close(const lun_generation *gen)
{
    close_file();
    lun_log_set_default(&gen->log);
}


/* Some error_log, of whatever block, is to go to standard error. */
static bool
wants_stderr(const lun_generation *gen)
{
    return gen->logs.files.count != 0
           && lun_hash_get(&gen->logs.names, LUN_STR("stderr")) != NULL;
}


void
lun_startlog_redirect(const lun_generation *gen)
{
    lun_err  err = 0;
    lun_fd   fd = lun_error_log_fd(&gen->log);

    if (fd != LUN_FD_NONE && !wants_stderr(gen)) {
        err = lun_proc_redirect_stderr(fd);
    }

    if (err != 0) {
        lun_log(LUN_LOG_ALERT, &gen->log, err, "dup2(STDERR) failed");
    }
}


/* --- services --- */

static int64_t
process_id(void)
{
    return lun_proc_pid();
}


void
lun_startlog_services(void)
{
    static const lun_log_services  services = {
        .timestamp = lun_clock_error,
        .iso8601 = lun_clock_iso8601,
        .pid = process_id,
        .tid = process_id,
        .error_text = lun_err_text,
    };

    lun_clock_update();
    lun_log_set_services(&services);
}
