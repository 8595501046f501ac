/*
 * auth_basic.c -- a name and a password, from a file of users.
 *
 *     auth_basic           "closed site";
 *     auth_basic_user_file conf/htpasswd;
 *
 * Lines are "name:password[:comment]"; '#' begins a comment.  The file is read
 * for each request: one who was struck off stays outside.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"

#include "base/digest.h"
#include "base/passwd.h"
#include "http/request_header.h"
#include "os/crypt.h"


typedef struct {
    lun_script  *realm;            /* "off": nothing is asked */
    lun_script  *file;             /* NULL: none was named */
} basic_conf;

extern lun_http_module  lun_http_auth_basic;


/* --- who it says it is --------------------------------------------------- */

/* Who asks for a tunnel speaks to a proxy. */
static lun_verdict
challenge(lun_request *r, lun_str realm)
{
    bool  proxy = r->method == LUN_CONNECT;

    lun_http_set_out(r, proxy ? LUN_STR("Proxy-Authenticate")
                              : LUN_STR("WWW-Authenticate"),
                     lun_pool_fmt(r->pool, "Basic realm=\"%.*s\"",
                                  LUN_S(realm)));
    return LUN_STATUS + (proxy ? 407 : 401);
}


/* Neither may be without the other; a name is not empty. */
static bool
read_user(lun_request *r, lun_str *user, lun_str *word)
{
    char              *text;
    size_t             len;
    lun_str            code;
    const char        *colon;
    const lun_header  *h = lun_request_credentials(r);

    if (h == NULL
        || !lun_str_caseafter(h->value, LUN_STR("basic "), &code))
    {
        return false;
    }

    code = lun_str_trim(code);
    text = lun_pool_text(r->pool, code.len / 4 * 3 + 4);

    if (lun_base64_decode(text, &len, code, false, false) != LUN_OK) {
        return false;
    }

    text[len] = '\0';
    colon = lun_str_chr(lun_str_of(text, len), ':');

    if (colon == NULL || colon == text) {
        return false;
    }

    *user = lun_str_of(text, (size_t) (colon - text));
    *word = lun_str_of(colon + 1, len - user->len - 1);

    return true;
}


/* --- the file ------------------------------------------------------------ */

/* The entry of a user; data NULL: there is none. */
static lun_str
find_entry(lun_str file, lun_str user)
{
    size_t       len;
    lun_str      line;
    const char  *end;

    while (file.len != 0) {
        end = lun_str_chr(file, '\n');
        len = end != NULL ? (size_t) (end - file.data) : file.len;
        line = lun_str_of(file.data, len);
        len += end != NULL;
        file = lun_str_of(file.data + len, file.len - len);

        if (lun_str_starts(line, LUN_STR("#")) || line.len <= user.len
            || line.data[user.len] != ':' || !lun_str_starts(line, user))
        {
            continue;
        }

        line = lun_str_of(line.data + user.len + 1, line.len - user.len - 1);

        for (len = 0; len < line.len; len++) {
            if (line.data[len] == ':' || line.data[len] == '\r') {
                break;
            }
        }

        return lun_str_of(line.data, len);
    }

    return LUN_STR_NULL;
}


static lun_verdict
unreadable(lun_request *r, lun_err err, const char *path)
{
    bool  missing = lun_err_kind_of(err) == LUN_ERR_NOT_FOUND;

    lun_log(missing ? LUN_LOG_ERR : LUN_LOG_CRIT, r->log, err,
            "open() \"%s\" failed", path);

    return LUN_STATUS + (missing ? 403 : 500);
}


/* --- the password -------------------------------------------------------- */

/* What we do not know, the system may. */
static lun_passwd_verdict
ask_system(lun_request *r, lun_str user, lun_str word, lun_str entry)
{
    char         room[LUN_CRYPT_ROOM];
    lun_err      err;
    const char  *setting = lun_pool_strz(r->pool, entry);

    if (memchr(word.data, '\0', word.len) != NULL) {
        return LUN_PASSWD_NO;      /* for a C string it would end there */
    }

    if (lun_passwd_is_costly(entry)) {
        lun_log(LUN_LOG_CRIT, r->log, 0, "the password of user \"%.*s\" would "
                "keep crypt() busy for too long", LUN_S(user));
        return LUN_PASSWD_OTHER;
    }

    err = lun_crypt(word.data, setting, room);

    if (err != 0) {
        lun_log(LUN_LOG_CRIT, r->log, err, "the password of user \"%.*s\" is "
                "of a kind that crypt() here does not know", LUN_S(user));
        return LUN_PASSWD_NO;              /* "!" locks a user out, too */
    }

    return lun_passwd_same(lun_str_z(room), entry) ? LUN_PASSWD_YES
                                                   : LUN_PASSWD_NO;
}


static lun_verdict
check(lun_request *r, lun_str user, lun_str word, lun_str entry, lun_str realm)
{
    lun_passwd_verdict  v = lun_passwd_check(word, entry);

    if (v == LUN_PASSWD_OTHER) {
        v = ask_system(r, user, word, entry);
    }

    switch (v) {

    case LUN_PASSWD_YES:
        return LUN_LEAVE;

    case LUN_PASSWD_NO:
        lun_log(LUN_LOG_ERR, r->log, 0, "user \"%.*s\": password mismatch",
                LUN_S(user));
        return challenge(r, realm);

    default:
        return LUN_STATUS + 500;
    }
}


/*
 * A name that is not there takes as long as the first one that is: otherwise
 * the time would tell which names there are.
 */
static void
take_as_long(lun_str file, lun_str word)
{
    char         room[LUN_CRYPT_ROOM];
    char         setting[LUN_CRYPT_ROOM];
    lun_str      line = file;
    const char  *end, *colon;

    end = lun_str_chr(line, '\n');
    line.len = end != NULL ? (size_t) (end - line.data) : line.len;
    colon = lun_str_chr(line, ':');

    if (colon == NULL) {
        return;
    }

    line = lun_str_of(colon + 1, (size_t) (line.data + line.len - colon - 1));

    if (lun_passwd_check(word, line) == LUN_PASSWD_OTHER
        && line.len < sizeof(setting) && !lun_passwd_is_costly(line))
    {
        *lun_copy(setting, line.data, line.len) = '\0';
        (void) lun_crypt(word.data, setting, room);
    }
}


static void
free_file(void *data)
{
    lun_free(data);
}


/*
 * A user that is not there takes as long as one whose password is wrong: time
 * must not tell who is.
 */
static lun_verdict
look_up(lun_request *r, lun_str user, lun_str word, lun_str realm)
{
    char              *text;
    size_t             size;
    lun_err            err;
    lun_str            entry;
    lun_safe_path      c;
    const basic_conf  *conf = lun_http_conf(r, &lun_http_auth_basic);

    if (lun_http_script_path(r, conf->file, &c) != LUN_NEXT) {
        return LUN_STATUS + 403;
    }

    err = lun_safe_slurp(&c, &text, &size);

    if (err != 0) {
        return unreadable(r, err, c.path.data);
    }

    lun_pool_on_end(r->pool, free_file, text);
    entry = find_entry(lun_str_of(text, size), user);

    if (entry.data == NULL) {
        lun_log(LUN_LOG_ERR, r->log, 0, "user \"%.*s\" was not found in "
                "\"%s\"", LUN_S(user), c.path.data);
        take_as_long(lun_str_of(text, size), word);
        return challenge(r, realm);
    }

    return check(r, user, word, entry, realm);
}


static lun_verdict
on_access(lun_session *s)
{
    lun_request       *r = lun_request_of(s);
    lun_str            realm, user, word;
    const basic_conf  *conf = lun_http_conf(r, &lun_http_auth_basic);

    if (conf->realm == NULL || conf->file == NULL) {
        return LUN_NEXT;
    }

    realm = lun_script_run(&r->session, conf->realm);

    if (lun_str_eq(realm, LUN_STR("off"))) {
        return LUN_NEXT;
    }

    if (!read_user(r, &user, &word)) {
        lun_log(LUN_LOG_INFO, r->log, 0, "no user/password was provided for "
                "basic authentication");
        return challenge(r, realm);
    }

    return look_up(r, user, word, realm);
}


/* --- reading ------------------------------------------------------------- */

/* Relative to the configuration's folder, unless a variable begins it. */
static lun_rc
set_file(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_str      path = cf->args[1];
    basic_conf  *conf = data;

    if (!lun_str_starts(path, LUN_STR("$"))) {
        path = lun_conf_path(cf, path, true);
    }

    conf->file = lun_script_new(cf, path);
    return conf->file != NULL ? LUN_OK : LUN_ERROR;
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LIMIT_EXCEPT };

static const lun_directive  directives[] = {
    { .name = "auth_basic", .where = PLACES, .args = 1,
      .set = lun_set_script, LUN_FIELD(basic_conf, realm),
      .values = "realm | off",
      .help = "asks for a name and a password, for this realm" },
    { .name = "auth_basic_user_file", .where = PLACES, .args = 1,
      .set = set_file, LUN_FIELD(basic_conf, file),
      .values = "file",
      .help = "the file of names and passwords" },
    { 0 }
};

lun_http_module  lun_http_auth_basic = {
    .name = "auth_basic",
    .directives = directives,
    .conf_size = sizeof(basic_conf),
    .on[LUN_ACCESS] = on_access,
};
