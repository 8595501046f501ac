/*
 * error_page.c -- who may see a Lua error: what a browser accepts, and the
 * names that no name server outside can give to this machine.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/api/error_page.c"
#include "tap.h"

static bool
takes(const char *accept)
{
    size_t  n = strlen(accept);

    return lun_lua_error_page_accepts(lun_str_of(tap_edge(accept, n), n));
}


static bool
is_here(const char *host)
{
    size_t  n = strlen(host);

    return lun_lua_error_page_is_local_name(lun_str_of(tap_edge(host, n), n));
}


static bool
loops(const char *text)
{
    lun_addr  addr;

    return lun_addr_parse(lun_str_z(text), &addr) == LUN_OK
           && is_loopback(&addr);
}


static void
test_accept(void)
{
    ok(takes("text/html"), "a browser");
    ok(takes("text/html,application/xhtml+xml,*/*;q=0.8"), "and more");
    ok(takes("a/b, TEXT/HTML;q=0.5"), "later, in capitals");
    ok(takes("text/html;q=1"), "and wants it");
    ok(!takes("*/*"), "curl");
    ok(!takes(""), "nothing");
    ok(!takes(","), "a comma");
    ok(!takes("text/htmlx"), "a longer type");
    ok(!takes("text/htm"), "a shorter one");
    ok(!takes("application/json, text/plain"), "others");
    ok(!takes("text/html;q=0"), "what is refused");
    ok(!takes("text/html; q=0.000"), "with zeros");
    ok(takes("text/html;level=1"), "a parameter that is no q");
    ok(!takes("text/html;q="), "a q without a number");
    ok(takes("text/html;q"), "half a q");
}


static void
test_names(void)
{
    ok(is_here("localhost"), "localhost");
    ok(is_here("shop.localhost"), "a name below it");
    ok(is_here("shop.test"), "a name for tests");
    ok(is_here("127.0.0.1"), "an address");
    ok(is_here("127.3.2.1"), "any of them");
    ok(is_here("::1") || is_here("[::1]"), "of IPv6");
    ok(!is_here("localhost.example.com"), "a name that only begins so");
    ok(!is_here("mylocalhost"), "or ends so");
    ok(!is_here(".test"), "an end alone");
    ok(!is_here("example.com"), "a name");
    ok(!is_here("192.0.2.1"), "another address");
    ok(!is_here("127.0.0.1.example.com"), "a name that begins as one");
    ok(!is_here(""), "nothing");
}


int
main(void)
{
    lun_addr  here = { .family = LUN_AF_UNIX, .ip = { 127 } };

    test_accept();
    test_names();

    ok(loops("127.0.0.1") && loops("127.255.0.9"), "this machine");
    ok(loops("::1") && loops("::ffff:127.0.0.1"), "the same by IPv6");
    ok(!loops("128.0.0.1") && !loops("10.0.0.1"), "another one");
    ok(!loops("::2") && !loops("::") && !loops("::ffff:10.0.0.1"),
       "another one by IPv6");
    ok(!is_loopback(&here), "a unix socket is anybody's");
    return done_testing();
}
