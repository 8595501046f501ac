/*
 * manual.c -- the variables of all tables: those of nginx are there, and say of
 * themselves what nginx's say; those that are ours alone are in nobody's way.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/run/help/manual.c"

/* All floors, and what begins them. */
int the_main(int argc, char **argv);
#define main  the_main
#include "../../core/run/main.c"
#undef main

#include "nginx_variables.h"
#include "tap.h"


/* What is another way here, and why. */
static const char  of_nginx_alone[] = "its own business",
                   changes[] = "what it says changes: it is asked again",
                   later[] = "not there";

static const struct {
    const char  *name, *why;
} on_purpose[] = {
    { "grpc_internal_trailers", of_nginx_alone },
    { "proxy_internal_body_length", of_nginx_alone },
    { "proxy_internal_chunked", of_nginx_alone },
    { "content_length", changes },
    { "bytes_sent", changes },
    { "bytes_received", changes },
    { "body_bytes_sent", changes },
    { "request_completion", changes },
    { "request_body", changes },
    { "request_body_file", changes },
    { "sent_http_", changes },
    { "sent_trailer_", changes },
    { "http3", later },
};


static const char *
reason(const char *name)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(on_purpose); i++) {
        if (strcmp(on_purpose[i].name, name) == 0) {
            return on_purpose[i].why;
        }
    }

    return NULL;
}


/* $http_host is nothing particular, but one of the family $http_NAME. */
static bool
is_of_family(const gathering *g, const char *name)
{
    size_t           i;
    const variable  *one;

    for (i = 0; i < g->all.count; i++) {
        one = lun_array_at(&g->all, i);

        if ((one->v->flags & LUN_VAR_PREFIX)
            && lun_str_starts(lun_str_z(name), one->v->name))
        {
            return true;
        }
    }

    return false;
}


static const lun_variable *
variable_of(const gathering *g, unsigned where, const char *name)
{
    size_t           i;
    const variable  *one;

    for (i = 0; i < g->all.count; i++) {
        one = lun_array_at(&g->all, i);

        if (one->where == where && lun_str_eq(one->v->name, lun_str_z(name))) {
            return one->v;
        }
    }

    return NULL;
}


static unsigned
place_of(const char *name)
{
    unsigned  i;

    for (i = 0; strcmp(protocol_at(i)->name, name) != 0; i++) { /* next */ }

    return 1u << i;
}


static unsigned
flags_of(const lun_variable *v)
{
    return (v->flags & LUN_VAR_CHANGEABLE ? C : 0)
           | (v->flags & LUN_VAR_VOLATILE ? V : 0)
           | (v->flags & LUN_VAR_PREFIX ? F : 0);
}


static void
test_nginx_variables(const gathering *g)
{
    size_t               i;
    unsigned             have, want;
    const char          *name, *place;
    const lun_variable  *v;

    for (i = 0; i < LUN_ARRAY_LEN(nginx_variables); i++) {
        name = nginx_variables[i].name;
        place = nginx_variables[i].place;
        want = nginx_variables[i].flags;
        v = variable_of(g, place_of(place), name);
        have = v != NULL ? flags_of(v) : 0;

        if (v == NULL && reason(name) == NULL) {
            ok(is_of_family(g, name), "%s: there is $%s", place, name);

        } else if (have != want && reason(name) != NULL) {
            ok(1, "%s: $%s is another (%s)", place, name, reason(name));

        } else {
            ok(have == want, "%s: $%s is what it is in nginx (%u, %u)", place,
               name, have, want);
        }
    }
}


static bool
is_of_nginx(const variable *one)
{
    size_t  i;

    for (i = 0; i < LUN_ARRAY_LEN(nginx_variables); i++) {
        if (lun_str_eq(one->v->name, lun_str_z(nginx_variables[i].name))
            && one->where == place_of(nginx_variables[i].place))
        {
            return true;
        }
    }

    return false;
}


/* A configuration that was written for nginx may use any other name. */
static void
test_additions(const gathering *g)
{
    size_t           i;
    const variable  *one;

    for (i = 0; i < g->all.count; i++) {
        one = lun_array_at(&g->all, i);

        if (!is_of_nginx(one) && (one->v->flags & LUN_VAR_PREFIX) == 0) {
            ok(one->v->flags & LUN_VAR_CHANGEABLE, "$%.*s may be made anew",
               LUN_S(one->v->name));
        }
    }
}


int
main(int argc, char **argv)
{
    gathering        g = { .where = 0 };
    lun_pool        *pool = lun_pool_new_sized(4096);
    lun_generation  *gen;

    (void) lun_proc_init(&argc, argv);
    lun_sock_init();
    lun_generation_use(&floors);

    gen = lun_tool_generation_begin(NULL, NULL, LUN_STR(
        "events { } http { access_log off; } stream { }"));
    ok(gen != NULL, "a configuration with all modules");

    lun_array_init(&g.all, pool, sizeof(variable), 256);
    gather_all(&g, gen);
    test_nginx_variables(&g);
    test_additions(&g);

    lun_pool_free(pool);
    lun_tool_generation_end(gen);
    return done_testing();
}
