/*
 * store_tell.c -- the store is told what has changed here, in batches; and, if
 * it may know less than we do, all that there is.
 *
 * The first batch on a connection goes alone: the store may have it already,
 * or a part of it, from a worker that did not hear the reply.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "store/store_sync_priv.h"

#include "base/check.h"
#include "base/fmt.h"
#include "store/store_record.h"


enum {
    BATCH   = 32 * 1024,           /* bytes, about */
    BACKLOG = 1024 * 1024,         /* bytes that wait to be sent, at most */
    ENTRY   = 128                  /* bytes of a zone that are one entry of
                                      it in the store, at least */
};


/* --- a batch ------------------------------------------------------------- */

static char *
batch_room(lun_speaker *s, size_t size)
{
    if (s->batch_size - s->batch_len < size) {
        s->batch_size = lun_max(2 * s->batch_size, s->batch_len + size);
        s->batch_size = lun_max(s->batch_size, (size_t) 2 * BATCH);
        s->batch = lun_realloc(s->batch, s->batch_size);
    }

    return s->batch + s->batch_len;
}


/* A key and a record, as parts of a command. */
static void
add_change(void *data, const lun_shdict_change *c)
{
    char         *p;
    size_t        size = lun_store_record_size(c);
    lun_speaker  *s = data;

    p = batch_room(s, c->key.len + size + 2 * LUN_RESP_HEAD + 4);
    p += lun_resp_head(p, '$', c->key.len);
    p = lun_copy_str(p, c->key);
    p = lun_copy(p, "\r\n", 2);
    p += lun_resp_head(p, '$', size);
    p = lun_store_record_put(p, c);
    p = lun_copy(p, "\r\n", 2);

    s->batch_len = (size_t) (p - s->batch);
    s->batch_count++;
}


/* The same of an entry as a whole. */
static void
add_entry(void *data, const lun_shdict_change *c)
{
    double              number;
    lun_speaker_part   *p = data;
    lun_shdict_change   all = *c;

    if (c->op == LUN_CHANGE_SET && c->type == LUN_SHDICT_NUMBER) {
        memcpy(&number, c->value.data, sizeof(number));
        number -= lun_speaker_pending(p, p->sent, c);
        all.value = lun_str_of((const char *) &number, sizeof(number));
    }

    add_change(p->speaker, &all);
}


static void
begin_batch(lun_speaker *s)
{
    s->batch_len = 0;
    s->batch_count = 0;
}


/* --- replies ------------------------------------------------------------- */

static bool
take_told(lun_speaker_push *push, int64_t reply)
{
    lun_speaker_part        *p = push->part;
    lun_shdict_feed_state    feed;

    if (push->to == 0) {
        return true;
    }

    lun_shdict_feed_look(p->d, &feed);

    if (reply <= (int64_t) push->from || (uint64_t) reply > feed.end) {
        return false;
    }

    lun_shdict_feed_count(p->d, LUN_FEED_SENT, push->count);

    if (!p->agreed) {
        p->agreed = true;
        p->sent = (uint64_t) reply;
    }

    return true;
}


static bool
on_told(lun_store_ask *ask, const lun_resp_value *v)
{
    lun_speaker_push  *push = lun_container_of(ask, lun_speaker_push, ask);
    lun_speaker_part  *p = push->part;

    push->busy = false;
    p->pushing--;

    if (v->kind != LUN_RESP_NUMBER || !take_told(push, v->number)) {
        return false;
    }

    lun_speaker_go_on(p->speaker);
    return true;
}


static void
on_lost(lun_store_ask *ask)
{
    lun_speaker_push  *push = lun_container_of(ask, lun_speaker_push, ask);

    push->busy = false;
    push->part->pushing--;
}


static lun_speaker_push *
free_push(lun_speaker_part *p)
{
    size_t  i;

    for (i = 0; i < LUN_PUSHES; i++) {
        if (!p->pushes[i].busy) {
            return &p->pushes[i];
        }
    }

    return NULL;
}


static void
put_text(lun_store_link *l, const char *fmt, uint64_t n)
{
    char  text[32];

    lun_store_link_put(l, lun_str_of(text, (size_t) (lun_fmt(text, text
        + sizeof(text), fmt, n) - text)));
}


static void
send_batch(lun_speaker_part *p, uint64_t from, uint64_t to)
{
    enum { PARTS = 3 + 3 + 6 };    /* beside the changes */

    lun_speaker       *s = p->speaker;
    lun_store_link    *l = s->link;
    lun_speaker_push  *push = free_push(p);

    LUN_CHECK(push != NULL);
    *push = (lun_speaker_push) {
        .ask = { .value = on_told, .lost = on_lost },
        .part = p, .from = from, .to = to, .count = s->batch_count,
        .busy = true
    };
    p->pushing++;

    lun_store_link_begin(l, PARTS + 2 * (uint64_t) s->batch_count);
    lun_store_link_put(l, LUN_STR("EVALSHA"));
    lun_store_link_put(l, lun_str_z(s->script));
    lun_store_link_put_number(l, 3);
    lun_store_link_put(l, p->z->log);
    lun_store_link_put(l, p->z->all);
    lun_store_link_put(l, p->z->meta);
    lun_store_link_put_number(l, s->store->log_length);
    lun_store_link_put_number(l, (int64_t) (p->z->zone->size / ENTRY));
    lun_store_link_put(l, s->store->node);
    put_text(l, "%" PRIx64, p->epoch);

    if (to != 0) {
        put_text(l, "%" PRIu64, from);

    } else {
        lun_store_link_put(l, LUN_STR("-"));
    }

    put_text(l, "%" PRIu64, to);
    lun_store_link_put_raw(l, lun_str_of(s->batch, s->batch_len));
    lun_store_link_ask(l, &push->ask);
}


/* --- what there is to tell ----------------------------------------------- */

/* False: nothing. */
static bool
tell_changes(lun_speaker_part *p)
{
    uint64_t      from = p->sent;
    lun_speaker  *s = p->speaker;

    begin_batch(s);
    lun_shdict_feed_read(p->d, &p->sent, BATCH, add_change, s);

    if (s->batch_count == 0) {
        return false;
    }

    send_batch(p, from, p->sent);
    return true;
}


/* All that there is, once. */
static bool
tell_entries(lun_speaker_part *p)
{
    enum { CHAINS = 4096 };        /* that are looked at in one go */

    int           chains = 0;
    lun_speaker  *s = p->speaker;

    begin_batch(s);

    while (s->batch_len < BATCH && chains++ < CHAINS) {
        if (!lun_shdict_next_chain(p->d, &p->cursor, add_entry, p)) {
            p->tells = false;
            break;
        }
    }

    if (s->batch_count == 0) {
        return p->tells;
    }

    send_batch(p, 0, 0);
    return true;
}


void
lun_speaker_tell(lun_speaker_part *p)
{
    lun_speaker  *s = p->speaker;

    while (p->pushing < (p->agreed ? (unsigned) LUN_PUSHES : 1)
           && lun_store_link_backlog(s->link) < BACKLOG)
    {
        /* First numbers as a whole, and then what is added to them. */
        if (!(p->tells && tell_entries(p)) && !tell_changes(p)) {
            return;
        }
    }
}
