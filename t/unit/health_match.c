/*
 * health_match.c -- what an answer to a health check has to be like.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/health/health_match.c"
#include "memory_http.h"


static lun_http_field  fields[] = {
    { LUN_STR_INIT("Content-Type"), LUN_STR_INIT("text/html") },
    { LUN_STR_INIT("X-A"), LUN_STR_INIT("one") },
    { LUN_STR_INIT("x-a"), LUN_STR_INIT("two") }
};

static const lun_array  list = { .items = fields, .count = 3 };


static lun_health_test
header(const char *name, lun_health_how how, bool not, const char *value)
{
    return (lun_health_test) {
        .name = lun_str_z(name), .how = how, .not = not,
        .value = lun_str_z(value)
    };
}


/* Whether an answer passes a match with that header and nothing else. */
static bool
passes(const char *name, lun_health_how how, bool not, const char *value)
{
    lun_health_test   t = header(name, how, not, value);
    lun_health_match  m = { .headers = { .items = &t, .count = 1 } };

    return lun_health_match_head(&m, 500, &list) == NULL;
}


static void
test_headers(void)
{
    const lun_health_how  there = LUN_HEALTH_IS_THERE, eq = LUN_HEALTH_EQUALS;

    ok(passes("content-type", there, false, ""), "it is there");
    ok(!passes("content-type", there, true, ""), "... and should not");
    ok(passes("x-b", there, true, ""), "it is not there");
    ok(!passes("x-b", there, false, ""), "... and should");
    ok(passes("x-a", eq, false, "two"), "one of several");
    ok(!passes("x-a", eq, true, "two"), "... and none may be");
    ok(passes("x-a", eq, true, "three"), "none is");
    ok(!passes("x-b", eq, true, "three"), "it has to be there to be other");
    ok(!passes("x-b", eq, false, "three"), "... or the same");
}


static void
test_statuses(void)
{
    lun_health_statuses  s[] = { { 200, 200 }, { 300, 399 } };
    lun_health_match     m = { .has_status = true,
                               .statuses = { .items = s, .count = 2 } };

    ok(lun_health_match_head(NULL, 204, &list) == NULL, "2xx is usual");
    ok(lun_health_match_head(NULL, 399, &list) == NULL, "so is 3xx");
    is_str(lun_health_match_head(NULL, 400, &list), "checking status code",
           "4xx is not");
    ok(lun_health_match_head(NULL, 199, &list) != NULL, "nor is 1xx");
    ok(lun_health_match_head(&m, 200, &list) == NULL, "one of them");
    ok(lun_health_match_head(&m, 399, &list) == NULL, "the last of a range");
    ok(lun_health_match_head(&m, 201, &list) != NULL, "none of them");
    m.not_status = true;
    ok(lun_health_match_head(&m, 201, &list) == NULL, "none of them is right");
    ok(lun_health_match_head(&m, 300, &list) != NULL, "one of them is not");
}


int
main(void)
{
    test_headers();
    test_statuses();
    return done_testing();
}
