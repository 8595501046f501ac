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
#include "shm/shm_table.h"

/* Who speaks with which address of ours: names a session in all workers. */
typedef struct {
    lun_addr  local;
    lun_addr  remote;
} lun_datagram_key;

typedef struct lun_datagrams  lun_datagrams;

/* What is forwarded: a session's, or a packet of QUIC with its ECN bits. */
enum { LUN_DATAGRAM_SESSION = 0, LUN_DATAGRAM_ECN = 3, LUN_DATAGRAM_QUIC = 4 };

/* A forwarded datagram of that kind has come from another worker. */
typedef void lun_datagram_arrived_fn(lun_datagrams *all,
    const lun_datagram_key *key, unsigned kind, const char *data, size_t len);

/* All of a loop's. */
struct lun_datagrams {
    lun_loop_part               part;
    lun_loop                   *loop;
    struct datagram_session   **index;     /* datagram.c's */
    size_t                      index_mask;
    lun_datagram_counters       counters;
    lun_list                    doors;     /* datagram_socket.c's */

    /* datagram_owner.c's; table NULL: it shares with nobody. */
    lun_shm_table              *table;
    lun_datagram_arrived_fn    *arrived;
};

/* A socket that datagrams come to. */
typedef struct {
    lun_list         link;
    lun_datagrams   *all;
    lun_fd           fd;           /* sessions send by it */
    lun_fd           first;        /* the one that stays after a stop */
    lun_addr         addr;
    lun_listener    *listener;     /* NULL: no new sessions */
    const lun_log   *log;
    lun_receiver     receiver;
    lun_timer        timer;        /* the next look at it */
    size_t           sessions;     /* that send by it */
    bool             wildcard;
    bool             quic;         /* for packets: net/quic gets them */
    void            *quic_ids;     /* ... by the key of its listener; NULL: by
                                      that of all who have none */
    bool             orphan;       /* the sockets are ours to close */
} lun_datagram_door;

/* --- datagram.c --- */

/* The loop's, made if it has none. */
lun_datagrams *lun_datagrams_of(lun_loop *loop);

/* A datagram has come to that door; another worker has forwarded one. */
void lun_datagram_received(lun_datagram_door *d, const lun_datagram_key *key,
    const char *data, size_t len);
lun_datagram_arrived_fn  lun_datagram_arrived;

/* --- datagram_socket.c --- */

/*
 * The door of an address that takes new sessions: one for it alone, or for
 * every address.  NULL: there is none.
 */
lun_datagram_door *lun_datagram_door_at(lun_datagrams *all,
    const lun_addr *local);

/*
 * A door of one session alone, at a socket that is connected to its peer and
 * that it closes (on an error as well): `take` gets what comes, and an error.
 */
lun_err lun_datagram_door_to(lun_datagrams *all, lun_fd fd,
    lun_receive_fn *take, void *data, lun_datagram_door **door);

/* One of its sessions sends no more: d may be gone. */
void lun_datagram_leave_door(lun_datagram_door *d);

/* The loop ends: no door is left. */
void lun_datagram_end_doors(lun_datagrams *all);

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
lun_datagram_verdict lun_datagram_forward(lun_datagrams *all,
    const lun_datagram_key *key, unsigned kind, lun_str data, bool claim);

/* The same to the process of that row.  OURS: it is gone. */
lun_datagram_verdict lun_datagram_forward_to(lun_datagrams *all,
    const lun_datagram_key *key, unsigned kind, lun_str data, unsigned row,
    uint64_t process);

/* This worker has the session no more. */
void lun_datagram_release(lun_datagrams *all, const lun_datagram_key *key);

/* This worker receives at that address now; it does so no more. */
void lun_datagram_reader_is_me(lun_datagrams *all, const lun_addr *at);
void lun_datagram_reader_was_me(lun_datagrams *all, const lun_addr *at);
/* Whether some worker does. */
bool lun_datagram_has_reader(lun_datagrams *all, const lun_addr *at);

/* Who is to be told of those that other workers have forwarded. */
void lun_datagram_on_arrived(lun_datagrams *all,
    lun_datagram_arrived_fn *arrived);

/* The loop ends: nobody forwards to it any more. */
void lun_datagram_end_sharing(lun_datagrams *all);

/* How a session is written in the zone; returns the length.  Pure. */
enum { LUN_DATAGRAM_KEY_TEXT = 48 };

size_t lun_datagram_key_text(const lun_datagram_key *key,
    char text[LUN_DATAGRAM_KEY_TEXT]);

/* A letter taken apart; false: it is none.  Pure. */
bool lun_datagram_read_letter(lun_str letter, lun_datagram_key *key,
    unsigned *kind, lun_str *data);

#endif
