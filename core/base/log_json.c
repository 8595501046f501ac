/*
 * log_json.c -- a message as an object of JSON, in one line:
 *
 *     {"time":"2026-11-28T19:00:00+00:00","level":"error","pid":7,"tid":7,
 *      "connection":3,"message":"...","errno":2,"error":"No such file ...",
 *      "while":"...","client":"127.0.0.1",...}
 *
 * Whatever has to be cut, it stays one: a value is cut, a member left out.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/log_json.h"

#include "base/utf8.h"


enum {
    KINDS   = 8,                   /* of contexts that have members */
    REST    = 6144,                /* of a line: for what follows its message */
    VALUE   = 2048,                /* bytes of a member's value, at most */
    ERROR   = 128
};

static struct {
    lun_log_context_fn  *context;
    lun_log_members_fn  *members;
} kinds[KINDS];


void
lun_log_json_members(lun_log_context_fn *context, lun_log_members_fn *members)
{
    size_t  i;

    for (i = 0; i < KINDS; i++) {
        if (kinds[i].context == NULL || kinds[i].context == context) {
            kinds[i].context = context;
            kinds[i].members = members;
            return;
        }
    }
}


char *
lun_log_json_text(char *p, const char *end, const char *name, lun_str value)
{
    const char  *last;
    size_t       frame = strlen(name) + sizeof(",\"\":\"\"") - 1;

    if ((size_t) (end - p) < frame + LUN_UTF8_JSON) {
        return p;
    }

    p = lun_fmt(p, end, ",\"%s\":\"", name);
    last = end - p > VALUE ? p + VALUE : end - 1;
    p = lun_utf8_json(p, last, value);
    *p++ = '"';

    return p;
}


char *
lun_log_json_number(char *p, const char *end, const char *name, int64_t n)
{
    size_t  frame = strlen(name) + sizeof(",\"\":") - 1 + 20;

    return (size_t) (end - p) < frame
           ? p : lun_fmt(p, end, ",\"%s\":%" PRId64, name, n);
}


/* What only says it in words says it in one text: client: ..., server: ... */
static char *
put_context(char *p, const char *end, const lun_log *log)
{
    char    *last, room[VALUE];
    lun_str  text;

    last = log->context(log->owner, room, room + sizeof(room));
    text = lun_str_of(room, (size_t) (last - room));

    if (lun_str_starts(text, LUN_STR(", "))) {
        text = lun_str_of(text.data + 2, text.len - 2);
    }

    return text.len != 0 ? lun_log_json_text(p, end, "context", text) : p;
}


static char *
put_members(char *p, const char *end, const lun_log *log, bool brief)
{
    size_t  i;

    for (i = 0; i < KINDS && kinds[i].context != NULL; i++) {
        if (kinds[i].context == log->context) {
            return kinds[i].members(log->owner, p, end, brief);
        }
    }

    return brief ? p : put_context(p, end, log);
}


/*
 * What identifies the line comes first: should the room run out, it is the
 * message and the members behind it that are cut, and REST bytes are kept for
 * the end of an object that stays valid.
 */
char *
lun_log_json(char *p, const char *end, const lun_log_message *m)
{
    const lun_log  *log = m->log;

    p = lun_fmt(p, end, "{\"time\":\"%.*s\",\"level\":\"%s\",\"pid\":%" PRId64
                ",\"tid\":%" PRId64, LUN_S(m->time),
                lun_log_level_name(m->level), m->pid, m->tid);

    if (log->conn != 0) {
        p = lun_log_json_number(p, end, "connection", (int64_t) log->conn);
    }

    p = lun_fmt(p, end, ",\"message\":\"");
    p = lun_utf8_json(p, end - REST, m->text);
    *p++ = '"';

    if (m->err != 0) {
        p = lun_log_json_number(p, end, "errno", m->err);
        p = lun_log_json_text(p, end, "error", m->error);
    }

    if (log->doing != NULL && m->level != LUN_LOG_DEBUG) {
        p = lun_log_json_text(p, end, "while", lun_str_z(log->doing));
    }

    if (log->context != NULL) {
        p = put_members(p, end - 2, log, m->level == LUN_LOG_DEBUG);
    }

    *p++ = '}';
    return p;
}
