/*
 * passwd.c -- whether a word is the one that an entry was made from.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/passwd.h"

#include "base/digest.h"
#include "base/fmt.h"
#include "base/pool.h"


enum {
    ROUNDS   = 1000,
    SALT     = 8,                  /* bytes of it that count */
    MD5_TEXT = 22,                 /* 16 bytes, six bits a letter */
    MOST     = 512                 /* an entry's base64 */
};


bool
lun_passwd_same(lun_str a, lun_str b)
{
    size_t         i;
    unsigned char  differ = 0;

    if (a.len != b.len) {
        return false;
    }

    for (i = 0; i < a.len; i++) {
        differ |= (unsigned char) (a.data[i] ^ b.data[i]);
    }

    return differ == 0;
}


/* --- {SHA} and {SSHA} ---------------------------------------------------- */

/* What follows the digest is the salt. */
static lun_passwd_verdict
check_sha(lun_str word, lun_str code, bool salted)
{
    char           room[MOST / 4 * 3 + 3], *text;
    size_t         len;
    lun_str        salt;
    unsigned char  sum[LUN_SHA1_SIZE];

    if (code.len > MOST
        || lun_base64_decode(room, &len, code, false, false) != LUN_OK
        || len < LUN_SHA1_SIZE)
    {
        return LUN_PASSWD_NO;
    }

    salt = lun_str_of(room + LUN_SHA1_SIZE,
                      salted ? len - LUN_SHA1_SIZE : 0);
    text = lun_malloc(word.len + salt.len + 1);
    lun_copy_str(lun_copy_str(text, word), salt);
    lun_sha1(lun_str_of(text, word.len + salt.len), sum);
    lun_free(text);

    return lun_passwd_same(lun_str_of((const char *) sum, LUN_SHA1_SIZE),
                           lun_str_of(room, LUN_SHA1_SIZE))
           ? LUN_PASSWD_YES : LUN_PASSWD_NO;
}


/* --- $apr1$ and $1$ ------------------------------------------------------ */

static char *
put_sum(char *p, const unsigned char *sum, size_t n)
{
    for ( ; n > LUN_MD5_SIZE; n -= LUN_MD5_SIZE) {
        p = lun_copy(p, sum, LUN_MD5_SIZE);
    }

    return lun_copy(p, sum, n);
}


/* `text` has room for two words, a salt and a sum. */
static void
md5_rounds(char *text, lun_str word, lun_str magic, lun_str salt,
    unsigned char sum[LUN_MD5_SIZE])
{
    int     i;
    char   *p;
    size_t  bits;

    p = lun_copy_str(lun_copy_str(lun_copy_str(text, word), salt), word);
    lun_md5(lun_str_of(text, (size_t) (p - text)), sum);

    p = lun_copy_str(lun_copy_str(lun_copy_str(text, word), magic), salt);
    p = put_sum(p, sum, word.len);

    for (bits = word.len; bits != 0; bits >>= 1) {
        *p++ = bits & 1 ? '\0' : word.data[0];
    }

    lun_md5(lun_str_of(text, (size_t) (p - text)), sum);

    for (i = 0; i < ROUNDS; i++) {
        p = i % 2 ? lun_copy_str(text, word)
                  : lun_copy(text, sum, LUN_MD5_SIZE);
        p = i % 3 ? lun_copy_str(p, salt) : p;
        p = i % 7 ? lun_copy_str(p, word) : p;
        p = i % 2 ? lun_copy(p, sum, LUN_MD5_SIZE) : lun_copy_str(p, word);

        lun_md5(lun_str_of(text, (size_t) (p - text)), sum);
    }
}


/* Three bytes are four letters, the lowest bits first. */
static void
write_sum(char *p, const unsigned char *sum)
{
    int                         i, n;
    uint32_t                    v;
    static const char           letters[] =
        "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static const unsigned char  order[6][3] = {
        { 0, 6, 12 }, { 1, 7, 13 }, { 2, 8, 14 }, { 3, 9, 15 }, { 4, 10, 5 },
        { 0, 0, 11 }
    };

    for (i = 0; i < 6; i++) {
        v = sum[order[i][2]];

        if (i < 5) {
            v |= (uint32_t) sum[order[i][0]] << 16
                 | (uint32_t) sum[order[i][1]] << 8;
        }

        for (n = i < 5 ? 4 : 2; n > 0; n--) {
            *p++ = letters[v & 0x3f];
            v >>= 6;
        }
    }
}


static lun_passwd_verdict
check_md5(lun_str word, lun_str rest, lun_str magic)
{
    char           *text, made[MD5_TEXT];
    lun_str         salt = rest;
    const char     *dollar = lun_str_chr(rest, '$');
    unsigned char   sum[LUN_MD5_SIZE];

    if (dollar == NULL) {
        return LUN_PASSWD_NO;
    }

    salt.len = lun_min((size_t) (dollar - rest.data), (size_t) SALT);
    rest.len -= (size_t) (dollar + 1 - rest.data);
    rest.data = dollar + 1;

    text = lun_malloc(2 * word.len + 128);
    md5_rounds(text, word, magic, salt, sum);
    lun_free(text);
    write_sum(made, sum);

    return lun_passwd_same(lun_str_of(made, MD5_TEXT), rest)
           ? LUN_PASSWD_YES : LUN_PASSWD_NO;
}


/*
 * OTHER: not one of the forms known everywhere; the caller may ask the system's
 * crypt().
 */
lun_passwd_verdict
lun_passwd_check(lun_str word, lun_str entry)
{
    if (lun_str_after(entry, LUN_STR("{PLAIN}"), &entry)) {
        return lun_passwd_same(word, entry) ? LUN_PASSWD_YES : LUN_PASSWD_NO;
    }

    if (lun_str_after(entry, LUN_STR("{SHA}"), &entry)) {
        return check_sha(word, entry, false);
    }

    if (lun_str_after(entry, LUN_STR("{SSHA}"), &entry)) {
        return check_sha(word, entry, true);
    }

    if (lun_str_after(entry, LUN_STR("$apr1$"), &entry)) {
        return check_md5(word, entry, LUN_STR("$apr1$"));
    }

    if (lun_str_after(entry, LUN_STR("$1$"), &entry)) {
        return check_md5(word, entry, LUN_STR("$1$"));
    }

    return LUN_PASSWD_OTHER;
}


bool
lun_passwd_is_costly(lun_str entry)
{
    enum { MOST_ROUNDS = 1000000, MOST_COST = 16, HEAD = 10 };
    size_t   i;
    int64_t  n = 0;

    if (lun_str_starts(entry, LUN_STR("$5$rounds="))
        || lun_str_starts(entry, LUN_STR("$6$rounds=")))
    {
        for (i = HEAD; i < entry.len && lun_is_digit(entry.data[i])
                       && n <= MOST_ROUNDS; i++)
        {
            n = n * 10 + entry.data[i] - '0';
        }

        return n > MOST_ROUNDS;
    }

    /* "$2y$10$..." */
    return entry.len > 6 && lun_str_starts(entry, LUN_STR("$2"))
           && entry.data[3] == '$' && lun_is_digit(entry.data[4])
           && lun_is_digit(entry.data[5])
           && (entry.data[4] - '0') * 10 + entry.data[5] - '0' > MOST_COST;
}
