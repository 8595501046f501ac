/*
 * rewrite.h -- instructions that a block runs in the rewrite phases: set, if,
 * rewrite, return, set_by_lua, in the order of the text.
 *
 * The list of a server runs in SERVER_REWRITE, that of a location in REWRITE.
 * It belongs to its block alone: inner locations do not inherit it.  What an
 * "if" holds is one instruction of the block around it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_REWRITE_H
#define LUN_REWRITE_H

#include "http/module.h"

/*
 * LUN_NEXT: go on with the next instruction.  LUN_LEAVE: the list ends here
 * (break, last).  Anything else is the answer.
 */
typedef lun_verdict lun_rewrite_fn(lun_request *r, void *data);

/* In a setter: a new last instruction of the present block. */
void lun_rewrite_add(lun_conf *cf, lun_rewrite_fn *fn, void *data);

/* Runs the list of a block (an "if" whose condition holds). */
typedef struct lun_rewrite_list  lun_rewrite_list;
lun_verdict lun_rewrite_run(lun_request *r, const lun_rewrite_list *list);

/* The list of the present block; made when it has none. */
lun_rewrite_list *lun_rewrite_list_of(lun_conf *cf, lun_block *block);

/*
 * In the setter of `set $x` and its like: the index of a variable ("$x") that
 * may be set; 0: reported.  A request that reads it before gets "" and a line
 * in the log (uninitialized_variable_warn).
 */
unsigned lun_rewrite_variable(lun_conf *cf, lun_str dollar_name);

/*
 * A function from text to text is a directive, `NAME $dst text` or, for the
 * variable itself, `NAME $dst`; Lua has it as ndk.set_var.NAME.  In the table:
 * .set = lun_set_text, .data = &(const lun_text_function) { fn, "NAME" }.
 * r is NULL outside of a request; LUN_ERROR: the text is not what it takes,
 * which is logged in the directive's name, or by the function if that is NULL.
 */
typedef lun_rc lun_text_fn(lun_request *r, lun_pool *pool, lun_str in,
    lun_str *out);
typedef struct {
    lun_text_fn  *run;
    const char   *name;
} lun_text_function;

lun_set_fn  lun_set_text;

/* Runs it for a request, or for nobody (NULL). */
lun_rc lun_text_run(const lun_text_function *f, lun_request *r, lun_pool *pool,
    lun_str in, lun_str *out);

/* By the directive's name; NULL: there is none. */
const lun_text_function *lun_text_function_of(lun_str name);

typedef struct {
    lun_rewrite_list  *list;       /* of this very block */
    const lun_block   *block;
    bool               log;        /* rewrite_log */
    bool               warn;       /* uninitialized_variable_warn */
} lun_rewrite_conf;

extern lun_http_module  lun_http_instructions, lun_http_server_instructions;

#endif
