/*
 * store_sync.c -- the worker that speaks to a store: it connects, finds out
 * where each zone stands, and then tells and hears, twice in each interval.
 *
 *     away -> greeting (the script, our number) -> each zone:
 *         NEW -> [DIFFERS -> LOADING ->] FOLLOWS
 *
 * Whatever the store says is checked where it comes in; what makes no sense
 * ends the connection.  There is one line in the log when the store goes, and
 * one when it is there again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "store/store_sync_priv.h"

#include "base/fmt.h"
#include "os/clock.h"
#include "os/random.h"
#include "store/store_record.h"
#include "store/store_script.h"


enum {
    PAUSE      = 50,               /* ms, after the first failure */
    PAUSE_MOST = 1000,
    STAMP_MS   = 22,               /* bits of a stamp below its ms */
    NODES      = 65536
};


static void
set_state(lun_speaker *s, lun_store_state state)
{
    lun_store_shared  *shared = lun_store_shared_of(s->store);

    if (atomic_load(&shared->state) != (uint32_t) state) {
        atomic_store(&shared->since, lun_clock.sec);
        atomic_store(&shared->state, (uint32_t) state);
    }
}


lun_str
lun_speaker_keep(lun_speaker *s, lun_str text)
{
    if (s->room_size < text.len) {
        s->room_size = lun_max(text.len, (size_t) 1024);
        s->room = lun_realloc(s->room, s->room_size);
    }

    (void) lun_copy_str(s->room, text);
    return lun_str_of(s->room, text.len);
}


static void
note_lag(lun_speaker_part *p, const lun_shdict_change *c)
{
    int64_t  then = (int64_t) (c->stamp >> STAMP_MS);
    int64_t  now = lun_clock.sec * 1000 + lun_clock.msec;

    if (c->op != LUN_CHANGE_ADD) {
        lun_shdict_feed_note(p->d, LUN_FEED_LAG,
                             (uint64_t) lun_max(now - then, (int64_t) 0));
    }
}


/* A stamp far ahead of our time would win for as long. */
static bool
is_of_the_future(const lun_shdict_change *c)
{
    enum { HOUR = 3600 };

    return (int64_t) (c->stamp >> STAMP_MS) / 1000 > lun_clock.sec + HOUR;
}


static double
find_pending(void *data, const lun_shdict_change *c)
{
    lun_speaker_part  *p = data;

    return lun_speaker_pending(p, p->echoed, c);
}


void
lun_speaker_do(lun_speaker_part *p, lun_str key, lun_str record, bool heard)
{
    char                number[LUN_STORE_NUMBER];
    lun_shdict_change   c;

    if (!lun_store_record_read(key, record, &c, number)
        || is_of_the_future(&c))
    {
        lun_shdict_feed_count(p->d, LUN_FEED_OLDER, 1);
        return;
    }

    c.pending = find_pending;
    c.data = p;

    if (lun_shdict_change_here(p->d, &c) != LUN_CHANGE_DONE) {
        lun_shdict_feed_count(p->d, LUN_FEED_OLDER, 1);
    }

    if (heard) {
        lun_shdict_feed_count(p->d, LUN_FEED_HEARD, 1);
        note_lag(p, &c);
    }
}


/* --- greeting ------------------------------------------------------------ */

static void
on_lost(lun_store_ask *ask)
{
}


static void
tell_node(lun_speaker *s)
{
    size_t  i;

    for (i = 0; i < s->count; i++) {
        lun_shdict_set_node(s->parts[i].d, (uint16_t) s->node);
    }

    atomic_store(&lun_store_shared_of(s->store)->node, s->node);
}


static bool
on_script(lun_store_ask *ask, const lun_resp_value *v)
{
    lun_speaker  *s = lun_container_of(ask, lun_speaker, load_script);

    if (v->kind != LUN_RESP_TEXT
        || v->text.len >= sizeof(s->script))
    {
        return false;
    }

    *lun_fmt(s->script, s->script + sizeof(s->script) - 1, "%.*s",
             LUN_S(v->text)) = '\0';
    return true;
}


static void  claim_number(lun_speaker *s);


static bool
on_claim(lun_store_ask *ask, const lun_resp_value *v)
{
    return v->kind == LUN_RESP_NUMBER;
}


/* Whose the number is: another's is passed over. */
static bool
on_claimed(lun_store_ask *ask, const lun_resp_value *v)
{
    size_t        i;
    lun_speaker  *s = lun_container_of(ask, lun_speaker, claimed);

    if (v->kind != LUN_RESP_TEXT) {
        return false;
    }

    if (!lun_str_eq(v->text, s->store->node)) {
        s->node = (s->node + 1) % NODES;
        claim_number(s);
        return true;
    }

    tell_node(s);
    s->greeted = true;

    for (i = 0; i < s->count; i++) {
        lun_speaker_look(&s->parts[i]);
    }

    return true;
}


static void
claim_number(lun_speaker *s)
{
    lun_str          key;
    char             name[512];
    lun_store_link  *l = s->link;

    key = lun_str_of(name, (size_t) (lun_fmt(name, name + sizeof(name),
        "%.*snodes", LUN_S(s->store->prefix)) - name));

    s->claim = (lun_store_ask) { .value = on_claim, .lost = on_lost };
    lun_store_link_begin(l, 4);
    lun_store_link_put(l, LUN_STR("HSETNX"));
    lun_store_link_put(l, key);
    lun_store_link_put_number(l, s->node);
    lun_store_link_put(l, s->store->node);
    lun_store_link_ask(l, &s->claim);

    s->claimed = (lun_store_ask) { .value = on_claimed, .lost = on_lost };
    lun_store_link_begin(l, 3);
    lun_store_link_put(l, LUN_STR("HGET"));
    lun_store_link_put(l, key);
    lun_store_link_put_number(l, s->node);
    lun_store_link_ask(l, &s->claimed);
}


static void
on_up(void *owner, lun_store_link *l)
{
    size_t                  i;
    lun_speaker            *s = owner;
    lun_speaker_part       *p;
    lun_shdict_feed_state   feed;

    for (i = 0; i < s->count; i++) {
        p = &s->parts[i];
        lun_shdict_feed_look(p->d, &feed);
        p->state = LUN_PART_NEW;
        p->agreed = feed.first == feed.end;
        p->tells = false;
        p->sent = p->echoed = feed.first;
    }

    atomic_fetch_add(&lun_store_shared_of(s->store)->connects, 1);
    s->load_script = (lun_store_ask) { .value = on_script, .lost = on_lost };
    lun_store_link_begin(l, 3);
    lun_store_link_put(l, LUN_STR("SCRIPT"));
    lun_store_link_put(l, LUN_STR("LOAD"));
    lun_store_link_put(l, lun_str_z(lun_store_push));
    lun_store_link_ask(l, &s->load_script);
    claim_number(s);
}


static void
on_down(void *owner, lun_store_link *l)
{
    uint8_t       spread;
    lun_speaker  *s = owner;

    atomic_fetch_add(&lun_store_shared_of(s->store)->failures, 1);
    set_state(s, LUN_STORE_AWAY);
    s->told_away = true;
    s->greeted = false;
    s->hearing = false;

    lun_random_bytes(&spread, sizeof(spread));
    s->retry_at = lun_clock.mono + s->pause + s->pause * spread / 512;
    s->pause = lun_min(2 * s->pause, (lun_msec) PAUSE_MOST);
}


static const lun_store_link_user  link_user = {
    .up = on_up,
    .down = on_down
};


/* --- going on ------------------------------------------------------------ */

static void
go_on_with(lun_speaker_part *p)
{
    if (p->state == LUN_PART_FOLLOWS && lun_shdict_feed_had_gap(p->d)) {
        p->state = LUN_PART_DIFFERS;
    }

    if (p->state == LUN_PART_DIFFERS && p->pushing == 0) {
        lun_speaker_load(p);
    }

    if (p->state == LUN_PART_FOLLOWS) {
        lun_speaker_tell(p);
    }
}


static bool
is_level(const lun_speaker *s)
{
    size_t  i;

    for (i = 0; i < s->count; i++) {
        if (s->parts[i].state != LUN_PART_FOLLOWS || s->parts[i].tells) {
            return false;
        }
    }

    return true;
}


static void
say_up(lun_speaker *s)
{
    if (s->retry_at == 0 && !s->told_away) {
        return;
    }

    lun_log(LUN_LOG_NOTICE, s->log, 0, "store \"%.*s\" is there: %.*s",
            LUN_S(s->store->name), LUN_S(lun_store_link_where(s->link)));
    lun_store_link_be_loud(s->link);
    s->told_away = false;
    s->retry_at = 0;
    s->pause = PAUSE;
}


void
lun_speaker_go_on(lun_speaker *s)
{
    size_t  i;

    if (!s->greeted || !lun_store_link_is_up(s->link)) {
        return;
    }

    for (i = 0; i < s->count; i++) {
        go_on_with(&s->parts[i]);
    }

    if (s->again && !s->hearing) {
        s->again = false;
        lun_speaker_hear(s);
    }

    if (is_level(s)) {
        say_up(s);
        set_state(s, LUN_STORE_UP);

    } else {
        set_state(s, LUN_STORE_BEHIND);
    }
}


/* --- the duty ------------------------------------------------------------ */

static void
begin(lun_duty *duty)
{
    size_t                  i;
    lun_store              *store = duty->data;
    lun_speaker            *s;
    lun_shdict_feed_state   feed;

    s = lun_calloc(sizeof(*s) + store->zones.count * sizeof(*s->parts));
    s->store = store;
    s->duty = duty;
    s->log = duty->log;
    s->pause = PAUSE;
    s->retry_at = 1;               /* at once */
    s->node = (uint32_t) (lun_str_hash(store->node) % NODES);
    s->count = store->zones.count;

    for (i = 0; i < s->count; i++) {
        s->parts[i].speaker = s;
        s->parts[i].z = *(lun_store_zone **) lun_array_at(&store->zones, i);
        s->parts[i].d = lun_shdict_of(s->parts[i].z->zone);
        lun_shdict_feed_look(s->parts[i].d, &feed);
        s->parts[i].epoch = feed.epoch;
    }

    tell_node(s);
    s->link = lun_store_link_new(store, duty->loop, duty->log, &link_user, s);
    lun_store_link_set_idle(s->link, true);
    duty->work = s;
}


static lun_msec
run(lun_duty *duty)
{
    lun_speaker  *s = duty->work;

    if (s->retry_at != 0 && s->retry_at <= lun_clock.mono
        && lun_store_link_is_closed(s->link))
    {
        lun_store_link_open(s->link, !s->told_away);

    } else if (s->greeted) {
        s->again = true;
        lun_speaker_go_on(s);
    }

    return lun_max(s->store->interval / 2, (lun_msec) 1);
}


static void
end(lun_duty *duty)
{
    size_t        i;
    lun_speaker  *s = duty->work;

    lun_store_link_free(s->link);

    for (i = 0; i < s->count; i++) {
        lun_speaker_pending_free(&s->parts[i]);
    }

    lun_free(s->room);
    lun_free(s->batch);
    lun_free(s);
    duty->work = NULL;
}


const lun_duty_kind  lun_store_speaker = {
    .name  = "store",
    .begin = begin,
    .run   = run,
    .end   = end
};
