/*
 * cert.c -- a certificate for development, in one command: Windows has no
 * openssl, and browsers want one that names its hosts.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/tools/cert.h"

#include <stdio.h>
#include <stdlib.h>

#include "net/tls/cert_maker.h"
#include "net/tls/key_pair.h"
#include "os/dir.h"
#include "os/time.h"
#include "os/authority.h"
#include "run/help/commands.h"


enum {
    DAYS = 397,                    /* no browser takes more of a server's */
    CA_DAYS = 3650,
    DAY = 86400,
    NAMES = 100                    /* of a certificate, at most */
};

typedef struct {
    lun_pool     *pool;
    lun_str       folder;
    lun_str       ca;              /* a folder; empty: it signs itself */
    lun_key_kind  kind;
    int64_t       days;
    bool          install;
    lun_str       names[NAMES];
    size_t        count;
} wish;

/* A certificate, its key, and where they lie. */
typedef struct {
    X509        *cert;
    EVP_PKEY    *key;
    lun_str      pem;
    const char  *cert_path, *key_path;
} pair;


static bool
complain(const char *what, lun_str which)
{
    fprintf(stderr, LUN_PRODUCT ": \"%.*s\" %s\n", LUN_S(which), what);
    return false;
}


static bool
complain_err(const char *path, lun_err err)
{
    char  text[256];

    fprintf(stderr, LUN_PRODUCT ": %s: %.*s\n", path,
            LUN_S(lun_err_text(err, text, sizeof(text))));
    return false;
}


/* --- options ------------------------------------------------------------- */

static bool
read_option(wish *w, const char *name, const char *value)
{
    const char  *why;
    lun_str      text = value != NULL ? lun_str_z(value) : LUN_STR("");

    if (strcmp(name, "-o") == 0) {
        w->folder = text;

    } else if (strcmp(name, "--ca") == 0) {
        w->ca = text;

    } else if (strcmp(name, "-k") == 0) {
        why = lun_key_kind_parse(text, &w->kind);

        if (why != NULL) {
            return complain(why, text);
        }

    } else if (strcmp(name, "-d") == 0) {
        if (lun_str_to_i64(text, &w->days) != LUN_OK || w->days < 1
            || w->days > CA_DAYS)
        {
            return complain("is no number of days, 1 to 3650", text);
        }

    } else {
        return complain("is no option; -h lists them", lun_str_z(name));
    }

    return value != NULL ? true : complain("wants a value", lun_str_z(name));
}


/* Without names it is for a server that is tried out on this machine. */
static bool
read_words(wish *w, int argc, char **argv)
{
    int  i;

    for (i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--install") == 0) {
            w->install = true;

        } else if (argv[i][0] == '-') {
            if (!read_option(w, argv[i], i + 1 < argc ? argv[i + 1] : NULL)) {
                return false;
            }

            i++;

        } else if (!lun_cert_may_name(lun_str_z(argv[i]))) {
            return complain("is no name that a certificate can have",
                            lun_str_z(argv[i]));

        } else if (w->count == NAMES) {
            return complain("is one name too many", lun_str_z(argv[i]));

        } else {
            w->names[w->count++] = lun_str_z(argv[i]);
        }
    }

    if (w->count == 0) {
        w->names[w->count++] = LUN_STR("localhost");
        w->names[w->count++] = LUN_STR("127.0.0.1");
        w->names[w->count++] = LUN_STR("::1");
    }

    return true;
}


/* --- files --------------------------------------------------------------- */

static const char *
path_of(const wish *w, lun_str folder, lun_str name, const char *end)
{
    char    *p;
    lun_str  path = lun_pool_fmt(w->pool, "%.*s/%.*s%s", LUN_S(folder),
                                 LUN_S(name), end);

    /* No system's paths have these: a wildcard, an address of IPv6. */
    for (p = (char *) (uintptr_t) path.data + folder.len + 1; *p != '\0'; p++)
    {
        if (*p == '*' || *p == ':') {
            *p = '_';
        }
    }

    return path.data;
}


/* What is there is never written over. */
static bool
put(const char *path, lun_str text, bool secret)
{
    lun_fd   fd;
    lun_err  err;

    err = lun_file_open(path, LUN_FILE_WRITE | LUN_FILE_CREATE | LUN_FILE_EXCL
                        | (secret ? LUN_FILE_SECRET : 0), 0644, &fd);

    if (err == 0) {
        err = lun_file_write(fd, text.data, text.len, 0);
        lun_file_close(fd);
    }

    return err == 0 || complain_err(path, err);
}


static lun_str
get(const wish *w, const char *path)
{
    char     *data;
    size_t    size;
    lun_str   text = LUN_STR_NULL;

    if (lun_file_slurp(path, &data, &size) == 0) {
        text = lun_pool_str(w->pool, lun_str_of(data, size));
        lun_free(data);
    }

    return text;
}


/* --- what is made -------------------------------------------------------- */

static bool
make_folder(const wish *w, lun_str folder, unsigned access)
{
    const char  *path = lun_pool_strz(w->pool, folder);
    lun_err      err = lun_dir_make_all(path, access);

    return err == 0 || complain_err(path, err);
}


static bool
make(const wish *w, pair *p, const lun_cert_wish *cert, lun_key_kind kind,
    const pair *ca)
{
    p->key = lun_key_make(kind);
    p->cert = p->key == NULL ? NULL
              : lun_cert_make(cert, p->key, ca != NULL ? ca->cert : NULL,
                              ca != NULL ? ca->key : NULL);

    if (p->cert == NULL) {
        return complain("can be made no certificate for", cert->names != NULL
                        ? cert->names[0] : cert->subject);
    }

    p->pem = lun_cert_pem(w->pool, p->cert);

    return put(p->key_path, lun_key_pem(w->pool, p->key), true)
           && put(p->cert_path, p->pem, false);
}


/* The authority of a folder, made if there is none. */
static bool
find_authority(const wish *w, pair *ca)
{
    int64_t        now = lun_time_wall() / 1000;
    lun_file_info  info;
    lun_cert_wish  cert = {
        .subject = LUN_STR(LUN_PRODUCT " development authority"),
        .from = now - DAY, .until = now + (int64_t) CA_DAYS * DAY,
        .authority = true
    };

    ca->cert_path = path_of(w, w->ca, LUN_STR("ca"), ".crt");
    ca->key_path = path_of(w, w->ca, LUN_STR("ca"), ".key");

    if (lun_file_stat(ca->cert_path, &info) != 0) {
        return make_folder(w, w->ca, 0700)
               && make(w, ca, &cert, (lun_key_kind) { .bits = 256 }, NULL);
    }

    ca->pem = get(w, ca->cert_path);
    ca->cert = lun_cert_read(ca->pem);
    ca->key = lun_key_read(get(w, ca->key_path));

    return (ca->cert != NULL && ca->key != NULL
            && X509_check_private_key(ca->cert, ca->key) == 1)
           || complain("has no certificate with its key: ca.crt, ca.key",
                       w->ca);
}


static void
free_pair(pair *p)
{
    X509_free(p->cert);
    EVP_PKEY_free(p->key);
}


static bool
install(const pair *p)
{
    int             n;
    lun_err         err;
    const char     *where;
    unsigned char  *der = NULL;

    n = i2d_X509(p->cert, &der);

    if (n <= 0) {
        return complain("cannot be encoded", lun_str_z(p->cert_path));
    }

    err = lun_authority_install(LUN_PRODUCT "-development", der, (size_t) n,
                        p->pem.data, p->pem.len, &where);
    OPENSSL_free(der);

    if (err == 0) {
        printf("%s trusts %s now; browsers with stores of their own (Firefox)"
               " have to be told.\n", where, p->cert_path);
        return true;
    }

    return where != NULL ? complain_err(where, err)
           : complain("cannot be installed: how this system keeps what it "
                      "trusts is not known", lun_str_z(p->cert_path));
}


static void
say_how(const wish *w, const pair *p, const pair *ca)
{
    printf("    %s\n    %s\n\nIn a server:\n\n"
           "    listen 8443 ssl;\n"
           "    ssl_certificate %s;\n"
           "    ssl_certificate_key %s;\n\n",
           p->cert_path, p->key_path, p->cert_path, p->key_path);

    if (!w->install) {
        printf("Clients trust it that trust %s: --install tells this"
               " machine.\n", ca != NULL ? ca->cert_path : p->cert_path);
    }
}


static bool
serve_wish(wish *w)
{
    bool           done;
    pair           p = { .cert = NULL }, ca = { .cert = NULL };
    pair          *by = w->ca.len != 0 ? &ca : NULL;
    int64_t        now = lun_time_wall() / 1000;
    lun_cert_wish  cert = {
        .names = w->names, .count = w->count,
        .from = now - DAY, .until = now + w->days * DAY
    };

    p.cert_path = path_of(w, w->folder, w->names[0], ".crt");
    p.key_path = path_of(w, w->folder, w->names[0], ".key");

    done = (by == NULL || find_authority(w, by))
           && make_folder(w, w->folder, 0755)
           && make(w, &p, &cert, w->kind, by);

    if (done) {
        say_how(w, &p, by);
        done = !w->install || install(by != NULL ? by : &p);
    }

    free_pair(&p);
    free_pair(&ca);
    return done;
}


int
lun_cert_tool(int argc, char **argv)
{
    bool  done;
    wish  w = { .folder = LUN_STR("."), .days = DAYS,
                .kind = { .bits = 256 } };

    w.pool = lun_pool_new_sized(4096);
    done = read_words(&w, argc, argv) && serve_wish(&w);
    lun_pool_free(w.pool);

    return done ? 0 : 1;
}
