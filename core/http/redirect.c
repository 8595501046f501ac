/*
 * redirect.c -- internal redirects: the same request, somewhere else.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/engine.h"

#include "base/check.h"
#include "format/uri.h"


/* A path that leaves its root, or ends before its end. */
static bool
is_unsafe(lun_str path)
{
    size_t       len;
    const char  *p = path.data, *end = p + path.len, *next;

    if (path.len == 0 || memchr(p, '\0', path.len) != NULL) {
        return true;
    }

    for (; p <= end; p = next + 1) {
        next = memchr(p, '/', (size_t) (end - p));
        next = next != NULL ? next : end;
        len = (size_t) (next - p);

        if (len == 2 && memcmp(p, "..", 2) == 0) {
            return true;
        }
    }

    return false;
}


lun_rc
lun_http_read_uri(lun_pool *pool, lun_str *uri, lun_str *args)
{
    char        *text;
    lun_str      path = *uri;
    const char  *mark = lun_str_chr(path, '?');

    *args = LUN_STR_NULL;

    if (mark != NULL) {
        path.len = (size_t) (mark - path.data);
        *args = lun_str_of(mark + 1, uri->len - path.len - 1);
    }

    /* What `%41` stands for: checked before and after. */
    if (!is_unsafe(path) && lun_str_chr(path, '%') != NULL) {
        text = lun_pool_text(pool, path.len);
        path.len = (size_t) (lun_uri_unescape(text, path, false) - text);
        path.data = text;
    }

    if (is_unsafe(path)) {
        return LUN_ERROR;
    }

    *uri = path;
    return LUN_OK;
}


/* What modules noted belongs to the handlers of the old place. */
static void
forget_states(lun_request *r)
{
    memset(r->states, 0, r->engine->states * sizeof(void *));
    r->header_held = 0;
}


static void
go_on(lun_request *r, unsigned step)
{
    r->handler = step;
    r->internal = 1;
    r->uri_changed = 0;
    r->access_status = 0;
    r->uri_in_alias = 0;
    r->waiting = 0;
    forget_states(r);

    if (r->running) {
        r->moved = 1;              /* phases.c comes back to it */
        return;
    }

    lun_http_run(r);
}


static bool
may_move(lun_request *r, const char *what, lun_str where)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (r->ended) {
        return false;
    }

    /* Whoever has used it up has been finished, and gets no error_page. */
    LUN_CHECK(r->redirects_left > 0);

    if (--r->redirects_left > 0) {
        return true;
    }

    lun_log(LUN_LOG_ERR, r->log, 0, "rewrite or internal redirection cycle "
            "while %s \"%.*s\"", what, LUN_S(where));
    lun_http_finish(r, LUN_STATUS + 500);

    return false;
}


void
lun_http_redirect(lun_request *r, lun_str uri, lun_str args)
{
    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (!may_move(r, "internally redirecting to", uri)) {
        return;
    }

    lun_request_set_uri(r, uri);
    r->args = args;
    r->location = lun_http_server_of(r->server)->self;
    r->conf = r->server->conf;

    go_on(r, r->engine->server_rewrite);
}


/*
 * Only the location changes, not the URI: an empty one means that none was ever
 * there (an invalid request), and would find files of the folder itself.
 */
void
lun_http_named(lun_request *r, lun_str name)
{
    lun_location  *loc;

    LUN_CHECK_MARK(r, LUN_MARK_REQUEST);

    if (!may_move(r, "redirect to named location", name)) {
        return;
    }

    if (r->uri.len == 0) {
        lun_log(LUN_LOG_ERR, r->log, 0, "empty URI in redirect to named "
                "location \"%.*s\"", LUN_S(name));
        lun_http_finish(r, LUN_STATUS + 500);
        return;
    }

    loc = lun_location_find_named(r->server, name);

    if (loc == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "could not find named location "
                "\"%.*s\"", LUN_S(name));
        lun_http_finish(r, LUN_STATUS + 500);
        return;
    }

    lun_http_enter_location(r, loc);
    go_on(r, r->engine->rewrite);
}
