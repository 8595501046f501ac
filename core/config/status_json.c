/*
 * status_json.c -- members of the tree, written as JSON.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/status_json.h"

#include "base/check.h"
#include "base/fmt.h"
#include "base/utf8.h"
#include "os/clock.h"


enum {
    ROOM   = 16384,                /* of a buf */
    NUMBER = 48,
    INDENT = 4,
    DEEP   = 32
};


static lun_buf *
make_room(lun_status_json *j, size_t n)
{
    if (j->b == NULL || (size_t) (j->b->end - j->b->last) < n) {
        if (j->out.tail == NULL) {
            lun_chain_init(&j->out);
        }

        j->b = lun_buf_new_room(j->pool, lun_max(n, (size_t) ROOM));
        lun_chain_push(&j->out, j->b);
    }

    return j->b;
}


static void
put_byte(lun_status_json *j, char c)
{
    *make_room(j, 1)->last++ = c;
}


/* --- texts --------------------------------------------------------------- */

void
lun_status_json_text(lun_status_json *j, lun_str text)
{
    lun_buf  *b = make_room(j, text.len * LUN_UTF8_JSON + 2);

    *b->last++ = '"';
    b->last = lun_utf8_json(b->last, b->end, text);
    *b->last++ = '"';
}


/* --- members ------------------------------------------------------------- */

static void
put_line(lun_status_json *j)
{
    lun_buf   *b;
    unsigned   spaces = INDENT * lun_min(j->level, (unsigned) DEEP);

    if (!j->pretty) {
        return;
    }

    b = make_room(j, spaces + 1);
    *b->last++ = '\n';
    memset(b->last, ' ', spaces);
    b->last += spaces;
}


/* What stands in front of a value. */
static void
begin_member(lun_status_json *j, lun_str name)
{
    if (j->any) {
        put_byte(j, ',');
    }

    if (j->level != 0) {
        put_line(j);
    }

    j->any = true;

    if (name.data != NULL) {
        lun_status_json_text(j, name);
        put_byte(j, ':');

        if (j->pretty) {
            put_byte(j, ' ');
        }
    }
}


static void
on_open(void *to, lun_str name, bool list)
{
    lun_status_json  *j = to;

    begin_member(j, name);
    put_byte(j, list ? '[' : '{');
    j->lists = j->lists << 1 | list;
    j->level++;
    j->any = false;
}


static void
on_close(void *to)
{
    lun_status_json  *j = to;

    LUN_CHECK(j->level > 0);
    j->level--;

    if (j->any) {
        put_line(j);
    }

    put_byte(j, (j->lists & 1) != 0 ? ']' : '}');
    j->lists >>= 1;
    j->any = true;
}


/* 1500 of scale 1000 is 1.5. */
static char *
write_decimal(char *p, const char *end, int64_t n, uint32_t scale)
{
    uint64_t  whole = (uint64_t) (n < 0 ? -n : n) / scale;
    uint64_t  rest = (uint64_t) (n < 0 ? -n : n) % scale;

    p = lun_fmt(p, end, "%s%" PRIu64, n < 0 ? "-" : "", whole);

    if (rest != 0) {
        *p++ = '.';
    }

    for ( ; rest != 0 && scale > 1; rest %= scale) {
        rest *= 10;
        *p++ = (char) ('0' + rest / scale);
    }

    return p;
}


static void
put_time(lun_status_json *j, int64_t ms)
{
    int64_t   sec = ms / 1000;
    lun_buf  *b = make_room(j, NUMBER);
    lun_date  t;

    if (j->epoch) {
        b->last = lun_fmt(b->last, b->end, "%" PRId64, sec);
        return;
    }

    lun_date_of(sec, &t);
    b->last = lun_fmt(b->last, b->end, "\"%04d-%02d-%02dT%02d:%02d:%02d",
                      t.year, t.month, t.day, t.hour, t.minute, t.second);

    if (ms % 1000 != 0) {
        b->last = lun_fmt(b->last, b->end, ".%03d", (int) (ms % 1000));
    }

    b->last = lun_fmt(b->last, b->end, "Z\"");
}


/*
 * make_room() may begin another buffer, so the value is written where that
 * says.
 */
static void
on_value(void *to, lun_str name, const lun_status_value *v)
{
    lun_buf          *b;
    lun_status_json  *j = to;

    begin_member(j, name);
    b = make_room(j, NUMBER);

    switch (v->kind) {

    case LUN_STATUS_NUMBER:
        b->last = lun_fmt(b->last, b->end, "%" PRId64, v->number);
        break;

    case LUN_STATUS_DECIMAL:
        b->last = write_decimal(b->last, b->end, v->number, v->scale);
        break;

    case LUN_STATUS_FLAG:
        b->last = lun_fmt(b->last, b->end, "%s",
                          v->number != 0 ? "true" : "false");
        break;

    case LUN_STATUS_TEXT:
        lun_status_json_text(j, v->text);
        break;

    case LUN_STATUS_TIME:
        put_time(j, v->number);
    }
}


void
lun_status_json_end(lun_status_json *j)
{
    if (j->pretty) {
        put_byte(j, '\n');
    }
}


const lun_status_printer  lun_status_json_printer = {
    .open = on_open, .close = on_close, .value = on_value,
};
