/*
 * filter_buf.c -- bufs of a filter: which of them are filled again.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/http/filter_buf.c"

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


int
main(void)
{
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_buf         *one, *two, *three;
    lun_request      r = { .pool = pool };
    lun_filter_buf   s;

    lun_filter_buf_init(&s, &r, 4);

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
    ok(say(&s, "aaaa") == two && say(&s, "bbbb") == one
       && say(&s, "cccc") == three, "they are filled in the order of sending");

    ok(keeps_many(&s), "for a client who takes nothing, too");

    lun_pool_free(pool);
    return done_testing();
}
