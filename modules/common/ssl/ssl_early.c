/*
 * ssl_early.c -- early data are taken once: who has heard them may say them
 * again, to another worker as well.
 *
 * In a zone stand the tickets by which some were taken.  With one that stands
 * there, a handshake goes on without its early data.  Where the zone is full
 * the oldest are forgotten, and then early data are not taken by tickets as
 * old as those.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/ssl/ssl_priv.h"

#include <openssl/evp.h>
#include <openssl/ssl.h>

#include "os/clock.h"
#include "shm/shm_table.h"


enum {
    ZONE_SIZE = 4 * 1024 * 1024,
    NAME      = 16,                /* bytes of a ticket's digest */
    SECRET    = 64
};

/* What has been forgotten, as a record whose value is a time; no ticket has a
   name of that length. */
static const lun_str  forgotten = LUN_STR_INIT("forgotten");


static void
mend(lun_zone *zone, int64_t pid, const lun_log *log)
{
    lun_shm_table_seize(lun_shm_table_of(zone), pid);
}


/* Tickets of one client have secrets of their own. */
static bool
name_of(const SSL_SESSION *session, char name[NAME])
{
    bool           named;
    size_t         len;
    unsigned char  secret[SECRET], digest[EVP_MAX_MD_SIZE];

    len = SSL_SESSION_get_master_key(session, secret, sizeof(secret));
    named = len != 0
            && EVP_Digest(secret, len, digest, NULL, EVP_sha256(), NULL) == 1;
    OPENSSL_cleanse(secret, sizeof(secret));

    if (named) {
        memcpy(name, digest, NAME);
    }

    return named;
}


/*
 * The record of what may be forgotten: tickets issued up to its value are not
 * taken.  Where it is not there, whoever died has left the others as they may
 * be.  NULL: there is no room.
 */
static lun_shm_record *
mark_of(lun_shm_table *t)
{
    lun_shm_record  *mark = lun_shm_table_find(t, forgotten, NULL);

    return mark != NULL ? mark
           : lun_shm_table_add(t, forgotten, 0, (uint64_t) lun_clock.sec);
}


/*
 * What was heard before there was this memory may be said again to who has the
 * same keys (RFC 8446, 8.2): so tickets of that time are not taken.
 */
static lun_rc
init(lun_zone *zone, const lun_log *log)
{
    lun_shm_table  *t = zone->shm.addr;
    lun_rc          rc = lun_shm_table_init(zone, log);

    if (rc == LUN_OK) {
        lun_shm_table_lock(t);
        (void) lun_shm_table_add(t, forgotten, 0,
                                 (uint64_t) lun_clock.sec - 1);
        lun_shm_table_unlock(t);
    }

    return rc;
}


static const lun_zone_kind  kind = {
    .name     = "ssl_early_data",
    .min_size = ZONE_SIZE,
    .init     = init,
    .mend     = mend,
};


/* A ticket that was used at some time is no younger than that. */
static bool
forget_oldest(lun_shm_table *t, lun_shm_record *mark)
{
    lun_shm_record  *e = lun_shm_table_oldest(t);

    if (e != NULL && e == mark) {
        lun_shm_table_touch(t, e);
        e = lun_shm_table_oldest(t);
    }

    if (e == NULL || e == mark) {
        return false;
    }

    mark->value = lun_max(mark->value, e->value);
    lun_shm_table_remove(t, e);
    return true;
}


/* False: it was before, or may have been. */
static bool
use_up(lun_shm_table *t, lun_str name, uint64_t issued)
{
    uint64_t         when = lun_max((uint64_t) lun_clock.sec, issued);
    lun_shm_record  *mark = mark_of(t);

    if (mark == NULL || issued <= mark->value
        || lun_shm_table_find(t, name, NULL) != NULL)
    {
        return false;
    }

    if (lun_shm_table_add(t, name, 0, when) != NULL) {
        return true;
    }

    return forget_oldest(t, mark) && issued > mark->value
           && lun_shm_table_add(t, name, 0, when) != NULL;
}


static int
on_early(SSL *ssl, void *data)
{
    bool                taken;
    char                name[NAME];
    lun_shm_table      *t = lun_shm_table_of(data);
    const SSL_SESSION  *session = SSL_get_session(ssl);

    if (session == NULL || !name_of(session, name)) {
        return 0;
    }

    lun_shm_table_lock(t);
    taken = use_up(t, lun_str_of(name, NAME),
                   (uint64_t) SSL_SESSION_get_time_ex(session));
    lun_shm_table_unlock(t);

    if (!taken) {
        lun_debug(&lun_tls_conn(ssl)->log, "early data of a used ticket");
    }

    return taken;
}


lun_rc
lun_ssl_use_early(lun_conf *cf, lun_ssl_conf *conf, uint32_t most)
{
    const char  *why;

    conf->early_used = lun_zone_want(cf->gen->zones, LUN_STR("ssl early data"),
                                     ZONE_SIZE, &kind, &why);

    if (conf->early_used == NULL) {
        return lun_conf_fail(cf, "%s", why);
    }

    SSL_CTX_set_max_early_data(conf->ctx, most);
    SSL_CTX_set_allow_early_data_cb(conf->ctx, on_early, conf->early_used);
    return LUN_OK;
}


void
lun_ssl_guard_early(SSL *ssl, const lun_ssl_conf *conf)
{
    SSL_set_allow_early_data_cb(ssl, conf->early_used != NULL ? on_early : NULL,
                                conf->early_used);
}
