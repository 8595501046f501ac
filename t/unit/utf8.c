/*
 * utf8.c -- what is UTF-8, and what becomes of what is not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/base/utf8.c"

#include "base/check.h"
#include "tap.h"


static const struct {
    const char  *text;
    size_t       size;
    const char  *name;
} characters[] = {
    { "a", 1, "ASCII" }, { "\x7f", 1, "the last of it" },
    { "\xc2\x80", 2, "the first of two" }, { "\xc1\xbf", 0, "too long: two" },
    { "\xe0\xa0\x80", 3, "the first of three" },
    { "\xe0\x9f\xbf", 0, "too long: three" },
    { "\xed\x9f\xbf", 3, "in front of surrogates" },
    { "\xed\xa0\x80", 0, "a surrogate" },
    { "\xf0\x90\x80\x80", 4, "the first of four" },
    { "\xf0\x8f\xbf\xbf", 0, "too long: four" },
    { "\xf4\x8f\xbf\xbf", 4, "the last" }, { "\xf4\x90\x80\x80", 0, "no more" },
    { "\xf5\x80\x80\x80", 0, "nor this" }, { "\x80", 0, "no beginning" },
    { "\xc2", 0, "half of one" }, { "\xe2\x82", 0, "two thirds" },
    { "\xe2\x82x", 0, "another instead" },
};

static const struct {
    const char  *text, *clean, *json, *name;
} texts[] = {
    { "plain text", "plain text", "plain text", "as it is" },
    { "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f",
      "and so is UTF-8" },
    { "12345678\xff" "12345678", "12345678\xef\xbf\xbd" "12345678",
      "12345678\\ufffd12345678", "a byte that is none" },
    { "\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd", "\\ufffd\\ufffd", "each" },
    { "a\"b\\c", "a\"b\\c", "a\\\"b\\\\c", "marks" },
    { "\b\t\n\v\f\r\x1b\x7f", "\b\t\n\v\f\r\x1b\x7f",
      "\\b\\t\\n\\u000b\\f\\r\\u001b\\u007f", "controls" },
};


static void
writes(size_t i)
{
    char     room[100];
    size_t   n = strlen(texts[i].text), k;
    lun_str  s = lun_str_of(tap_edge(texts[i].text, n), n);

    *lun_utf8_clean(room, s) = '\0';
    is_str(room, texts[i].clean, "%s", texts[i].name);
    is_int((int64_t) lun_utf8_clean_len(s), (int64_t) strlen(texts[i].clean),
           "its length");
    *lun_utf8_json(room, room + 99, s) = '\0';
    is_str(room, texts[i].json, "in JSON");

    for (k = 0; k < strlen(texts[i].json); k++) {
        room[k] = '!';
        LUN_CHECK(lun_utf8_json(room, room + k, s) <= room + k);
        LUN_CHECK(room[k] == '!');
    }
}


int
main(void)
{
    size_t  i, n;

    for (i = 0; i < LUN_ARRAY_LEN(characters); i++) {
        n = strlen(characters[i].text);
        is_int((int64_t) lun_utf8_size(tap_edge(characters[i].text, n), n),
               (int64_t) characters[i].size, "%s", characters[i].name);
    }

    for (i = 0; i < LUN_ARRAY_LEN(texts); i++) {
        writes(i);
    }

    return done_testing();
}
