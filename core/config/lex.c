/*
 * lex.c -- nginx.conf as tokens.
 *
 * One pass, no look-behind: a word is a view into the text, and only one with
 * an escape that means something is copied.  What a Lua block contains is not
 * understood, only how Lua writes strings and comments, since a brace in one
 * of those closes nothing.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/lex.h"


/* nginx's buffer: what does not fit there is an error, most often a quote. */
enum { WORD_MAX_LEN = 4096, WORD_SHOWN = 10 };


void
lun_lex_init(lun_lexer *lx, lun_str text, lun_pool *pool)
{
    (void) lun_str_after(text, LUN_STR("\xef\xbb\xbf"), &text);

    *lx = (lun_lexer) {
        .pos = text.data,
        .end = text.data + text.len,
        .line = 1,
        .pool = pool,
    };
}


static inline bool
is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}


/* To the newline, which is left, or to the end. */
static void
skip_line(lun_lexer *lx)
{
    const char  *p;

    p = memchr(lx->pos, '\n', (size_t) (lx->end - lx->pos));
    lx->pos = p != NULL ? p : lx->end;
}


static void
skip_blank(lun_lexer *lx)
{
    while (lx->pos < lx->end) {

        if (*lx->pos == '#') {
            skip_line(lx);

        } else if (is_space(*lx->pos)) {
            lx->line += *lx->pos == '\n';
            lx->pos++;

        } else {
            return;
        }
    }
}


/* Takes the byte after a backslash as well. */
static void
skip_escape(lun_lexer *lx)
{
    lx->pos++;

    if (lx->pos < lx->end) {
        lx->line += *lx->pos == '\n';
        lx->pos++;
    }
}


static bool
is_escape(char c, char *means)
{
    switch (c) {
    case '"':
    case '\'':
    case '\\':
        *means = c;
        return true;
    case 't':
        *means = '\t';
        return true;
    case 'r':
        *means = '\r';
        return true;
    case 'n':
        *means = '\n';
        return true;
    default:
        return false;
    }
}


/* A backslash before anything else stays: regular expressions live of it. */
static lun_str
unescape(lun_str word, lun_pool *pool)
{
    char        *text, *q, means;
    const char  *p, *end;

    text = q = lun_pool_text(pool, word.len);
    end = word.data + word.len;

    for (p = word.data; p < end; p++) {
        if (*p == '\\' && p + 1 < end && is_escape(p[1], &means)) {
            *q++ = means;
            p++;

        } else {
            *q++ = *p;
        }
    }

    return lun_str_of(text, (size_t) (q - text));
}


static void
bad(lun_token *token, unsigned line, const char *error)
{
    token->kind = LUN_LEX_BAD;
    token->error = error;
    token->end_line = line;
}


static void
finish_word(lun_lexer *lx, lun_token *token, const char *start, bool escaped)
{
    token->kind = LUN_LEX_WORD;
    token->text = lun_str_of(start, (size_t) (lx->pos - start));
    token->end_line = lx->line;

    if (escaped) {
        token->text = unescape(token->text, lx->pool);
    }
}


/* A quoted word ends at a space, or where a directive or a bracket ends. */
static bool
ends_quoted(const lun_lexer *lx)
{
    return lx->pos == lx->end || is_space(*lx->pos)
           || *lx->pos == ';' || *lx->pos == '{' || *lx->pos == ')';
}


/*
 * A quote that is never closed would swallow the rest of the file: the limit of
 * a word finds that near its beginning, and the message names the line on which
 * it started.
 */
static void
take_quoted(lun_lexer *lx, lun_token *token)
{
    bool         escaped = false;
    char         quote = *lx->pos++;
    const char  *start = lx->pos;

    token->quoted = true;

    while (lx->pos < lx->end && *lx->pos != quote) {

        if (lx->pos - start >= WORD_MAX_LEN) {
            bad(token, token->line,
                lun_pool_fmt(lx->pool, "too long parameter, probably missing "
                             "terminating \"%c\" character", quote).data);
            return;
        }

        if (*lx->pos == '\\') {
            escaped = true;
            skip_escape(lx);

        } else {
            lx->line += *lx->pos == '\n';
            lx->pos++;
        }
    }

    if (lx->pos == lx->end) {
        token->kind = LUN_LEX_END;
        token->end_line = lx->line;
        return;
    }

    finish_word(lx, token, start, escaped);
    lx->pos++;

    if (!ends_quoted(lx)) {
        bad(token, lx->line,
            lun_pool_fmt(lx->pool, "unexpected \"%c\"", *lx->pos).data);
    }
}


/*
 * "${" does not open a block: a brace directly behind a dollar belongs to the
 * word.
 */
static void
take_word(lun_lexer *lx, lun_token *token)
{
    char         c;
    bool         dollar = false, escaped = false;
    const char  *start = lx->pos;

    while (lx->pos < lx->end) {
        c = *lx->pos;

        if (is_space(c) || c == ';' || (c == '{' && !dollar)) {
            break;
        }

        if (lx->pos - start >= WORD_MAX_LEN) {
            bad(token, token->line,
                lun_pool_fmt(lx->pool, "too long parameter \"%.*s...\" "
                             "started", WORD_SHOWN, start).data);
            return;
        }

        if (c == '\\') {
            dollar = false;
            escaped = true;
            skip_escape(lx);
            continue;
        }

        dollar = c == '$' || c == '{';
        lx->pos++;
    }

    finish_word(lx, token, start, escaped);
}


static void
take_mark(lun_lexer *lx, lun_token *token, lun_lex_kind kind)
{
    token->kind = kind;
    token->text = lun_str_of(lx->pos, 1);
    lx->pos++;
}


void
lun_lex_next(lun_lexer *lx, lun_token *token)
{
    skip_blank(lx);

    *token = (lun_token) {
        .kind = LUN_LEX_END,
        .line = lx->line,
        .end_line = lx->line,
    };

    if (lx->pos == lx->end) {
        return;
    }

    switch (*lx->pos) {
    case ';':
        take_mark(lx, token, LUN_LEX_SEMICOLON);
        return;
    case '{':
        take_mark(lx, token, LUN_LEX_OPEN);
        return;
    case '}':
        take_mark(lx, token, LUN_LEX_CLOSE);
        return;
    case '"':
    case '\'':
        take_quoted(lx, token);
        return;
    default:
        take_word(lx, token);
        return;
    }
}


/*
 * At a [ : the number of = in an opening long bracket, with *len its bytes;
 * -1 if it is none.
 */
static int
long_bracket(const lun_lexer *lx, size_t *len)
{
    const char  *p;

    for (p = lx->pos + 1; p < lx->end && *p == '='; p++) { /* void */ }

    if (p == lx->end || *p != '[') {
        return -1;
    }

    *len = (size_t) (p + 1 - lx->pos);
    return (int) (*len - 2);
}


static const char *
missing_bracket(const lun_lexer *lx, int level)
{
    size_t  i;
    char    signs[WORD_SHOWN * 4];

    level = lun_min(level, (int) sizeof(signs) - 1);

    for (i = 0; i < (size_t) level; i++) {
        signs[i] = '=';
    }

    return lun_pool_fmt(lx->pool, "Lua code block missing the closing long "
                        "bracket \"]%.*s]\", the inlined Lua code may be too "
                        "long", level, signs).data;
}


/* At the [ of a long bracket of that level: behind the one that closes it. */
static lun_rc
skip_long(lun_lexer *lx, int level, size_t len)
{
    int          n;
    unsigned     lines = 0;
    const char  *p, *q;

    for (p = lx->pos + len; p < lx->end; p++) {
        lines += *p == '\n';

        if (*p != ']') {
            continue;
        }

        for (q = p + 1, n = 0; q < lx->end && *q == '='; q++) {
            n++;
        }

        if (n == level && q < lx->end && *q == ']') {
            lx->pos = q + 1;
            lx->line += lines;
            return LUN_OK;
        }

        p = q - 1;
    }

    lx->error = missing_bracket(lx, level);
    return LUN_ERROR;
}


/* A string that the line's end cuts off is an error that Lua will report. */
static void
skip_string(lun_lexer *lx)
{
    char  quote = *lx->pos++;

    while (lx->pos < lx->end && *lx->pos != '\n') {

        if (*lx->pos == quote) {
            lx->pos++;
            return;
        }

        if (*lx->pos == '\\') {
            skip_escape(lx);

        } else {
            lx->pos++;
        }
    }
}


/* At a [ : over a whole long bracket, or over the [ that is not one. */
static lun_rc
skip_bracket(lun_lexer *lx)
{
    int     level;
    size_t  len;

    level = long_bracket(lx, &len);

    if (level >= 0) {
        return skip_long(lx, level, len);
    }

    lx->pos++;
    return LUN_OK;
}


static lun_rc
skip_dash(lun_lexer *lx)
{
    size_t  len;

    lx->pos++;

    if (lx->pos == lx->end || *lx->pos != '-') {
        return LUN_OK;
    }

    lx->pos++;

    if (lx->pos < lx->end && *lx->pos == '[' && long_bracket(lx, &len) >= 0) {
        return skip_bracket(lx);
    }

    skip_line(lx);
    return LUN_OK;
}


/* One step over what is neither a brace nor the end. */
static lun_rc
skip_lua(lun_lexer *lx)
{
    switch (*lx->pos) {
    case '"':
    case '\'':
        skip_string(lx);
        return LUN_OK;
    case '-':
        return skip_dash(lx);
    case '[':
        return skip_bracket(lx);
    case '\n':
        lx->line++;
        lx->pos++;
        return LUN_OK;
    default:
        lx->pos++;
        return LUN_OK;
    }
}


/*
 * Braces are counted, but not those in strings, long brackets and comments of
 * Lua, which skip_lua() passes over.
 */
lun_rc
lun_lex_lua_block(lun_lexer *lx, lun_str *text, unsigned *first_line)
{
    size_t       depth = 1;
    const char  *start = lx->pos;

    *first_line = lx->line;

    while (lx->pos < lx->end) {

        if (*lx->pos == '{') {
            depth++;
            lx->pos++;
            continue;
        }

        if (*lx->pos == '}') {
            lx->pos++;

            if (--depth == 0) {
                *text = lun_str_of(start, (size_t) (lx->pos - 1 - start));
                return LUN_OK;
            }

            continue;
        }

        if (skip_lua(lx) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    lx->error = "unexpected end of file, expecting terminating characters "
                "for lua code block";
    return LUN_ERROR;
}
