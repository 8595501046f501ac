/*
 * tls_store.c -- certificates in the system's store.
 *
 * A look-up reads whole stores, which takes milliseconds: each name has what
 * was found, for a minute.  If it is not found any more, the old one stays.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_store.h"

#include <stdio.h>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "base/lru.h"
#include "base/fmt.h"
#include "base/pool.h"
#include "net/tls/tls_pfx.h"
#include "net/tls/tls_signer.h"
#include "os/certstore.h"
#include "os/clock.h"


enum {
    MINUTE = 60,                   /* seconds until it is looked for again */
    MOST   = 256,                  /* names that are kept */
    STORE  = 64,                   /* letters of a store's name */
    PRINT  = 20                    /* bytes of a thumbprint, which is SHA-1 */
};

typedef STACK_OF(X509)  certs;

/* What a name says. */
typedef struct {
    bool      machine;
    char      store[STORE];
    lun_str   subject;             /* "": by its thumbprint */
    uint8_t   print[PRINT];
} query;

/* What has been found so far. */
typedef struct {
    const query  *q;
    X509         *cert;
    void         *key;             /* the seam's */
    bool          seen;            /* one fits; maybe without a key */
    lun_err       err;             /* why its key is not to be had */
} search;

typedef struct {
    lun_lru_entry  names;
    certs         *chain;
    EVP_PKEY      *key;
    int64_t        looked_at;      /* seconds */
    size_t         len;
    char           name[];
} found;

static lun_lru  all;               /* the process's */

static const lun_signer  in_store = {
    .sign = lun_certstore_sign, .close = lun_certstore_close_key
};


/* --- names --------------------------------------------------------------- */

static bool
after_prefix(lun_str name, bool *machine, lun_str *rest)
{
    *machine = lun_str_caseafter(name, LUN_STR("store:LocalMachine/"), rest);

    return *machine
           || lun_str_caseafter(name, LUN_STR("store:CurrentUser/"), rest);
}


bool
lun_tls_is_in_store(lun_str name)
{
    bool     machine;
    lun_str  rest;

    return after_prefix(name, &machine, &rest);
}


static int
hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
           : -1;
}


/* As consoles show it: with blanks or colons, or without. */
static bool
read_print(lun_str text, uint8_t print[PRINT])
{
    int     digit;
    size_t  i, n = 0;

    for (i = 0; i < text.len; i++) {
        if (text.data[i] == ' ' || text.data[i] == ':') {
            continue;
        }

        digit = hex_digit(text.data[i]);

        if (digit < 0 || n == 2 * PRINT) {
            return false;
        }

        print[n / 2] = (uint8_t) (n % 2 == 0 ? digit << 4
                                             : print[n / 2] | digit);
        n++;
    }

    return n == 2 * PRINT;
}


static bool
read_query(lun_str name, query *q)
{
    lun_str      rest, what, value;
    const char  *mark;

    if (!after_prefix(name, &q->machine, &rest)) {
        return false;
    }

    mark = lun_str_chr(rest, '?');

    if (mark == NULL || mark == rest.data || mark - rest.data >= STORE) {
        return false;
    }

    *lun_copy_str(q->store, lun_str_of(rest.data,
                                       (size_t) (mark - rest.data))) = '\0';
    what = lun_str_of(mark + 1, (size_t) (rest.data + rest.len - mark - 1));
    q->subject = LUN_STR("");

    if (lun_str_caseafter(what, LUN_STR("subject="), &value)) {
        q->subject = value;
        return value.len != 0;
    }

    return lun_str_caseafter(what, LUN_STR("thumbprint="), &value)
           && read_print(value, q->print);
}


/* --- which one ----------------------------------------------------------- */

static bool
is_text(const ASN1_STRING *s, lun_str text)
{
    return lun_str_caseeq(lun_str_of((const char *) ASN1_STRING_get0_data(s),
                                     (size_t) ASN1_STRING_length(s)), text);
}


static bool
has_common_name(const X509 *cert, lun_str name)
{
    int               i = -1;
    const X509_NAME  *subject = X509_get_subject_name(cert);

    while ((i = X509_NAME_get_index_by_NID(subject, NID_commonName, i)) >= 0) {
        if (is_text(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i)),
                    name))
        {
            return true;
        }
    }

    return false;
}


static bool
has_alt_name(const X509 *cert, lun_str name)
{
    int             i;
    bool            has = false;
    GENERAL_NAME   *g;
    GENERAL_NAMES  *names = X509_get_ext_d2i(cert, NID_subject_alt_name, NULL,
                                             NULL);

    for (i = 0; !has && i < sk_GENERAL_NAME_num(names); i++) {
        g = sk_GENERAL_NAME_value(names, i);
        has = g->type == GEN_DNS && is_text(g->d.dNSName, name);
    }

    GENERAL_NAMES_free(names);
    return has;
}


static bool
fits(const query *q, const X509 *cert)
{
    unsigned  n = 0;
    uint8_t   print[EVP_MAX_MD_SIZE];

    if (q->subject.len != 0) {
        return has_common_name(cert, q->subject)
               || has_alt_name(cert, q->subject);
    }

    return X509_digest(cert, EVP_sha1(), print, &n) == 1 && n == PRINT
           && memcmp(print, q->print, PRINT) == 0;
}


static bool
is_valid(const X509 *cert)
{
    return X509_cmp_current_time(X509_get0_notBefore(cert)) < 0
           && X509_cmp_current_time(X509_get0_notAfter(cert)) > 0;
}


/* Of two that fit: one that is valid; the newer one. */
static bool
is_better(const X509 *cert, const X509 *than)
{
    int  c;

    if (than == NULL || is_valid(cert) != is_valid(than)) {
        return than == NULL || is_valid(cert);
    }

    c = ASN1_TIME_compare(X509_get0_notBefore(cert),
                          X509_get0_notBefore(than));

    return c > 0 || (c == 0 && ASN1_TIME_compare(X509_get0_notAfter(cert),
                                   X509_get0_notAfter(than)) > 0);
}


static bool
on_certificate(void *data, lun_str der, const lun_certstore_entry *e)
{
    void                 *key;
    X509                 *cert;
    search               *s = data;
    const unsigned char  *p = (const unsigned char *) der.data;

    cert = der.len <= INT32_MAX ? d2i_X509(NULL, &p, (long) der.len) : NULL;

    if (cert == NULL || !fits(s->q, cert) || !is_better(cert, s->cert)) {
        X509_free(cert);
        return true;
    }

    s->seen = true;
    key = lun_certstore_open_key(e, &s->err);

    if (key == NULL) {
        X509_free(cert);
        return true;
    }

    if (s->cert != NULL) {
        X509_free(s->cert);
        lun_certstore_close_key(s->key);
    }

    s->cert = cert;
    s->key = key;
    return true;
}


static bool
on_authority(void *data, lun_str der, const lun_certstore_entry *e)
{
    certs                *list = data;
    X509                 *cert;
    const unsigned char  *p = (const unsigned char *) der.data;

    cert = der.len <= INT32_MAX ? d2i_X509(NULL, &p, (long) der.len) : NULL;

    if (cert != NULL && sk_X509_push(list, cert) == 0) {
        X509_free(cert);
        return false;
    }

    return true;
}


/* With those between it and the root, as far as the machine has them. */
static certs *
chain_of(const query *q, X509 *cert)
{
    certs  *list = sk_X509_new_null(), *chain;

    if (list == NULL) {
        return NULL;
    }

    (void) lun_certstore_each(q->machine, "CA", on_authority, list);
    chain = lun_tls_chain(cert, list);
    sk_X509_pop_free(list, X509_free);
    return chain;
}


/* --- a look -------------------------------------------------------------- */

static void
say_missing(const search *s, lun_err err, char why[LUN_TLS_STORE_WHY])
{
    char     room[LUN_TLS_STORE_WHY / 2];
    lun_str  text = lun_err_text(err != 0 ? err : s->err, room, sizeof(room));

    if (err == 0 && !s->seen) {
        (void) snprintf(why, LUN_TLS_STORE_WHY, "the store has none with that "
                        "%s", s->q->subject.len != 0 ? "subject"
                                                     : "thumbprint");

    } else if (err == 0) {
        (void) snprintf(why, LUN_TLS_STORE_WHY, "its private key can't be "
                        "used (%.*s)", LUN_S(text));

    } else if (lun_err_kind_of(err) == LUN_ERR_NOT_SUPPORTED) {
        (void) snprintf(why, LUN_TLS_STORE_WHY, "only Windows has stores of "
                        "certificates: name a file here");

    } else {
        (void) snprintf(why, LUN_TLS_STORE_WHY, "the store can't be opened "
                        "(%.*s)", LUN_S(text));
    }
}


static bool
look(lun_str name, certs **chain, EVP_PKEY **key, char why[LUN_TLS_STORE_WHY])
{
    query    q;
    search   s = { .q = &q };
    lun_err  err;

    if (!read_query(name, &q)) {
        (void) snprintf(why, LUN_TLS_STORE_WHY, "\"store:LocalMachine/MY?"
                        "subject=NAME\" or \"...?thumbprint=HEX\" is "
                        "expected");
        return false;
    }

    err = lun_certstore_each(q.machine, q.store, on_certificate, &s);

    if (s.cert == NULL) {
        say_missing(&s, err, why);
        ERR_clear_error();
        return false;
    }

    *chain = chain_of(&q, s.cert);
    *key = lun_tls_signer_key(s.cert, &in_store, s.key);
    X509_free(s.cert);
    ERR_clear_error();

    if (*chain == NULL || *key == NULL) {
        (void) snprintf(why, LUN_TLS_STORE_WHY, "its key is of no kind that "
                        "is used here");
        sk_X509_pop_free(*chain, X509_free);
        EVP_PKEY_free(*key);
        return false;
    }

    return true;
}


/* --- what is kept -------------------------------------------------------- */

static found *
find(lun_str name)
{
    lun_lru_entry  *names = lun_lru_find(&all, name, lun_str_hash(name));

    return names != NULL ? lun_container_of(names, found, names) : NULL;
}


static void
drop_oldest(void)
{
    found  *f = lun_container_of(lun_lru_oldest(&all), found, names);

    lun_lru_remove(&all, &f->names);
    sk_X509_pop_free(f->chain, X509_free);
    EVP_PKEY_free(f->key);
    lun_free(f);
}


static found *
keep(lun_str name)
{
    found  *f = lun_calloc(sizeof(found) + name.len);

    f->len = name.len;
    (void) lun_copy_str(f->name, name);

    if (all.count == MOST) {
        drop_oldest();
    }

    lun_lru_add(&all, &f->names, lun_str_of(f->name, f->len),
                lun_str_hash(name), MOST);
    return f;
}


bool
lun_tls_store_get(lun_str name, bool again, certs **chain, EVP_PKEY **key,
    char why[LUN_TLS_STORE_WHY])
{
    found     *f = find(name);
    certs     *new_chain = NULL;
    EVP_PKEY  *new_key = NULL;

    if (f == NULL || (again && lun_clock.sec - f->looked_at >= MINUTE)) {
        if (look(name, &new_chain, &new_key, why)) {
            f = f != NULL ? f : keep(name);
            sk_X509_pop_free(f->chain, X509_free);
            EVP_PKEY_free(f->key);
            f->chain = new_chain;
            f->key = new_key;

        } else if (f == NULL) {
            return false;
        }

        f->looked_at = lun_clock.sec;
    }

    lun_lru_touch(&all, &f->names);

    if (chain != NULL) {
        *chain = X509_chain_up_ref(f->chain);
    }

    if (key != NULL) {
        EVP_PKEY_up_ref(f->key);
        *key = f->key;
    }

    return true;
}
