/*
 * set_misc_text.c -- functions from text to text, and their bounds.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/set_misc/set_misc_text.c"

#include "tap.h"


#define BYTES(text)  text, sizeof(text) - 1

typedef struct {
    const char  *in;
    size_t       in_len;
    const char  *want;             /* NULL: refused */
    size_t       want_len;
} text_case;

static lun_pool  *pool;


/* Input ends at an unreadable page; output has not a byte to spare. */
static void
check(const char *name, lun_text_fn *fn, const text_case *c)
{
    lun_rc   rc;
    lun_str  in = lun_str_of(tap_edge(c->in, c->in_len), c->in_len);
    lun_str  out = LUN_STR_NULL;

    rc = fn(NULL, pool, in, &out);

    if (c->want == NULL) {
        is_int(rc, LUN_ERROR, "%s refuses %.*s", name, (int) c->in_len, c->in);
        return;
    }

    ok(rc == LUN_OK, "%s takes %u bytes", name, (unsigned) c->in_len);
    is_mem(out.data, out.len, c->want, c->want_len, "and makes of them");
}


static void
check_all(const char *name, lun_text_fn *fn, const text_case *c, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        check(name, fn, &c[i]);
    }
}

#define CHECK_ALL(fn, list)  check_all(#fn, fn, list, LUN_ARRAY_LEN(list))


/* --- quoting ------------------------------------------------------------- */

static const text_case  sql[] = {
    { BYTES(""), BYTES("''") },
    { BYTES("plain"), BYTES("'plain'") },
    { BYTES("'"), BYTES("'\\''") },
    { BYTES("\"\\$"), BYTES("'\\\"\\\\\\$'") },
    { BYTES("\0\b\t\n\r\x1a"), BYTES("'\\0\\b\\t\\n\\r\\Z'") },
    { BYTES("\x01\x19\x1b\x7f\x80\xff"), BYTES("'\x01\x19\x1b\x7f\x80\xff'") },
};

/* Bytes that are no UTF-8 are octal numbers, and then all of them are. */
static const text_case  pgsql[] = {
    { BYTES(""), BYTES("''") },
    { BYTES("it's"), BYTES("E'it\\'s'") },
    { BYTES("\x7f"), BYTES("E'\x7f'") },
    { BYTES("\xc2\x80"), BYTES("E'\xc2\x80'") },
    { BYTES("\xdf\xbf"), BYTES("E'\xdf\xbf'") },
    { BYTES("\xe0\xa0\x80"), BYTES("E'\xe0\xa0\x80'") },
    { BYTES("\xef\xbf\xbf"), BYTES("E'\xef\xbf\xbf'") },
    { BYTES("\xf0\x90\x80\x80"), BYTES("E'\xf0\x90\x80\x80'") },
    { BYTES("\xf4\x8f\xbf\xbf"), BYTES("E'\xf4\x8f\xbf\xbf'") },
    { BYTES("\x80"), BYTES("E'\\\\200'") },
    { BYTES("\xff"), BYTES("E'\\\\377'") },
    { BYTES("\xbf"), BYTES("E'\\\\277'") },
    { BYTES("\xc1\x80"), BYTES("E'\\\\301\\\\200'") },
    { BYTES("\xf5\x80\x80\x80"), BYTES("E'\\\\365\\\\200\\\\200\\\\200'") },
    { BYTES("\xc2"), BYTES("E'\\\\302'") },
    { BYTES("\xe0\xa0"), BYTES("E'\\\\340\\\\240'") },
    { BYTES("\xf0\x90\x80"), BYTES("E'\\\\360\\\\220\\\\200'") },
    { BYTES("\xc2" "a"), BYTES("E'\\\\302a'") },
    { BYTES("\xe0\xa0" "a"), BYTES("E'\\\\340\\\\240a'") },
    { BYTES("\xc2\xc0"), BYTES("E'\\\\302\\\\300'") },
    { BYTES("\xc2\x80\xff"), BYTES("E'\\\\302\\\\200\\\\377'") },
};

static const text_case  json[] = {
    { BYTES(""), BYTES("null") },
    { BYTES("a/b"), BYTES("\"a/b\"") },
    { BYTES("\"\\\b\f\n\r\t"), BYTES("\"\\\"\\\\\\b\\f\\n\\r\\t\"") },
    { BYTES("\0\x01\x1f\x20\x7f\x80"),
      BYTES("\"\\u0000\\u0001\\u001f\x20\x7f\x80\"") },
};


/* --- percents ------------------------------------------------------------ */

static const text_case  unescape[] = {
    { BYTES(""), BYTES("") },
    { BYTES("a+b"), BYTES("a b") },
    { BYTES("%41%5a%5A%0f%F0"), BYTES("AZZ\x0f\xf0") },
    { BYTES("%"), BYTES("") },
    { BYTES("a%"), BYTES("a") },
    { BYTES("%4"), BYTES("") },
    { BYTES("%zz"), BYTES("zz") },
    { BYTES("%4za"), BYTES("a") },
    { BYTES("%g0%/0%:0%@0"), BYTES("g0/0:0@0") },
    { BYTES("%%41"), BYTES("%41") },
};

static const text_case  escape[] = {
    { BYTES(""), BYTES("") },
    { BYTES("azAZ09-_.~!*'()"), BYTES("azAZ09-_.~!*'()") },
    { BYTES(" \"#%&+/:;<=>?[\\]^{}"),
      BYTES("%20%22%23%25%26%2B%2F%3A%3B%3C%3D%3E%3F%5B%5C%5D%5E%7B%7D") },
    { BYTES("\0\x1f\x21\x7e\x7f\x80\xff"), BYTES("%00%1F!~%7F%80%FF") },
};


/* --- codings ------------------------------------------------------------- */

static const text_case  to_base32[] = {
    { BYTES(""), BYTES("") },
    { BYTES("f"), BYTES("co======") },
    { BYTES("fo"), BYTES("cpng====") },
    { BYTES("foo"), BYTES("cpnmu===") },
    { BYTES("foob"), BYTES("cpnmuog=") },
    { BYTES("fooba"), BYTES("cpnmuoj1") },
    { BYTES("foobar"), BYTES("cpnmuoj1e8======") },
    { BYTES("\xff\xff\xff\xff\xff"), BYTES("vvvvvvvv") },
    { BYTES("\0\0\0\0\0"), BYTES("00000000") },
};

static const text_case  from_base32[] = {
    { BYTES(""), BYTES("") },
    { BYTES("="), BYTES("") },
    { BYTES("co======"), BYTES("f") },
    { BYTES("cpng"), BYTES("fo") },
    { BYTES("cpnmu==="), BYTES("foo") },
    { BYTES("cpnmuog="), BYTES("foob") },
    { BYTES("cpnmuoj1"), BYTES("fooba") },
    { BYTES("cpnmuoj1e8"), BYTES("foobar") },
    { BYTES("vvvvvvvv"), BYTES("\xff\xff\xff\xff\xff") },
    { BYTES("wwwwwwww"), BYTES("\0\0\0\0\0") },
};

static const text_case  to_base64[] = {
    { BYTES(""), BYTES("") },
    { BYTES("\xff\xef\xbe"), BYTES("/+++") },
    { BYTES("a"), BYTES("YQ==") },
    { BYTES("ab"), BYTES("YWI=") },
};

static const text_case  to_base64url[] = {
    { BYTES(""), BYTES("") },
    { BYTES("\xff\xef\xbe"), BYTES("_---") },
    { BYTES("a"), BYTES("YQ") },
    { BYTES("ab"), BYTES("YWI") },
};

static const text_case  from_base64[] = {
    { BYTES(""), BYTES("") },
    { BYTES("/+++"), BYTES("\xff\xef\xbe") },
    { BYTES("YQ=="), BYTES("a") },
    { BYTES("YWI="), BYTES("ab") },
    { BYTES("YWJj"), BYTES("abc") },
    { BYTES("_---"), NULL, 0 },
};

static const text_case  from_base64url[] = {
    { BYTES("_---"), BYTES("\xff\xef\xbe") },
    { BYTES("YQ"), BYTES("a") },
    { BYTES("YWI"), BYTES("ab") },
    { BYTES("/+++"), NULL, 0 },
};

static const text_case  to_hex[] = {
    { BYTES(""), BYTES("") },
    { BYTES("\0\x0f\xf0\xff"), BYTES("000ff0ff") },
};

static const text_case  from_hex[] = {
    { BYTES(""), BYTES("") },
    { BYTES("000ff0FFaA"), BYTES("\0\x0f\xf0\xff\xaa") },
    { BYTES("0"), NULL, 0 },
    { BYTES("000"), NULL, 0 },
    { BYTES("0g"), NULL, 0 },
    { BYTES("g0"), NULL, 0 },
    { BYTES("0/"), NULL, 0 },
    { BYTES(":0"), NULL, 0 },
    { BYTES("00`0"), NULL, 0 },
};

static const text_case  md5[] = {
    { BYTES(""), BYTES("d41d8cd98f00b204e9800998ecf8427e") },
    { BYTES("abc"), BYTES("900150983cd24fb0d6963f7d28e17f72") },
};

static const text_case  sha1[] = {
    { BYTES(""), BYTES("da39a3ee5e6b4b0d3255bfef95601890afd80709") },
    { BYTES("abc"), BYTES("a9993e364706816aba3e25717850c26c9cd0d89d") },
};


int
main(void)
{
    pool = lun_pool_new_sized(4096);

    CHECK_ALL(lun_misc_quote_sql, sql);
    CHECK_ALL(lun_misc_quote_pgsql, pgsql);
    CHECK_ALL(lun_misc_quote_json, json);
    CHECK_ALL(lun_misc_unescape_uri, unescape);
    CHECK_ALL(lun_misc_escape_uri, escape);
    CHECK_ALL(lun_misc_encode_base32, to_base32);
    CHECK_ALL(lun_misc_decode_base32, from_base32);
    CHECK_ALL(lun_misc_encode_base64, to_base64);
    CHECK_ALL(lun_misc_encode_base64url, to_base64url);
    CHECK_ALL(lun_misc_decode_base64, from_base64);
    CHECK_ALL(lun_misc_decode_base64url, from_base64url);
    CHECK_ALL(lun_misc_encode_hex, to_hex);
    CHECK_ALL(lun_misc_decode_hex, from_hex);
    CHECK_ALL(lun_misc_md5, md5);
    CHECK_ALL(lun_misc_sha1, sha1);

    lun_pool_free(pool);
    return done_testing();
}
