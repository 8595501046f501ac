/*
 * regex.c -- PCRE2 behind regex.h.
 *
 * A thread has one match context, one JIT stack and one block of match data,
 * which grows with the largest pattern: matching allocates nothing, and one
 * match is over before the next begins.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/regex.h"

#define PCRE2_CODE_UNIT_WIDTH  8
#include <pcre2.h>

#include "base/check.h"
#include "base/fmt.h"


enum {
    JIT_STACK_MIN = 32 * 1024,
    JIT_STACK_MAX = 1024 * 1024,
    SCRIPT_STACK_MAX = 256 * 1024 * 1024,
    DFA_WORDS     = 4096,
    NAME_HEAD     = 2              /* a group's number before its name */
};

struct lun_regex {
    pcre2_code  *code;
    int          groups;
    unsigned     flags;
    bool         jit;
    uint32_t     name_count;
    uint32_t     name_size;
    PCRE2_SPTR   names;
};

static const struct {
    unsigned  flag;
    uint32_t  option;
} options[] = {
    { LUN_REGEX_CASELESS,     PCRE2_CASELESS },
    { LUN_REGEX_ANCHORED,     PCRE2_ANCHORED },
    { LUN_REGEX_MULTILINE,    PCRE2_MULTILINE },
    { LUN_REGEX_DOTALL,       PCRE2_DOTALL },
    { LUN_REGEX_EXTENDED,     PCRE2_EXTENDED },
    { LUN_REGEX_UTF,          PCRE2_UTF },
    { LUN_REGEX_UTF_PARTS,    PCRE2_UTF | PCRE2_MATCH_INVALID_UTF },
    { LUN_REGEX_NO_UTF_CHECK, PCRE2_NO_UTF_CHECK },
    { LUN_REGEX_DUPNAMES,     PCRE2_DUPNAMES },
    { LUN_REGEX_JAVASCRIPT,   PCRE2_ALT_BSUX | PCRE2_MATCH_UNSET_BACKREF },
};

typedef struct {
    pcre2_match_context  *context;
    pcre2_match_context  *script;  /* of LUN_REGEX_SCRIPT */
    pcre2_jit_stack      *script_stack;
    pcre2_match_data     *data;
    uint32_t              pairs;
    int                   last_error;
} scratch;

static _Thread_local scratch  mine;
static uint32_t               match_limit;     /* 0: PCRE2's own */
static size_t                 script_stack;    /* 0: PCRE2's own, 32 KB */


static void
apply_limit(const scratch *own)
{
    uint32_t  limit = match_limit;

    if (limit == 0) {
        (void) pcre2_config(PCRE2_CONFIG_MATCHLIMIT, &limit);
    }

    (void) pcre2_set_match_limit(own->context, limit);
    (void) pcre2_set_match_limit(own->script, limit);
}


static void
apply_script_stack(scratch *own)
{
    if (script_stack == 0) {
        return;
    }

    pcre2_jit_stack_free(own->script_stack);
    own->script_stack = pcre2_jit_stack_create(
                            lun_min(script_stack, (size_t) JIT_STACK_MIN),
                            script_stack, NULL);
    LUN_CHECK(own->script_stack != NULL);
    pcre2_jit_stack_assign(own->script, NULL, own->script_stack);
}


static void
make_context(scratch *own)
{
    pcre2_jit_stack  *stack;

    if (own->context != NULL) {
        return;
    }

    own->context = pcre2_match_context_create(NULL);
    own->script = pcre2_match_context_create(NULL);
    stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL);
    LUN_CHECK(own->context != NULL && own->script != NULL && stack != NULL);

    pcre2_jit_stack_assign(own->context, NULL, stack);
    apply_limit(own);
    apply_script_stack(own);
}


/* This thread's, with room for a match of the expression. */
static scratch *
scratch_for(const lun_regex *re)
{
    scratch   *own = &mine;
    uint32_t   pairs = (uint32_t) re->groups + 1;

    if (LUN_UNLIKELY(pairs > own->pairs)) {
        make_context(own);
        pcre2_match_data_free(own->data);
        own->data = pcre2_match_data_create(pairs, NULL);
        LUN_CHECK(own->data != NULL);
        own->pairs = pairs;
    }

    return own;
}


static uint32_t
pcre2_options(unsigned flags)
{
    size_t    i;
    uint32_t  bits = 0;

    for (i = 0; i < LUN_ARRAY_LEN(options); i++) {
        bits |= flags & options[i].flag ? options[i].option : 0;
    }

    return bits;
}


static void
learn(lun_regex *re)
{
    uint32_t  groups = 0;

    (void) pcre2_pattern_info(re->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    (void) pcre2_pattern_info(re->code, PCRE2_INFO_NAMECOUNT,
                              &re->name_count);
    (void) pcre2_pattern_info(re->code, PCRE2_INFO_NAMEENTRYSIZE,
                              &re->name_size);
    (void) pcre2_pattern_info(re->code, PCRE2_INFO_NAMETABLE, &re->names);

    re->groups = (int) groups;
    (void) scratch_for(re);
}


static void
end_regex(void *data)
{
    lun_regex_free(data);
}


/*
 * Without a pool the caller frees it: Lua's cache of patterns has its own end
 * of things.
 */
lun_regex *
lun_regex_new(lun_pool *pool, lun_str pattern, unsigned flags, char *error,
    size_t room, size_t *at)
{
    int          code;
    lun_regex   *re;
    PCRE2_SIZE   offset;
    pcre2_code  *compiled;

    compiled = pcre2_compile((PCRE2_SPTR) (pattern.data ? pattern.data : ""),
                             pattern.len, pcre2_options(flags), &code,
                             &offset, NULL);

    if (compiled == NULL) {
        *at = offset;
        mine.last_error = code;

        if (room != 0) {
            error[0] = '\0';
            (void) pcre2_get_error_message(code, (PCRE2_UCHAR *) error, room);
        }

        return NULL;
    }

    re = lun_calloc(sizeof(lun_regex));
    re->code = compiled;
    re->flags = flags;

    if (pool != NULL) {
        lun_pool_on_end(pool, end_regex, re);
    }

    learn(re);

    if (flags & LUN_REGEX_JIT) {
        re->jit = pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE) == 0;
    }

    return re;
}


bool
lun_regex_is_jit(const lun_regex *re)
{
    return re->jit;
}


void
lun_regex_free(lun_regex *re)
{
    pcre2_code_free(re->code);
    lun_free(re);
}


/* What pcre2_match says, in the three words of regex.h. */
static int
verdict_of(int code)
{
    mine.last_error = code;

    switch (code) {

    case PCRE2_ERROR_NOMATCH:
        return LUN_REGEX_NO_MATCH;

    case PCRE2_ERROR_MATCHLIMIT:
    case PCRE2_ERROR_DEPTHLIMIT:
    case PCRE2_ERROR_HEAPLIMIT:
    case PCRE2_ERROR_JIT_STACKLIMIT:
        return LUN_REGEX_LIMIT;

    default:
        return LUN_REGEX_FAILED;
    }
}


static void
copy_pairs(scratch *own, int32_t *ovector, int pairs, int matched)
{
    int                i, n;
    const PCRE2_SIZE  *from = pcre2_get_ovector_pointer(own->data);

    n = lun_min(pairs, matched) * 2;

    for (i = 0; i < n; i++) {
        ovector[i] = from[i] == PCRE2_UNSET ? -1 : (int32_t) from[i];
    }

    for ( ; i < pairs * 2; i++) {
        ovector[i] = -1;
    }
}


static pcre2_match_context *
context_of(const lun_regex *re, const scratch *own)
{
    return re->flags & LUN_REGEX_SCRIPT ? own->script : own->context;
}


int
lun_regex_match(const lun_regex *re, lun_str subject, size_t from,
    int32_t *ovector, int pairs)
{
    int         rc;
    scratch    *own = scratch_for(re);
    PCRE2_SPTR  text;

    if (subject.len > INT32_MAX) {
        return LUN_REGEX_FAILED;
    }

    text = (PCRE2_SPTR) (subject.data != NULL ? subject.data : "");

    /* The short way in does not check UTF-8, so it is not for all. */
    if (re->jit
        && (re->flags & (LUN_REGEX_UTF | LUN_REGEX_NO_UTF_CHECK))
           != LUN_REGEX_UTF)
    {
        rc = pcre2_jit_match(re->code, text, subject.len, from, 0, own->data,
                             context_of(re, own));
    } else {
        rc = pcre2_match(re->code, text, subject.len, from,
                         re->flags & LUN_REGEX_NO_UTF_CHECK
                         ? PCRE2_NO_UTF_CHECK : 0, own->data,
                         context_of(re, own));
    }

    if (rc <= 0) {
        return verdict_of(rc);
    }

    copy_pairs(own, ovector, pairs, rc);
    return rc;
}


int
lun_regex_match_dfa(const lun_regex *re, lun_str subject, size_t from,
    int32_t *ovector, int pairs)
{
    int         rc, words[DFA_WORDS];
    scratch    *own = scratch_for(re);
    PCRE2_SPTR  text;

    if (subject.len > INT32_MAX) {
        return LUN_REGEX_FAILED;
    }

    text = (PCRE2_SPTR) (subject.data != NULL ? subject.data : "");

    rc = pcre2_dfa_match(re->code, text, subject.len, from,
                         re->flags & LUN_REGEX_NO_UTF_CHECK
                         ? PCRE2_NO_UTF_CHECK : 0, own->data, own->context,
                         words, DFA_WORDS);
    if (rc < 0) {
        return verdict_of(rc);
    }

    /* Several ends may fit; the longest is the first, and the only one told. */
    copy_pairs(own, ovector, pairs, 1);
    return 1;
}


int
lun_regex_groups(const lun_regex *re)
{
    return re->groups;
}


int
lun_regex_names(const lun_regex *re)
{
    return (int) re->name_count;
}


lun_str
lun_regex_name(const lun_regex *re, int i, int *group)
{
    PCRE2_SPTR  entry = re->names + (size_t) i * re->name_size;

    *group = entry[0] << 8 | entry[1];
    return lun_str_z((const char *) entry + NAME_HEAD);
}


void
lun_regex_set_match_limit(uint32_t limit)
{
    match_limit = limit;
    make_context(&mine);
    apply_limit(&mine);
}


void
lun_regex_set_script_stack(size_t size)
{
    script_stack = lun_min(lun_max(size, (size_t) JIT_STACK_MIN),
                           (size_t) SCRIPT_STACK_MAX);
    make_context(&mine);
    apply_script_stack(&mine);
}


int
lun_regex_last_error(void)
{
    return mine.last_error;
}


const char *
lun_regex_version(void)
{
    static char  text[32];

    (void) pcre2_config(PCRE2_CONFIG_VERSION, text);
    return text;
}
