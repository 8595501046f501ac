/*
 * upstream_hash.c -- who has which key.  What is expected here is what nginx
 * 1.22 was seen to do with the same servers and keys.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/upstream/upstream_hash.c"

#include "tap.h"


static lun_pool     *pool;
static lun_session   session = { .mark = LUN_MARK_SESSION };
static lun_conf      cf;
static lun_upstream  up;
static hash_method   method;

static const char *const  keys[] = {
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13",
    "14", "15", "16", "17", "18", "19", "apple", "pear"
};


/* 127.0.0.1:21001 ... 21004, of which the second accounts for 2. */
static void
four_servers(const lun_balancer *of, bool second_down)
{
    int                   i;
    lun_addr              addr = { .family = LUN_AF_INET };
    lun_upstream_server_conf  *s;

    memset(&up, 0, sizeof(up));
    memset(&method, 0, sizeof(method));
    up.data = &method;
    up.method = of;
    lun_array_init(&up.servers, pool, sizeof(lun_upstream_server_conf), 4);

    for (i = 1; i <= 4; i++) {
        s = lun_array_push(&up.servers);
        addr.port = (uint16_t) (21000 + i);
        lun_upstream_server_addrs(pool, s, &addr, 1);
        s->name = lun_pool_fmt(pool, "127.0.0.1:%d", 21000 + i);
        s->weight = i == 2 ? 2 : 1;
        s->down = i == 2 && second_down;
    }

    is_int(lun_upstream_groups_new(&cf, &up), LUN_OK, "there are servers");
}


static void
prepare(turn *t, lun_balance *b, const char *key)
{
    memset(t, 0, sizeof(*t));
    memset(b, 0, sizeof(*b));
    lun_rr_begin(&session, up.peers, &t->rr, b);

    t->key = lun_str_z(key);

    if (up.method == &consistent) {
        t->hash = find_point(up.peers->data, lun_crc32(t->key));
        b->get = get_consistent;

    } else {
        b->get = get_plain;
    }
}


/* The last digit of the port of each key's server. */
static const char *
owners(void)
{
    turn         t;
    size_t       i;
    static char  text[64];
    lun_balance  b;

    for (i = 0; i < LUN_ARRAY_LEN(keys); i++) {
        prepare(&t, &b, keys[i]);
        (void) b.get(&session, &b);
        text[i] = b.name.data[b.name.len - 1];
        b.put(&session, &b, LUN_BALANCE_DONE);
    }

    text[i] = '\0';
    return text;
}


static void
by_remainder(void)
{
    four_servers(&plain, false);
    is_str(owners(), "1344223221222122412223", "by the remainder");

    four_servers(&plain, true);
    is_str(owners(), "1344313131114131414133", "others take what is lost");
}


static void
by_points(void)
{
    const ring  *h;

    four_servers(&consistent, false);
    h = up.peers->data;
    is_int((int) h->count, 800, "160 points for each weight");
    is_str(owners(), "1121324341432122341242", "by the next point");

    four_servers(&consistent, true);
    is_str(owners(), "1131344341431114341144", "only what is lost has moved");

    h = up.peers->data;
    is_int((int) find_point(h, 0), 0, "before the first point");
    is_int((int) find_point(h, UINT32_MAX), 800, "behind the last");
    is_int((int) find_point(h, h->points[7].hash), 7, "a point");
    is_int((int) find_point(h, h->points[7].hash + 1), 8,
           "right behind it");
}


/* As configured, or as whoever answers for a name says. */
static void
heavy_servers(int weight, bool found)
{
    int                   i;
    size_t                k, first = 0;
    lun_upstream_server_conf  *s;
    const ring           *h;

    four_servers(&consistent, false);
    s = up.servers.items;

    for (i = 0; i < 4; i++) {
        s[i].weight = i == 0 ? 3 * weight : weight;
    }

    up.resolves = found;
    up.peers = lun_upstream_groups_of(pool, &up, s, 4);
    ok(prepare_consistent(pool, &up, up.peers) == NULL, "heavy servers");
    h = up.peers->data;
    ok(h->count <= MOST_WEIGHT * SERVER_POINTS,
       "have as many points as others");

    for (k = 0; k < h->count; k++) {
        first += h->points[k].peer == 0;
    }

    ok(first > h->count * 45 / 100 && first < h->count * 55 / 100,
       "each its part of them");
}


static void
all_are_tried(void)
{
    int          way, n;
    turn         t;
    uint32_t     seen;
    lun_balance  b;

    for (way = 0; way < 2; way++) {
        four_servers(way == 0 ? &plain : &consistent, false);
        prepare(&t, &b, "apple");

        for (n = 0, seen = 0; b.tries > 0; n++) {
            is_int(b.get(&session, &b), LUN_BALANCE_OK, "one more");
            seen |= 1u << (b.name.data[b.name.len - 1] - '0');
            b.put(&session, &b, LUN_BALANCE_NEXT | LUN_BALANCE_FAILED);
        }

        is_int((int) seen, 2 + 4 + 8 + 16, "each of them once");
        is_int(n, 4, "and no more");
    }
}


static void
names(void)
{
    ok(hash_name(LUN_STR("a:80")) == lun_crc32(lun_str_of("a\00080", 4)),
       "host and port");
    ok(hash_name(LUN_STR("a1")) == lun_crc32(lun_str_of("a1", 3)),
       "a host that ends with a digit");
    ok(hash_name(LUN_STR("unix:/a:1")) == lun_crc32(lun_str_of("/a:1", 5)),
       "the path of a socket");
    ok(hash_name(LUN_STR("8080")) == lun_crc32(lun_str_of("8080", 5)),
       "nothing but digits");
}


/* Names that are looked up may have no address yet. */
static void
without_servers(void)
{
    turn         t;
    lun_balance  b;

    up.method = &consistent;
    up.peers = lun_upstream_groups_of(pool, &up, NULL, 0);
    ok(prepare_consistent(pool, &up, up.peers) == NULL, "a ring of nobody");
    prepare(&t, &b, "key");
    is_int(b.get(&session, &b), LUN_BALANCE_NONE, "has nobody");

    up.method = &plain;
    prepare(&t, &b, "key");
    is_int(b.get(&session, &b), LUN_BALANCE_NONE, "nor is there a remainder");
}


/* Who waited for a server looks again: at those of now. */
static void
again(void)
{
    int          i;
    turn         t;
    lun_balance  b;
    const lun_balancer  *const ways[] = { &plain, &consistent };

    for (i = 0; i < 2; i++) {
        four_servers(ways[i], true);
        prepare(&t, &b, "4");
        t.rr.restart = i == 0 ? restart_plain : restart_consistent;
        (void) b.get(&session, &b);
        ok(!lun_str_ends(b.name, LUN_STR("2")), "%s: not who is down",
           ways[i]->name);

        four_servers(ways[i], false);
        lun_rr_restart(&session, b.data, up.peers);
        (void) b.get(&session, &b);
        ok(lun_str_ends(b.name, i == 0 ? LUN_STR("2") : LUN_STR("3")),
           "%s: whose the key is now", ways[i]->name);
    }
}


int
main(void)
{
    static lun_log  quiet;

    pool = lun_pool_new_sized(4096);
    session.pool = pool;
    session.log = &quiet;
    cf.pool = pool;
    cf.log = &quiet;

    by_remainder();
    by_points();
    heavy_servers(10000, true);
    heavy_servers(1000000, false);
    without_servers();
    all_are_tried();
    names();
    again();

    lun_pool_free(pool);
    return done_testing();
}
