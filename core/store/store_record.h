/*
 * store_record.h -- a change of a dictionary as a store has it.  Pure.
 *
 *     op type traits | flags | stamp | expires | value, or two numbers
 *     1  1    1        4       8       8
 *
 * Numbers have their first byte first, so that scripts in the store can read
 * them (store_script.c), and of two stamps the later one is the greater text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STORE_RECORD_H
#define LUN_STORE_RECORD_H

#include "shm/shdict_feed.h"

enum {
    LUN_STORE_RECORD = 23,         /* bytes in front of the value */
    LUN_STORE_NUMBER = 8
};

/* Bytes of a change's record. */
size_t lun_store_record_size(const lun_shdict_change *c);
/* Writes them; returns their end. */
char *lun_store_record_put(char *to, const lun_shdict_change *c);

/*
 * The change of that key; its value is a view of the record, or of `number`,
 * which has room for one.  False: it is none.
 */
bool lun_store_record_read(lun_str key, lun_str record, lun_shdict_change *c,
    char number[LUN_STORE_NUMBER]);

#endif
