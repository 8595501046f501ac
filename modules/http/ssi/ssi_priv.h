/*
 * ssi_priv.h -- what the filter (ssi.c), the commands (ssi_commands.c) and
 * their values (ssi_values.c) share.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SSI_PRIV_H
#define LUN_SSI_PRIV_H

#include "http/filter_buf.h"
#include "http/module.h"

enum {
    LUN_SSI_PARAMS   = 16,         /* of a command */
    LUN_SSI_CAPTURES = 10,         /* $0 ... $9 */
    LUN_SSI_NESTED   = 64,         /* ifs inside one another */
    LUN_SSI_INCLUDES = 4096       /* of a page and of those in it */
};

typedef struct {
    bool       on;
    bool       silent_errors;
    bool       last_modified;
    size_t     value_length;
    lun_hash  *types;              /* NULL: every type */
} lun_ssi_conf;

typedef struct {
    lun_str  name;
    lun_str  value;
} lun_ssi_pair;

/* Text that grows. */
typedef struct {
    char    *data;
    size_t   len;
    size_t   room;
} lun_ssi_text;

/* What a page and those that it includes have in common. */
typedef struct {
    lun_array  vars;               /* of lun_ssi_pair: set */
    lun_array  blocks;             /* of lun_ssi_pair: block */
    lun_str    captures[LUN_SSI_CAPTURES];
    int        capture_count;
    unsigned   includes;           /* LUN_SSI_INCLUDES at most */
} lun_ssi_shared;

/* An if, from its command to its endif. */
typedef struct {
    bool  outer;                   /* what is around it is shown */
    bool  chosen;                  /* one of its branches was */
    bool  has_else;
} lun_ssi_if;

typedef enum { LUN_SSI_ENTITY, LUN_SSI_URL, LUN_SSI_NONE } lun_ssi_encoding;

/* Of an answer. */
typedef struct {
    lun_request         *r;
    const lun_ssi_conf  *conf;
    lun_ssi_shared      *shared;
    lun_filter_buf       out;
    bool                 active;   /* no: it only keeps what is shared */

    lun_str              errmsg;
    lun_str              timefmt;
    lun_ssi_encoding     encoding; /* of echo */

    lun_ssi_text         held;     /* what may be a command, from its "<" */
    char                 quote;    /* of the value that it ends in, or 0 */
    bool                 escaped;  /* behind a backslash there */

    bool                 shown;    /* no: an if says otherwise */
    unsigned             depth;
    lun_ssi_if           ifs[LUN_SSI_NESTED];

    bool                 in_block;
    lun_str              block;    /* its name */
    lun_ssi_text         block_text;

    lun_request         *asked;    /* a subrequest that is waited for */
    lun_str              set;      /* its answer becomes that variable */
    lun_str              stub;     /* the block that stands in for none */
    bool                 capture;  /* its answer is kept for us */
    bool                 busy;     /* the filter is on the stack */
} lun_ssi;

typedef struct {
    lun_str       name;
    lun_ssi_pair  params[LUN_SSI_PARAMS];
    size_t        count;
} lun_ssi_command;

extern lun_http_module  lun_http_ssi;

/* --- ssi_values.c --- */

/*
 * The words between "<!--#" and "-->".  ERROR: it is none; logged.
 */
lun_rc lun_ssi_parse(lun_ssi *s, lun_str text, lun_ssi_command *c);

void lun_ssi_append(lun_ssi *s, lun_ssi_text *t, lun_str text);

/* A variable of SSI, a capture, or the request's; false: there is none. */
bool lun_ssi_get(lun_ssi *s, lun_str name, lun_str *value);
void lun_ssi_set(lun_ssi *s, lun_str name, lun_str value);

/* Text with $name and ${name} in it.  ERROR: logged. */
lun_rc lun_ssi_eval(lun_ssi *s, lun_str text, lun_str *value);

/* What an if asks.  ERROR: logged. */
lun_rc lun_ssi_test(lun_ssi *s, lun_str expr, bool *yes);

/* --- ssi_commands.c --- */

/* ERROR: the directive failed, and what was wrong is logged. */
lun_rc lun_ssi_run(lun_ssi *s, const lun_ssi_command *c);

/* --- ssi.c --- */

/* Text of the page: shown, kept in a block, or dropped. */
void lun_ssi_say(lun_ssi *s, lun_str text);

/* What was said so far goes to the next filter. */
lun_rc lun_ssi_flush(lun_ssi *s);

/* What was waited for is there; or the answer is lost. */
void lun_ssi_go_on(lun_ssi *s);
void lun_ssi_fail(lun_ssi *s);

#endif
