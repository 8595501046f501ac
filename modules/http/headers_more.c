/*
 * headers_more.c -- OpenResty's headers-more: sets and clears headers of the
 * answer and of the request.
 *
 *     more_set_headers -s "404 500" -t text/html "X-Note: $uri" "Server: x";
 *     more_clear_headers "X-Hidden-*";
 *     more_set_input_headers -r "Host: $arg_host";
 *
 * Each directive is a rule; a block's rules run behind those of the blocks
 * around it, whatever the status.  Those for the request run at the end of
 * the rewrite phase, but before Lua's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/module.h"


typedef struct {
    lun_str      name;             /* a wildcard's: without the star */
    lun_script  *value;            /* NULL: it is cleared */
    bool         wildcard;
} more_header;

typedef struct {
    lun_array    headers;          /* of more_header */
    lun_array    types;            /* of lun_str; empty: any */
    lun_array    statuses;         /* of unsigned; empty: any */
    bool         append;           /* -a */
    bool         existing;         /* -r: only what is there already */
} more_rule;

typedef struct {
    lun_array   *out;              /* of more_rule */
    lun_array   *in;
} more_conf;

/* What a directive is about, as its .data points to. */
typedef struct {
    bool         clears;
    const char  *options;          /* letters; t and s have an argument */
} more_kind;

extern lun_http_module  lun_http_headers_more;


/* --- whether a rule applies ---------------------------------------------- */

static bool
has_status(const more_rule *rule, unsigned status)
{
    size_t  i;

    for (i = 0; i < rule->statuses.count; i++) {
        if (*(unsigned *) lun_array_at(&rule->statuses, i) == status) {
            return true;
        }
    }

    return rule->statuses.count == 0;
}


static bool
has_type(const more_rule *rule, lun_str type)
{
    size_t  i;

    for (i = 0; i < rule->types.count; i++) {
        if (lun_str_caseeq(*(lun_str *) lun_array_at(&rule->types, i), type)) {
            return true;
        }
    }

    return rule->types.count == 0;
}


/* --- the answer ---------------------------------------------------------- */

static void
clear_like(lun_request *r, lun_str prefix)
{
    lun_header_each(&r->out.list, h) {
        if (lun_str_casestarts(h->name, prefix)) {
            lun_http_set_out(r, h->name, LUN_STR_NULL);
        }
    }
}


/* What the core would make up by itself at the end has to go as well. */
static void
clear_out(lun_request *r, lun_str name)
{
    if (lun_str_caseeq(name, LUN_STR("Accept-Ranges"))) {
        lun_http_clear_ranges(r);
    }

    lun_http_set_out(r, name, LUN_STR_NULL);
}


static void
change_out(lun_request *r, const more_rule *rule, const more_header *h)
{
    lun_str  value = LUN_STR_NULL;

    if (h->wildcard) {
        clear_like(r, h->name);
        return;
    }

    if (h->value != NULL) {
        value = lun_script_run(&r->session, h->value);
    }

    if (value.len == 0) {
        if (!rule->append) {
            clear_out(r, h->name);
        }

    } else if (rule->append) {
        (void) lun_http_add_out(r, h->name, value);

    } else {
        lun_http_set_out(r, h->name, value);
    }
}


/* The answer's type without what Lua or a backend has put behind it. */
static lun_str
bare_type(const lun_request *r)
{
    lun_str      type = r->out.content_type;
    const char  *end = lun_str_chr(type, ';');

    if (end != NULL) {
        type.len = (size_t) (end - type.data);
    }

    return lun_str_trim(type);
}


static lun_rc
on_header(lun_request *r)
{
    size_t            i, j;
    const more_rule  *rule;
    const more_conf  *conf = lun_http_conf(r, &lun_http_headers_more);

    if (conf->out != NULL) {
        lun_debug(r->log, "headers more header filter, uri \"%.*s\"",
                  LUN_S(r->uri));
    }

    for (i = 0; conf->out != NULL && i < conf->out->count; i++) {
        rule = lun_array_at(conf->out, i);

        if (!has_status(rule, r->out.status)
            || !has_type(rule, bare_type(r)))
        {
            continue;
        }

        for (j = 0; j < rule->headers.count; j++) {
            change_out(r, rule, lun_array_at(&rule->headers, j));
        }
    }

    return lun_http_next_header(r, &lun_http_headers_more);
}


/* --- the request --------------------------------------------------------- */

static void
clear_like_in(lun_request *r, lun_str prefix)
{
    lun_header_each(&r->in.list, h) {
        if (lun_str_casestarts(h->name, prefix)) {
            lun_http_set_in(r, h->name, LUN_STR_NULL, true);
        }
    }
}


static void
change_in(lun_request *r, const more_rule *rule, const more_header *h)
{
    lun_str  value = LUN_STR_NULL;

    if (h->wildcard) {
        clear_like_in(r, h->name);
        return;
    }

    if (rule->existing && lun_header_find(&r->in.list, h->name) == NULL) {
        return;
    }

    if (h->value != NULL) {
        value = lun_script_run(&r->session, h->value);
    }

    lun_http_set_in(r, h->name, value.len != 0 ? value : LUN_STR_NULL, true);
}


/*
 * The type is looked up again for each rule, since the one before may have
 * changed it.
 */
static lun_verdict
on_rewrite(lun_session *s)
{
    lun_request       *r = lun_request_of(s);
    size_t             i, j;
    lun_str            type;
    const more_rule   *rule;
    const lun_header  *h;
    const more_conf   *conf = lun_http_conf(r, &lun_http_headers_more);

    if (conf->in == NULL || r->version < 1000) {
        return LUN_NEXT;
    }

    lun_debug(r->log, "headers more rewrite handler, uri \"%.*s\"",
              LUN_S(r->uri));

    for (i = 0; i < conf->in->count; i++) {
        rule = lun_array_at(conf->in, i);
        h = r->in.known[LUN_HIN_CONTENT_TYPE];
        type = h != NULL ? h->value : LUN_STR("");

        if (!has_type(rule, type)) {
            continue;
        }

        for (j = 0; j < rule->headers.count; j++) {
            change_in(r, rule, lun_array_at(&rule->headers, j));
        }
    }

    return LUN_NEXT;
}


/* --- reading a directive ------------------------------------------------- */

/* The next word of a list with spaces between; false: it has ended. */
static bool
next_word(lun_str *list, lun_str *word)
{
    const char  *end;

    *list = lun_str_trim(*list);

    if (list->len == 0) {
        return false;
    }

    end = lun_str_chr(*list, ' ');
    word->data = list->data;
    word->len = end != NULL ? (size_t) (end - list->data) : list->len;
    list->data += word->len;
    list->len -= word->len;

    return true;
}


static void
read_types(more_rule *rule, lun_str list)
{
    lun_str  word;

    while (next_word(&list, &word)) {
        if (lun_str_ends(word, LUN_STR(";"))) {
            word.len--;
        }

        *(lun_str *) lun_array_push(&rule->types) = word;
    }
}


static lun_rc
read_statuses(lun_conf *cf, more_rule *rule, lun_str list)
{
    lun_str      word, all = list;
    uint64_t     n;
    const char  *p;

    while (next_word(&list, &word)) {
        for (p = word.data; p < word.data + word.len; p++) {
            if (!lun_is_digit(*p)) {
                return lun_conf_fail(cf, "%.*s: invalid digit \"%c\" found in "
                                     "the status code list \"%.*s\"",
                                     LUN_S(cf->args[0]), *p, LUN_S(all));
            }
        }

        if (lun_str_to_u64(word, &n) != LUN_OK || n > 999) {
            return lun_conf_fail(cf, "%.*s: invalid status code \"%.*s\"",
                                 LUN_S(cf->args[0]), LUN_S(word));
        }

        *(unsigned *) lun_array_push(&rule->statuses) = (unsigned) n;
    }

    return LUN_OK;
}


/* "Name: value", "Name:" or "Name". */
static lun_rc
read_header(lun_conf *cf, more_rule *rule, const more_kind *kind, lun_str word)
{
    lun_str       value = LUN_STR("");
    more_header  *h = lun_array_push(&rule->headers);
    const char   *colon = lun_str_chr(word, ':');

    h->name = word;

    if (colon != NULL) {
        h->name.len = (size_t) (colon - word.data);
        value = lun_str_of(colon + 1, word.len - h->name.len - 1);

        while (value.len != 0 && value.data[0] == ' ') {
            value.data++;
            value.len--;
        }
    }

    h->name = lun_str_trim(h->name);

    if (kind->clears && lun_str_ends(h->name, LUN_STR("*"))) {
        if (h->name.len < 2) {
            return lun_conf_fail(cf, "%.*s: wildcard key too short: %.*s",
                                 LUN_S(cf->args[0]), LUN_S(h->name));
        }

        h->name.len--;
        h->wildcard = true;
    }

    if (kind->clears || value.len == 0) {
        return LUN_OK;
    }

    h->value = lun_script_new(cf, value);
    return h->value != NULL ? LUN_OK : LUN_ERROR;
}


/* cf->args[*i] is an option; *i is left at its last word. */
static lun_rc
read_option(lun_conf *cf, more_rule *rule, const more_kind *kind, size_t *i)
{
    lun_str  word = cf->args[*i];

    if (word.len != 2 || strchr(kind->options, word.data[1]) == NULL) {
        return lun_conf_fail(cf, "%.*s: invalid option name: \"%.*s\"",
                             LUN_S(cf->args[0]), LUN_S(word));
    }

    switch (word.data[1]) {

    case 'a':
        rule->append = true;
        return LUN_OK;

    case 'r':
        rule->existing = true;
        return LUN_OK;
    }

    if (++*i == cf->argc) {
        return lun_conf_fail(cf, "%.*s: option %.*s takes an argument.",
                             LUN_S(cf->args[0]), LUN_S(word));
    }

    if (word.data[1] == 's') {
        return read_statuses(cf, rule, cf->args[*i]);
    }

    read_types(rule, cf->args[*i]);
    return LUN_OK;
}


static lun_rc
set_rule(lun_conf *cf, const lun_directive *d, void *conf)
{
    size_t             i;
    lun_rc             rc;
    lun_str            word;
    lun_array        **list;
    more_rule         *rule;
    const more_kind   *kind = d->data;

    list = (lun_array **) (void *) ((char *) conf + d->field);

    if (*list == NULL) {
        *list = lun_array_new(cf->pool, sizeof(more_rule), 2);
    }

    rule = lun_array_push(*list);
    lun_array_init(&rule->headers, cf->pool, sizeof(more_header), 1);
    lun_array_init(&rule->types, cf->pool, sizeof(lun_str), 1);
    lun_array_init(&rule->statuses, cf->pool, sizeof(unsigned), 1);

    for (i = 1; i < cf->argc; i++) {
        word = cf->args[i];

        if (word.len == 0) {
            continue;
        }

        rc = word.data[0] == '-' ? read_option(cf, rule, kind, &i)
                                 : read_header(cf, rule, kind, word);
        if (rc != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


/* --- directives ---------------------------------------------------------- */

/* The rules of the block around come first. */
static lun_array *
join(lun_pool *pool, const lun_array *outer, lun_array *own)
{
    lun_array  *both;

    if (outer == NULL || own == outer) {
        return own;
    }

    both = lun_array_new(pool, sizeof(more_rule), outer->count + own->count);
    memcpy(lun_array_push_n(both, outer->count), outer->items,
           outer->count * sizeof(more_rule));
    memcpy(lun_array_push_n(both, own->count), own->items,
           own->count * sizeof(more_rule));

    return both;
}


static lun_rc
inherited(lun_conf *cf, const void *parent, void *data)
{
    more_conf        *conf = data;
    const more_conf  *outer = parent;

    if (outer != NULL) {
        conf->out = join(cf->pool, outer->out, conf->out);
        conf->in = join(cf->pool, outer->in, conf->in);
    }

    return LUN_OK;
}


enum { PLACES = LUN_HTTP_LEVELS | LUN_LOCATION_IF };

#define RULE(text, list, what, ...)                                           \
    { .name = text, .where = PLACES, .args = 1, .args_max = LUN_ARGS_ANY,     \
      .repeats = true, .set = set_rule, LUN_FIELD(more_conf, list),           \
      .data = what, __VA_ARGS__ }

static const more_kind  setting = { .clears = false, .options = "tsa" };
static const more_kind  clearing = { .clears = true, .options = "ts" };
static const more_kind  setting_in = { .clears = false, .options = "tr" };
static const more_kind  clearing_in = { .clears = true, .options = "t" };

static const lun_directive  directives[] = {
    RULE("more_set_headers", out, &setting,
         .values = "[-a] [-t mime-types] [-s statuses] 'name: value' ...",
         .help = "sets headers of answers"),
    RULE("more_clear_headers", out, &clearing,
         .values = "[-t mime-types] [-s statuses] name ...",
         .help = "takes headers from answers"),
    RULE("more_set_input_headers", in, &setting_in,
         .values = "[-r] [-t mime-types] 'name: value' ...",
         .help = "sets headers of requests"),
    RULE("more_clear_input_headers", in, &clearing_in,
         .values = "[-r] [-t mime-types] name ...",
         .help = "takes headers from requests"),
    { 0 }
};

lun_http_module  lun_http_headers_more = {
    .name = "headers_more",
    .directives = directives,
    .conf_size = sizeof(more_conf),
    .inherited = inherited,
    .on[LUN_REWRITE] = on_rewrite,
    .header_filter = on_header,
};
