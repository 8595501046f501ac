/*
 * log_file.c -- log files: shared by path, buffered, opened anew.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/log/log_file.c"

#include "os/dir.h"
#include "tap.h"


static char  folder[1024];
static char  path_text[2048];


static const char *
path_of(const char *name)
{
    snprintf(path_text, sizeof(path_text), "%s/%s", folder, name);
    return path_text;
}


static void
is_in_file(const char *name, const char *want, const char *what)
{
    char    *data = NULL;
    size_t   size = 0;

    if (lun_file_slurp(path_of(name), &data, &size) != 0) {
        ok(0, "%s: no file", what);
        return;
    }

    is_mem(data, size, want, strlen(want), "%s", what);
    free(data);
}


static void
begin(lun_log_set *set)
{
    memset(set, 0, sizeof(*set));
    set->pool = lun_pool_new_sized(4096);
}


static void
test_files(void)
{
    char             moved[2048];
    lun_log_file    *a, *b;
    lun_log_set      set;

    begin(&set);
    a = lun_log_file_want(&set, lun_str_z(path_of("a.log")));
    b = lun_log_file_want(&set, lun_str_z(path_of("b.log")));
    ok(a != b, "two paths are two files");
    ok(a == lun_log_file_want(&set, lun_str_z(path_of("a.log"))),
       "one path is one file");

    lun_log_file_write(a, "lost\n", 5);
    is_int(lun_log_files_open(&set), LUN_OK, "they are opened");
    lun_log_file_write(a, "one\n", 4);
    lun_log_file_write(a, "two\n", 4);
    is_in_file("a.log", "one\ntwo\n", "what is written is there at once");
    is_in_file("b.log", "", "a file without lines is there");

    b->buf = lun_pool_text(set.pool, 8);
    b->buf_size = 8;
    lun_log_file_write(b, "12345\n", 6);
    is_in_file("b.log", "", "a buffer keeps its lines");
    lun_log_file_write(b, "678\n", 4);
    is_in_file("b.log", "12345\n", "until the next does not fit");
    lun_log_file_write(b, "a long line\n", 12);
    is_in_file("b.log", "12345\n678\na long line\n", "order is kept");
    lun_log_file_write(b, "end\n", 4);

    snprintf(moved, sizeof(moved), "%s", path_of("moved.log"));
    is_int(lun_file_rename(path_of("a.log"), moved), 0, "moved away");
    lun_log_file_write(a, "three\n", 6);
    lun_log_files_reopen(&set);
    lun_log_file_write(a, "four\n", 5);
    is_in_file("a.log", "four\n", "reopened under the name");
    is_in_file("b.log", "12345\n678\na long line\nend\n",
               "reopening empties the buffer");

    lun_log_files_close(&set);
    lun_log_files_close(&set);
    lun_log_file_write(a, "late\n", 5);
    is_in_file("a.log", "four\n", "a closed file takes nothing");

    lun_file_delete(moved);
    lun_file_delete(path_of("a.log"));
    lun_file_delete(path_of("b.log"));
    lun_pool_free(set.pool);
}


static void
test_failure(void)
{
    lun_log_set  set;

    begin(&set);
    lun_log_file_want(&set, lun_str_z(path_of("no/such/folder/a.log")));
    is_int(lun_log_files_open(&set), LUN_ERROR, "a folder that is not there");
    lun_log_files_close(&set);
    lun_pool_free(set.pool);
}


static void
test_error_log(void)
{
    char            *data = NULL;
    size_t           size = 0;
    lun_log          log = { .level = LUN_LOG_ERR };
    lun_log_set      set;

    begin(&set);
    lun_error_log_add_file(&set, &log, lun_str_z(path_of("e.log")),
                           LUN_LOG_ERR, false);
    is_int(log.level, LUN_LOG_ERR, "a log has its target's level");
    lun_error_log_add_file(&set, &log, lun_str_z(path_of("f.log")),
                           LUN_LOG_INFO, false);
    is_int(log.level, LUN_LOG_INFO, "or the most talkative one's");

    lun_log_files_open(&set);
    lun_log(LUN_LOG_ERR, &log, 0, "bad");
    lun_log(LUN_LOG_NOTICE, &log, 0, "so so");
    lun_log(LUN_LOG_DEBUG, &log, 0, "talk");
    lun_log_files_close(&set);

    lun_file_slurp(path_of("e.log"), &data, &size);
    ok(strstr(data, "bad\n") && !strstr(data, "so so"), "errors in one");
    free(data);

    lun_file_slurp(path_of("f.log"), &data, &size);
    ok(strstr(data, "bad\n") && strstr(data, "so so\n")
       && !strstr(data, "talk"), "more in the other, both without debug");
    free(data);

    lun_file_delete(path_of("e.log"));
    lun_file_delete(path_of("f.log"));
    lun_pool_free(set.pool);
}


int
main(void)
{
    snprintf(folder, sizeof(folder), "build/log_file.test");
    lun_dir_make_all(folder, 0755);

    test_files();
    test_failure();
    test_error_log();

    lun_dir_delete(folder);
    return done_testing();
}
