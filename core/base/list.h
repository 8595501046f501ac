/*
 * list.h -- an intrusive, circular, doubly linked list.
 *
 *     lun_list  idle;          the head
 *     struct conn { lun_list  link; ... };
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LIST_H
#define LUN_LIST_H

#include "base/base.h"

typedef struct lun_list  lun_list;
struct lun_list {
    lun_list  *next;
    lun_list  *prev;
};

static inline void
lun_list_init(lun_list *head)
{
    head->next = head;
    head->prev = head;
}

static inline bool
lun_list_empty(const lun_list *head)
{
    return head->next == head;
}

static inline void
lun_list_insert_after(lun_list *at, lun_list *link)
{
    link->next = at->next;
    link->prev = at;
    at->next->prev = link;
    at->next = link;
}

static inline void
lun_list_push_front(lun_list *head, lun_list *link)
{
    lun_list_insert_after(head, link);
}

static inline void
lun_list_push_back(lun_list *head, lun_list *link)
{
    lun_list_insert_after(head->prev, link);
}

/* Leaves `link` as an empty list: removing twice is harmless. */
static inline void
lun_list_remove(lun_list *link)
{
    link->next->prev = link->prev;
    link->prev->next = link->next;
    lun_list_init(link);
}

#define lun_list_each(head, it)                                               \
    for (lun_list *it = (head)->next; it != (head); it = it->next)

/* `it` may be removed (and freed) in the body. */
#define lun_list_each_safe(head, it)                                          \
    for (lun_list *it = (head)->next, *it##_next = it->next; it != (head);    \
         it = it##_next, it##_next = it->next)

#endif
