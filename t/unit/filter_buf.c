/*
 * filter_buf.c -- bufs of a filter: which of them are filled again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/filter_buf.c"

#include "http/engine.h"

#include "tap.h"


enum { MANY = 200000 };


/* Says as much as a buf holds: the buf that it stands in. */
static lun_buf *
say(lun_filter_buf *s, const char *text)
{
    lun_filter_buf_put(s, text, 4);
    return lun_filter_buf_take(s);
}


static bool
holds(const lun_buf *b, const char *text)
{
    return b != NULL && b->next == NULL && b->last - b->pos == 4
           && memcmp(b->pos, text, 4) == 0;
}


/* In time that grows with their number: all tests have minutes. */
static bool
keeps_many(lun_filter_buf *s)
{
    int  i;

    for (i = 0; i < MANY; i++) {
        if (!holds(say(s, "more"), "more")) {
            return false;
        }
    }

    return true;
}


/* --- a filter that says every byte twice, and what is behind it ---------- */

static lun_http_module  doubler = { .name = "doubler" };
static lun_chain        below;     /* what nobody has taken yet */
static int              pushes, takes_all;
static bool             broken;


static lun_rc
next_body(lun_request *r, lun_buf *in)
{
    lun_buf  *next;

    pushes += in == NULL;

    for ( ; in != NULL; in = next) {
        next = in->next;
        lun_chain_push(&below, in);
    }

    if (takes_all) {
        while (below.head != NULL) {
            below.head->pos = below.head->last;
            (void) lun_chain_shift(&below);
        }
    }

    return broken ? LUN_ERROR : LUN_OK;
}


static lun_rc
take(void *state, lun_str *text)
{
    lun_filter_buf  *s = state;

    while (text->len != 0 && !lun_filter_buf_is_full(s)) {
        lun_filter_buf_put(s, text->data, 1);
        lun_filter_buf_put(s, text->data, 1);
        *text = lun_str_of(text->data + 1, text->len - 1);
    }

    return LUN_OK;
}


static lun_rc
close_buf(void *state, lun_buf *b)
{
    lun_filter_buf_close(state, b);
    return LUN_OK;
}


static const lun_filter  filter = {
    .module = &doubler, .take = take, .close = close_buf
};


/* What is below, taken; room for 100 bytes. */
static const char *
taken(void)
{
    char         *p;
    lun_buf      *b;
    static char   text[100];

    p = text;

    while ((b = lun_chain_shift(&below)) != NULL) {
        p = lun_copy_str(p, lun_str_of(b->pos, (size_t) lun_buf_size(b)));
        p = b->eof ? lun_copy(p, "!", 1) : p;
        b->pos = b->last;
    }

    *p = '\0';
    return text;
}


static void
holds_what_has_no_room(lun_pool *pool, lun_request *r)
{
    lun_filter_buf   s;
    lun_buf         *one = lun_buf_new_str(pool, LUN_STR("abcdef"));
    lun_buf         *two = lun_buf_new_str(pool, LUN_STR("gh"));

    one->next = two;
    two->eof = 1;
    lun_filter_buf_init(&s, r, 4, 2);
    pushes = 0;

    is_int(lun_filter_buf_run(&s, &filter, &s, one), LUN_AGAIN,
           "no more than there is room for");
    is_str(taken(), "aabbccdd", "is said");
    is_int(one->last - one->pos, 2, "the rest is left where it is");
    is_int(r->held, 1, "and counted");
    is_int(r->eof_came, 1, "its end is known to have come");
    is_int(pushes, 1, "and what is below was asked to send");

    is_int(lun_filter_buf_run(&s, &filter, &s, NULL), LUN_OK,
           "when it was taken the filter goes on");
    is_str(taken(), "eeffgghh!", "to the end");
    ok(one->pos == one->last && two->pos == two->last && r->held == 0,
       "and holds nothing");
}


static void
goes_on_while_it_is_taken(lun_pool *pool, lun_request *r)
{
    lun_filter_buf   s;
    lun_buf         *b = lun_buf_new_str(pool, LUN_STR("0123456789abcdefgh"));

    lun_filter_buf_init(&s, r, 4, 2);
    s.whole = true;
    takes_all = 1;
    is_int(lun_filter_buf_run(&s, &filter, &s, b), LUN_OK,
           "without a pause, if all is taken");
    ok(b->pos == b->last && r->held_whole == 0 && s.busy <= 3, "in few bufs");
    takes_all = 0;
}


static void
may_be_told_not_to_hold(lun_pool *pool, lun_request *r)
{
    lun_filter_buf   s;
    lun_buf         *b = lun_buf_new_str(pool, LUN_STR("0123456789"));

    lun_filter_buf_init(&s, r, 4, 1);
    s.whole = true;
    (void) lun_filter_buf_run(&s, &filter, &s, b);
    is_int(r->held_whole, 1, "what stands behind postpone has its own count");

    r->unheld = 1;
    is_int(lun_filter_buf_run(&s, &filter, &s, NULL), LUN_OK, "unheld");
    is_str(taken(), "00112233445566778899", "all is said, sent or not");
    r->unheld = 0;
}


static void
gives_up(lun_pool *pool, lun_request *r)
{
    lun_filter_buf   s;
    lun_buf         *b = lun_buf_new_str(pool, LUN_STR("0123456789"));

    lun_filter_buf_init(&s, r, 4, 1);
    (void) lun_filter_buf_run(&s, &filter, &s, b);
    broken = true;
    is_int(lun_filter_buf_run(&s, &filter, &s, NULL), LUN_ERROR,
           "an answer that is lost");
    ok(s.in.head == NULL && r->held == 0, "is not held");
    broken = false;
}


int
main(void)
{
    lun_body_filter_fn  *nexts[] = { next_body };
    lun_http_engine      engine = { .next_body = nexts };

    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_buf         *one, *two, *three;
    lun_request      r = { .pool = pool, .engine = &engine };
    lun_filter_buf   s;

    lun_filter_buf_init(&s, &r, 4, 2);

    one = say(&s, "one.");
    two = say(&s, "two.");
    ok(holds(one, "one.") && holds(two, "two.") && one != two,
       "what is not yet sent is left alone");

    one->pos = one->last;
    ok(say(&s, "new.") == one && holds(one, "new."),
       "what was sent is filled again");
    ok(holds(two, "two."), "and what was not is as it was");

    three = say(&s, "3333");
    ok(three != one && three != two, "without any to fill there is another");

    one->pos = one->last;
    two->pos = two->last;
    three->pos = three->last;
    ok(say(&s, "aaaa") != say(&s, "bbbb") && s.spares != NULL,
       "each of them once");

    ok(keeps_many(&s), "for a client who takes nothing, too");

    lun_chain_init(&below);
    holds_what_has_no_room(pool, &r);
    goes_on_while_it_is_taken(pool, &r);
    may_be_told_not_to_hold(pool, &r);
    gives_up(pool, &r);

    lun_pool_free(pool);
    return done_testing();
}
