/*
 * acme_document.c -- what an authority says, and what is said to it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/order/acme_document.h"

#include "base/escape.h"
#include "format/addr.h"
#include "format/json_document.h"
#include "modules/http/acme/order/acme_time.h"


enum {
    DEPTH = 8,                     /* of objects in each other */
    TOKEN = 512,                   /* bytes of a nonce or a token, at most */
    DETAIL = 500,                  /* of a problem that are told */
    FIELDS = 8                     /* of an item of a list */
};


/* --- reading ------------------------------------------------------------- */

/* Places, values that are found at them, and a text that is wrong or not. */
typedef struct {
    lun_pool         *pool;
    lun_json_places   places;
    lun_str          *values;
} document;


static size_t
want(document *doc, lun_str path)
{
    size_t  number = 0;

    (void) lun_json_places_add(&doc->places, doc->pool, path, &number);
    return number;
}


static bool
read_document(document *doc, lun_str text)
{
    doc->values = lun_pool_new_n(doc->pool, lun_str, doc->places.count + 1);

    return lun_json_document_read(&doc->places, doc->pool, text, DEPTH,
                                  doc->values)
           && text.len != 0;
}


/* A document of a few members, each at its own path. */
static bool
read_fields(document *doc, lun_str text, const char *const *paths,
    size_t *numbers, size_t count)
{
    size_t  i;

    for (i = 0; i < count; i++) {
        numbers[i] = want(doc, lun_str_z(paths[i]));
    }

    return read_document(doc, text);
}


bool
lun_acme_may_follow(lun_str uri, lun_str url)
{
    size_t   i;
    lun_str  scheme = lun_str_casestarts(uri, LUN_STR("https://"))
                      ? LUN_STR("https://") : LUN_STR("http://");

    if (url.len <= scheme.len || url.len > LUN_ACME_URL
        || !lun_str_casestarts(url, scheme))
    {
        return false;
    }

    for (i = 0; i < url.len; i++) {
        if (url.data[i] <= ' ' || url.data[i] >= 0x7f || url.data[i] == '"'
            || url.data[i] == '\\')
        {
            return false;
        }
    }

    return true;
}


bool
lun_acme_is_token(lun_str text)
{
    char    c;
    size_t  i;

    for (i = 0; i < text.len; i++) {
        c = lun_lower(text.data[i]);

        if (!(c >= 'a' && c <= 'z') && !lun_is_digit(c) && c != '-'
            && c != '_')
        {
            return false;
        }
    }

    return text.len != 0 && text.len <= TOKEN;
}


static bool
is_good_url(lun_str uri, lun_str url, bool optional)
{
    return (optional && url.len == 0) || lun_acme_may_follow(uri, url);
}


static lun_acme_status
status_of(lun_str text)
{
    size_t  i;

    static const struct {
        const char       *name;
        lun_acme_status   status;
    } names[] = {
        { "pending", LUN_ACME_PENDING }, { "ready", LUN_ACME_READY },
        { "processing", LUN_ACME_PROCESSING }, { "valid", LUN_ACME_VALID },
        { "invalid", LUN_ACME_INVALID }, { "revoked", LUN_ACME_INVALID },
        { "deactivated", LUN_ACME_INVALID }, { "expired", LUN_ACME_INVALID },
    };

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_str_eq(text, lun_str_z(names[i].name))) {
            return names[i].status;
        }
    }

    return LUN_ACME_NO_STATUS;
}


static void
set_problem(lun_acme_problem *p, lun_str type, lun_str detail)
{
    (void) lun_str_after(type, LUN_STR("urn:ietf:params:acme:error:"), &type);
    *p = (lun_acme_problem) { type, detail };
}


/*
 * No URL may lead where the directory itself is not allowed to:
 * lun_acme_may_follow().
 */
bool
lun_acme_read_directory(lun_pool *pool, lun_str text, lun_str uri,
    lun_str profile, lun_acme_directory *d)
{
    enum { NONCE, ACCOUNT, ORDER, REVOKE, CHANGE, RENEWAL, TERMS, BINDING,
           CAA, COUNT };

    static const char *const  paths[COUNT] = {
        "newNonce", "newAccount", "newOrder", "revokeCert", "keyChange",
        "renewalInfo", "meta.termsOfService", "meta.externalAccountRequired",
        "meta.caaIdentities[0]"
    };

    size_t    n[COUNT], in_profiles;
    lun_str  *v;
    document  doc = { .pool = pool };

    in_profiles = want(&doc, lun_pool_fmt(pool, "meta.profiles[\"%.*s\"]",
                                          LUN_S(lun_escape_json_new(pool,
                                                                    profile))));

    if (!read_fields(&doc, text, paths, n, COUNT)) {
        return false;
    }

    v = doc.values;
    *d = (lun_acme_directory) {
        .new_nonce = v[n[NONCE]], .new_account = v[n[ACCOUNT]],
        .new_order = v[n[ORDER]], .revoke_cert = v[n[REVOKE]],
        .key_change = v[n[CHANGE]], .renewal_info = v[n[RENEWAL]],
        .terms = v[n[TERMS]], .caa = v[n[CAA]],
        .wants_binding = lun_str_eq(v[n[BINDING]], LUN_STR("true")),
        .has_profile = profile.len != 0 && v[in_profiles].data != NULL
    };

    return is_good_url(uri, d->new_nonce, false)
           && is_good_url(uri, d->new_account, false)
           && is_good_url(uri, d->new_order, false)
           && is_good_url(uri, d->revoke_cert, true)
           && is_good_url(uri, d->key_change, true)
           && is_good_url(uri, d->renewal_info, true);
}


/*
 * More authorizations than a certificate has names are not read: the list's
 * length is the issuer's word.
 */
bool
lun_acme_read_order(lun_pool *pool, lun_str text, lun_str uri,
    lun_acme_order *o)
{
    enum { STATUS, FINALIZE, CERTIFICATE, TYPE, DETAIL_, COUNT };

    static const char *const  paths[COUNT] = {
        "status", "finalize", "certificate", "error.type", "error.detail"
    };

    size_t    i, n[COUNT], each[LUN_ACME_NAMES];
    lun_str  *v, one;
    document  doc = { .pool = pool };

    for (i = 0; i < LUN_ACME_NAMES; i++) {
        each[i] = want(&doc, lun_pool_fmt(pool, "authorizations[%d]",
                                          (int) i));
    }

    if (!read_fields(&doc, text, paths, n, COUNT)) {
        return false;
    }

    v = doc.values;
    memset(o, 0, sizeof(*o));
    o->status = status_of(v[n[STATUS]]);
    o->finalize = v[n[FINALIZE]];
    o->certificate = v[n[CERTIFICATE]];
    set_problem(&o->problem, v[n[TYPE]], v[n[DETAIL_]]);

    for (i = 0; i < LUN_ACME_NAMES; i++) {
        one = v[each[i]];

        if (one.data == NULL) {
            break;
        }

        if (!is_good_url(uri, one, false)) {
            return false;
        }

        o->authorizations[o->count++] = one;
    }

    return o->status != LUN_ACME_NO_STATUS
           && is_good_url(uri, o->finalize, o->status == LUN_ACME_INVALID)
           && is_good_url(uri, o->certificate, o->status != LUN_ACME_VALID);
}


/*
 * Of the challenges only ours matters, but another one's error is kept: it is
 * often the one that says why.
 */
bool
lun_acme_read_authorization(lun_pool *pool, lun_str text, lun_str uri,
    lun_str kind, lun_acme_authorization *a)
{
    enum { STATUS, NAME, WILDCARD, COUNT };
    enum { TYPE, URL, TOKEN_, STATUS_, ERROR, DETAIL_, FIELD };

    static const char *const  paths[COUNT] = {
        "status", "identifier.value", "wildcard"
    };
    static const char *const  fields[FIELD] = {
        "type", "url", "token", "status", "error.type", "error.detail"
    };

    size_t    i, k, n[COUNT], in[LUN_ACME_CHALLENGES][FIELD];
    lun_str  *v;
    document  doc = { .pool = pool };

    for (i = 0; i < LUN_ACME_CHALLENGES; i++) {
        for (k = 0; k < FIELD; k++) {
            in[i][k] = want(&doc, lun_pool_fmt(pool, "challenges[%d].%s",
                                               (int) i, fields[k]));
        }
    }

    if (!read_fields(&doc, text, paths, n, COUNT)) {
        return false;
    }

    v = doc.values;
    memset(a, 0, sizeof(*a));
    a->status = status_of(v[n[STATUS]]);
    a->identifier = v[n[NAME]];
    a->wildcard = lun_str_eq(v[n[WILDCARD]], LUN_STR("true"));
    a->challenge = LUN_ACME_NO_STATUS;

    for (i = 0; i < LUN_ACME_CHALLENGES; i++) {
        if (v[in[i][ERROR]].len != 0 && a->problem.type.len == 0) {
            set_problem(&a->problem, v[in[i][ERROR]], v[in[i][DETAIL_]]);
        }

        if (!lun_str_eq(v[in[i][TYPE]], kind)) {
            continue;
        }

        if (!is_good_url(uri, v[in[i][URL]], false)) {
            return false;
        }

        a->url = v[in[i][URL]];
        a->token = v[in[i][TOKEN_]];
        a->challenge = status_of(v[in[i][STATUS_]]);

        if (a->token.len != 0 && !lun_acme_is_token(a->token)) {
            return false;
        }
    }

    return a->status != LUN_ACME_NO_STATUS && a->identifier.len != 0;
}


bool
lun_acme_read_window(lun_pool *pool, lun_str text, lun_acme_window *w)
{
    enum { START, END, WHY, COUNT };

    static const char *const  paths[COUNT] = {
        "suggestedWindow.start", "suggestedWindow.end", "explanationURL"
    };

    size_t    n[COUNT];
    document  doc = { .pool = pool };

    if (!read_fields(&doc, text, paths, n, COUNT)) {
        return false;
    }

    w->explanation = doc.values[n[WHY]];

    return lun_acme_time_parse(doc.values[n[START]], &w->start)
           && lun_acme_time_parse(doc.values[n[END]], &w->end)
           && w->start <= w->end;
}


bool
lun_acme_read_problem(lun_pool *pool, lun_str text, lun_acme_problem *p)
{
    enum { TYPE, DETAIL_, SUB, COUNT };

    static const char *const  paths[COUNT] = {
        "type", "detail", "subproblems[0].detail"
    };

    size_t    n[COUNT];
    document  doc = { .pool = pool };

    if (!read_fields(&doc, text, paths, n, COUNT)) {
        return false;
    }

    set_problem(p, doc.values[n[TYPE]], doc.values[n[DETAIL_]]);

    if (doc.values[n[SUB]].len != 0) {
        p->detail = lun_pool_fmt(pool, "%.*s: %.*s", LUN_S(p->detail),
                                 LUN_S(doc.values[n[SUB]]));
    }

    return p->type.len != 0;
}


/* What goes to the log, and to a terminal. */
static lun_str
printable(lun_pool *pool, lun_str text)
{
    char    *p;
    size_t   i, len = lun_min(text.len, (size_t) DETAIL);

    p = lun_pool_text(pool, len + 1);

    for (i = 0; i < len; i++) {
        p[i] = (unsigned char) text.data[i] >= ' ' && text.data[i] != 0x7f
               ? text.data[i] : '?';
    }

    return lun_str_of(p, len);
}


lun_str
lun_acme_problem_text(lun_pool *pool, const lun_acme_problem *p)
{
    lun_str  type = printable(pool, p->type);

    return p->detail.len == 0 ? type
           : lun_pool_fmt(pool, "%.*s (%.*s)",
                          LUN_S(printable(pool, p->detail)), LUN_S(type));
}


/* --- what is said -------------------------------------------------------- */

lun_str
lun_acme_new_account(lun_pool *pool, const lun_acme_account_wish *w)
{
    size_t   i;
    lun_str  list = LUN_STR("");

    for (i = 0; i < w->contact_count; i++) {
        list = lun_pool_fmt(pool, "%.*s%s\"%.*s\"", LUN_S(list),
                            i != 0 ? "," : "",
                            LUN_S(lun_escape_json_new(pool, w->contacts[i])));
    }

    if (w->contact_count != 0) {
        list = lun_pool_fmt(pool, "\"contact\":[%.*s],", LUN_S(list));
    }

    if (w->binding.len != 0) {
        list = lun_pool_fmt(pool, "%.*s\"externalAccountBinding\":%.*s,",
                            LUN_S(list), LUN_S(w->binding));
    }

    return lun_pool_fmt(pool, "{%.*s\"termsOfServiceAgreed\":%s}",
                        LUN_S(list), w->agrees ? "true" : "false");
}


lun_str
lun_acme_new_order(lun_pool *pool, const lun_acme_order_wish *w)
{
    size_t    i;
    lun_str   list = LUN_STR(""), more = LUN_STR("");
    lun_addr  addr;

    for (i = 0; i < w->count; i++) {
        list = lun_pool_fmt(pool, "%.*s%s{\"type\":\"%s\",\"value\":\"%.*s\"}",
                            LUN_S(list), i != 0 ? "," : "",
                            lun_addr_parse(w->names[i], &addr) == LUN_OK
                            ? "ip" : "dns",
                            LUN_S(lun_escape_json_new(pool, w->names[i])));
    }

    if (w->profile.len != 0) {
        more = lun_pool_fmt(pool, ",\"profile\":\"%.*s\"",
                            LUN_S(lun_escape_json_new(pool, w->profile)));
    }

    if (w->replaces.len != 0) {
        more = lun_pool_fmt(pool, "%.*s,\"replaces\":\"%.*s\"", LUN_S(more),
                            LUN_S(lun_escape_json_new(pool, w->replaces)));
    }

    return lun_pool_fmt(pool, "{\"identifiers\":[%.*s]%.*s}", LUN_S(list),
                        LUN_S(more));
}
