/*
 * grpc_health.c -- grpc.health.v1.Health/Check.
 *
 *     message HealthCheckRequest { string service = 1; }
 *     message HealthCheckResponse { ServingStatus status = 1; }
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/health/grpc_health.h"

#include "base/fmt.h"
#include "format/grpc_message.h"


enum { SERVICE = 1, STATUS = 1, SERVING = 1, BYTES = 2 };


static char *
put_varint(char *p, size_t n)
{
    while (n >= 0x80) {
        *p++ = (char) (n | 0x80);
        n >>= 7;
    }

    *p++ = (char) n;
    return p;
}


lun_str
lun_grpc_health_question(lun_pool *pool, lun_str service)
{
    enum { KEY_AND_LENGTH = 11 };

    char  *text, *message, *p;

    text = lun_pool_text(pool, LUN_GRPC_PREFIX + KEY_AND_LENGTH + service.len);
    p = message = text + LUN_GRPC_PREFIX;

    if (service.len != 0) {
        *p++ = SERVICE << 3 | BYTES;
        p = put_varint(p, service.len);
        p = lun_copy_str(p, service);
    }

    (void) lun_grpc_put_prefix(text, (size_t) (p - message));
    return lun_str_of(text, (size_t) (p - text));
}


static bool
serves(lun_str body)
{
    int              rc;
    uint64_t         status = 0;
    lun_str          message;
    lun_proto_field  f;

    if (!lun_grpc_read_message(body, &message)) {
        return false;
    }

    while ((rc = lun_proto_next(&message, &f)) == 1) {
        if (f.number == STATUS && f.text.data == NULL) {
            status = f.value;
        }
    }

    return rc == 0 && status == SERVING;
}


const char *
lun_grpc_health_judge(const lun_http_answer *http, lun_str body, int64_t good)
{
    int64_t  status = lun_http_answer_grpc(http);

    if (http->status != 200 || status < 0) {
        return "checking status code";
    }

    if (status != good) {
        return "checking grpc status";
    }

    return good != 0 || serves(body) ? NULL : "checking grpc serving status";
}
