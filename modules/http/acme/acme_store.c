/*
 * acme_store.c -- certificates, keys and the account as files in a state_path.
 *
 * The folder is the workers' (the master makes it for them), each file is for
 * their account alone.  A file is written under another name and renamed, so
 * that nobody reads half of one; the key goes before the certificate, and a
 * pair that does not fit is no pair.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_priv.h"

#include "net/tls/cert_maker.h"
#include "os/file_replace.h"
#include "os/privileged.h"


enum { FILE_MOST = 256 * 1024 };


static const char *
path_of(const lun_acme_issuer *issuer, lun_pool *pool, lun_str name,
    const char *end)
{
    return lun_pool_fmt(pool, "%.*s/%.*s%s", LUN_S(issuer->state_path),
                        LUN_S(name), end).data;
}


lun_str
lun_acme_store_read(const lun_acme_issuer *issuer, lun_pool *pool,
    lun_str name, const char *end)
{
    char     *data;
    size_t    size;
    lun_fd    fd;
    lun_str   text = LUN_STR_NULL;

    if (issuer->state_path.len == 0
        || lun_privileged_open(path_of(issuer, pool, name, end),
                               LUN_FILE_READ, 0, NULL, &fd) != 0)
    {
        return text;
    }

    if (lun_file_slurp_fd(fd, &data, &size) == 0) {
        if (size <= FILE_MOST) {
            text = lun_pool_str(pool, lun_str_of(data, size));
        }

        lun_free(data);
    }

    lun_file_close(fd);
    return text;
}


bool
lun_acme_store_write(const lun_acme_issuer *issuer, const lun_log *log,
    lun_str name, const char *end, lun_str text)
{
    lun_err      err;
    lun_pool    *pool;
    const char  *path, *aside;

    if (issuer->state_path.len == 0) {
        return true;
    }

    pool = lun_pool_new_sized(1024);
    path = path_of(issuer, pool, name, end);
    aside = path_of(issuer, pool, name, lun_pool_fmt(pool, "%s.new", end).data);
    err = lun_file_replace(path, aside, text, LUN_FILE_SECRET, 0600);

    if (err != 0) {
        lun_log(LUN_LOG_ERR, log, err, "acme: \"%s\" cannot be written", path);
    }

    lun_pool_free(pool);
    return err == 0;
}


void
lun_acme_store_delete(const lun_acme_issuer *issuer, lun_str name,
    const char *end)
{
    lun_pool  *pool;

    if (issuer->state_path.len != 0) {
        pool = lun_pool_new_sized(1024);
        (void) lun_file_delete(path_of(issuer, pool, name, end));
        lun_pool_free(pool);
    }
}


bool
lun_acme_store_has(const lun_acme_issuer *issuer, lun_str name,
    const char *end)
{
    bool            has;
    lun_pool       *pool;
    lun_file_info   info;

    if (issuer->state_path.len == 0) {
        return false;
    }

    pool = lun_pool_new_sized(1024);
    has = lun_file_stat(path_of(issuer, pool, name, end), &info) == 0;
    lun_pool_free(pool);
    return has;
}


bool
lun_acme_store_take(const lun_acme_issuer *issuer, lun_str name,
    const char *end)
{
    bool       had;
    lun_pool  *pool;

    if (issuer->state_path.len == 0) {
        return false;
    }

    pool = lun_pool_new_sized(1024);
    had = lun_file_delete(path_of(issuer, pool, name, end)) == 0;
    lun_pool_free(pool);

    return had;
}


lun_str
lun_acme_first_line(lun_str *text)
{
    lun_str      line = *text;
    const char  *end = lun_str_chr(*text, '\n');

    if (end != NULL) {
        line.len = (size_t) (end - text->data);
        *text = lun_str_of(end + 1, text->len - line.len - 1);

    } else {
        *text = LUN_STR("");
    }

    return lun_str_trim(line);
}


bool
lun_acme_store_pair(const lun_acme_cert *cert, lun_pool *pool, lun_str *chain,
    lun_str *key)
{
    bool       good;
    X509      *x;
    EVP_PKEY  *k;

    *chain = lun_acme_store_read(cert->issuer, pool, cert->file, ".crt");
    *key = lun_acme_store_read(cert->issuer, pool, cert->file, ".key");

    x = lun_cert_read(*chain);
    k = lun_key_read(*key);
    good = x != NULL && k != NULL && X509_check_private_key(x, k) == 1
           && lun_cert_has_names(x, cert->names, cert->count);
    X509_free(x);
    EVP_PKEY_free(k);

    return good;
}


size_t
lun_acme_store_giver(const lun_acme_cert *cert, lun_pool *pool)
{
    lun_str  text;

    if (cert->issuers.count < 2) {
        return 0;
    }

    text = lun_acme_store_read(cert->issuer, pool, cert->file, ".by");
    return lun_acme_issuer_place(cert, lun_acme_first_line(&text));
}
