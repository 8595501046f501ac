/*
 * log_rotate.c -- when a log file is put aside, and what a failure leaves.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/log/log_rotate.c"

#include "os/dir.h"
#include "tap.h"

#define FOLDER  "build/log_rotate.test"

static char            said[4096];
static shared          all;
static lun_zone        zone = { .shm.addr = &all };
static lun_log_set     set;


static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    strncat(said, line, lun_min(len, sizeof(said) - strlen(said) - 1));
}


static lun_log_target  ear = { .level = LUN_LOG_WARN, .write = hear };
static lun_log         both = { .level = LUN_LOG_WARN, .targets = &ear };


static void
put(const char *name, const char *text)
{
    char    path[256];
    lun_fd  fd;

    snprintf(path, sizeof(path), FOLDER "/%s", name);

    if (lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_TRUNC,
                      0644, &fd) == 0)
    {
        lun_file_write(fd, text, strlen(text), 0);
        lun_file_close(fd);
    }
}


/* "" for an empty one, "-" for none. */
static void
has(const char *name, const char *want, const char *what)
{
    char    path[256], *data = NULL;
    size_t  size = 0;

    snprintf(path, sizeof(path), FOLDER "/%s", name);

    if (lun_file_slurp(path, &data, &size) != 0) {
        is_str("-", want, "%s", what);
        return;
    }

    is_mem(data, size, want, strlen(want), "%s", what);
    free(data);
}


static void
delete_all(void)
{
    char    path[256];
    size_t  i;

    static const char *const  names[] = {
        "a.log", "a.log.1", "a.log.2", "a.log.3"
    };

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        snprintf(path, sizeof(path), FOLDER "/%s", names[i]);
        lun_file_delete(path);
    }

    lun_dir_delete(FOLDER);
}


/* a.log, rotated at 10 bytes, two old ones kept. */
static lun_log_file *
begin(lun_log_rotation *r)
{
    lun_log_file  *f;

    memset(&set, 0, sizeof(set));
    memset(&all, 0, sizeof(all));
    set.pool = lun_pool_new_sized(4096);
    said[0] = '\0';
    lun_clock_update();
    lun_dir_make_all(FOLDER, 0755);

    *r = (lun_log_rotation) { .size = 10, .keep = 2, .zone = &zone };
    f = lun_log_file_want(&set, LUN_STR(FOLDER "/a.log"));
    f->rotation = r;
    return f;
}


static void
end(void)
{
    lun_log_files_close(&set);
    lun_pool_free(set.pool);
    delete_all();
}


static void
a_full_file_goes_aside(void)
{
    lun_log_rotation   r;
    lun_log_file      *f = begin(&r);

    put("a.log", "12345678\n");
    lun_log_files_open(&set);
    lun_log_file_write(f, "two\n", 4);
    lun_log_file_write(f, "three\n", 6);
    lun_log_file_write(f, "four\n", 5);

    has("a.log", "four\n", "the newest");
    has("a.log.1", "two\nthree\n", "the one before");
    has("a.log.2", "12345678\n", "the oldest");
    has("a.log.3", "-", "and no more");
    is_int((int) all.turn, 2, "two turns");
    end();
}


/* As it is after a new one could not be made. */
static void
a_file_that_is_aside_already_shifts_nothing(void)
{
    lun_log_rotation   r;
    lun_log_file      *f = begin(&r);

    put("a.log", "12345678\n");
    put("a.log.1", "old\n");
    lun_log_files_open(&set);
    lun_file_rename(FOLDER "/a.log", FOLDER "/a.log.2");

    lun_log_file_write(f, "two\n", 4);
    has("a.log", "two\n", "a new file");
    has("a.log.1", "old\n", "the old ones stay");
    has("a.log.2", "12345678\n", "where they were");
    end();
}


static void
what_cannot_be_opened_is_said_once_a_minute(void)
{
    char              *again;
    lun_log_rotation   r;
    lun_log_file      *f = begin(&r);

    put("a.log", "12345678\n");
    lun_log_files_open(&set);
    lun_log_set_default(&both);
    lun_log_files_close(&set);
    delete_all();

    f->fd = lun_file_stderr();
    r.seen = 9;
    lun_log_rotate(f, 10);
    again = strstr(said, "open() \"" FOLDER "/a.log\" failed");
    ok(again != NULL, "it is said");
    ok(again == NULL || strstr(again + 1, "open()") == NULL, "once");

    said[0] = '\0';
    r.seen = 9;
    lun_log_rotate(f, 10);
    is_str(said, "", "and not tried again at once");
    ok(all.lock.owner == 0, "the lock is free");

    f->fd = LUN_FD_NONE;
    lun_log_set_default(NULL);
    end();
}


/* 2026-11-22 was a Sunday. */
static void
periods_begin_with_the_calendar(void)
{
    static const struct {
        int64_t      period;
        int64_t      before;       /* the last second of one, in local time */
        const char  *what;
    } rows[] = {
        { 3600, 1795305599, "an hour" },
        { DAY, 1795391999, "a day, at midnight" },
        { WEEK, 1795391999, "a week, on Monday" },
        { 2 * WEEK, 1795996799, "two weeks" },
    };

    int               east;
    size_t            i;
    int64_t           sec;
    lun_date          d;
    lun_log_rotation  r = { .size = 0 };

    lun_clock_update();
    lun_clock_local_date(&d, &east);

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        r.period = rows[i].period;
        sec = rows[i].before - east * 60;
        ok(epoch_of(&r, sec) + 1 == epoch_of(&r, sec + 1), "%s begins",
           rows[i].what);
        ok(epoch_of(&r, sec + 1) == epoch_of(&r, sec + r.period),
           "%s lasts", rows[i].what);
    }
}


int
main(void)
{
    a_full_file_goes_aside();
    a_file_that_is_aside_already_shifts_nothing();
    what_cannot_be_opened_is_said_once_a_minute();
    periods_begin_with_the_calendar();

    return done_testing();
}
