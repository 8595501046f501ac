/*
 * log_json.h -- messages of the error log as objects of JSON: for log.c, and
 * for rooms whose context has more to say than a text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOG_JSON_H
#define LUN_LOG_JSON_H

#include "base/log.h"

enum { LUN_LOG_JSON_LINE = 16384 };    /* room for one, at least */

typedef struct {
    const lun_log  *log;
    lun_log_level   level;
    lun_str         time;          /* ISO 8601 */
    int64_t         pid, tid;
    lun_str         text;
    int             err;           /* 0: none */
    lun_str         error;         /* what that is */
} lun_log_message;

/* One line without its end; returns the end. */
char *lun_log_json(char *p, const char *end, const lun_log_message *m);

/*
 * Members at p, not past end, whole or not at all; returns the new p.  `brief`
 * of debug lines: what tells requests apart, and no more.
 */
typedef char *lun_log_members_fn(void *owner, char *p, const char *end,
    bool brief);

/*
 * Logs with that context have these members instead of its text.  When the
 * program starts; the same again changes nothing.
 */
void lun_log_json_members(lun_log_context_fn *context,
    lun_log_members_fn *members);

/* ,"name":"value", the value cut where it is long; nothing without room. */
char *lun_log_json_text(char *p, const char *end, const char *name,
    lun_str value);
char *lun_log_json_number(char *p, const char *end, const char *name,
    int64_t n);

#endif
