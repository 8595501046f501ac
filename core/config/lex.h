/*
 * lex.h -- nginx.conf as tokens.  Pure, linear in the text.
 *
 * Words are separated by white space; '...' and "..." quote; a backslash
 * escapes; # begins a comment; `${name}` keeps its braces; ; { } stand alone.
 * A byte order mark before all of it is passed over.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONF_LEX_H
#define LUN_CONF_LEX_H

#include "base/pool.h"

typedef enum {
    LUN_LEX_WORD,                  /* token.text */
    LUN_LEX_SEMICOLON,
    LUN_LEX_OPEN,                  /* { */
    LUN_LEX_CLOSE,                 /* } */
    LUN_LEX_END,                   /* token.quoted: inside a quoted word */
    LUN_LEX_BAD                    /* token.error says why */
} lun_lex_kind;

typedef struct {
    const char   *pos;
    const char   *end;
    unsigned      line;            /* of pos, from 1 */
    lun_pool     *pool;            /* for words that needed unescaping */
    const char   *error;           /* why lun_lex_lua_block() has failed */
} lun_lexer;

typedef struct {
    lun_lex_kind  kind;
    lun_str       text;
    unsigned      line;            /* where it begins */
    unsigned      end_line;        /* where it ends */
    bool          quoted;
    const char   *error;
} lun_token;

void lun_lex_init(lun_lexer *lx, lun_str text, lun_pool *pool);
void lun_lex_next(lun_lexer *lx, lun_token *token);

/*
 * Directly after the { of a *_by_lua_block: takes the raw text up to the }
 * that closes it, by Lua's own rules for strings, long brackets and comments.
 * LUN_ERROR at the end of the file: lx->error says what is missing, in words.
 */
lun_rc lun_lex_lua_block(lun_lexer *lx, lun_str *text, unsigned *first_line);

#endif
