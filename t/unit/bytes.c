/*
 * bytes.c -- bytes that wait: beside the same text as one string, added and
 * used up in any order.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/bytes.c"

#include "tap.h"

enum { ALL = 20000 };


static void
in_front_and_behind(void)
{
    char       text[ALL];
    bool       same = true;
    size_t     i, n, added = 0, used = 0, most = 0;
    lun_bytes  b = { 0 };

    for (i = 0; i < ALL; i++) {
        text[i] = (char) (i * 7 % 251);
    }

    for (i = 0; used < ALL; i++) {
        n = lun_min(i * 37 % 700, (size_t) ALL - added);
        lun_bytes_add(&b, text + added, n);
        added += n;

        n = lun_min(i * 53 % 800, lun_bytes_left(&b));
        same &= memcmp(b.data + b.pos, text + used, n) == 0;
        b.pos += n;
        used += n;
        same &= lun_bytes_left(&b) == added - used;
        most = lun_max(most, b.size);
    }

    ok(same, "what was added first comes first");
    ok(most < ALL / 2, "what is used up is room again");

    lun_bytes_trim(&b);
    ok(b.size <= SMALL, "much memory is given back");
    lun_bytes_drop(&b);
    ok(b.data == NULL && b.size == 0 && lun_bytes_left(&b) == 0,
       "... and all of it");
}


static void
room(void)
{
    lun_bytes  b = { 0 };

    lun_bytes_add(&b, "", 0);
    ok(b.data == NULL, "nothing needs no memory");

    memset(lun_bytes_room(&b, 5 * SMALL), 'x', 5 * SMALL);
    ok(lun_bytes_left(&b) == 0, "room is not yet bytes");
    b.len += 3;
    ok(lun_bytes_left(&b) == 3 && memcmp(b.data, "xxx", 3) == 0,
       "... until that is said");
    b.pos = 3;
    lun_bytes_trim(&b);
    ok(b.data == NULL, "large room goes when it is empty");
}


int
main(void)
{
    in_front_and_behind();
    room();

    return done_testing();
}
