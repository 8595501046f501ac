/*
 * srcache_priv.h -- what the files of the srcache module share.
 *
 *     srcache.c         directives, variables; looking an answer up
 *     srcache_store.c   filters: an answer on its way is stored
 *     srcache_text.c    answers as they are stored
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SRCACHE_PRIV_H
#define LUN_SRCACHE_PRIV_H

#include "http/module.h"

/* Another location that is asked. */
typedef struct {
    lun_method   method;
    lun_script  *uri;
    lun_script  *args;             /* NULL: none */
} lun_srcache_asked;

typedef struct {
    lun_srcache_asked  *fetch;     /* NULL: none */
    lun_srcache_asked  *store;
    lun_script         *fetch_skip;        /* NULL: never */
    lun_script         *store_skip;
    size_t              max_size;  /* 0: as MEMORY_MOST says */
    lun_array          *statuses;  /* of unsigned */
    bool                ranges;
    size_t              header_size;       /* of one field */
    lun_array          *hidden;    /* of lun_str */
    lun_array          *passed;
    uint32_t            methods;
    bool                ignore_encoding;
    bool                request_control;
    bool                response_control;
    bool                no_store, no_cache, private_;
    int64_t             default_expire;
    int64_t             max_expire;        /* 0: any */
} lun_srcache_conf;

/* Of a main request. */
typedef struct {
    lun_request  *r;
    lun_request  *sub;             /* that looks it up */
    bool          done;
    bool          missed;          /* it was looked up, in vain */
    bool          hit;             /* the answer is a stored one */
    bool          storing;
    bool          stored;
    int64_t       expire;          /* seconds, of what is stored */
    int64_t       length;          /* what the header says; -1: nothing */
    char         *text;            /* the header, and so much of the body */
    size_t        header_len, len, room;
} lun_srcache_state;

extern lun_http_module  lun_http_srcache;

static inline const lun_srcache_conf *
lun_srcache_conf_of(const lun_request *r)
{
    return lun_http_conf(r, &lun_http_srcache);
}

/* A new subrequest to that location, not started; NULL: logged. */
lun_request *lun_srcache_ask(lun_request *r, const lun_srcache_asked *asked);

/* Whether one of the fields has that word, wherever it stands. */
bool lun_srcache_says(const lun_header *h, lun_str word);

/* --- srcache_store.c --- */

lun_rc lun_srcache_on_header(lun_request *r);
lun_rc lun_srcache_on_body(lun_request *r, lun_buf *in);

/* --- srcache_text.c --- */

/* Status line and fields; data NULL: one is too large, which is logged. */
lun_str lun_srcache_write(lun_request *r, const lun_srcache_conf *conf);

/*
 * Makes a stored answer's header the request's; *body is what follows.
 * ERROR: it is none, which is logged.
 */
lun_rc lun_srcache_read(lun_request *r, lun_str text, lun_str *body);

#endif
