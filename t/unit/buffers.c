/*
 * buffers.c -- buffers go from one connection to the next, as long as there
 * are not too many.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/buffers.c"

#include "loop_help.h"


static size_t
kept(size_t size)
{
    return lp->buffers->classes[class_of(size)].count;
}


static void
goes_on(void)
{
    char  *a, *b;

    a = lun_buffer_take(lp, 16384);
    b = lun_buffer_take(lp, 65536);
    memset(a, 'a', 16384);
    memset(b, 'b', 65536);
    lun_buffer_give(lp, a, 16384);
    lun_buffer_give(lp, b, 65536);

#ifndef LUN_POOL_DEBUG
    ok(lun_buffer_take(lp, 65536) == b && lun_buffer_take(lp, 16384) == a,
       "the next gets what one has given back");
    lun_buffer_give(lp, a, 16384);
    lun_buffer_give(lp, b, 65536);
#endif
}


static void
keeps_few(void)
{
    size_t        i;
    static char  *all[100];

    for (i = 0; i < LUN_ARRAY_LEN(all); i++) {
        all[i] = lun_buffer_take(lp, 65536);
    }

    for (i = 0; i < LUN_ARRAY_LEN(all); i++) {
        lun_buffer_give(lp, all[i], 65536);
    }

    ok(kept(65536) <= KEEP / 65536, "a hundred large ones are not kept");
    lun_buffer_give(lp, lun_buffer_take(lp, 16385), 16385);
    ok(class_of(16385) == CLASSES && class_of(2048) == CLASSES
       && class_of(131072) == CLASSES, "nor are those of odd sizes");
}


int
main(void)
{
    lun_err  err = lun_loop_init(lp);

    ok(err == 0, "a loop");
    goes_on();
    keeps_few();
    lun_loop_fini(lp);
    ok(lp->buffers == NULL, "they end with the loop");
    return done_testing();
}
