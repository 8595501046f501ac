/*
 * upstream_ip_hash.c -- ip_hash: a client's requests go to the same server as
 * long as it is usable.  Of an IPv4 address the first three bytes count.
 *
 * The numbers are nginx's: a client stays where it was.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/module.h"
#include "session/upstream/round_robin.h"


enum { SEED = 89, FACTOR = 113, MODULUS = 6271 };

typedef struct {
    lun_rr          rr;
    const uint8_t  *ip;
    size_t          len;
    unsigned        hash;
} turn;


static uint64_t
rehash(lun_rr *rr)
{
    turn    *t = lun_container_of(rr, turn, rr);
    size_t   i;

    for (i = 0; i < t->len; i++) {
        t->hash = (t->hash * FACTOR + t->ip[i]) % MODULUS;
    }

    return t->hash;
}


static lun_balance_verdict
get(lun_session *s, lun_balance *b)
{
    lun_rr  *rr = b->data;

    return lun_rr_get_at(s, b, lun_rr_guess(rr, rehash, rr->group->count));
}


static void
restart(lun_rr *rr)
{
    lun_container_of(rr, turn, rr)->hash = SEED;
}


static lun_rc
begin(lun_session *s, lun_upstream *u, lun_balance *b)
{
    turn                  *t = lun_pool_new(s->pool, turn);
    const lun_addr        *peer = s->remote;
    static const uint8_t   none[3];

    t->hash = SEED;
    t->ip = peer->family == LUN_AF_UNIX ? none : peer->ip;
    t->len = peer->family == LUN_AF_INET6 ? 16 : 3;

    lun_rr_begin(s, u->peers, &t->rr, b);
    t->rr.restart = restart;
    b->get = get;

    return LUN_OK;
}


static const lun_balancer  ip_hash = {
    .name = "ip_hash",
    .begin = begin,
};


static lun_rc
set_ip_hash(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_upstream_set_method(cf, &ip_hash);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "ip_hash", .where = LUN_UPSTREAM, .repeats = true,
      .set = set_ip_hash,
      .help = "the server depends on the client's address" },
    { 0 }
};

lun_module  lun_common_upstream_ip_hash = {
    .name = "upstream_ip_hash",
    .directives = directives,
};
