/*
 * json_document.c -- values at places in a text of JSON.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/json_document.c"
#include "tap.h"

#include "base/str.h"

enum { MOST = 8 };

static lun_pool         *pool;
static lun_json_places   places;
static lun_str           values[MOST];


static void
begin(const char *const *paths, size_t n)
{
    size_t  i, number;

    places = (lun_json_places) { .count = 0 };

    for (i = 0; i < n; i++) {
        is_int((long long) lun_json_places_add(&places, pool,
                                               lun_str_z(paths[i]), &number),
               LUN_OK, "%s", paths[i]);
    }
}


static bool
reads(const char *text, unsigned depth)
{
    return lun_json_document_read(&places, pool,
                                  lun_str_of(tap_edge(text, strlen(text)),
                                             strlen(text)),
                                  depth, values);
}


static void
documents(void)
{
    size_t                    i;
    static const char *const  good[] = {
        "{}", "[]", " \t\r\n[ ] ", "0", "-0", "1.5e-3", "10E+2", "\"\"",
        "true", "false", "null", "{\"a\":{}}", "[1,[2],{\"b\":\"\\u20ac\"}]",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\xc3\xa9\""
    };
    static const char *const  bad[] = {
        "", " ", "{", "[", "\"", "\"\\", "\"\\u", "\"\\u12", "\"\\u123g\"",
        "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\ud800\\",
        "\"\\ud800\\u", "\"\n\"", "\"\\x\"", "\"\\\n\"", "-", "01", "1.",
        ".5", "1e", "1e+", "+1", "tru", "truex", "nul", "[1,]", "[,1]",
        "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
        "{\"a\" 1}", "[1", "{\"a\":1", "1 1", "[]]", "\xef\xbb\xbf{}", "NaN",
        "\"a\" x", "'a'"
    };

    begin(NULL, 0);

    for (i = 0; i < LUN_ARRAY_LEN(good); i++) {
        ok(reads(good[i], 32), "%s", good[i]);
    }

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        ok(!reads(bad[i], 32), "%s", bad[i]);
    }

    ok(!lun_json_document_read(&places, pool, LUN_STR("[\0]"), 9, values),
       "a zero byte is no space");
    ok(!lun_json_document_read(&places, pool, LUN_STR("\"\\\0\""), 9, values),
       "and no escape");
    ok(reads("[[]]", 2) && !reads("[[]]", 1), "the depth that is allowed");
    ok(reads("1", 0) && !reads("[]", 0), "none at all");
}


static void
parts(void)
{
    static const char *const  paths[] = { "a.b", "a", "[1]", "[\"x.y\"][0]" };

    begin(paths, LUN_ARRAY_LEN(paths));
    is_int((long long) places.count, 5, "what leads to two is one place");

    ok(reads("{\"a\": {\"b\" : 1.0 }, \"x.y\":[\"q\\n\"]}", 9), "an object");
    is_int(lun_str_eq(values[1], LUN_STR("{\"b\" : 1.0 }")), 1, "its text");
    is_int(lun_str_eq(values[2], LUN_STR("1.0")), 1, "a member of a member");
    is_int(lun_str_eq(values[5], LUN_STR("q\n")), 1, "a string unescaped");
    ok(values[3].data == NULL, "an index is nothing in an object");

    ok(reads("[0,\"\"]", 9) && values[3].data != NULL && values[3].len == 0,
       "an empty string is there");
    ok(values[1].data == NULL && values[2].data == NULL, "and nothing else");

    ok(reads("{\"a\":{\"b\":1},\"a\":2}", 9) && values[2].data == NULL,
       "of two members that have one name the last counts");
}


static void
bad_paths(void)
{
    size_t                    i, number;
    static const char *const  bad[] = {
        "", ".", ".a", "a.", "a..b", "a[", "a[]", "a[x]", "a[1", "a]", "[1]a",
        "a[\"b]", "a[\"b\"", "a[-1]", "a[99999999999999999999]", "a.[1]",
        "[\"\\q\"]"
    };

    for (i = 0; i < LUN_ARRAY_LEN(bad); i++) {
        places = (lun_json_places) { .count = 0 };
        is_int((long long) lun_json_places_add(
                   &places, pool,
                   lun_str_of(tap_edge(bad[i], strlen(bad[i])),
                              strlen(bad[i])), &number),
               LUN_ERROR, "%s", bad[i]);
    }
}


/* "name=kind:text" of each member; NULL: it is no object. */
static const char *
members(const char *text)
{
    size_t            i;
    lun_str           line = LUN_STR("");
    lun_array        *list = lun_array_new(pool, sizeof(lun_json_member), 4);
    lun_json_member  *m;

    if (!lun_json_object_read(pool, lun_str_of(tap_edge(text, strlen(text)),
                                               strlen(text)), list,
                              NULL))
    {
        return NULL;
    }

    for (i = 0, m = list->items; i < list->count; i++) {
        line = lun_pool_fmt(pool, "%.*s%.*s=%d:%.*s;", LUN_S(line),
                            LUN_S(m[i].name), (int) m[i].kind,
                            LUN_S(m[i].text));
    }

    return lun_pool_strz(pool, line);
}


static void
objects(void)
{
    is_str(members(" {} "), "", "an object with nothing in it");
    is_str(members("{\"a\":1,\"b\\n\":\"\\u0041\",\"a\":null}"),
           "a=1:1;b\n=0:A;a=3:null;", "each member, in its order");
    is_str(members("{\"x\" : {\"y\":[1]} , \"z\":true}"),
           "x=4:{\"y\":[1]};z=2:true;", "what is inside them is a text");
    ok(members("[1]") == NULL && members("1") == NULL && members("") == NULL,
       "others are none");
    ok(members("{\"a\":1") == NULL && members("{\"a\":1,}") == NULL
       && members("{\"a\":1}x") == NULL && members("{a:1}") == NULL
       && members("{\"a\":{]}}") == NULL, "nor is half of one");
}


int
main(void)
{
    pool = lun_pool_new_sized(4096);
    documents();
    parts();
    bad_paths();
    objects();
    lun_pool_free(pool);
    return done_testing();
}
