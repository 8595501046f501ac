/*
 * resp.h -- what a Redis server says (RESP, versions 2 and 3), value by value
 * as it comes, and the heads of what it is told.  Pure.
 *
 * A reply is a value, or an array of them; values are given in the order of
 * their bytes, an array as its count and then what is in it.  So a reply of
 * any size is read in the room that its largest text needs.
 *
 *     *2 $5 hello :12     ARRAY 2 (depth 0), TEXT (depth 1), NUMBER (depth 1)
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_FORMAT_RESP_H
#define LUN_FORMAT_RESP_H

#include "base/str.h"

enum {
    LUN_RESP_DEPTH = 8,            /* arrays in arrays, at most */
    LUN_RESP_LINE  = 4096,         /* bytes of a line, at most */
    LUN_RESP_HEAD  = 24            /* bytes of lun_resp_head(), at most */
};

typedef enum {
    LUN_RESP_MORE,                 /* the value at hand has not come whole */
    LUN_RESP_VALUE,
    LUN_RESP_BAD                   /* it is none: nothing can follow */
} lun_resp_verdict;

typedef enum {
    LUN_RESP_TEXT,                 /* a bulk, a simple string, a double */
    LUN_RESP_ERROR,                /* "ERR no such key" */
    LUN_RESP_NUMBER,               /* a boolean is one, too */
    LUN_RESP_NIL,
    LUN_RESP_ARRAY                 /* .number parts follow, a depth deeper */
} lun_resp_kind;

typedef struct {
    lun_resp_kind  kind;
    unsigned       depth;          /* arrays around it */
    bool           push;           /* of version 3: no reply, but news */
    bool           last;           /* the reply is over with it */
    lun_str        text;           /* a view of the bytes */
    int64_t        number;
} lun_resp_value;

/* Zeroed but for text_most: at the beginning of a reply. */
typedef struct {
    size_t    text_most;           /* bytes of a text, at most */
    size_t    needs;               /* after MORE: so many from *pos are enough
                                      for the value; 0: not known */
    unsigned  depth;
    int64_t   left[LUN_RESP_DEPTH];        /* parts to come, by depth */
} lun_resp;

/* The next value; *pos moves behind it, and stays where it is without one. */
lun_resp_verdict lun_resp_next(lun_resp *p, const char **pos, const char *end,
    lun_resp_value *v);

/*
 * "$12\r\n" or "*3\r\n": writes at most LUN_RESP_HEAD bytes, returns how many.
 * A command is an array of texts, each of them followed by "\r\n".
 */
size_t lun_resp_head(char *to, char kind, uint64_t n);

#endif
