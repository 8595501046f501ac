/*
 * conf_lex.c -- the configuration lexer, and the one for Lua blocks.
 *
 * The first byte says which; every token must lie where it says it does, and
 * the lexer must come to the end.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "config/lex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
lex_conf(lun_str text, lun_pool *pool)
{
    unsigned     line = 1;
    lun_lexer    lx;
    lun_token    t;
    const char  *pos;

    lun_lex_init(&lx, text, pool);

    do {
        pos = lx.pos;
        lun_lex_next(&lx, &t);

        LUN_CHECK(lx.pos <= lx.end && t.line >= line);
        LUN_CHECK(t.kind == LUN_LEX_BAD || t.end_line >= t.line);
        LUN_CHECK(t.kind == LUN_LEX_END || t.kind == LUN_LEX_BAD
                  || lx.pos > pos);
        LUN_CHECK(t.kind != LUN_LEX_WORD || t.text.len <= text.len);

        line = t.line;

    } while (t.kind != LUN_LEX_END && t.kind != LUN_LEX_BAD);
}


static void
lex_lua(lun_str text, lun_pool *pool)
{
    lun_str    block;
    unsigned   line;
    lun_lexer  lx;

    lun_lex_init(&lx, text, pool);

    while (lun_lex_lua_block(&lx, &block, &line) == LUN_OK) {
        LUN_CHECK(block.data >= text.data
                  && block.data + block.len < lx.pos && lx.pos <= lx.end);
        LUN_CHECK(block.data[block.len] == '}' && line <= lx.line);
    }

    LUN_CHECK(lx.error != NULL);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lun_str    text;
    lun_pool  *pool;

    if (size == 0) {
        return 0;
    }

    text = lun_str_of((const char *) data + 1, size - 1);
    pool = lun_pool_new_sized(1024);

    if (data[0] % 2 == 0) {
        lex_conf(text, pool);

    } else {
        lex_lua(text, pool);
    }

    lun_pool_free(pool);
    return 0;
}
