/*
 * grpc_message.c -- messages of gRPC, and their fields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/grpc_message.h"


enum { VARINT = 0, FIXED_64 = 1, BYTES = 2, FIXED_32 = 5 };


char *
lun_grpc_put_prefix(char *p, size_t len)
{
    *p++ = 0;
    *p++ = (char) (len >> 24);
    *p++ = (char) (len >> 16);
    *p++ = (char) (len >> 8);
    *p++ = (char) len;
    return p;
}


bool
lun_grpc_read_message(lun_str body, lun_str *message)
{
    size_t                len;
    const unsigned char  *p = (const unsigned char *) body.data;

    if (body.len < LUN_GRPC_PREFIX || p[0] != 0) {
        return false;
    }

    len = (size_t) p[1] << 24 | (size_t) p[2] << 16 | (size_t) p[3] << 8
          | p[4];
    *message = lun_str_of(body.data + LUN_GRPC_PREFIX,
                          body.len - LUN_GRPC_PREFIX);
    return message->len == len;
}


static void
advance(lun_str *s, size_t n)
{
    *s = lun_str_of(s->data + n, s->len - n);
}


static bool
read_varint(lun_str *s, uint64_t *value)
{
    unsigned char  c;
    unsigned       shift;

    *value = 0;

    for (shift = 0; shift < 64 && s->len != 0; shift += 7) {
        c = (unsigned char) s->data[0];
        *value |= (uint64_t) (c & 0x7f) << shift;
        advance(s, 1);

        if (c < 0x80) {
            return true;
        }
    }

    return false;
}


static bool
read_content(lun_str *message, unsigned type, lun_proto_field *f)
{
    uint64_t  n;

    switch (type) {

    case VARINT:
        return read_varint(message, &f->value);

    case FIXED_64:
        n = 8;
        break;

    case FIXED_32:
        n = 4;
        break;

    case BYTES:
        if (!read_varint(message, &n)) {
            return false;
        }

        break;

    default:
        return false;
    }

    if (n > message->len) {
        return false;
    }

    f->text = lun_str_of(message->data, (size_t) n);
    advance(message, (size_t) n);
    return true;
}


int
lun_proto_next(lun_str *message, lun_proto_field *f)
{
    uint64_t  key;

    if (message->len == 0) {
        return 0;
    }

    *f = (lun_proto_field) { .text = LUN_STR_NULL };

    if (!read_varint(message, &key) || key >> 3 == 0 || key >> 32 != 0) {
        return -1;
    }

    f->number = (uint32_t) (key >> 3);
    return read_content(message, key & 7, f) ? 1 : -1;
}
