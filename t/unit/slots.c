/*
 * slots.c -- the setters: what each takes, and what it says of the rest.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/config/slots.c"

#include "conf_help.h"


typedef struct {
    bool        flag;
    int64_t     num;
    size_t      size;
    int64_t     off;
    lun_msec    msec;
    int64_t     sec;
    lun_str     str;
    lun_str     path;
    int         kind;
    uint32_t    bits;
    lun_bufs    bufs;
    lun_array  *list;
} conf;

static const lun_enum  kinds[] = {
    { "red", 1 }, { "green", 2 }, { "blue", 4 }, { NULL, 0 }
};

static const lun_directive  directives[] = {
    { .name = "flag", .where = LUN_MAIN, .args = 1, .set = lun_set_flag,
      LUN_FIELD(conf, flag) },
    { .name = "num", .where = LUN_MAIN, .args = 1, .set = lun_set_num,
      LUN_FIELD(conf, num) },
    { .name = "size", .where = LUN_MAIN, .args = 1, .set = lun_set_size,
      LUN_FIELD(conf, size) },
    { .name = "off", .where = LUN_MAIN, .args = 1, .set = lun_set_off,
      LUN_FIELD(conf, off) },
    { .name = "msec", .where = LUN_MAIN, .args = 1, .set = lun_set_msec,
      LUN_FIELD(conf, msec) },
    { .name = "sec", .where = LUN_MAIN, .args = 1, .set = lun_set_sec,
      LUN_FIELD(conf, sec) },
    { .name = "str", .where = LUN_MAIN, .args = 1, .set = lun_set_str,
      LUN_FIELD(conf, str) },
    { .name = "path", .where = LUN_MAIN, .args = 1, .set = lun_set_path,
      LUN_FIELD(conf, path) },
    { .name = "kind", .where = LUN_MAIN, .args = 1, .set = lun_set_enum,
      LUN_FIELD(conf, kind), .data = kinds },
    { .name = "bits", .where = LUN_MAIN, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_bits, LUN_FIELD(conf, bits),
      .data = kinds },
    { .name = "bufs", .where = LUN_MAIN, .args = 2, .set = lun_set_bufs,
      LUN_FIELD(conf, bufs) },
    { .name = "list", .where = LUN_MAIN, .args = 1,
      .args_max = LUN_ARGS_ANY, .set = lun_set_str_list, .repeats = true,
      LUN_FIELD(conf, list) },
    { .name = "old", .where = LUN_MAIN, .args = LUN_ARGS_ANY,
      .set = lun_set_ignored },
    { 0 }
};

static lun_conf_part  part = {
    .name = "t", .directives = directives, .conf_size = sizeof(conf)
};


static const conf *
read_one(reading *rd, const char *text)
{
    begin(rd);
    lun_schema_add((lun_schema *) rd->cf.schema, &part);

    return read_main(rd, text) == LUN_OK
           ? lun_block_conf(&rd->cf, rd->top, &part) : NULL;
}


static void
test_values(void)
{
    reading      rd;
    lun_str     *items;
    const conf  *c;

    c = read_one(&rd, "flag ON; num 12; size 4k; off 3g; msec 1m; sec 1h;\n"
                 "str 'a b'; path x; kind Green; bits red blue;\n"
                 "bufs 4 8k; list a b; list c; old x y;");
    ok(c != NULL, "one of each is read");

    is_int(c->flag, true, "a flag, in any case");
    is_int(c->num, 12, "a number");
    is_int((int64_t) c->size, 4096, "a size");
    is_int(c->off, INT64_C(3) << 30, "an offset beyond 32 bits");
    is_int((int64_t) c->msec, 60000, "milliseconds");
    is_int(c->sec, 3600, "seconds");
    is_mem(c->str.data, c->str.len, "a b", 3, "a string");
    is_mem(c->path.data, c->path.len, "/p/x", 4, "a path, made absolute");
    is_int(c->kind, 2, "one of a table, in any case");
    is_int(c->bits, 5, "several of a table");
    is_int(c->bufs.num, 4, "buffers: how many");
    is_int((int64_t) c->bufs.size, 8192, "and how large");
    is_int((int64_t) c->list->count, 3, "a list grows");
    items = c->list->items;
    is_mem(items[2].data, items[2].len, "c", 1, "at its end");

    finish_reading(&rd);
}


#define PLACE       " in /p/conf/main:1"
#define IS_NO_SIZE  " is no size, like 512, 8k, 10m or 1g"
#define IS_NO_TIME  " is no time, like 30s, 500ms or \"1m 30s\""

static const struct {
    const char  *text;
    const char  *said;
} wrong[] = {
    { "flag yes;", "invalid value \"yes\" in \"flag\" directive, it must be "
      "\"on\" or \"off\"" },
    { "num -1;", "\"num\" directive invalid number" },
    { "num 1x;", "\"num\" directive invalid number" },
    { "size -4k;", "\"size\" directive invalid value" PLACE
      "\"-4k\"" IS_NO_SIZE },
    { "size 4x;", "\"size\" directive invalid value" PLACE
      "\"4x\"" IS_NO_SIZE },
    { "off k;", "\"off\" directive invalid value" PLACE
      "\"k\"" IS_NO_SIZE },
    { "msec soon;", "\"msec\" directive invalid value" PLACE
      "\"soon\"" IS_NO_TIME },
    { "sec 1ms;", "\"sec\" directive invalid value" PLACE
      "\"1ms\"" IS_NO_TIME },
    { "kind pink;", "invalid value \"pink\"" },
    { "bits red pink;", "invalid value \"pink\"" },
    { "bufs 0 4k;", "\"bufs\" directive invalid value" },
    { "bufs 4 0;", "\"bufs\" directive invalid value" },
};


static void
test_wrong(void)
{
    char     text[256];
    size_t   i;
    reading  rd;

    for (i = 0; i < LUN_ARRAY_LEN(wrong); i++) {
        ok(read_one(&rd, wrong[i].text) == NULL, "refused: %s", wrong[i].text);
        snprintf(text, sizeof(text), "%s in /p/conf/main:1", wrong[i].said);
        is_str(said, text, "and in which words");
        finish_reading(&rd);
    }

    ok(read_one(&rd, "bits red red;") != NULL, "twice the same is accepted");
    is_str(said, "duplicate value \"red\" in /p/conf/main:1", "with a warning");
    finish_reading(&rd);
}


int
main(void)
{
    test_values();
    test_wrong();

    return done_testing();
}
