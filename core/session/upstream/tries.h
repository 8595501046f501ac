/*
 * tries.h -- the servers that a session has asked, and what came of it:
 * $upstream_...
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_TRIES_H
#define LUN_TRIES_H

#include "session/session.h"

typedef struct lun_upstream_try  lun_upstream_try;

/* One of the list at s->tries. */
struct lun_upstream_try {
    lun_upstream_try  *next;
    lun_str            addr;       /* data NULL: it was never chosen */
    bool               moved;      /* the request came from elsewhere: ":" */
    unsigned           status;     /* HTTP's; 0: none */
    lun_msec           started;
    int64_t            connect_time;  /* ms; -1: it did not come so far */
    int64_t            header_time;   /* TCP: to the first byte */
    int64_t            response_time; /* TCP: all of it */
    int64_t            response_length;    /* as it came: with frames */
    int64_t            received;
    int64_t            sent;
};

/* The one that is at hand, or was last; NULL: there was none. */
const lun_upstream_try *lun_upstream_last_try(const lun_session *s);

/*
 * The getter of a variable that has a value for each of them, by data.
 * Several are a list with commas; those of a request that was moved to another
 * location in between are divided by colons.
 */
typedef enum {
    LUN_TRY_STATUS,
    LUN_TRY_CONNECT_TIME,
    LUN_TRY_HEADER_TIME,
    LUN_TRY_RESPONSE_TIME,
    LUN_TRY_LENGTH,
    LUN_TRY_RECEIVED,
    LUN_TRY_SENT
} lun_try_value;

lun_var_get_fn  lun_upstream_get_each;

#define LUN_TRY_VARIABLE(text, value, says)                                   \
    { .name = LUN_STR_INIT(text), .get = lun_upstream_get_each,               \
      .data = value, .flags = LUN_VAR_VOLATILE, .help = says }

/* Those that every protocol has. */
extern const lun_variable  lun_upstream_variables[];

#endif
