/*
 * quic_cid.h -- connection ids that say which worker has the connection.
 *
 *     | 1 byte, random | one AES block over { row, process, random } |
 *
 * Whoever knows the host key reads from an id whose it is, and in which row
 * (shm/workers.h) letters reach that process; to anybody else ids
 * of one connection have nothing in common.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_QUIC_CID_H
#define LUN_QUIC_CID_H

#include "base/str.h"

enum {
    LUN_QUIC_CID  = 17,            /* bytes of an id of ours */
    LUN_QUIC_KEY  = 32,            /* bytes of a host key */
    LUN_QUIC_NO_ROW = 0xffff
};

/* Whose a connection is. */
typedef struct {
    uint16_t  row;                 /* or NO_ROW: it shares with nobody */
    uint64_t  process;             /* lun_lock_self() there */
} lun_quic_owner;

/* What is made of a host key. */
typedef struct lun_quic_ids  lun_quic_ids;

/* `key`: KEY bytes.  NULL: no memory. */
lun_quic_ids *lun_quic_ids_new(const uint8_t *key);
void lun_quic_ids_free(lun_quic_ids *ids);

/* A new id of that owner. */
void lun_quic_cid_make(lun_quic_ids *ids, const lun_quic_owner *owner,
    uint8_t cid[LUN_QUIC_CID]);

/* Whose an id is: any bytes give some owner. */
void lun_quic_cid_read(lun_quic_ids *ids, const uint8_t cid[LUN_QUIC_CID],
    lun_quic_owner *owner);

/* What else the host key stands for: stateless resets, tokens. */
enum { LUN_QUIC_SECRET = 32 };
const uint8_t *lun_quic_reset_secret(const lun_quic_ids *ids);
const uint8_t *lun_quic_token_secret(const lun_quic_ids *ids);

#endif
