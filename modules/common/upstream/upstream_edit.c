/*
 * upstream_edit.c -- servers of an upstream are changed while serving.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/upstream/upstream_edit.h"

#include "base/escape.h"
#include "format/json_object.h"
#include "modules/common/upstream/upstream_names.h"
#include "session/upstream/round_robin.h"
#include "session/upstream/upstream_lines.h"


typedef lun_upstream_server_conf  server;
typedef lun_upstream_edited       edited;

/* What an editor has in hand. */
typedef struct {
    lun_upstream  *upstream;
    lun_pool      *pool;
    lun_array     *lines;          /* of server: a copy */
    int64_t        next_id;
    edited        *result;
} edit;


static bool
fail(edited *e, unsigned status, const char *code, lun_str text)
{
    e->status = status;
    e->code = code;
    e->text = text;
    return false;
}


#define FAIL(e, status, code, ...)                                            \
    fail((e)->result, status, code, lun_pool_fmt((e)->pool, __VA_ARGS__))


bool
lun_upstream_edit_may(const lun_upstream *u, lun_upstream_edited *e)
{
    if (u->names != NULL && !(u->method->takes & LUN_SERVER_FOREIGN)) {
        return true;
    }

    return fail(e, 400, "UpstreamStatic", LUN_STR("upstream is static"));
}


/* --- as JSON ------------------------------------------------------------- */

static lun_str
server_json(lun_pool *pool, const server *s)
{
    return lun_pool_fmt(pool, "{\"id\":%" PRId64 ",\"server\":\"%.*s\","
        "\"weight\":%" PRId64 ",\"max_conns\":%" PRId64 ",\"max_fails\":%"
        PRId64 ",\"fail_timeout\":\"%" PRId64 "s\",\"slow_start\":\"%" PRIu64
        "%s\",\"route\":\"%.*s\",%s%.*s%s\"backup\":%s,\"down\":%s%s}", s->id,
        LUN_S(lun_escape_json_new(pool, s->name)), s->weight, s->max_conns,
        s->max_fails, s->fail_timeout,
        (uint64_t) (s->slow_start % 1000 == 0 ? s->slow_start / 1000
                                              : s->slow_start),
        s->slow_start % 1000 == 0 ? "s" : "ms",
        LUN_S(lun_escape_json_new(pool, s->route)),
        s->service.len != 0 ? "\"service\":\"" : "",
        LUN_S(lun_escape_json_new(pool, s->service)),
        s->service.len != 0 ? "\"," : "", s->backup ? "true" : "false",
        s->down ? "true" : "false", s->drain ? ",\"drain\":true" : "");
}


static lun_str
all_json(lun_pool *pool, const lun_array *lines)
{
    size_t         i;
    lun_str       *parts = lun_pool_new_n(pool, lun_str,
                                          lines->count * 2 + 2);
    const server  *s = lines->items;

    parts[0] = LUN_STR("[");

    for (i = 0; i < lines->count; i++) {
        parts[2 * i + 1] = server_json(pool, &s[i]);
        parts[2 * i + 2] = i + 1 < lines->count ? LUN_STR(",") : LUN_STR("");
    }

    parts[lines->count * 2 + 1] = LUN_STR("]");
    return lun_pool_join(pool, parts, lines->count * 2 + 2);
}


/* --- members of a body --------------------------------------------------- */

static bool
bad(edit *e, const char *code, lun_str name)
{
    return FAIL(e, 400, code, "invalid \"%.*s\"", LUN_S(name));
}


static bool
read_count(edit *e, const lun_json_member *m, int64_t least, const char *code,
    int64_t *to)
{
    int64_t  n;

    if (m->kind != LUN_JSON_NUMBER || lun_str_to_i64(m->text, &n) != LUN_OK
        || n < least || n > INT32_MAX)
    {
        return bad(e, code, m->name);
    }

    *to = n;
    return true;
}


static bool
read_flag(edit *e, const lun_json_member *m, bool *to)
{
    if (m->kind != LUN_JSON_BOOLEAN) {
        return FAIL(e, 400, "UpstreamConfFormatError", "invalid \"%.*s\" "
                    "value", LUN_S(m->name));
    }

    *to = m->text.data[0] == 't';
    return true;
}


static bool
read_times(edit *e, const lun_json_member *m, server *s)
{
    lun_msec  ms;

    if (lun_str_eq(m->name, LUN_STR("fail_timeout"))) {
        return (m->kind == LUN_JSON_STRING
                && lun_str_to_sec(m->text, &s->fail_timeout) == LUN_OK)
               || bad(e, "UpstreamBadFailTimeout", m->name);
    }

    if (m->kind != LUN_JSON_STRING || lun_str_to_msec(m->text, &ms) != LUN_OK
        || ms > INT32_MAX
        || (ms != 0 && !(e->upstream->method->takes & LUN_SERVER_SLOW_START)))
    {
        return bad(e, "UpstreamBadSlowStart", m->name);
    }

    s->slow_start = ms;
    return true;
}


static bool
read_route(edit *e, const lun_json_member *m, server *s)
{
    if (m->kind != LUN_JSON_STRING
        || (m->text.len != 0 && !lun_upstream_lines_takes(m->text)))
    {
        return bad(e, "UpstreamBadRoute", m->name);
    }

    if (m->text.len > LUN_UPSTREAM_ROUTE) {
        return FAIL(e, 400, "UpstreamBadRoute", "route is too long");
    }

    s->route = m->text;
    return true;
}


static bool
read_address(edit *e, const lun_json_member *m, bool is_new, server *s)
{
    const char  *why;

    if (m->kind != LUN_JSON_STRING) {
        return FAIL(e, 400, "UpstreamConfFormatError", "invalid \"server\" "
                    "value");
    }

    if (!is_new && lun_str_eq(m->text, s->name)) {
        return true;
    }

    if (!is_new && s->resolve) {
        return FAIL(e, 400, "UpstreamServerImmutable", "server \"%" PRId64
                    "\" address is immutable", s->id);
    }

    why = lun_upstream_lines_address(e->pool, e->upstream, m->text, s);

    if (why == NULL && s->count == 0 && !s->resolve) {
        why = "a name can be looked up only if the configuration has it";
    }

    return why == NULL || FAIL(e, 400, "UpstreamBadAddress", "%s while "
                               "parsing \"%.*s\"", why, LUN_S(m->text));
}


static bool
read_backup(edit *e, const lun_json_member *m, bool is_new, server *s)
{
    bool  backup;

    if (!read_flag(e, m, &backup)) {
        return false;
    }

    if (!is_new && backup != s->backup) {
        return FAIL(e, 400, "UpstreamConfFormatError", "\"backup\" cannot be "
                    "changed");
    }

    if (backup && !(e->upstream->method->takes & LUN_SERVER_BACKUP)) {
        return FAIL(e, 400, "UpstreamNoBackup", "upstream \"%.*s\" has no "
                    "backup", LUN_S(e->upstream->name));
    }

    s->backup = backup;
    return true;
}


static bool
read_id(edit *e, const lun_json_member *m, bool is_new, const server *s)
{
    int64_t  id;

    if (!is_new && m->kind == LUN_JSON_NUMBER
        && lun_str_to_i64(m->text, &id) == LUN_OK && id == s->id)
    {
        return true;
    }

    return FAIL(e, 400, "UpstreamConfFormatError", "\"id\" cannot be changed");
}


static bool
is(const lun_json_member *m, const char *name)
{
    return lun_str_eq(m->name, lun_str_z(name));
}


static bool
read_member(edit *e, const lun_json_member *m, bool is_new, server *s)
{
    if (m->kind == LUN_JSON_NESTED) {
        return FAIL(e, 400, "UpstreamConfFormatError", "nested object or "
                    "list");
    }

    if (is(m, "id")) {
        return read_id(e, m, is_new, s);
    }

    if (is(m, "server")) {
        return read_address(e, m, is_new, s);
    }

    if (is(m, "weight")) {
        return read_count(e, m, 1, "UpstreamBadWeight", &s->weight);
    }

    if (is(m, "max_conns")) {
        return read_count(e, m, 0, "UpstreamBadMaxConns", &s->max_conns);
    }

    if (is(m, "max_fails")) {
        return read_count(e, m, 0, "UpstreamBadMaxFails", &s->max_fails);
    }

    if (is(m, "fail_timeout") || is(m, "slow_start")) {
        return read_times(e, m, s);
    }

    if (is(m, "route")) {
        return read_route(e, m, s);
    }

    if (is(m, "backup")) {
        return read_backup(e, m, is_new, s);
    }

    if (is(m, "down")) {
        return read_flag(e, m, &s->down);
    }

    if (is(m, "drain")) {
        return read_flag(e, m, &s->drain);
    }

    return FAIL(e, 400, "UpstreamConfFormatError", "unknown parameter "
                "\"%.*s\"", LUN_S(m->name));
}


static bool
read_body(edit *e, lun_str body, bool is_new, server *s)
{
    size_t            i;
    bool              named = false;
    lun_array        *members;
    lun_json_member  *m;

    members = lun_array_new(e->pool, sizeof(lun_json_member), 12);

    if (!lun_json_object_read(e->pool, body, members, NULL)) {
        return FAIL(e, 415, "JsonError", "JSON error");
    }

    m = members->items;

    for (i = 0; i < members->count; i++) {
        named |= is(&m[i], "server");

        if (!read_member(e, &m[i], is_new, s)) {
            return false;
        }
    }

    return named || !is_new
           || FAIL(e, 400, "UpstreamConfFormatError", "missing \"server\" "
                   "argument");
}


/* --- editing ------------------------------------------------------------- */

/* What the configuration says as no line can is not to be lost. */
static bool
can_be_written(edit *e)
{
    size_t         i;
    const server  *s = e->lines->items;

    for (i = 0; i < e->lines->count; i++) {
        if (!lun_upstream_lines_takes(s[i].name)
            || (s[i].route.len != 0 && !lun_upstream_lines_takes(s[i].route)))
        {
            return FAIL(e, 400, "UpstreamStatic", "server \"%.*s\" cannot be "
                        "changed", LUN_S(s[i].name));
        }
    }

    return true;
}


static void
begin(edit *e)
{
    size_t            i;
    const lun_array  *now;

    lun_upstream_change_begin(e->upstream);
    now = lun_upstream_change_lines(e->upstream, e->pool, &e->next_id);
    e->lines = lun_array_new(e->pool, sizeof(server), now->count + 1);

    for (i = 0; i < now->count; i++) {
        *(server *) lun_array_push(e->lines)
            = *(const server *) lun_array_at(now, i);
    }
}


/* The method may not want such servers. */
static bool
suits_method(edit *e)
{
    const char          *why;
    const lun_upstream  *u = e->upstream;

    if (u->method->prepare == NULL) {
        return true;
    }

    why = u->method->prepare(e->pool, u,
                             lun_upstream_groups_of(e->pool, u,
                                                    e->lines->items,
                                                    e->lines->count));
    return why == NULL || FAIL(e, 400, "UpstreamConfFormatError", "servers %s",
                               why);
}


static bool
write_lines(edit *e)
{
    if (!can_be_written(e) || !suits_method(e)) {
        return false;
    }

    return lun_upstream_change_write(e->upstream, e->pool, e->lines,
                                     e->next_id)
           || FAIL(e, 400, "UpstreamOutOfMemory", "upstream \"%.*s\" memory "
                   "exhausted", LUN_S(e->upstream->name));
}


static void
end(edit *e, bool done, unsigned status)
{
    lun_upstream_change_end(e->upstream);

    if (done) {
        e->result->status = status;
        (void) lun_upstream_peers(e->upstream);
    }
}


/* The line of that id; count: there is none. */
static size_t
find(const lun_array *lines, int64_t id)
{
    size_t         i;
    const server  *s = lines->items;

    for (i = 0; i < lines->count && s[i].id != id; i++) {
        ;
    }

    return i;
}


static bool
not_found(edited *e, lun_pool *pool, int64_t id)
{
    return fail(e, 404, "UpstreamServerNotFound", lun_pool_fmt(pool,
                "server with ID \"%" PRId64 "\" does not exist", id));
}


/* Another line than `but` has that name. */
static bool
is_taken(const edit *e, lun_str name, size_t but)
{
    size_t         i;
    const server  *s = e->lines->items;

    for (i = 0; i < e->lines->count; i++) {
        if (i != but && lun_str_eq(s[i].name, name)) {
            return true;
        }
    }

    return false;
}


static bool
add(edit *e, lun_str body)
{
    server  s = { .id = e->next_id, .route = LUN_STR(""),
                  .service = LUN_STR("") };

    lun_upstream_server_defaults(&s);

    if (!read_body(e, body, true, &s)) {
        return false;
    }

    if (is_taken(e, s.name, e->lines->count)) {
        return FAIL(e, 409, "EntryExists", "entry exists");
    }

    e->next_id++;
    *(server *) lun_array_push(e->lines) = s;
    e->result->server = s.name;
    e->result->text = server_json(e->pool, &s);
    return write_lines(e);
}


void
lun_upstream_edit_add(lun_upstream *u, lun_pool *pool, lun_str body,
    lun_upstream_edited *result)
{
    edit  e = { .upstream = u, .pool = pool, .result = result };

    begin(&e);
    end(&e, add(&e, body), 201);
}


static bool
change(edit *e, int64_t id, lun_str body)
{
    size_t   at = find(e->lines, id);
    server  *s, now;

    if (at == e->lines->count) {
        return not_found(e->result, e->pool, id);
    }

    s = lun_array_at(e->lines, at);
    now = *s;

    if (!read_body(e, body, false, &now)) {
        return false;
    }

    if (is_taken(e, now.name, at) && !lun_str_eq(now.name, s->name)) {
        return FAIL(e, 409, "EntryExists", "entry exists");
    }

    *s = now;
    e->result->server = now.name;
    e->result->text = server_json(e->pool, &now);
    return write_lines(e);
}


void
lun_upstream_edit_change(lun_upstream *u, lun_pool *pool, int64_t id,
    lun_str body, lun_upstream_edited *result)
{
    edit  e = { .upstream = u, .pool = pool, .result = result };

    begin(&e);
    end(&e, change(&e, id, body), 200);
}


static bool
cut(edit *e, int64_t id)
{
    size_t   i, at = find(e->lines, id);
    server  *s = e->lines->items;

    if (at == e->lines->count) {
        return not_found(e->result, e->pool, id);
    }

    e->result->server = s[at].name;

    for (i = at; i + 1 < e->lines->count; i++) {
        s[i] = s[i + 1];
    }

    e->lines->count--;
    e->result->text = all_json(e->pool, e->lines);
    return write_lines(e);
}


void
lun_upstream_edit_remove(lun_upstream *u, lun_pool *pool, int64_t id,
    lun_upstream_edited *result)
{
    edit  e = { .upstream = u, .pool = pool, .result = result };

    begin(&e);
    end(&e, cut(&e, id), 200);
}


void
lun_upstream_edit_show(const lun_upstream *u, lun_pool *pool, int64_t id,
    lun_upstream_edited *e)
{
    size_t            at;
    const lun_array  *lines = lun_upstream_lines_now(u, pool, NULL);

    e->status = 200;

    if (id < 0) {
        e->text = all_json(pool, lines);
        return;
    }

    at = find(lines, id);

    if (at == lines->count) {
        (void) not_found(e, pool, id);

    } else {
        e->text = server_json(pool, lun_array_at(lines, at));
    }
}
