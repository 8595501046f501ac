/*
 * grpc_health.c -- what a server of gRPC is asked, and when its answer is good.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/health/grpc_health.c"

#include "tap.h"


static lun_pool  *pool;


static const char *
judge(unsigned status, const char *in_header, const char *behind,
    lun_str body, int64_t good)
{
    lun_http_field   *f;
    lun_http_answer   a = { .pool = pool, .status = status };

    lun_array_init(&a.fields, pool, sizeof(lun_http_field), 1);
    lun_array_init(&a.trailers, pool, sizeof(lun_http_field), 1);

    if (in_header != NULL) {
        f = lun_array_push(&a.fields);
        *f = (lun_http_field) { LUN_STR("grpc-status"),
                                lun_str_z(in_header) };
    }

    if (behind != NULL) {
        f = lun_array_push(&a.trailers);
        *f = (lun_http_field) { LUN_STR("grpc-status"), lun_str_z(behind) };
    }

    return lun_grpc_health_judge(&a, body, good);
}


static void
asks(void)
{
    char     service[200];
    lun_str  q = lun_grpc_health_question(pool, LUN_STR(""));

    ok(lun_str_eq(q, lun_str_of("\0\0\0\0\0", 5)), "for the server");
    q = lun_grpc_health_question(pool, LUN_STR("shop"));
    ok(lun_str_eq(q, lun_str_of("\0\0\0\0\6\12\4shop", 11)), "for a service");
    memset(service, 'x', sizeof(service));
    q = lun_grpc_health_question(pool, lun_str_of(service, sizeof(service)));
    ok(q.len == 208 && memcmp(q.data, "\0\0\0\0\xcb\12\xc8\1xx", 10) == 0,
       "of a long name");
}


static void
judges(void)
{
    lun_str  serving = lun_str_of("\0\0\0\0\2\10\1", 7);
    lun_str  not_serving = lun_str_of("\0\0\0\0\2\10\2", 7);

    ok(judge(200, NULL, "0", serving, 0) == NULL, "it serves");
    ok(judge(200, "0", NULL, serving, 0) == NULL, "said in front");
    is_str(judge(200, NULL, "0", not_serving, 0),
           "checking grpc serving status", "it does not");
    is_str(judge(200, NULL, "0", LUN_STR(""), 0),
           "checking grpc serving status", "it does not say");
    is_str(judge(200, NULL, "0", lun_str_of("\0\0\0\0\1\10", 6), 0),
           "checking grpc serving status", "it says nonsense");
    is_str(judge(200, "5", NULL, LUN_STR(""), 0), "checking grpc status",
           "it does not know the service");
    is_str(judge(200, "0", "5", serving, 0), "checking grpc status",
           "what is behind the body counts");
    is_str(judge(200, NULL, NULL, serving, 0), "checking status code",
           "no status");
    is_str(judge(404, "0", NULL, serving, 0), "checking status code",
           "it is no gRPC");
    ok(judge(200, "12", NULL, LUN_STR(""), 12) == NULL,
       "a status that is good enough");
    is_str(judge(200, "0", NULL, serving, 12), "checking grpc status",
           "and no other");
}


int
main(void)
{
    pool = lun_pool_new_sized(1024);
    asks();
    judges();
    lun_pool_free(pool);
    return done_testing();
}
