/*
 * read.c -- from text to directives: statements, blocks, includes.
 *
 * The words of the statement at hand lie on a stack; a block's inner
 * statements lie above its own words, so that its setter still has them when
 * the block is read.  Each file is read once, however often it is included,
 * and so is each pattern: what was read is the snapshot, and reading from a
 * snapshot takes both from there and never asks the disk.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/schema_priv.h"

#include "base/check.h"
#include "config/lex.h"
#include "os/dir.h"
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

/* A body that is lines for a callback, not directives. */
typedef struct {
    lun_conf_line_fn  *each;
    void              *data;
    bool               includes;
} line_mode;

struct lun_conf_reader {
    lun_lexer        *lexer;
    const line_mode  *lines;       /* NULL: directives */
    lun_array         words;       /* of lun_str: see the head of this file */
    lun_array         quoted;      /* of bool, beside it */
    lun_hash          files;       /* path -> index in cf->files, plus one */
    lun_hash          globs;       /* pattern -> the same in cf->globs */
    lun_hash          old_files;   /* path -> lun_conf_file of the snapshot */
    lun_hash          old_globs;
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


static void
load_snapshot(lun_conf_reader *rd, const lun_conf_snapshot *s)
{
    size_t  i;

    for (i = 0; i < s->file_count; i++) {
        lun_hash_add(&rd->old_files, s->files[i].path, &s->files[i]);
    }

    for (i = 0; i < s->glob_count; i++) {
        lun_hash_add(&rd->old_globs, s->globs[i].pattern, &s->globs[i]);
    }
}


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
    lun_hash_init(&rd->files, cf->temp, 0, false);
    lun_hash_init(&rd->globs, cf->temp, 0, false);
    lun_hash_init(&rd->old_files, cf->temp, 0, false);
    lun_hash_init(&rd->old_globs, cf->temp, 0, false);

    lun_array_init(&cf->files, cf->pool, sizeof(lun_conf_file), 4);
    lun_array_init(&cf->globs, cf->pool, sizeof(lun_conf_glob), 0);

    if (cf->snapshot != NULL) {
        load_snapshot(rd, cf->snapshot);
    }

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


static lun_rc
run_entry(lun_conf *cf, const lun_schema_entry *e, lun_lex_kind last)
{
    const lun_directive  *d = e->directive;

    if (check_shape(cf, d, last) != LUN_OK) {
        return LUN_ERROR;
    }

    if (!d->repeats && lun_block_is_set(cf, cf->block, e)) {
        return lun_conf_fail(cf, "\"%.*s\" directive is duplicate",
                             LUN_S(cf->args[0]));
    }

    if (d->raw && take_lua(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    return d->set(cf, d, lun_block_mark(cf, cf->block, e));
}


/* --- include --- */

/* Whether the disk is not to be asked. */
static bool
is_whole(const lun_conf_snapshot *s)
{
    return s != NULL && !s->partial;
}


static lun_err
load_file(lun_conf *cf, lun_str path, bool asset, lun_str *text)
{
    char                 *data;
    size_t                at, size;
    lun_err               err;
    lun_conf_file        *file;
    lun_conf_reader      *rd = reader_of(cf);
    const lun_conf_file  *old;

    at = (size_t) (uintptr_t) lun_hash_get(&rd->files, path);

    if (at != 0) {
        file = lun_array_at(&cf->files, at - 1);
        file->asset = file->asset && asset;
        *text = file->text;
        return 0;
    }

    old = lun_hash_get(&rd->old_files, path);

    if (old != NULL) {
        err = 0;
        *text = old->text;

    } else if (is_whole(cf->snapshot)) {
        err = lun_err_of_kind(LUN_ERR_NOT_FOUND);

    } else {
        err = lun_file_slurp(path.data, &data, &size);

        if (err == 0) {
            lun_pool_on_end(cf->pool, lun_free, data);
            *text = lun_str_of(data, size);
        }
    }

    if (err != 0) {
        return err;
    }

    file = lun_array_push(&cf->files);
    file->path = path;
    file->text = *text;
    file->asset = asset;
    lun_hash_add(&rd->files, path, (void *) (uintptr_t) cf->files.count);

    return 0;
}


lun_err
lun_conf_asset(lun_conf *cf, lun_str path, lun_str *text)
{
    return load_file(cf, path, true, text);
}


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

    err = load_file(cf, path, false, &text);

    if (err != 0) {
        return lun_conf_fail_err(cf, err, "open() \"%.*s\" failed",
                                 LUN_S(path));
    }

    rc = read_in_place(cf, path, text, IN_FILE);
    cf->end_line = end_line;

    return rc;
}


typedef struct {
    lun_pool   *pool;
    lun_array   paths;
} glob_result;


static bool
on_match(void *data, const char *path, bool is_dir)
{
    glob_result  *result = data;
    lun_str       s = lun_str_z(path);

    if (!is_dir) {
        *(lun_str *) lun_array_push(&result->paths) =
            lun_str_of(lun_pool_strz(result->pool, s), s.len);
    }

    return true;
}


static lun_rc
load_glob(lun_conf *cf, lun_str pattern, lun_conf_glob *glob)
{
    size_t                at;
    lun_err               err;
    glob_result           result = { .pool = cf->pool };
    lun_conf_reader      *rd = cf->reader;
    const lun_conf_glob  *old;

    at = (size_t) (uintptr_t) lun_hash_get(&rd->globs, pattern);

    if (at != 0) {
        *glob = *(lun_conf_glob *) lun_array_at(&cf->globs, at - 1);
        return LUN_OK;
    }

    *glob = (lun_conf_glob) { .pattern = pattern };

    old = lun_hash_get(&rd->old_globs, pattern);

    if (old != NULL) {
        *glob = *old;

    } else if (!is_whole(cf->snapshot)) {
        lun_array_init(&result.paths, cf->pool, sizeof(lun_str), 0);
        err = lun_dir_glob(pattern.data, on_match, &result);

        if (err != 0) {
            return lun_conf_fail_err(cf, err, "glob() \"%.*s\" failed",
                                     LUN_S(pattern));
        }

        glob->paths = result.paths.items;
        glob->count = result.paths.count;
    }

    *(lun_conf_glob *) lun_array_push(&cf->globs) = *glob;
    lun_hash_add(&rd->globs, pattern, (void *) (uintptr_t) cf->globs.count);

    return LUN_OK;
}


static bool
is_pattern(lun_str path)
{
    return lun_str_chr(path, '*') != NULL || lun_str_chr(path, '?') != NULL
           || lun_str_chr(path, '[') != NULL;
}


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

    if (load_glob(cf, path, &glob) != LUN_OK) {
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

static lun_rc
run_directive(lun_conf *cf, lun_lex_kind last)
{
    const lun_schema_entry  *e;

    if (lun_str_eq(cf->args[0], LUN_STR("include"))) {
        return include(cf, last);
    }

    e = lun_schema_find(cf->schema, cf->args[0]);

    if (e == NULL) {
        return lun_conf_fail(cf, "unknown directive \"%.*s\"",
                             LUN_S(cf->args[0]));
    }

    while (e != NULL && (e->directive->where & cf->where) == 0) {
        e = e->next;
    }

    if (e == NULL) {
        return lun_conf_fail(cf, "\"%.*s\" directive is not allowed here",
                             LUN_S(cf->args[0]));
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

    return lines->each(cf, lines->data);
}


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


lun_rc
lun_conf_read_file(lun_conf *cf, lun_str path, lun_block *top)
{
    reader_of(cf);

    cf->block = top;
    cf->where = top->where;

    return include_file(cf, lun_pool_fmt(cf->pool, "%.*s", LUN_S(path)));
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
    rc = read_body(cf, IN_BLOCK);

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
    rc = read_body(cf, IN_BLOCK);

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
