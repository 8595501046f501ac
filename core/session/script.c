/*
 * script.c -- "text with $variables and $1": a list of pieces, joined per
 * request.
 *
 * Two frequent shapes cost nothing: text without variables, and a lone
 * variable, whose value is handed out as it is.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/script.h"

#include "format/uri.h"
#include "session/pattern.h"


typedef enum {
    TEXT,
    VARIABLE,
    CAPTURE
} piece_kind;

typedef struct {
    piece_kind  kind;
    unsigned    index;             /* of the variable or group */
    lun_str     text;
} piece;

struct lun_script {
    lun_str    source;
    lun_str    constant;           /* with a zero byte, when count is 0 */
    piece     *pieces;
    size_t     count;              /* 0: it is constant */
};


static bool
is_name_char(char c)
{
    return (lun_lower(c) >= 'a' && lun_lower(c) <= 'z') || lun_is_digit(c)
           || c == '_';
}


bool
lun_script_has_variables(lun_str text)
{
    return lun_str_chr(text, '$') != NULL;
}


/* What a $ begins: fills the piece, returns where it ends; NULL: reported. */
static const char *
read_name(lun_conf *cf, lun_str text, const char *p, piece *out)
{
    bool         braces = false;
    const char  *end, *name;

    end = text.data + text.len;

    if (++p != end && *p >= '1' && *p <= '9') {
        out->kind = CAPTURE;
        out->index = (unsigned) (*p - '0');
        return p + 1;
    }

    if (p != end && *p == '{') {
        braces = true;
        p++;
    }

    for (name = p; p != end && is_name_char(*p); p++) { /* void */ }

    out->text = lun_str_of(name, (size_t) (p - name));

    if (braces && (p == end || *p++ != '}')) {
        (void) lun_conf_fail(cf, "the closing bracket in \"%.*s\" variable "
                             "is missing", LUN_S(out->text));
        return NULL;
    }

    if (out->text.len == 0) {
        (void) lun_conf_fail(cf, "invalid variable name");
        return NULL;
    }

    if (lun_var_constant(cf, out->text, &out->text)) {
        out->kind = TEXT;
        return p;
    }

    out->kind = VARIABLE;
    out->index = lun_var_index(cf, out->text);

    return out->index != 0 ? p : NULL;
}


/*
 * Text and variables in turn; a lone text is no script at all, which the caller
 * looks for.
 */
static lun_rc
compile(lun_conf *cf, lun_array *pieces, lun_str text)
{
    piece       *next;
    const char  *p, *end, *dollar;

    end = text.data + text.len;

    for (p = text.data; p != end; ) {
        dollar = memchr(p, '$', (size_t) (end - p));

        if (dollar != p) {
            next = lun_array_push(pieces);
            next->kind = TEXT;
            next->text = lun_str_of(p, (size_t) ((dollar ? dollar : end) - p));
        }

        if (dollar == NULL) {
            break;
        }

        p = read_name(cf, text, dollar, lun_array_push(pieces));

        if (p == NULL) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* Whether no piece of it depends on a request: *text is all of them. */
static bool
is_constant(lun_conf *cf, const lun_array *pieces, lun_str *text)
{
    char         *p;
    size_t        i, len = 0;
    const piece  *one = pieces->items;

    for (i = 0; i < pieces->count; i++) {
        if (one[i].kind != TEXT) {
            return false;
        }

        len += one[i].text.len;
    }

    p = lun_pool_text(cf->pool, len + 1);
    *text = lun_str_of(p, len);

    for (i = 0; i < pieces->count; i++) {
        p = lun_copy_str(p, one[i].text);
    }

    *p = '\0';
    return true;
}


lun_script *
lun_script_new(lun_conf *cf, lun_str text)
{
    lun_array    pieces;
    lun_script  *script = lun_pool_new(cf->pool, lun_script);

    script->source = text;

    if (!lun_script_has_variables(text)) {
        script->constant = lun_str_of(lun_pool_strz(cf->pool, text), text.len);
        return script;
    }

    lun_array_init(&pieces, cf->pool, sizeof(piece), 4);

    if (compile(cf, &pieces, text) != LUN_OK) {
        return NULL;
    }

    if (is_constant(cf, &pieces, &script->constant)) {
        return script;
    }

    script->pieces = pieces.items;
    script->count = pieces.count;

    return script;
}


lun_str
lun_script_text(const lun_script *script)
{
    return script->count == 0 ? script->constant : script->source;
}


static lun_str
value_of(lun_session *s, const piece *p)
{
    switch (p->kind) {

    case TEXT:
        return p->text;

    case VARIABLE:
        return lun_var_get_fresh(s, p->index)->text;

    default:
        return lun_capture(s, p->index);
    }
}


static lun_str
escape(lun_session *s, lun_str value)
{
    char    *text;
    size_t   len = lun_uri_escaped_len(value, LUN_ESCAPE_ARGS);

    if (len == value.len) {
        return value;
    }

    text = lun_pool_text(s->pool, len);
    (void) lun_uri_escape(text, value, LUN_ESCAPE_ARGS);

    return lun_str_of(text, len);
}


/* The pieces' values in a row, with a zero byte that is not counted. */
static lun_str
join(lun_session *s, const lun_script *script, bool escaped)
{
    char     *text, *p;
    size_t    i, len = 0;
    lun_str   few[8], *values = few;

    if (script->count > LUN_ARRAY_LEN(few)) {
        values = lun_pool_alloc(s->pool, script->count * sizeof(lun_str));
    }

    for (i = 0; i < script->count; i++) {
        values[i] = value_of(s, &script->pieces[i]);

        if (escaped && script->pieces[i].kind == CAPTURE) {
            values[i] = escape(s, values[i]);
        }

        len += values[i].len;
    }

    p = text = lun_pool_text(s->pool, len + 1);

    for (i = 0; i < script->count; i++) {
        p = lun_copy_str(p, values[i]);
    }

    *p = '\0';
    return lun_str_of(text, len);
}


lun_str
lun_script_run(lun_session *s, const lun_script *script)
{
    if (script->count == 0) {
        return script->constant;
    }

    return script->count == 1 ? value_of(s, script->pieces)
                              : join(s, script, false);
}


lun_str
lun_script_run_escaped(lun_session *s, const lun_script *script)
{
    return script->count == 0 ? script->constant : join(s, script, true);
}


lun_rc
lun_set_script(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_script  *script = lun_script_new(cf, cf->args[1]);

    *(lun_script **) (void *) ((char *) conf + d->field) = script;
    return script != NULL ? LUN_OK : LUN_ERROR;
}


lun_rc
lun_set_size_script(lun_conf *cf, const lun_directive *d, void *conf)
{
    uint64_t  n;

    if (!lun_script_has_variables(cf->args[1])
        && lun_str_to_size(cf->args[1], &n) != LUN_OK)
    {
        return lun_conf_bad_value(cf);
    }

    return lun_set_script(cf, d, conf);
}


lun_array *
lun_scripts_new(lun_conf *cf)
{
    size_t       i;
    lun_array   *scripts = lun_array_new(cf->pool, sizeof(lun_script *),
                                         cf->argc - 1);
    lun_script  *script;

    for (i = 1; i < cf->argc; i++) {
        script = lun_script_new(cf, cf->args[i]);

        if (script == NULL) {
            return NULL;
        }

        *(lun_script **) lun_array_push(scripts) = script;
    }

    return scripts;
}


lun_rc
lun_set_scripts(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t        i;
    lun_array   **field = (lun_array **) (void *) ((char *) conf + d->field);
    lun_script  **s;

    if (*field == NULL) {
        *field = lun_array_new(cf->pool, sizeof(lun_script *), 2);
    }

    for (i = 1; i < cf->argc; i++) {
        s = lun_array_push(*field);
        *s = lun_script_new(cf, cf->args[i]);

        if (*s == NULL) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static bool
is_true(lun_session *s, const lun_array *scripts, size_t i)
{
    lun_script  *script = *(lun_script **) lun_array_at(scripts, i);

    return lun_script_true(lun_script_run(s, script));
}


bool
lun_scripts_any(lun_session *s, const lun_array *scripts)
{
    size_t  i;

    for (i = 0; scripts != NULL && i < scripts->count; i++) {
        if (is_true(s, scripts, i)) {
            return true;
        }
    }

    return false;
}


bool
lun_scripts_all(lun_session *s, const lun_array *scripts)
{
    size_t  i;

    for (i = 0; scripts != NULL && i < scripts->count; i++) {
        if (!is_true(s, scripts, i)) {
            return false;
        }
    }

    return true;
}
