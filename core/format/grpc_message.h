/*
 * grpc_message.h -- a message of gRPC with its length in front, and fields of
 * protobuf in it.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_GRPC_MESSAGE_H
#define LUN_GRPC_MESSAGE_H

#include "base/str.h"

enum { LUN_GRPC_PREFIX = 5 };      /* bytes in front of a message */

/* Writes that of a message that is `len` bytes long, and not packed. */
char *lun_grpc_put_prefix(char *p, size_t len);

/* The one message that a body is; false: it is none, is packed, or is more. */
bool lun_grpc_read_message(lun_str body, lun_str *message);

/* A field: a varint, or bytes, of which a number of fixed length has 4 or 8. */
typedef struct {
    uint32_t  number;
    uint64_t  value;               /* of a varint */
    lun_str   text;                /* of bytes; data NULL: a varint */
} lun_proto_field;

/* Takes the first from *message.  1: it is there, 0: there is none, -1: what
   is there is no field. */
int lun_proto_next(lun_str *message, lun_proto_field *f);

#endif
