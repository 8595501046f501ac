/*
 * ffi_re.c -- regular expressions, for lua/resty/core/regex.lua.
 *
 * A compiled expression carries the offsets of its last match, so that a
 * match is one call and Lua reads the offsets where they are.
 *
 * Nothing here yields; every phase may call it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/run/ctx.h"
#include "modules/lua/run/vm.h"

#include "session/regex.h"

/* The layout is repeated in regex.lua. */
typedef struct {
    lun_regex  *regex;
    int32_t     groups;            /* without the whole match; DFA: none */
    int32_t     names;
    int32_t     dfa;
    int32_t     ov[];              /* pairs of offsets */
} lun_lua_re;

LUN_EXPORT lun_lua_re *lun_ffi_re_new(const char *pattern, size_t len,
    unsigned flags, int apart, char *error, size_t room);
LUN_EXPORT void lun_ffi_re_free(lun_lua_re *re);
LUN_EXPORT int lun_ffi_re_match(lun_lua_re *re, const char *s, size_t len,
    size_t from);
LUN_EXPORT int lun_ffi_re_error(void);
LUN_EXPORT int lun_ffi_re_name(const lun_lua_re *re, int i, lun_str *name);
LUN_EXPORT int64_t lun_ffi_re_cache_max(void);
LUN_EXPORT void lun_ffi_re_set_stack(int size);

enum { ERROR_ROOM = 256, CACHE_MAX = 1024, BAD_OFFSET = -33 };

static int64_t             limit;
static _Thread_local bool  bad_offset;


/* lua_regex_match_limit of the generation whose turn it is. */
static void
use_limit(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    if (ctx == NULL || ctx->main->top->block.regex_match_limit == limit) {
        return;
    }

    limit = ctx->main->top->block.regex_match_limit;
    lun_regex_set_match_limit((uint32_t) limit);
}


int64_t
lun_ffi_re_cache_max(void)
{
    const lun_lua_ctx  *ctx = lun_lua_now.ctx;

    return ctx == NULL ? CACHE_MAX
           : ctx->main->top->block.regex_cache_max_entries;
}


/* It stands in front of an expression. */
static lun_vm_owned *
owned_of(lun_lua_re *re)
{
    return (lun_vm_owned *) (void *) re - 1;
}


static void
free_owned(lun_vm_owned *o)
{
    lun_ffi_re_free((lun_lua_re *) (void *) (o + 1));
}


static lun_lua_re *
new_re(int groups)
{
    lun_vm_owned  *o = lun_calloc(sizeof(lun_vm_owned) + sizeof(lun_lua_re)
                                  + 2 * ((size_t) groups + 1)
                                    * sizeof(int32_t));

    lun_list_init(&o->link);
    o->free = free_owned;
    return (lun_lua_re *) (void *) (o + 1);
}


/*
 * NULL: why is in error, ends with a zero byte.  `apart`: in a thread, where
 * it is nobody's turn, and nothing is logged.
 */
lun_lua_re *
lun_ffi_re_new(const char *pattern, size_t len, unsigned flags, int apart,
    char *error, size_t room)
{
    char        text[ERROR_ROOM], *p, *end = error + room - 1;
    int         groups;
    size_t      at = 0;
    lun_regex  *regex;
    lun_lua_re *re;

    if (!apart) {
        use_limit();
    }

    regex = lun_regex_new(NULL, lun_str_of(pattern, len),
                          flags | LUN_REGEX_SCRIPT, text, sizeof(text), &at);

    if (regex == NULL) {
        p = lun_fmt(error, end, "pcre2_compile() failed: %s in \"%.*s\"",
                    text, (int) len, pattern);

        if (at < len) {
            p = lun_fmt(p, end, " at \"%.*s\"", (int) (len - at),
                        pattern + at);
        }

        *p = '\0';
        return NULL;
    }

    if (flags & LUN_REGEX_JIT && !apart) {
        lun_debug(NULL, lun_regex_is_jit(regex)
                        ? "pcre2 JIT compiled successfully"
                        : "pcre2 JIT compiling failed, ignored");
    }

    groups = flags & LUN_REGEX_DFA ? 0 : lun_regex_groups(regex);
    re = new_re(groups);
    re->regex = regex;
    re->groups = groups;
    re->names = flags & LUN_REGEX_DFA ? 0 : lun_regex_names(regex);
    re->dfa = (flags & LUN_REGEX_DFA) != 0;

    if (!apart && lun_lua_now.ctx != NULL) {
        lun_list_push_back(&lun_lua_now.ctx->vm->owned, &owned_of(re)->link);
    }

    return re;
}


void
lun_ffi_re_free(lun_lua_re *re)
{
    lun_list_remove(&owned_of(re)->link);
    lun_regex_free(re->regex);
    lun_free(owned_of(re));
}


/* As lun_regex_match(); the offsets are in re->ov. */
int
lun_ffi_re_match(lun_lua_re *re, const char *s, size_t len, size_t from)
{
    lun_str  subject = lun_str_of(s, len);

    bad_offset = from > len;

    if (bad_offset) {
        return LUN_REGEX_FAILED;
    }

    if (re->dfa) {
        return lun_regex_match_dfa(re->regex, subject, from, re->ov, 1);
    }

    return lun_regex_match(re->regex, subject, from, re->ov, re->groups + 1);
}


/* PCRE2's number of the last match that failed. */
int
lun_ffi_re_error(void)
{
    return bad_offset ? BAD_OFFSET : lun_regex_last_error();
}


void
lun_ffi_re_set_stack(int size)
{
    lun_regex_set_script_stack((size_t) lun_max(size, 0));
}


/* The i-th named group: its number. */
int
lun_ffi_re_name(const lun_lua_re *re, int i, lun_str *name)
{
    int  group;

    *name = lun_regex_name(re->regex, i, &group);
    return group;
}
