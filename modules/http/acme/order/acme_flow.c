/*
 * acme_flow.c -- what an authority is asked, one question after the other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/order/acme_flow.h"

#include "modules/http/acme/order/acme_chain.h"
#include "modules/http/acme/order/acme_flow_priv.h"
#include "modules/http/acme/order/acme_time.h"
#include "net/tls/cert_maker.h"


enum {
    PATIENCE = 600,                /* seconds, for all of it */
    NONCES = 20,                   /* that may be refused */
    POLL_MOST = 15,                /* seconds between two looks */
    ASKED_MOST = 60,               /* ... if the authority says how long */
    RETRY_MOST = 7 * 86400
};

static void take_order(lun_acme_flow *f);


/* --- ends ---------------------------------------------------------------- */

static void
withdraw(lun_acme_flow *f)
{
    lun_acme_published  *p;

    while (f->published_count != 0) {
        p = &f->published[--f->published_count];
        f->user->withdraw(f, p->name, p->token);
    }
}


void
lun_acme_flow_leave(lun_acme_flow *f)
{
    withdraw(f);
}


void
lun_flow_fail(lun_acme_flow *f, lun_str why)
{
    f->error = lun_pool_str(f->pool, why);
    f->failed = true;
    withdraw(f);
}


/* The order is no use any more. */
void
lun_flow_refuse(lun_acme_flow *f, lun_str why)
{
    f->refused = true;

    if (f->order_url.len != 0) {
        f->order_url = LUN_STR_NULL;
        f->user->ordered(f, LUN_STR(""), LUN_STR(""));
    }

    lun_flow_fail(f, why);
}


void
lun_flow_end(lun_acme_flow *f)
{
    withdraw(f);
    f->stage = LUN_FLOW_END;
}


void
lun_acme_flow_lost(lun_acme_flow *f, lun_str why)
{
    lun_flow_fail(f, why);
}


/* --- asking -------------------------------------------------------------- */

void
lun_flow_go(lun_acme_flow *f, lun_flow_stage s)
{
    f->stage = s;
    f->polls = 0;
}


/* Not yet: the same again, later and later. */
void
lun_flow_look_later(lun_acme_flow *f, const lun_acme_reply *reply)
{
    int64_t  least = lun_min(1 << lun_min(f->polls, 4u), POLL_MOST);

    f->polls++;
    f->later = reply != NULL && reply->retry_after.len != 0
              ? lun_acme_retry_after(reply->retry_after, f->now, 1,
                                     ASKED_MOST)
              : least;
}


static void
ask_plainly(lun_acme_flow *f, const char *method, lun_str url)
{
    f->question = (lun_acme_question) { .method = method, .url = url };
    f->is_signed = false;
}


/* payload.data NULL: nothing is sent, which reads. */
void
lun_flow_ask_signed(lun_acme_flow *f, lun_str url, lun_str payload)
{
    f->question = (lun_acme_question) { .method = "POST", .url = url };
    f->payload = payload;
    f->is_signed = true;
}


static void
sign(lun_acme_flow *f)
{
    bool                 is_next = f->stage == LUN_FLOW_ROLLED;
    bool                 by_key = is_next || f->stage == LUN_FLOW_ACCOUNT;
    const lun_acme_key  *key = is_next ? f->next_key : f->key;

    f->question.body = lun_acme_jws(f->pool, key,
                                    by_key ? LUN_STR("") : f->kid, f->nonce,
                                    f->question.url, f->payload);
    f->nonce = LUN_STR_NULL;       /* each is good for one question */

    if (f->question.body.len == 0) {
        lun_flow_fail(f, LUN_STR("the account's key cannot sign"));
    }
}


/* --- the directory, the account ------------------------------------------ */

static void
ask_directory(lun_acme_flow *f)
{
    ask_plainly(f, "GET", f->uri);
}


void
lun_flow_have_account(lun_acme_flow *f)
{
    if (f->kid.len == 0) {
        lun_flow_go(f, LUN_FLOW_ACCOUNT);

    } else if (f->purpose == LUN_ACME_REVOKE) {
        lun_flow_go(f, LUN_FLOW_REVOKE);

    } else if (f->purpose == LUN_ACME_ROLL) {
        lun_flow_go(f, f->may_be_rolled ? LUN_FLOW_ROLLED : LUN_FLOW_ROLL);

    } else if (f->order_url.len != 0) {
        f->resumed = true;
        lun_flow_go(f, LUN_FLOW_POLL);

    } else {
        lun_flow_go(f, LUN_FLOW_ORDER);
    }
}


static void
on_directory(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (!lun_acme_read_directory(f->pool, reply->body, f->uri, f->profile,
                                 &f->directory))
    {
        lun_flow_fail(f, LUN_STR("this is no directory of an ACME server"));

    } else if (f->purpose != LUN_ACME_LOOK) {
        lun_flow_have_account(f);

    } else if (f->directory.renewal_info.len != 0 && f->replaces.len != 0) {
        lun_flow_go(f, LUN_FLOW_WINDOW);

    } else {
        lun_flow_end(f);
    }
}


/* --- when to renew ------------------------------------------------------- */

static void
ask_window(lun_acme_flow *f)
{
    ask_plainly(f, "GET", lun_pool_fmt(f->pool, "%.*s/%.*s",
                                       LUN_S(f->directory.renewal_info),
                                       LUN_S(f->replaces)));
}


static void
on_window(lun_acme_flow *f, const lun_acme_reply *reply)
{
    enum { LEAST = 60, MOST = 86400 };     /* RFC 9773, 4.3 */

    if (!lun_acme_read_window(f->pool, reply->body, &f->window)) {
        lun_flow_fail(f, LUN_STR("this is no renewal information"));
        return;
    }

    f->retry_after = reply->retry_after.len == 0 ? 0
                     : lun_acme_retry_after(reply->retry_after, f->now, LEAST,
                                            MOST);
    lun_flow_end(f);
}


/* --- the order ----------------------------------------------------------- */

static void
ask_order(lun_acme_flow *f)
{
    lun_acme_order_wish  w = {
        .names = f->names, .count = f->count, .replaces = f->replaces
    };

    f->resumed = false;

    if (f->directory.has_profile) {
        w.profile = f->profile;

    } else if (f->profile_required) {
        lun_flow_refuse(f, lun_pool_fmt(f->pool, "there is no profile \"%.*s\" "
                                        "there", LUN_S(f->profile)));
        return;
    }

    if (f->directory.renewal_info.len == 0) {
        w.replaces = LUN_STR_NULL;
    }

    lun_flow_ask_signed(f, f->directory.new_order,
                        lun_acme_new_order(f->pool, &w));
}


static bool
read_order(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (!lun_acme_read_order(f->pool, reply->body, f->uri, &f->order)) {
        lun_flow_fail(f, LUN_STR("this is no order"));
        return false;
    }

    return true;
}


static void
on_order(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (!read_order(f, reply)) {
        return;
    }

    if (!lun_acme_may_follow(f->uri, reply->location)) {
        lun_flow_fail(f, LUN_STR("a new order has no good URL"));
        return;
    }

    f->order_url = lun_pool_str(f->pool, reply->location);
    f->order_key = LUN_STR_NULL;
    f->ordered = true;
    f->user->ordered(f, f->order_url, LUN_STR(""));
    take_order(f);
}


/* What an order says decides what comes next. */
static void
take_order(lun_acme_flow *f)
{
    switch (f->order.status) {

    case LUN_ACME_PENDING:
        f->index = 0;

        if (f->order.count == 0) {
            lun_flow_fail(f, LUN_STR("an order without authorizations waits"));

        } else {
            lun_flow_go(f, LUN_FLOW_AUTHORIZATION);
        }

        break;

    case LUN_ACME_READY:
        lun_flow_go(f, LUN_FLOW_FINALIZE);
        break;

    case LUN_ACME_PROCESSING:
        f->stage = LUN_FLOW_POLL;
        lun_flow_look_later(f, NULL);
        break;

    case LUN_ACME_VALID:

        if (f->order_key.len == 0 && f->ordered) {
            lun_flow_refuse(f, LUN_STR("a new order has a certificate "
                                       "already, for whatever key"));

        /* A worker that died has taken the key along. */
        } else if (f->order_key.len == 0) {
            f->order_url = LUN_STR_NULL;
            lun_flow_go(f, LUN_FLOW_ORDER);

        } else {
            lun_flow_go(f, LUN_FLOW_CERTIFICATE);
        }

        break;

    default:
        lun_flow_refuse(f, f->order.problem.type.len != 0
                  ? lun_acme_problem_text(f->pool, &f->order.problem)
                  : LUN_STR("the order is not valid any more"));
    }
}


static void
ask_poll(lun_acme_flow *f)
{
    lun_flow_ask_signed(f, f->order_url, LUN_STR_NULL);
}


static void
on_poll(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (!read_order(f, reply)) {
        return;
    }

    /* Another process, before us, may have left it at any point. */
    if (f->resumed || f->order.status == LUN_ACME_READY
        || f->order.status == LUN_ACME_VALID
        || f->order.status == LUN_ACME_INVALID)
    {
        if (f->resumed && f->order.status == LUN_ACME_INVALID) {
            f->order_url = LUN_STR_NULL;
            lun_flow_go(f, LUN_FLOW_ORDER);
            return;
        }

        f->resumed = false;
        take_order(f);
        return;
    }

    lun_flow_look_later(f, reply);
}


/* --- the certificate ----------------------------------------------------- */

static void
ask_finalize(lun_acme_flow *f)
{
    lun_str    csr;
    EVP_PKEY  *key = lun_key_read(f->order_key);

    csr = key != NULL ? lun_cert_request(f->pool, f->names, f->count, key)
                      : LUN_STR_NULL;
    EVP_PKEY_free(key);

    if (csr.len == 0) {
        lun_flow_fail(f, LUN_STR("no key can be made"));
        return;
    }

    f->user->ordered(f, f->order_url, f->order_key);
    lun_flow_ask_signed(f, f->order.finalize,
               lun_pool_fmt(f->pool, "{\"csr\":\"%.*s\"}",
                            LUN_S(lun_acme_base64(f->pool, csr))));
}


/* The same key for the same order, however often it is asked. */
void
lun_acme_flow_take_key(lun_acme_flow *f, lun_str pem)
{
    f->order_key = lun_pool_str(f->pool, pem);

    if (pem.len == 0) {
        lun_flow_fail(f, LUN_STR("no key can be made"));
    }
}


static void
on_finalize(lun_acme_flow *f, const lun_acme_reply *reply)
{
    if (!read_order(f, reply)) {
        return;
    }

    if (f->order.status == LUN_ACME_VALID
        || f->order.status == LUN_ACME_INVALID)
    {
        take_order(f);
        return;
    }

    lun_flow_go(f, LUN_FLOW_POLL);
    lun_flow_look_later(f, reply);
}


static void
ask_certificate(lun_acme_flow *f)
{
    lun_flow_ask_signed(f, f->order.certificate, LUN_STR_NULL);
    f->question.accept = "application/pem-certificate-chain";
}


static const char *
chain_fault(lun_acme_flow *f, lun_str pem, lun_str *top)
{
    return lun_acme_chain_fault(f->pool, pem, f->order_key, f->names, f->count,
                                top);
}


static void
use_chain(lun_acme_flow *f, lun_str pem)
{
    f->pem = lun_pool_str(f->pool, pem);
    f->key_pem = f->order_key;
}


static void
on_certificate(lun_acme_flow *f, const lun_acme_reply *reply)
{
    size_t       i;
    lun_str      top;
    const char  *why = chain_fault(f, reply->body, &top);

    if (why != NULL) {
        lun_flow_refuse(f, lun_str_z(why));
        return;
    }

    use_chain(f, reply->body);

    if (f->chain.len == 0 || lun_str_eq(f->chain, top)) {
        lun_flow_end(f);
        return;
    }

    for (i = 0; i < reply->alternate_count; i++) {
        if (lun_acme_may_follow(f->uri, reply->alternates[i])) {
            f->alternates[f->alternate_count++]
                = lun_pool_str(f->pool, reply->alternates[i]);
        }
    }

    f->index = 0;
    lun_flow_go(f, f->alternate_count != 0 ? LUN_FLOW_ALTERNATE : LUN_FLOW_END);
}


static void
ask_alternate(lun_acme_flow *f)
{
    ask_certificate(f);
    f->question.url = f->alternates[f->index];
}


/* One that is not good is passed over: there is the default. */
static void
on_alternate(lun_acme_flow *f, const lun_acme_reply *reply)
{
    lun_str  top;

    if (chain_fault(f, reply->body, &top) == NULL
        && lun_str_eq(f->chain, top))
    {
        use_chain(f, reply->body);
        lun_flow_end(f);

    } else if (++f->index == f->alternate_count) {
        lun_flow_end(f);
    }
}


/* --- revocation ---------------------------------------------------------- */

static void
ask_revoke(lun_acme_flow *f)
{
    if (f->directory.revoke_cert.len == 0) {
        lun_flow_refuse(f, LUN_STR("nothing can be revoked there"));
        return;
    }

    lun_flow_ask_signed(f, f->directory.revoke_cert,
               lun_pool_fmt(f->pool, "{\"certificate\":\"%.*s\"}",
                            LUN_S(lun_acme_base64(f->pool,
                                                  f->certificate))));
}


static void
on_revoke(lun_acme_flow *f, const lun_acme_reply *reply)
{
    lun_flow_end(f);
}


/* --- all together -------------------------------------------------------- */

static const struct {
    const char  *doing;
    void       (*ask)(lun_acme_flow *f);
    void       (*take)(lun_acme_flow *f, const lun_acme_reply *reply);
} stages[] = {
    [LUN_FLOW_DIRECTORY] = { "reading the directory",
                             ask_directory,
                             on_directory },
    [LUN_FLOW_ACCOUNT] = { "asking for an account",
                           lun_acme_ask_account,
                           lun_acme_on_account_reply },
    [LUN_FLOW_WINDOW] = { "asking when to renew", ask_window, on_window },
    [LUN_FLOW_ORDER] = { "ordering", ask_order, on_order },
    [LUN_FLOW_AUTHORIZATION] = { "reading an authorization",
                                 lun_acme_ask_authorization,
                                 lun_acme_on_authorization },
    [LUN_FLOW_CHALLENGE] = { "answering a challenge",
                             lun_acme_ask_challenge,
                             lun_acme_on_challenge },
    [LUN_FLOW_VALIDATION] = { "waiting for validation",
                              lun_acme_ask_authorization,
                              lun_acme_on_validation },
    [LUN_FLOW_POLL] = { "waiting for the order", ask_poll, on_poll },
    [LUN_FLOW_FINALIZE] = { "finalizing the order",
                            ask_finalize,
                            on_finalize },
    [LUN_FLOW_CERTIFICATE] = { "reading the certificate",
                               ask_certificate,
                               on_certificate },
    [LUN_FLOW_ALTERNATE] = { "reading another chain",
                             ask_alternate,
                             on_alternate },
    [LUN_FLOW_REVOKE] = { "revoking", ask_revoke, on_revoke },
    [LUN_FLOW_ROLLED] = { "looking for an account",
                          lun_acme_ask_rolled,
                          lun_acme_on_rolled },
    [LUN_FLOW_ROLL] = { "changing the account's key",
                        lun_acme_ask_roll,
                        lun_acme_on_roll },
    [LUN_FLOW_END] = { "done", NULL, NULL },
};


const char *
lun_acme_flow_doing(const lun_acme_flow *f)
{
    return f->for_nonce ? "asking for a nonce" : stages[f->stage].doing;
}


lun_acme_flow *
lun_acme_flow_new(lun_pool *pool)
{
    lun_acme_flow  *f = lun_pool_new(pool, lun_acme_flow);

    f->pool = pool;
    return f;
}


lun_acme_step
lun_acme_flow_next(lun_acme_flow *f, int64_t now)
{
    f->now = now;

    /* From the beginning on, or from a clock that was put back. */
    if (f->deadline == 0 || f->deadline > now + PATIENCE) {
        f->deadline = now + PATIENCE;
    }

    if (f->stage != LUN_FLOW_END && !f->failed && now > f->deadline) {
        lun_flow_fail(f, lun_pool_fmt(f->pool, "it took more than %d seconds",
                             PATIENCE));
    }

    if (f->later != 0 && !f->failed && f->stage != LUN_FLOW_END) {
        f->wait = f->later;
        f->later = 0;
        return LUN_ACME_WAIT;
    }

    if (!f->failed && f->showing) {
        return LUN_ACME_PUBLISH;
    }

    if (!f->failed && f->stage == LUN_FLOW_FINALIZE && f->order_key.len == 0) {
        return LUN_ACME_KEY;
    }

    if (!f->failed && f->stage != LUN_FLOW_END) {
        stages[f->stage].ask(f);
    }

    if (!f->failed && f->stage != LUN_FLOW_END && f->is_signed) {
        if (f->nonce.len == 0) {
            f->for_nonce = true;
            ask_plainly(f, "HEAD", f->directory.new_nonce);

        } else {
            sign(f);
        }
    }

    return f->failed ? LUN_ACME_FAILED
           : f->stage == LUN_FLOW_END ? LUN_ACME_DONE : LUN_ACME_ASK;
}


/* Other ways, where there are some. */
static bool
try_otherwise(lun_acme_flow *f, const lun_acme_problem *p, unsigned status)
{
    if (lun_str_eq(p->type, LUN_STR("badNonce"))) {
        return f->nonces++ < NONCES;
    }

    if (f->stage == LUN_FLOW_ROLLED && status < 429) {
        lun_flow_go(f, LUN_FLOW_ROLL);
        return true;
    }

    if (lun_str_eq(p->type, LUN_STR("accountDoesNotExist"))
        && f->stage != LUN_FLOW_ACCOUNT && !f->second_account)
    {
        f->second_account = true;
        f->kid = LUN_STR_NULL;
        f->order_url = LUN_STR_NULL;
        f->user->account(f, LUN_STR(""));
        lun_flow_go(f, LUN_FLOW_ACCOUNT);
        return true;
    }

    if (status == 429 || lun_str_eq(p->type, LUN_STR("rateLimited"))
        || status >= 500)
    {
        return false;
    }

    /* It knows nothing of the one before: RFC 9773, 5. */
    if (f->stage == LUN_FLOW_ORDER && f->replaces.len != 0) {
        f->replaces = LUN_STR_NULL;
        return true;
    }

    if (f->stage == LUN_FLOW_POLL && f->resumed) {
        f->order_url = LUN_STR_NULL;
        lun_flow_go(f, LUN_FLOW_ORDER);
        return true;
    }

    if (f->stage == LUN_FLOW_ALTERNATE) {
        lun_flow_end(f);
        return true;
    }

    return false;
}


/*
 * Some problems are answered by doing it another way (a new nonce, another
 * profile); only what is left is a failure.  A 5xx is the issuer's trouble,
 * anything else a refusal.
 */
static void
on_problem(lun_acme_flow *f, const lun_acme_reply *reply)
{
    lun_str           text;
    lun_acme_problem  p;

    if (!lun_acme_read_problem(f->pool, reply->body, &p)) {
        p = (lun_acme_problem) {
            lun_pool_fmt(f->pool, "status %u", reply->status), LUN_STR("")
        };
    }

    if (try_otherwise(f, &p, reply->status)) {
        return;
    }

    text = lun_acme_problem_text(f->pool, &p);

    if (reply->retry_after.len != 0) {
        f->retry_after = lun_acme_retry_after(reply->retry_after, f->now, 1,
                                              RETRY_MOST);
    }

    if (reply->status >= 500) {
        lun_flow_fail(f, text);

    } else {
        lun_flow_refuse(f, text);
    }
}


void
lun_acme_flow_take(lun_acme_flow *f, const lun_acme_reply *reply)
{
    bool            for_nonce = f->for_nonce;
    lun_acme_reply  kept = *reply;

    f->for_nonce = false;
    kept.body = lun_pool_str(f->pool, reply->body);
    reply = &kept;

    if (lun_acme_is_token(reply->nonce)) {
        f->nonce = lun_pool_str(f->pool, reply->nonce);
    }

    if (reply->status >= 400) {
        on_problem(f, reply);

    } else if (reply->status >= 300 || reply->status < 200) {
        lun_flow_fail(f, lun_pool_fmt(f->pool, "unexpected status %u",
                                      reply->status));

    } else if (!for_nonce) {
        stages[f->stage].take(f, reply);

    } else if (f->nonce.len == 0) {
        lun_flow_fail(f, LUN_STR("there is no nonce"));
    }
}
