/*
 * store_link.h -- a connection to a store: commands that follow each other
 * without waiting, and their replies in the same order.
 *
 *     lun_store_link_begin(l, 2);
 *     lun_store_link_put(l, LUN_STR("GET"));
 *     lun_store_link_put(l, key);
 *     lun_store_link_ask(l, &ask);
 *
 * A server may say anything: what is no reply, a text that is too long, a
 * reply that nobody waits for ends the connection, and so does silence while
 * one is waited for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_STORE_LINK_H
#define LUN_STORE_LINK_H

#include "base/list.h"
#include "format/resp.h"
#include "store/store.h"

typedef struct lun_store_link  lun_store_link;
typedef struct lun_store_ask   lun_store_ask;

/*
 * Who waits for a reply, as long as it does.  value() is called for each value
 * of the reply, the last one has .last; false: it makes no sense, and the link
 * ends.  lost(): there will be none; or no more of it.
 */
struct lun_store_ask {
    lun_list    link;
    bool      (*value)(lun_store_ask *ask, const lun_resp_value *v);
    void      (*lost)(lun_store_ask *ask);
};

typedef struct {
    /* It stands, and may be asked. */
    void      (*up)(void *owner, lun_store_link *l);
    /* It ended, or never stood, after all asks were lost: `why` has been
       logged if the link was loud. */
    void      (*down)(void *owner, lun_store_link *l);
} lun_store_link_user;

lun_store_link *lun_store_link_new(lun_store *store, lun_loop *loop,
    const lun_log *log, const lun_store_link_user *user, void *owner);
/* Nobody is called any more. */
void lun_store_link_free(lun_store_link *l);

/*
 * Connects to the next of the store's urls; up() or down() comes, not in this
 * call.  `loud`: what goes wrong is logged.
 */
void lun_store_link_open(lun_store_link *l, bool loud);
bool lun_store_link_is_up(const lun_store_link *l);
bool lun_store_link_is_closed(const lun_store_link *l);

/* What goes wrong is logged from now on. */
void lun_store_link_be_loud(lun_store_link *l);

/* A worker that quits does not wait for its replies. */
void lun_store_link_set_idle(lun_store_link *l, bool idle);

/* Commands; the link is up.  Texts are copied. */
void lun_store_link_begin(lun_store_link *l, uint64_t parts);
void lun_store_link_put(lun_store_link *l, lun_str text);
/* Parts that are encoded already. */
void lun_store_link_put_raw(lun_store_link *l, lun_str parts);
void lun_store_link_put_number(lun_store_link *l, int64_t n);
void lun_store_link_ask(lun_store_link *l, lun_store_ask *ask);
/* Before more is put: how many bytes wait to be sent. */
size_t lun_store_link_backlog(const lun_store_link *l);

/* The url that it is, or was last, connected to. */
lun_str lun_store_link_where(const lun_store_link *l);

#endif
