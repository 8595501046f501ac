/*
 * url.c -- urls in their parts, and what is none.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/url.c"

#include "tap.h"


static const struct {
    const char  *text, *why, *scheme, *authority, *host, *uri;
    uint16_t     port;
} urls[] = {
    { "http://a.b/c", NULL, "http", "a.b", "a.b", "/c", 0 },
    { "HTTP://a.b", NULL, "HTTP", "a.b", "a.b", "", 0 },
    { "https://a.b:8080/c/", NULL, "https", "a.b:8080", "a.b", "/c/", 8080 },
    { "h2c+x-1.0://a?b=/c", NULL, "h2c+x-1.0", "a", "a", "?b=/c", 0 },
    { "http://[::1]/c", NULL, "http", "[::1]", "[::1]", "/c", 0 },
    { "http://[::1]:81/c", NULL, "http", "[::1]:81", "[::1]", "/c", 81 },
    { "http://a:65535", NULL, "http", "a:65535", "a", "", 65535 },
    { "", "invalid URL prefix", "", "", "", "", 0 },
    { "ocsp", "invalid URL prefix", "", "", "", "", 0 },
    { "http:/a", "invalid URL prefix", "", "", "", "", 0 },
    { "://a", "invalid URL prefix", "", "", "", "", 0 },
    { "1http://a", "invalid URL prefix", "", "", "", "", 0 },
    { "ht_tp://a", "invalid URL prefix", "", "", "", "", 0 },
    { "http://", "no host", "", "", "", "", 0 },
    { "http:///c", "no host", "", "", "", "", 0 },
    { "http://:80/", "no host", "", "", "", "", 0 },
    { "http://a:0/", "invalid port", "", "", "", "", 0 },
    { "http://a:65536/", "invalid port", "", "", "", "", 0 },
    { "http://a:/", "invalid port", "", "", "", "", 0 },
    { "http://a:b/", "invalid port", "", "", "", "", 0 },
    { "http://a:1:2/", "invalid port", "", "", "", "", 0 },
    { "http://[::1/c", "invalid host", "", "", "", "", 0 },
    { "http://user:1@b/", "invalid host", "", "", "", "", 0 },
    { "http://a#b", "invalid host", "", "", "", "", 0 },
    { "http://a/b c", "invalid URL", "", "", "", "", 0 },
    { "http://a/b\r\nX: y", "invalid URL", "", "", "", "", 0 },
    { "http://a/\xc3\xbc", "invalid URL", "", "", "", "", 0 },
    { "http://a/\x7f", "invalid URL", "", "", "", "", 0 },
};


int
main(void)
{
    size_t       i;
    lun_url      url;
    const char  *why;

    for (i = 0; i < LUN_ARRAY_LEN(urls); i++) {
        why = lun_url_parse(lun_str_of(tap_edge(urls[i].text,
                                                strlen(urls[i].text)),
                                       strlen(urls[i].text)), &url);

        if (urls[i].why != NULL || why != NULL) {
            is_str(why != NULL ? why : "", urls[i].why != NULL
                   ? urls[i].why : "", "url %d", (int) i);
            continue;
        }

        ok(lun_str_eq(url.scheme, lun_str_z(urls[i].scheme))
           && lun_str_eq(url.host, lun_str_z(urls[i].host))
           && lun_str_eq(url.authority, lun_str_z(urls[i].authority))
           && lun_str_eq(url.uri, lun_str_z(urls[i].uri))
           && url.port == urls[i].port, "%s", urls[i].text);
    }

    return done_testing();
}
