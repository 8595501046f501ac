/*
 * log_json.c -- messages as objects, which stay objects whatever is in them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/log_json.c"

#include "base/check.h"
#include "tap.h"


static char *
in_words(void *owner, char *p, const char *end)
{
    return lun_fmt(p, end, ", client: %s", (const char *) owner);
}


static char *
with_members(void *owner, char *p, const char *end)
{
    return p;
}


static char *
list_members(void *owner, char *p, const char *end, bool brief)
{
    int  i;

    p = lun_log_json_text(p, end, "id", LUN_STR("7"));

    for (i = 0; !brief && i < 10; i++) {
        p = lun_log_json_text(p, end, "long", lun_str_z(owner));
    }

    return p;
}


static const char *
object_of(lun_log *log, lun_log_level level, int err, const char *text)
{
    char             *end;
    static char       line[LUN_LOG_JSON_LINE + 1];
    lun_log_message   m = {
        .log = log, .level = level, .time = LUN_STR("now"), .pid = 1,
        .tid = 2, .text = lun_str_z(text), .err = err,
        .error = LUN_STR("No \"such\" file")
    };

    memset(line, '!', sizeof(line));
    end = lun_log_json(line, line + LUN_LOG_JSON_LINE, &m);
    LUN_CHECK(end <= line + LUN_LOG_JSON_LINE
              && line[LUN_LOG_JSON_LINE] == '!');
    *end = '\0';
    return line;
}


/* Quotes are in pairs, brackets outside of them too, and it ends there. */
static bool
is_object(const char *p)
{
    bool  inside = false;

    for ( ; *p != '\0'; p++) {
        if (inside && *p == '\\') {
            p++;

        } else if (*p == '"') {
            inside = !inside;

        } else if ((unsigned char) *p < ' ') {
            return false;
        }
    }

    return !inside && p[-1] == '}';
}


int
main(void)
{
    char      text[20000];
    size_t    i;
    lun_log   log = { .conn = 3, .doing = "reading",
                      .context = in_words, .owner = "a\"b" };

    is_str(object_of(&log, LUN_LOG_ERR, 2, "open() \"x\xff\"\n failed"),
           "{\"time\":\"now\",\"level\":\"error\",\"pid\":1,\"tid\":2,"
           "\"connection\":3,\"message\":\"open() \\\"x\\ufffd\\\"\\n failed\","
           "\"errno\":2,\"error\":\"No \\\"such\\\" file\",\"while\":"
           "\"reading\",\"context\":\"client: a\\\"b\"}", "all parts");
    is_str(object_of(&log, LUN_LOG_DEBUG, 0, "x"),
           "{\"time\":\"now\",\"level\":\"debug\",\"pid\":1,\"tid\":2,"
           "\"connection\":3,\"message\":\"x\"}", "debug lines have fewer");

    lun_log_json_members(with_members, list_members);
    log = (lun_log) { .context = with_members, .owner = "v" };
    ok(strstr(object_of(&log, LUN_LOG_WARN, 0, "x"),
              "\"message\":\"x\",\"id\":\"7\",\"long\":\"v\"") != NULL,
       "members instead of words");
    ok(strstr(object_of(&log, LUN_LOG_DEBUG, 0, "x"),
              "\"message\":\"x\",\"id\":\"7\"}") != NULL,
       "few, in debug lines");

    memset(text, '\\', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    log.owner = text;

    for (i = 0; i < 12000; i += 7) {
        if (!is_object(object_of(&log, LUN_LOG_ERR, 2,
                                 text + sizeof(text) - 1 - i)))
        {
            break;
        }
    }

    ok(i >= 12000, "long texts are cut, members are left out");
    return done_testing();
}
