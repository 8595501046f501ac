/*
 * cache_file.c -- heads of cached answers, whole and otherwise.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/cache/cache_file.c"

#include "tap.h"


static char            bytes[4096], lines[256];
static lun_cache_head  head;


static lun_str
packed(void)
{
    char  *p = lines;

    p = lun_cache_put_line(p, LUN_STR("A"), LUN_STR("1"));
    p = lun_cache_put_line(p, LUN_STR("Empty"), LUN_STR(""));

    head = (lun_cache_head) {
        .family = 7, .status = 200, .valid = 1000, .stale_error = 5,
        .date = 900, .last_modified = -1, .length = 12, .body_crc = 99,
        .key = LUN_STR("http://a/b"), .vary = LUN_STR("Accept"),
        .etag = LUN_STR("\"x\""), .status_line = LUN_STR("200 Fine"),
        .lines = lun_str_of(lines, (size_t) (p - lines)) };

    lun_cache_head_pack(&head, bytes);
    return lun_str_of(bytes, lun_cache_head_size(&head));
}


static void
comes_back(void)
{
    size_t          size;
    lun_str         name, value, rest, text = packed();
    lun_cache_head  h;

    ok(lun_cache_head_read(text, &h, &size) == LUN_CACHE_WHOLE
       && size == text.len, "a head is read");
    ok(h.status == 200 && h.valid == 1000 && h.stale_error == 5
       && h.date == 900 && h.last_modified == -1 && h.length == 12
       && h.body_crc == 99 && h.family == 7, "its numbers");
    ok(lun_str_eq(h.key, head.key) && lun_str_eq(h.vary, head.vary)
       && lun_str_eq(h.etag, head.etag)
       && lun_str_eq(h.status_line, head.status_line), "its texts");

    rest = h.lines;
    ok(lun_cache_next_line(&rest, &name, &value)
       && lun_str_eq(name, LUN_STR("A")) && lun_str_eq(value, LUN_STR("1"))
       && lun_cache_next_line(&rest, &name, &value)
       && lun_str_eq(name, LUN_STR("Empty")) && value.len == 0
       && !lun_cache_next_line(&rest, &name, &value), "its lines");
}


static void
broken_ones(void)
{
    size_t          i, size, bad = 0;
    lun_str         text = packed();
    lun_cache_head  h;

    for (i = 0; i < text.len; i++) {
        char  *cut = lun_malloc(i + 1);

        memcpy(cut, text.data, i);
        bad += lun_cache_head_read(lun_str_of(cut, i), &h, &size)
               != LUN_CACHE_SHORT || size <= i || size > text.len;
        lun_free(cut);
    }

    ok(bad == 0, "a cut head says how much it wants");

    for (i = 0; i < text.len; i++) {
        bytes[i] ^= 1;
        bad += lun_cache_head_read(text, &h, &size) == LUN_CACHE_WHOLE;
        bytes[i] ^= 1;
    }

    ok(bad == 0, "one bit is noticed, wherever it is");

    bytes[4] ^= 1;
    ok(lun_cache_head_read(text, &h, &size) == LUN_CACHE_OTHER,
       "another version");

    (void) packed();
    head.valid = INT64_MIN;
    lun_cache_head_pack(&head, bytes);
    ok(lun_cache_head_read(text, &h, &size) == LUN_CACHE_BROKEN,
       "a time that cannot be taken from another");
    (void) packed();
    head.stale_error = INT64_MAX;
    lun_cache_head_pack(&head, bytes);
    ok(lun_cache_head_read(text, &h, &size) == LUN_CACHE_BROKEN,
       "nor one that cannot be added");
}


static void
sizes(void)
{
    (void) packed();
    head.key.len = (size_t) 1 << 40;
    ok(lun_cache_head_size(&head) == 0, "a head can be too large");
    head.key.len = LUN_CACHE_HEAD_MAX;
    ok(lun_cache_head_size(&head) == 0, "all of it together, too");
}


static void
names(void)
{
    int            levels[3] = { 1, 2, 0 }, none[3] = { 0 };
    char           name[LUN_CACHE_NAME];
    lun_cache_key  key, back;

    lun_md5(LUN_STR("abc"), key.bytes);
    (void) lun_cache_file_name(name, levels, &key);
    is_str(name, "2/f7/900150983cd24fb0d6963f7d28e17f72", "levels=1:2");
    (void) lun_cache_file_name(name, none, &key);
    is_str(name, "900150983cd24fb0d6963f7d28e17f72", "without levels");

    ok(lun_cache_key_of_name(lun_str_z(name), &back)
       && lun_cache_key_eq(&key, &back), "a name's key");
    ok(!lun_cache_key_of_name(LUN_STR("900150983cd24fb0d6963f7d28e17f7"),
                              &back)
       && !lun_cache_key_of_name(LUN_STR("900150983cd24fb0d6963f7d28e17f7x"),
                                 &back), "which others have not");
}


int
main(void)
{
    comes_back();
    broken_ones();
    sizes();
    names();

    return done_testing();
}
