/*
 * echo_priv.h -- what the files of the echo module share.
 *
 *     echo.c            directives, the content handler, the filters
 *     echo_commands.c   what the commands do
 *     echo_requests.c   those that ask other locations
 *     echo_vars.c       $echo_*
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_ECHO_PRIV_H
#define LUN_ECHO_PRIV_H

#include "http/module.h"

typedef struct lun_echo_command  lun_echo_command;
typedef struct lun_echo_state    lun_echo_state;

/*
 * A command's turn; `args` are its arguments with the variables' values in
 * them.  NEXT: the next command may run.  WAIT: s->waiting is set, and whoever
 * clears it calls lun_http_resume().  Anything else is the handler's verdict.
 */
typedef lun_verdict lun_echo_fn(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args);

struct lun_echo_command {
    lun_echo_fn   *run;
    lun_script   **args;
    size_t         count;
    bool           no_newline;     /* -n */
};

/* The commands of one block, in the order of the text. */
typedef struct {
    lun_array         commands;    /* of lun_echo_command */
} lun_echo_list;

typedef struct {
    lun_echo_list  *content;       /* NULL: it is somebody else's */
    lun_echo_list  *before;
    lun_echo_list  *after;
    int64_t         status;        /* echo_status */
} lun_echo_conf;

/* echo_foreach_split: `rest` holds the items behind the present one. */
typedef struct {
    bool     on;
    size_t   body;                 /* the first command inside */
    lun_str  separator;
    lun_str  item;
    lun_str  rest;
} lun_echo_loop;

struct lun_echo_state {
    lun_request          *request;
    const lun_echo_list  *list;    /* the content's */
    size_t                next;    /* the command whose turn it is */
    bool                  waiting;
    bool                  begun;   /* echo_before_body has spoken */
    bool                  reading; /* lun_body_read() is on the stack */
    lun_timer             timer;
    lun_echo_loop         loop;
    int64_t               since;   /* ms since the epoch; 0: see the request */
    int64_t               count;   /* of $echo_incr */
};

extern lun_http_module  lun_http_echo;
extern const lun_variable  lun_echo_variables[];

/* Made when the request has none. */
lun_echo_state *lun_echo_state_of(lun_request *r);

/* Now, and since when $echo_timer_elapsed counts. */
int64_t lun_echo_now(void);

/* The header first, unless it is out.  NEXT, or FAILED. */
lun_verdict lun_echo_send_header(lun_request *r);

/* What `echo` says, as a list of bufs; NULL: nothing. */
lun_buf *lun_echo_line(lun_request *r, const lun_echo_command *c,
    const lun_str *args);

/* The arguments' values, in the request's pool. */
const lun_str *lun_echo_values(lun_request *r, const lun_echo_command *c);

/* The commands; directives' .data points to one of these. */
extern lun_echo_fn  lun_echo_echo;
extern lun_echo_fn  lun_echo_duplicate;
extern lun_echo_fn  lun_echo_flush;
extern lun_echo_fn  lun_echo_sleep;
extern lun_echo_fn  lun_echo_blocking_sleep;
extern lun_echo_fn  lun_echo_reset_timer;
extern lun_echo_fn  lun_echo_read_request_body;
extern lun_echo_fn  lun_echo_request_body;
extern lun_echo_fn  lun_echo_exec;
extern lun_echo_fn  lun_echo_foreach_split;
extern lun_echo_fn  lun_echo_end;
extern lun_echo_fn  lun_echo_location;
extern lun_echo_fn  lun_echo_location_async;
extern lun_echo_fn  lun_echo_subrequest;
extern lun_echo_fn  lun_echo_subrequest_async;
extern lun_echo_fn  lun_echo_abort_parent;

#endif
