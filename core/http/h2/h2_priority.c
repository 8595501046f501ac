/*
 * h2_priority.c -- whose output goes first (RFC 9218).
 *
 * Streams with output stand in one line, the more urgent in front.  Among those
 * of one urgency an answer that is of use only when it is whole goes before
 * those that are not, in the order of requests; of the others each gives a
 * frame in turn.  A client that has never spoken of priorities gets turns for
 * all of its streams, as clients had before there were any.
 *
 * What is said of a stream before its request has a few places for all of
 * them, the newest counts; the rest of such frames are read past.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/h2/h2_priv.h"

#include "base/check.h"


/* --- the line ------------------------------------------------------------ */

static unsigned
rank_of(const lun_h2_stream *s)
{
    bool                 whole;
    const lun_priority  *c = &s->asked, *own = &s->decided;
    unsigned             urgency = LUN_URGENCY_USUAL;

    if (own->has_urgency || c->has_urgency) {
        urgency = own->has_urgency ? own->urgency : c->urgency;
    }

    if (own->has_incremental) {
        whole = !own->incremental;

    } else {
        whole = lun_h2_of(&s->m)->ranks && !c->incremental;
    }

    return 2 * urgency + !whole;
}


/* Ranks are even where requests come one after the other. */
static bool
goes_before(const lun_h2_stream *s, const lun_h2_stream *other)
{
    return s->rank < other->rank
           || (s->rank == other->rank && s->rank % 2 == 0
               && s->m.id < other->m.id);
}


void
lun_h2_line_up(lun_h2_stream *s)
{
    lun_list  *head = &lun_h2_of(&s->m)->senders, *at = head->prev;

    LUN_CHECK(lun_list_empty(&s->sender));

    /* From the end: for most it is their place. */
    while (at != head
           && goes_before(s, lun_container_of(at, lun_h2_stream, sender)))
    {
        at = at->prev;
    }

    lun_list_insert_after(at, &s->sender);
}


static void
change_rank(lun_h2_stream *s)
{
    s->rank = (uint8_t) rank_of(s);

    if (!lun_list_empty(&s->sender)) {
        lun_list_remove(&s->sender);
        lun_h2_line_up(s);
    }
}


/* --- what is said of it -------------------------------------------------- */

static lun_h2_update *
find_update(lun_h2 *h2, uint32_t id)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(h2->updates); i++) {
        if (h2->updates[i].id == id) {
            return &h2->updates[i];
        }
    }

    return NULL;
}


void
lun_h2_begin_priority(lun_h2_stream *s)
{
    lun_h2_update  *u = find_update(lun_h2_of(&s->m), (uint32_t) s->m.id);

    if (u != NULL) {
        s->asked = u->priority;
        s->updated = 1;
        u->id = 0;
    }

    s->rank = (uint8_t) rank_of(s);
}


void
lun_h2_ask_priority(lun_h2_stream *s, lun_str value)
{
    lun_h2_of(&s->m)->ranks = 1;

    /* The frame is newer, even if it came first (RFC 9218, 7). */
    if (!s->updated) {
        lun_priority_read(&s->asked, value);
        change_rank(s);
    }
}


/* Each line of it: what one does not say another may (RFC 9218, 8). */
void
lun_h2_decide_priority(lun_h2_stream *s, const lun_header_list *list)
{
    static const lun_str  name = LUN_STR_INIT("priority");
    static const size_t   len = sizeof("priority") - 1;

    lun_header_each(list, h) {
        if (h->name.len == len && h->known < 0
            && lun_str_caseeq(h->name, name))
        {
            lun_priority_read(&s->decided, h->value);
            change_rank(s);
        }
    }
}


/* --- PRIORITY_UPDATE ----------------------------------------------------- */

void
lun_h2_update_begin(lun_h2 *h2)
{
    h2->update_len = 0;
}


/* A value that does not end in time is one that says nothing. */
void
lun_h2_update_piece(lun_h2 *h2, lun_str piece)
{
    size_t  n = lun_min(piece.len, sizeof(h2->update) - h2->update_len);

    memcpy(h2->update + h2->update_len, piece.data, n);
    h2->update_len += n;
}


static void
update_idle(lun_h2 *h2, uint32_t id, lun_priority p)
{
    lun_h2_update  *u = find_update(h2, id);

    if (u == NULL) {
        u = &h2->updates[h2->update_next++ % LUN_ARRAY_LEN(h2->updates)];
    }

    u->id = id;
    u->priority = p;
}


void
lun_h2_update_end(lun_h2 *h2)
{
    uint32_t           id;
    lun_priority       p = { .urgency = 0 };
    lun_h2_stream     *s;
    const lun_frames  *f = &h2->frames;

    id = lun_frame_u32(f->unit) & LUN_H2_MAX_WINDOW;

    /* What is even would be pushed, which nothing is. */
    if (f->stream != 0 || id % 2 == 0) {
        lun_log(LUN_LOG_INFO, lun_h2_log(h2), 0, "client sent PRIORITY_UPDATE "
                "frame with incorrect identifier");
        lun_h2_end(h2, LUN_H2_PROTOCOL_ERROR);
        return;
    }

    if (h2->update_len == sizeof(h2->update)) {
        return;
    }

    h2->ranks = 1;
    lun_priority_read(&p, lun_str_of(h2->update, h2->update_len));

    if (lun_h2_is_idle(h2, id)) {
        update_idle(h2, id, p);
        return;
    }

    s = lun_h2_find(h2, id);

    if (s != NULL && !s->m.closed) {
        s->asked = p;
        s->updated = 1;
        change_rank(s);
    }
}
