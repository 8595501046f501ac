/*
 * acme_document.c -- what an authority says, and what is said to it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/acme/order/acme_document.c"
#include "tap.h"

#include "base/fmt.h"


#define CA  "https://ca.test/dir"

static lun_pool  *pool;


static lun_str
at_edge(const char *text)
{
    return lun_str_of(tap_edge(text, strlen(text)), strlen(text));
}


static void
directories(void)
{
    lun_acme_directory  d;
    const lun_str       uri = LUN_STR(CA);

    ok(lun_acme_read_directory(pool, at_edge(
           "{\"newNonce\":\"https://ca.test/n\",\"newAccount\":"
           "\"https://ca.test/a\",\"newOrder\":\"https://ca.test/o\","
           "\"renewalInfo\":\"https://ca.test/r\",\"meta\":{"
           "\"termsOfService\":\"https://t\",\"externalAccountRequired\":true,"
           "\"profiles\":{\"short\":\"6 days\"}}}"), uri, LUN_STR("short"),
           &d), "a directory");
    ok(lun_str_eq(d.new_order, LUN_STR("https://ca.test/o"))
       && lun_str_eq(d.renewal_info, LUN_STR("https://ca.test/r"))
       && d.wants_binding && d.has_profile && d.terms.len != 0
       && d.revoke_cert.len == 0, "is read");
    ok(!lun_acme_read_directory(pool, at_edge("{}"), uri, LUN_STR(""), &d),
       "an empty one is none");
    ok(!lun_acme_read_directory(pool, at_edge(
           "{\"newNonce\":\"http://ca.test/n\",\"newAccount\":"
           "\"https://ca.test/a\",\"newOrder\":\"https://ca.test/o\"}"), uri,
           LUN_STR(""), &d), "nor one that leads to plain HTTP");
    ok(lun_acme_read_directory(pool, at_edge(
           "{\"newNonce\":\"https://ca.test/n\",\"newAccount\":"
           "\"https://ca.test/a\",\"newOrder\":\"https://ca.test/o\","
           "\"meta\":{\"profiles\":{\"a\\\"]\":1}}}"), uri, LUN_STR("b\"]"),
           &d) && !d.has_profile, "a profile's name is no path");
}


static void
urls(void)
{
    const lun_str  uri = LUN_STR(CA), plain = LUN_STR("http://ca.test/");

    ok(lun_acme_may_follow(uri, at_edge("https://other.test/x")), "https");
    ok(lun_acme_may_follow(plain, at_edge("http://other.test/x")),
       "http, where the directory is");
    ok(!lun_acme_may_follow(uri, at_edge("http://ca.test/x")), "never down");
    ok(!lun_acme_may_follow(uri, at_edge("https://")), "not nowhere");
    ok(!lun_acme_may_follow(uri, at_edge("https://a b")), "no space");
    ok(!lun_acme_may_follow(uri, at_edge("https://a\r\nX: y")), "no line end");
    ok(!lun_acme_may_follow(uri, at_edge("file:///etc")), "no files");
    ok(lun_acme_is_token(at_edge("Abc-_0")), "a token");
    ok(!lun_acme_is_token(at_edge("../x")) && !lun_acme_is_token(at_edge(""))
       && !lun_acme_is_token(at_edge("a+b")), "others are none");
}


static void
orders(void)
{
    char            *many = lun_pool_text(pool, 8192), *p;
    size_t           i;
    lun_acme_order   o;
    const lun_str    uri = LUN_STR(CA);

    ok(lun_acme_read_order(pool, at_edge(
           "{\"status\":\"pending\",\"finalize\":\"https://ca.test/f\","
           "\"authorizations\":[\"https://ca.test/1\",\"https://ca.test/2\"]}"),
           uri, &o), "an order");
    ok(o.status == LUN_ACME_PENDING && o.count == 2
       && lun_str_eq(o.authorizations[1], LUN_STR("https://ca.test/2")),
       "with two names");
    ok(lun_acme_read_order(pool, at_edge(
           "{\"status\":\"invalid\",\"error\":{\"type\":"
           "\"urn:ietf:params:acme:error:dns\",\"detail\":\"no\"}}"), uri,
           &o) && lun_str_eq(o.problem.type, LUN_STR("dns")),
       "one that failed says why");
    ok(!lun_acme_read_order(pool, at_edge("{\"status\":\"odd\"}"), uri, &o),
       "a status that nobody knows");
    ok(!lun_acme_read_order(pool, at_edge(
           "{\"status\":\"valid\",\"finalize\":\"https://ca.test/f\"}"), uri,
           &o), "a valid one has a certificate");
    ok(!lun_acme_read_order(pool, at_edge(
           "{\"status\":\"pending\",\"finalize\":\"https://ca.test/f\","
           "\"authorizations\":[\"ftp://x\"]}"), uri, &o), "or leads away");

    p = lun_fmt(many, many + 8192, "{\"status\":\"pending\",\"finalize\":"
                "\"https://ca.test/f\",\"authorizations\":[");

    for (i = 0; i < 150; i++) {
        p = lun_fmt(p, many + 8192, "%s\"https://ca.test/%d\"",
                    i != 0 ? "," : "", (int) i);
    }

    p = lun_fmt(p, many + 8192, "]}");
    ok(lun_acme_read_order(pool, lun_str_of(many, (size_t) (p - many)), uri,
                           &o) && o.count == LUN_ACME_NAMES,
       "a hundred are looked at");
}


static void
authorizations(void)
{
    lun_acme_authorization  a;
    const lun_str           uri = LUN_STR(CA), http = LUN_STR("http-01");

    ok(lun_acme_read_authorization(pool, at_edge(
           "{\"status\":\"pending\",\"identifier\":{\"type\":\"dns\",\"value\":"
           "\"a.test\"},\"challenges\":[{\"type\":\"dns-01\",\"url\":"
           "\"https://ca.test/d\",\"token\":\"d\",\"status\":\"pending\"},"
           "{\"type\":\"http-01\",\"url\":\"https://ca.test/h\",\"token\":"
           "\"h\",\"status\":\"pending\"}]}"), uri, http, &a),
       "an authorization");
    ok(lun_str_eq(a.token, LUN_STR("h"))
       && lun_str_eq(a.url, LUN_STR("https://ca.test/h"))
       && a.challenge == LUN_ACME_PENDING
       && lun_str_eq(a.identifier, LUN_STR("a.test")), "by our challenge");
    ok(lun_acme_read_authorization(pool, at_edge(
           "{\"status\":\"invalid\",\"identifier\":{\"value\":\"a\"},"
           "\"challenges\":[{\"type\":\"http-01\",\"url\":\"https://ca.test/h"
           "\",\"error\":{\"type\":\"urn:ietf:params:acme:error:connection\","
           "\"detail\":\"re\\u0000fused\\n\"}}]}"), uri, http, &a)
       && a.status == LUN_ACME_INVALID, "one that failed");
    is_str(lun_pool_strz(pool, lun_acme_problem_text(pool, &a.problem)),
           "re?fused? (connection)", "in words for a log");
    ok(!lun_acme_read_authorization(pool, at_edge(
           "{\"status\":\"pending\",\"identifier\":{\"value\":\"a\"},"
           "\"challenges\":[{\"type\":\"http-01\",\"url\":\"https://ca.test/h"
           "\",\"token\":\"../../x\"}]}"), uri, http, &a),
       "a token that is a path is none");
}


static void
others(void)
{
    lun_acme_window   w;
    lun_acme_problem  p;

    ok(lun_acme_read_window(pool, at_edge(
           "{\"suggestedWindow\":{\"start\":\"2026-01-02T04:00:00Z\",\"end\":"
           "\"2026-01-03T04:00:00Z\"}}"), &w) && w.end - w.start == 86400,
       "a window");
    ok(!lun_acme_read_window(pool, at_edge(
           "{\"suggestedWindow\":{\"start\":\"2026-01-04T04:00:00Z\",\"end\":"
           "\"2026-01-03T04:00:00Z\"}}"), &w), "that ends before it begins");
    ok(lun_acme_read_problem(pool, at_edge(
           "{\"type\":\"urn:ietf:params:acme:error:rateLimited\",\"detail\":"
           "\"slowly\",\"subproblems\":[{\"detail\":\"a.test\"}]}"), &p)
       && lun_str_eq(p.type, LUN_STR("rateLimited"))
       && lun_str_eq(p.detail, LUN_STR("slowly: a.test")), "a problem");
    ok(!lun_acme_read_problem(pool, at_edge("<html>"), &p), "a page is none");
}


static void
words(void)
{
    const lun_str          contact = LUN_STR("mailto:a\"@b");
    const lun_str          names[] = { LUN_STR("a.test"), LUN_STR("::1") };
    lun_acme_account_wish  account = { .contacts = &contact,
                                       .contact_count = 1, .agrees = true };
    lun_acme_order_wish    order = { .names = names, .count = 2,
                                     .profile = LUN_STR("p"),
                                     .replaces = LUN_STR("x.y") };

    is_str(lun_pool_strz(pool, lun_acme_new_account(pool, &account)),
           "{\"contact\":[\"mailto:a\\\"@b\"],\"termsOfServiceAgreed\":true}",
           "for an account");
    is_str(lun_pool_strz(pool, lun_acme_new_order(pool, &order)),
           "{\"identifiers\":[{\"type\":\"dns\",\"value\":\"a.test\"},"
           "{\"type\":\"ip\",\"value\":\"::1\"}],\"profile\":\"p\","
           "\"replaces\":\"x.y\"}", "for an order");
}


int
main(void)
{
    pool = lun_pool_new_sized(16384);
    directories();
    urls();
    orders();
    authorizations();
    others();
    words();
    lun_pool_free(pool);
    return done_testing();
}
