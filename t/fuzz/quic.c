/*
 * quic.c -- any bytes as packets of QUIC, at a socket and by letter: heads,
 * connection ids, tokens, Initials that cannot be opened.
 *
 * The first byte says how long the first packet is, in units of eight.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "net/listen_priv.h"
#include "net/quic/quic_priv.h"
#include "net/quic/quic_route.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static lun_loop            loop;
static lun_listen_set      set = { .loop = &loop, .started = true };
static lun_datagram_door  *door;
static lun_listener        listener = { .set = &set };
static lun_datagram_key    key;
static lun_quic_conf       conf = { .streams_bidi = 1, .stream_window = 4096,
                                    .cid_limit = 2 };


static const lun_quic_conf *
conf_of_all(const lun_listener *l)
{
    return &conf;
}


/* Nobody has a certificate here. */
static lun_rc
accept_none(lun_listener *l, lun_quic *q)
{
    return LUN_ERROR;
}


static const lun_quic_service  service = {
    .conf = conf_of_all,
    .accept = accept_none
};


static void
begin(void)
{
    LUN_CHECK(lun_loop_init(&loop) == 0);

    lun_addr_parse(LUN_STR("127.0.0.1:1"), &key.local);
    lun_addr_parse(LUN_STR("127.0.0.1:2"), &key.remote);
    listener.quic = &service;
    door = lun_calloc(sizeof(lun_datagram_door));
    door->all = lun_datagrams_of(&loop);
    door->fd = door->first = LUN_FD_NONE;      /* what is sent is lost */
    door->listener = &listener;
    door->quic = true;
    lun_list_push_back(&door->all->doors, &door->link);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t       first;
    const char  *p = (const char *) data + 1;

    if (door == NULL) {
        begin();
    }

    if (size == 0) {
        return 0;
    }

    size--;
    conf.retry = data[0] & 1 ? LUN_QUIC_RETRY_ON : LUN_QUIC_RETRY_OFF;
    first = lun_min(size, (size_t) data[0] * 8);

    lun_quic_received(door, &key, p, first, 0);
    lun_quic_arrived(door->all, &key, p + first, size - first, 1);
    lun_loop_turn(&loop, 0);
    lun_quic_leave(door);

    LUN_CHECK(lun_conn_count(&loop) == 0);
    LUN_CHECK(lun_quics_of(&loop)->entries == 0
              && lun_quics_of(&loop)->handshakes == 0);
    return 0;
}
