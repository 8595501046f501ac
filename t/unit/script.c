/*
 * script.c -- texts with variables, compiled against a small engine.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/session/script.c"

#include "../../core/session/variables.c"
#include "http/engine.h"
#include "tap.h"


static lun_conf         cf;
static lun_generation   gen;
static lun_http_engine  engine;
static lun_request      request = { .mark = LUN_MARK_REQUEST };
static int              asked;


static void
get_count(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->text = lun_pool_fmt(r->pool, "%d", ++asked);
}


static void
get_member(lun_session *s, lun_value *v, uintptr_t data)
{
    v->text = *(const lun_str *) data;
}


/* $circle asks for itself. */
static void
get_circle(lun_session *s, lun_value *v, uintptr_t data)
{
    lun_request  *r = lun_request_of(s);

    v->text = lun_var_get_fresh(&r->session, *(unsigned *) data)->text;
}


static const lun_variable  table[] = {
    { .name = LUN_STR_INIT("kept"), .get = get_count },
    { .name = LUN_STR_INIT("fresh"), .get = get_count,
      .flags = LUN_VAR_VOLATILE },
    { .name = LUN_STR_INIT("same"), .get = get_count,
      .data = (uintptr_t) "1.0", .flags = LUN_VAR_CONSTANT },
    { .name = LUN_STR_INIT("some_"), .get = get_member,
      .flags = LUN_VAR_PREFIX },
    { .name = LUN_STR_NULL }
};


static void
is_text(lun_script *s, const char *want, const char *name)
{
    lun_str  text = lun_script_run(&request.session, s);

    is_mem(text.data, text.len, want, strlen(want), "%s", name);
}


static lun_script *
make(const char *text)
{
    return lun_script_new(&cf, lun_str_z(text));
}


static void
wrong(void)
{
    ok(make("$") == NULL, "a dollar alone");
    ok(make("a$-") == NULL, "a dollar without a name");
    ok(make("${a") == NULL, "a brace that stays open");
    ok(make("${}") == NULL, "braces with nothing between them");
    ok(lun_var_define(&cf, LUN_STR("kept"), 0) == NULL,
       "a name that is taken");
    ok(lun_var_define(&cf, LUN_STR(""), 0) == NULL, "a name without letters");
}


/* What is the same for all is no business of a request. */
static void
constants(void)
{
    is_text(make("$same"), "1.0", "a constant alone");
    is_text(make("v${same}/$same."), "v1.0/1.0.", "constants among text");
    is_mem(lun_script_text(make("v$same")).data, 4, "v1.0", 4,
           "which is no variable to who looks");
    is_text(make("$SAME"), "1.0", "in capital letters");
}


static void
values(lun_script *kept, lun_script *fresh, lun_script *mixed,
    lun_script *captures)
{
    static int32_t  pairs[] = { 0, 3, 1, 2, -1, -1 };

    is_text(kept, "1", "a lone variable");
    is_text(kept, "1", "is computed once");
    is_text(fresh, "2,3", "unless it is volatile");
    is_text(mixed, "<name>1|name-", "text, families, braces");

    request.captures = pairs;
    request.capture_count = 3;
    request.capture_subject = LUN_STR("a&b");
    is_text(captures, "[&][][]", "groups with part, without, and none");

    is_mem(lun_script_run_escaped(&request.session, captures).data, 9,
           "[%26][][]", 9, "groups for a query");
}


static void
by_name(void)
{
    const lun_value  *v;

    v = lun_var_get_named(&request.session, LUN_STR("SOME_thing"));
    ok(v != NULL && lun_str_eq(v->text, LUN_STR("thing")),
       "a family's member by name");
    ok(lun_var_get_named(&request.session, LUN_STR("nobody")) == NULL,
       "nobody");

    is_int(lun_var_set_named(&request.session, LUN_STR("nobody"), LUN_STR("x")),
           LUN_VAR_UNKNOWN, "set nobody");
    is_int(lun_var_set_named(&request.session, LUN_STR("kept"), LUN_STR("x")),
           LUN_VAR_READ_ONLY, "set what is not to be set");
    is_int(lun_var_set_named(&request.session, LUN_STR("MINE"), LUN_STR("x")),
           LUN_VAR_SET, "set what is");
    v = lun_var_get_named(&request.session, LUN_STR("mine"));
    ok(v != NULL && lun_str_eq(v->text, LUN_STR("x")), "and read it");
    (void) lun_var_set_named(&request.session, LUN_STR("mine"), LUN_STR_NULL);
    ok(lun_var_get_named(&request.session, LUN_STR("mine"))->not_found,
       "set to nothing");
}


int
main(void)
{
    lun_log        silent = { .level = LUN_LOG_STDERR };
    unsigned       circle;
    lun_script    *constant, *kept, *fresh, *mixed, *captures;
    lun_variable  *v;

    cf.pool = lun_pool_new_sized(4096);
    cf.temp = cf.pool;
    cf.log = &silent;
    cf.gen = &gen;
    engine.gen = &gen;
    cf.engine = &engine.head;

    lun_var_add_table(&cf, table);
    (void) lun_var_define(&cf, LUN_STR("Mine"), LUN_VAR_CHANGEABLE);
    v = lun_var_define(&cf, LUN_STR("circle"), 0);
    v->get = get_circle;
    circle = lun_var_index(&cf, LUN_STR("circle"));
    v->data = (uintptr_t) &circle;

    constant = make("as it is");
    kept = make("$kept");
    fresh = make("$fresh,$fresh");
    mixed = make("<${some_NAME}>$kept|$Some_name-");
    captures = make("[$1][$2][$9]");
    wrong();
    constants();

    is_int(lun_var_finish(&cf), LUN_OK, "every name has a meaning");

    request.pool = lun_pool_new_sized(4096);
    request.engine = &engine;
    request.log = &silent;
    request.values = lun_pool_new_n(request.pool, lun_value,
                                    lun_var_count(&engine.head));

    ok(lun_script_run(&request.session, constant).data
       == lun_script_run(&request.session, constant).data,
       "text without variables is not copied");
    values(kept, fresh, mixed, captures);
    by_name();
    ok(lun_var_get_fresh(&request.session, circle)->text.len == 0,
       "a circle ends");

    (void) make("$later");
    is_int(lun_var_finish(&cf), LUN_ERROR, "a name that nobody defines");

    lun_pool_free(request.pool);
    lun_pool_free(cf.pool);
    return done_testing();
}
