/*
 * prometheus_template.c -- Prometheus' lines out of the tree, as Angie's
 * templates have them:
 *
 *     prometheus_template one {
 *         'requests{zone="$1"}' $p8s_value
 *             path=~^/http/server_zones/([^/]+)/requests/total$
 *             type=counter 'help=Requests of a server';
 *     }
 *     location = /p8s { prometheus one; }
 *
 * The tree is walked once; each value goes to the first metric whose path is
 * its own.  That of an object or a list ends with a slash, and has the number
 * of its members.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/status/status_priv.h"

#include "http/delay.h"
#include "session/pattern.h"
#include "session/regex.h"


enum {
    PATH  = 2048,                  /* Angie's */
    DEEP  = 32,
    VALUE = 32
};

typedef struct {
    lun_script   *name;
    lun_str       family;          /* of it: in front of its labels */
    unsigned      value;           /* a variable's index */
    lun_str       path;            /* "": none, or by regex */
    lun_pattern  *pattern;
    lun_str       type, help;      /* may be "" */
} metric;

struct lun_prometheus_template {
    lun_str     name;
    bool        known;             /* its block was read */
    lun_array   metrics;
    lun_str     file;              /* where it was asked for first */
    unsigned    line;
};

/* An answer that is being made. */
typedef struct {
    lun_request                    *r;
    const lun_prometheus_template  *t;
    lun_status_walk                *walk;
    lun_chain                      *lines;     /* of each metric */
    lun_str                         value;     /* $p8s_value; or no data */
    char                            path[PATH];
    size_t                          ends[DEEP];    /* of the levels' paths */
    unsigned                        counts[DEEP];
    bool                            lists[DEEP];
    unsigned                        depth;
} rendering;

extern lun_http_module  lun_http_prometheus_template;


/* --- a value ------------------------------------------------------------- */

/* A line, if the metric's variable has a value. */
static void
render(rendering *g, size_t i)
{
    lun_str           name;
    lun_session      *s = &g->r->session;
    const metric     *m = lun_array_at(&g->t->metrics, i);
    const lun_value  *v = lun_var_get_fresh(s, m->value);

    if (v->not_found || v->text.len == 0) {
        return;
    }

    name = lun_script_run(s, m->name);
    lun_chain_push(&g->lines[i], lun_buf_new_str(g->r->pool,
        lun_pool_fmt(g->r->pool, "%.*s %.*s\n", LUN_S(name),
                     LUN_S(v->text))));
}


static bool
is_path_of(rendering *g, const metric *m, lun_str path)
{
    if (m->pattern == NULL) {
        return lun_str_eq(m->path, path);
    }

    /* What is captured stays as long as the request. */
    return lun_pattern_fits(m->pattern, path)
           && lun_pattern_match(&g->r->session, m->pattern,
                                lun_pool_str(g->r->pool, path))
              == LUN_PATTERN_YES;
}


static void
render_value(rendering *g, size_t len, lun_str text)
{
    size_t         i;
    lun_str        path = lun_str_of(g->path, len);
    const metric  *m;

    for (i = 0; i < g->t->metrics.count; i++) {
        m = lun_array_at(&g->t->metrics, i);

        if ((m->pattern != NULL || m->path.len != 0)
            && is_path_of(g, m, path))
        {
            g->value = lun_pool_str(g->r->pool, text);
            render(g, i);
            g->value = LUN_STR_NULL;
            return;
        }
    }
}


/* --- a walk -------------------------------------------------------------- */

/* The path of a member of the level at hand; 0: it is too long. */
static size_t
add_name(rendering *g, lun_str name)
{
    char    *p = g->path + g->ends[g->depth], *end = g->path + PATH;
    unsigned  n = g->counts[g->depth]++;

    if (g->lists[g->depth]) {
        p = lun_fmt(p, end, "%u", n);

    } else if ((size_t) (end - p) >= name.len) {
        p = lun_copy_str(p, name);

    } else {
        return 0;
    }

    return (size_t) (p - g->path);
}


static void
on_open(void *to, lun_str name, bool list)
{
    size_t      end = 0;
    rendering  *g = to;

    /* The first is the tree itself: "/". */
    if (g->depth != 0) {
        end = add_name(g, name);
    }

    LUN_CHECK(g->depth + 1 < DEEP);
    g->depth++;

    if (end < PATH && (end != 0 || g->depth == 1)) {
        g->path[end++] = '/';

    } else {
        end = PATH;                /* nothing inside of it has room */
    }

    g->ends[g->depth] = end;
    g->counts[g->depth] = 0;
    g->lists[g->depth] = list;
}


static void
on_close(void *to)
{
    char        text[VALUE];
    rendering  *g = to;
    size_t      end = g->ends[g->depth];

    if (end < PATH) {
        render_value(g, end, lun_str_of(text, (size_t) (lun_fmt_u64(text,
                                        g->counts[g->depth]) - text)));
    }

    g->depth--;
}


/* Moments are seconds since 1970. */
static lun_str
text_of(char *room, const lun_status_value *v)
{
    char  *p = room, *end = room + VALUE;

    switch (v->kind) {

    case LUN_STATUS_TEXT:
        return v->text;

    case LUN_STATUS_FLAG:
        return v->number != 0 ? LUN_STR("1") : LUN_STR("0");

    case LUN_STATUS_NUMBER:
        p = lun_fmt(p, end, "%" PRId64, v->number);
        break;

    case LUN_STATUS_DECIMAL:
        p = lun_fmt(p, end, "%g", (double) v->number / v->scale);
        break;

    case LUN_STATUS_TIME:
        p = lun_fmt(p, end, "%" PRId64, v->number / 1000);
        break;
    }

    return lun_str_of(room, (size_t) (p - room));
}


static void
on_value(void *to, lun_str name, const lun_status_value *v)
{
    char        room[VALUE];
    size_t      end;
    rendering  *g = to;

    if (g->depth == 0 || g->ends[g->depth] == PATH) {
        return;
    }

    end = add_name(g, name);

    if (end != 0) {
        render_value(g, end, text_of(room, v));
    }
}


static const lun_status_printer  printer = { on_open, on_close, on_value };


/* --- the answer ---------------------------------------------------------- */

static void
put_word(lun_pool *pool, lun_chain *out, const char *word, const metric *m,
    lun_str text)
{
    if (text.len != 0) {
        lun_chain_push(out, lun_buf_new_str(pool,
            lun_pool_fmt(pool, "# %s %.*s %.*s\n", word, LUN_S(m->family),
                         LUN_S(text))));
    }
}


/*
 * A metric of which the tree has nothing just now is left out with its HELP and
 * TYPE, as Angie does.
 */
static lun_verdict
send_lines(lun_request *r, rendering *g)
{
    char          *p;
    size_t         i;
    lun_buf       *b;
    lun_str        text;
    lun_chain      out;
    const metric  *m;

    lun_chain_init(&out);
    lun_chain_push(&out, lun_buf_new_str(r->pool, lun_pool_fmt(r->pool,
        "# Lunette Prometheus template \"%.*s\"\n", LUN_S(g->t->name))));

    for (i = 0; i < g->t->metrics.count; i++) {
        m = lun_array_at(&g->t->metrics, i);

        if (m->pattern == NULL && m->path.len == 0) {
            render(g, i);
        }

        if (g->lines[i].head == NULL) {
            continue;
        }

        put_word(r->pool, &out, "HELP", m, m->help);
        put_word(r->pool, &out, "TYPE", m, m->type);
        *out.tail = g->lines[i].head;
        out.tail = g->lines[i].tail;
    }

    text.len = (size_t) lun_buf_total(out.head);
    text.data = p = lun_pool_text(r->pool, text.len);

    for (b = out.head; b != NULL; b = b->next) {
        p = lun_copy(p, b->pos, (size_t) (b->last - b->pos));
    }

    lun_status_say_it_changes(r);
    return lun_http_respond(r, 200, LUN_STR("text/plain"), text);
}


/* Others have had their turn. */
static void
go_on(lun_request *r)
{
    rendering  *g = lun_http_state(r, &lun_http_prometheus_template);

    if (lun_status_walk_on(g->walk)) {
        (void) lun_http_delay(r, LUN_STATUS_PAUSE, go_on);

    } else {
        lun_http_finish(r, send_lines(r, g));
    }
}


lun_verdict
lun_prometheus_template_answer(lun_request *r,
    const lun_prometheus_template *t)
{
    size_t           i;
    rendering       *g = lun_pool_new(r->pool, rendering);
    lun_status_ask   ask = { .path = LUN_STR("status"), .conn = r->conn };

    g->r = r;
    g->t = t;
    g->lines = lun_pool_new_n(r->pool, lun_chain, t->metrics.count);

    for (i = 0; i < t->metrics.count; i++) {
        lun_chain_init(&g->lines[i]);
    }

    g->walk = lun_status_walk_new(r->pool, lun_http_generation(r), &ask,
                                  &printer, g);
    lun_http_set_state(r, &lun_http_prometheus_template, g);

    return lun_status_walk_on(g->walk)
           ? lun_http_delay(r, LUN_STATUS_PAUSE, go_on) : send_lines(r, g);
}


static void
get_value(lun_session *s, lun_value *v, uintptr_t data)
{
    const rendering  *g = lun_http_state(lun_request_of(s),
                                         &lun_http_prometheus_template);

    v->not_found = g == NULL || g->value.data == NULL;

    if (!v->not_found) {
        v->text = g->value;
    }
}


static const lun_variable  variables[] = {
    { .name = LUN_STR_INIT("p8s_value"), .get = get_value,
      .flags = LUN_VAR_VOLATILE | LUN_VAR_CHANGEABLE,
      .help = "in a prometheus_template: the value that the path has" },
    { .name = LUN_STR_NULL }
};


/* --- directives ---------------------------------------------------------- */

static lun_array *
templates_of(lun_conf *cf)
{
    lun_array  *all = lun_module_data(cf->engine,
                                      &lun_http_prometheus_template.head);

    if (all == NULL) {
        all = lun_array_new(cf->pool, sizeof(lun_prometheus_template *), 2);
        lun_module_set_data(cf->engine, &lun_http_prometheus_template.head,
                            all);
    }

    return all;
}


lun_prometheus_template *
lun_prometheus_template_of(lun_conf *cf, lun_str name)
{
    size_t                    i;
    lun_array                *all = templates_of(cf);
    lun_prometheus_template  *t;

    for (i = 0; i < all->count; i++) {
        t = *(lun_prometheus_template **) lun_array_at(all, i);

        if (lun_str_eq(t->name, name)) {
            return t;
        }
    }

    t = lun_pool_new(cf->pool, lun_prometheus_template);
    t->name = name;
    t->file = cf->file;
    t->line = cf->line;
    lun_array_init(&t->metrics, cf->pool, sizeof(metric), 16);
    *(lun_prometheus_template **) lun_array_push(all) = t;

    return t;
}


/* As Angie does it: one with an upper case letter is caseless. */
static lun_rc
set_path(lun_conf *cf, metric *m, lun_str path)
{
    size_t    i;
    unsigned  flags = 0;

    if (path.len == 0) {
        return lun_conf_fail(cf, "empty metric matching path");
    }

    if (path.data[0] != '~') {
        m->path = path;
        return LUN_OK;
    }

    path = lun_str_of(path.data + 1, path.len - 1);

    if (path.len == 0) {
        return lun_conf_fail(cf, "empty regex in metric matching path");
    }

    for (i = 0; i < path.len; i++) {
        if (lun_lower(path.data[i]) != path.data[i]) {
            flags = LUN_REGEX_CASELESS;
        }
    }

    m->pattern = lun_pattern_new(cf, path, flags);
    return m->pattern != NULL ? LUN_OK : LUN_ERROR;
}


static lun_rc
read_word(lun_conf *cf, metric *m, lun_str word)
{
    lun_str  value;

    if (lun_str_after(word, LUN_STR("path="), &value)) {
        return set_path(cf, m, value);
    }

    if (lun_str_after(word, LUN_STR("type="), &value)) {
        m->type = value;
        return value.len != 0 ? LUN_OK
                              : lun_conf_fail(cf, "empty metric type");
    }

    if (lun_str_after(word, LUN_STR("help="), &value)) {
        m->help = value;
        return value.len != 0 ? LUN_OK
                              : lun_conf_fail(cf, "empty metric help");
    }

    return lun_conf_fail(cf, "invalid metric parameter \"%.*s\"",
                         LUN_S(word));
}


/* NAME{LABELS} $VALUE and what else is said of it. */
static lun_rc
read_metric(lun_conf *cf, void *data)
{
    size_t       i;
    lun_str      name = cf->args[0], variable;
    metric      *m = lun_array_push(data);
    const char  *brace = lun_str_chr(name, '{');

    *m = (metric) { .family = lun_str_of(name.data, brace != NULL
                                         ? (size_t) (brace - name.data)
                                         : name.len) };
    if (cf->argc < 2) {
        return lun_conf_fail(cf, "invalid number of metric parameters");
    }

    if (lun_str_chr(m->family, '$') != NULL) {
        return lun_conf_fail(cf, "invalid metric name: \"%.*s\" - only labels "
                             "can contain variables", LUN_S(m->family));
    }

    m->name = lun_script_new(cf, name);

    if (m->name == NULL) {
        return LUN_ERROR;
    }

    if (!lun_str_after(cf->args[1], LUN_STR("$"), &variable)) {
        return lun_conf_fail(cf, "metric value \"%.*s\" isn't a variable",
                             LUN_S(cf->args[1]));
    }

    m->value = lun_var_index(cf, variable);

    if (m->value == 0) {
        return LUN_ERROR;
    }

    for (i = 2; i < cf->argc; i++) {
        if (read_word(cf, m, cf->args[i]) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


static lun_rc
set_template(lun_conf *cf, const lun_directive *d, void *data)
{
    lun_prometheus_template  *t;

    t = lun_prometheus_template_of(cf, cf->args[1]);

    if (t->known) {
        return lun_conf_fail(cf, "duplicate Prometheus template \"%.*s\"",
                             LUN_S(t->name));
    }

    t->known = true;
    return lun_conf_read_lines(cf, read_metric, &t->metrics, true);
}


lun_rc
lun_prometheus_templates_finish(lun_conf *cf)
{
    size_t                          i;
    const lun_array                *all = templates_of(cf);
    const lun_prometheus_template  *t;

    for (i = 0; i < all->count; i++) {
        t = *(lun_prometheus_template **) lun_array_at(all, i);

        if (!t->known) {
            return lun_conf_fail_at(cf, t->file, t->line, "unknown Prometheus "
                                    "template \"%.*s\"", LUN_S(t->name));
        }
    }

    return LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "prometheus_template", .where = LUN_HTTP, .args = 1,
      .block = true, .repeats = true, .set = set_template,
      .values = "name",
      .help = "lines for Prometheus, out of the tree of api" },
    { 0 }
};

lun_http_module  lun_http_prometheus_template = {
    .name = "prometheus_template",
    .directives = directives,
    .keeps_state = true,
    .variables = variables,
};
