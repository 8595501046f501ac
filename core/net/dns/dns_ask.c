/*
 * dns_ask.c -- questions on their way.
 *
 * A question keeps its id while it goes round the servers, so a late answer is
 * as good as any.  Ids come from the system's entropy, and an answer counts
 * only if it repeats id, name and type of a question that is open.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/dns/dns_ask.h"

#include "base/check.h"
#include "base/list.h"
#include "base/pool.h"
#include "net/dns/dns_metrics.h"
#include "net/dns/dns_wire.h"
#include "os/random.h"


enum {
    BUCKETS      = 256,
    ALIASES_MAX  = 16,             /* asked for one after the other */
    RESEND       = 1500            /* ms until the next server is asked */
};

/* Response codes that we look at, or give ourselves. */
enum {
    RCODE_FINE      = 0,
    RCODE_FORMERR   = 1,
    RCODE_SERVFAIL  = 2,
    RCODE_NXDOMAIN  = 3
};

struct lun_dns_question {
    lun_list          by_id;
    lun_dns_asker    *asker;
    uint16_t          id, type;
    bool              tcp;
    size_t            server;      /* the one asked last */
    size_t            heard;       /* whose answer is being read */
    unsigned          refusals;    /* servers that would not answer */
    unsigned          aliases;     /* followed so far */
    uint32_t          ttl;         /* of those */
    lun_timer         resend;
    lun_dns_done_fn  *done;
    lun_dns_services_fn  *services_done;   /* in its place, of services */
    void             *data;
    char              name[LUN_DNS_NAME];
};

struct lun_dns_asker {
    lun_loop      *loop;
    lun_dns_wire  *wire;
    size_t         servers;
    uint32_t       counts_at;
    lun_list       by_id[BUCKETS];
};


/* The system's entropy, in portions. */
static uint16_t
random_id(void)
{
    static uint16_t  ids[64];
    static size_t    left;

    if (left == 0) {
        lun_random_bytes(ids, sizeof(ids));
        left = LUN_ARRAY_LEN(ids);
    }

    return ids[--left];
}


static lun_dns_question *
find(lun_dns_asker *asker, const lun_dns_head *head)
{
    lun_list          *bucket = &asker->by_id[head->id % BUCKETS];
    lun_dns_question  *q;

    lun_list_each(bucket, it) {
        q = lun_container_of(it, lun_dns_question, by_id);

        if (q->id == head->id && q->type == head->type
            && strcmp(q->name, head->name) == 0)
        {
            return q;
        }
    }

    return NULL;
}


/* Every name gets an id of its own. */
static void
name_question(lun_dns_question *q, const char *name)
{
    LUN_CHECK(strlen(name) < sizeof(q->name));

    memcpy(q->name, name, strlen(name) + 1);
    q->id = random_id();
    lun_list_remove(&q->by_id);
    lun_list_push_front(&q->asker->by_id[q->id % BUCKETS], &q->by_id);
}


static void  on_resend(lun_timer *timer);


static void
send_question(lun_dns_question *q)
{
    size_t    len;
    uint8_t   query[LUN_DNS_QUERY];

    LUN_CHECK(q->server < q->asker->servers);

    len = lun_dns_query(query, q->id, q->name, q->type);
    if (q->type != LUN_DNS_TXT) {
        lun_dns_count_sent(q->asker->counts_at, q->type);
    }

    if (q->tcp) {
        lun_dns_wire_send_tcp(q->asker->wire, q->server, query, len);

    } else {
        lun_dns_wire_send(q->asker->wire, q->server, query, len);
    }

    q->resend.idle = true;
    lun_timer_start(q->asker->loop, &q->resend, RESEND, on_resend);
}


static void
ask_next(lun_dns_question *q)
{
    q->server = (q->server + 1) % q->asker->servers;
    send_question(q);
}


static void
on_resend(lun_timer *timer)
{
    ask_next(lun_container_of(timer, lun_dns_question, resend));
}


void
lun_dns_ask_cancel(lun_dns_question *q)
{
    lun_list_remove(&q->by_id);
    lun_timer_stop(&q->resend);
    lun_free(q);
}


/* With what was found, or neither. */
static void
finish(lun_dns_question *q, unsigned rcode, const lun_dns_addrs *addrs,
    const lun_dns_services *services)
{
    void                 *data = q->data;
    lun_dns_done_fn      *done = q->done;
    lun_dns_services_fn  *services_done = q->services_done;

    LUN_CHECK(q->done != NULL || services_done != NULL);

    lun_dns_ask_cancel(q);

    if (services_done != NULL) {
        services_done(data, rcode, services);

    } else {
        done(data, rcode, addrs);
    }
}


/*
 * This server does not want to; another one may.  One that says it twice, or
 * late, has nothing more to say: who was asked after it has the word.
 */
static void
refuse(lun_dns_question *q, unsigned rcode)
{
    if (q->heard != q->server) {
        return;
    }

    LUN_CHECK(q->refusals < q->asker->servers);

    if (++q->refusals < q->asker->servers) {
        ask_next(q);

    } else {
        finish(q, rcode, NULL, NULL);
    }
}


static void
follow(lun_dns_question *q, const char *alias, uint32_t ttl)
{
    if (++q->aliases > ALIASES_MAX) {
        finish(q, RCODE_SERVFAIL, NULL, NULL);
        return;
    }

    q->server = q->heard;
    q->ttl = lun_min(q->ttl, ttl);
    name_question(q, alias);
    send_question(q);
}


static void
take_addrs(lun_dns_question *q, const lun_dns_head *head,
    const uint8_t *data, size_t len)
{
    lun_dns_addrs  found;

    if (lun_dns_addresses(data, len, head, &found) != LUN_OK) {
        refuse(q, RCODE_FORMERR);

    } else if (found.count == 0 && found.alias[0] != '\0') {
        follow(q, found.alias, found.ttl);

    } else {
        found.ttl = lun_min(found.ttl, q->ttl);
        finish(q, RCODE_FINE, &found, NULL);
    }
}


/* Whose the records are, or would be: a chain of aliases may end nowhere. */
static void
take_owner(lun_dns_question *q, const lun_dns_head *head, const uint8_t *data,
    size_t len)
{
    lun_dns_addrs  found;

    if (lun_dns_addresses(data, len, head, &found) != LUN_OK) {
        refuse(q, RCODE_FORMERR);
        return;
    }

    if (found.count == 0 && found.alias[0] != '\0'
        && head->rcode == RCODE_FINE)
    {
        follow(q, found.alias, found.ttl);
        return;
    }

    if (found.alias[0] == '\0') {
        memcpy(found.alias, q->name, sizeof(found.alias));
    }

    finish(q, RCODE_FINE, &found, NULL);
}


static void
take_services(lun_dns_question *q, const lun_dns_head *head,
    const uint8_t *data, size_t len)
{
    lun_dns_services  found;

    if (lun_dns_find_services(data, len, head, &found) != LUN_OK) {
        refuse(q, RCODE_FORMERR);

    } else if (found.count == 0 && found.alias[0] != '\0') {
        follow(q, found.alias, found.ttl);

    } else {
        found.ttl = lun_min(found.ttl, q->ttl);
        finish(q, RCODE_FINE, NULL, &found);
    }
}


/*
 * That a name is not there is an answer; any other failure is this server's,
 * and the next is asked.
 */
static void
take_answer(lun_dns_question *q, const lun_dns_head *head,
    const uint8_t *data, size_t len)
{
    if (q->type == LUN_DNS_TXT
        && (head->rcode == RCODE_FINE || head->rcode == RCODE_NXDOMAIN))
    {
        take_owner(q, head, data, len);
        return;
    }

    switch (head->rcode) {

    case RCODE_FINE:
        if (q->type == LUN_DNS_SRV) {
            take_services(q, head, data, len);

        } else {
            take_addrs(q, head, data, len);
        }

        return;

    case RCODE_NXDOMAIN:
        finish(q, RCODE_NXDOMAIN, NULL, NULL);
        return;

    default:
        refuse(q, head->rcode);
        return;
    }
}


static void
on_message(void *owner, size_t server, const uint8_t *data, size_t len)
{
    lun_dns_head       head;
    lun_dns_question  *q;

    if (lun_dns_parse(data, len, &head) != LUN_OK) {
        return;
    }

    q = find(owner, &head);

    if (q == NULL) {
        return;                        /* answered already, or not ours */
    }

    q->heard = server;

    if (!head.truncated) {
        lun_dns_count_answer(q->asker->counts_at, head.rcode);
        take_answer(q, &head, data, len);

    } else if (!q->tcp) {
        q->tcp = true;
        q->server = server;
        send_question(q);
    }
}


static lun_dns_question *
new_question(lun_dns_asker *asker, uint16_t type, size_t turn, void *data)
{
    lun_dns_question  *q = lun_calloc(sizeof(lun_dns_question));

    q->asker = asker;
    q->type = type;
    q->server = turn % asker->servers;
    q->ttl = UINT32_MAX;
    q->data = data;
    lun_list_init(&q->by_id);

    return q;
}


lun_dns_question *
lun_dns_ask(lun_dns_asker *asker, const char *name, uint16_t type,
    size_t turn, lun_dns_done_fn *done, void *data)
{
    lun_dns_question  *q = new_question(asker, type, turn, data);

    q->done = done;
    name_question(q, name);
    send_question(q);

    return q;
}


lun_dns_question *
lun_dns_ask_services(lun_dns_asker *asker, const char *name, size_t turn,
    lun_dns_services_fn *done, void *data)
{
    lun_dns_question  *q = new_question(asker, LUN_DNS_SRV, turn, data);

    q->services_done = done;
    lun_metric_add(asker->counts_at + LUN_DNS_QUERIES_SRV, 1);
    name_question(q, name);
    send_question(q);

    return q;
}


lun_dns_asker *
lun_dns_asker_new(lun_loop *loop, const lun_addr *servers, size_t count,
    const lun_log *log, uint32_t counts_at)
{
    size_t          i;
    lun_dns_asker  *asker = lun_calloc(sizeof(lun_dns_asker));

    LUN_CHECK(count != 0);

    asker->loop = loop;
    asker->servers = count;
    asker->counts_at = counts_at;
    asker->wire = lun_dns_wire_new(loop, servers, count, log, on_message,
                                   asker);

    for (i = 0; i < BUCKETS; i++) {
        lun_list_init(&asker->by_id[i]);
    }

    return asker;
}


void
lun_dns_asker_free(lun_dns_asker *asker)
{
    size_t             i;
    lun_dns_question  *q;

    for (i = 0; i < BUCKETS; i++) {
        while (!lun_list_empty(&asker->by_id[i])) {
            q = lun_container_of(asker->by_id[i].next, lun_dns_question,
                                 by_id);
            lun_list_remove(&q->by_id);
            lun_timer_stop(&q->resend);        /* who asked cancels it */
        }
    }

    lun_dns_wire_free(asker->wire);
    lun_free(asker);
}
