/*
 * if.c -- if (condition) { ... }: an instruction that runs others, and moves
 * the request into a location of its own.
 *
 *     if ($request_method = POST) { return 405; }
 *     if ($http_user_agent ~ "MSIE (\d)") { set $msie $1; }
 *     if (!-f $request_filename) { rewrite ^ /index.html last; }
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/engine.h"
#include "http/file/open_file_cache.h"
#include "session/pattern.h"
#include "http/rewrite.h"
#include "os/file.h"


typedef enum {
    IS_TRUE,
    EQUALS,
    MATCHES,
    FILE_TEST
} condition_kind;

typedef struct {
    condition_kind     kind;
    bool               negative;
    char               file_test;  /* f, d, e, x */
    unsigned           index;      /* of the variable on the left */
    lun_script        *right;
    lun_pattern       *pattern;
    lun_location      *location;
    bool               in_server;
    lun_rewrite_list  *then;
} if_code;

/* The words between ( and ). */
typedef struct {
    lun_str  words[4];
    size_t   count;
} condition;


/* --- at run time --- */

static bool
test_file(lun_request *r, const if_code *c)
{
    lun_err        err;
    lun_safe_path  claim;
    lun_file_info  info;

    /* A name that can name no file is that of no file. */
    if (lun_http_script_path(r, c->right, &claim) != LUN_NEXT) {
        return false;
    }

    lun_http_safe_links(r, &claim);
    err = lun_open_file_stat(r, &claim, &info);

    if (err != 0) {
        switch (lun_err_kind_of(err)) {

        case LUN_ERR_NOT_FOUND:
        case LUN_ERR_NOT_DIR:
        case LUN_ERR_BAD_NAME:
            break;

        default:
            lun_log(LUN_LOG_CRIT, r->log, err, "%s \"%s\" failed",
                    lun_safe_path_call(&claim, "stat()"), claim.path.data);
        }

        return false;
    }

    switch (c->file_test) {

    case 'f':
        return info.is_file;

    case 'd':
        return info.is_dir;

    case 'x':
        return info.is_exec;

    default:
        return true;
    }
}


static void
tell_match(const lun_request *r, const lun_pattern *p, lun_str text, bool yes)
{
    lun_str                  pattern;
    const lun_rewrite_conf  *conf = lun_http_conf(r, &lun_http_instructions);

    if (conf->log) {
        pattern = lun_pattern_text(p);
        lun_log(LUN_LOG_NOTICE, r->log, 0, "\"%.*s\" %s \"%.*s\"",
                LUN_S(pattern), yes ? "matches" : "does not match",
                LUN_S(text));
    }
}


/*
 * Variables are read fresh: `set` before this `if` may have changed what was
 * looked up.
 */
static lun_verdict
holds(lun_request *r, const if_code *c, bool *yes)
{
    lun_str  left = LUN_STR("");

    if (c->index != 0) {
        left = lun_var_get_fresh(&r->session, c->index)->text;
    }

    switch (c->kind) {

    case IS_TRUE:
        *yes = lun_script_true(left);
        break;

    case EQUALS:
        *yes = lun_str_eq(left, lun_script_run(&r->session, c->right));
        break;

    case FILE_TEST:
        *yes = test_file(r, c);
        break;

    case MATCHES:
        switch (lun_pattern_match(&r->session, c->pattern, left)) {

        case LUN_PATTERN_FAILED:
            return LUN_STATUS + 500;

        case LUN_PATTERN_YES:
            *yes = true;
            break;

        case LUN_PATTERN_NO:
            *yes = false;
            break;
        }

        tell_match(r, c->pattern, left, *yes);
        break;
    }

    *yes = *yes != c->negative;
    return LUN_NEXT;
}


static lun_verdict
run_if(lun_request *r, void *data)
{
    bool            yes = false;
    lun_verdict     v;
    const if_code  *c = data;

    v = holds(r, c, &yes);

    if (v != LUN_NEXT || !yes) {
        return v;
    }

    if (c->in_server) {
        r->location = c->location;
        r->conf = c->location->conf;

    } else {
        lun_http_enter_location(r, c->location);
    }

    return lun_rewrite_run(r, c->then);
}


/* --- reading --- */

static lun_rc
bad(lun_conf *cf, lun_str word)
{
    return lun_conf_fail(cf, "invalid condition \"%.*s\"", LUN_S(word));
}


/* Takes the parentheses off, whether or not they stand alone. */
static lun_rc
split(lun_conf *cf, condition *c)
{
    size_t   i, last = cf->argc - 1;
    lun_str  word;

    c->count = 0;

    if (!lun_str_starts(cf->args[1], LUN_STR("("))) {
        return bad(cf, cf->args[1]);
    }

    cf->args[1] = lun_str_of(cf->args[1].data + 1, cf->args[1].len - 1);

    if (!lun_str_ends(cf->args[last], LUN_STR(")"))) {
        return bad(cf, cf->args[last]);
    }

    for (i = 1; i <= last; i++) {
        word = cf->args[i];
        word.len -= i == last;

        if (word.len == 0 && (i == 1 || i == last)) {
            continue;
        }

        if (c->count == LUN_ARRAY_LEN(c->words)) {
            return bad(cf, c->words[0]);
        }

        c->words[c->count++] = word;
    }

    return c->count != 0 ? LUN_OK : bad(cf, LUN_STR(")"));
}


static lun_rc
read_file_test(lun_conf *cf, const condition *c, if_code *code)
{
    lun_str  op = c->words[0];

    code->kind = FILE_TEST;
    code->negative = op.data[0] == '!';
    code->file_test = op.data[op.len - 1];

    if (c->count != 2 || memchr("fdex", code->file_test, 4) == NULL) {
        return bad(cf, op);
    }

    code->right = lun_script_new(cf, c->words[1]);
    return code->right != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
read_operator(lun_conf *cf, const condition *c, if_code *code)
{
    lun_str  op = c->words[1], bare = op;

    if (lun_str_starts(op, LUN_STR("!"))) {
        code->negative = true;
        bare.data++;
        bare.len--;
    }

    if (c->count != 3) {
        return bad(cf, c->words[0]);
    }

    if (lun_str_eq(bare, LUN_STR("="))) {
        code->kind = EQUALS;
        code->right = lun_script_new(cf, c->words[2]);
        return code->right != NULL ? LUN_OK : LUN_ERROR;
    }

    if (lun_str_eq(bare, LUN_STR("~")) || lun_str_eq(bare, LUN_STR("~*"))) {
        code->kind = MATCHES;
        code->pattern = lun_pattern_new(cf, c->words[2], bare.len == 2
                                        ? LUN_REGEX_CASELESS : 0);
        return code->pattern != NULL ? LUN_OK : LUN_ERROR;
    }

    return lun_conf_fail(cf, "unexpected \"%.*s\" in condition", LUN_S(op));
}


/*
 * A variable alone, a variable and an operator, or a test of a file: the first
 * word says which.
 */
static lun_rc
read_condition(lun_conf *cf, if_code *code)
{
    lun_str    first;
    condition  c;

    if (split(cf, &c) != LUN_OK) {
        return LUN_ERROR;
    }

    first = c.words[0];

    if (first.len > 1 && first.data[0] == '$') {
        code->index = lun_var_index(cf, lun_str_of(first.data + 1,
                                                   first.len - 1));
        if (code->index == 0) {
            return LUN_ERROR;
        }

        if (c.count == 1) {
            code->kind = IS_TRUE;
            return LUN_OK;
        }

        return read_operator(cf, &c, code);
    }

    if ((first.len == 2 && first.data[0] == '-')
        || (first.len == 3 && lun_str_starts(first, LUN_STR("!-"))))
    {
        return read_file_test(cf, &c, code);
    }

    return bad(cf, first);
}


static lun_rc
set_if(lun_conf *cf, const lun_directive *d, void *conf)
{
    if_code       *code = lun_pool_new(cf->pool, if_code);
    lun_location  *loc = lun_pool_new(cf->pool, lun_location);

    if (read_condition(cf, code) != LUN_OK) {
        return LUN_ERROR;
    }

    code->in_server = cf->block->where == LUN_SERVER;
    code->location = loc;

    loc->match = LUN_MATCH_NONE;
    loc->name = code->in_server
                ? LUN_STR("") : ((lun_location *) cf->block->owner)->name;

    /* Before the block is read: it stands before what follows it. */
    lun_rewrite_add(cf, run_if, code);

    if (lun_conf_read_block(cf, code->in_server ? LUN_SERVER_IF
                                                : LUN_LOCATION_IF,
                            loc, &loc->block) != LUN_OK)
    {
        return LUN_ERROR;
    }

    code->then = lun_rewrite_list_of(cf, loc->block);
    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "if", .where = LUN_SERVER | LUN_LOCATION, .args = 1,
      .args_max = LUN_ARGS_ANY, .block = true, .repeats = true,
      .set = set_if,
      .values = "(condition)",
      .help = "what holds when a condition does" },
    { 0 }
};

lun_http_module  lun_http_if = {
    .name = "if",
    .directives = directives,
};
