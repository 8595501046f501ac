/*
 * line.h -- whose output goes first on a connection that requests share
 * (RFC 9218).
 *
 * Streams with output stand in one line, the more urgent in front.  Among those
 * of one urgency an answer that is of use only when it is whole goes before
 * those that are not, in the order of requests; of the others each gives a
 * frame in turn.  A client that has never spoken of priorities gets turns for
 * all of its streams, as clients had before there were any.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_HTTP_LINE_H
#define LUN_HTTP_LINE_H

#include "base/list.h"
#include "http/headers.h"
#include "http/mux/priority.h"

enum { LUN_LINE_UPDATES = 8 };     /* a power of two */

/* A stream's place. */
typedef struct {
    lun_list      link;            /* in the line, or alone */
    int64_t       id;
    lun_priority  asked;           /* by the client ... */
    lun_priority  decided;         /* ... and what the answer says */
    uint8_t       rank;            /* of both: the least goes first */
    bool          updated;         /* by a frame, not by the header */
} lun_line_place;

typedef struct {
    lun_list      places;          /* the next to send in front */
    bool          ranks;           /* the client knows RFC 9218 */

    /* What was said of streams that have not begun: the newest of it. */
    struct {
        int64_t       id;
        bool          set;
        lun_priority  priority;
    }             updates[LUN_LINE_UPDATES];
    unsigned      next;
} lun_line;

/* All zero before. */
static inline void
lun_line_init(lun_line *line)
{
    lun_list_init(&line->places);
}

/* A stream begins: what the client has said of it before counts. */
void lun_line_begin(lun_line *line, lun_line_place *p, int64_t id);

/* A line of the request's header "priority". */
void lun_line_ask(lun_line *line, lun_line_place *p, lun_str value);

/* The answer's header has the last word, as far as it says one. */
void lun_line_decide(lun_line *line, lun_line_place *p,
    const lun_header_list *list);

/* PRIORITY_UPDATE; `p`: its stream's, NULL if that has not begun. */
void lun_line_update(lun_line *line, lun_line_place *p, int64_t id,
    lun_str value);

/* It is not in the line, and gets its place there. */
void lun_line_enter(lun_line *line, lun_line_place *p);

static inline bool
lun_line_has(const lun_line_place *p)
{
    return !lun_list_empty(&p->link);
}

static inline void
lun_line_leave(lun_line_place *p)
{
    lun_list_remove(&p->link);
}

#endif
