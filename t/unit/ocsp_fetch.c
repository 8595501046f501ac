/*
 * ocsp_fetch.c -- urls of responders, and the url of a question to one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/client/ocsp_fetch.c"

#include "tap.h"


static const struct {
    const char  *text, *wrong;
    unsigned     port;
} urls[] = {
    { "http://a/b", NULL, 80 },
    { "HTTP://a:81", NULL, 81 },
    { "http://[::1]:8080/x", NULL, 8080 },
    { "https://a/", "invalid URL prefix", 0 },
    { "a/b", "invalid URL prefix", 0 },
    { "", "invalid URL prefix", 0 },
    { "http:///b", "no host", 0 },
    { "http://a:0/", "invalid port", 0 },
    { "http://a:65536/", "invalid port", 0 },
};


static void
reads_urls(void)
{
    size_t       i;
    lun_url      url;
    const char  *wrong;

    for (i = 0; i < LUN_ARRAY_LEN(urls); i++) {
        wrong = lun_ocsp_url_parse(lun_str_of(tap_edge(urls[i].text,
                                       strlen(urls[i].text)),
                                   strlen(urls[i].text)), &url);
        is_str(wrong != NULL ? wrong : "",
               urls[i].wrong != NULL ? urls[i].wrong : "", "\"%s\"",
               urls[i].text);
        ok(wrong != NULL || url.port == urls[i].port, "its port");
    }
}


static void
asks(void)
{
    size_t     i;
    lun_str    text;
    lun_url    url;
    lun_pool  *pool = lun_pool_new_sized(1024);

    static const char *const  from[] = { "http://a:81/c", "http://a:81/c/" };

    for (i = 0; i < LUN_ARRAY_LEN(from); i++) {
        (void) lun_ocsp_url_parse(lun_str_z(from[i]), &url);
        text = url_of(pool, &url, LUN_STR("\xfb\xff"));
        ok(lun_str_eq(text, LUN_STR("http://a:81/c/%2B%2F8%3D")),
           "a question is a part of the path, behind one slash");
    }

    lun_pool_free(pool);
}


int
main(void)
{
    reads_urls();
    asks();
    return done_testing();
}
