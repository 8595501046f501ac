/*
 * keyval.c -- keys and values: which key fits, and a zone as a text.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/common/keyval/keyval.c"
#include "tap.h"


static lun_pool         *pool;
static lun_zone          zone = { .size = 128 * 1024,
                                  .kind = &lun_shdict_keyval_kind };
static lun_keyval_zone   z = { .name = LUN_STR_INIT("z"), .zone = &zone };


static void
begin(lun_keyval_type type, lun_msec timeout)
{
    size_t       size = zone.size + zone.kind->beside(zone.size);
    static char *memory;

    /* As shm.h gives it: whole pages, zeroed. */
    lun_free(memory);
    memory = lun_calloc(size + 65536);
    zone.shm.addr = memory + 65536 - (uintptr_t) memory % 65536;
    zone.shm.size = size;
    ok(zone.kind->init(&zone, NULL) == LUN_OK, "a zone");
    z.type = type;
    z.timeout = timeout;
}


static const char *
value_of(const char *key)
{
    lun_str  value;

    return lun_keyval_match(&z, pool, lun_str_z(key), &value)
           ? lun_pool_strz(pool, value) : "-";
}


static const char *
json(bool with_expire)
{
    return lun_pool_strz(pool, lun_keyval_json(&z, pool, with_expire));
}


static void
test_keys(void)
{
    lun_keyval_verdict  v;
    char                large[LUN_KEYVAL_KEY + 1];

    begin(LUN_KEYVAL_STRING, 0);
    memset(large, 'x', sizeof(large));
    v = lun_keyval_set(&z, lun_str_of(large, sizeof(large)), LUN_STR("1"), 0,
                       0);
    is_int(v, LUN_KEYVAL_BAD_KEY, "a key that is too long");
    v = lun_keyval_set(&z, LUN_STR("\2v"), LUN_STR("1"), 0, 0);
    is_int(v, LUN_KEYVAL_BAD_KEY, "one of the room's own");
    is_int((int64_t) lun_keyval_version(&z), 0, "nothing has changed");
    v = lun_keyval_set(&z, LUN_STR("a"), LUN_STR("1"), LUN_SHDICT_ADD, 0);
    is_int(v, LUN_KEYVAL_OK, "a pair");
    v = lun_keyval_set(&z, LUN_STR("a"), LUN_STR("2"), LUN_SHDICT_ADD, 0);
    is_int(v, LUN_KEYVAL_EXISTS, "... that is there");
    v = lun_keyval_set(&z, LUN_STR("b"), LUN_STR("2"), LUN_SHDICT_REPLACE, 0);
    is_int(v, LUN_KEYVAL_NOT_FOUND, "one that is not");
    is_str(value_of("a"), "1", "its value");
    is_int((int64_t) lun_keyval_version(&z), 1, "one change");
    is_int((int64_t) lun_keyval_keys(&z, pool)->count, 1, "one key");
    is_int(lun_keyval_remove(&z, LUN_STR("a")), LUN_KEYVAL_OK, "removed");
    is_int(lun_keyval_remove(&z, LUN_STR("a")), LUN_KEYVAL_NOT_FOUND,
           "... once");
}


static void
test_nets(void)
{
    begin(LUN_KEYVAL_IP, 0);
    (void) lun_keyval_set(&z, LUN_STR("10.0.0.0/8"), LUN_STR("8"), 0, 0);
    (void) lun_keyval_set(&z, LUN_STR("10.7.7.7/16"), LUN_STR("16"), 0, 0);
    (void) lun_keyval_set(&z, LUN_STR("2001:db8::/32"), LUN_STR("32"), 0, 0);
    is_str(value_of("10.7.1.1"), "16", "the smallest network");
    is_str(value_of("10.8.1.1"), "8", "another");
    is_str(value_of("11.8.1.1"), "-", "none");
    is_str(value_of("::ffff:10.7.1.1"), "16", "an address of IPv4 in IPv6");
    is_str(value_of("2001:db8:1::1"), "32", "IPv6");
    is_str(value_of("10.7.0.0/24"), "16", "a network in one");
    is_str(value_of("10.0.0.0/7"), "-", "... around all of them");
    is_str(value_of("ten"), "-", "no address");
    is_int((int64_t) lun_keyval_keys(&z, pool)->count, 3, "three keys");
    (void) lun_keyval_remove(&z, LUN_STR("10.7.7.7/16"));
    is_str(value_of("10.7.1.1"), "8", "a network less");
}


static void
test_texts(void)
{
    unsigned  line = 0;

    begin(LUN_KEYVAL_PREFIX, 1000);
    ok(lun_keyval_read(&z, pool, LUN_STR("{\"/b\":\"2\",\n\"/\\u0061\": "
                       "{\"expire\":100000,\"value\":\"\\\"\"}}"), &line)
       == NULL, "pairs of a text");
    is_str(value_of("/bcd"), "2", "the key that a text begins with");
    is_str(json(false), "{\"/a\":\"\\\"\",\n \"/b\":\"2\"}", "in order");
    ok(strstr(json(true), "\"expire\":") != NULL, "with their time");

    is_str(lun_keyval_read(&z, pool, LUN_STR("{\"a\":\"1\",\n\n\"b\"}"),
                           &line), "invalid JSON", "half of a text");
    is_int(line, 3, "... where it ends");
    is_str(lun_keyval_read(&z, pool, LUN_STR("{\"a\":\"1\",\n\"b\":7}"),
                           &line), "invalid value", "a value that is none");
    is_int(line, 2, "... and its line");
    is_str(lun_keyval_read(&z, pool, LUN_STR("{\"a\":{\"expire\":1}}"),
                           &line), "invalid value", "a time without a value");
    is_str(lun_keyval_read(&z, pool, LUN_STR("{\"\":\"1\"}"), &line),
           "invalid key", "a key that is none");
    is_str(lun_keyval_read(&z, pool, LUN_STR("[]"), &line), "invalid JSON",
           "no object");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    test_keys();
    test_nets();
    test_texts();
    lun_pool_free(pool);
    return done_testing();
}
