/*
 * list.h -- the intrusive list.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/list.h"

#include "tap.h"


typedef struct {
    int       n;
    lun_list  link;
} item;


static int
digits(lun_list *head)
{
    int  v = 0;

    lun_list_each(head, it) {
        v = v * 10 + lun_container_of(it, item, link)->n;
    }

    return v;
}


int
main(void)
{
    lun_list  head;
    item      a = { .n = 1 }, b = { .n = 2 }, c = { .n = 3 };

    lun_list_init(&head);
    ok(lun_list_empty(&head), "empty");
    lun_list_push_back(&head, &b.link);
    lun_list_push_back(&head, &c.link);
    lun_list_push_front(&head, &a.link);
    is_int(digits(&head), 123, "front and back");

    lun_list_remove(&b.link);
    lun_list_remove(&b.link);
    is_int(digits(&head), 13, "removing twice is harmless");

    lun_list_each_safe(&head, it) {
        lun_list_remove(it);
    }
    ok(lun_list_empty(&head), "the loop may remove");

    return done_testing();
}
