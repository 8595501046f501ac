/*
 * secure_link.c -- whether a link was made by somebody who knows a secret, and
 * has not expired.
 *
 *     secure_link     $arg_md5,$arg_expires;
 *     secure_link_md5 "$secure_link_expires$uri$remote_addr secret";
 *
 * or, of links like /prefix/HASH/link:
 *
 *     secure_link_secret word;
 *
 * $secure_link is "1", "0" (expired) or empty; with the second form it is the
 * link.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/digest.h"
#include "base/passwd.h"
#include "os/clock.h"


enum { HASH_TEXT = 24 };           /* at most, in base64url */

typedef struct {
    lun_script  *link;             /* "hash,expires" */
    lun_script  *text;             /* what the hash must be of */
    lun_str      secret;
} link_conf;

extern lun_http_module  lun_http_secure_link;


/* --- hash,expires -------------------------------------------------------- */

/* For $secure_link_expires, which the text of the hash may have in it. */
static void
keep_expires(lun_request *r, lun_str text)
{
    lun_str  *own = lun_pool_new(r->pool, lun_str);

    *own = text;
    lun_http_set_state(r, &lun_http_secure_link, own);
}


/* Cuts ",expires" off.  0: never. */
static lun_rc
take_expires(lun_request *r, lun_str *link, int64_t *expires)
{
    lun_str      text;
    const char  *comma = lun_str_chr(*link, ',');

    *expires = 0;

    if (comma == NULL) {
        return LUN_OK;
    }

    text = lun_str_of(comma + 1,
                      link->len - (size_t) (comma + 1 - link->data));
    link->len = (size_t) (comma - link->data);

    if (lun_str_to_i64(text, expires) != LUN_OK || *expires <= 0) {
        return LUN_ERROR;
    }

    keep_expires(r, text);
    return LUN_OK;
}


static bool
is_hash_of(lun_str hash, lun_str text)
{
    char           room[HASH_TEXT / 4 * 3 + 3];
    size_t         len;
    unsigned char  sum[LUN_MD5_SIZE];

    if (hash.len > HASH_TEXT
        || lun_base64_decode(room, &len, hash, true, false) != LUN_OK)
    {
        return false;
    }

    lun_md5(text, sum);
    return lun_passwd_same(lun_str_of(room, len),
                           lun_str_of((const char *) sum, LUN_MD5_SIZE));
}


static void
check_link(lun_request *r, const link_conf *conf, lun_value *v)
{
    lun_str  link = lun_script_run(&r->session, conf->link);
    int64_t  expires;

    if (take_expires(r, &link, &expires) != LUN_OK
        || !is_hash_of(link, lun_script_run(&r->session, conf->text)))
    {
        v->not_found = 1;
        return;
    }

    v->text = expires != 0 && expires < lun_clock.sec ? LUN_STR("0")
                                                      : LUN_STR("1");
}


/* --- /prefix/HASH/link --------------------------------------------------- */

/* Compared in constant time, since the hash is what proves the link. */
static void
check_secret(lun_request *r, lun_str secret, lun_value *v)
{
    char           hex[2 * LUN_MD5_SIZE], *low;
    lun_str        target = r->target, hash, link;
    const char    *slash, *next, *end = target.data + target.len;
    unsigned char  sum[LUN_MD5_SIZE];

    v->not_found = 1;

    slash = target.len < 2 ? NULL
            : memchr(target.data + 1, '/', target.len - 1);
    next = slash == NULL ? NULL
           : memchr(slash + 1, '/', (size_t) (end - slash - 1));

    if (next == NULL || next - slash - 1 != (ptrdiff_t) sizeof(hex)) {
        return;
    }

    hash = lun_str_of(slash + 1, sizeof(hex));
    link = lun_str_of(next + 1, (size_t) (end - next - 1));
    low = lun_pool_text(r->pool, hash.len);
    lun_mem_lower(low, hash.data, hash.len);

    lun_md5(lun_pool_fmt(r->pool, "%.*s%.*s", LUN_S(link), LUN_S(secret)),
            sum);
    lun_hex(hex, sum, LUN_MD5_SIZE);

    if (lun_passwd_same(lun_str_of(low, hash.len),
                        lun_str_of(hex, sizeof(hex))))
    {
        v->not_found = 0;
        v->text = link;
    }
}


static void
get_link(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request      *r = lun_request_of(s);
    const link_conf  *conf = lun_http_conf(r, &lun_http_secure_link);

    if (conf->secret.data != NULL) {
        check_secret(r, conf->secret, v);

    } else if (conf->link != NULL && conf->text != NULL) {
        check_link(r, conf, v);

    } else {
        v->not_found = 1;
    }
}


static void
get_expires(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request    *r = lun_request_of(s);
    const lun_str  *text = lun_http_state(r, &lun_http_secure_link);

    v->not_found = text == NULL;
    v->text = text != NULL ? *text : LUN_STR("");
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("secure_link"), .get = get_link,
      .flags = LUN_VAR_CHANGEABLE,
      .help = "\"1\" if the link is right, \"0\" if it has ended" },
    { .name = LUN_STR_INIT("secure_link_expires"), .get = get_expires,
      .flags = LUN_VAR_CHANGEABLE | LUN_VAR_VOLATILE,
      .help = "until when the link is good" },
    { .name = LUN_STR_NULL }
};


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    link_conf               *conf = data;
    const link_conf         *outer = parent;
    static const link_conf   none;

    outer = outer != NULL ? outer : &none;

    /* Of one block: what it inherits may be the other form. */
    if (conf->secret.data != outer->secret.data
        && (conf->link != outer->link || conf->text != outer->text))
    {
        return lun_conf_fail(cf, "\"secure_link_secret\" cannot be mixed with "
                             "\"secure_link\" and \"secure_link_md5\"");
    }

    /* The form that is its own counts. */
    if (conf->link != outer->link || conf->text != outer->text) {
        conf->secret = LUN_STR_NULL;
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "secure_link", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_script, LUN_FIELD(link_conf, link),
      .values = "expression",
      .help = "the hash and the time that a link has" },
    { .name = "secure_link_md5", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_script, LUN_FIELD(link_conf, text),
      .values = "expression",
      .help = "what the hash is made of" },
    { .name = "secure_link_secret", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_str, LUN_FIELD(link_conf, secret),
      .values = "word",
      .help = "the word of old links" },
    { 0 }
};

lun_http_module  lun_http_secure_link = {
    .name = "secure_link",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(link_conf),
    .inherited = inherited,
    .variables = variables,
};
