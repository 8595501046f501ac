/*
 * addr.c -- addresses as text, and as keys.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/addr.c"

#include "tap.h"


/* What parses, and how it is written again, with and without its port. */
static const struct {
    const char  *text;
    lun_family   family;
    const char  *with_port;
    const char  *without;
} good[] = {
    { "1.2.3.4", LUN_AF_INET, "1.2.3.4:0", "1.2.3.4" },
    { "0.0.0.0:80", LUN_AF_INET, "0.0.0.0:80", "0.0.0.0" },
    { "255.255.255.255:65535", LUN_AF_INET, "255.255.255.255:65535",
      "255.255.255.255" },
    { "010.0.0.001:1", LUN_AF_INET, "10.0.0.1:1", "10.0.0.1" },
    { "::", LUN_AF_INET6, "[::]:0", "::" },
    { "::1", LUN_AF_INET6, "[::1]:0", "::1" },
    { "[::1]", LUN_AF_INET6, "[::1]:0", "::1" },
    { "[::1]:8080", LUN_AF_INET6, "[::1]:8080", "::1" },
    { "1::", LUN_AF_INET6, "[1::]:0", "1::" },
    { "2001:DB8:0:0:1:0:0:1", LUN_AF_INET6, "[2001:db8::1:0:0:1]:0",
      "2001:db8::1:0:0:1" },
    { "2001:db8:0:1:1:1:1:1", LUN_AF_INET6, "[2001:db8:0:1:1:1:1:1]:0",
      "2001:db8:0:1:1:1:1:1" },
    { "1:2:3:4:5:6:7::", LUN_AF_INET6, "[1:2:3:4:5:6:7:0]:0",
      "1:2:3:4:5:6:7:0" },
    { "::2:3:4:5:6:7:8", LUN_AF_INET6, "[0:2:3:4:5:6:7:8]:0",
      "0:2:3:4:5:6:7:8" },
    { "0001:0:0:0:0:0:0:0", LUN_AF_INET6, "[1::]:0", "1::" },
    { "::ffff:1.2.3.4", LUN_AF_INET6, "[::ffff:1.2.3.4]:0",
      "::ffff:1.2.3.4" },
    { "::1.2.3.4", LUN_AF_INET6, "[::1.2.3.4]:0", "::1.2.3.4" },
    { "64:ff9b::1.2.3.4", LUN_AF_INET6, "[64:ff9b::102:304]:0",
      "64:ff9b::102:304" },
    { "1:2:3:4:5:6:1.2.3.4", LUN_AF_INET6, "[1:2:3:4:5:6:102:304]:0",
      "1:2:3:4:5:6:102:304" },
    { "fe80::1%7", LUN_AF_INET6, "[fe80::1]:0", "fe80::1" },
    { "unix:/tmp/a.sock", LUN_AF_UNIX, "unix:/tmp/a.sock",
      "unix:/tmp/a.sock" }
};

static const char *const  bad[] = {
    "", "1", "1.2.3", "1.2.3.", "1.2.3.4.", "1.2.3.4.5", "1.2.3.256",
    "1.2.3.1000", ".1.2.3", "1..2.3", "a.b.c.d", "1.2.3.4 ", " 1.2.3.4",
    "1.2.3.4:", "1.2.3.4:0", "1.2.3.4:65536", "1.2.3.4:080808", "1.2.3.4:x",
    "1.2.3.4:80 ", "localhost", "localhost:80", "*:80", ":80", ":", ":::",
    "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "1:2:3:4:5:6:7:8::",
    ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:", "12345::", "g::", "::1.2.3",
    "1:2:3:4:5:6:7:1.2.3.4", "[::1", "::1]", "[::1]x", "[::1]:",
    "[::1]:99999", "[]", "[", "[1.2.3.4]", "::1%", "::1%x", "unix:"
};


static void
texts(void)
{
    char      room[LUN_ADDR_TEXT + 1];
    size_t    i;
    lun_str   s;
    lun_addr  addr;

    for (i = 0; i < LUN_ARRAY_LEN(good); i++) {
        s = lun_str_z(good[i].text);

        /* A unix path needs its zero byte. */
        s.data = tap_edge(s.data, s.len + 1);
        s.data = good[i].family == LUN_AF_UNIX ? s.data
                                               : tap_edge(s.data, s.len);

        is_int(lun_addr_parse(s, &addr), LUN_OK, "\"%s\"", good[i].text);
        is_int(addr.family, good[i].family, "its family");

        s = lun_addr_format(&addr, true, room, LUN_ADDR_TEXT);
        is_mem(s.data, s.len, good[i].with_port, strlen(good[i].with_port),
               "is %s", good[i].with_port);

        s = lun_addr_format(&addr, false, room, LUN_ADDR_TEXT);
        is_mem(s.data, s.len, good[i].without, strlen(good[i].without),
               "is %s", good[i].without);
    }

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        s = lun_str_z(bad[i]);
        s.data = tap_edge(s.data, s.len);
        is_int(lun_addr_parse(s, &addr), LUN_ERROR, "\"%s\" is none", bad[i]);
        is_int(addr.family, LUN_AF_NONE, "and leaves nothing");
    }
}


static lun_addr
addr_of(const char *text)
{
    lun_addr  addr;

    (void) lun_addr_parse(lun_str_z(text), &addr);
    return addr;
}


static bool
equal(const char *a, const char *b)
{
    lun_addr  x = addr_of(a), y = addr_of(b);

    return lun_addr_eq(&x, &y);
}


static bool
same_hash(const char *a, const char *b)
{
    lun_addr  x = addr_of(a), y = addr_of(b);

    return lun_addr_hash(&x) == lun_addr_hash(&y);
}


static bool
wildcard(const char *text)
{
    lun_addr  addr = addr_of(text);

    return lun_addr_is_wildcard(&addr);
}


static void
keys(void)
{
    ok(equal("1.2.3.4:80", "1.2.3.4:80"), "an address is itself");
    ok(!equal("1.2.3.4:80", "1.2.3.4:81"), "but not with another port");
    ok(!equal("1.2.3.4:80", "1.2.3.5:80"), "nor is another address");
    ok(!equal("0.0.0.0:80", "[::]:80"), "families differ");
    ok(equal("::1", "0:0:0:0:0:0:0:1"), "two spellings of one address");
    ok(!equal("fe80::1%1", "fe80::1%2"), "zones differ");
    ok(equal("unix:/a", "unix:/a"), "one path");
    ok(!equal("unix:/a", "unix:/b"), "two paths");

    ok(same_hash("::1", "0:0:0:0:0:0:0:1"), "spellings share a hash");
    ok(same_hash("unix:/a", "unix:/a"), "so do equal paths");
    ok(!same_hash("1.2.3.4:80", "1.2.3.4:81"), "ports do not");

    ok(wildcard("0.0.0.0:80"), "a wildcard");
    ok(wildcard("[::]:80"), "the other wildcard");
    ok(!wildcard("127.0.0.1:80"), "not a wildcard");
    ok(!wildcard("::1"), "not one either");
    ok(!wildcard("unix:/a"), "a path is none");
}


static void
short_of_room(void)
{
    char      room[8] = "1234567";
    lun_str   s;
    lun_addr  addr = addr_of("1.2.3.4:80");

    s = lun_addr_format(&addr, true, room, 4);
    is_mem(s.data, s.len, "1.2.", 4, "is cut where the room ends");
    is_str(room + 4, "567", "and nothing is written behind");
}


int
main(void)
{
    texts();
    keys();
    short_of_room();

    return done_testing();
}
