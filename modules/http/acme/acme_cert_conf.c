/*
 * acme_cert_conf.c -- the directive acme_certificate: which certificates there
 * are, of what issuers, when all servers are read.
 *
 * A server that has an acme_certificate and no ssl_certificate of its own gets
 * those that name it, as if they stood there: it needs no more lines.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_priv.h"

#include "format/addr.h"
#include "format/idna.h"
#include "http/conf/core_conf.h"
#include "net/tls/cert_maker.h"
#include "os/path.h"


#define ZONE_NAME  "ngx_acme_shared"

enum { ZONE_SIZE = 256 * 1024 };


/* --- acme_certificate ---------------------------------------------------- */

/* Once: a server may have it in two spellings. */
static void
push_name(lun_array *names, lun_str name)
{
    size_t  i;

    for (i = 0; i < names->count; i++) {
        if (lun_str_eq(*(lun_str *) lun_array_at(names, i), name)) {
            return;
        }
    }

    *(lun_str *) lun_array_push(names) = name;
}


/* "a.b", or ".a.b", which is www.a.b and a.b. */
static const char *
add_name(lun_conf *cf, lun_array *names, lun_str name)
{
    char     *p;
    lun_str   rest;

    if (!lun_idna_to_ascii(cf->pool, name, &name)) {
        return "invalid server name";
    }

    p = lun_pool_text(cf->pool, name.len + 1);
    lun_mem_lower(p, name.data, name.len);
    name = lun_str_of(p, name.len);

    if (lun_str_after(name, LUN_STR("."), &rest)) {
        name = rest;
        push_name(names, lun_pool_fmt(cf->pool, "www.%.*s", LUN_S(rest)));
    }

    if (!lun_cert_may_name(name)) {
        return "invalid server name";
    }

    push_name(names, name);
    return names->count <= LUN_ACME_NAMES ? NULL : "too many names";
}


/*
 * Only noted here: which names, and whose, is known when the server's block has
 * been read.
 */
lun_rc
lun_acme_set_certificate(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t          i;
    lun_str         word;
    const char     *why;
    lun_acme_conf  *conf = data;
    lun_acme_wish  *w = lun_pool_new(cf->pool, lun_acme_wish);

    if (cf->args[1].len == 0) {
        return lun_conf_fail(cf, "\"acme_certificate\" directive \"issuer\" "
                             "is missing");
    }

    w->issuer = cf->args[1];
    w->file = cf->file;
    w->line = cf->line;
    w->kind = (lun_key_kind) { .bits = 256 };
    lun_array_init(&w->names, cf->pool, sizeof(lun_str), 4);

    for (i = 2; i < cf->argc; i++) {
        if (lun_str_after(cf->args[i], LUN_STR("key="), &word)) {
            why = lun_key_kind_parse(word, &w->kind);

            if (why != NULL) {
                return lun_acme_bad_key(cf, word, why);
            }

            continue;
        }

        why = add_name(cf, &w->names, cf->args[i]);

        if (why != NULL) {
            return lun_conf_fail(cf, "acme_certificate: %s \"%.*s\"", why,
                                 LUN_S(cf->args[i]));
        }
    }

    if (conf->wishes.items == NULL) {
        lun_array_init(&conf->wishes, cf->pool, sizeof(lun_acme_wish *), 2);
    }

    *(lun_acme_wish **) lun_array_push(&conf->wishes) = w;
    return LUN_OK;
}


/* --- when all is read ---------------------------------------------------- */

/*
 * Without names of its own a certificate has those of server_name; a regex is
 * no name that anybody could prove.
 */
static lun_rc
add_server_names(lun_conf *cf, lun_acme_wish *w, const lun_server *server)
{
    const char             *why;
    const lun_server_name  *one;

    for (one = server->names; one != NULL; one = one->next) {
        if (one->regex != NULL) {
            lun_log(LUN_LOG_WARN, cf->log, 0, "\"acme_certificate\": "
                    "unsupported regular expression in server_name: %.*s",
                    LUN_S(one->name));
            continue;
        }

        if (one->name.len == 0) {
            continue;
        }

        why = add_name(cf, &w->names, one->name);

        if (why != NULL) {
            return lun_conf_fail_at(cf, w->file, w->line,
                                    "\"acme_certificate\": %s \"%.*s\"", why,
                                    LUN_S(one->name));
        }
    }

    return w->names.count != 0 ? LUN_OK
           : lun_conf_fail_at(cf, w->file, w->line, "\"acme_certificate\": no "
                              "identifiers found in \"server_name\"");
}


/* NULL: the issuer can be shown that the name is ours. */
static const char *
name_fault(const lun_acme_issuer *issuer, lun_str name)
{
    bool      by_record = lun_str_eq(issuer->challenge, LUN_STR("dns-01"));
    lun_addr  addr;

    /* No listener can show that all of a wildcard's names are ours. */
    if (lun_str_after(name, LUN_STR("*."), &name) && !by_record
        && !lun_str_eq(issuer->challenge, LUN_STR("dns-persist-01")))
    {
        return "unsupported wildcard server name";
    }

    if (by_record && lun_addr_parse(name, &addr) == LUN_OK) {
        return "dns-01 is for no address";
    }

    return NULL;
}


/* An alias may lead into one that is there: who orders sees. */
static void
warn_of_zone(lun_conf *cf, const lun_acme_wish *w,
    const lun_acme_issuer *issuer, lun_str name)
{
    (void) lun_str_after(name, LUN_STR("*."), &name);

    if (lun_str_eq(issuer->challenge, LUN_STR("dns-01"))
        && issuer->dns.hook.len == 0
        && lun_acme_dns_zone_of(&issuer->dns, name) == NULL)
    {
        lun_log(LUN_LOG_WARN, cf->log, 0, "\"acme_certificate\": no "
                "\"dns_update\" has a zone for \"%.*s\": "
                "\"_acme-challenge.%.*s\" has to be an alias in %.*s:%u",
                LUN_S(name), LUN_S(name), LUN_S(w->file), w->line);
    }
}


static lun_rc
check_names(lun_conf *cf, const lun_acme_wish *w, const lun_acme_issuer *issuer)
{
    size_t       i;
    lun_str      name;
    const char  *why;

    for (i = 0; i < w->names.count; i++) {
        name = *(lun_str *) lun_array_at(&w->names, i);
        why = name_fault(issuer, name);

        if (why != NULL) {
            return lun_conf_fail_at(cf, w->file, w->line,
                                    "\"acme_certificate\": %s \"%.*s\"", why,
                                    LUN_S(name));
        }

        warn_of_zone(cf, w, issuer, name);
    }

    return LUN_OK;
}


/* A name for files and logs: the first host, and a sum of all that it is.
   "nul.example" would be no file on Windows. */
static lun_str
file_of(lun_conf *cf, const lun_acme_wish *w)
{
    char      *p;
    size_t     i;
    lun_str    all, first = LUN_STR_NULL, one;
    lun_addr   addr;

    all = lun_pool_fmt(cf->temp, "%s:%u", w->kind.rsa ? "rsa" : "ecdsa",
                       w->kind.bits);

    for (i = 0; i < w->names.count; i++) {
        one = *(lun_str *) lun_array_at(&w->names, i);
        all = lun_pool_fmt(cf->temp, "%.*s %.*s", LUN_S(all), LUN_S(one));

        if (first.len == 0 && lun_addr_parse(one, &addr) != LUN_OK) {
            first = one;
        }
    }

    if (first.len == 0) {
        first = *(lun_str *) lun_array_at(&w->names, 0);
    }

    first.len = lun_min(first.len, (size_t) 128);
    all = lun_pool_fmt(cf->pool, "%s%.*s-%016" PRIx64,
                       lun_path_check(first, LUN_PATH_WINDOWS)
                       == LUN_PATH_DEVICE ? "_" : "", LUN_S(first),
                       lun_str_hash(all));

    for (p = (char *) (uintptr_t) all.data; *p != '\0'; p++) {
        if (*p == '*' || *p == ':') {
            *p = '_';
        }
    }

    return all;
}


static lun_acme_cert *
find_cert(const lun_acme *a, lun_str id)
{
    size_t          i;
    lun_acme_cert  *one;

    for (i = 0; i < a->certs.count; i++) {
        one = *(lun_acme_cert **) lun_array_at(&a->certs, i);

        if (lun_str_eq(one->id, id)) {
            return one;
        }
    }

    return NULL;
}


/* Of that issuer first, and perhaps of others: another server may have it. */
static lun_acme_cert *
cert_of(lun_conf *cf, lun_acme *a, const lun_acme_wish *w,
    lun_acme_issuer *issuer, lun_str file)
{
    lun_str         id = lun_pool_fmt(cf->pool, "%.*s/%.*s",
                                      LUN_S(issuer->name), LUN_S(file));
    lun_acme_cert  *cert = find_cert(a, id);

    if (cert == NULL) {
        cert = lun_pool_new(cf->pool, lun_acme_cert);
        *cert = (lun_acme_cert) {
            .issuer = issuer, .id = id, .file = file, .kind = w->kind,
            .names = w->names.items, .count = w->names.count
        };
        lun_array_init(&cert->issuers, cf->pool, sizeof(lun_acme_issuer *), 1);
        *(lun_acme_cert **) lun_array_push(&a->certs) = cert;
    }

    return cert;
}


static void
add_issuer(lun_acme_cert *cert, lun_acme_issuer *issuer)
{
    size_t  i;

    for (i = 0; i < cert->issuers.count; i++) {
        if (lun_acme_issuer_at(cert, i) == issuer) {
            return;
        }
    }

    *(lun_acme_issuer **) lun_array_push(&cert->issuers) = issuer;
}


size_t
lun_acme_issuer_place(const lun_acme_cert *cert, lun_str name)
{
    size_t  i;

    for (i = 0; i < cert->issuers.count; i++) {
        if (lun_str_eq(lun_acme_issuer_at(cert, i)->name, name)) {
            return i;
        }
    }

    return 0;
}


/* The server's with such a key; NULL: it has none yet. */
static lun_acme_cert *
find_kind(const lun_acme_conf *conf, bool rsa)
{
    size_t  i;

    for (i = 0; i < conf->count; i++) {
        if (conf->certs[i]->kind.rsa == rsa) {
            return conf->certs[i];
        }
    }

    return NULL;
}


/* One that a server has said is of a kind of its own, or the next issuer of
   one that is there. */
static lun_rc
finish_wish(lun_conf *cf, lun_acme *a, lun_acme_conf *conf,
    const lun_server *server, lun_acme_wish *w)
{
    lun_str           file;
    lun_acme_cert    *cert = find_kind(conf, w->kind.rsa);
    lun_acme_issuer  *issuer = lun_acme_find_issuer(a, w->issuer);

    if (issuer == NULL) {
        return lun_conf_fail_at(cf, w->file, w->line,
                                "issuer \"%.*s\" is missing",
                                LUN_S(w->issuer));
    }

    if ((w->names.count == 0 && add_server_names(cf, w, server) != LUN_OK)
        || check_names(cf, w, issuer) != LUN_OK)
    {
        return LUN_ERROR;
    }

    file = file_of(cf, w);

    if (cert == NULL) {
        cert = cert_of(cf, a, w, issuer, file);
        conf->certs[conf->count++] = cert;

    } else if (!lun_str_eq(cert->file, file)) {
        return lun_conf_fail_at(cf, w->file, w->line, "\"acme_certificate\": "
                                "issuers that are asked one after the other "
                                "need the same names and the same \"key\"");

    } else if (cert->issuers.count == LUN_ACME_ISSUERS) {
        return lun_conf_fail_at(cf, w->file, w->line, "\"acme_certificate\": "
                                "too many issuers");
    }

    add_issuer(cert, issuer);
    return LUN_OK;
}


/* Whether the server names a certificate itself. */
static void
on_row(void *data, const lun_directive *d, const char *part)
{
    if (strcmp(part, "ssl") == 0) {
        *(const lun_directive **) data = d;
    }
}


static bool
has_certificate(lun_conf *cf, const lun_block *b)
{
    lun_module           *const *m;
    const lun_directive  *d = NULL;

    lun_schema_rows(cf->schema, LUN_STR("ssl_certificate"), on_row, &d);

    for (m = cf->engine->modules; d != NULL && *m != NULL; m++) {
        if (strcmp((*m)->name, "ssl") == 0) {
            return lun_block_has(b, &(*m)->part, d);
        }
    }

    return true;                   /* there is nobody who could use one */
}


/* As if these lines stood at the server's end. */
static lun_rc
read_lines(lun_conf *cf, lun_block *b, lun_str text)
{
    lun_rc      rc;
    uint32_t    where = cf->where;
    lun_block  *block = cf->block;

    rc = lun_conf_read_text(cf, text, b);
    cf->block = block;
    cf->where = where;
    return rc;
}


static lun_rc
name_certificates(lun_conf *cf, lun_block *b, const lun_acme_conf *conf)
{
    size_t       i;
    lun_str      text = LUN_STR("ssl_certificate_cache max=8 valid=1y;");
    const char  *kind;

    for (i = 0; i < conf->count; i++) {
        kind = conf->certs[i]->kind.rsa ? "rsa" : "ecdsa";
        text = lun_pool_fmt(cf->pool, "%.*s"
                            " ssl_certificate $acme_certificate_%s;"
                            " ssl_certificate_key $acme_certificate_key_%s;",
                            LUN_S(text), kind, kind);
    }

    return read_lines(cf, b, text);
}


/* The files are looked at every two seconds: they are renewed. */
static lun_rc
name_demand(lun_conf *cf, lun_block *b)
{
    return read_lines(cf, b, LUN_STR("ssl_certificate_cache max=1000"
                                     " inactive=1h valid=2s;"
                                     " ssl_certificate $acme_certificate;"
                                     " ssl_certificate_key"
                                     " $acme_certificate_key;"));
}


/*
 * Servers that inherit have nothing of their own to finish: only those in which
 * one of the two directives stands.
 */
static lun_rc
finish_server(lun_conf *cf, lun_acme *a, lun_block *b)
{
    size_t          i;
    lun_acme_conf  *conf;

    if (b->where != LUN_SERVER
        || !(lun_block_has(b, &lun_http_acme.part, &lun_acme_directives[0])
             || lun_block_has(b, &lun_http_acme.part,
                              &lun_acme_directives[1])))
    {
        return LUN_OK;
    }

    conf = lun_block_conf(cf, b, &lun_http_acme.part);

    for (i = 0; i < conf->wishes.count; i++) {
        if (finish_wish(cf, a, conf, b->owner,
                        *(lun_acme_wish **) lun_array_at(&conf->wishes, i))
            != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    if (conf->demand != NULL && conf->count != 0) {
        return lun_conf_fail_at(cf, conf->demand_file, conf->demand_line,
                                "\"acme_on_demand\" is beside "
                                "\"acme_certificate\" in a server");
    }

    if (conf->demand != NULL && lun_acme_demand_finish(cf, a, conf) != LUN_OK)
    {
        return LUN_ERROR;
    }

    return has_certificate(cf, b) ? LUN_OK
           : conf->demand != NULL ? name_demand(cf, b)
           : name_certificates(cf, b, conf);
}


lun_rc
lun_acme_conf_finish(lun_conf *cf, lun_acme *a)
{
    size_t            i;
    lun_block        *b;
    lun_acme_issuer  *issuer;

    for (b = cf->engine->block->first_child; b != NULL; b = b->sibling) {
        if (finish_server(cf, a, b) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    if (a->certs.count == 0 && a->demands.count == 0) {
        return LUN_OK;
    }

    for (i = 0; i < a->issuers.count; i++) {
        issuer = *(lun_acme_issuer **) lun_array_at(&a->issuers, i);

        if (issuer->state_path.len != 0) {
            lun_http_want_folder(cf->gen, issuer->state_path.data);
        }
    }

    return a->zone != NULL ? LUN_OK
           : lun_acme_want_zone(cf, LUN_STR(ZONE_NAME), ZONE_SIZE);
}
