/*
 * acme_demand_work.c -- certificates on demand, for the worker whose duty they
 * are: names that clients want, whether they may, and those that are stored.
 *
 * What it knows of a name is its own: another worker that has the duty later
 * knows it from the folder, a few at each run.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_demand.h"

#include "format/uri.h"
#include "modules/http/acme/acme_plan.h"
#include "net/tls/cert_maker.h"
#include "os/clock.h"
#include "os/dir.h"


enum {
    AT_ONCE = 50,                  /* files that one run reads */
    NOT_AGAIN = 600,               /* seconds for which a name that may not
                                      have one is not asked about */
    ASK_AGAIN = 3600,              /* ... for one that has one */
    SETTLED_FOR = 60,              /* ... for one that has failed */
    HOPELESS = 3600,               /* ... for one that has been ordered so */
    TRIES = 3                      /* often, and has never had one: Let's
                                      Encrypt takes five in an hour */
};

/* A name that has a certificate, or might. */
typedef struct {
    lun_acme_cert           cert;
    lun_acme_state          state;
    lun_str                 name;  /* cert.names */
    int64_t                 next;
    bool                    read;  /* its file */
    bool                    permitted;     /* its next order */
    uint32_t                told;  /* failures that clients have heard of */
    struct lun_acme_office_list  *of;
    char                    text[];
} item;

/* Of a demand. */
typedef struct lun_acme_office_list {
    lun_acme_demand_work   *work;
    const lun_acme_demand  *demand;
    item                  **items;
    size_t                  count, room;
    lun_http_ask           *ask;
    item                   *asks_for;
} list;

struct lun_acme_demand_work {
    lun_acme_work    *w;
    lun_http_client  *client;
    list             *lists;
    size_t            count;
};


/* --- names --------------------------------------------------------------- */

/* `is_new`: it is not there. */
static void
add(list *l, lun_str host, bool is_new)
{
    item                   *it;
    size_t                  i;
    const lun_acme_demand  *d = l->demand;

    for (i = 0; !is_new && i < l->count; i++) {
        if (lun_str_eq(l->items[i]->name, host)) {
            return;
        }
    }

    if (l->count == l->room) {
        l->room = lun_max(2 * l->room, (size_t) 16);
        l->items = lun_realloc(l->items, l->room * sizeof(item *));
    }

    it = lun_calloc(sizeof(*it) + lun_acme_demand_room(d, host));
    it->of = l;
    lun_acme_demand_cert(d, host, it->text, &it->name, &it->cert);
    it->cert.kept = &it->state;
    it->state.is_own = 1;
    l->items[l->count++] = it;
}


static void
drop(list *l, size_t i)
{
    item  *it = l->items[i];

    if (l->asks_for == it) {
        lun_http_client_cancel(l->ask);
        l->ask = NULL;
        l->asks_for = NULL;
    }

    l->items[i] = l->items[--l->count];
    lun_free(it);
}


/* Those of clients; each is taken once. */
static void
take_wishes(list *l)
{
    int64_t         n;
    lun_str         host, name;
    lun_pool       *pool = lun_pool_new_sized(2048);
    lun_zone       *zone = l->work->w->acme->zone;

    for (n = 1; n <= l->demand->rate; n++) {
        name = lun_pool_fmt(pool, "%.*s:%" PRId64,
                            LUN_S(l->demand->issuer->name), n);
        host = lun_acme_zone_text(zone, "wish", name, pool);

        if (host.len != 0) {
            (void) lun_acme_zone_put_text(zone, "wish", name, LUN_STR(""), 0);
            add(l, host, false);
        }
    }

    lun_pool_free(pool);
}


/* A file of the folder. */
static bool
on_file(void *data, const char *name, bool is_dir)
{
    lun_str   host = is_dir ? LUN_STR("")
                            : lun_acme_demand_host_of(name, ".crt");

    if (host.len != 0) {
        add(data, host, true);
    }

    return true;
}


/* What its file says; one without a file is a new one. */
static void
read_item(item *it)
{
    X509      *x;
    lun_str    chain, key;
    lun_pool  *pool = lun_pool_new_sized(16384);

    it->read = true;
    it->state.next = lun_clock.sec;

    if (lun_acme_store_pair(&it->cert, pool, &chain, &key)) {
        x = lun_cert_read(chain);

        if (x != NULL && lun_cert_times(x, &it->state.from, &it->state.until)) {
            it->state.is_own = 0;
            it->state.issued = 1;
            lun_acme_plan_begin(&it->state, lun_str_hash(it->cert.id),
                                lun_clock.sec);
        }

        X509_free(x);
    }

    lun_pool_free(pool);
}


/* --- what people want ---------------------------------------------------- */

static void
want(list *l, lun_str host, uint8_t what)
{
    size_t   i;
    item    *it;

    for (i = 0; i < l->count; i++) {
        it = l->items[i];

        if (lun_str_eq(it->name, host)) {
            (void) lun_acme_store_take(l->demand->home, it->cert.file,
                                       what == LUN_ACME_TO_REVOKE ? ".revoke"
                                       : ".renew");

            if (!it->read) {
                read_item(it);
            }

            it->state.is_asked = lun_max(it->state.is_asked, what);
            it->state.next = lun_clock.sec;
            it->next = 0;
            return;
        }
    }
}


/* `lunette acme renew` and `revoke` leave files. */
static bool
on_wanted(void *data, const char *name, bool is_dir)
{
    lun_str  renew = lun_acme_demand_host_of(name, ".renew");
    lun_str  revoke = lun_acme_demand_host_of(name, ".revoke");

    if (!is_dir && revoke.len != 0) {
        want(data, revoke, LUN_ACME_TO_REVOKE);

    } else if (!is_dir && renew.len != 0) {
        want(data, renew, LUN_ACME_TO_RENEW);
    }

    return true;
}


static void
take_letter(list *l)
{
    const lun_acme_issuer  *home = l->demand->home;

    if (lun_acme_store_take(home, LUN_ACME_LETTER, "")) {
        (void) lun_dir_list(home->state_path.data, on_wanted, l);
    }
}


/* --- whether it may ------------------------------------------------------ */

static void
refuse(list *l, item *it, const char *why, int64_t seconds)
{
    size_t  i;

    lun_log(LUN_LOG_NOTICE, l->work->w->log, 0, "acme: \"%.*s\" is not "
            "to have a certificate on demand: %s", LUN_S(it->name), why);

    if (!it->state.is_own) {
        it->state.next = lun_clock.sec + ASK_AGAIN;
        it->next = it->state.next;
        return;
    }

    lun_acme_demand_settle(l->work->w->acme, it->name, seconds);

    for (i = 0; i < l->count; i++) {
        if (l->items[i] == it) {
            drop(l, i);
            return;
        }
    }
}


static void
on_answer(void *data, const lun_http_client_answer *answer)
{
    list  *l = data;
    item  *it = l->asks_for;

    l->ask = NULL;
    l->asks_for = NULL;

    if (answer->verdict != LUN_HTTP_ANSWERED) {
        refuse(l, it, lun_http_client_text(answer->verdict), NOT_AGAIN);

    } else if (answer->status < 200 || answer->status > 299) {
        refuse(l, it, "it was refused", NOT_AGAIN);

    } else {
        it->permitted = true;
        it->next = 0;
    }

    lun_duty_run_soon(l->work->w->duty);
}


bool
lun_acme_demand_permits(lun_acme_demand_work *dw, lun_acme_cert *cert)
{
    item      *it = lun_container_of(cert, item, cert);
    list      *l = it->of;
    lun_pool  *pool;

    if (it->permitted) {
        it->permitted = false;     /* the next one is asked about again */
        return true;
    }

    if (l->ask == NULL) {
        pool = lun_pool_new_sized(2048);
        l->asks_for = it;
        l->ask = lun_http_client_ask(dw->client, &(lun_http_client_question) {
            .url = lun_pool_fmt(pool, "%.*s%cdomain=%.*s",
                                LUN_S(l->demand->ask),
                                lun_str_chr(l->demand->ask, '?') != NULL
                                ? '&' : '?', LUN_S(it->name)),
            .idle = true, .done = on_answer, .data = l
        });
        lun_pool_free(pool);
    }

    return false;
}


/* --- the duty ------------------------------------------------------------ */

static bool
is_in_hand(const lun_acme_work *w, const item *it)
{
    size_t  i;

    for (i = 0; i < w->count; i++) {
        if (w->offices[i].cert == &it->cert) {
            return true;
        }
    }

    return false;
}


/* It has been permitted, but will not have one: its DNS leads elsewhere. */
static bool
is_hopeless(const lun_acme_work *w, const item *it)
{
    return it->state.is_own && it->state.failures >= TRIES
           && !is_in_hand(w, it);
}


/* There was one, and is none. */
static bool
is_revoked(const lun_acme_work *w, const item *it)
{
    return it->state.is_own && it->state.issued != 0 && !is_in_hand(w, it);
}


/* Handshakes that wait for it need wait no longer: it has failed. */
static void
tell_clients(const lun_acme_work *w, item *it)
{
    if (it->state.is_own && it->state.failures != it->told) {
        it->told = it->state.failures;
        lun_acme_demand_settle(w->acme, it->name, SETTLED_FOR);
    }
}


/* Its order is due, and others are being asked about: it is not even looked
   at, which would be for each of them at each answer. */
static bool
has_to_queue(const list *l, const item *it)
{
    return l->ask != NULL && !it->permitted
           && it->state.next <= lun_clock.sec
           && lun_acme_plan_purpose(&it->state, lun_clock.sec)
              == LUN_ACME_ISSUE;
}


/* True: there is more to read. */
static bool
run_list(list *l)
{
    item    *it;
    size_t   i, budget = AT_ONCE;
    bool     more = false;

    take_letter(l);
    take_wishes(l);

    for (i = l->count; i-- > 0; ) {
        it = l->items[i];

        if (!it->read) {
            if (budget == 0) {
                more = true;
                continue;
            }

            budget--;
            read_item(it);
        }

        tell_clients(l->work->w, it);

        if (is_revoked(l->work->w, it)) {
            lun_acme_demand_settle(l->work->w->acme, it->name, 0);
            drop(l, i);

        } else if (is_hopeless(l->work->w, it)) {
            refuse(l, it, it->state.error, HOPELESS);

        } else if (!has_to_queue(l, it)
                   && (it->next <= lun_clock.sec
                       || it->next > lun_clock.sec + LUN_ACME_REST))
        {
            it->next = lun_clock.sec + lun_acme_see_to(l->work->w, &it->cert);
        }
    }

    return more;
}


bool
lun_acme_demand_run(lun_acme_demand_work *dw)
{
    size_t  i;
    bool    more = false;

    for (i = 0; dw != NULL && i < dw->count; i++) {
        more |= run_list(&dw->lists[i]);
    }

    return more;
}


lun_acme_demand_work *
lun_acme_demand_begin(lun_acme_work *w)
{
    size_t                   i;
    lun_acme_demand_work    *dw;
    lun_http_client_options  options = {
        .peer = "acme_on_demand", .user_agent = LUN_PRODUCT, .timeout = 10000,
        .resolver = w->resolver
    };

    if (w->acme->demands.count == 0) {
        return NULL;
    }

    dw = lun_pool_new(w->pool, lun_acme_demand_work);
    dw->w = w;
    dw->client = lun_http_client_new(w->pool, w->loop, &options, w->log);
    dw->count = w->acme->demands.count;
    dw->lists = lun_pool_new_n(w->pool, list, dw->count);

    for (i = 0; i < dw->count; i++) {
        dw->lists[i].work = dw;
        dw->lists[i].demand
            = *(lun_acme_demand **) lun_array_at(&w->acme->demands, i);
        (void) lun_dir_list(dw->lists[i].demand->home->state_path.data,
                            on_file, &dw->lists[i]);
    }

    return dw;
}


/* The offices are closed: nobody has an item in hand. */
void
lun_acme_demand_end(lun_acme_demand_work *dw)
{
    list    *l;
    size_t   i;

    for (i = 0; dw != NULL && i < dw->count; i++) {
        l = &dw->lists[i];

        while (l->count != 0) {
            drop(l, l->count - 1);
        }

        lun_free(l->items);
    }
}
