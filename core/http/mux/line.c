/*
 * line.c -- see line.h.
 *
 * What is said of a stream before its request has a few places for all of
 * them, the newest counts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/mux/line.h"

#include "base/check.h"


/* --- the line ------------------------------------------------------------ */

static unsigned
rank_of(const lun_line *line, const lun_line_place *p)
{
    bool                 whole;
    const lun_priority  *c = &p->asked, *own = &p->decided;
    unsigned             urgency = LUN_URGENCY_USUAL;

    if (own->has_urgency || c->has_urgency) {
        urgency = own->has_urgency ? own->urgency : c->urgency;
    }

    if (own->has_incremental) {
        whole = !own->incremental;

    } else {
        whole = line->ranks && !c->incremental;
    }

    return 2 * urgency + !whole;
}


/* Ranks are even where requests come one after the other. */
static bool
goes_before(const lun_line_place *p, const lun_line_place *other)
{
    return p->rank < other->rank
           || (p->rank == other->rank && p->rank % 2 == 0
               && p->id < other->id);
}


void
lun_line_enter(lun_line *line, lun_line_place *p)
{
    lun_list  *head = &line->places, *at = head->prev;

    LUN_CHECK(!lun_line_has(p));

    /* From the end: for most it is their place. */
    while (at != head
           && goes_before(p, lun_container_of(at, lun_line_place, link)))
    {
        at = at->prev;
    }

    lun_list_insert_after(at, &p->link);
}


static void
change_rank(lun_line *line, lun_line_place *p)
{
    p->rank = (uint8_t) rank_of(line, p);

    if (lun_line_has(p)) {
        lun_line_leave(p);
        lun_line_enter(line, p);
    }
}


/* --- what is said of it -------------------------------------------------- */

void
lun_line_begin(lun_line *line, lun_line_place *p, int64_t id)
{
    size_t  i;

    lun_list_init(&p->link);
    p->id = id;

    for (i = 0; i < LUN_LINE_UPDATES; i++) {
        if (line->updates[i].set && line->updates[i].id == id) {
            p->asked = line->updates[i].priority;
            p->updated = true;
            line->updates[i].set = false;
        }
    }

    p->rank = (uint8_t) rank_of(line, p);
}


void
lun_line_ask(lun_line *line, lun_line_place *p, lun_str value)
{
    line->ranks = true;

    /* The frame is newer, even if it came first (RFC 9218, 7). */
    if (!p->updated) {
        lun_priority_read(&p->asked, value);
        change_rank(line, p);
    }
}


/* Each line of it: what one does not say another may (RFC 9218, 8). */
void
lun_line_decide(lun_line *line, lun_line_place *p,
    const lun_header_list *list)
{
    static const lun_str  name = LUN_STR_INIT("priority");
    static const size_t   len = sizeof("priority") - 1;

    lun_header_each(list, h) {
        if (h->name.len == len && h->known < 0
            && lun_str_caseeq(h->name, name))
        {
            lun_priority_read(&p->decided, h->value);
            change_rank(line, p);
        }
    }
}


static void
keep_update(lun_line *line, int64_t id, lun_priority priority)
{
    size_t  i = 0;

    while (i < LUN_LINE_UPDATES
           && (!line->updates[i].set || line->updates[i].id != id))
    {
        i++;
    }

    if (i == LUN_LINE_UPDATES) {
        i = line->next++ % LUN_LINE_UPDATES;
    }

    line->updates[i].id = id;
    line->updates[i].set = true;
    line->updates[i].priority = priority;
}


void
lun_line_update(lun_line *line, lun_line_place *p, int64_t id,
    lun_str value)
{
    lun_priority  priority = { .urgency = 0 };

    line->ranks = true;
    lun_priority_read(&priority, value);

    if (p == NULL) {
        keep_update(line, id, priority);

    } else {
        p->asked = priority;
        p->updated = true;
        change_rank(line, p);
    }
}
