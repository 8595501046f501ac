/*
 * tls_reuse.c -- sessions that were agreed on with servers.
 *
 * A server may say at any time what a later connection can go on with (TLS 1.3
 * does so after the handshake): it is kept when it comes, under the key that
 * the connection has with it.  The sessions that nobody has used for longest
 * make room.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/tls/tls_reuse.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "base/list.h"


enum { MOST = 128 };               /* sessions of a context */

typedef struct {
    lun_list      link;
    SSL_SESSION  *session;
    uint64_t      hash;
    size_t        len;
    char          key[];
} known;

typedef struct {
    SSL_CTX      *ctx;
    lun_list      all;             /* of known; the latest used first */
    size_t        count;
} store;

/* Where a context has its store, and an SSL its key. */
static int  store_index = -1, key_index = -1;


static store *
store_of(const SSL *ssl)
{
    return SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), store_index);
}


static known *
find(const store *s, lun_str key)
{
    known     *k;
    uint64_t   hash = lun_str_hash(key);

    lun_list_each(&s->all, it) {
        k = lun_container_of(it, known, link);

        if (k->hash == hash && lun_str_eq(lun_str_of(k->key, k->len), key)) {
            return k;
        }
    }

    return NULL;
}


static void
drop(store *s, known *k)
{
    lun_list_remove(&k->link);
    s->count--;
    SSL_SESSION_free(k->session);
    lun_free(k);
}


static void
add(store *s, lun_str key, SSL_SESSION *session)
{
    known  *k = lun_calloc(sizeof(known) + key.len);

    k->session = session;
    k->hash = lun_str_hash(key);
    k->len = key.len;
    (void) lun_copy_str(k->key, key);
    lun_list_push_front(&s->all, &k->link);
    s->count++;

    if (s->count > MOST) {
        drop(s, lun_container_of(s->all.prev, known, link));
    }
}


/* For OpenSSL; 1: the session is ours. */
static int
on_session(SSL *ssl, SSL_SESSION *session)
{
    known          *k;
    store          *s = store_of(ssl);
    const lun_str  *key = SSL_get_ex_data(ssl, key_index);

    if (s == NULL || key == NULL) {
        return 0;
    }

    k = find(s, *key);

    if (k != NULL) {
        drop(s, k);
    }

    add(s, *key, session);
    return 1;
}


/* Connections may live longer than the store. */
static void
free_store(void *data)
{
    store  *s = data;

    SSL_CTX_sess_set_new_cb(s->ctx, NULL);
    (void) SSL_CTX_set_ex_data(s->ctx, store_index, NULL);

    while (s->count != 0) {
        drop(s, lun_container_of(s->all.next, known, link));
    }
}


/*
 * OpenSSL's own cache finds sessions only where we are the server: those with
 * servers are kept by name, here.
 */
lun_rc
lun_tls_reuse_init(SSL_CTX *ctx, lun_pool *pool)
{
    store  *s = lun_pool_new(pool, store);

    if (key_index == -1) {
        store_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
        key_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    }

    s->ctx = ctx;
    lun_list_init(&s->all);

    if (store_index == -1 || key_index == -1
        || SSL_CTX_set_ex_data(ctx, store_index, s) != 1)
    {
        ERR_clear_error();
        return LUN_ERROR;
    }

    lun_pool_on_end(pool, free_store, s);

    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT
                                        | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(ctx, on_session);

    return LUN_OK;
}


void
lun_tls_reuse(lun_conn *c, lun_str key)
{
    SSL      *ssl = lun_tls_of(c);
    known    *k;
    store    *s = store_of(ssl);
    lun_str  *own = lun_pool_new(lun_conn_memory(c), lun_str);

    *own = lun_pool_str(c->pool, key);
    k = s != NULL ? find(s, key) : NULL;

    /* Without any of this the handshake is only longer. */
    if (SSL_set_ex_data(ssl, key_index, own) == 1 && k != NULL) {
        lun_list_remove(&k->link);
        lun_list_push_front(&s->all, &k->link);
        lun_debug(&c->log, "set session: %p", (void *) k->session);
        (void) SSL_set_session(ssl, k->session);
    }

    ERR_clear_error();
}


void
lun_tls_reuse_forget(lun_conn *c)
{
    SSL            *ssl = lun_tls_of(c);
    known          *k;
    store          *s = store_of(ssl);
    const lun_str  *key = SSL_get_ex_data(ssl, key_index);

    k = s != NULL && key != NULL ? find(s, *key) : NULL;

    if (k != NULL) {
        drop(s, k);
    }
}
