/*
 * echo.c -- answers written in the configuration: echo and its kin.
 *
 *     echo -n "hello, "; echo $arg_name; echo_sleep 0.5; echo_flush;
 *     echo_before_body head; echo_after_body foot;
 *
 * The commands of a block are a list that its content handler runs in the
 * order of the text; one that has to wait says so, and the handler goes on
 * with the next when the request is resumed.  An inner location does not
 * inherit them, an "if" does.  echo_before_body and echo_after_body are lists
 * of the same kind, spoken by the body filter.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/echo/echo_priv.h"

#include "http/subrequest.h"


lun_echo_state *
lun_echo_state_of(lun_request *r)
{
    lun_echo_state  *s = lun_http_state(r, &lun_http_echo);

    if (s == NULL) {
        s = lun_pool_new(r->pool, lun_echo_state);
        s->request = r;
        lun_http_set_state(r, &lun_http_echo, s);
    }

    return s;
}


const lun_str *
lun_echo_values(lun_request *r, const lun_echo_command *c)
{
    size_t    i;
    lun_str  *values = lun_pool_new_n(r->pool, lun_str, c->count + 1);

    for (i = 0; i < c->count; i++) {
        values[i] = lun_script_run(&r->session, c->args[i]);
    }

    return values;
}


lun_buf *
lun_echo_line(lun_request *r, const lun_echo_command *c, const lun_str *args)
{
    char    *text, *p;
    size_t   i, len = c->count + 1;

    for (i = 0; i < c->count; i++) {
        len += args[i].len;
    }

    p = text = lun_pool_text(r->pool, len);

    for (i = 0; i < c->count; i++) {
        if (i != 0) {
            *p++ = ' ';
        }

        p = lun_copy_str(p, args[i]);
    }

    if (!c->no_newline) {
        *p++ = '\n';
    }

    if (p == text) {
        return NULL;
    }

    return lun_buf_new_str(r->pool, lun_str_of(text, (size_t) (p - text)));
}


/* --- the content --------------------------------------------------------- */

lun_verdict
lun_echo_send_header(lun_request *r)
{
    const lun_echo_conf  *conf = lun_http_conf(r, &lun_http_echo);

    if (r->header_sent) {
        return LUN_NEXT;
    }

    r->out.status = (unsigned) conf->status;
    lun_http_set_type(r);
    lun_http_clear_length(r);
    lun_http_clear_ranges(r);

    return lun_http_send_header(r) == LUN_ERROR ? LUN_FAILED : LUN_NEXT;
}


static lun_verdict
run_commands(lun_request *r, lun_echo_state *s)
{
    lun_verdict              v;
    const lun_echo_command  *c;

    while (s->next < s->list->commands.count) {
        c = lun_array_at(&s->list->commands, s->next++);
        v = c->run(r, s, c, lun_echo_values(r, c));

        if (v != LUN_NEXT) {
            return v;
        }
    }

    v = lun_echo_send_header(r);

    return v == LUN_NEXT ? LUN_FINISHED : v;
}


static lun_verdict
on_content(lun_session *session)
{
    lun_request          *r = lun_request_of(session);
    lun_echo_state       *s;
    const lun_echo_conf  *conf = lun_http_conf(r, &lun_http_echo);

    if (!lun_http_has_content(r, &lun_http_echo)) {
        return LUN_NEXT;
    }

    s = lun_echo_state_of(r);

    if (s->waiting) {
        return LUN_WAIT;
    }

    s->list = conf->content;
    return run_commands(r, s);
}


/* --- before and after what others say ------------------------------------ */

static lun_rc
on_header(lun_request *r)
{
    const lun_echo_conf  *conf = lun_http_conf(r, &lun_http_echo);

    if (conf->before != NULL || conf->after != NULL) {
        lun_debug(r->log, "echo header filter, uri \"%.*s?%.*s\"",
                  LUN_S(r->uri), LUN_S(r->args));
        lun_http_clear_length(r);
        lun_http_clear_ranges(r);
    }

    return lun_http_next_header(r, &lun_http_echo);
}


/* Appends the lines of a list to the chain. */
static void
speak(lun_request *r, const lun_echo_list *list, lun_chain *out)
{
    size_t                   i;
    lun_buf                 *b;
    const lun_echo_command  *c;

    for (i = 0; list != NULL && i < list->commands.count; i++) {
        c = lun_array_at(&list->commands, i);
        b = lun_echo_line(r, c, lun_echo_values(r, c));

        if (b != NULL) {
            lun_chain_push(out, b);
        }
    }
}


/* Moves what ends the answer to a buf behind our own words. */
static void
speak_after(lun_request *r, const lun_echo_list *list, lun_chain *out,
    lun_buf *end)
{
    lun_buf  *b = lun_buf_new(r->pool);

    b->eof = end->eof;
    b->eof_part = end->eof_part;
    end->eof = 0;
    end->eof_part = 0;

    speak(r, list, out);
    lun_chain_push(out, b);
}


/*
 * echo_before_body and echo_after_body frame whatever makes the answer,
 * subrequests as well: each has an end of its own.
 */
static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    lun_buf              *b, *next;
    lun_chain             out;
    lun_echo_state       *s;
    const lun_echo_conf  *conf = lun_http_conf(r, &lun_http_echo);

    if (in == NULL || r->header_only
        || (conf->before == NULL && conf->after == NULL))
    {
        return lun_http_next_body(r, &lun_http_echo, in);
    }

    lun_debug(r->log, "echo body filter, uri \"%.*s?%.*s\"", LUN_S(r->uri),
              LUN_S(r->args));
    s = lun_echo_state_of(r);
    lun_chain_init(&out);

    if (!s->begun) {
        s->begun = true;
        speak(r, conf->before, &out);
    }

    for (b = in; b != NULL; b = next) {
        next = b->next;
        lun_chain_push(&out, b);

        if (conf->after != NULL && (b->eof || b->eof_part)) {
            speak_after(r, conf->after, &out, b);
        }
    }

    return lun_http_next_body(r, &lun_http_echo, out.head);
}


/* --- directives ---------------------------------------------------------- */

/* Words in front that begin with '-' are options; "--" ends them. */
static size_t
read_options(const lun_conf *cf, lun_echo_command *c)
{
    size_t   i;
    lun_str  word;

    for (i = 1; i < cf->argc; i++) {
        word = cf->args[i];

        if (word.len < 2 || word.data[0] != '-') {
            break;
        }

        if (lun_str_eq(word, LUN_STR("--"))) {
            return i + 1;
        }

        c->no_newline |= lun_str_eq(word, LUN_STR("-n"));
    }

    return i;
}


static lun_rc
add_command(lun_conf *cf, const lun_directive *d, void *conf, lun_echo_fn *run)
{
    size_t             i;
    lun_echo_list    **list;
    lun_echo_command  *c;

    list = (lun_echo_list **) (void *) ((char *) conf + d->field);

    if (*list == NULL) {
        *list = lun_pool_new(cf->pool, lun_echo_list);
        lun_array_init(&(*list)->commands, cf->pool, sizeof(lun_echo_command),
                       4);
    }

    c = lun_array_push(&(*list)->commands);
    c->run = run;
    i = read_options(cf, c);
    c->args = lun_pool_new_n(cf->pool, lun_script *, cf->argc);

    for ( ; i < cf->argc; i++) {
        c->args[c->count] = lun_script_new(cf, cf->args[i]);

        if (c->args[c->count++] == NULL) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* A row of the directives below, as its .data points to. */
typedef struct {
    lun_echo_fn  *run;
} command_kind;

static lun_rc
set_command(lun_conf *cf, const lun_directive *d, void *conf)
{
    const command_kind  *kind = d->data;

    return add_command(cf, d, conf, kind->run);
}


static lun_rc
set_content(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_http_set_content(cf, &lun_http_echo);
    return set_command(cf, d, conf);
}


/* A command whose output is another request's. */
static lun_rc
set_request(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_subrequest_in_order(cf);
    return set_content(cf, d, conf);
}


enum { PLACES = LUN_LOCATION | LUN_LOCATION_IF };

#define KIND(fn)  &(const command_kind) { fn }

#define CONTENT(text, least, most, setter, fn, ...)                           \
    { .name = text, .where = PLACES, .args = least, .args_max = most,         \
      .repeats = true, .set = setter,                                         \
      LUN_FIELD(lun_echo_conf, content), .data = KIND(fn),                    \
      __VA_ARGS__ }

#define COMMAND(text, least, most, fn, ...)                                   \
    CONTENT(text, least, most, set_content, fn, __VA_ARGS__)

#define REQUEST(text, least, most, fn, ...)                                   \
    CONTENT(text, least, most, set_request, fn, __VA_ARGS__)

static const lun_directive  directives[] = {
    COMMAND("echo", 0, LUN_ARGS_ANY, lun_echo_echo,
            .values = "[-n] [string ...]",
            .help = "answers with these words"),
    COMMAND("echo_duplicate", 2, 0, lun_echo_duplicate,
            .values = "count string",
            .help = "a text, so many times"),
    COMMAND("echo_flush", 0, 0, lun_echo_flush,
            .help = "sends what there is"),
    COMMAND("echo_sleep", 1, 0, lun_echo_sleep,
            .values = "seconds",
            .help = "waits so many seconds"),
    COMMAND("echo_blocking_sleep", 1, 0, lun_echo_blocking_sleep,
            .values = "seconds",
            .help = "sleeps, and the worker with it"),
    COMMAND("echo_reset_timer", 0, 0, lun_echo_reset_timer,
            .help = "begins $echo_timer_elapsed anew"),
    COMMAND("echo_read_request_body", 0, 0, lun_echo_read_request_body,
            .help = "reads the body"),
    COMMAND("echo_request_body", 0, 0, lun_echo_request_body,
            .help = "answers with the client's body"),
    COMMAND("echo_exec", 1, 2, lun_echo_exec,
            .values = "uri [args]",
            .help = "goes on in another location"),
    COMMAND("echo_foreach_split", 2, LUN_ARGS_ANY, lun_echo_foreach_split,
            .values = "delimiter string",
            .help = "for each part of a text"),
    COMMAND("echo_end", 0, 0, lun_echo_end,
            .help = "the end of echo_foreach_split"),
    REQUEST("echo_location", 1, 2, lun_echo_location,
            .values = "uri [args]",
            .help = "answers with a subrequest's answer"),
    REQUEST("echo_location_async", 1, 2, lun_echo_location_async,
            .values = "uri [args]",
            .help = "the same without waiting"),
    REQUEST("echo_subrequest", 2, LUN_ARGS_ANY, lun_echo_subrequest,
            .values = "method uri [-q args] [-b body] [-f file]",
            .help = "answers with a subrequest of any method"),
    REQUEST("echo_subrequest_async", 2, LUN_ARGS_ANY,
            lun_echo_subrequest_async,
            .values = "method uri [-q args] [-b body] [-f file]",
            .help = "the same without waiting"),
    COMMAND("echo_abort_parent", 0, 0, lun_echo_abort_parent,
            .help = "the parent of this subrequest says no more"),
    { .name = "echo_before_body", .where = PLACES, .args_max = LUN_ARGS_ANY,
      .repeats = true, .set = set_command,
      LUN_FIELD(lun_echo_conf, before), .data = KIND(lun_echo_echo),
      .values = "[-n] [text ...]",
      .help = "a line before the answer" },
    { .name = "echo_after_body", .where = PLACES, .args_max = LUN_ARGS_ANY,
      .repeats = true, .set = set_command,
      LUN_FIELD(lun_echo_conf, after), .data = KIND(lun_echo_echo),
      .values = "[-n] [text ...]",
      .help = "a line behind the answer" },
    { .name = "echo_status", .where = PLACES, .args = 1, .set = lun_set_num,
      LUN_FIELD(lun_echo_conf, status), .fallback = "200",
      .help = "the status of the answer" },
    { 0 }
};

static bool
is_idle(const lun_request *r)
{
    const lun_echo_conf  *conf = lun_http_conf(r, &lun_http_echo);

    return conf->before == NULL && conf->after == NULL;
}


lun_http_module  lun_http_echo = {
    .name = "echo",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(lun_echo_conf),
    .variables = lun_echo_variables,
    .on[LUN_CONTENT] = on_content,
    .header_filter = on_header,
    .body_filter = on_body,
    .is_idle = is_idle,
};
