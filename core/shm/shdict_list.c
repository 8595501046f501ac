/*
 * shdict_list.c -- lists in a dictionary: lpush, rpush, lpop, rpop, llen.
 *
 * A list is an entry whose value holds the ends of a chain of items.  Every
 * change of the chain is a change of that entry (intent), so a killed writer
 * costs the list it was at, and nothing else.  A push evicts nobody: without
 * room there is "no memory".
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/shdict.h"

#include "shm/shdict_page.h"


static void
attach(lun_shdict *d, shdict_list *list, shdict_ref ref, bool left)
{
    shdict_item  *item = shdict_at(d, ref);

    item->prev = left ? 0 : list->last;
    item->next = left ? list->first : 0;

    if (list->count == 0) {
        list->first = list->last = ref;

    } else if (left) {
        ((shdict_item *) shdict_at(d, list->first))->prev = ref;
        list->first = ref;

    } else {
        ((shdict_item *) shdict_at(d, list->last))->next = ref;
        list->last = ref;
    }

    list->count++;
}


static shdict_ref
detach(lun_shdict *d, shdict_list *list, bool left)
{
    shdict_ref    ref = left ? list->first : list->last;
    shdict_item  *item = shdict_at(d, ref);

    if (item->prev != 0) {
        ((shdict_item *) shdict_at(d, item->prev))->next = item->next;
    } else {
        list->first = item->next;
    }

    if (item->next != 0) {
        ((shdict_item *) shdict_at(d, item->next))->prev = item->prev;
    } else {
        list->last = item->prev;
    }

    list->count--;
    return ref;
}


static void
change(lun_shdict *d, uint32_t shard, const shdict_entry *e)
{
    shdict_shard_at(d, shard)->intent = e ? shdict_ref_of(d, e) : 0;
    atomic_thread_fence(memory_order_seq_cst);
}


static lun_shdict_verdict
push_locked(lun_shdict *d, uint32_t shard, uint32_t hash, lun_str key,
    lun_shdict_store *st, bool left, uint32_t *count)
{
    size_t         size = shdict_item_room(d, st->len);
    shdict_ref     ref;
    shdict_item   *item;
    shdict_list   *list;
    shdict_entry  *e;

    e = lun_shdict_list_entry(d, shard, hash, key, false);
    if (e != NULL && e->type != LUN_SHDICT_LIST) {
        return LUN_SHDICT_NOT_LIST;
    }

    /* An expired list may go for it: look for the entry afterwards. */
    ref = lun_shdict_take_hard(d, shard, size, true, &st->forcible);
    if (ref == 0) {
        return LUN_SHDICT_NO_MEMORY;
    }

    item = shdict_at(d, ref);
    item->slot_kind = SLOT_ITEM;
    item->type = st->type;
    item->value_len = (uint32_t) st->len;
    memcpy(item + 1, st->data, st->len);

    e = lun_shdict_list_entry(d, shard, hash, key, true);
    if (e == NULL) {
        lun_shdict_give(d, shard, ref, size);
        return LUN_SHDICT_NO_MEMORY;
    }

    list = (shdict_list *) shdict_value(e);

    change(d, shard, e);
    attach(d, list, ref, left);
    change(d, shard, NULL);

    *count = list->count;
    return LUN_SHDICT_OK;
}


lun_shdict_verdict
lun_shdict_push(lun_shdict *d, lun_str key, lun_shdict_store *st, bool left,
    uint32_t *count)
{
    uint32_t            shard, hash;
    lun_shdict_verdict  verdict;

    st->forcible = false;

    if (key.len > MAX_KEY) {
        return LUN_SHDICT_NO_MEMORY;
    }

    lun_shdict_place(d, key, &shard, &hash);
    lun_shdict_lock(d, shard);
    verdict = push_locked(d, shard, hash, key, st, left, count);
    lun_shdict_unlock(d, shard);

    return verdict;
}


/*
 * The item is taken out before it is copied: should this process die in
 * between, one value is lost, and the list is whole.
 */
static lun_shdict_verdict
pop_locked(lun_shdict *d, uint32_t shard, uint32_t hash, lun_str key,
    lun_shdict_value *v, bool left)
{
    shdict_ref     ref;
    shdict_item   *item;
    shdict_list   *list;
    shdict_entry  *e = lun_shdict_list_entry(d, shard, hash, key, false);

    if (e == NULL) {
        return LUN_SHDICT_NOT_FOUND;
    }

    if (e->type != LUN_SHDICT_LIST) {
        return LUN_SHDICT_NOT_LIST;
    }

    list = (shdict_list *) shdict_value(e);

    change(d, shard, e);
    ref = detach(d, list, left);
    change(d, shard, NULL);

    item = shdict_at(d, ref);
    lun_shdict_copy_value(v, item->type, (const char *) (item + 1),
                          item->value_len);
    lun_shdict_give(d, shard, ref, shdict_item_room(d, item->value_len));

    if (list->count == 0) {
        lun_shdict_remove(d, shard, e);
    }

    return LUN_SHDICT_OK;
}


lun_shdict_verdict
lun_shdict_pop(lun_shdict *d, lun_str key, bool left, lun_shdict_value *v)
{
    uint32_t            shard, hash;
    lun_shdict_verdict  verdict;

    v->type = LUN_SHDICT_NIL;

    lun_shdict_place(d, key, &shard, &hash);
    lun_shdict_lock(d, shard);
    verdict = pop_locked(d, shard, hash, key, v, left);
    lun_shdict_unlock(d, shard);

    return verdict;
}


lun_shdict_verdict
lun_shdict_llen(lun_shdict *d, lun_str key, uint32_t *count)
{
    uint32_t             shard, hash;
    shdict_entry        *e;
    lun_shdict_verdict   verdict = LUN_SHDICT_OK;

    *count = 0;

    lun_shdict_place(d, key, &shard, &hash);
    lun_shdict_lock(d, shard);

    e = lun_shdict_list_entry(d, shard, hash, key, false);
    if (e != NULL && e->type != LUN_SHDICT_LIST) {
        verdict = LUN_SHDICT_NOT_LIST;

    } else if (e != NULL) {
        *count = ((shdict_list *) shdict_value(e))->count;
    }

    lun_shdict_unlock(d, shard);
    return verdict;
}
