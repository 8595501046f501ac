/*
 * upstream_priv.h -- what the rooms share that read `upstream { }`:
 *
 *     upstream_conf    blocks, and addresses without one
 *     upstream_server  the lines of a block
 *     upstream_saved   those that are in a file
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_UPSTREAM_PRIV_H
#define LUN_UPSTREAM_PRIV_H

#include "session/upstream/balance.h"

/* s->addrs, looked up if need be; false: no such host. */
bool lun_upstream_find_addrs(lun_conf *cf, const lun_upstream_place *p,
    lun_upstream_server_conf *s);

/* A word behind the address of a server of u, without a configuration. */
typedef enum {
    LUN_UPSTREAM_WORD_OK,
    LUN_UPSTREAM_WORD_BAD,
    LUN_UPSTREAM_WORD_NOT_HERE     /* the method does not know it */
} lun_upstream_word_verdict;
lun_upstream_word_verdict lun_upstream_server_word(const lun_upstream *u,
    lun_str word, lun_upstream_server_conf *s);

/* `server` and `state`, in an upstream. */
lun_set_fn  lun_upstream_set_server, lun_upstream_set_state;

#endif
