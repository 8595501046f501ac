/*
 * ssi_commands.c -- what the commands do.
 *
 *     include virtual="/uri" | file="name" [stub="block"] [wait="yes"]
 *             [set="name"]
 *     echo var="name" [encoding="entity"] [default="text"]
 *     set var="name" value="text"
 *     config [errmsg="text"] [timefmt="format"]
 *     if expr="...", elif expr="...", else, endif
 *     block name="name", endblock
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/ssi/ssi_priv.h"

#include "base/escape.h"
#include "format/uri.h"
#include "http/conf/core_conf.h"
#include "http/subrequest.h"


/* What a command may be told; a flag for where one counts. */
typedef struct {
    lun_str    name;
    lun_rc   (*run)(lun_ssi *s, const lun_ssi_command *c);
    bool       hidden_too;         /* also where an if hides the text */
    lun_str    params[5];
    unsigned   needs;              /* bits: those that must be given */
} command;

enum { FIRST = 0x01, SECOND = 0x02 };

/* include's */
enum { VIRTUAL, FILE_NAME, WAIT, SET, STUB };


static const lun_str *
param(const lun_ssi_command *c, lun_str name)
{
    size_t  i;

    for (i = 0; i < c->count; i++) {
        if (lun_str_eq(c->params[i].name, name)) {
            return &c->params[i].value;
        }
    }

    return NULL;
}


static lun_rc
fail(lun_ssi *s, const char *what, lun_str text)
{
    lun_log(LUN_LOG_ERR, s->r->log, 0, "%s: \"%.*s\"", what, LUN_S(text));
    return LUN_ERROR;
}


static lun_rc
out_of_place(lun_ssi *s, const lun_ssi_command *c)
{
    return fail(s, "invalid context of SSI command", c->name);
}


/* --- include ------------------------------------------------------------- */

static const lun_str *
find_block(const lun_ssi *s, lun_str name)
{
    size_t               i;
    const lun_ssi_pair  *pair;

    for (i = 0; i < s->shared->blocks.count; i++) {
        pair = lun_array_at(&s->shared->blocks, i);

        if (lun_str_eq(pair->name, name)) {
            return &pair->value;
        }
    }

    return NULL;
}


/* The answer that was waited for has come. */
static void
on_answer(lun_request *sub, void *data)
{
    lun_ssi        *s = data;
    lun_str         body;
    const lun_str  *block;

    s->asked = NULL;

    if (!s->capture) {
        lun_ssi_go_on(s);
        return;
    }

    if (lun_subrequest_too_big(sub)) {
        lun_ssi_fail(s);
        return;
    }

    body = lun_pool_str(s->r->pool, lun_subrequest_body(sub));
    lun_subrequest_forget(sub);

    if (s->set.len != 0) {
        lun_ssi_set(s, s->set, body);
        lun_ssi_go_on(s);
        return;
    }

    /* A stub stands in for what is empty, and for what has failed. */
    if (body.len == 0 || lun_subrequest_status(sub) >= 300) {
        block = find_block(s, s->stub);
        body = block != NULL ? *block : LUN_STR("");
    }

    lun_ssi_say(s, body);
    lun_ssi_go_on(s);
}


/* What a page names is relative to its own folder. */
static lun_rc
uri_of(lun_ssi *s, lun_str text, lun_str *uri, lun_str *args)
{
    lun_str  own = s->r->uri, whole;

    if (lun_ssi_eval(s, text, &whole) != LUN_OK) {
        return LUN_ERROR;
    }

    if (text.len != 0 && text.data[0] != '/' && text.data[0] != '$') {
        while (own.len != 0 && own.data[own.len - 1] != '/') {
            own.len--;
        }

        whole = lun_pool_fmt(s->r->pool, "%.*s%.*s", LUN_S(own),
                             LUN_S(whole));
    }

    *uri = whole;

    if (lun_http_read_uri(s->r->pool, uri, args) != LUN_OK) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "unsafe URI \"%.*s\" was detected",
                LUN_S(whole));
        return LUN_ERROR;
    }

    return LUN_OK;
}


static lun_rc
include(lun_ssi *s, const lun_ssi_command *c)
{
    bool            wait;
    lun_str         uri, args;
    unsigned        flags = 0;
    lun_request    *sub;
    const lun_str  *name = param(c, LUN_STR("virtual"));
    const lun_str  *file = param(c, LUN_STR("file"));
    const lun_str  *set = param(c, LUN_STR("set"));
    const lun_str  *stub = param(c, LUN_STR("stub"));
    const lun_str  *word = param(c, LUN_STR("wait"));

    if (name != NULL && file != NULL) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "inclusion may be either virtual="
                "\"%.*s\" or file=\"%.*s\"", LUN_S(*name), LUN_S(*file));
        return LUN_ERROR;
    }

    name = name != NULL ? name : file;

    if (name == NULL) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "no parameter in \"include\" SSI "
                "command");
        return LUN_ERROR;
    }

    if (word != NULL && !lun_str_caseeq(*word, LUN_STR("yes"))
        && !lun_str_caseeq(*word, LUN_STR("no")))
    {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "invalid value \"%.*s\" in the "
                "\"wait\" parameter", LUN_S(*word));
        return LUN_ERROR;
    }

    wait = word != NULL && lun_str_caseeq(*word, LUN_STR("yes"));

    if (uri_of(s, *name, &uri, &args) != LUN_OK) {
        return LUN_ERROR;
    }

    if (stub != NULL && find_block(s, *stub) == NULL) {
        lun_log(LUN_LOG_ERR, s->r->log, 0, "\"stub\"=\"%.*s\" for \"include\" "
                "not found", LUN_S(*stub));
        return LUN_ERROR;
    }

    if (s->shared->includes++ == LUN_SSI_INCLUDES) {
        s->shared->includes--;
        return fail(s, "too many SSI inclusions", uri);
    }

    s->capture = set != NULL || stub != NULL;
    s->set = set != NULL ? *set : LUN_STR("");
    s->stub = stub != NULL ? *stub : LUN_STR("");

    if (s->capture) {
        flags |= LUN_SUB_CAPTURE | LUN_SUB_LIMITED;

    } else if (lun_ssi_flush(s) != LUN_OK) {
        return LUN_ERROR;          /* what is before it comes before it */
    }

    sub = lun_subrequest_ask(s->r, uri, args, flags);

    if (sub == NULL) {
        return LUN_ERROR;
    }

    if (s->capture || wait) {
        s->asked = sub;
        lun_subrequest_start(sub, on_answer, s);

    } else {
        lun_subrequest_start(sub, NULL, NULL);
    }

    return LUN_OK;
}


/* --- echo, set, config --------------------------------------------------- */

/* What would end an attribute's value, or stand in no URI. */
#define NOT_IN_A_LINK  "\"#%'<>\\^`{|}"

static lun_str
url(lun_ssi *s, lun_str value)
{
    size_t  i;
    char    byte, *text, *p;

    static const char  hex[] = "0123456789ABCDEF";

    p = text = lun_pool_text(s->r->pool, 3 * value.len);

    for (i = 0; i < value.len; i++) {
        byte = value.data[i];

        if (byte > ' ' && byte < 0x7f
            && memchr(NOT_IN_A_LINK, byte, sizeof(NOT_IN_A_LINK) - 1) == NULL)
        {
            *p++ = byte;

        } else {
            *p++ = '%';
            *p++ = hex[(unsigned char) byte >> 4];
            *p++ = hex[byte & 0x0f];
        }
    }

    return lun_str_of(text, (size_t) (p - text));
}


/* What is said once counts for the rest of the page. */
static void
set_encoding(lun_ssi *s, lun_str word)
{
    size_t  i;

    static const lun_str  words[] = {
        [LUN_SSI_ENTITY] = LUN_STR_INIT("entity"),
        [LUN_SSI_URL] = LUN_STR_INIT("url"),
        [LUN_SSI_NONE] = LUN_STR_INIT("none")
    };

    for (i = 0; i < LUN_ARRAY_LEN(words); i++) {
        if (lun_str_eq(word, words[i])) {
            s->encoding = (lun_ssi_encoding) i;
            return;
        }
    }

    lun_log(LUN_LOG_ERR, s->r->log, 0, "unknown encoding \"%.*s\" in the "
            "\"echo\" command", LUN_S(word));
}


static lun_rc
echo(lun_ssi *s, const lun_ssi_command *c)
{
    lun_str         value;
    const lun_str  *name = param(c, LUN_STR("var"));
    const lun_str  *instead = param(c, LUN_STR("default"));
    const lun_str  *encoding = param(c, LUN_STR("encoding"));

    if (!lun_ssi_get(s, *name, &value)) {
        lun_ssi_say(s, instead != NULL ? *instead : LUN_STR("(none)"));
        return LUN_OK;
    }

    if (encoding != NULL) {
        set_encoding(s, *encoding);
    }

    if (s->encoding == LUN_SSI_ENTITY) {
        value = lun_escape_html_new(s->r->pool, value);

    } else if (s->encoding == LUN_SSI_URL) {
        value = url(s, value);
    }

    lun_ssi_say(s, value);
    return LUN_OK;
}


static lun_rc
set(lun_ssi *s, const lun_ssi_command *c)
{
    lun_str  value;

    if (lun_ssi_eval(s, *param(c, LUN_STR("value")), &value) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_ssi_set(s, *param(c, LUN_STR("var")), value);
    return LUN_OK;
}


static lun_rc
config(lun_ssi *s, const lun_ssi_command *c)
{
    const lun_str  *errmsg = param(c, LUN_STR("errmsg"));
    const lun_str  *timefmt = param(c, LUN_STR("timefmt"));

    if (errmsg != NULL) {
        s->errmsg = *errmsg;
    }

    if (timefmt != NULL) {
        s->timefmt = *timefmt;
    }

    return LUN_OK;
}


/* --- if ------------------------------------------------------------------ */

static lun_rc
choose(lun_ssi *s, lun_ssi_if *now, const lun_ssi_command *c)
{
    bool  yes = false;

    s->shown = false;

    if (!now->outer || now->chosen) {
        return LUN_OK;
    }

    if (lun_ssi_test(s, *param(c, LUN_STR("expr")), &yes) != LUN_OK) {
        s->shown = true;           /* so that the page says it */
        return LUN_ERROR;
    }

    now->chosen = yes;
    s->shown = yes;
    return LUN_OK;
}


static lun_rc
begin_if(lun_ssi *s, const lun_ssi_command *c)
{
    lun_ssi_if  *now;

    if (s->depth == LUN_SSI_NESTED) {
        return fail(s, "too many commands inside one another", c->name);
    }

    now = &s->ifs[s->depth++];
    *now = (lun_ssi_if) { .outer = s->shown };

    return choose(s, now, c);
}


static lun_rc
else_if(lun_ssi *s, const lun_ssi_command *c)
{
    lun_ssi_if  *now;

    if (s->depth == 0 || s->ifs[s->depth - 1].has_else) {
        return out_of_place(s, c);
    }

    now = &s->ifs[s->depth - 1];
    return choose(s, now, c);
}


static lun_rc
take_else(lun_ssi *s, const lun_ssi_command *c)
{
    lun_ssi_if  *now;

    if (s->depth == 0 || s->ifs[s->depth - 1].has_else) {
        return out_of_place(s, c);
    }

    now = &s->ifs[s->depth - 1];
    now->has_else = true;
    s->shown = now->outer && !now->chosen;
    now->chosen = true;

    return LUN_OK;
}


static lun_rc
end_if(lun_ssi *s, const lun_ssi_command *c)
{
    if (s->depth == 0) {
        return out_of_place(s, c);
    }

    s->shown = s->ifs[--s->depth].outer;
    return LUN_OK;
}


/* --- block --------------------------------------------------------------- */

static lun_rc
begin_block(lun_ssi *s, const lun_ssi_command *c)
{
    s->in_block = true;
    s->block = *param(c, LUN_STR("name"));
    s->block_text = (lun_ssi_text) { NULL, 0, 0 };

    return LUN_OK;
}


static lun_rc
end_block(lun_ssi *s, const lun_ssi_command *c)
{
    if (!s->in_block) {
        return LUN_OK;             /* it ends nothing */
    }

    s->in_block = false;
    *(lun_ssi_pair *) lun_array_push(&s->shared->blocks) = (lun_ssi_pair) {
        s->block, lun_str_of(s->block_text.data, s->block_text.len)
    };
    return LUN_OK;
}


/* --- the table ----------------------------------------------------------- */

static const command  commands[] = {
    { LUN_STR_INIT("include"), include, false,
      { [VIRTUAL] = LUN_STR_INIT("virtual"),
        [FILE_NAME] = LUN_STR_INIT("file"), [WAIT] = LUN_STR_INIT("wait"),
        [SET] = LUN_STR_INIT("set"), [STUB] = LUN_STR_INIT("stub") }, 0 },
    { LUN_STR_INIT("echo"), echo, false,
      { LUN_STR_INIT("var"), LUN_STR_INIT("default"),
        LUN_STR_INIT("encoding") }, FIRST },
    { LUN_STR_INIT("set"), set, false,
      { LUN_STR_INIT("var"), LUN_STR_INIT("value") }, FIRST | SECOND },
    { LUN_STR_INIT("config"), config, false,
      { LUN_STR_INIT("errmsg"), LUN_STR_INIT("timefmt") }, 0 },
    { LUN_STR_INIT("if"), begin_if, true, { LUN_STR_INIT("expr") }, FIRST },
    { LUN_STR_INIT("elif"), else_if, true, { LUN_STR_INIT("expr") }, FIRST },
    { LUN_STR_INIT("else"), take_else, true, { LUN_STR_NULL }, 0 },
    { LUN_STR_INIT("endif"), end_if, true, { LUN_STR_NULL }, 0 },
    { LUN_STR_INIT("block"), begin_block, false,
      { LUN_STR_INIT("name") }, FIRST },
    { LUN_STR_INIT("endblock"), end_block, false, { LUN_STR_NULL }, 0 }
};


/*
 * Checked before the command runs, in nginx's words: a page shows "[an error
 * occurred ...]" and the log says which parameter.
 */
static lun_rc
check_params(lun_ssi *s, const command *known, const lun_ssi_command *c)
{
    size_t  i, j;

    for (i = 0; i < c->count; i++) {
        for (j = 0; j < LUN_ARRAY_LEN(known->params); j++) {
            if (lun_str_eq(c->params[i].name, known->params[j])) {
                break;
            }
        }

        if (j == LUN_ARRAY_LEN(known->params)) {
            lun_log(LUN_LOG_ERR, s->r->log, 0, "invalid parameter name: "
                    "\"%.*s\" in \"%.*s\" SSI command",
                    LUN_S(c->params[i].name), LUN_S(c->name));
            return LUN_ERROR;
        }

        if (param(c, c->params[i].name) != &c->params[i].value) {
            lun_log(LUN_LOG_ERR, s->r->log, 0, "duplicate \"%.*s\" parameter "
                    "in \"%.*s\" SSI command", LUN_S(c->params[i].name),
                    LUN_S(c->name));
            return LUN_ERROR;
        }
    }

    for (j = 0; j < LUN_ARRAY_LEN(known->params); j++) {
        if ((known->needs & (1u << j)) && param(c, known->params[j]) == NULL) {
            lun_log(LUN_LOG_ERR, s->r->log, 0, "mandatory \"%.*s\" parameter "
                    "is absent in \"%.*s\" SSI command",
                    LUN_S(known->params[j]), LUN_S(c->name));
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


lun_rc
lun_ssi_run(lun_ssi *s, const lun_ssi_command *c)
{
    size_t          i;
    const command  *known = NULL;

    for (i = 0; i < LUN_ARRAY_LEN(commands); i++) {
        if (lun_str_eq(c->name, commands[i].name)) {
            known = &commands[i];
        }
    }

    /* A block has text, and what chooses among it. */
    if (s->in_block && (known == NULL
                        || (known->run != end_block && !known->hidden_too)))
    {
        return LUN_OK;
    }

    if (known == NULL) {
        return s->shown ? fail(s, "invalid SSI command", c->name) : LUN_OK;
    }

    if (!s->shown && !known->hidden_too) {
        return LUN_OK;
    }

    return check_params(s, known, c) == LUN_OK ? known->run(s, c)
                                               : LUN_ERROR;
}
