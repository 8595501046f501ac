/*
 * acme_dns.c -- records of dns-01: messages to the server of a zone, or to a
 * hook.
 *
 * Taking back a record may last longer than the order that it was for: jobs
 * are the asker's, not the order's.
 *
 * The name of a record may be an alias, which leads into a zone that can be
 * written to from here (and in which nothing else is): that one is written.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_dns.h"

#include <openssl/evp.h>

#include "base/digest.h"
#include "client/dns_updater.h"
#include "format/uri.h"
#include "net/dns/dns_ask.h"


#define LABEL  "_acme-challenge."

enum { DIGEST = 32, VALUE = 44, LIMIT = 30000, ALIAS_LIMIT = 5000 };

typedef struct {
    lun_list             link;
    lun_acme_dns_asker  *asker;
    lun_dns_question    *question; /* one of these: where the name leads, */
    lun_dns_updater     *updater;  /* what the zone's server says, */
    lun_http_ask        *ask;      /* or a hook */
    lun_timer            timer;    /* of the question */
    const lun_acme_dns  *dns;
    bool                 remove;
    void               (*done)(void *data, const char *fault);
    void                *data;
    char                 name[LUN_DNS_NAME];       /* of the record */
    char                 value[VALUE];
} job;


/* --- zones and keys ------------------------------------------------------ */

const lun_acme_dns_zone *
lun_acme_dns_zone_of(const lun_acme_dns *dns, lun_str name)
{
    size_t                    i, n, best_len = 0;
    const lun_acme_dns_zone  *one, *best = NULL;

    for (i = 0; i < dns->zones.count; i++) {
        one = lun_array_at(&dns->zones, i);
        n = strlen(one->zone);

        if (n > best_len && name.len >= n
            && lun_str_caseeq(lun_str_of(name.data + name.len - n, n),
                              lun_str_of(one->zone, n))
            && (name.len == n || name.data[name.len - n - 1] == '.'))
        {
            best = one;
            best_len = n;
        }
    }

    return best;
}


/* What stands in quotes behind that word; empty: nothing does. */
static lun_str
quoted(lun_str text, lun_str word)
{
    lun_str      rest;
    const char  *p = lun_str_find(text, word), *end;

    if (p == NULL) {
        return LUN_STR("");
    }

    p += word.len;
    rest = lun_str_trim(lun_str_of(p, (size_t) (text.data + text.len - p)));

    if (!lun_str_after(rest, LUN_STR("\""), &rest)) {
        return LUN_STR("");
    }

    end = lun_str_chr(rest, '"');
    return end != NULL ? lun_str_of(rest.data, (size_t) (end - rest.data))
                       : LUN_STR("");
}


/* "NAME:BASE64", or the file as tsig-keygen writes it. */
bool
lun_acme_dns_key(lun_pool *pool, lun_str text, lun_acme_dns_zone *zone)
{
    char         name[LUN_DNS_NAME], *bytes;
    lun_str      key, secret;
    const char  *colon;

    text = lun_str_trim(text);
    key = quoted(text, LUN_STR("key "));

    if (key.len != 0) {
        secret = quoted(text, LUN_STR("secret "));

        if (lun_str_find(text, LUN_STR("hmac-sha256")) == NULL) {
            return false;
        }

    } else {
        colon = lun_str_chr(text, ':');

        if (colon == NULL) {
            return false;
        }

        key = lun_str_of(text.data, (size_t) (colon - text.data));
        secret = lun_str_of(colon + 1, text.len - key.len - 1);
    }

    bytes = lun_pool_text(pool, secret.len / 4 * 3 + 3);
    zone->secret.data = bytes;

    if (secret.len == 0 || lun_dns_name(key, name) != LUN_OK
        || lun_base64_decode(bytes, &zone->secret.len, secret, false, false)
           != LUN_OK)
    {
        return false;
    }

    zone->key = lun_pool_strz(pool, lun_str_z(name));
    return true;
}


/* --- jobs ---------------------------------------------------------------- */

static void
end(job *j, const char *fault)
{
    if (fault != NULL) {
        lun_log(LUN_LOG_ERR, j->asker->log, 0, "acme: record \"%s\" cannot "
                "be %s: %s", j->name,
                j->remove ? "taken back" : "set", fault);
    }

    lun_list_remove(&j->link);

    if (j->done != NULL) {
        j->done(j->data, fault);
    }

    lun_free(j);
}


static void
on_updated(void *data, const char *fault)
{
    end(data, fault);
}


static void
on_hooked(void *data, const lun_http_client_answer *answer)
{
    const char  *fault = NULL;

    if (answer->verdict != LUN_HTTP_ANSWERED) {
        fault = lun_http_client_text(answer->verdict);

    } else if (answer->status < 200 || answer->status > 299) {
        fault = "the hook refuses";
    }

    end(data, fault);
}


static lun_str
escaped(lun_pool *pool, lun_str text)
{
    char  *p = lun_pool_text(pool, lun_uri_escaped_len(text,
                                                       LUN_ESCAPE_COMPONENT));
    char  *last = lun_uri_escape(p, text, LUN_ESCAPE_COMPONENT);

    return lun_str_of(p, (size_t) (last - p));
}


/* As a form has it, so that a script reads it with ngx.req.get_post_args(). */
static lun_str
form_of(lun_pool *pool, const lun_acme_dns_wish *w, lun_str record,
    lun_str value)
{
    return lun_pool_fmt(pool, "hook=%s&challenge=dns&client=%.*s&domain=%.*s"
                        "&name=%.*s&value=%.*s&keyauth=%.*s",
                        w->remove ? "remove" : "add",
                        LUN_S(escaped(pool, w->issuer)),
                        LUN_S(w->name), LUN_S(record), LUN_S(value),
                        LUN_S(w->authorization));
}


static void
ask_hook(job *j, lun_pool *pool, const lun_acme_dns_wish *w, lun_str record,
    lun_str value)
{
    lun_http_field  type = { LUN_STR("Content-Type"),
                             LUN_STR("application/x-www-form-urlencoded") };

    j->ask = lun_http_client_ask(j->asker->client,
        &(lun_http_client_question) {
            .method = LUN_STR("POST"), .url = w->dns->hook,
            .fields = &type, .field_count = 1,
            .body = form_of(pool, w, record, value), .has_body = true,
            .idle = true, .done = on_hooked, .data = j
        });
}


static void
ask_server(job *j)
{
    const lun_acme_dns_zone  *zone;

    zone = lun_acme_dns_zone_of(j->dns, lun_str_z(j->name));

    if (zone == NULL) {
        end(j, "no \"dns_update\" has a zone for it");
        return;
    }

    j->updater = lun_dns_updater_ask(j->asker->loop, &(lun_dns_updater_wish) {
        .host = zone->host, .port = zone->port,
        .resolver = j->asker->resolver, .timeout = LIMIT,
        .log = j->asker->log, .done = on_updated, .data = j,
        .update = {
            .zone = zone->zone, .name = j->name, .text = lun_str_z(j->value),
            .ttl = zone->ttl, .remove = j->remove, .key = zone->key,
            .secret = zone->secret
        }
    });
}


static void
on_led(void *data, unsigned rcode, const lun_dns_addrs *found)
{
    job  *j = data;

    j->question = NULL;
    lun_timer_stop(&j->timer);

    if (found != NULL && strcmp(found->alias, j->name) != 0) {
        lun_log(LUN_LOG_INFO, j->asker->log, 0, "acme: record \"%s\" is that "
                "of \"%s\"", j->name, found->alias);
        memcpy(j->name, found->alias, sizeof(j->name));
    }

    ask_server(j);
}


/* Nobody can say: it is no alias, then. */
static void
on_not_led(lun_timer *timer)
{
    job  *j = lun_container_of(timer, job, timer);

    lun_dns_ask_cancel(j->question);
    on_led(j, 0, NULL);
}


static void
follow_aliases(job *j)
{
    size_t          turn;
    lun_dns_asker  *asker = lun_resolver_asker(j->asker->resolver, &turn);

    j->timer.idle = true;
    lun_timer_start(j->asker->loop, &j->timer, ALIAS_LIMIT, on_not_led);
    j->question = lun_dns_ask(asker, j->name, LUN_DNS_TXT, turn, on_led, j);
}


/* RFC 8555, 8.4. */
static lun_str
value_of(lun_pool *pool, lun_str authorization)
{
    char           *text = lun_pool_text(pool, lun_base64_len(DIGEST) + 1);
    const char     *last;
    unsigned char   sum[DIGEST];

    if (EVP_Q_digest(NULL, "SHA256", NULL, authorization.data,
                     authorization.len, sum, NULL) != 1)
    {
        return LUN_STR("");
    }

    last = lun_base64_encode(text, lun_str_of((char *) sum, DIGEST), true,
                             false);
    return lun_str_of(text, (size_t) (last - text));
}


/*
 * The job lives until its answer, whatever becomes of the order: a record that
 * was put has to be taken away.
 */
bool
lun_acme_dns_ask(lun_acme_dns_asker *a, const lun_acme_dns_wish *w)
{
    job       *j;
    char       name[LUN_DNS_NAME];
    lun_str    record, value;
    lun_pool  *pool = lun_pool_new_sized(1024);

    record = lun_pool_fmt(pool, LABEL "%.*s", LUN_S(w->name));
    value = value_of(pool, w->authorization);

    if (value.len == 0 || value.len >= VALUE
        || lun_dns_name(record, name) != LUN_OK)
    {
        lun_pool_free(pool);
        return false;
    }

    j = lun_calloc(sizeof(*j));
    j->asker = a;
    j->dns = w->dns;
    j->remove = w->remove;
    j->done = w->done;
    j->data = w->data;
    memcpy(j->name, name, sizeof(name));
    memcpy(j->value, value.data, value.len);
    lun_list_push_back(&a->jobs, &j->link);

    if (w->dns->hook.len != 0) {
        ask_hook(j, pool, w, record, value);
    } else {
        follow_aliases(j);
    }

    lun_pool_free(pool);
    return true;
}


void
lun_acme_dns_forget(lun_acme_dns_asker *a, const void *data)
{
    job       *j;
    lun_list  *link;

    for (link = a->jobs.next; link != &a->jobs; link = link->next) {
        j = lun_container_of(link, job, link);

        if (j->data == data) {
            j->done = NULL;
        }
    }
}


void
lun_acme_dns_asker_init(lun_acme_dns_asker *a, lun_pool *pool, lun_loop *loop,
    lun_resolver *resolver, const lun_log *log)
{
    lun_http_client_options  hooks = {
        .peer = "ACME hook", .user_agent = LUN_PRODUCT, .timeout = LIMIT,
        .resolver = resolver
    };
    lun_resolver_options     names = { .ipv4 = true, .ipv6 = true };

    a->loop = loop;
    a->log = log;
    a->client = lun_http_client_new(pool, loop, &hooks, log);
    a->resolver = resolver != NULL ? resolver
                  : lun_resolver_new(pool, loop, &names, log);
    lun_list_init(&a->jobs);
}


void
lun_acme_dns_asker_end(lun_acme_dns_asker *a)
{
    job  *j;

    while (a->jobs.next != &a->jobs) {
        j = lun_container_of(a->jobs.next, job, link);
        lun_list_remove(&j->link);

        lun_timer_stop(&j->timer);

        if (j->question != NULL) {
            lun_dns_ask_cancel(j->question);
        } else if (j->updater != NULL) {
            lun_dns_updater_cancel(j->updater);
        } else {
            lun_http_client_cancel(j->ask);
        }

        lun_free(j);
    }
}
