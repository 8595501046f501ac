/*
 * conf_help.h -- for the tests of core/config: configurations made of texts
 * instead of files, and what was said about them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONF_HELP_H
#define LUN_CONF_HELP_H

#include "config/conf.h"
#include "tap.h"


static char  said[16384];          /* the log's lines without their heads */


static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    const char  *text;

    text = strstr(line, "#0: ");
    text = text != NULL ? text + 4 : line;
    len -= (size_t) (text - line);

    if (strlen(said) + len < sizeof(said)) {
        strncat(said, text, len - 1);
    }
}


static lun_log_target  ear = { .level = LUN_LOG_WARN, .write = hear };
static lun_log         test_log = { .level = LUN_LOG_WARN, .targets = &ear };


/* One reading: /p/conf/main is `text`, other files and globs as given. */
typedef struct {
    lun_conf           cf;
    lun_block         *top;
    lun_conf_snapshot  snapshot;
    lun_conf_file      files[8];
    lun_conf_glob      globs[4];
} reading;


static TAP_UNUSED void
begin(reading *rd)
{
    memset(rd, 0, sizeof(*rd));
    said[0] = '\0';

    rd->snapshot.files = rd->files;
    rd->snapshot.globs = rd->globs;

    rd->cf.pool = lun_pool_new_sized(4096);
    rd->cf.temp = lun_pool_new_sized(4096);
    rd->cf.log = &test_log;
    rd->cf.prefix = LUN_STR("/p/");
    rd->cf.conf_prefix = LUN_STR("/p/conf/");
    rd->cf.snapshot = &rd->snapshot;
    rd->cf.schema = lun_schema_new(rd->cf.pool);
}


static TAP_UNUSED void
add_file(reading *rd, const char *path, const char *text)
{
    lun_conf_file  *f = &rd->files[rd->snapshot.file_count++];

    f->path = lun_str_z(path);
    f->text = lun_str_of(tap_edge(text, strlen(text)), strlen(text));
}


static TAP_UNUSED lun_rc
read_main(reading *rd, const char *text)
{
    if (rd->top == NULL) {
        rd->top = lun_block_new(&rd->cf, NULL, LUN_MAIN);
    }

    add_file(rd, "/p/conf/main", text);
    return lun_conf_read_file(&rd->cf, LUN_STR("/p/conf/main"), rd->top);
}


static TAP_UNUSED void
finish_reading(reading *rd)
{
    lun_pool_free(rd->cf.temp);
    lun_pool_free(rd->cf.pool);
}

#endif
