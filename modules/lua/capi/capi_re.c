/*
 * capi_re.c -- regular expressions and templates of what replaces their
 * matches, as lua-resty-core declares them.
 *
 * An expression is one block of memory with its captures and its table of
 * names behind it; a template is a list of texts and numbers of groups.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi_objects.h"

#include <ctype.h>

#include "base/fmt.h"
#include "modules/lua/run/vm.h"
#include "session/regex.h"

/* PCRE's own numbers, which callers know: those of PCRE2, or of the first. */
static const struct {
    uint32_t  second, first;
    unsigned  ours;
} pcre_options[] = {
    { 0x00000008, 0x00000001, LUN_REGEX_CASELESS },
    { 0x00000400, 0x00000002, LUN_REGEX_MULTILINE },
    { 0x00000020, 0x00000004, LUN_REGEX_DOTALL },
    { 0x00000080, 0x00000008, LUN_REGEX_EXTENDED },
    { 0x80000000, 0x00000010, LUN_REGEX_ANCHORED },
    { 0x00080000, 0x00000800, LUN_REGEX_UTF },
    { 0x00000040, 0x00080000, LUN_REGEX_DUPNAMES },
    { 0x00000202, 0x02000000, LUN_REGEX_JAVASCRIPT }
};

enum { FLAG_DFA = 0x02, FLAG_JIT = 0x04, FLAG_NO_UTF8_CHECK = 0x10 };

/* Groups that a template may name. */
enum { GROUP_MOST = 999, ERROR_ROOM = 256 };

/* A text, or (data NULL) a group. */
typedef struct {
    lun_str  text;
    int      group;
} piece;

typedef struct {
    lun_capi_template  head;       /* .lengths: pieces; NULL: all is text */
    size_t             count;
    piece              pieces[];
} template;

struct lun_capi_script {
    const char         *subject;
    const lun_capi_re  *re;
    int                 count;     /* as exec_regex() returned it */
};


/* --- expressions --- */

static unsigned
options_of(int flags, uint32_t options)
{
    size_t    i;
    uint32_t  bits;
    unsigned  out = 0;
    bool      first = lun_lua_now.ctx != NULL && lun_lua_now.ctx->vm->pcre1;

    for (i = 0; i < LUN_ARRAY_LEN(pcre_options); i++) {
        bits = first ? pcre_options[i].first : pcre_options[i].second;
        out |= (options & bits) == bits ? pcre_options[i].ours : 0;
    }

    out |= flags & FLAG_DFA ? LUN_REGEX_DFA : 0;
    out |= flags & FLAG_JIT ? LUN_REGEX_JIT : 0;
    out |= flags & FLAG_NO_UTF8_CHECK ? LUN_REGEX_NO_UTF_CHECK : 0;

    return out;
}


/* The number of a group in two bytes, its name, a zero byte. */
static void
fill_names(lun_capi_re *re, const lun_regex *regex, unsigned char *p)
{
    int      i, group;
    lun_str  name;

    re->name_table = p;

    for (i = 0; i < re->name_count; i++, p += re->name_entry_size) {
        name = lun_regex_name(regex, i, &group);
        p[0] = (unsigned char) (group >> 8);
        p[1] = (unsigned char) group;
        memcpy(p + 2, name.data, name.len);
    }
}


static int
entry_size(const lun_regex *regex, int names)
{
    int     i, group;
    size_t  longest = 0;

    for (i = 0; i < names; i++) {
        longest = lun_max(longest, lun_regex_name(regex, i, &group).len);
    }

    return (int) longest + 3;
}


/*
 * One allocation with captures and names behind it, where lua-resty-core's own
 * struct has pointers to look for them.
 */
lun_capi_re *
ngx_http_lua_ffi_compile_regex(const char *pat, size_t pat_len, int flags,
    int pcre_opts, char *errstr, size_t errstr_size)
{
    char          text[ERROR_ROOM], *p, *end = errstr + errstr_size - 1;
    bool          dfa = (flags & FLAG_DFA) != 0;
    size_t        at = 0, room;
    lun_regex    *regex;
    lun_capi_re  *re;
    lun_capi_re   all = { 0 };

    regex = lun_regex_new(NULL, lun_str_of(pat, pat_len),
                          options_of(flags, (uint32_t) pcre_opts)
                          | LUN_REGEX_SCRIPT, text, sizeof(text), &at);

    if (regex == NULL) {
        p = lun_fmt(errstr, end, "pcre2_compile() failed: %s in \"%.*s\"",
                    text, (int) pat_len, pat);

        if (at < pat_len) {
            p = lun_fmt(p, end, " at \"%.*s\"", (int) (pat_len - at),
                        pat + at);
        }

        *p = '\0';
        return NULL;
    }

    all.regex = regex;
    all.ncaptures = dfa ? 0 : lun_regex_groups(regex);
    all.name_count = dfa ? 0 : lun_regex_names(regex);
    all.name_entry_size = entry_size(regex, all.name_count);
    room = ((size_t) all.ncaptures + 1) * 3 * sizeof(int);

    re = lun_calloc(sizeof(lun_capi_re) + room
                    + (size_t) all.name_count * (size_t) all.name_entry_size);
    *re = all;
    re->captures = (int *) (void *) (re + 1);
    fill_names(re, regex, (unsigned char *) (re + 1) + room);
    re->dfa = dfa;

    return re;
}


/* PCRE2's codes: the number of groups that took part, -1: no match. */
int
ngx_http_lua_ffi_exec_regex(lun_capi_re *re, int flags, const char *s,
    size_t len, int pos)
{
    int      rc;
    lun_str  subject = lun_str_of(s, len);

    if (pos < 0 || (size_t) pos > len) {
        return LUN_REGEX_NO_MATCH;
    }

    rc = re->dfa
         ? lun_regex_match_dfa(re->regex, subject, (size_t) pos,
                               re->captures, 1)
         : lun_regex_match(re->regex, subject, (size_t) pos, re->captures,
                           re->ncaptures + 1);

    return rc < LUN_REGEX_NO_MATCH ? lun_regex_last_error() : rc;
}


void
ngx_http_lua_ffi_destroy_regex(lun_capi_re *re)
{
    if (re == NULL) {
        return;
    }

    lun_regex_free(re->regex);
    lun_free(re->replace);
    lun_free(re);
}


uint32_t
ngx_http_lua_ffi_max_regex_cache_size(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return ctx == NULL ? 1024
           : (uint32_t) ctx->main->top->block.regex_cache_max_entries;
}


int
ngx_http_lua_ffi_set_jit_stack_size(int size, char *errstr,
    size_t *errstr_size)
{
    lun_regex_set_script_stack((size_t) lun_max(size, 0));
    return LUN_CAPI_OK;
}


const char *
ngx_http_lua_ffi_pcre_version(void)
{
    return lun_regex_version();
}


/* --- templates --- */

/* "$1", "${12}" at p; returns what is behind, NULL: it is none of these. */
static const char *
read_group(const char *p, const char *end, int *group)
{
    int   n = 0;
    bool  brace = p < end && *p == '{';

    p += brace;

    if (p == end || !lun_is_digit(*p)) {
        return NULL;
    }

    while (p < end && lun_is_digit(*p) && n <= GROUP_MOST) {
        n = n * 10 + (*p++ - '0');
    }

    if (n > GROUP_MOST || (brace && (p == end || *p++ != '}'))) {
        return NULL;
    }

    *group = n;
    return p;
}


/* Says what is wrong with what is behind a "$" of a template, as stock does. */
static void
say_bad_group(lun_str text, const char *p)
{
    const char  *name, *end = text.data + text.len;
    bool         brace = p < end && *p == '{', digits;

    name = p += brace;
    digits = p < end && lun_is_digit(*p);

    while (p < end && (digits ? lun_is_digit(*p)
                              : isalnum((unsigned char) *p) || *p == '_'))
    {
        p++;
    }

    if (brace && name < end && (p == end || *p != '}')) {
        lun_log(LUN_LOG_ERR, NULL, 0, "the closing bracket in \"%.*s\" "
                "variable is missing", (int) (p - name), name);
    } else if (p == name || digits) {
        lun_log(LUN_LOG_ERR, NULL, 0, "lua script: invalid capturing "
                "variable name found in \"%.*s\"", LUN_S(text));
    } else {
        lun_log(LUN_LOG_ERR, NULL, 0, "attempt to use named capturing "
                "variable \"%.*s\" (named captures not supported yet)",
                (int) (p - name), name);
    }
}


/* The pieces are views of a copy of the text that stands behind them. */
static bool
read_pieces(template *t, lun_str text)
{
    const char  *p = text.data, *end = p + text.len, *dollar;
    piece       *one;

    while (p < end) {
        one = &t->pieces[t->count++];
        dollar = memchr(p, '$', (size_t) (end - p));

        if (dollar != p) {
            dollar = dollar != NULL ? dollar : end;
            one->text = lun_str_of(p, (size_t) (dollar - p));
            p = dollar;

        } else if (p + 1 < end && p[1] == '$') {
            one->text = lun_str_of(p, 1);
            p += 2;

        } else {
            p = read_group(dollar + 1, end, &one->group);
            t->head.lengths = t->pieces;

            if (p == NULL) {
                say_bad_group(text, dollar + 1);
                return false;
            }
        }
    }

    return true;
}


/* Whether it is text alone, put together. */
static void
join_text(template *t, char *room)
{
    char    *p = room;
    size_t   i;

    if (t->head.lengths != NULL) {
        return;
    }

    for (i = 0; i < t->count; i++) {
        p = lun_copy_str(p, t->pieces[i].text);
    }

    t->head.value = lun_str_of(room, (size_t) (p - room));
}


/*
 * A template can't have more pieces than bytes, nor more text than twice that:
 * room is taken for the worst.
 */
int
ngx_http_lua_ffi_compile_replace_template(lun_capi_re *re,
    const char *replace_data, size_t replace_len)
{
    char      *copy;
    template  *t;

    if (replace_len > INT32_MAX) {
        return LUN_CAPI_ERROR;
    }

    t = lun_calloc(sizeof(template) + (replace_len + 1) * sizeof(piece)
                   + 2 * replace_len);
    copy = (char *) (t->pieces + replace_len + 1);

    if (replace_len != 0) {
        memcpy(copy, replace_data, replace_len);
    }

    if (!read_pieces(t, lun_str_of(copy, replace_len))) {
        lun_free(t);
        return LUN_CAPI_ERROR;
    }

    join_text(t, copy + replace_len);
    lun_free(re->replace);
    re->replace = &t->head;

    return LUN_CAPI_OK;
}


lun_capi_script *
ngx_http_lua_ffi_create_script_engine(void)
{
    return lun_calloc(sizeof(lun_capi_script));
}


void
ngx_http_lua_ffi_init_script_engine(lun_capi_script *e, const char *subj,
    const lun_capi_re *compiled, int count)
{
    e->subject = subj;
    e->re = compiled;
    e->count = count;
}


void
ngx_http_lua_ffi_destroy_script_engine(lun_capi_script *e)
{
    lun_free(e);
}


/* dst NULL: only how long it is. */
static size_t
run_template(const lun_capi_script *e, const lun_capi_template *cv, char *dst)
{
    size_t           i, len = 0;
    lun_str          text;
    const int       *pair;
    const template  *t = lun_container_of(cv, template, head);

    for (i = 0; i < t->count; i++) {
        text = t->pieces[i].text;

        if (text.data == NULL) {
            if (t->pieces[i].group >= e->count) {
                continue;
            }

            pair = &e->re->captures[2 * t->pieces[i].group];

            if (pair[0] < 0) {
                continue;          /* it took no part */
            }

            text = lun_str_of(e->subject + pair[0],
                              (size_t) (pair[1] - pair[0]));
        }

        if (dst != NULL && text.len != 0) {
            memcpy(dst + len, text.data, text.len);
        }

        len += text.len;
    }

    return len;
}


size_t
ngx_http_lua_ffi_script_eval_len(lun_capi_script *e,
    const lun_capi_template *cv)
{
    return run_template(e, cv, NULL);
}


size_t
ngx_http_lua_ffi_script_eval_data(lun_capi_script *e,
    const lun_capi_template *cv, char *dst)
{
    return run_template(e, cv, dst);
}
