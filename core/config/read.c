/*
 * read.c -- from text to directives: statements, blocks, includes.
 *
 * The words of the statement at hand lie on a stack; a block's inner
 * statements lie above its own words, so that its setter still has them when
 * the block is read.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/schema_priv.h"

#include "base/check.h"
#include "config/generation.h"
#include "config/lex.h"
#include "config/loaded.h"
#include "config/problems.h"
#include "os/path.h"


/* Blocks and includes together: what real files need, and no more stack. */
enum { MAX_DEPTH = 100 };

/* What the statements stand in. */
typedef enum {
    IN_FILE,
    IN_BLOCK,                      /* ends with } */
    IN_TEXT                        /* -g */
} body_kind;

typedef enum {
    STATEMENT,
    BODY_END,
    FAILED
} verdict;

/* What became of the body of the block directive at hand. */
typedef enum {
    UNREAD,
    READ,                          /* to its closing brace */
    BROKEN                         /* nobody knows where it ends */
} body_state;

/* A body that is lines for a callback, not directives. */
typedef struct {
    lun_conf_line_fn  *each;
    void              *data;
    bool               includes;
} line_mode;

struct lun_conf_reader {
    lun_lexer        *lexer;
    const line_mode  *lines;       /* NULL: directives */
    body_state        body;
    lun_array         words;       /* of lun_str: see the head of this file */
    lun_array         quoted;      /* of bool, beside it */
};

/* What a body changes and its end brings back. */
typedef struct {
    lun_lexer        *lexer;
    const line_mode  *lines;
    lun_block        *block;
    uint32_t          where;
    lun_str           file;
    unsigned          line;
    size_t            base;        /* of the words at hand */
    size_t            argc;
    lun_str           raw;
    unsigned          raw_line;
} saved_place;


static lun_conf_reader *
reader_of(lun_conf *cf)
{
    lun_conf_reader  *rd = cf->reader;

    if (rd != NULL) {
        return rd;
    }

    rd = cf->reader = lun_pool_new(cf->temp, lun_conf_reader);

    lun_array_init(&rd->words, cf->temp, sizeof(lun_str), 64);
    lun_array_init(&rd->quoted, cf->temp, sizeof(bool), 64);
    return rd;
}


static void
save_place(lun_conf *cf, saved_place *s)
{
    const lun_conf_reader  *rd = reader_of(cf);

    *s = (saved_place) {
        .lexer = rd->lexer,
        .lines = rd->lines,
        .block = cf->block,
        .where = cf->where,
        .file = cf->file,
        .line = cf->line,
        .base = rd->words.count - cf->argc,
        .argc = cf->argc,
        .raw = cf->raw,
        .raw_line = cf->raw_line,
    };
}


/* The words from `base` on are the arguments (the stack may have moved). */
static void
use_words(lun_conf *cf, size_t base)
{
    const lun_conf_reader  *rd = cf->reader;

    cf->argc = rd->words.count - base;
    cf->args = cf->argc != 0 ? lun_array_at(&rd->words, base) : NULL;
    cf->quoted = cf->argc != 0 ? lun_array_at(&rd->quoted, base) : NULL;
}


static void
drop_words(lun_conf *cf, size_t count)
{
    cf->reader->words.count = count;
    cf->reader->quoted.count = count;
}


static void
restore_place(lun_conf *cf, const saved_place *s)
{
    lun_conf_reader  *rd = cf->reader;

    rd->lexer = s->lexer;
    rd->lines = s->lines;
    cf->block = s->block;
    cf->where = s->where;
    cf->file = s->file;
    cf->line = s->line;
    cf->raw = s->raw;
    cf->raw_line = s->raw_line;

    drop_words(cf, s->base + s->argc);
    use_words(cf, s->base);
}


static void
push_word(lun_conf_reader *rd, const lun_token *token)
{
    *(lun_str *) lun_array_push(&rd->words) = token->text;
    *(bool *) lun_array_push(&rd->quoted) = token->quoted;
}


static void
fail_at_end(lun_conf *cf, body_kind kind, bool in_statement)
{
    if (in_statement && kind == IN_TEXT) {
        lun_conf_fail(cf, "unexpected end of parameter, expecting \";\"");

    } else if (in_statement) {
        lun_conf_fail(cf, "unexpected end of file, "
                      "expecting \";\" or \"}\"");
    } else {
        lun_conf_fail(cf, "unexpected end of file, expecting \"}\"");
    }
}


/* Checks the token that ends a statement or the body. */
static verdict
end_statement(lun_conf *cf, body_kind kind, const lun_token *token, bool words)
{
    switch (token->kind) {

    case LUN_LEX_SEMICOLON:
    case LUN_LEX_OPEN:
        if (words && kind == IN_TEXT && token->kind == LUN_LEX_OPEN) {
            lun_conf_fail(cf, "block directives are not supported "
                          "in -g option");
            return FAILED;
        }

        if (words) {
            return STATEMENT;
        }

        lun_conf_fail(cf, "unexpected \"%.*s\"", LUN_S(token->text));
        return FAILED;

    case LUN_LEX_CLOSE:
        if (!words && kind == IN_BLOCK) {
            return BODY_END;
        }

        lun_conf_fail(cf, "unexpected \"}\"");
        return FAILED;

    case LUN_LEX_END:
        if (!words && !token->quoted && kind != IN_BLOCK) {
            return BODY_END;
        }

        fail_at_end(cf, kind, words || token->quoted);
        return FAILED;

    default:
        lun_conf_fail(cf, "%s", token->error);
        return FAILED;
    }
}


/* Puts the next statement's words on the stack; *last says what ended it. */
static verdict
next_statement(lun_conf *cf, body_kind kind, lun_lex_kind *last)
{
    bool              words = false;
    size_t            base;
    lun_token         token;
    lun_conf_reader  *rd = cf->reader;

    base = rd->words.count;

    for ( ;; ) {
        lun_lex_next(rd->lexer, &token);

        if (!words) {
            cf->line = kind != IN_TEXT ? token.line : 0;
        }

        cf->end_line = kind != IN_TEXT ? token.end_line : 0;

        if (token.kind != LUN_LEX_WORD) {
            break;
        }

        push_word(rd, &token);
        words = true;
    }

    *last = token.kind;
    use_words(cf, base);

    return end_statement(cf, kind, &token, words);
}


static lun_rc
check_shape(lun_conf *cf, const lun_directive *d, lun_lex_kind last)
{
    size_t  n, min, max;

    n = cf->argc - 1;
    min = d->args != LUN_ARGS_ANY ? d->args : 0;
    max = d->args == LUN_ARGS_ANY || d->args_max == LUN_ARGS_ANY
          ? SIZE_MAX : lun_max(d->args, d->args_max);

    if (!d->block && last != LUN_LEX_SEMICOLON) {
        return lun_conf_fail(cf, "directive \"%.*s\" is not terminated "
                             "by \";\"", LUN_S(cf->args[0]));
    }

    if (d->block && last != LUN_LEX_OPEN) {
        return lun_conf_fail(cf, "directive \"%.*s\" has no opening \"{\"",
                             LUN_S(cf->args[0]));
    }

    if (n < min || n > max) {
        return lun_conf_fail(cf, "invalid number of arguments in \"%.*s\" "
                             "directive", LUN_S(cf->args[0]));
    }

    return LUN_OK;
}


static lun_rc
take_lua(lun_conf *cf)
{
    lun_rc      rc;
    lun_lexer  *lx = cf->reader->lexer;

    rc = lun_lex_lua_block(lx, &cf->raw, &cf->raw_line);
    cf->end_line = lx->line;

    if (rc != LUN_OK) {
        return lun_conf_fail(cf, "%s", lx->error);
    }

    return LUN_OK;
}


/* To the brace that closes a block of directives whose { was read. */
static lun_rc
skip_block(lun_conf *cf)
{
    bool        raw = false;
    size_t      depth = 1;
    unsigned    words = 0;
    lun_token   token;

    while (depth > 0) {
        lun_lex_next(cf->reader->lexer, &token);

        switch (token.kind) {

        case LUN_LEX_WORD:
            raw = words++ == 0 && lun_problem_is_lua(token.text);
            break;

        case LUN_LEX_OPEN:
            if (raw && take_lua(cf) != LUN_OK) {
                return LUN_ERROR;
            }

            depth += raw ? 0 : 1;
            words = 0;
            raw = false;
            break;

        case LUN_LEX_CLOSE:
            depth--;
            words = 0;
            break;

        case LUN_LEX_SEMICOLON:
            words = 0;
            break;

        default:
            cf->end_line = token.end_line;
            return lun_conf_fail(cf, "%s", token.kind == LUN_LEX_END
                                 ? "unexpected end of file, expecting \"}\""
                                 : token.error);
        }
    }

    return LUN_OK;
}


/*
 * A statement was refused, and that was reported.  Where all problems are
 * wanted, reading goes on behind it, its block included.
 */
static lun_rc
pass_over(lun_conf *cf, bool raw, lun_lex_kind last)
{
    lun_problems_add(cf);

    if (!cf->read_on) {
        return LUN_ERROR;
    }

    if (last != LUN_LEX_OPEN) {
        return LUN_OK;
    }

    return raw ? take_lua(cf) : skip_block(cf);
}


/* A setter failed: how much of the statement is left to be passed over? */
static lun_rc
setter_failed(lun_conf *cf, const lun_directive *d, size_t before)
{
    if (lun_problems_count(cf) == before) {
        lun_problems_add(cf);
    }

    if (!cf->read_on || (d->block && cf->reader->body == BROKEN)) {
        return LUN_ERROR;
    }

    return d->block && !d->raw && cf->reader->body == UNREAD ? skip_block(cf)
                                                             : LUN_OK;
}


/*
 * An error is reported and reading goes on behind the directive, so that -t
 * shows all that is wrong at once; where its block ends has to be known for
 * that, whatever was wrong with it.
 */
static lun_rc
run_entry(lun_conf *cf, const lun_schema_entry *e, lun_lex_kind last)
{
    size_t                before;
    const lun_directive  *d = e->directive;

    if (check_shape(cf, d, last) != LUN_OK) {
        return pass_over(cf, d->raw, last);
    }

    if (!d->repeats && lun_block_is_set(cf, cf->block, e)) {
        (void) lun_conf_fail(cf, "\"%.*s\" directive is duplicate",
                             LUN_S(cf->args[0]));
        return pass_over(cf, d->raw, last);
    }

    if (d->raw && take_lua(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    before = lun_problems_count(cf);
    cf->reader->body = UNREAD;

    if (cf->gen != NULL && cf->gen->zones != NULL) {
        lun_zone_place(cf->gen->zones, cf->file, cf->line);
    }

    if (d->set(cf, d, lun_block_mark(cf, cf->block, e)) != LUN_OK) {
        return setter_failed(cf, d, before);
    }

    return LUN_OK;
}


/* --- include --- */

static lun_rc read_body(lun_conf *cf, body_kind kind);


/* A text in the present block; cf->file and the lexer are put back. */
static lun_rc
read_in_place(lun_conf *cf, lun_str file, lun_str text, body_kind kind)
{
    lun_rc       rc;
    lun_lexer    lx;
    saved_place  saved;

    save_place(cf, &saved);

    lun_lex_init(&lx, text, cf->pool);
    cf->reader->lexer = &lx;
    cf->file = file;

    rc = read_body(cf, kind);

    restore_place(cf, &saved);
    return rc;
}


static lun_rc
include_file(lun_conf *cf, lun_str path)
{
    lun_rc    rc;
    lun_err   err;
    lun_str   text;
    unsigned  end_line = cf->end_line;

    err = lun_conf_load_file(cf, path, false, &text);

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "open() \"%.*s\" failed",
                                 LUN_S(path));
    }

    rc = read_in_place(cf, path, text, IN_FILE);
    cf->end_line = end_line;

    return rc;
}


static bool
is_pattern(lun_str path)
{
    return lun_str_chr(path, '*') != NULL || lun_str_chr(path, '?') != NULL
           || lun_str_chr(path, '[') != NULL;
}


/*
 * A pattern that matches nothing is fine, a name that is not there is an error,
 * as in nginx.
 */
static lun_rc
include(lun_conf *cf, lun_lex_kind last)
{
    size_t                      i;
    lun_str                     path;
    lun_conf_glob               glob;
    static const lun_directive  shape = { .name = "include", .args = 1 };

    if (check_shape(cf, &shape, last) != LUN_OK) {
        return LUN_ERROR;
    }

    path = lun_conf_path(cf, cf->args[1], true);

    if (!is_pattern(path)) {
        return include_file(cf, path);
    }

    if (lun_conf_load_glob(cf, path, &glob) != LUN_OK) {
        return LUN_ERROR;
    }

    for (i = 0; i < glob.count; i++) {
        if (include_file(cf, glob.paths[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* --- statements --- */

/*
 * One name may have several rows, for different levels: the first that may
 * stand here is taken.
 */
static lun_rc
run_directive(lun_conf *cf, lun_lex_kind last)
{
    bool                     raw;
    const lun_schema_entry  *e;

    if (lun_str_eq(cf->args[0], LUN_STR("include"))) {
        return include(cf, last) == LUN_OK ? LUN_OK
                                           : pass_over(cf, false,
                                                       LUN_LEX_SEMICOLON);
    }

    e = lun_schema_find(cf->schema, cf->args[0]);

    if (e == NULL) {
        (void) lun_conf_fail(cf, "unknown directive \"%.*s\"",
                             LUN_S(cf->args[0]));
        lun_problem_unknown(cf);
        return pass_over(cf, lun_problem_is_lua(cf->args[0]), last);
    }

    raw = e->directive->raw;

    while (e != NULL && (e->directive->where & cf->where) == 0) {
        e = e->next;
    }

    if (e == NULL) {
        (void) lun_conf_fail(cf, "\"%.*s\" directive is not allowed here",
                             LUN_S(cf->args[0]));
        return pass_over(cf, raw, last);
    }

    return run_entry(cf, e, last);
}


static lun_rc
run_line(lun_conf *cf, const line_mode *lines, lun_lex_kind last)
{
    if (last == LUN_LEX_OPEN) {
        return lun_conf_fail(cf, "unexpected \"{\"");
    }

    if (lines->includes && cf->argc == 2
        && lun_str_eq(cf->args[0], LUN_STR("include")))
    {
        return include(cf, last);
    }

    return lines->each(cf, lines->data) == LUN_OK
           ? LUN_OK : pass_over(cf, false, last);
}


/*
 * Words lie on one stack for all levels: those of this statement are dropped
 * when it was run, and the outer ones are in use again.
 */
static lun_rc
read_body(lun_conf *cf, body_kind kind)
{
    lun_rc            rc;
    size_t            base;
    verdict           v;
    lun_lex_kind      last;
    lun_conf_reader  *rd = cf->reader;

    if (cf->depth == MAX_DEPTH) {
        return lun_conf_fail(cf, "blocks and includes are nested too deep");
    }

    cf->depth++;
    base = rd->words.count;

    do {
        v = next_statement(cf, kind, &last);
        rc = v == FAILED ? LUN_ERROR : LUN_OK;

        if (v == STATEMENT) {
            rc = rd->lines != NULL ? run_line(cf, rd->lines, last)
                                   : run_directive(cf, last);
        }

        drop_words(cf, base);
        use_words(cf, base);

    } while (v == STATEMENT && rc == LUN_OK);

    cf->depth--;
    return rc;
}


/* A block's body.  ERROR also for one that has a problem in it. */
static lun_rc
read_inner(lun_conf *cf)
{
    size_t  before = lun_problems_count(cf);
    lun_rc  rc = read_body(cf, IN_BLOCK);

    cf->reader->body = rc == LUN_OK ? READ : BROKEN;
    return lun_problems_count(cf) == before ? rc : LUN_ERROR;
}


lun_rc
lun_conf_read_file(lun_conf *cf, lun_str path, lun_block *top)
{
    lun_rc  rc;

    reader_of(cf);

    cf->block = top;
    cf->where = top->where;

    rc = include_file(cf, lun_pool_fmt(cf->pool, "%.*s", LUN_S(path)));

    return lun_problems_count(cf) == 0 ? rc : LUN_ERROR;
}


lun_rc
lun_conf_read_text(lun_conf *cf, lun_str text, lun_block *top)
{
    reader_of(cf);

    cf->block = top;
    cf->where = top->where;

    return read_in_place(cf, LUN_STR("command line"),
                         lun_pool_str(cf->pool, text), IN_TEXT);
}


lun_rc
lun_conf_read_block(lun_conf *cf, uint32_t where, void *owner,
    lun_block **block)
{
    lun_rc       rc;
    saved_place  saved;

    *block = lun_block_new(cf, cf->block, where);
    (*block)->owner = owner;

    save_place(cf, &saved);

    cf->reader->lines = NULL;
    cf->block = *block;
    cf->where = where;
    rc = read_inner(cf);

    restore_place(cf, &saved);
    return rc;
}


lun_rc
lun_conf_read_lines(lun_conf *cf, lun_conf_line_fn *each, void *data,
    bool includes)
{
    lun_rc       rc;
    line_mode    lines = { each, data, includes };
    saved_place  saved;

    save_place(cf, &saved);

    cf->reader->lines = &lines;
    rc = read_inner(cf);

    restore_place(cf, &saved);
    return rc;
}


lun_str
lun_conf_path(const lun_conf *cf, lun_str path, bool to_conf_folder)
{
    lun_str  base = to_conf_folder ? cf->conf_prefix : cf->prefix;

    if (lun_path_is_absolute(path, lun_path_native)) {
        base = LUN_STR("");
    }

    return lun_pool_fmt(cf->pool, "%.*s%.*s", LUN_S(base), LUN_S(path));
}
