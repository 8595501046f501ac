/*
 * store_hear.c -- what others have told the store: the logs of all zones, from
 * where we are; and, after a gap, all that a zone has.
 *
 * Entries of a log are numbered.  Where a number is missing (the log was cut
 * off, the store has begun anew, or is a replica that had heard less) nothing
 * can be made up for from the log: the zone is loaded.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "store/store_sync_priv.h"

#include "base/fmt.h"
#include "os/clock.h"


enum { MOST = 64 };                /* entries of a log, in one reply */


static void
on_lost(lun_store_ask *ask)
{
}


/* Which value of its array this is, from 0. */
static unsigned
step(lun_reply_walk *w, const lun_resp_value *v)
{
    unsigned  n = w->at[v->depth]++;

    if (v->kind == LUN_RESP_ARRAY && v->number != 0) {
        w->at[v->depth + 1] = 0;
    }

    return n;
}


static bool
is_text(const lun_resp_value *v, size_t most)
{
    return v->kind == LUN_RESP_TEXT && v->text.len < most;
}


static void
keep_text(char *to, size_t size, lun_str text)
{
    *lun_fmt(to, to + size - 1, "%.*s", LUN_S(text)) = '\0';
}


/* --- where a zone stands ------------------------------------------------- */

static void
begin_at(lun_speaker_part *p, lun_str said)
{
    uint64_t                epoch, at;
    const char             *space = lun_str_chr(said, ' ');
    lun_shdict_feed_state   feed;

    lun_shdict_feed_look(p->d, &feed);

    if (space != NULL
        && lun_str_hex_to_u64(lun_str_of(said.data,
                                         (size_t) (space - said.data)), &epoch)
           == LUN_OK
        && lun_str_to_u64(lun_str_of(space + 1, (size_t) (said.data + said.len
                                                          - space) - 1), &at)
           == LUN_OK
        && epoch == p->epoch && at > feed.first && at <= feed.end)
    {
        p->sent = at;
        p->agreed = true;
    }
}


/* "epoch" and "number" of the zone's meta, and what it had of us. */
static bool
on_look(lun_store_ask *ask, const lun_resp_value *v)
{
    unsigned           n;
    uint64_t           number;
    lun_speaker_part  *p = lun_container_of(ask, lun_speaker_part, look);

    n = step(&p->walk, v);

    if (v->depth == 0) {
        return v->kind == LUN_RESP_ARRAY && v->number == 3;
    }

    if (v->kind != LUN_RESP_TEXT && v->kind != LUN_RESP_NIL) {
        return false;
    }

    /* An empty store says nothing of any. */
    if (n == 0) {
        p->walk.skips |= !lun_str_eq(v->text, lun_str_z(p->reached.epoch));

    } else if (n == 1) {
        p->walk.skips |= lun_str_to_u64(v->text, &number) != LUN_OK
                         || number < p->reached.number;

    } else {
        begin_at(p, v->text);
    }

    if (v->last) {
        p->state = p->walk.skips ? LUN_PART_DIFFERS : LUN_PART_FOLLOWS;
        lun_speaker_go_on(p->speaker);
    }

    return true;
}


void
lun_speaker_look(lun_speaker_part *p)
{
    char             at[256];
    lun_store_link  *l = p->speaker->link;

    if (!lun_shdict_feed_place(p->d, &p->reached)) {
        p->reached = (lun_shdict_reached) { .number = 0 };
    }

    p->state = LUN_PART_NEW;
    p->walk = (lun_reply_walk) { .skips = p->reached.id[0] == '\0' };
    p->look = (lun_store_ask) { .value = on_look, .lost = on_lost };

    lun_store_link_begin(l, 5);
    lun_store_link_put(l, LUN_STR("HMGET"));
    lun_store_link_put(l, p->z->meta);
    lun_store_link_put(l, LUN_STR("epoch"));
    lun_store_link_put(l, LUN_STR("number"));
    lun_store_link_put(l, lun_str_of(at, (size_t) (lun_fmt(at, at + sizeof(at),
        "at:%.*s", LUN_S(p->speaker->store->node)) - at)));
    lun_store_link_ask(l, &p->look);
}


/* --- all of it ----------------------------------------------------------- */

static bool
on_queued(lun_store_ask *ask, const lun_resp_value *v)
{
    return v->kind == LUN_RESP_TEXT;       /* OK, or QUEUED */
}


/* The sections of a load. */
enum { LAST_ENTRY, META, ALL };

static bool
load_meta(lun_speaker_part *p, const lun_resp_value *v, unsigned n)
{
    if (v->kind == LUN_RESP_NIL) {
        return true;
    }

    if (v->kind != LUN_RESP_TEXT) {
        return false;
    }

    switch (n) {

    case 0:
        keep_text(p->reached.epoch, sizeof(p->reached.epoch), v->text);
        return v->text.len < sizeof(p->reached.epoch);

    case 1:
        return lun_str_to_u64(v->text, &p->reached.number) == LUN_OK;

    default:
        lun_speaker_do(p, LUN_STR(""), v->text, false);
        return true;
    }
}


/* False: it is not what was asked for. */
static bool
load_value(lun_speaker_part *p, const lun_resp_value *v, unsigned n)
{
    switch (p->walk.at[1] - 1) {

    case LAST_ENTRY:
        if (v->depth == 3 && n == 0) {
            keep_text(p->reached.id, sizeof(p->reached.id), v->text);
            return is_text(v, sizeof(p->reached.id));
        }

        return true;

    case META:
        return v->depth == 1 || load_meta(p, v, n);

    case ALL:
        if (v->depth != 2) {
            return v->depth == 1;
        }

        if (v->kind != LUN_RESP_TEXT) {
            return false;
        }

        if (n % 2 == 0) {
            p->speaker->key = lun_speaker_keep(p->speaker, v->text);

        } else {
            lun_speaker_do(p, p->speaker->key, v->text, false);
        }

        return true;

    default:
        return false;
    }
}


static bool
on_load(lun_store_ask *ask, const lun_resp_value *v)
{
    unsigned           n;
    lun_speaker_part  *p = lun_container_of(ask, lun_speaker_part, load);

    n = step(&p->walk, v);

    if (v->depth == 0 ? v->kind != LUN_RESP_ARRAY || v->number != 3
        : !load_value(p, v, n))
    {
        return false;
    }

    if (v->last) {
        lun_shdict_feed_set_place(p->d, &p->reached);
        lun_shdict_feed_done(p->d, p->echoed);
        lun_shdict_feed_count(p->d, LUN_FEED_COMPARED, 1);
        p->state = LUN_PART_FOLLOWS;
        p->tells = true;
        p->cursor = 0;
        lun_speaker_go_on(p->speaker);
    }

    return true;
}


/* One by one, so that nothing comes between them. */
void
lun_speaker_load(lun_speaker_part *p)
{
    size_t           i;
    lun_store_link  *l = p->speaker->link;

    for (i = 0; i < LUN_ARRAY_LEN(p->queued); i++) {
        p->queued[i] = (lun_store_ask) { .value = on_queued,
                                         .lost = on_lost };
    }

    /* Whoever goes on, if this is cut short, does so from the beginning. */
    lun_shdict_feed_lose_place(p->d);
    p->echoed = p->sent;           /* all of that is in what comes */

    p->state = LUN_PART_LOADING;
    p->walk = (lun_reply_walk) { .skips = false };
    p->reached = (lun_shdict_reached) { .id = "0-0" };
    p->load = (lun_store_ask) { .value = on_load, .lost = on_lost };

    lun_store_link_begin(l, 1);
    lun_store_link_put(l, LUN_STR("MULTI"));
    lun_store_link_ask(l, &p->queued[0]);

    lun_store_link_begin(l, 6);
    lun_store_link_put(l, LUN_STR("XREVRANGE"));
    lun_store_link_put(l, p->z->log);
    lun_store_link_put(l, LUN_STR("+"));
    lun_store_link_put(l, LUN_STR("-"));
    lun_store_link_put(l, LUN_STR("COUNT"));
    lun_store_link_put(l, LUN_STR("1"));
    lun_store_link_ask(l, &p->queued[1]);

    lun_store_link_begin(l, 5);
    lun_store_link_put(l, LUN_STR("HMGET"));
    lun_store_link_put(l, p->z->meta);
    lun_store_link_put(l, LUN_STR("epoch"));
    lun_store_link_put(l, LUN_STR("number"));
    lun_store_link_put(l, LUN_STR("flushed"));
    lun_store_link_ask(l, &p->queued[2]);

    lun_store_link_begin(l, 2);
    lun_store_link_put(l, LUN_STR("HGETALL"));
    lun_store_link_put(l, p->z->all);
    lun_store_link_ask(l, &p->queued[3]);

    lun_store_link_begin(l, 1);
    lun_store_link_put(l, LUN_STR("EXEC"));
    lun_store_link_ask(l, &p->load);
}


/* --- what others say ----------------------------------------------------- */

static lun_speaker_part *
find_part(lun_speaker *s, lun_str log)
{
    size_t  i;

    for (i = 0; i < s->count; i++) {
        if (lun_str_eq(s->parts[i].z->log, log)) {
            return &s->parts[i];
        }
    }

    return NULL;
}


/* The next word of a text; false: there is none that has room. */
static bool
next_word(lun_str *text, char *to, size_t size)
{
    size_t       n;
    const char  *end = lun_str_chr(*text, ' ');

    n = end != NULL ? (size_t) (end - text->data) : text->len;
    keep_text(to, size, lun_str_of(text->data, n));

    if (n == 0 || n >= size) {
        return false;
    }

    n += end != NULL;
    text->data += n;
    text->len -= n;
    return true;
}


/* Our own changes up to there have come back. */
static void
hear_ourselves(lun_speaker_part *p, lun_str epoch, uint64_t to)
{
    uint64_t  ours;

    if (lun_str_hex_to_u64(epoch, &ours) == LUN_OK && ours == p->epoch
        && to > p->echoed && to <= p->sent)
    {
        p->echoed = to;
        lun_shdict_feed_done(p->d, to);
    }
}


/*
 * "epoch number node feed's-epoch to"; false: it is not the entry behind the
 * last one.
 */
static bool
read_head(lun_speaker_part *p, lun_str text, bool *ours)
{
    char                 epoch[sizeof(p->reached.epoch)], word[256], feed[24];
    uint64_t             number, to;
    lun_shdict_reached  *r = &p->reached;

    if (!next_word(&text, epoch, sizeof(epoch))
        || !next_word(&text, word, sizeof(word))
        || lun_str_to_u64(lun_str_z(word), &number) != LUN_OK
        || !next_word(&text, word, sizeof(word))
        || !next_word(&text, feed, sizeof(feed))
        || lun_str_to_u64(text, &to) != LUN_OK
        || number != r->number + 1
        || (r->epoch[0] != '\0' && strcmp(epoch, r->epoch) != 0))
    {
        return false;
    }

    r->number = number;
    memcpy(r->epoch, epoch, sizeof(epoch));
    *ours = lun_str_eq(lun_str_z(word), p->speaker->store->node);

    if (*ours) {
        hear_ourselves(p, lun_str_z(feed), to);
    }

    /* Who dies from here on has done a part of it. */
    lun_shdict_feed_lose_place(p->d);
    return true;
}


/* A field of an entry: a word and the head, and then keys and records. */
static bool
hear_field(lun_speaker *s, const lun_resp_value *v, unsigned n)
{
    bool               ours = false;
    lun_speaker_part  *p = s->hears;

    if (v->kind != LUN_RESP_TEXT) {
        return false;
    }

    if (n == 1) {
        /* It may be loaded meanwhile. */
        if (p->state == LUN_PART_FOLLOWS && !read_head(p, v->text, &ours)) {
            p->state = LUN_PART_DIFFERS;
        }

        s->walk.skips = ours || p->state != LUN_PART_FOLLOWS;

    } else if (n > 1 && !s->walk.skips) {
        if (n % 2 == 0) {
            s->key = lun_speaker_keep(s, v->text);

        } else {
            lun_speaker_do(p, s->key, v->text, true);
        }
    }

    return true;
}


/* The entry is over. */
static void
reach(lun_speaker_part *p)
{
    if (p->state == LUN_PART_FOLLOWS) {
        lun_shdict_feed_set_place(p->d, &p->reached);
    }
}


/*
 *     logs: [name, entries: [entry: [id, fields]]]
 *        1   2     2          3       4   4       5
 */
static bool
hear_value(lun_speaker *s, const lun_resp_value *v, unsigned n)
{
    switch (v->depth) {

    case 0:
        return v->kind == LUN_RESP_NIL || v->kind == LUN_RESP_ARRAY;

    case 2:
        if (n == 0) {
            s->hears = find_part(s, v->text);
            return s->hears != NULL;
        }

        return v->kind == LUN_RESP_ARRAY;

    case 4:
        if (s->hears == NULL) {
            return false;
        }

        if (n == 0) {
            if (s->hears->state == LUN_PART_FOLLOWS) {
                keep_text(s->hears->reached.id, sizeof(s->hears->reached.id),
                          v->text);
            }

            s->heard++;
            return is_text(v, sizeof(s->hears->reached.id));
        }

        s->entry_fields = (unsigned) v->number;
        s->walk.skips = true;
        return v->kind == LUN_RESP_ARRAY && v->number % 2 == 0
               && v->number != 0;

    case 5:
        if (s->hears == NULL || !hear_field(s, v, n)) {
            return false;
        }

        if (n + 1 == s->entry_fields) {
            reach(s->hears);
        }

        return true;

    default:
        return v->kind == LUN_RESP_ARRAY;
    }
}


static bool
on_hear(lun_store_ask *ask, const lun_resp_value *v)
{
    unsigned      n;
    lun_speaker  *s = lun_container_of(ask, lun_speaker, hear);

    n = step(&s->walk, v);

    if (!hear_value(s, v, n)) {
        return false;
    }

    if (v->last) {
        s->hearing = false;
        s->again = s->heard != 0;
        lun_speaker_go_on(s);
    }

    return true;
}


static void
on_lost_hearing(lun_store_ask *ask)
{
    lun_speaker  *s = lun_container_of(ask, lun_speaker, hear);

    s->hearing = false;
}


void
lun_speaker_hear(lun_speaker *s)
{
    size_t            i, n = 0;
    lun_store_link   *l = s->link;

    for (i = 0; i < s->count; i++) {
        n += s->parts[i].state == LUN_PART_FOLLOWS;
    }

    if (n == 0) {
        return;
    }

    s->hearing = true;
    s->heard = 0;
    s->hears = NULL;
    s->walk = (lun_reply_walk) { .skips = false };
    s->hear = (lun_store_ask) { .value = on_hear, .lost = on_lost_hearing };

    lun_store_link_begin(l, 4 + 2 * n);
    lun_store_link_put(l, LUN_STR("XREAD"));
    lun_store_link_put(l, LUN_STR("COUNT"));
    lun_store_link_put_number(l, MOST);
    lun_store_link_put(l, LUN_STR("STREAMS"));

    for (i = 0; i < s->count; i++) {
        if (s->parts[i].state == LUN_PART_FOLLOWS) {
            lun_store_link_put(l, s->parts[i].z->log);
        }
    }

    for (i = 0; i < s->count; i++) {
        if (s->parts[i].state == LUN_PART_FOLLOWS) {
            lun_store_link_put(l, lun_str_z(s->parts[i].reached.id));
        }
    }

    lun_store_link_ask(l, &s->hear);
}
