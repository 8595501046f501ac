/*
 * tls_cert.c -- certificates and their keys.
 *
 * A chain is a stack whose first is the certificate itself.  A cache keeps
 * chains and keys side by side, each under its path: a certificate and the key
 * beside it may be replaced at different times, so a pair that does not match
 * is read once more.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_cert.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/store.h>
#include <openssl/ui.h>

#include "base/lru.h"
#include "net/tls/tls_pfx.h"
#include "net/tls/tls_priv.h"
#include "net/tls/tls_store.h"
#include "os/clock.h"
#include "os/file.h"


enum { PATH = 4096 };

typedef STACK_OF(X509)  chain;

/* Who is told of what goes wrong. */
typedef struct {
    const lun_log  *log;
    lun_log_level   level;
} teller;


/* --- reading ------------------------------------------------------------- */

bool
lun_tls_inline(lun_str name, lun_str *text)
{
    lun_str  prefix = LUN_STR("data:");

    if (!lun_str_starts(name, prefix)) {
        return false;
    }

    *text = lun_str_of(name.data + prefix.len, name.len - prefix.len);
    return true;
}


lun_str
lun_tls_loggable(lun_str name)
{
    lun_str  text;

    return lun_tls_inline(name, &text) ? LUN_STR("data:...") : name;
}


bool
lun_tls_is_stored(lun_str name)
{
    return lun_str_starts(name, LUN_STR("store:"))
           || lun_str_starts(name, LUN_STR("engine:"));
}


bool
lun_tls_has_own_key(lun_str name)
{
    lun_str  text;

    return !lun_tls_inline(name, &text)
           && (lun_tls_is_pfx(name) || lun_tls_is_in_store(name));
}


BIO *
lun_tls_open_file(const lun_tls_file *file)
{
    char    name[PATH];
    size_t  n = lun_min(file->name.len, sizeof(name) - 1);

    ERR_clear_error();

    if (file->text.data != NULL) {
        return BIO_new_mem_buf(file->text.data, (int) file->text.len);
    }

    memcpy(name, file->name.data, n);
    name[n] = '\0';
    return BIO_new_file(name, "rb");
}


bool
lun_tls_is_pem_end(void)
{
    unsigned  e = (unsigned) ERR_peek_last_error();

    if (ERR_GET_LIB(e) == ERR_LIB_PEM
        && ERR_GET_REASON(e) == PEM_R_NO_START_LINE)
    {
        ERR_clear_error();
        return true;
    }

    return false;
}


static void
free_chain(chain *all)
{
    sk_X509_pop_free(all, X509_free);
}


/* NULL: *failed says in what. */
static chain *
read_blocks(BIO *bio, const char **failed)
{
    X509   *x;
    chain  *all = sk_X509_new_null();

    *failed = "PEM_read_bio_X509_AUX() failed";
    x = all != NULL ? PEM_read_bio_X509_AUX(bio, NULL, NULL, NULL) : NULL;

    if (x == NULL) {
        free_chain(all);
        return NULL;
    }

    do {
        if (sk_X509_push(all, x) == 0) {
            X509_free(x);
            break;
        }

        x = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    } while (x != NULL);

    if (!lun_tls_is_pem_end()) {
        *failed = "PEM_read_bio_X509() failed";
        free_chain(all);
        return NULL;
    }

    return all;
}


/* Of a certificate in the system's store; NULL: logged. */
static chain *
get_stored_chain(const teller *to, lun_str name)
{
    char    why[LUN_TLS_STORE_WHY];
    chain  *all = NULL;

    if (!lun_tls_store_get(name, true, &all, NULL, why)) {
        lun_log(to->level, to->log, 0, "cannot load certificate \"%.*s\": %s",
                LUN_S(name), why);
    }

    return all;
}


/* Of the certificate that was got before. */
static EVP_PKEY *
get_stored_key(const teller *to, lun_str name)
{
    char       why[LUN_TLS_STORE_WHY];
    EVP_PKEY  *key = NULL;

    if (!lun_tls_store_get(name, false, NULL, &key, why)) {
        lun_log(to->level, to->log, 0, "cannot load certificate key "
                "\"%.*s\": %s", LUN_S(name), why);
    }

    return key;
}


static chain *
read_chain(const teller *to, const lun_tls_file *file,
    const lun_array *passwords)
{
    BIO         *bio;
    chain       *all = NULL;
    EVP_PKEY    *key = NULL;
    const char  *failed = "BIO_new_file() failed";

    if (lun_tls_is_in_store(file->name)) {
        return get_stored_chain(to, file->name);
    }

    bio = lun_tls_open_file(file);

    if (bio != NULL && lun_tls_is_pfx(file->name)) {
        failed = lun_tls_pfx_read(bio, passwords, &all, &key);
        EVP_PKEY_free(key);

    } else if (bio != NULL) {
        all = read_blocks(bio, &failed);
    }

    BIO_free(bio);

    if (all == NULL) {
        lun_tls_log(to->level, to->log, 0, "cannot load certificate "
                    "\"%.*s\": %s", LUN_S(lun_tls_loggable(file->name)),
                    failed);
    }

    return all;
}


/* One in a line, as nginx has them, with Windows' ends of lines as well. */
lun_array *
lun_tls_passwords(lun_pool *pool, lun_str text)
{
    lun_str      line;
    lun_array   *list = lun_array_new(pool, sizeof(lun_str), 4);
    const char  *end;

    while (text.len != 0) {
        end = lun_str_chr(text, '\n');
        line = end != NULL ? lun_str_of(text.data, (size_t) (end - text.data))
                           : text;
        text.data += line.len + (end != NULL);
        text.len -= line.len + (end != NULL);

        if (line.len != 0 && line.data[line.len - 1] == '\r') {
            line.len--;
        }

        if (line.len != 0) {
            *(lun_str *) lun_array_push(list) = line;
        }
    }

    return list;
}


typedef struct {
    const lun_str  *password;      /* NULL: nobody is there to be asked */
    bool            asked;
} keeper;


static int
give_password(char *buf, int size, int rwflag, void *data)
{
    size_t   n;
    keeper  *k = data;

    k->asked = true;

    if (k->password == NULL) {
        return 0;
    }

    n = lun_min(k->password->len, (size_t) size);
    memcpy(buf, k->password->data, n);
    return (int) n;
}


/* The first key of a store that is open. */
static EVP_PKEY *
next_key(OSSL_STORE_CTX *store)
{
    EVP_PKEY         *key = NULL;
    OSSL_STORE_INFO  *info;

    while (key == NULL && !OSSL_STORE_eof(store)) {
        info = OSSL_STORE_load(store);

        if (info == NULL) {
            break;
        }

        if (OSSL_STORE_INFO_get_type(info) == OSSL_STORE_INFO_PKEY) {
            key = OSSL_STORE_INFO_get1_PKEY(info);
        }

        OSSL_STORE_INFO_free(info);
    }

    return key;
}


/* "store:URI"; NULL: *failed. */
static EVP_PKEY *
read_stored(lun_str name, keeper *k, const char **failed)
{
    char             uri[PATH];
    lun_str          prefix = LUN_STR("store:");
    EVP_PKEY        *key = NULL;
    UI_METHOD       *ui;
    OSSL_STORE_CTX  *store;

    name = lun_str_of(name.data + prefix.len, name.len - prefix.len);
    ui = UI_UTIL_wrap_read_pem_callback(give_password, 0);

    if (ui == NULL || name.len >= sizeof(uri)) {
        UI_destroy_method(ui);
        *failed = "UI_UTIL_wrap_read_pem_callback()";
        return NULL;
    }

    *lun_copy_str(uri, name) = '\0';
    *failed = "OSSL_STORE_open()";
    store = OSSL_STORE_open(uri, ui, k, NULL, NULL);

    if (store != NULL) {
        *failed = "OSSL_STORE_load()";
        key = OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY) == 1
              ? next_key(store) : NULL;
        OSSL_STORE_close(store);
    }

    UI_destroy_method(ui);
    return key;
}


static EVP_PKEY *
read_pem(const lun_tls_file *file, keeper *k, const char **failed)
{
    BIO       *bio = lun_tls_open_file(file);
    EVP_PKEY  *key;

    *failed = "BIO_new_file()";

    if (bio == NULL) {
        return NULL;
    }

    *failed = "PEM_read_bio_PrivateKey()";
    key = PEM_read_bio_PrivateKey(bio, NULL, give_password, k);
    BIO_free(bio);
    return key;
}


static EVP_PKEY *
read_pfx_key(const teller *to, const lun_tls_file *file,
    const lun_array *passwords)
{
    BIO         *bio = lun_tls_open_file(file);
    chain       *all = NULL;
    EVP_PKEY    *key = NULL;
    const char  *failed = "BIO_new_file() failed";

    if (bio != NULL) {
        failed = lun_tls_pfx_read(bio, passwords, &all, &key);
        free_chain(all);
        BIO_free(bio);
    }

    if (key == NULL) {
        lun_tls_log(to->level, to->log, 0, "cannot load certificate key "
                    "\"%.*s\": %s", LUN_S(file->name), failed);
    }

    ERR_clear_error();
    return key;
}


/* *secret: a password was needed. */
static EVP_PKEY *
read_key(const teller *to, const lun_tls_file *file,
    const lun_array *passwords, bool *secret)
{
    bool         stored = lun_str_starts(file->name, LUN_STR("store:"));
    size_t       i = 0, n = passwords != NULL ? passwords->count : 0;
    keeper       k = { NULL, false };
    EVP_PKEY    *key;
    const char  *failed;

    if (lun_str_starts(file->name, LUN_STR("engine:"))) {
        lun_log(to->level, to->log, 0, "cannot load certificate key "
                "\"%.*s\": loading \"engine:...\" certificate keys is not "
                "supported", LUN_S(file->name));
        *secret = false;
        return NULL;
    }

    if (lun_tls_is_in_store(file->name)) {
        *secret = true;
        return get_stored_key(to, file->name);
    }

    if (lun_tls_is_pfx(file->name)) {
        *secret = n != 0;
        return read_pfx_key(to, file, passwords);
    }

    do {
        ERR_clear_error();
        k.password = i < n ? lun_array_at(passwords, i) : NULL;
        key = stored ? read_stored(file->name, &k, &failed)
                     : read_pem(file, &k, &failed);
    } while (key == NULL && ++i < n);

    *secret = k.asked;

    if (key == NULL) {
        lun_tls_log(to->level, to->log, 0, "cannot load certificate key "
                    "\"%.*s\": %s failed", LUN_S(lun_tls_loggable(file->name)),
                    failed);
    }

    ERR_clear_error();
    return key;
}


/* --- for a context ------------------------------------------------------- */

static const char *
use_chain_in(SSL_CTX *ctx, chain *all)
{
    int  i;

    ERR_clear_error();

    if (SSL_CTX_use_certificate(ctx, sk_X509_value(all, 0)) != 1) {
        return "SSL_CTX_use_certificate() failed";
    }

    SSL_CTX_clear_chain_certs(ctx);

    for (i = 1; i < sk_X509_num(all); i++) {
        if (SSL_CTX_add1_chain_cert(ctx, sk_X509_value(all, i)) != 1) {
            return "SSL_CTX_add1_chain_cert() failed";
        }
    }

    return NULL;
}


static lun_rc
use_certificate_in(SSL_CTX *ctx, const teller *to, const lun_tls_file *file,
    const lun_array *passwords)
{
    chain       *all = read_chain(to, file, passwords);
    const char  *failed;

    if (all == NULL) {
        return LUN_ERROR;
    }

    failed = use_chain_in(ctx, all);
    free_chain(all);

    if (failed != NULL) {
        lun_tls_log(to->level, to->log, 0, "cannot load certificate "
                    "\"%.*s\": %s", LUN_S(lun_tls_loggable(file->name)),
                    failed);
        return LUN_ERROR;
    }

    return LUN_OK;
}


/*
 * The certificate first: OpenSSL then checks that the key belongs to it, and
 * says so in words that nginx's users know.
 */
lun_rc
lun_tls_ctx_certificate(SSL_CTX *ctx, const lun_log *log,
    const lun_tls_file *cert, const lun_tls_file *key,
    const lun_array *passwords)
{
    int        done;
    bool       secret;
    teller     to = { log, LUN_LOG_EMERG };
    EVP_PKEY  *k;

    if (use_certificate_in(ctx, &to, cert, passwords) != LUN_OK) {
        return LUN_ERROR;
    }

    k = read_key(&to, key, passwords, &secret);

    if (k == NULL) {
        return LUN_ERROR;
    }

    done = SSL_CTX_use_PrivateKey(ctx, k);
    EVP_PKEY_free(k);

    if (done != 1) {
        lun_tls_log(LUN_LOG_EMERG, log, 0, "SSL_CTX_use_PrivateKey(\"%.*s\") "
                    "failed", LUN_S(key->name));
        return LUN_ERROR;
    }

    return LUN_OK;
}


/* --- the cache ----------------------------------------------------------- */

typedef struct {
    lun_lru_entry  names;
    void          *object;         /* a chain, or an EVP_PKEY */
    bool           is_key;
    lun_msec       read_at;        /* lun_clock.mono */
    lun_msec       used_at;
    lun_file_info  info;           /* of the file that was read */
    size_t         len;
    char           path[];
} entry;

struct lun_tls_cert_cache {
    lun_lru   names;               /* of entry */
    size_t    most;
    lun_msec  inactive, valid;
};


static void
free_object(void *object, bool is_key)
{
    if (is_key) {
        EVP_PKEY_free(object);

    } else {
        free_chain(object);
    }
}


/* One more who holds it. */
static void *
share_object(void *object, bool is_key)
{
    if (is_key) {
        EVP_PKEY_up_ref(object);
        return object;
    }

    return X509_chain_up_ref(object);
}


/* NULL: there is none. */
static entry *
oldest(const lun_tls_cert_cache *cache)
{
    lun_lru_entry  *names = lun_lru_oldest(&cache->names);

    return names != NULL ? lun_container_of(names, entry, names) : NULL;
}


static void
drop(lun_tls_cert_cache *cache, entry *e)
{
    lun_lru_remove(&cache->names, &e->names);
    free_object(e->object, e->is_key);
    lun_free(e);
}


static void
free_cache(void *data)
{
    lun_tls_cert_cache  *cache = data;

    entry               *e;

    while ((e = oldest(cache)) != NULL) {
        drop(cache, e);
    }

    lun_lru_fini(&cache->names);
}


lun_tls_cert_cache *
lun_tls_cert_cache_new(lun_pool *pool, size_t most, int64_t inactive,
    int64_t valid)
{
    lun_tls_cert_cache  *cache = lun_pool_new(pool, lun_tls_cert_cache);

    cache->most = most;
    cache->inactive = (lun_msec) inactive * 1000;
    cache->valid = (lun_msec) valid * 1000;
    lun_pool_on_end(pool, free_cache, cache);

    return cache;
}


/* The least used stand last. */
static void
expire(lun_tls_cert_cache *cache)
{
    entry  *e;

    while ((e = oldest(cache)) != NULL
           && lun_clock.mono - e->used_at > cache->inactive)
    {
        drop(cache, e);
    }
}


/* A file may have a chain and its key: they are two. */
static uint64_t
hash_of(lun_str path, bool is_key)
{
    return lun_str_hash(path) + is_key;
}


static entry *
find(const lun_tls_cert_cache *cache, lun_str path, bool is_key)
{
    lun_lru_entry  *names = lun_lru_find(&cache->names, path,
                                         hash_of(path, is_key));

    return names != NULL ? lun_container_of(names, entry, names) : NULL;
}


static bool
has_changed(const entry *e, const char *path)
{
    lun_str        text;
    lun_file_info  now;

    if (lun_tls_inline(lun_str_of(e->path, e->len), &text)) {
        return false;
    }

    return lun_file_stat(path, &now) != 0 || now.id != e->info.id
           || now.device != e->info.device || now.size != e->info.size
           || now.mtime != e->info.mtime || now.mtime_ns != e->info.mtime_ns;
}


/* NULL: it is not there, or not good any more. */
static void *
fetch(lun_tls_cert_cache *cache, lun_str path, bool is_key, bool fresh)
{
    entry  *e;

    expire(cache);
    e = find(cache, path, is_key);

    if (e == NULL) {
        return NULL;
    }

    if (!fresh && lun_clock.mono - e->read_at > cache->valid) {
        fresh = has_changed(e, e->path);
        e->read_at = lun_clock.mono;
    }

    if (fresh) {
        drop(cache, e);
        return NULL;
    }

    e->used_at = lun_clock.mono;
    lun_lru_touch(&cache->names, &e->names);
    return share_object(e->object, is_key);
}


static void
keep(lun_tls_cert_cache *cache, lun_str path, void *object, bool is_key,
    const lun_file_info *info)
{
    entry  *e = lun_calloc(sizeof(entry) + path.len + 1);

    e->object = share_object(object, is_key);
    e->is_key = is_key;
    e->read_at = e->used_at = lun_clock.mono;
    e->info = *info;
    e->len = path.len;
    (void) lun_copy_str(e->path, path);

    if (cache->names.count == cache->most) {
        drop(cache, oldest(cache));
    }

    lun_lru_add(&cache->names, &e->names, lun_str_of(e->path, e->len),
                hash_of(path, is_key), cache->most);
}


/* --- for a connection ---------------------------------------------------- */

typedef struct {
    teller               to;
    const lun_array     *passwords;
    lun_tls_cert_cache  *cache;
    bool                 fresh;    /* what was kept is not good enough */
} reader;


/* A chain or a key, the caller's own; NULL: logged. */
static void *
get_object(const reader *rd, lun_str name, bool is_key)
{
    char           path[PATH];
    void          *object;
    bool           secret = false;
    lun_tls_file   file = { .name = name };
    lun_file_info  info = { .size = 0 };
    bool           is_inline = lun_tls_inline(name, &file.text);
    bool           may_keep = !lun_tls_is_stored(name) && rd->cache != NULL
                              && (is_inline || name.len < sizeof(path));

    if (may_keep) {
        object = fetch(rd->cache, name, is_key, rd->fresh);

        if (object != NULL) {
            return object;
        }

        if (!is_inline) {
            *lun_copy_str(path, name) = '\0';
            may_keep = lun_file_stat(path, &info) == 0;
        }
    }

    object = is_key ? (void *) read_key(&rd->to, &file, rd->passwords, &secret)
                    : (void *) read_chain(&rd->to, &file, rd->passwords);

    if (object != NULL && may_keep && !secret) {
        keep(rd->cache, name, object, is_key, &info);
    }

    return object;
}


static const char *
use_pair(SSL *ssl, chain *all, EVP_PKEY *key)
{
    int  i;

    ERR_clear_error();

    if (SSL_use_certificate(ssl, sk_X509_value(all, 0)) != 1) {
        return "SSL_use_certificate() failed";
    }

    SSL_clear_chain_certs(ssl);

    for (i = 1; i < sk_X509_num(all); i++) {
        if (SSL_add1_chain_cert(ssl, sk_X509_value(all, i)) != 1) {
            return "SSL_add1_chain_cert() failed";
        }
    }

    return SSL_use_PrivateKey(ssl, key) != 1 ? "SSL_use_PrivateKey() failed"
                                             : NULL;
}


lun_rc
lun_tls_use_certificate(SSL *ssl, const lun_log *log, lun_str cert,
    lun_str key, const lun_array *passwords, lun_tls_cert_cache *cache)
{
    chain       *all;
    reader       rd = { { log, LUN_LOG_ERR }, passwords, cache, false };
    EVP_PKEY    *k;
    const char  *failed;

    for ( ;; ) {
        all = get_object(&rd, cert, false);
        k = all != NULL ? get_object(&rd, key, true) : NULL;

        if (k == NULL) {
            free_chain(all);
            return LUN_ERROR;
        }

        failed = use_pair(ssl, all, k);
        free_chain(all);
        EVP_PKEY_free(k);

        if (failed == NULL) {
            return LUN_OK;
        }

        /* One of the two may be older than the other. */
        if (cache == NULL || rd.fresh) {
            break;
        }

        rd.fresh = true;
    }

    lun_tls_log(LUN_LOG_ERR, log, 0, "cannot load certificate \"%.*s\": %s",
                LUN_S(lun_tls_loggable(cert)), failed);
    return LUN_ERROR;
}
