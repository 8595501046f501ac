/*
 * log.c -- what a line looks like.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/log.c"

#include "tap.h"


static char    lines[3 * LUN_LOG_LINE];
static size_t  lines_len;
static int     writes;


static void
keep(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    memcpy(lines + lines_len, line, len);
    lines_len += len;
    lines[lines_len] = '\0';
    writes++;
}


static void
forget(void)
{
    lines_len = 0;
    lines[0] = '\0';
    writes = 0;
}


static char *
context(void *owner, char *p, const char *end)
{
    return lun_fmt(p, end, ", client: %s", (const char *) owner);
}


static lun_str
timestamp(void)
{
    return LUN_STR("2026/11/21 03:27:00");
}


static int64_t
number(void)
{
    return 123;
}


static lun_str
error_text(int err, char *room, size_t size)
{
    return err == 2 ? LUN_STR("No such file or directory") : LUN_STR("?");
}


static lun_log_target  warn = { .level = LUN_LOG_WARN, .write = keep };
static lun_log_target  info = { .level = LUN_LOG_INFO, .write = keep,
                                .next = &warn };
static lun_log         logger = { .level = LUN_LOG_INFO, .targets = &info };


static void
one_line(void)
{
    static const lun_log_services  given = {
        .timestamp = timestamp, .pid = number, .tid = number,
        .error_text = error_text
    };

    lun_log(LUN_LOG_INFO, &logger, 0, "hello %d", 5);
    is_str(lines, "1970/01/01 00:00:00 [info] 0#0: hello 5\n",
           "without services");
    is_int(writes, 1, "only the target that wants it");

    lun_log_set_services(&given);
    forget();
    logger.conn = 7;
    logger.doing = "reading client request line";
    logger.context = context;
    logger.owner = "127.0.0.1";
    warn.level = LUN_LOG_STDERR;

    lun_log(LUN_LOG_ERR, &logger, 2, "open() \"%s\" failed", "/x");
    is_str(lines, "2026/11/21 03:27:00 [error] 123#123: *7 open() \"/x\" "
           "failed (2: No such file or directory) while reading client "
           "request line, client: 127.0.0.1\n", "all parts in nginx's order");

    forget();
    lun_log_text(LUN_LOG_NOTICE, &logger, LUN_STR("100%s"));
    is_str(lines, "2026/11/21 03:27:00 [notice] 123#123: *7 100%s while "
           "reading client request line, client: 127.0.0.1\n",
           "a finished text is not formatted");

    forget();
    lun_debug(&logger, "no");
    lun_log_text(LUN_LOG_DEBUG, &logger, LUN_STR("no"));
    is_int(writes, 0, "nobody wants debug");

    logger.level = info.level = LUN_LOG_DEBUG;
    lun_debug(&logger, "yes");
    is_str(lines, "2026/11/21 03:27:00 [debug] 123#123: *7 yes\n",
           "debug lines have no context");
}


static void
long_lines(void)
{
    char  text[LUN_LOG_LINE * 2];

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';

    forget();
    lun_log(LUN_LOG_ERR, &logger, 0, "%s", text);
    is_int(lines_len, LUN_LOG_LINE, "a long line is cut");
    ok(lines[lines_len - 1] == '\n', "and ends with its newline");

    forget();
    lun_log_text(LUN_LOG_ERR, &logger, lun_str_z(text));
    is_int(lines_len, LUN_LOG_LINE, "a long text is cut");

    forget();
    lun_log(LUN_LOG_ERR, &logger, 2, "%s", text);
    ok(strstr(lines, "x... (2: No such file or directory) while") != NULL,
       "a long line keeps its error");
}


static void
names(void)
{
    int            i;
    lun_log_level  level = LUN_LOG_STDERR;

    for (i = LUN_LOG_EMERG; i <= LUN_LOG_DEBUG; i++) {
        ok(lun_log_level_parse(lun_str_z(lun_log_level_name(i)), &level)
           == LUN_OK && (int) level == i, "%s", lun_log_level_name(i));
    }

    ok(lun_log_level_parse(LUN_STR("loud"), &level) == LUN_ERROR, "no level");
    ok(lun_log_level_parse(LUN_STR(""), &level) == LUN_ERROR, "empty");
}


/* Of one connection all is wanted, whatever the log's level. */
static void
forced(void)
{
    lun_log_target  quiet = { .level = LUN_LOG_ERR, .write = keep };
    lun_log         from = { .level = LUN_LOG_ERR, .targets = &quiet };
    lun_log         log = from;

    forget();
    lun_debug(&log, "one");
    log.level = LUN_LOG_DEBUG;
    lun_debug(&log, "two");
    is_int(writes, 0, "the target has a level");
    log.forced = true;
    lun_debug(&log, "three");
    ok(strstr(lines, "[debug] 123#123: three") != NULL, "that is passed by");

    log.targets = NULL;
    lun_log_redirect(&log, &from);
    lun_debug(&log, "four");
    is_int(writes, 2, "of another log as well");
    log.forced = false;
    lun_log_redirect(&log, &from);
    lun_debug(&log, "five");
    is_int(writes, 2, "one that is not forced has the other's level");
}


int
main(void)
{
    one_line();
    forced();
    long_lines();
    names();

    lun_log_set_default(&logger);
    forget();
    lun_log(LUN_LOG_EMERG, NULL, 0, "dying");
    ok(strstr(lines, "[emerg] 123#123: *7 dying") != NULL, "the default log");
    lun_log_set_default(NULL);
    ok(lun_log_default() != NULL && lun_log_default() != &logger, "reset");

    return done_testing();
}
