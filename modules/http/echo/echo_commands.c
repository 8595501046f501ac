/*
 * echo_commands.c -- what the commands of the echo module do.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/echo/echo_priv.h"

#include "os/time.h"


enum { MAX_SLEEP = 1000 * 1000 };      /* seconds */


static lun_verdict
send(lun_request *r, lun_buf *in)
{
    lun_verdict  v = lun_echo_send_header(r);

    if (v != LUN_NEXT || r->header_only || in == NULL) {
        return v;
    }

    return lun_http_output(r, in) == LUN_ERROR ? LUN_FAILED : LUN_NEXT;
}


/* --- saying something ---------------------------------------------------- */

lun_verdict
lun_echo_echo(lun_request *r, lun_echo_state *s, const lun_echo_command *c,
    const lun_str *args)
{
    return send(r, lun_echo_line(r, c, args));
}


/* "1000_000" is a number as well. */
static lun_rc
read_count(lun_str word, uint64_t *n)
{
    char     digits[24];
    size_t   i, len = 0;

    for (i = 0; i < word.len; i++) {
        if (word.data[i] == '_') {
            continue;
        }

        if (len == sizeof(digits)) {
            return LUN_ERROR;
        }

        digits[len++] = word.data[i];
    }

    return lun_str_to_u64(lun_str_of(digits, len), n);
}


/*
 * The product is checked before memory is asked for: both numbers may come from
 * a client.
 */
lun_verdict
lun_echo_duplicate(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    char      *text, *p;
    uint64_t   n;

    if (c->count < 2 || read_count(args[0], &n) != LUN_OK) {
        lun_log(LUN_LOG_ERR, r->log, 0, "invalid size specified: \"%.*s\"",
                LUN_S(args[0]));
        return LUN_STATUS + 500;
    }

    if (n == 0 || args[1].len == 0) {
        return send(r, NULL);
    }

    text = n <= SIZE_MAX / 2 / args[1].len
           ? lun_pool_alloc_try(r->pool, (size_t) n * args[1].len) : NULL;

    if (text == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "no memory for %" PRIu64 " times %zu "
                "bytes", n, args[1].len);
        return LUN_STATUS + 500;
    }

    for (p = text; n > 0; n--) {
        p = lun_copy_str(p, args[1]);
    }

    return send(r, lun_buf_new_str(r->pool, lun_str_of(text,
                                                       (size_t) (p - text))));
}


lun_verdict
lun_echo_flush(lun_request *r, lun_echo_state *s, const lun_echo_command *c,
    const lun_str *args)
{
    lun_buf  *b = lun_buf_new(r->pool);

    b->flush = 1;
    return send(r, b);
}


/* --- time ---------------------------------------------------------------- */

/* "1.234" -> 1234 */
static lun_rc
read_seconds(lun_request *r, lun_str word, lun_msec *ms)
{
    unsigned     scale = 1000;
    uint64_t     whole = 0, part = 0;
    lun_str      left = word, right = LUN_STR("");
    const char  *dot = lun_str_chr(word, '.'), *p;

    if (dot != NULL) {
        left.len = (size_t) (dot - word.data);
        right = lun_str_of(dot + 1, word.len - left.len - 1);
    }

    if (left.len + right.len == 0 || right.len > 3
        || (left.len != 0 && lun_str_to_u64(left, &whole) != LUN_OK)
        || whole > MAX_SLEEP)
    {
        goto invalid;
    }

    for (p = right.data; p != right.data + right.len; p++) {
        if (!lun_is_digit(*p)) {
            goto invalid;
        }

        scale /= 10;
        part += (uint64_t) (*p - '0') * scale;
    }

    *ms = whole * 1000 + part;
    return LUN_OK;

invalid:

    lun_log(LUN_LOG_ERR, r->log, 0, "invalid sleep duration \"%.*s\"",
            LUN_S(word));
    return LUN_ERROR;
}


static void
on_timer(lun_timer *timer)
{
    lun_echo_state  *s = lun_container_of(timer, lun_echo_state, timer);

    s->waiting = false;
    lun_http_on_abort(s->request, NULL, NULL);
    lun_http_resume(s->request);
    lun_http_put(s->request);
}


/* Nobody waits for this subrequest any more. */
static void
wake_up(lun_request *r, void *data)
{
    lun_echo_state  *s = data;

    lun_timer_stop(&s->timer);
    on_timer(&s->timer);
}


static void
stop_timer(void *data)
{
    lun_echo_state  *s = data;

    lun_timer_stop(&s->timer);
}


lun_verdict
lun_echo_sleep(lun_request *r, lun_echo_state *s, const lun_echo_command *c,
    const lun_str *args)
{
    lun_msec  ms;

    if (read_seconds(r, args[0], &ms) != LUN_OK) {
        return LUN_STATUS + 400;
    }

    if (s->timer.fire == NULL) {
        lun_pool_on_end(r->pool, stop_timer, s);
    }

    s->waiting = true;
    lun_http_get(r);
    lun_timer_start(r->conn->loop, &s->timer, ms, on_timer);

    if (r->parent != NULL) {
        lun_http_on_abort(r, wake_up, s);
    }

    return LUN_WAIT;
}


lun_verdict
lun_echo_blocking_sleep(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    lun_msec  ms;

    if (read_seconds(r, args[0], &ms) != LUN_OK) {
        return LUN_STATUS + 400;
    }

    lun_time_sleep(ms);
    return LUN_NEXT;
}


lun_verdict
lun_echo_reset_timer(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    s->since = lun_echo_now();
    return LUN_NEXT;
}


/* --- the request's body -------------------------------------------------- */

static void
on_body(lun_request *r)
{
    lun_echo_state  *s = lun_http_state(r, &lun_http_echo);

    s->waiting = false;

    if (!s->reading) {
        lun_http_resume(r);
    }
}


lun_verdict
lun_echo_read_request_body(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    lun_verdict  v;

    if (r->parent != NULL || r->body != NULL) {
        return LUN_NEXT;
    }

    s->reading = true;
    s->waiting = true;
    v = lun_body_read(r, on_body);
    s->reading = false;

    return v == LUN_LEAVE ? LUN_NEXT : v;
}


/* Copies: the request may be asked for its body again. */
lun_verdict
lun_echo_request_body(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    lun_buf        *copy;
    lun_chain       out;
    const lun_buf  *b;

    if (r->body == NULL || r->body->bufs.head == NULL) {
        return LUN_NEXT;
    }

    lun_chain_init(&out);

    for (b = r->body->bufs.head; b != NULL; b = b->next) {
        copy = lun_buf_new(r->pool);
        *copy = *b;
        lun_chain_push(&out, copy);
    }

    return send(r, out.head);
}


/* --- somewhere else ------------------------------------------------------ */

lun_verdict
lun_echo_exec(lun_request *r, lun_echo_state *s, const lun_echo_command *c,
    const lun_str *args)
{
    lun_str      uri = args[0], query = LUN_STR_NULL;
    const char  *mark = lun_str_chr(uri, '?');

    if (uri.len == 0) {
        return LUN_STATUS + 400;
    }

    if (mark != NULL) {
        uri.len = (size_t) (mark - uri.data);
        query = lun_str_of(mark + 1, args[0].len - uri.len - 1);
    }

    if (c->count > 1) {
        query = args[1];
    }

    if (uri.len == 0 || uri.data[0] != '@') {
        lun_http_redirect(r, uri, query);
        return LUN_MOVED;
    }

    if (query.len != 0) {
        lun_log(LUN_LOG_WARN, r->log, 0, "querystring %.*s ignored when "
                "exec'ing named location %.*s", LUN_S(query), LUN_S(uri));
    }

    lun_http_named(r, uri);
    return LUN_MOVED;
}


/* --- loops --------------------------------------------------------------- */

/* The next item that is not empty; false: there is none. */
static bool
take_item(lun_echo_loop *loop)
{
    lun_str      rest;
    const char  *end;

    do {
        rest = loop->rest;

        if (rest.len == 0) {
            return false;
        }

        end = loop->separator.len != 0
              ? lun_str_find(rest, loop->separator) : NULL;

        if (end == NULL) {
            loop->item = rest;
            loop->rest = LUN_STR_NULL;
            return true;
        }

        loop->item = lun_str_of(rest.data, (size_t) (end - rest.data));
        end += loop->separator.len;
        loop->rest = lun_str_of(end, (size_t) (rest.data + rest.len - end));

    } while (loop->item.len == 0);

    return true;
}


/* Nothing to do it with: behind the loop's end. */
static void
skip_loop(lun_echo_state *s)
{
    const lun_echo_command  *c;

    while (s->next < s->list->commands.count) {
        c = lun_array_at(&s->list->commands, s->next++);

        if (c->run == lun_echo_end) {
            return;
        }
    }
}


/*
 * An empty list skips to the end of the loop, which is found now and not at
 * configuration.
 */
lun_verdict
lun_echo_foreach_split(lun_request *r, lun_echo_state *s,
    const lun_echo_command *c, const lun_str *args)
{
    lun_echo_loop  *loop = &s->loop;

    if (loop->on) {
        lun_log(LUN_LOG_ERR, r->log, 0, "Nested echo_foreach not supported "
                "yet.");
        return LUN_STATUS + 500;
    }

    if (c->count < 2) {
        lun_log(LUN_LOG_ERR, r->log, 0, "echo_foreach should take at least "
                "two arguments. (if your delimiter starts with \"-\", "
                "preceding it with a \"--\".)");
        return LUN_STATUS + 500;
    }

    *loop = (lun_echo_loop) {
        .body = s->next,
        .separator = args[0],
        .rest = args[1],
    };

    loop->on = take_item(loop);

    if (!loop->on) {
        skip_loop(s);
    }

    return LUN_NEXT;
}


lun_verdict
lun_echo_end(lun_request *r, lun_echo_state *s, const lun_echo_command *c,
    const lun_str *args)
{
    lun_echo_loop  *loop = &s->loop;

    if (!loop->on) {
        lun_log(LUN_LOG_ERR, r->log, 0, "Found a echo_end that has no "
                "corresponding echo_foreach before it.");
        return LUN_FAILED;
    }

    loop->on = take_item(loop);

    if (loop->on) {
        s->next = loop->body;
    }

    return LUN_NEXT;
}
