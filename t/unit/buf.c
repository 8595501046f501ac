/*
 * buf.c -- bufs and chains.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/buf.c"

#include "tap.h"


int
main(void)
{
    lun_buf   *a, *b, *f;
    lun_pool  *pool = lun_pool_new_sized(1024);
    lun_chain  c;

    a = lun_buf_new_str(pool, LUN_STR("hello"));
    b = lun_buf_new_room(pool, 10);
    f = lun_buf_new_file(pool, 7, 100, 350);

    is_int(lun_buf_size(a), 5, "a string's size");
    is_int(lun_buf_size(lun_buf_new_str(pool, LUN_STR_NULL)), 0,
           "that of none");
    is_int(lun_buf_size(b), 0, "room is empty");
    is_int(b->end - b->last, 10, "and roomy");
    is_int(lun_buf_size(f), 250, "a file's part");
    ok(!a->temporary && b->temporary, "only room may be changed in place");
    ok(!lun_buf_special(b), "an empty buf is not special");
    b->flush = 1;
    ok(lun_buf_special(b), "a flag without bytes is");
    f->eof = 1;
    ok(!lun_buf_special(f), "a flag with bytes is not");

    lun_chain_init(&c);
    ok(lun_chain_shift(&c) == NULL, "nothing to shift");
    lun_chain_push(&c, a);
    lun_chain_push(&c, b);
    is_int(lun_buf_total(c.head), 5, "total");
    ok(lun_chain_shift(&c) == a && a->next == NULL, "first in, first out");
    ok(lun_chain_shift(&c) == b, "second");
    lun_chain_push(&c, f);
    ok(c.head == f, "an emptied chain can be pushed to");

    lun_pool_free(pool);
    return done_testing();
}
