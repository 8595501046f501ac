/*
 * upstream_ip_hash.c -- which client belongs to which server.  What is
 * expected here is what nginx 1.22 was seen to do.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/upstream/upstream_ip_hash.c"

#include "tap.h"


static lun_pool     *pool;
static lun_addr      peer;
static lun_session   session = { .mark = LUN_MARK_SESSION };
static lun_conf      cf;
static lun_upstream  up;


/* Four servers, of which the second accounts for 2. */
static void
four_servers(void)
{
    int                   i;
    lun_addr              addr = { .family = LUN_AF_INET };
    lun_upstream_server_conf  *s;

    up.method = &ip_hash;
    lun_array_init(&up.servers, pool, sizeof(lun_upstream_server_conf), 4);

    for (i = 1; i <= 4; i++) {
        s = lun_array_push(&up.servers);
        addr.port = (uint16_t) i;
        lun_upstream_server_addrs(pool, s, &addr, 1);
        s->weight = i == 2 ? 2 : 1;
    }

    is_int(lun_upstream_groups_new(&cf, &up), LUN_OK, "there are servers");
}


static int
server_of(const char *client)
{
    lun_balance  b = { 0 };

    is_int(lun_addr_parse(lun_str_z(client), &peer), LUN_OK, "%s",
           client);
    (void) ip_hash.begin(&session, &up, &b);
    (void) b.get(&session, &b);
    b.put(&session, &b, LUN_BALANCE_DONE);

    return b.addr->port;
}


static void
clients(void)
{
    is_int(server_of("1.2.3.4"), 2, "a client's server");
    is_int(server_of("1.2.3.99"), 2, "that of its neighbour");
    is_int(server_of("10.0.0.1"), 1, "another's");
    is_int(server_of("10.0.1.1"), 2, "the third byte counts");
    is_int(server_of("192.168.7.1"), 1, "more of them");
    is_int(server_of("172.16.5.5"), 2, "and more");
    is_int(server_of("8.8.8.8"), 3, "the third server's");
    is_int(server_of("9.9.9.9"), 4, "the fourth's");
    is_int(server_of("2001:db8::1"), 1, "all of IPv6 counts");
    is_int(server_of("2001:db8::2"), 2, "to its last byte");
    is_int(server_of("fe80::1"), 3, "a local one");
}


static void
without_its_server(void)
{
    int          n;
    lun_balance  b = { 0 };

    up.peers->peers[1].down = true;
    ok(server_of("1.2.3.4") != 2, "another one, when it is down");
    up.peers->peers[1].down = false;

    (void) ip_hash.begin(&session, &up, &b);

    for (n = 0; b.tries > 0; n++) {
        is_int(b.get(&session, &b), LUN_BALANCE_OK, "one more");
        b.put(&session, &b, LUN_BALANCE_NEXT | LUN_BALANCE_FAILED);
    }

    is_int(n, 4, "all are tried before it gives up");

    memset(&b, 0, sizeof(b));
    (void) ip_hash.begin(&session, &up, &b);
    is_int(b.get(&session, &b), LUN_BALANCE_NONE, "and then none is live");
}


int
main(void)
{
    static lun_log  quiet;

    pool = lun_pool_new_sized(4096);
    session.pool = pool;
    session.log = &quiet;
    session.remote = &peer;
    cf.pool = pool;

    four_servers();
    clients();
    without_its_server();

    lun_pool_free(pool);
    return done_testing();
}
