/*
 * cidr.c -- networks, and who is in them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/os/cidr.c"

#include "tap.h"


static void
parses(void)
{
    static const struct {
        const char  *text;
        lun_family   family;
        unsigned     bits;
    } cases[] = {
        { "10.0.0.0/8", LUN_AF_INET, 8 }, { "1.2.3.4", LUN_AF_INET, 32 },
        { "0.0.0.0/0", LUN_AF_INET, 0 }, { "::/0", LUN_AF_INET6, 0 },
        { "2001:db8::/32", LUN_AF_INET6, 32 }, { "::1", LUN_AF_INET6, 128 },
        { "unix:", LUN_AF_UNIX, 0 },
        { "10.0.0.0/33", LUN_AF_NONE, 0 }, { "::/129", LUN_AF_NONE, 0 },
        { "10.0.0.0/", LUN_AF_NONE, 0 }, { "10.0.0.0/x", LUN_AF_NONE, 0 },
        { "10.0.0.0:80/8", LUN_AF_NONE, 0 }, { "", LUN_AF_NONE, 0 },
        { "unix:/a", LUN_AF_NONE, 0 }, { "a.b", LUN_AF_NONE, 0 },
    };

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        lun_cidr  c;
        size_t    len = strlen(cases[i].text);
        lun_str   text = lun_str_of(tap_edge(cases[i].text, len), len);
        lun_rc    rc = lun_cidr_parse(text, &c);

        if (cases[i].family == LUN_AF_NONE) {
            is_int(rc, LUN_ERROR, "\"%s\" is none", cases[i].text);
            continue;
        }

        ok(rc == LUN_OK && c.family == cases[i].family
           && c.bits == cases[i].bits, "\"%s\"", cases[i].text);
    }
}


static void
holds(void)
{
    static const struct {
        const char  *net, *addr;
        bool         in;
    } cases[] = {
        { "10.1.0.0/16", "10.1.255.1", true },
        { "10.1.0.0/16", "10.2.0.0", false },
        { "10.1.128.0/17", "10.1.128.0", true },
        { "10.1.128.0/17", "10.1.127.255", false },
        { "0.0.0.0/0", "1.2.3.4", true }, { "0.0.0.0/0", "::1", false },
        { "1.2.3.4", "::ffff:1.2.3.4", true },
        { "::/0", "::ffff:1.2.3.4", false }, { "::/0", "::1", true },
        { "2001:db8::/33", "2001:db8:8000::1", false },
    };

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        lun_cidr  c;
        lun_addr  addr;

        ok(lun_cidr_parse(lun_str_z(cases[i].net), &c) == LUN_OK
           && lun_addr_parse(lun_str_z(cases[i].addr), &addr) == LUN_OK
           && lun_cidr_has(&c, &addr) == cases[i].in, "%s, %s: %s",
           cases[i].net, cases[i].addr, cases[i].in ? "yes" : "no");
    }
}


static void
trims(void)
{
    lun_cidr  c;

    ok(lun_cidr_parse(LUN_STR("10.1.2.3/15"), &c) == LUN_OK
       && lun_cidr_trim(&c), "has bits that do not count");
    ok(c.ip[0] == 10 && c.ip[1] == 0 && c.ip[2] == 0, "they are cleared");
    ok(!lun_cidr_trim(&c), "has none any more");
    ok(lun_cidr_parse(LUN_STR("::1"), &c) == LUN_OK && !lun_cidr_trim(&c),
       "all of an address count");
}


int
main(void)
{
    parses();
    holds();
    trims();

    return done_testing();
}
