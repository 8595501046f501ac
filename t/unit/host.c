/*
 * host.c -- hosts with and without ports, at the edge of a page.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/host.c"
#include "tap.h"


static void
hosts(void)
{
    size_t    i, len;
    char      dst[64];
    lun_rc    rc;
    lun_str   name;
    uint16_t  port;
    static const struct { const char *text, *name; int port; } rows[] = {
        { "a", "a", 0 }, { "A.Example:8080", "a.example", 8080 },
        { "a.example.", "a.example", 0 }, { "a.:80", "a", 80 },
        { "a:", "a", 0 }, { "127.0.0.1:65535", "127.0.0.1", 65535 },
        { "[::1]", "[::1]", 0 }, { "[::FFFF:1.2.3.4]:80",
          "[::ffff:1.2.3.4]", 80 }, { "_a-b", "_a-b", 0 }, { ".a", ".a", 0 },
        { "\xe4", NULL, 0 }, { "[v1F.a:B!]:80", "[v1f.a:b!]", 80 },

        { "", NULL, 0 }, { ".", NULL, 0 }, { ":80", NULL, 0 },
        { "a..b", NULL, 0 }, { "a..", NULL, 0 }, { "a b", NULL, 0 },
        { "a/b", NULL, 0 }, { "a\\b", NULL, 0 }, { "a@b", NULL, 0 },
        { "a?b", NULL, 0 }, { "a#b", NULL, 0 }, { "a\x7f", NULL, 0 },
        { "a:65536", NULL, 0 }, { "a:x", NULL, 0 }, { "a:1:2", NULL, 0 },
        { "::1", NULL, 0 }, { "[]", NULL, 0 }, { "[::1", NULL, 0 },
        { "[::1]x", NULL, 0 }, { "[g]", NULL, 0 }, { "a[::1]", NULL, 0 },
        { "[", NULL, 0 }, { "a:-1", NULL, 0 }, { "[v1.]", NULL, 0 },
        { "[::1..2]", NULL, 0 }, { "[..]", NULL, 0 },
        { "[v.a]", NULL, 0 }, { "[v1", NULL, 0 }, { "[v1.a", NULL, 0 },
        { "[vg.a]", NULL, 0 }, { "[v1.a/]", NULL, 0 }, { "[v", NULL, 0 }
    };

    for (i = 0; i < LUN_ARRAY_LEN(rows); i++) {
        len = strlen(rows[i].text);
        rc = lun_host_parse(lun_str_of(tap_edge(rows[i].text, len), len), dst,
                            &name, &port);

        if (rows[i].name == NULL) {
            is_int(rc, LUN_ERROR, "no host: %s", rows[i].text);
            continue;
        }

        if (is_int(rc, LUN_OK, "host %s", rows[i].text)) {
            ok(lun_str_eq(name, lun_str_z(rows[i].name)), "name");
            is_int(port, rows[i].port, "port");
        }
    }
}


int
main(void)
{
    hosts();
    return done_testing();
}
