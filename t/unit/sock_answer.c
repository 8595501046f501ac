/*
 * sock_answer.c -- replies of Redis and frames of WebSocket, whole or not.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/lua/sock/answer.c"

#include "tap.h"

enum { MORE = LUN_ANSWER_MORE, WHOLE = LUN_ANSWER_WHOLE,
       OTHER = LUN_ANSWER_OTHER };

static lun_answer  found;


/* From the end of a page, in one piece. */
static int64_t
redis(const char *text)
{
    size_t          n = strlen(text);
    lun_answer_run  run = { 0 };

    return lun_answer_redis(&run, lun_str_of(tap_edge(text, n), n), &found);
}


static int64_t
frame(const char *bytes, size_t n, bool only_masked)
{
    bool  masked;

    return lun_answer_frame(lun_str_of(tap_edge(bytes, n), n), 200,
                            only_masked, &masked, &found);
}


static void
replies(void)
{
    size_t           n;
    lun_str          whole = LUN_STR("$5\r\na\r\nbc\r\n+OK");
    lun_answer_run   run = { 0 };

    for (n = 0; n < 11; n++) {
        is_int(lun_answer_redis(&run, lun_str_of(tap_edge(whole.data, n), n),
                                &found), MORE, "a text that has not come");
    }

    is_int(redis(whole.data), WHOLE, "one that has");
    is_int((int64_t) found.head, 4, "where it is");
    is_int((int64_t) found.len, 5, "how long");
    is_int((int64_t) found.all, 11, "and what follows stays");

    is_int(redis("$5\r\nabcdefg\r\n"), OTHER, "a text without its end");
    is_int((int64_t) found.all, 4, "is its line");
    is_int(redis("$0\r\n\r\n"), WHOLE, "an empty one");
    is_int(redis("$4096\r\n"), MORE, "the longest");
    is_int(redis("$4097\r\n"), OTHER, "one that is longer");
    is_int(redis("$99999999999999999999999999\r\n"), OTHER, "by far");
    is_int(redis("$-1\r\n"), OTHER, "no text");
    is_int(redis("$\r\n"), OTHER, "no number");
    is_int(redis("$1\n"), OTHER, "no CR");
    is_int(redis("\n"), OTHER, "nothing");
    is_int((int64_t) found.len, 0, "is an empty line");
    is_int(redis(":12\r\n"), OTHER, "a number");
    is_int((int64_t) found.len, 4, "is a line");
    is_int(redis("-ERR"), MORE, "a line without an end");
}


static void
frames(void)
{
    char  long_one[204] = "\x82\x7e\0\xc8";

    is_int(frame("", 0, false), MORE, "nothing");
    is_int(frame("\x81", 1, false), MORE, "a byte");
    is_int(frame("\x81\2a", 3, false), MORE, "a part of a text");
    is_int(frame("\x81\2ab\x81", 5, false), WHOLE, "all of it");
    is_int((int64_t) found.all, 4, "and what follows stays");
    is_int(frame("\x81\x82KEY!ab", 8, true), WHOLE, "with a mask");
    is_int((int64_t) found.head, 6, "the key is in its head");
    is_int(frame("\x81\x82KEY!a", 7, true), MORE, "a part of that");
    is_int(frame("\x81\2", 2, true), OTHER, "one that is to have a mask");
    is_int(frame("\x82\0", 2, false), WHOLE, "data, of no bytes");
    is_int(frame("\x82\x7e\0", 3, false), MORE, "a part of a length");
    is_int(frame(long_one, 203, false), MORE, "a part of much");
    is_int(frame(long_one, 204, false), WHOLE, "much");
    is_int(frame("\x82\x7e\0\xc9", 4, false), OTHER, "more than may be");
    is_int(frame("\x82\x7f", 2, false), OTHER, "very much");
    is_int(frame("\1\1", 2, false), OTHER, "not the end of a message");
    is_int(frame("\x88\0", 2, false), OTHER, "a close");
    is_int(frame("\xc1\0", 2, false), OTHER, "a bit that nobody knows");
}


int
main(void)
{
    replies();
    frames();

    return done_testing();
}
