/*
 * variables.h -- $variables: a table of names, and each request's values.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_VARIABLES_H
#define LUN_VARIABLES_H

#include "config/conf.h"

typedef struct lun_engine    lun_engine;
typedef struct lun_server    lun_server;
typedef struct lun_session   lun_session;
typedef struct lun_variable  lun_variable;

typedef struct {
    lun_str   text;
    uint8_t   known:1;             /* text or not_found is set */
    uint8_t   not_found:1;
    uint8_t   volatile_:1;         /* ask again next time */
} lun_value;

/* Fills *v; sets v->known, and v->not_found when there is none. */
typedef void lun_var_get_fn(lun_session *s, lun_value *v, uintptr_t data);
typedef void lun_var_set_fn(lun_session *s, lun_str value, uintptr_t data);

enum {
    LUN_VAR_CHANGEABLE = 0x01,     /* may be defined again: set, map, ... */
    LUN_VAR_VOLATILE   = 0x02,     /* its value is never cached */
    LUN_VAR_PREFIX     = 0x04,     /* name is a prefix: "http_", "arg_" */
    LUN_VAR_CONSTANT   = 0x08,     /* `data` is its text, with a zero byte */
    LUN_VAR_WRITTEN    = 0x10      /* scripts may write to it even where the
                                      configuration does not name it */
};

struct lun_variable {
    lun_str          name;         /* lower case */
    lun_var_get_fn  *get;
    lun_var_set_fn  *set;          /* NULL: set only stores the value */
    uintptr_t        data;
    unsigned         flags;
    unsigned         index;        /* of its value in a request; 0: none yet */
    const char      *help;         /* for the manual: a line; a prefix's: with
                                      an example */
};

/*
 * While reading the configuration.  Defines a name; NULL was reported
 * ('the duplicate "x" variable').
 */
lun_variable *lun_var_define(lun_conf *cf, lun_str name, unsigned flags);

/* "$name" without its '$'; ERROR: reported. */
lun_rc lun_var_name(lun_conf *cf, lun_str text, lun_str *name);

/*
 * The index behind a name (without '$'), defined or not yet; 0: reported.
 * A name that nobody defines by the end is `unknown "x" variable`.
 */
unsigned lun_var_index(lun_conf *cf, lun_str name);

/* Whether its value is the same for all, and known now: *text is that. */
bool lun_var_constant(lun_conf *cf, lun_str name, lun_str *text);

/* Whether a name is $http_something or the like, and so has a value. */
bool lun_var_in_family(lun_conf *cf, lun_str name);

/* Adds a table that ends with an empty name; at start-up. */
void lun_var_add_table(lun_conf *cf, const lun_variable *table);

/* Each that a table has added to the engine, in no order. */
typedef void lun_var_each_fn(void *data, const lun_variable *v);
void lun_var_each(const lun_engine *e, lun_var_each_fn *each, void *data);

/*
 * The value by index, computed anew when it is volatile (nginx: flushed).
 * Never NULL; check ->not_found.
 */
const lun_value *lun_var_get_fresh(lun_session *s, unsigned index);

/* By name at run time (Lua, SSI): NULL when there is no such variable. */
const lun_value *lun_var_get_named(lun_session *s, lun_str name);

typedef enum {
    LUN_VAR_SET,
    LUN_VAR_UNKNOWN,               /* `variable "x" not found for writing` */
    LUN_VAR_READ_ONLY              /* `variable "x" not changeable` */
} lun_var_verdict;

/* text.data NULL: becomes "not found" (nil). */
lun_var_verdict lun_var_set_named(lun_session *s, lun_str name, lun_str text);
void lun_var_set(lun_session *s, unsigned index, lun_str text);

/* What it depends on has changed: a value that was kept is computed anew. */
void lun_var_forget(lun_session *s, lun_str name);

/*
 * While a directive is read that works with variables of the user's: each is
 * there, without a value where nothing sets it.  indexes[i] is that of
 * names[i]; LUN_ERROR was reported.
 */
lun_rc lun_var_define_unset(lun_conf *cf, const lun_str *names, size_t n,
    unsigned *indexes);

/* After the configuration is read: LUN_ERROR was reported. */
lun_rc lun_var_finish(lun_conf *cf);

/* What every protocol has: var_session.c, var_proxied.c. */
extern const lun_variable  lun_session_variables[], lun_proxied_variables[];

/* How many values a request of the generation has (s->values). */
unsigned lun_var_count(const lun_engine *e);

#endif
