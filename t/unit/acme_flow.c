/*
 * acme_flow.c -- what an authority is asked until there is a certificate: the
 * test is the authority, in memory, and signs what it is asked for.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/acme/order/acme_flow.c"
#include "tap.h"

#include "base/digest.h"
#include "base/fmt.h"


#define CA  "https://ca.test/"

enum { NOW = 1700000000 };

/* What this authority is like; all zero: a good one. */
typedef struct {
    unsigned     bad_nonces;       /* so many are refused */
    unsigned     pending;          /* looks until a name is valid */
    unsigned     processing;       /* ... and an order */
    const char  *refuses;          /* a problem's type, for new orders */
    unsigned     status;           /* ... with that status */
    bool         no_account;       /* knows nobody: once */
    bool         invalid;          /* no name is ever valid */
    bool         other_key, other_name, no_pem;
    bool         no_replaces;      /* refuses orders that replace */
    bool         wants_terms;
    const char  *asks_for;         /* a name that nobody has ordered */
    bool         alternate;        /* has a second chain */
} manners;

static manners         ca;
static lun_pool       *pool;
static EVP_PKEY       *account_key, *ca_key;
static X509           *ca_cert;
static lun_acme_key    key;
static lun_acme_flow  *f;
static lun_str         cert_pem, kid_told, order_told, key_told;
static char            log_text[4096];
static unsigned        published, withdrawn, orders, waits, keys;
static bool            is_ready, is_final, no_key, is_slow;
static const char     *fault;      /* why nothing can be published */
static const lun_str   names[] = { LUN_STR("a.test"), LUN_STR("b.test") };


/* --- the flow's owner ---------------------------------------------------- */

static void
note_account(lun_acme_flow *flow, lun_str kid)
{
    kid_told = lun_pool_str(pool, kid);
}


static lun_acme_shown
note_publish(lun_acme_flow *flow, lun_str name, lun_str token,
    lun_str authorization)
{
    published++;
    return !lun_str_starts(authorization, token) ? LUN_ACME_NOT_SHOWN
           : is_slow ? LUN_ACME_SHOWN_LATER : LUN_ACME_SHOWN;
}


static void
note_withdraw(lun_acme_flow *flow, lun_str name, lun_str token)
{
    withdrawn++;
}


static void
note_order(lun_acme_flow *flow, lun_str url, lun_str key_pem)
{
    order_told = lun_pool_str(pool, url);
    key_told = lun_pool_str(pool, key_pem);
}


static const lun_acme_flow_user  owner = {
    .account = note_account,
    .publish = note_publish,
    .withdraw = note_withdraw,
    .ordered = note_order
};


/* --- the authority ------------------------------------------------------- */

static lun_str
decode(lun_str text)
{
    size_t   len = 0;
    char    *bytes = lun_pool_text(pool, text.len / 4 * 3 + 3);

    (void) lun_base64_decode(bytes, &len, text, true, false);
    return lun_str_of(bytes, len);
}


static lun_str
member(lun_str json, const char *name)
{
    lun_str      at = lun_pool_fmt(pool, "\"%s\":\"", name), rest;
    const char  *p = lun_str_find(json, at);

    if (p == NULL) {
        return LUN_STR("");
    }

    rest = lun_str_of(p + at.len, (size_t) (json.data + json.len - p)
                                  - at.len);
    return lun_str_of(rest.data,
                      (size_t) (lun_str_chr(rest, '"') - rest.data));
}


static void
issue(lun_str payload)
{
    X509                 *cert;
    lun_str               der = decode(member(payload, "csr"));
    lun_str               list[2] = { names[0], names[1] };
    EVP_PKEY             *asked;
    X509_REQ             *req;
    const unsigned char  *p = (const unsigned char *) der.data;
    lun_cert_wish         wish = { .names = list, .count = 2, .from = NOW,
                                   .until = NOW + 90 * 86400 };

    req = d2i_X509_REQ(NULL, &p, (int) der.len);
    asked = X509_REQ_get_pubkey(req);

    if (ca.other_name) {
        list[1] = LUN_STR("c.test");
    }

    cert = lun_cert_make(&wish, ca.other_key ? account_key : asked, ca_cert,
                         ca_key);
    cert_pem = ca.no_pem ? LUN_STR("<html>")
               : lun_pool_fmt(pool, "%.*s%.*s",
                              LUN_S(lun_cert_pem(pool, cert)),
                              LUN_S(lun_cert_pem(pool, ca_cert)));
    X509_free(cert);
    EVP_PKEY_free(asked);
    X509_REQ_free(req);
}


static lun_str
problem(const char *type)
{
    return lun_pool_fmt(pool, "{\"type\":\"urn:ietf:params:acme:error:%s\","
                        "\"detail\":\"told so\"}", type);
}


static lun_str
order_text(void)
{
    return lun_pool_fmt(pool, "{\"status\":\"%s\",\"finalize\":\"" CA "f\","
                        "\"certificate\":\"" CA "cert\",\"authorizations\":["
                        "\"" CA "z0\",\"" CA "z1\"]}",
                        is_final ? (ca.processing > 0 ? "processing" : "valid")
                        : is_ready ? "ready" : "pending");
}


static lun_str
authorization_text(unsigned i)
{
    const char  *status;

    status = ca.invalid && published > i ? "invalid"
             : published <= i || ca.pending > 0 ? "pending" : "valid";

    if (published > i && ca.pending > 0) {
        ca.pending--;
    }

    is_ready = strcmp(status, "valid") == 0;

    return lun_pool_fmt(pool, "{\"status\":\"%s\",\"identifier\":{\"type\":"
        "\"dns\",\"value\":\"%s\"},\"challenges\":[{\"type\":\"http-01\","
        "\"url\":\"" CA "c%u\",\"token\":\"t%u\",\"status\":\"pending\",\"error"
        "\":{\"type\":\"urn:ietf:params:acme:error:dns\",\"detail\":\"no\"}}]}",
        status, ca.asks_for != NULL ? ca.asks_for : i == 0 ? "a.test"
        : "b.test", i, i);
}


/* The answer to a question that is signed. */
static void
answer_signed(lun_str path, lun_str payload, lun_acme_reply *r)
{
    if (lun_str_eq(path, LUN_STR("account"))) {
        r->status = 201;
        r->location = LUN_STR(CA "me");
        r->body = LUN_STR("{\"status\":\"valid\"}");

    } else if (lun_str_eq(path, LUN_STR("order"))) {
        orders++;

        if (ca.refuses != NULL || (ca.no_replaces && lun_str_find(payload,
                                       LUN_STR("replaces")) != NULL))
        {
            r->status = ca.status != 0 ? ca.status : 400;
            r->body = problem(ca.refuses != NULL ? ca.refuses : "malformed");
            return;
        }

        r->status = 201;
        r->location = LUN_STR(CA "o1");
        r->body = order_text();

    } else if (lun_str_eq(path, LUN_STR("o1"))) {
        r->body = order_text();
        ca.processing -= ca.processing > 0;

    } else if (path.data[0] == 'z') {
        r->body = authorization_text((unsigned) (path.data[1] - '0'));

    } else if (lun_str_eq(path, LUN_STR("f"))) {
        issue(payload);
        is_final = true;
        r->body = order_text();

    } else if (lun_str_eq(path, LUN_STR("cert"))) {
        r->body = cert_pem;
        r->alternates[0] = LUN_STR(CA "cert2");
        r->alternate_count = ca.alternate;

    } else if (lun_str_eq(path, LUN_STR("cert2"))) {
        r->body = cert_pem;

    } else {
        r->body = LUN_STR("{}");
    }
}


static void
answer(void)
{
    char             *p = log_text + strlen(log_text);
    lun_str           path, head;
    lun_acme_reply    r = { .status = 200, .nonce = LUN_STR("n1") };

    path = f->question.url;
    (void) lun_str_after(path, LUN_STR(CA), &path);
    *lun_fmt(p, log_text + sizeof(log_text) - 1, "%.*s ", LUN_S(path)) = '\0';

    if (f->question.body.len == 0) {
        if (!lun_str_eq(path, LUN_STR("nonce"))) {
            r.nonce = LUN_STR_NULL;
        }

        r.body = lun_str_eq(path, LUN_STR("dir"))
            ? lun_pool_fmt(pool, "{\"newNonce\":\"" CA "nonce\",\"newAccount\":"
                  "\"" CA "account\",\"newOrder\":\"" CA "order\",\"revokeCert"
                  "\":\"" CA "revoke\",\"keyChange\":\"" CA "roll\","
                  "\"renewalInfo\":\"" CA "info\"%s}",
                  ca.wants_terms ? ",\"meta\":{\"termsOfService\":\"https://t"
                  "\"}" : "")
            : lun_str_starts(path, LUN_STR("info"))
            ? LUN_STR("{\"suggestedWindow\":{\"start\":\"2026-01-02T04:00:00Z\""
                      ",\"end\":\"2026-01-03T04:00:00Z\"}}") : LUN_STR("");
        lun_acme_flow_take(f, &r);
        return;
    }

    head = decode(member(f->question.body, "protected"));

    if (ca.bad_nonces > 0) {
        ca.bad_nonces--;
        r.status = 400;
        r.body = problem("badNonce");

    } else if (ca.no_account && member(head, "kid").len != 0) {
        ca.no_account = false;
        r.status = 400;
        r.body = problem("accountDoesNotExist");

    } else {
        answer_signed(path, decode(member(f->question.body, "payload")), &r);
    }

    lun_acme_flow_take(f, &r);
}


/* --- scenes -------------------------------------------------------------- */

static void
begin(manners how)
{
    ca = how;
    published = withdrawn = orders = waits = keys = 0;
    is_ready = is_final = no_key = is_slow = false;
    fault = NULL;
    log_text[0] = '\0';
    kid_told = order_told = key_told = LUN_STR_NULL;
    f = lun_acme_flow_new(pool);
    f->user = &owner;
    f->uri = LUN_STR(CA "dir");
    f->key = &key;
    f->agrees = true;
    f->challenge = LUN_STR("http-01");
    f->names = names;
    f->count = 2;
    f->kind = (lun_key_kind) { .bits = 256 };
}


/* As its owner: in a thread, or at once. */
static void
give_key(void)
{
    EVP_PKEY  *made = lun_key_make(f->kind);

    keys++;
    lun_acme_flow_take_key(f, no_key ? LUN_STR("") : lun_key_pem(pool, made));
    EVP_PKEY_free(made);
}


static lun_acme_step
run(void)
{
    int            rounds = 0;
    int64_t        now = NOW;
    lun_acme_step  step;

    while ((step = lun_acme_flow_next(f, now)) != LUN_ACME_DONE
           && step != LUN_ACME_FAILED && rounds++ < 200)
    {
        if (step == LUN_ACME_KEY) {
            give_key();
            continue;
        }

        if (step == LUN_ACME_PUBLISH) {
            lun_acme_flow_shown(f, fault);
            continue;
        }

        if (step == LUN_ACME_WAIT) {
            now += f->wait;
            waits++;

        } else {
            answer();
        }
    }

    return step;
}


static void
fails(manners how, const char *why, bool refused)
{
    begin(how);
    is_int(run(), LUN_ACME_FAILED, "fails: %s", why);
    ok(lun_str_find(f->error, lun_str_z(why)) != NULL && f->refused == refused,
       "%s: \"%.*s\"", refused ? "refused" : "not refused", LUN_S(f->error));
    is_int(withdrawn, published, "what was published is taken back");
}


static void
good_ways(void)
{
    begin((manners) { .pending = 1 });
    is_int(run(), LUN_ACME_DONE, "a certificate");
    is_str(log_text, "dir nonce account order z0 z1 c0 c1 z0 z0 z1 o1 f cert ",
           "asked for in that order");
    ok(lun_str_eq(f->pem, cert_pem) && f->key_pem.len != 0, "is what we get");
    is_int(published, 2, "two challenges");
    is_int(withdrawn, 2, "taken back");
    ok(lun_str_eq(kid_told, LUN_STR(CA "me"))
       && lun_str_eq(order_told, LUN_STR(CA "o1"))
       && lun_str_eq(key_told, f->key_pem), "and who may go on knows all");

    begin((manners) { .bad_nonces = 8, .processing = 3 });
    is_int(run(), LUN_ACME_DONE, "in spite of nonces that are not good");
    is_int(waits, 3, "and an order that takes its time");
    is_int(keys, 1, "and one key is made");

    begin((manners) { .no_account = true });
    f->kid = LUN_STR(CA "old");
    is_int(run(), LUN_ACME_DONE, "with an account that was forgotten");
    ok(lun_str_find(lun_str_z(log_text), LUN_STR("order account order"))
       != NULL, "a new one is made");

    begin((manners) { .no_replaces = true });
    f->replaces = LUN_STR("x.y");
    is_int(run(), LUN_ACME_DONE, "without replacing what it does not know");
    is_int(orders, 2, "in a second order");

    begin((manners) { .alternate = true });
    f->chain = LUN_STR("another");
    is_int(run(), LUN_ACME_DONE, "with the default, if no chain is preferred");
    ok(lun_str_find(lun_str_z(log_text), LUN_STR("cert cert2")) != NULL,
       "which was looked for");
    begin((manners) { .alternate = true });
    f->chain = LUN_STR("the authority");
    is_int(run(), LUN_ACME_DONE, "or at once");
    ok(lun_str_find(lun_str_z(log_text), LUN_STR("cert2")) == NULL,
       "if the first one is it");
}


/* In DNS, say. */
static void
slow_publishing(void)
{
    begin((manners) { .pending = 0 });
    is_slow = true;
    f->settle = 7;
    is_int(run(), LUN_ACME_DONE, "what takes a while to be published");
    is_int(waits, 1, "is given a moment to settle, once");
    ok(lun_str_find(lun_str_z(log_text), LUN_STR("z0 z1 c0 c1")) != NULL,
       "before the authority is to look");
    is_int(withdrawn, 2, "and is taken back");

    begin((manners) { .pending = 0 });
    is_slow = true;
    fault = "REFUSED";
    is_int(run(), LUN_ACME_FAILED, "if it cannot be published");
    ok(lun_str_eq(f->error, LUN_STR("no record could be set for \"a.test\": "
                                    "REFUSED")) && !f->refused,
       "that is an error: %.*s", LUN_S(f->error));
    is_int(withdrawn, 1, "and still taken back");
}


/* A worker that was killed has left an order. */
static void
going_on(void)
{
    begin((manners) { .pending = 0 });
    f->kid = LUN_STR(CA "me");
    f->order_url = LUN_STR(CA "o1");
    is_int(run(), LUN_ACME_DONE, "an order is gone on with");
    is_int(orders, 0, "and not made again");

    begin((manners) { .pending = 0 });
    f->kid = LUN_STR(CA "me");
    f->order_url = LUN_STR(CA "o1");
    f->order_key = lun_key_pem(pool, account_key);
    is_final = true;
    ca.other_key = true;
    cert_pem = LUN_STR("");
    issue(lun_pool_fmt(pool, "\"csr\":\"%.*s\"",
                       LUN_S(lun_acme_base64(pool,
                           lun_cert_request(pool, names, 2, account_key)))));
    is_int(run(), LUN_ACME_DONE, "its certificate is fetched");
    ok(lun_str_eq(f->key_pem, lun_key_pem(pool, account_key)),
       "for the key that it was finalized with");
    is_str(log_text, "dir nonce o1 cert ", "at once");

    begin((manners) { .pending = 0 });
    f->kid = LUN_STR(CA "me");
    f->order_url = LUN_STR(CA "o1");
    is_final = true;
    is_int(lun_acme_flow_next(f, NOW), LUN_ACME_ASK, "one whose key is lost");
    answer();
    (void) lun_acme_flow_next(f, NOW);
    answer();
    (void) lun_acme_flow_next(f, NOW);
    answer();
    is_final = false;
    is_int(run(), LUN_ACME_DONE, "is ordered again");
    is_int(orders, 1, "once");
}


static void
bad_ways(void)
{
    fails((manners) { .invalid = true }, "\"a.test\" was not validated: no "
          "(dns)", true);
    fails((manners) { .bad_nonces = 1000 }, "badNonce", true);
    fails((manners) { .refuses = "rateLimited", .status = 429 },
          "told so (rateLimited)", true);
    fails((manners) { .refuses = "serverInternal", .status = 500 },
          "serverInternal", false);
    fails((manners) { .other_key = true }, "for another key", true);
    fails((manners) { .other_name = true }, "for other names", true);
    fails((manners) { .no_pem = true }, "no certificate", true);
    fails((manners) { .pending = 100000 }, "more than 600 seconds", false);
    fails((manners) { .asks_for = "evil.test" }, "nobody has ordered", false);

    begin((manners) { .wants_terms = true });
    f->agrees = false;
    is_int(run(), LUN_ACME_FAILED, "terms have to be accepted");
    ok(lun_str_find(f->error, LUN_STR("https://t")) != NULL, "and are named");

    begin((manners) { .status = 0 });
    f->profile = LUN_STR("odd");
    f->profile_required = true;
    is_int(run(), LUN_ACME_FAILED, "so have profiles to be there");

    begin((manners) { .status = 0 });
    (void) lun_acme_flow_next(f, NOW);
    lun_acme_flow_take(f, &(lun_acme_reply) { .status = 302 });
    is_int(lun_acme_flow_next(f, NOW), LUN_ACME_FAILED, "no redirects");
    begin((manners) { .status = 0 });
    (void) lun_acme_flow_next(f, NOW);
    lun_acme_flow_lost(f, LUN_STR("timed out"));
    is_int(lun_acme_flow_next(f, NOW), LUN_ACME_FAILED, "no answer");

    begin((manners) { .status = 0 });
    is_final = true;
    is_int(run(), LUN_ACME_FAILED, "a new order that has a certificate");
    ok(orders == 1 && f->refused, "is not followed by another");

    begin((manners) { .status = 0 });
    no_key = true;
    is_int(run(), LUN_ACME_FAILED, "no key");
}


/* In the middle of an order. */
static void
clocks(void)
{
    begin((manners) { .pending = 0 });
    (void) lun_acme_flow_next(f, NOW);
    answer();
    (void) lun_acme_flow_next(f, NOW - 365 * 86400);
    answer();
    is_int(lun_acme_flow_next(f, NOW - 365 * 86400 + PATIENCE + 1),
           LUN_ACME_FAILED, "a clock that is put back gives no more time");
    begin((manners) { .pending = 0 });
    (void) lun_acme_flow_next(f, NOW);
    answer();
    is_int(lun_acme_flow_next(f, NOW + 365 * 86400), LUN_ACME_FAILED,
           "nor does one that is put forward");
    ok(!f->refused, "which is nobody's refusal");
}


/* The account's key, after that the next. */
static void
key_roll(void)
{
    lun_str       inner;
    EVP_PKEY     *pkey = lun_key_make((lun_key_kind) { .bits = 256 });
    lun_acme_key  next;

    ok(lun_acme_key_init(&next, pool, pkey), "there is another key");
    begin((manners) { .status = 0 });
    f->purpose = LUN_ACME_ROLL;
    f->next_key = &next;
    f->kid = LUN_STR(CA "me");
    is_int(run(), LUN_ACME_DONE, "the account has it");
    is_str(log_text, "dir nonce roll ", "in one question");
    inner = f->payload;
    ok(lun_str_find(decode(member(inner, "protected")), next.jwk) != NULL
       && lun_str_find(decode(member(inner, "protected")),
                       LUN_STR("nonce")) == NULL
       && lun_str_find(decode(member(inner, "payload")), key.jwk) != NULL,
       "signed by the next, with the old one in it");

    begin((manners) { .status = 0 });
    f->purpose = LUN_ACME_ROLL;
    f->next_key = &next;
    f->may_be_rolled = true;
    f->kid = LUN_STR(CA "me");
    is_int(run(), LUN_ACME_DONE, "it may have it already");
    is_str(log_text, "dir nonce account ", "which is asked first");
    EVP_PKEY_free(pkey);
}


static void
other_purposes(void)
{
    lun_str  id;

    begin((manners) { .status = 0 });
    f->purpose = LUN_ACME_LOOK;
    id = lun_acme_certificate_id(pool, cert_pem);
    f->replaces = id;
    is_int(run(), LUN_ACME_DONE, "when to renew");
    is_int(f->window.end - f->window.start, 86400, "is known");
    ok(id.len != 0 && lun_str_find(lun_str_z(log_text), id) != NULL,
       "of that certificate");

    begin((manners) { .status = 0 });
    f->purpose = LUN_ACME_REVOKE;
    f->certificate = LUN_STR("der");
    is_int(run(), LUN_ACME_DONE, "a certificate is revoked");
    is_str(log_text, "dir nonce account revoke ", "by its account");
    ok(lun_acme_certificate_id(pool, LUN_STR("x")).len == 0, "no id of none");
}


int
main(void)
{
    lun_cert_wish  wish = { .subject = LUN_STR("the authority"), .from = NOW,
                            .until = NOW + 86400, .authority = true };

    pool = lun_pool_new_sized(65536);
    account_key = lun_key_make((lun_key_kind) { .bits = 256 });
    ca_key = lun_key_make((lun_key_kind) { .bits = 256 });
    ca_cert = lun_cert_make(&wish, ca_key, NULL, NULL);
    lun_acme_key_init(&key, pool, account_key);

    good_ways();
    slow_publishing();
    going_on();
    bad_ways();
    clocks();
    begin((manners) { .status = 0 });
    (void) run();
    key_roll();
    other_purposes();

    X509_free(ca_cert);
    EVP_PKEY_free(ca_key);
    EVP_PKEY_free(account_key);
    lun_pool_free(pool);
    return done_testing();
}
