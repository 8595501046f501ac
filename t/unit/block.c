/*
 * block.c -- what blocks own, share and inherit.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/config/block.c"

#include "session/levels.h"
#include "conf_help.h"


typedef struct {
    lun_msec    delay;
    bool        flag;
    lun_str     text;
    int64_t     num;
    lun_bufs    bufs;
    lun_array  *list;
} conf_a;

typedef struct {
    int64_t     size;
} conf_b;


static lun_rc on_block(lun_conf *cf, const lun_directive *d, void *conf);
static lun_rc inherited_a(lun_conf *cf, const void *parent, void *conf);


#define PLACE(where)  (const void *) (uintptr_t) (where)

static const lun_directive  blocks[] = {
    { .name = "http", .where = LUN_MAIN, .block = true, .set = on_block,
      .data = PLACE(LUN_HTTP) },
    { .name = "server", .where = LUN_HTTP, .block = true, .repeats = true,
      .set = on_block, .data = PLACE(LUN_SERVER) },
    { .name = "location", .where = LUN_SERVER, .block = true, .repeats = true,
      .set = on_block, .data = PLACE(LUN_LOCATION) },
    { 0 }
};

static const lun_directive  directives_a[] = {
    { .name = "delay", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_msec, LUN_FIELD(conf_a, delay), .fallback = "1s" },
    { .name = "flag", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(conf_a, flag), .fallback = "on" },
    { .name = "text", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_str, LUN_FIELD(conf_a, text), .fallback = "'a b'" },
    { .name = "text_too", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_str, LUN_FIELD(conf_a, text) },
    { .name = "num", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_num, LUN_FIELD(conf_a, num) },
    { .name = "bufs", .where = LUN_HTTP_LEVELS, .args = 2,
      .set = lun_set_bufs, LUN_FIELD(conf_a, bufs), .fallback = "8 4k" },
    { .name = "list", .where = LUN_HTTP_LEVELS, .args = 2, .repeats = true,
      .set = lun_set_pairs, LUN_FIELD(conf_a, list) },
    { 0 }
};

static const lun_directive  directives_b[] = {
    { .name = "size", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_off, LUN_FIELD(conf_b, size), .fallback = "1k" },
    { 0 }
};

static lun_conf_part  part_blocks = {
    .name = "blocks", .directives = blocks
};
static lun_conf_part  part_a = {
    .name = "a", .directives = directives_a, .conf_size = sizeof(conf_a),
    .inherited = inherited_a
};
static lun_conf_part  part_b = {
    .name = "b", .directives = directives_b, .conf_size = sizeof(conf_b)
};


/* Another protocol's block, and what stands in both. */
static const lun_directive  directives_tcp[] = {
    { .name = "tcp", .where = LUN_MAIN, .block = true, .set = on_block,
      .data = PLACE(LUN_STREAM) },
    { 0 }
};
static const lun_directive  directives_both[] = {
    { .name = "share", .where = LUN_HTTP_LEVELS | LUN_STREAM, .args = 1,
      .set = lun_set_off, LUN_FIELD(conf_b, size), .fallback = "5" },
    { 0 }
};
static lun_conf_part  part_tcp = {
    .name = "tcp", .directives = directives_tcp
};
static lun_conf_part  part_both = {
    .name = "both", .directives = directives_both, .conf_size = sizeof(conf_b)
};

static int   mends;
static bool  refuse;


static lun_rc
on_block(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_block  *b;

    return lun_conf_read_block(cf, (uint32_t) (uintptr_t) d->data, NULL, &b);
}


static lun_rc
inherited_a(lun_conf *cf, const void *parent, void *conf)
{
    conf_a        *a = conf;
    const conf_a  *pa = parent;

    mends++;
    LUN_CHECK(pa == NULL || pa->delay != 0);

    if (refuse && a->num == 13) {
        return lun_conf_fail(cf, "unlucky");
    }

    return LUN_OK;
}


static bool
read_all(reading *rd, const char *text)
{
    begin(rd);
    lun_schema_add((lun_schema *) rd->cf.schema, &part_blocks);
    lun_schema_add((lun_schema *) rd->cf.schema, &part_a);
    lun_schema_add((lun_schema *) rd->cf.schema, &part_b);
    mends = 0;

    return read_main(rd, text) == LUN_OK
           && lun_block_inherit(&rd->cf, rd->top) == LUN_OK;
}


static const conf_a *
a_of(const lun_block *b)
{
    return b->confs[part_a.index];
}


static const conf_b *
b_of(const lun_block *b)
{
    return b->confs[part_b.index];
}


static const conf_b *
both_of(const lun_block *b)
{
    return b->confs[part_both.index];
}


static void
test_defaults(void)
{
    reading        rd;
    const conf_a  *a;

    ok(read_all(&rd, "http { }"), "an empty http block");
    a = a_of(rd.top->first_child);

    is_int((int64_t) a->delay, 1000, "a time has its default");
    is_int(a->flag, true, "a flag has");
    is_mem(a->text.data, a->text.len, "a b", 3, "a quoted word has");
    is_int(a->num, 0, "a number without a default is 0");
    is_int((int64_t) a->bufs.size, 4096, "two words have");
    ok(a->list == NULL, "an empty list is none");
    is_int(b_of(rd.top->first_child)->size, 1024, "another part has its own");
    ok(rd.top->first_child->confs == rd.top->confs,
       "a block that says nothing shares the whole array");
    is_int(mends, 1, "only the top's conf was mended");

    finish_reading(&rd);
}


static void
test_inherit(void)
{
    reading     rd;
    lun_block  *http, *first, *second, *inner;

    ok(read_all(&rd, "http { delay 2s; list x 1;\n"
                "  server { flag off; location { delay 0; } }\n"
                "  server { text_too c; list y 2; list z 3; }\n"
                "  num 7; size 2k; }"), "three levels");

    http = rd.top->first_child;
    first = http->first_child;
    second = first->sibling;
    inner = first->first_child;

    is_int((int64_t) a_of(first)->delay, 2000, "a server has what http says");
    is_int(a_of(first)->flag, false, "and what it says itself");
    is_int(a_of(first)->num, 7, "and what http says further down");
    is_int(b_of(first)->size, 2048, "in every part");
    ok(b_of(first) == b_of(http), "which it shares when it adds nothing");
    is_int((int64_t) a_of(inner)->delay, 0, "a location can say 0");
    is_int(a_of(inner)->flag, false, "and inherits the rest");
    is_mem(a_of(second)->text.data, a_of(second)->text.len, "c", 1,
           "two directives may set one field");
    is_int(a_of(second)->flag, true, "servers know nothing of each other");
    is_int((int64_t) a_of(first)->list->count, 1, "a list is inherited");
    is_int((int64_t) a_of(second)->list->count, 2, "or replaced as a whole");

    ok(lun_block_has(second, &part_a, &directives_a[3]), "what was given here");
    ok(!lun_block_has(second, &part_a, &directives_a[2]),
       "is not the directive beside it");
    ok(!lun_block_has(first, &part_b, &directives_b[0]),
       "nor what was given above");

    finish_reading(&rd);
}


static void
test_failures(void)
{
    reading  rd;

    ok(!read_all(&rd, "http { text a; text_too b; }"),
       "two directives of one field");
    is_str(said, "\"text_too\" directive is duplicate in /p/conf/main:1",
           "are duplicates");
    finish_reading(&rd);

    refuse = true;
    ok(!read_all(&rd, "http {\n num 12;\n server {\n\n num 13; } }"),
       "a module refuses what came together");
    is_str(said, "unlucky in /p/conf/main:3", "at the block");
    refuse = false;
    finish_reading(&rd);
}


/* Two protocols, one part of which stands in both. */
static void
test_protocols(void)
{
    reading      rd;
    lun_block   *http, *tcp;
    lun_schema  *schema;

    begin(&rd);
    schema = (lun_schema *) rd.cf.schema;
    lun_schema_add(schema, &part_blocks);
    lun_schema_add(schema, &part_a);
    lun_schema_add(schema, &part_both);
    lun_schema_add(schema, &part_tcp);
    lun_schema_add(schema, &part_both);
    is_int((int64_t) lun_schema_count(schema), 4,
           "a part that is added twice is one");

    lun_schema_add_protocol(schema, LUN_HTTP, LUN_HTTP_LEVELS);
    lun_schema_add_protocol(schema, LUN_STREAM, LUN_STREAM);
    mends = 0;

    ok(read_main(&rd, "http { server { share 3; } } tcp { }") == LUN_OK
       && lun_block_inherit(&rd.cf, rd.top) == LUN_OK, "two protocols");

    http = rd.top->first_child;
    tcp = http->sibling;

    ok(rd.top->confs[part_both.index] == NULL,
       "nothing of them is set in the main block");
    is_int(both_of(http)->size, 5, "one has a part's default");
    is_int(both_of(tcp)->size, 5, "the other, empty as it is, too");
    ok(both_of(http) != both_of(tcp), "each in its own block");
    is_int(both_of(http->first_child)->size, 3, "inner blocks inherit");
    ok(tcp->confs[part_a.index] == NULL,
       "what stands in one only is not made in the other");
    is_int(mends, 1, "and mended once");

    finish_reading(&rd);
}


/* 20,000 servers are an ordinary input. */
static void
test_many(void)
{
    int      i;
    char    *text, *p;
    size_t   before, after;
    reading  rd;

    text = p = malloc(20000 * 64);
    p += sprintf(p, "http {\n");

    for (i = 0; i < 20000; i++) {
        p += sprintf(p, "server { num %d; }\n", i);
    }

    strcpy(p, "}\n");

    begin(&rd);
    before = lun_pool_size(rd.cf.pool) + lun_pool_size(rd.cf.temp);
    finish_reading(&rd);

    ok(read_all(&rd, text), "20,000 servers");
    after = lun_pool_size(rd.cf.pool) + lun_pool_size(rd.cf.temp);
    ok((after - before) / 20000 < 512, "take %d bytes each",
       (int) ((after - before) / 20000));
    is_int(a_of(rd.top->first_child->last_child)->num, 19999, "each its own");

    finish_reading(&rd);
    free(text);
}


int
main(void)
{
    test_defaults();
    test_inherit();
    test_failures();
    test_protocols();
    test_many();

    return done_testing();
}
