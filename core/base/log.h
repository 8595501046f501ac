/*
 * log.h -- the error log: levels, targets, and the context of a message.
 *
 *     lun_log(LUN_LOG_ERR, log, 0, "limiting \"%.*s\"", LUN_S(key));
 *
 * A line reads as nginx's:
 *     2026/11/21 03:27:00 [error] 123#123: *7 text (2: No such file ...),
 *     client: ..., server: ..., request: "...", host: "..."
 * The part after the text is written by the object the log belongs to.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LOG_H
#define LUN_LOG_H

#include "base/fmt.h"

typedef enum {
    LUN_LOG_STDERR = 0,
    LUN_LOG_EMERG,
    LUN_LOG_ALERT,
    LUN_LOG_CRIT,
    LUN_LOG_ERR,
    LUN_LOG_WARN,
    LUN_LOG_NOTICE,
    LUN_LOG_INFO,
    LUN_LOG_DEBUG
} lun_log_level;

typedef struct lun_log  lun_log;
typedef struct lun_log_target  lun_log_target;

/* One place that lines go to; a log writes to a list of them. */
struct lun_log_target {
    lun_log_level    level;        /* this and more urgent */
    bool             json;         /* lines are objects of JSON */
    void           (*write)(lun_log_target *t, lun_log_level level,
                        const char *line, size_t len);
    lun_log_target  *next;
};

/* Appends ", client: ..." and so on at p, not past end; returns the new p. */
typedef char *lun_log_context_fn(void *owner, char *p, const char *end);

struct lun_log {
    lun_log_level        level;    /* the most talkative of the targets' */
    bool                 forced;   /* targets get all that `level` allows */
    bool                 json;     /* one of the targets has JSON */
    lun_log_target      *targets;
    uint64_t             conn;     /* connection number, 0: none */
    const char          *doing;    /* "reading client request line", or NULL */
    lun_log_context_fn  *context;  /* may be NULL; not asked for debug */
    void                *owner;
};

enum { LUN_LOG_LINE = 4096 };      /* longer messages are cut (nginx: 2048) */

/*
 * `err` is an os/err.h code or 0; its text is appended as "(2: ...)".  A line
 * is one write.  Safe to call with log == NULL (the default log, standard
 * error until lun_log_set_default).
 */
#define lun_log(level_, log_, err_, ...)                                      \
    do {                                                                      \
        if (lun_log_wants((log_), (level_))) {                                \
            lun_log_write((level_), (log_), (err_), __VA_ARGS__);             \
        }                                                                     \
    } while (0)

#define lun_debug(log_, ...)  lun_log(LUN_LOG_DEBUG, (log_), 0, __VA_ARGS__)

LUN_COLD void lun_log_write(lun_log_level level, const lun_log *log, int err,
    const char *fmt, ...) LUN_PRINTF(4, 5);

/* A finished message, of any length (Lua's): cut at LUN_LOG_LINE as well. */
void lun_log_text(lun_log_level level, const lun_log *log, lun_str text);

/* Never NULL; set NULL to get standard error back. */
void lun_log_set_default(const lun_log *log);
const lun_log *lun_log_default(void);

/*
 * Whoever else wants each line that is written, whatever its log: without its
 * newline, from whatever thread.  It must not log.  NULL: nobody.
 */
typedef void lun_log_tap_fn(void *data, lun_log_level level, const char *line,
    size_t len);

void lun_log_set_tap(lun_log_tap_fn *tap, void *data);
/* The data of the present one. */
void *lun_log_tap_data(void);

static inline bool
lun_log_wants(const lun_log *log, lun_log_level level)
{
    return level <= (log != NULL ? log : lun_log_default())->level;
}

/* Goes where `from` does; one that is forced says as much as before. */
static inline void
lun_log_redirect(lun_log *log, const lun_log *from)
{
    log->targets = from->targets;
    log->json = from->json;

    if (!log->forced) {
        log->level = from->level;
    }
}

/*
 * "emerg" ... "debug", and "" for LUN_LOG_STDERR (nginx prints "[]" there);
 * the other way LUN_ERROR if it is none of the eight.
 */
const char *lun_log_level_name(lun_log_level level);
lun_rc lun_log_level_parse(lun_str name, lun_log_level *level);

/*
 * base makes no system call: the roof gives it the local time as text, the
 * process id, and the text of an error code.
 */
typedef struct {
    lun_str    (*timestamp)(void);              /* "2026/11/21 03:27:00" */
    lun_str    (*iso8601)(void);   /* "2026-11-21T03:27:00+00:00" */
    int64_t    (*pid)(void);
    int64_t    (*tid)(void);
    lun_str    (*error_text)(int err, char *room, size_t size);
} lun_log_services;

void lun_log_set_services(const lun_log_services *services);

#endif
