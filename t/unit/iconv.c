/*
 * iconv.c -- texts from one encoding to another, on either system.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/iconv.h"
#include "tap.h"

/* What became of a text, up to the verdict. */
typedef struct {
    lun_iconv_verdict  verdict;
    lun_str            left;
    char               room[64];
    size_t             len;
} result;


static void
convert(result *res, const char *from, const char *to, lun_str text,
    size_t room)
{
    char       *out = res->room;
    lun_iconv  *c = lun_iconv_open(lun_str_of(to, strlen(to)),
                                   lun_str_of(from, strlen(from)));

    res->verdict = LUN_ICONV_BAD;
    res->left = LUN_STR("no such encoding");
    res->len = 0;

    if (c == NULL) {
        return;
    }

    res->left = lun_str_of(tap_edge(text.data, text.len), text.len);
    res->verdict = lun_iconv_run(c, &res->left, &out, res->room + room);

    if (res->verdict == LUN_ICONV_DONE
        && lun_iconv_finish(c, &out, res->room + room) != LUN_ICONV_DONE)
    {
        res->verdict = LUN_ICONV_FULL;
    }

    res->len = (size_t) (out - res->room);
    lun_iconv_close(c);
}


static bool
becomes(const char *from, const char *to, lun_str text, lun_str want)
{
    result  res;

    convert(&res, from, to, text, sizeof(res.room));
    return res.verdict == LUN_ICONV_DONE && res.left.len == 0
           && lun_str_eq(lun_str_of(res.room, res.len), want);
}


/* Stops so, with so much left and written. */
static bool
stops(const char *from, const char *to, lun_str text, size_t room,
    lun_iconv_verdict verdict, size_t left, size_t len)
{
    result  res;

    convert(&res, from, to, text, room);
    return res.verdict == verdict && res.left.len == left && res.len == len;
}


#define HELLO       LUN_STR("\xe4\xbd\xa0\xe5\xa5\xbd")
#define HELLO_GBK   LUN_STR("\xc4\xe3\xba\xc3")

static void
test_encodings(void)
{
    ok(becomes("utf-8", "GBK", HELLO, HELLO_GBK), "UTF-8 to GBK");
    ok(becomes("gbk", "utf8", HELLO_GBK, HELLO), "and back, by other names");
    ok(becomes("UTF-8", "KOI8-R", LUN_STR("\xd0\xbc\xd0\xb8\xd1\x80"),
               LUN_STR("\xcd\xc9\xd2")), "UTF-8 to KOI8-R");
    ok(becomes("windows-1251", "koi8-r", LUN_STR("\xec\xe8\xf0"),
               LUN_STR("\xcd\xc9\xd2")), "Windows's to KOI8-R");
    ok(becomes("ISO-8859-1", "UTF-8", LUN_STR("a\xeb"),
               LUN_STR("a\xc3\xab")), "Latin-1");
    ok(becomes("utf-8", "iso-8859-15", LUN_STR("\xe2\x82\xac"),
               LUN_STR("\xa4")), "Latin-9 has the euro");
    ok(becomes("utf-8", "big5", LUN_STR("\xe4\xbd\xa0"),
               LUN_STR("\xa7\x41")), "Big5");
    ok(becomes("shift_jis", "utf-8", LUN_STR("\x93\xfa"),
               LUN_STR("\xe6\x97\xa5")), "Shift-JIS");
    ok(becomes("utf-8", "utf-16le", LUN_STR("a\xf0\x9f\x98\x80"),
               LUN_STR("a\0\x3d\xd8\x00\xde")), "UTF-16, little end first");
    ok(becomes("utf-16be", "utf-8", LUN_STR("\0a\xd8\x3d\xde\x00"),
               LUN_STR("a\xf0\x9f\x98\x80")), "UTF-16, big end first");
    ok(becomes("utf-8", "utf-8", LUN_STR(""), LUN_STR("")), "nothing");
}


static void
test_stops(void)
{
    ok(stops("utf-8", "gbk", LUN_STR("a\xe4\xbd"), 64, LUN_ICONV_SHORT, 2, 1),
       "a character that is not there yet");
    ok(stops("gbk", "utf-8", LUN_STR("\xc4"), 64, LUN_ICONV_SHORT, 1, 0),
       "the first of two bytes");
    ok(stops("utf-16le", "utf-8", LUN_STR("a\0\x3d\xd8\x00"), 64,
             LUN_ICONV_SHORT, 3, 1), "half a pair of surrogates");
    ok(stops("utf-8", "gbk", LUN_STR("a\xffg"), 64, LUN_ICONV_BAD, 2, 1),
       "a byte that begins nothing");
    ok(stops("utf-8", "gbk", LUN_STR("\xe4z"), 64, LUN_ICONV_BAD, 2, 0),
       "a character that does not go on");
    ok(stops("utf-8", "gbk", LUN_STR("?\xc3\xab"), 64, LUN_ICONV_BAD, 2, 1),
       "a character that the other has not");
    ok(stops("utf-8", "ascii", LUN_STR("\xc3\xab"), 64, LUN_ICONV_BAD, 2, 0),
       "nor one that looks like it");
    ok(stops("utf-16le", "utf-8", LUN_STR("\x00\xde"), 64, LUN_ICONV_BAD, 2,
             0), "the second of two surrogates alone");
    ok(stops("utf-8", "latin1//IGNORE", LUN_STR("a\xff"), 64, LUN_ICONV_BAD,
             1, 1), "nor does it pass where it should be left out");
    ok(stops("utf-8//ignore", "latin1//TRANSLIT//IGNORE", LUN_STR("a\xff"
             "b"), 64, LUN_ICONV_BAD, 2, 1), "of either side");
    ok(stops("utf-8", "gbk", HELLO, 3, LUN_ICONV_FULL, 3, 2),
       "no room for the second character");
    ok(stops("utf-8", "gbk", HELLO, 0, LUN_ICONV_FULL, 6, 0), "nor any");
}


/* A stand-in or none, as the system has it: //IGNORE makes no difference. */
static void
test_stand_ins(void)
{
    size_t   i;
    result   plain, ignore;
    lun_str  text = LUN_STR("a\xc3\xab");

    static const char *const  names[] = {
        "ascii//TRANSLIT//IGNORE", "ascii//IGNORE//TRANSLIT"
    };

    convert(&plain, "utf-8", "ascii//TRANSLIT", text, 64);

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        convert(&ignore, "utf-8", names[i], text, 64);
        ok(ignore.verdict == plain.verdict && ignore.len == plain.len,
           "%s", names[i]);
    }
}


static void
test_names(void)
{
    ok(lun_iconv_open(LUN_STR("nonesuch"), LUN_STR("utf-8")) == NULL,
       "an unknown encoding");
    ok(lun_iconv_open(LUN_STR("utf-8"), LUN_STR("cp99999999999999999999"))
       == NULL, "a number that none has");
    ok(lun_iconv_open(LUN_STR("utf-8"),
                      LUN_STR("utf-8-and-very-much-more-than-any-encoding-is-"
                              "called-anywhere-at-all")) == NULL,
       "a long name");
    ok(lun_iconv_open(LUN_STR("utf-8"), LUN_STR("utf-8\0x")) == NULL,
       "a name with a zero byte");
}


int
main(void)
{
    test_encodings();
    test_stand_ins();
    test_stops();
    test_names();
    return done_testing();
}
