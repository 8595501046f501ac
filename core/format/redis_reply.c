/*
 * redis_reply.c -- one byte of a reply's frame after the other; what is in a
 * bulk is passed over as a whole.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/redis_reply.h"


enum { KIND, LINE, NUMBER, NUMBER_END, BULK, BULK_CR, BULK_LF };

/* No reply is larger, and no array has more parts. */
static const int64_t  number_most = (int64_t) 1 << 40;


void
lun_redis_reply_init(lun_redis_reply *p, int64_t count)
{
    *p = (lun_redis_reply) { .pending = count, .state = KIND };
}


/* The number is complete. */
static void
take_number(lun_redis_reply *p)
{
    p->state = KIND;

    if (p->kind == '$' && !p->negative) {
        p->left = p->number;
        p->state = p->left != 0 ? BULK : BULK_CR;
        return;
    }

    p->pending--;

    if (p->kind == '*' && !p->negative) {
        p->pending += p->number;
    }
}


static bool
take_kind(lun_redis_reply *p, char c)
{
    p->kind = c;
    p->number = 0;
    p->negative = false;
    p->digits = false;

    switch (c) {

    case '+':
    case '-':
    case ':':
        p->state = LINE;
        return true;

    case '$':
    case '*':
        p->state = NUMBER;
        return true;

    default:
        return false;
    }
}


static bool
take_digit(lun_redis_reply *p, char c)
{
    if (c == '\r' && p->digits) {
        p->state = NUMBER_END;
        return true;
    }

    if (c == '-' && !p->digits && !p->negative) {
        p->negative = true;
        return true;
    }

    if (!lun_is_digit(c)) {
        return false;
    }

    p->digits = true;
    p->number = p->number * 10 + (c - '0');

    /* Arrays in arrays add up. */
    return p->number <= number_most && p->pending <= number_most;
}


/* A byte outside of a bulk; false: it may not stand here. */
static bool
take_byte(lun_redis_reply *p, char c)
{
    switch (p->state) {

    case KIND:
        return take_kind(p, c);

    case LINE:
        if (c == '\n') {
            p->pending--;
            p->state = KIND;
        }

        return true;

    case NUMBER:
        return take_digit(p, c);

    case NUMBER_END:
        if (c == '\n') {
            take_number(p);
        }

        return c == '\n';

    case BULK_CR:
        p->state = BULK_LF;
        return c == '\r';

    default:                       /* BULK_LF */
        p->pending--;
        p->state = KIND;
        return c == '\n';
    }
}


/*
 * Only counted and never kept: `pending` is how many replies, those within
 * arrays as well, are still to come.
 */
lun_redis_verdict
lun_redis_reply_next(lun_redis_reply *p, const char **pos, const char *end)
{
    int64_t  n;

    while (p->pending > 0 && *pos < end) {
        if (p->state == BULK) {
            n = lun_min(p->left, (int64_t) (end - *pos));
            p->left -= n;
            *pos += n;

            if (p->left == 0) {
                p->state = BULK_CR;
            }

        } else if (take_byte(p, **pos)) {
            (*pos)++;

        } else {
            return LUN_REDIS_BAD;
        }
    }

    return p->pending > 0 ? LUN_REDIS_MORE : LUN_REDIS_DONE;
}


static const char *
end_of_command(const char *pos, const char *end)
{
    lun_redis_reply  p;

    if (*pos != '*') {
        pos = memchr(pos, '\n', (size_t) (end - pos));
        return pos != NULL ? pos + 1 : NULL;
    }

    lun_redis_reply_init(&p, 1);
    return lun_redis_reply_next(&p, &pos, end) == LUN_REDIS_DONE ? pos : NULL;
}


/* Lines without a word, and arrays without parts, get no reply. */
static bool
has_reply(lun_str command)
{
    while (command.len > 0
           && (unsigned char) command.data[command.len - 1] <= ' ')
    {
        command.len--;
    }

    return command.len != 0
           && !lun_str_starts(command, LUN_STR("*0"))
           && !lun_str_starts(command, LUN_STR("*-"));
}


/* The name of a command, which is a line or an array. */
static lun_str
name_of(lun_str command)
{
    size_t       n;
    const char  *p = command.data, *end = p + command.len;

    if (*p == '*') {
        p = memchr(p, '$', command.len);
        p = p != NULL ? memchr(p, '\n', (size_t) (end - p)) : NULL;

        if (p == NULL) {
            return LUN_STR("");
        }

        p++;
    }

    while (p < end && (unsigned char) *p <= ' ') {
        p++;
    }

    for (n = 0; p + n < end && (unsigned char) p[n] > ' '; n++) {
        /* to its end */
    }

    return lun_str_of(p, n);
}


/* What is not over when its reply has come: the next request would have it. */
static bool
lasts(lun_str command)
{
    size_t                i;
    lun_str               name = name_of(command);
    static const lun_str  names[] = {
        LUN_STR_INIT("auth"), LUN_STR_INIT("select"), LUN_STR_INIT("hello"),
        LUN_STR_INIT("multi"), LUN_STR_INIT("watch"), LUN_STR_INIT("monitor"),
        LUN_STR_INIT("subscribe"), LUN_STR_INIT("psubscribe"),
        LUN_STR_INIT("ssubscribe"), LUN_STR_INIT("client"),
        LUN_STR_INIT("readonly"), LUN_STR_INIT("asking"),
        LUN_STR_INIT("quit"), LUN_STR_INIT("shutdown"), LUN_STR_INIT("sync"),
        LUN_STR_INIT("psync"), LUN_STR_INIT("replconf")
    };

    /* In a line the server takes away quotes, and what they escape. */
    if (lun_str_chr(name, '"') != NULL || lun_str_chr(name, '\'') != NULL) {
        return true;
    }

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_caseeq(name, names[i])) {
            return true;
        }
    }

    return false;
}


int64_t
lun_redis_count_commands(lun_str text)
{
    int64_t      n;
    lun_str      one;
    const char  *next, *pos = text.data, *end = text.data + text.len;

    for (n = 0; pos < end; pos = next, n++) {
        next = end_of_command(pos, end);

        if (next == NULL) {
            return -1;
        }

        one = lun_str_of(pos, (size_t) (next - pos));

        if (!has_reply(one) || lasts(one)) {
            return -1;
        }
    }

    return n;
}
