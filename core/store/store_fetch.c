/*
 * store_fetch.c -- asking a store for a key.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "store/store_fetch.h"

#include "base/pool.h"
#include "os/clock.h"
#include "store/store_record.h"


/* This worker's connection to a store, for such questions. */
typedef struct {
    lun_store_link  *link;
    lun_list         waiting;      /* until it stands */
} asker;

struct lun_store_fetch {
    lun_store_ask          ask;
    lun_list               link;   /* in `waiting`, before it is asked */
    lun_store_zone        *z;
    lun_store_fetched_fn  *done;   /* NULL: it was cancelled */
    void                  *data;
    size_t                 len;
    char                   key[];
};


static void
finish(lun_store_fetch *f, lun_store_verdict verdict,
    const lun_shdict_change *c)
{
    if (f->done != NULL) {
        f->done(f->data, verdict, c);
    }

    lun_free(f);
}


static bool
is_over(const lun_shdict_change *c)
{
    return c->expires != 0
           && c->expires <= lun_clock.sec * 1000 + lun_clock.msec;
}


static bool
on_value(lun_store_ask *ask, const lun_resp_value *v)
{
    char                number[LUN_STORE_NUMBER];
    lun_store_fetch    *f = lun_container_of(ask, lun_store_fetch, ask);
    lun_shdict_change   c;

    /* It is not one value: what follows is nobody's, and ends the link. */
    if (!v->last) {
        return false;
    }

    if (v->kind == LUN_RESP_TEXT
        && lun_store_record_read(lun_str_of(f->key, f->len), v->text, &c,
                                 number)
        && c.op == LUN_CHANGE_SET && !is_over(&c))
    {
        finish(f, LUN_STORE_DONE, &c);

    } else if (v->kind == LUN_RESP_ERROR) {
        finish(f, LUN_STORE_NOT_THERE, NULL);

    } else {
        finish(f, LUN_STORE_DONE, NULL);
    }

    return true;
}


static void
on_lost(lun_store_ask *ask)
{
    finish(lun_container_of(ask, lun_store_fetch, ask), LUN_STORE_NOT_THERE,
           NULL);
}


static void
send_question(lun_store_link *l, lun_store_fetch *f)
{
    f->ask = (lun_store_ask) { .value = on_value, .lost = on_lost };
    lun_store_link_begin(l, 3);
    lun_store_link_put(l, LUN_STR("HGET"));
    lun_store_link_put(l, f->z->all);
    lun_store_link_put(l, lun_str_of(f->key, f->len));
    lun_store_link_ask(l, &f->ask);
}


static lun_store_fetch *
take_waiting(asker *a)
{
    lun_store_fetch  *f;

    if (lun_list_empty(&a->waiting)) {
        return NULL;
    }

    f = lun_container_of(a->waiting.next, lun_store_fetch, link);
    lun_list_remove(&f->link);
    return f;
}


static void
on_up(void *owner, lun_store_link *l)
{
    lun_store_fetch  *f;

    while ((f = take_waiting(owner)) != NULL) {
        send_question(l, f);
    }
}


static void
on_down(void *owner, lun_store_link *l)
{
    lun_store_fetch  *f;

    while ((f = take_waiting(owner)) != NULL) {
        finish(f, LUN_STORE_NOT_THERE, NULL);
    }
}


static const lun_store_link_user  user = {
    .up = on_up,
    .down = on_down
};


static asker *
asker_of(lun_store *s, lun_loop *loop, const lun_log *log)
{
    asker  *a = s->asker;

    if (a == NULL) {
        a = lun_calloc(sizeof(*a));
        lun_list_init(&a->waiting);
        a->link = lun_store_link_new(s, loop, log, &user, a);
        s->asker = a;
    }

    return a;
}


lun_store_fetch *
lun_store_fetch_start(lun_store_zone *z, lun_loop *loop, const lun_log *log,
    lun_str key, lun_store_fetched_fn *done, void *data)
{
    asker            *a = asker_of(z->store, loop, log);
    lun_store_fetch  *f = lun_calloc(sizeof(*f) + key.len);

    f->z = z;
    f->done = done;
    f->data = data;
    f->len = key.len;
    memcpy(f->key, key.data, key.len);

    if (lun_store_link_is_up(a->link)) {
        send_question(a->link, f);
        return f;
    }

    lun_list_push_back(&a->waiting, &f->link);

    if (lun_store_link_is_closed(a->link)) {
        lun_store_link_open(a->link, false);
    }

    return f;
}


void
lun_store_fetch_cancel(lun_store_fetch *f)
{
    f->done = NULL;
}


void
lun_store_fetch_end(lun_store *s)
{
    asker            *a = s->asker;
    lun_store_fetch  *f;

    if (a == NULL) {
        return;
    }

    s->asker = NULL;
    lun_store_link_free(a->link);

    while ((f = take_waiting(a)) != NULL) {
        finish(f, LUN_STORE_NOT_THERE, NULL);
    }

    lun_free(a);
}
