/*
 * status.c -- walks through the tree: paths, levels, parts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/config/status.c"

#include "config/status_json.h"
#include "tap.h"


static lun_generation   gen;
static unsigned         written;   /* nodes that were asked */


static bool
write_small(lun_status_walk *w, void *data, uint32_t *cursor)
{
    written++;
    lun_status_number(w, "n", 7);
    lun_status_decimal(w, "part", -1500, 1000);
    lun_status_flag(w, "yes", true);

    if (lun_status_open_list(w, LUN_STR("list"))) {
        lun_status_text(w, LUN_STR_NULL, LUN_STR("a\"\n\x01\xff"));

        if (lun_status_open(w, LUN_STR_NULL)) {
            lun_status_number(w, "in", 1);
            lun_status_close(w);
        }

        lun_status_close(w);
    }

    return false;
}


static bool
write_time(lun_status_walk *w, void *data, uint32_t *cursor)
{
    written++;
    lun_status_time(w, "at", INT64_C(1000000000250));
    return false;
}


/* In parts, with a member that stays open from one to the next. */
static bool
write_many(lun_status_walk *w, void *data, uint32_t *cursor)
{
    char      name[24];
    uint32_t  many = *(uint32_t *) data;

    written++;

    if (*cursor == 0 && !lun_status_open(w, LUN_STR("all"))) {
        return false;
    }

    for ( ; *cursor < many; ++*cursor) {
        if (lun_status_is_full(w)) {
            return true;
        }

        *lun_fmt(name, name + 23, "%u", *cursor) = '\0';
        lun_status_number(w, name, (int64_t) *cursor);
    }

    lun_status_close(w);
    return false;
}


/* What a question gives, in one line; parts: how many there were. */
static const char *
ask_for(lun_pool *pool, const char *path, int depth, unsigned *parts)
{
    char             *text, *p;
    lun_buf          *b;
    unsigned          n = 1;
    lun_status_ask    ask = { .path = lun_str_z(path), .depth = depth };
    lun_status_json   json = { .pool = pool };
    lun_status_walk  *w = lun_status_walk_new(pool, &gen, &ask,
                                              &lun_status_json_printer, &json);

    written = 0;

    while (lun_status_walk_on(w)) {
        n++;
    }

    if (parts != NULL) {
        *parts = n;
    }

    if (!lun_status_was_found(w)) {
        return json.out.head == NULL ? "none" : "none, but something";
    }

    p = text = lun_pool_text(pool, (size_t) lun_buf_total(json.out.head) + 1);

    for (b = json.out.head; b != NULL; b = b->next) {
        p = lun_copy(p, b->pos, (size_t) (b->last - b->pos));
    }

    *p = '\0';
    return text;
}


static const struct {
    const char  *path;
    int          depth;
    const char  *text;
} cases[] = {
    { "a/x", 0, "{\"n\":7,\"part\":-1.5,\"yes\":true,"
      "\"list\":[\"a\\\"\\n\\u0001\\ufffd\",{\"in\":1}]}" },
    { "/a//x/n/", 0, "7" },
    { "a/x/list/1/in", 0, "1" },
    { "a/x/list/0", 0, "\"a\\\"\\n\\u0001\\ufffd\"" },
    { "a/x/list/1", 0, "{\"in\":1}" },
    { "a/x/list", 1, "[\"a\\\"\\n\\u0001\\ufffd\",{}]" },
    { "a/x/list/2", 0, "none" },
    { "a/x/n/more", 0, "none" },
    { "a/x/nothing", 0, "none" },
    { "b", 0, "{\"t\":{\"at\":\"2001-09-09T01:46:40.250Z\"},\"empty\":{}}" },
    { "b/empty", 0, "{}" },
    { "b/t/at", 0, "\"2001-09-09T01:46:40.250Z\"" },
    { "", 1, "{\"a\":{},\"b\":{}}" },
    { "", 2, "{\"a\":{\"x\":{},\"y\":{}},\"b\":{\"t\":{},\"empty\":{}}}" },
    { "a", 1, "{\"x\":{},\"y\":{}}" },
    { "a/x", 1, "{\"n\":7,\"part\":-1.5,\"yes\":true,\"list\":[]}" },
    { "1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7/8", 0, "none" },
};


int
main(void)
{
    size_t           i;
    lun_pool        *pool = lun_pool_new_sized(4096);
    unsigned         parts;
    const char      *text;
    static uint32_t  none, many = 20000;

    gen.pool = pool;
    is_str(ask_for(pool, "", 0, NULL), "{}", "a tree without nodes");

    lun_status_add(&gen, "a/x", write_small, NULL);
    lun_status_add(&gen, "b/t", write_time, NULL);
    lun_status_add(&gen, "a/y", write_many, &none);
    lun_status_add(&gen, "b/empty", NULL, NULL);
    lun_status_add(&gen, "a/x", write_small, NULL);

    for (i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        is_str(ask_for(pool, cases[i].path, cases[i].depth, NULL),
               cases[i].text, "%s", cases[i].path);
    }

    (void) ask_for(pool, "b/t", 0, NULL);
    is_int(written, 1, "only the node that is wanted is asked");

    none = many;
    text = ask_for(pool, "a/y/all", 0, &parts);
    ok(parts > 5 && strlen(text) > 200000 && lun_str_starts(lun_str_z(text),
       LUN_STR("{\"0\":0,\"1\":1,")), "thousands of members come in parts");
    ok(strstr(text, ",\"19999\":19999}") != NULL && text[strlen(text) - 1]
       == '}', "and all of them");
    is_str(ask_for(pool, "a/y/all/19998", 0, NULL), "19998", "so does one");

    lun_pool_free(pool);
    return done_testing();
}
