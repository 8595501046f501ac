/*
 * grpc_message.c -- any bytes as a message of gRPC with fields of protobuf.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "format/grpc_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t           before;
    lun_str          body, m;
    lun_proto_field  f;

    body = lun_str_of((const char *) data, size);

    if (!lun_grpc_read_message(body, &m)) {
        m = body;
    }

    for (before = m.len; lun_proto_next(&m, &f) == 1; before = m.len) {
        LUN_CHECK(f.number != 0 && m.len < before);
        LUN_CHECK(f.text.data == NULL
                  || (f.text.data >= body.data
                      && f.text.data + f.text.len <= body.data + body.len));
    }

    return 0;
}
