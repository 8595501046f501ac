/*
 * json_object.h -- the members of an object in JSON, as they stand there: for
 * who has to know what else is said, and not only what he looks for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_JSON_OBJECT_H
#define LUN_JSON_OBJECT_H

#include "base/array.h"

typedef enum {
    LUN_JSON_STRING,
    LUN_JSON_NUMBER,
    LUN_JSON_BOOLEAN,
    LUN_JSON_NULL,
    LUN_JSON_NESTED                /* an object or an array */
} lun_json_kind;

typedef struct lun_json_member {
    lun_str        name;
    lun_json_kind  kind;
    lun_str        text;           /* of a string, what it says; else its own */
} lun_json_member;

/*
 * Adds the members of the object that is the whole text, in its order, to an
 * array of lun_json_member; they live as long as the text and the pool.
 * False: the text is no JSON, or no object; the array may have some then, and
 * *at (may be NULL) is where the reader stopped.
 */
bool lun_json_object_read(lun_pool *pool, lun_str text, lun_array *members,
    size_t *at);

#endif
