/*
 * grpc_message.c -- messages of gRPC, and fields of protobuf.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/grpc_message.c"

#include "tap.h"


static lun_str
edge(const char *bytes, size_t len)
{
    return lun_str_of(tap_edge(bytes, len), len);
}


static void
reads_messages(void)
{
    char     prefix[LUN_GRPC_PREFIX];
    lun_str  m;

    ok(lun_grpc_put_prefix(prefix, 0x01020304) == prefix + 5
       && memcmp(prefix, "\0\1\2\3\4", 5) == 0, "a length is written");
    ok(lun_grpc_read_message(edge("\0\0\0\0\2ab", 7), &m)
       && lun_str_eq(m, LUN_STR("ab")), "and read");
    ok(lun_grpc_read_message(edge("\0\0\0\0\0", 5), &m) && m.len == 0,
       "also of nothing");
    ok(!lun_grpc_read_message(edge("\0\0\0\0", 4), &m), "half a prefix");
    ok(!lun_grpc_read_message(edge("\1\0\0\0\0", 5), &m), "it is packed");
    ok(!lun_grpc_read_message(edge("\0\0\0\0\3ab", 7), &m), "it ends early");
    ok(!lun_grpc_read_message(edge("\0\0\0\0\1ab", 7), &m), "there are two");
}


static void
reads_fields(void)
{
    static const char  all[] = "\x08\x96\x01" "\x12\x03" "abc"
                               "\x1d" "1234" "\x21" "12345678" "\xa0\x06\x00";
    lun_str            m = edge(all, sizeof(all) - 1);
    lun_proto_field    f;

    ok(lun_proto_next(&m, &f) == 1 && f.number == 1 && f.value == 150
       && f.text.data == NULL, "a number");
    ok(lun_proto_next(&m, &f) == 1 && f.number == 2
       && lun_str_eq(f.text, LUN_STR("abc")), "a text");
    ok(lun_proto_next(&m, &f) == 1 && f.number == 3 && f.text.len == 4,
       "four bytes");
    ok(lun_proto_next(&m, &f) == 1 && f.number == 4 && f.text.len == 8,
       "eight");
    ok(lun_proto_next(&m, &f) == 1 && f.number == 100 && f.value == 0,
       "a key of two bytes");
    is_int(lun_proto_next(&m, &f), 0, "and that is all");
}


static void
refuses_what_is_none(void)
{
    static const struct {
        const char  *bytes;
        size_t       len;
    } bad[] = {
        { "\x08", 1 }, { "\x08\x80", 2 }, { "\x12\x04" "abc", 5 },
        { "\x1d" "123", 4 }, { "\x21" "1234567", 8 }, { "\x0b", 1 },
        { "\x00\x01", 2 }, { "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                             11 },
        { "\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
        { "\x80\x80\x80\x80\x80\x01\x01", 7 }
    };

    size_t           i;
    lun_str          m;
    lun_proto_field  f;

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        m = edge(bad[i].bytes, bad[i].len);
        is_int(lun_proto_next(&m, &f), -1, "no field, %d", (int) i);
    }
}


int
main(void)
{
    reads_messages();
    reads_fields();
    refuses_what_is_none();
    return done_testing();
}
