/*
 * echo_requests.c -- what other locations say: echo_location, echo_subrequest,
 * and their async forms, which do not wait for it.
 *
 *     echo_location /head "page=$arg_page";
 *     echo_subrequest POST /form -q "a=b" -b "text";
 *     echo_subrequest_async PUT /form -f conf/form.txt;
 *
 * The output is in the order of the commands either way.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/echo/echo_priv.h"

#include "http/subrequest.h"


/* --- a subrequest -------------------------------------------------------- */

/*
 * It has its parent's body, and $variables of its own; NULL: logged.  `who` is
 * the command.
 */
static lun_request *
make(lun_request *r, const char *who, lun_str uri, lun_str args)
{
    lun_str       own;
    lun_request  *sub;

    if (lun_http_read_uri(r->pool, &uri, &own) != LUN_OK) {
        lun_log(LUN_LOG_WARN, r->log, 0, "%s sees unsafe uri: \"%.*s\"", who,
                LUN_S(uri));
        return NULL;
    }

    sub = lun_subrequest_ask(r, uri, args.len != 0 ? args : own,
                             LUN_SUB_OWN_VALUES);

    if (sub == NULL) {
        return NULL;
    }

    lun_subrequest_share_body(sub);
    return sub;
}


static void
on_done(lun_request *sub, void *data)
{
    lun_echo_state  *s = data;

    s->waiting = false;
    lun_http_resume(s->request);
}


static lun_verdict
start(lun_request *sub, lun_echo_state *s, bool wait)
{
    if (!wait) {
        lun_subrequest_start(sub, NULL, NULL);
        return LUN_NEXT;
    }

    s->waiting = true;
    lun_subrequest_start(sub, on_done, s);
    return LUN_WAIT;
}


/* The header goes out first, and echo_before_body. */
static lun_verdict
begin(lun_request *r, lun_echo_state *s)
{
    lun_verdict           v = lun_echo_send_header(r);
    const lun_echo_conf  *conf = lun_http_conf(r, &lun_http_echo);

    if (v != LUN_NEXT) {
        return v;
    }

    if (r->header_only) {
        return LUN_FINISHED;
    }

    if (conf->before != NULL && !s->begun
        && lun_http_output(r, lun_buf_new(r->pool)) == LUN_ERROR)
    {
        return LUN_FAILED;
    }

    return LUN_NEXT;
}


/* --- echo_location uri [args] -------------------------------------------- */

static lun_verdict
location(lun_request *r, lun_echo_state *s, const lun_echo_command *c,
    const lun_str *args, bool wait)
{
    lun_verdict   v = begin(r, s);
    lun_request  *sub;

    if (v != LUN_NEXT) {
        return v;
    }

    sub = make(r, wait ? "echo_location" : "echo_location_async", args[0],
               c->count > 1 ? args[1] : LUN_STR_NULL);
    return sub != NULL ? start(sub, s, wait) : LUN_FAILED;
}


lun_verdict
lun_echo_location(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    return location(r, s, c, args, true);
}


lun_verdict
lun_echo_location_async(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    return location(r, s, c, args, false);
}


/* --- echo_subrequest method uri [-q args] [-b body] [-f file] ------------ */

/* Which of the arguments follow these; 0: none. */
typedef struct {
    size_t  args;
    size_t  body;
    size_t  file;
} options;


static lun_rc
read_words(lun_request *r, const lun_echo_command *c, const lun_str *args,
    options *o)
{
    size_t  i;

    for (i = 2; i < c->count; i += 2) {
        if (i + 1 == c->count) {
            lun_log(LUN_LOG_ERR, r->log, 0, "echo_subrequest*: option "
                    "\"%.*s\" has no value", LUN_S(args[i]));
            return LUN_ERROR;
        }

        if (lun_str_eq(args[i], LUN_STR("-q"))) {
            o->args = i + 1;

        } else if (lun_str_eq(args[i], LUN_STR("-b"))) {
            o->body = i + 1;

        } else if (lun_str_eq(args[i], LUN_STR("-f"))) {
            o->file = i + 1;

        } else {
            lun_log(LUN_LOG_ERR, r->log, 0, "unknown option for "
                    "echo_subrequest*: %.*s", LUN_S(args[i]));
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static lun_rc
set_file(lun_request *sub, lun_request *r, const lun_script *path)
{
    lun_fd         fd;
    lun_err        err;
    lun_safe_path  c;
    lun_file_info  info;

    if (lun_http_script_path(r, path, &c) != LUN_NEXT) {
        return LUN_ERROR;
    }

    err = lun_safe_open(&c, LUN_FILE_READ, 0, &fd);

    if (err == 0 && (err = lun_file_info_of(fd, &info)) != 0) {
        lun_file_close(fd);
    }

    if (err != 0) {
        lun_log(LUN_LOG_ERR, r->log, err, "open() \"%s\" failed",
                c.path.data);
        return LUN_ERROR;
    }

    lun_subrequest_set_file(sub, fd, c.path, info.size);
    return LUN_OK;
}


/*
 * The words are read at each request, since they may be variables, as in the
 * module.
 */
static lun_verdict
subrequest(lun_request *r, lun_echo_state *s, const lun_echo_command *c,
    const lun_str *args, bool wait)
{
    options       o = { 0, 0, 0 };
    lun_verdict   v = begin(r, s);
    lun_request  *sub;

    if (v != LUN_NEXT) {
        return v;
    }

    if (read_words(r, c, args, &o) != LUN_OK) {
        return LUN_FAILED;
    }

    sub = make(r, wait ? "echo_subrequest" : "echo_subrequest_async", args[1],
               o.args != 0 ? args[o.args] : LUN_STR_NULL);

    if (sub == NULL) {
        return LUN_FAILED;
    }

    sub->method = lun_method_of(args[0]);
    sub->method_name = args[0];

    if (o.body != 0) {
        lun_subrequest_set_body(sub, args[o.body]);

    } else if (o.file != 0 && set_file(sub, r, c->args[o.file]) != LUN_OK) {
        return LUN_FAILED;
    }

    return start(sub, s, wait);
}


lun_verdict
lun_echo_subrequest(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    return subrequest(r, s, c, args, true);
}


lun_verdict
lun_echo_subrequest_async(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    return subrequest(r, s, c, args, false);
}


/*
 * The parent says no more: commands of it that have not run yet never do.
 * Nothing of the kind happens to one that is not an echo's.
 */
lun_verdict
lun_echo_abort_parent(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    lun_echo_state  *outer = NULL;

    if (r->parent != NULL) {
        outer = lun_http_state(r->parent, &lun_http_echo);
    }

    if (outer != NULL && outer->list != NULL) {
        outer->next = outer->list->commands.count;
    }

    return LUN_NEXT;
}
