/*
 * array_var_priv.h -- what the files of the array_var module share.
 *
 *     array_var.c    array_split, array_join, array_map, array_map_op
 *     form_input.c   set_form_input, set_form_input_multi
 *
 * A variable that holds a list of texts holds a word that stands for it: the
 * list is known by the place of that word in memory, so that no text from
 * outside can be taken for one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ARRAY_VAR_PRIV_H
#define LUN_ARRAY_VAR_PRIV_H

#include "http/rewrite.h"

typedef struct lun_values  lun_values;

struct lun_values {
    lun_values  *next;             /* of the same request */
    lun_array    items;            /* of lun_str */
    char         word[8];          /* what a variable holds of it */
};

extern lun_http_module  lun_http_array_var, lun_http_form_input;

/* In a setter: requests may have lists. */
lun_rc lun_values_want(lun_conf *cf);

/* A new list, empty, that lives as long as the main request. */
lun_values *lun_values_new(lun_request *r);
void lun_values_add(lun_values *v, lun_str item);

/* What a variable is set to. */
lun_str lun_values_text(const lun_values *v);

/* The list that a variable's text stands for; NULL: it is none. */
lun_values *lun_values_of(lun_request *r, lun_str text);

#endif
