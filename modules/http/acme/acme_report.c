/*
 * acme_report.c -- `lunette acme`: what there is, out of files alone, so that
 * it needs no server; what is to be done is a file that the server finds.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/acme/acme_report.h"

#include <stdio.h>

#include "modules/http/acme/acme_demand.h"
#include "modules/http/acme/order/acme_time.h"
#include "net/tls/cert_maker.h"
#include "os/dir.h"
#include "os/time.h"
#include "session/engine.h"


enum { DAY = 86400 };

/* A certificate and its file, if there is one. */
typedef struct {
    const lun_acme_cert  *cert;
    lun_pool             *pool;
    bool                  there;
    int64_t               from, until;
    lun_str               chain;
} entry;


static bool
is_meant(const lun_acme_cert *cert, char *const *names, int count)
{
    int     i;
    size_t  k;

    for (i = 0; i < count; i++) {
        if (lun_str_eq(cert->file, lun_str_z(names[i]))
            || lun_str_eq(cert->id, lun_str_z(names[i])))
        {
            return true;
        }

        for (k = 0; k < cert->count; k++) {
            if (lun_str_caseeq(cert->names[k], lun_str_z(names[i]))) {
                return true;
            }
        }
    }

    return false;
}


static void
read_entry(entry *e)
{
    X509     *x;
    lun_str   key;

    e->there = lun_acme_store_pair(e->cert, e->pool, &e->chain, &key);
    x = e->there ? lun_cert_read(e->chain) : NULL;
    e->there = x != NULL && lun_cert_times(x, &e->from, &e->until);
    X509_free(x);
}


static lun_str
date_text(lun_pool *pool, int64_t sec)
{
    lun_date  d;

    lun_date_of(sec, &d);
    return lun_pool_fmt(pool, "%04d-%02d-%02d %02d:%02d", d.year, d.month,
                        d.day, d.hour, d.minute);
}


static void
print_names(const lun_acme_cert *cert, const char *glue)
{
    size_t  i;

    for (i = 0; i < cert->count; i++) {
        printf("%s%.*s", i != 0 ? glue : "", LUN_S(cert->names[i]));
    }

    printf("\n");
}


static void
list(const entry *e, int64_t now)
{
    if (e->there) {
        printf("%-16.*s %.*s  %5" PRId64 " days  ",
               LUN_S(e->cert->issuer->name),
               LUN_S(date_text(e->pool, e->until)), (e->until - now) / DAY);
    } else {
        printf("%-16.*s %-16s  %10s  ", LUN_S(e->cert->issuer->name), "none",
               "");
    }

    print_names(e->cert, " ");
}


/* Without the star of a wildcard. */
static lun_str
host_at(const lun_acme_cert *cert, size_t i)
{
    lun_str  host = cert->names[i];

    (void) lun_str_after(host, LUN_STR("*."), &host);
    return host;
}


static size_t
first_with_host(const lun_acme_cert *cert, lun_str host)
{
    size_t  i = 0;

    while (!lun_str_eq(host_at(cert, i), host)) {
        i++;
    }

    return i;
}


static bool
has_wildcard(const lun_acme_cert *cert, lun_str host)
{
    size_t  i;

    for (i = 0; i < cert->count; i++) {
        if (cert->names[i].data[0] == '*'
            && lun_str_eq(host_at(cert, i), host))
        {
            return true;
        }
    }

    return false;
}


/* draft-ietf-acme-dns-persist: what makes the authority take names as ours,
   once and for all. */
static void
show_records(const entry *e)
{
    size_t                  i;
    lun_str                 text, kid, caa, host;
    const lun_acme_issuer  *issuer = e->cert->issuer;

    if (!lun_str_eq(issuer->challenge, LUN_STR("dns-persist-01"))) {
        return;
    }

    text = lun_acme_store_read(issuer, e->pool, LUN_STR("account"), ".url");
    kid = lun_acme_first_line(&text);
    (void) lun_acme_first_line(&text);
    (void) lun_acme_first_line(&text);
    caa = lun_acme_first_line(&text);

    if (kid.len == 0 || caa.len == 0) {
        printf("records       not known before there is an account, and the "
               "issuer says its name\n");
        return;
    }

    for (i = 0; i < e->cert->count; i++) {
        host = host_at(e->cert, i);

        if (first_with_host(e->cert, host) == i) {
            printf("%-13s _validation-persist.%.*s. IN TXT \"%.*s; accounturi="
                   "%.*s%s\"\n", i == 0 ? "records" : "", LUN_S(host),
                   LUN_S(caa), LUN_S(kid),
                   has_wildcard(e->cert, host) ? "; policy=wildcard" : "");
        }
    }
}


static void
show(const entry *e, int64_t now)
{
    const lun_acme_issuer  *issuer = e->cert->issuer;

    printf("certificate   %.*s\n", LUN_S(e->cert->id));
    printf("names         ");
    print_names(e->cert, "\n              ");
    printf("issuer        %.*s\nchallenge     %.*s\n", LUN_S(issuer->uri),
           LUN_S(issuer->challenge));

    if (issuer->state_path.len != 0) {
        printf("files         %.*s/%.*s.crt, .key\n",
               LUN_S(issuer->state_path), LUN_S(e->cert->file));
    } else {
        printf("files         none: \"state_path off\"\n");
    }

    if (e->there) {
        printf("good          %.*s to %.*s UTC, %" PRId64 " days left\n",
               LUN_S(date_text(e->pool, e->from)),
               LUN_S(date_text(e->pool, e->until)), (e->until - now) / DAY);
        printf("renewal       %.*s UTC, unless the issuer wants another time"
               "\n", LUN_S(date_text(e->pool, lun_acme_due(e->from, e->until,
                                                lun_str_hash(e->cert->id)))));
    } else {
        printf("good          not there yet: the error log says why\n");
    }

    show_records(e);
    printf("\n");
}


/* The server's workers find it, who may delete what is in their folder. */
static bool
ask(const entry *e, lun_acme_verb verb)
{
    bool            done;
    const char     *end = verb == LUN_ACME_ASK_RENEW ? ".renew" : ".revoke";
    lun_log         quiet = { .level = LUN_LOG_STDERR };
    const lun_str   mark = LUN_STR("asked for\n");

    if (e->cert->issuer->state_path.len == 0) {
        fprintf(stderr, LUN_PRODUCT ": %.*s: there is no state_path in which "
                "the server could be asked\n", LUN_S(e->cert->id));
        return false;
    }

    done = lun_acme_store_write(e->cert->issuer, &quiet, e->cert->file, end,
                                mark)
           && lun_acme_store_write(e->cert->issuer, &quiet, LUN_ACME_LETTER,
                                   "", mark);

    if (done) {
        printf("%.*s: the server is asked to %s it, and looks within 2 s\n",
               LUN_S(e->cert->id), end + 1);
    } else {
        fprintf(stderr, LUN_PRODUCT ": %.*s: nothing can be written to "
                "%.*s\n", LUN_S(e->cert->id),
                LUN_S(e->cert->issuer->state_path));
    }

    return done;
}


/* The account of an issuer is to have another key. */
static bool
ask_rollover(const lun_acme_issuer *issuer)
{
    lun_log        quiet = { .level = LUN_LOG_STDERR };
    const lun_str  mark = LUN_STR("asked for\n");

    if (issuer->state_path.len == 0 || issuer->key_pem.len != 0) {
        fprintf(stderr, LUN_PRODUCT ": %.*s: the server does not keep the key "
                "of that account (%s)\n", LUN_S(issuer->name),
                issuer->key_pem.len != 0 ? "account_key" : "state_path off");
        return false;
    }

    if (!lun_acme_store_write(issuer, &quiet, LUN_STR("account"), ".rollover",
                              mark)
        || !lun_acme_store_write(issuer, &quiet, LUN_ACME_LETTER, "", mark))
    {
        fprintf(stderr, LUN_PRODUCT ": %.*s: nothing can be written to %.*s\n",
                LUN_S(issuer->name), LUN_S(issuer->state_path));
        return false;
    }

    printf("%.*s: the server is asked for another key of its account, and "
           "looks within 2 s\n", LUN_S(issuer->name));
    return true;
}


static int
roll_over(const lun_acme *a, char *const *names, int count)
{
    int               i, status = 0;
    lun_acme_issuer  *issuer;

    for (i = 0; i < count; i++) {
        issuer = a != NULL ? lun_acme_find_issuer(a, lun_str_z(names[i]))
                           : NULL;

        if (issuer == NULL) {
            fprintf(stderr, LUN_PRODUCT ": the configuration has no "
                    "acme_issuer \"%s\"\n", names[i]);
            status = 1;

        } else if (!ask_rollover(issuer)) {
            status = 1;
        }
    }

    return status;
}


/* What is done to those that are meant. */
typedef struct {
    lun_acme_verb           verb;
    char *const            *names;
    int                     count;
    const lun_acme_demand  *demand;        /* whose folder is looked at */
    size_t                  met;
    int                     status;
} errand;


static void
see_to(errand *er, const lun_acme_cert *cert)
{
    entry    e = { .cert = cert };
    int64_t  now = lun_time_wall() / 1000;

    if (er->count != 0 && !is_meant(cert, er->names, er->count)) {
        return;
    }

    er->met++;
    e.pool = lun_pool_new_sized(16384);
    read_entry(&e);

    if (er->verb == LUN_ACME_LIST) {
        list(&e, now);

    } else if (er->verb == LUN_ACME_SHOW) {
        show(&e, now);

    } else if (!ask(&e, er->verb)) {
        er->status = 1;
    }

    lun_pool_free(e.pool);
}


/* A file of a folder of names on demand. */
static bool
on_file(void *data, const char *file, bool is_dir)
{
    errand         *er = data;
    lun_str         name, host = lun_acme_demand_host_of(file, ".crt");
    lun_pool       *pool;
    lun_acme_cert   cert;

    if (!is_dir && host.len != 0) {
        pool = lun_pool_new_sized(1024);
        lun_acme_demand_cert(er->demand, host,
                             lun_pool_text(pool, lun_acme_demand_room(
                                                     er->demand, host)),
                             &name, &cert);
        see_to(er, &cert);
        lun_pool_free(pool);
    }

    return true;
}


/*
 * It reads what the server reads, from the configuration and its files; only
 * what is to be done is asked of the running server.
 */
int
lun_acme_report(const lun_generation *gen, lun_acme_verb verb,
    char *const *names, int count)
{
    size_t             i;
    errand             er = { .verb = verb, .names = names, .count = count };
    const lun_acme    *a;
    const lun_engine  *engine = lun_engine_find(gen, &lun_http);

    a = engine != NULL ? lun_module_data(engine, &lun_http_acme.head) : NULL;

    if (verb == LUN_ACME_ASK_ROLLOVER) {
        return roll_over(a, names, count);
    }

    for (i = 0; a != NULL && i < a->certs.count; i++) {
        see_to(&er, lun_acme_cert_at(a, i));
    }

    for (i = 0; a != NULL && i < a->demands.count; i++) {
        er.demand = *(lun_acme_demand **) lun_array_at(&a->demands, i);
        (void) lun_dir_list(er.demand->home->state_path.data, on_file, &er);
    }

    if (er.met != 0) {
        return er.status;
    }

    if (count == 0 && a != NULL && a->demands.count != 0) {
        fprintf(stderr, LUN_PRODUCT ": no client has asked for a name yet\n");
        return 0;
    }

    fprintf(stderr, LUN_PRODUCT ": %s\n",
            count != 0 ? "there is no certificate of that name"
            : "the configuration has no acme_certificate");
    return 1;
}
