/*
 * store_record.c -- changes of a dictionary as bytes, and back.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/store/store_record.c"

#include "tap.h"


static char  bytes[200];
static char  number[LUN_STORE_NUMBER];


static lun_str
put(const lun_shdict_change *c)
{
    size_t  n = lun_store_record_size(c);
    char   *end = lun_store_record_put(bytes, c);

    is_int(end - bytes, (int64_t) n, "it is as long as it said");
    return lun_str_of(tap_edge(bytes, n), n);
}


static bool
is_back(const lun_shdict_change *c)
{
    lun_shdict_change  d;

    return lun_store_record_read(c->key, put(c), &d, number)
           && d.op == c->op && d.type == c->type && d.traits == c->traits
           && d.flags == c->flags && d.stamp == c->stamp
           && d.expires == c->expires && d.delta == c->delta
           && d.init == c->init && lun_str_eq(d.value, c->value);
}


static void
test_there_and_back(void)
{
    double  n = -2.5;
    char    yes = 1;

    ok(is_back(&(lun_shdict_change) {
        .op = LUN_CHANGE_SET, .type = LUN_SHDICT_STRING, .flags = 0xfffffffe,
        .stamp = UINT64_MAX - 1, .expires = INT64_MAX, .key = LUN_STR("k"),
        .value = LUN_STR("value") }), "a text");
    ok(is_back(&(lun_shdict_change) {
        .op = LUN_CHANGE_SET, .type = LUN_SHDICT_NUMBER, .key = LUN_STR("k"),
        .value = lun_str_of((const char *) &n, sizeof(n)) }), "a number");
    ok(is_back(&(lun_shdict_change) {
        .op = LUN_CHANGE_SET, .type = LUN_SHDICT_BOOLEAN, .key = LUN_STR("k"),
        .value = lun_str_of(&yes, 1) }), "a boolean");
    ok(is_back(&(lun_shdict_change) {
        .op = LUN_CHANGE_ADD, .type = LUN_SHDICT_NUMBER, .delta = 1,
        .init = -1e300, .traits = LUN_CHANGE_INIT | LUN_CHANGE_FRESH,
        .key = LUN_STR("k"), .value = LUN_STR("") }), "an addition");
    ok(is_back(&(lun_shdict_change) {
        .op = LUN_CHANGE_DELETE, .key = LUN_STR("k"), .value = LUN_STR("") }),
        "a deletion");
    ok(is_back(&(lun_shdict_change) {
        .op = LUN_CHANGE_FLUSH, .key = LUN_STR(""), .value = LUN_STR("") }),
        "a flush");
}


static bool
reads(lun_str key, lun_str record)
{
    lun_shdict_change  c;

    return lun_store_record_read(key, lun_str_of(tap_edge(record.data,
               record.len), record.len), &c, number);
}


#define HEAD(op, type)  op type "\0" "\0\0\0\0" "12345678" "\0\0\0\0\0\0\0\1"

static void
test_nonsense(void)
{
    lun_str  key = LUN_STR("k");

    ok(reads(key, LUN_STR(HEAD("S", "\4") "text")), "this is a record");
    ok(!reads(key, LUN_STR("")), "nothing is none");
    ok(!reads(key, lun_str_of(HEAD("S", "\4"), LUN_STORE_RECORD - 1)),
       "what is cut short is none");
    ok(!reads(key, LUN_STR(HEAD("X", "\4"))), "nor what does something else");
    ok(!reads(key, LUN_STR(HEAD("?", "\4"))), "nor what does nothing");
    ok(!reads(key, LUN_STR(HEAD("\0", "\4"))), "nor what ends");
    ok(!reads(key, LUN_STR(HEAD("S", "\3") "1234567")), "half a number");
    ok(!reads(key, LUN_STR(HEAD("S", "\1") "\2")), "a boolean of two");
    ok(!reads(key, LUN_STR(HEAD("S", "\5") "list")), "a list");
    ok(!reads(key, LUN_STR(HEAD("S", "\0"))), "a value that is none");
    ok(!reads(key, LUN_STR(HEAD("A", "\3") "12345678")), "half an addition");
    ok(!reads(key, LUN_STR(HEAD("A", "\3") "\x7f\xf0\0\0\0\0\0\0"
                           "\0\0\0\0\0\0\0\0")), "an endless one");
    ok(!reads(key, LUN_STR(HEAD("D", "\0") "x")), "a deletion with a value");
    ok(!reads(key, LUN_STR(HEAD("F", "\0"))), "a flush of a key");
    ok(!reads(LUN_STR(""), LUN_STR(HEAD("S", "\4") "x")), "a set of no key");
    ok(!reads(key, LUN_STR("S\4\0" "\0\0\0\0" "12345678"
                           "\xff\0\0\0\0\0\0\0" "x")), "a time before time");
}


int
main(void)
{
    test_there_and_back();
    test_nonsense();
    return done_testing();
}
