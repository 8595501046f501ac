/*
 * datagram_priv.h -- what datagram.c, datagram_socket.c and datagram_owner.c
 * need of each other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DATAGRAM_PRIV_H
#define LUN_DATAGRAM_PRIV_H

#include "net/datagram.h"
#include "os/datagram.h"

/* Who speaks with which address of ours: names a session in all workers. */
typedef struct {
    lun_addr  local;
    lun_addr  remote;
} lun_datagram_key;

/* A socket that datagrams come to. */
typedef struct {
    lun_list         link;
    lun_fd           fd;           /* sessions send by it */
    lun_fd           first;        /* the one that stays after a stop */
    lun_addr         addr;
    lun_listener    *listener;     /* NULL: no new sessions */
    const lun_log   *log;
    lun_receiver     receiver;
    lun_timer        timer;        /* the next look at it */
    size_t           sessions;     /* that send by it */
    bool             wildcard;
    bool             orphan;       /* the sockets are ours to close */
} lun_datagram_door;

/* --- datagram.c --- */

/* A datagram has come to that door; another worker has forwarded one. */
void lun_datagram_received(lun_datagram_door *d, const lun_datagram_key *key,
    const char *data, size_t len);
void lun_datagram_arrived(const lun_datagram_key *key, const char *data,
    size_t len);

/* --- datagram_socket.c --- */

/*
 * The door of an address that takes new sessions: one for it alone, or for
 * every address.  NULL: there is none.
 */
lun_datagram_door *lun_datagram_door_at(const lun_addr *local);

/* One of its sessions sends no more: d may be gone. */
void lun_datagram_leave_door(lun_datagram_door *d);

/* --- datagram_owner.c --- */

typedef enum {
    LUN_DATAGRAM_OURS,             /* or nobody's: with `claim`, ours now */
    LUN_DATAGRAM_FORWARDED,
    LUN_DATAGRAM_DROPPED           /* its worker's box is full */
} lun_datagram_verdict;

/*
 * A datagram of a session that this process does not have: to the worker that
 * has it.  `claim`: if there is none, the session is this worker's from now
 * on.
 */
lun_datagram_verdict lun_datagram_forward(const lun_datagram_key *key,
    const char *data, size_t len, bool claim);

/* This worker has the session no more. */
void lun_datagram_release(const lun_datagram_key *key);

/* This worker receives at that address now; it does so no more. */
void lun_datagram_reader_is_me(const lun_addr *at);
void lun_datagram_reader_was_me(const lun_addr *at);
/* Whether some worker does. */
bool lun_datagram_has_reader(const lun_addr *at);

/* Who is to be told of those that other workers have forwarded. */
typedef void lun_datagram_arrived_fn(const lun_datagram_key *key,
    const char *data, size_t len);
void lun_datagram_on_arrived(lun_datagram_arrived_fn *arrived);

/* How a session is written in the zone; returns the length.  Pure. */
enum { LUN_DATAGRAM_KEY_TEXT = 48 };

size_t lun_datagram_key_text(const lun_datagram_key *key,
    char text[LUN_DATAGRAM_KEY_TEXT]);

/* A letter taken apart; false: it is none.  Pure. */
bool lun_datagram_read_letter(lun_str letter, lun_datagram_key *key,
    lun_str *data);

#endif
