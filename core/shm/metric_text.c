/*
 * metric_text.c -- metrics as lines: a head for each, then its series.
 *
 * A metric's name on the page is "lunette_", its own, and its unit; those of
 * scripts are as the script gave them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/metric_text.h"

#include "base/check.h"
#include "base/digest.h"
#include "base/fmt.h"


enum {
    ROOM = 16384,                  /* of a buf */
    LINE = 2048                    /* of a line, at most: eight labels whose
                                      256 bytes may all be escaped */
};

typedef struct {
    lun_pool         *pool;
    lun_chain        *out;
    lun_buf          *b;           /* the last one; or NULL */
    lun_metric_form   form;
    uint32_t          generation;
    size_t            left;        /* bytes of this part, about */
} printer;

struct lun_metric_page {
    printer                p;
    const lun_metric_set  *set;
    uint32_t               generation;
    size_t                 at;     /* of those with cells, then of looks */
    bool                   looking;
    bool                   begun;  /* that one has its head */
    uint32_t               cursor; /* in that one */
};

/* A metric with cells and one that is looked at, as far as a line cares. */
typedef struct {
    const char       *name, *help, *unit;
    lun_metric_kind   kind;
    uint32_t          scale;
    bool              bare;        /* its name has no "lunette_" in front */
} title;

/* What stands between the braces. */
typedef struct {
    char      text[LINE];
    char     *end;
} label_text;


lun_str
lun_metric_type_of(lun_metric_form form)
{
    return form == LUN_METRIC_OPENMETRICS
           ? LUN_STR("application/openmetrics-text; version=1.0.0; "
                     "charset=utf-8")
           : LUN_STR("text/plain; version=0.0.4; charset=utf-8");
}


/* Room for one line more. */
static lun_buf *
make_room(printer *p)
{
    if (p->b == NULL || p->b->end - p->b->last < LINE + 512) {
        p->b = lun_buf_new_room(p->pool, ROOM);
        lun_chain_push(p->out, p->b);
        p->left -= lun_min(p->left, (size_t) ROOM);
    }

    return p->b;
}


static void
print_text(printer *p, const char *text)
{
    lun_buf  *b = make_room(p);

    b->last = lun_fmt(b->last, b->end, "%s", text);
}


/* Where there is room for it: a line's parts are not worth a format. */
static char *
put(char *p, const char *text)
{
    return lun_copy(p, text, strlen(text));
}


/* --- numbers ------------------------------------------------------------- */

/* Parts of a unit as a decimal number: 1500 of scale 1000 is "1.5". */
static char *
write_number(char *to, char *end, uint64_t n, uint32_t scale)
{
    char     *point;
    uint64_t  rest = n % scale;

    to = lun_fmt_u64(to, n / scale);

    if (rest == 0) {
        return to;
    }

    point = to;
    *to++ = '.';

    while (rest != 0 && to < end && to - point < 10) {
        rest *= 10;
        *to++ = (char) ('0' + rest / scale);
        rest %= scale;
    }

    return to;
}


/* --- names and labels ---------------------------------------------------- */

static void
print_name(printer *p, const title *t, const char *suffix)
{
    lun_buf  *b = make_room(p);

    b->last = put(put(b->last, t->bare ? "" : "lunette_"), t->name);
    b->last = put(put(b->last, t->unit[0] != '\0' ? "_" : ""), t->unit);
    b->last = put(b->last, suffix);
}


/* A label that has no room, which none of the zone's lacks, is left out. */
static void
add_label(label_text *l, const char *name, lun_str value)
{
    size_t       i;
    char        *p = l->end;
    const char  *end = l->text + sizeof(l->text);

    if (strlen(name) + 2 * value.len + 4 > (size_t) (end - p)) {
        return;
    }

    p = put(put(put(p, p == l->text ? "" : ","), name), "=\"");

    for (i = 0; i < value.len; i++) {
        switch (value.data[i]) {
        case '\\': case '"':
            *p++ = '\\';
            *p++ = value.data[i];
            break;
        case '\n':
            *p++ = '\\';
            *p++ = 'n';
            break;
        default:
            *p++ = value.data[i];
        }
    }

    *p++ = '"';
    l->end = p;
}


/* --- exemplars ----------------------------------------------------------- */

/* Its moment is written last, and is 0 meanwhile. */
void
lun_metric_note_exemplar(uint32_t at, unsigned bucket, const uint8_t *trace,
    uint64_t value, uint64_t ms)
{
    volatile uint64_t  *cell = lun_metric_row + at
                               + bucket * LUN_METRIC_EXEMPLAR;
    uint64_t            id[2];

    memcpy(id, trace, sizeof(id));
    cell[3] = 0;
    cell[0] = id[0];
    cell[1] = id[1];
    cell[2] = value;
    cell[3] = ms;
}


/* Cells of the histogram's exemplars; 0: it has none. */
static uint32_t
find_exemplars(const printer *p, const title *t)
{
    char               name[80];
    size_t             i;
    uint32_t           cursor = 0;
    lun_metric_info    info;
    lun_metric_series  s;

    if (p->form != LUN_METRIC_OPENMETRICS || t->bare) {
        return 0;
    }

    *lun_fmt(name, name + sizeof(name) - 1, "%s" LUN_METRIC_EXEMPLARS,
             t->name) = '\0';

    for (i = 0; lun_metric_at(i, &info); i++) {
        if (info.record && strcmp(info.name, name) == 0) {
            return lun_metric_next(&info, p->generation, &cursor, &s) ? s.at
                                                                      : 0;
        }
    }

    return 0;
}


/* The latest of all processes; false: there is none. */
static bool
read_exemplar(uint32_t at, uint64_t *latest)
{
    uint32_t                  cursor = 0;
    uint64_t                  one[LUN_METRIC_EXEMPLAR];
    lun_metric_process        process;
    const volatile uint64_t  *cell;

    latest[3] = 0;

    while (lun_metric_next_process(&cursor, &process)) {
        cell = process.cells + at;
        one[3] = cell[3];
        one[0] = cell[0];
        one[1] = cell[1];
        one[2] = cell[2];

        if (process.pid != 0 && one[3] > latest[3] && cell[3] == one[3]) {
            memcpy(latest, one, sizeof(one));
        }
    }

    return latest[3] != 0;
}


/* Behind a bucket's line: " # {trace_id="..."} VALUE TIME". */
static void
print_exemplar(printer *p, const title *t, uint32_t at)
{
    char      id[33];
    lun_buf  *b = p->b;
    uint64_t  one[LUN_METRIC_EXEMPLAR];

    if (at == 0 || !read_exemplar(at, one)) {
        return;
    }

    *lun_hex(id, (const unsigned char *) one, 16) = '\0';
    b->last--;                     /* the line's end */
    b->last = lun_fmt(b->last, b->end, " # {trace_id=\"%s\"} ", id);
    b->last = write_number(b->last, b->end, one[2], t->scale);
    *b->last++ = ' ';
    b->last = write_number(b->last, b->end, one[3], 1000);
    *b->last++ = '\n';
}


/* One line: `le` is a bucket's label, or NULL. */
static void
print_line(printer *p, const title *t, const char *suffix, const label_text *l,
    const char *le, uint64_t value, uint32_t scale)
{
    lun_buf  *b;
    bool      labels = l->end != l->text;

    print_name(p, t, suffix);
    b = p->b;

    if (labels || le != NULL) {
        *b->last++ = '{';
        b->last = lun_copy(b->last, l->text, (size_t) (l->end - l->text));

        if (le != NULL) {
            b->last = put(put(b->last, labels ? ",le=\"" : "le=\""), le);
            *b->last++ = '"';
        }

        *b->last++ = '}';
    }

    *b->last++ = ' ';

    if (t->kind == LUN_GAUGE && (int64_t) value < 0) {
        *b->last++ = '-';
        value = -value;
    }

    b->last = write_number(b->last, b->end, value, scale);
    *b->last++ = '\n';
}


/* --- a metric ------------------------------------------------------------ */

static void
print_help(printer *p, const char *help)
{
    lun_buf  *b = make_room(p);

    for ( ; *help != '\0'; help++) {
        if (*help == '\\' || *help == '\n') {
            *b->last++ = '\\';
        }

        *b->last++ = *help == '\n' ? 'n' : *help;
    }
}


static void
print_head(printer *p, const title *t)
{
    static const char *const  kinds[] = {
        [LUN_COUNTER] = "counter",
        [LUN_GAUGE] = "gauge",
        [LUN_HISTOGRAM] = "histogram"
    };
    const char  *suffix = p->form == LUN_METRIC_PROMETHEUS
                          && t->kind == LUN_COUNTER ? "_total" : "";

    print_text(p, "# HELP ");
    print_name(p, t, suffix);
    print_text(p, " ");
    print_help(p, t->help);
    print_text(p, "\n# TYPE ");
    print_name(p, t, suffix);
    print_text(p, " ");
    print_text(p, kinds[t->kind]);
    print_text(p, "\n");

    if (p->form == LUN_METRIC_OPENMETRICS && t->unit[0] != '\0') {
        print_text(p, "# UNIT ");
        print_name(p, t, suffix);
        print_text(p, " ");
        print_text(p, t->unit);
        print_text(p, "\n");
    }
}


/*
 * Its cells: a sum, then a bucket for each bound and one for the rest; `at`:
 * those of its exemplars, or 0.
 */
static void
print_histogram(printer *p, const title *t, const lun_metric_info *info,
    const label_text *l, const uint64_t *cells, uint32_t at)
{
    char      le[32], *end;
    uint32_t  i;
    uint64_t  count = 0;

    for (i = 0; i < info->bound_count; i++) {
        count += cells[i + 1];
        end = write_number(le, le + sizeof(le) - 1, info->bounds[i], t->scale);
        *end = '\0';
        print_line(p, t, "_bucket", l, le, count, 1);
        print_exemplar(p, t, at);
        at += at != 0 ? LUN_METRIC_EXEMPLAR : 0;
    }

    count += cells[info->bound_count + 1];
    print_line(p, t, "_bucket", l, "+Inf", count, 1);
    print_exemplar(p, t, at);
    print_line(p, t, "_sum", l, NULL, cells[0], t->scale);
    print_line(p, t, "_count", l, NULL, count, 1);
}


/*
 * A family with a choice has one series for each of its words, beside the
 * labels that its rows have.
 */
static void
print_values(printer *p, const title *t, const lun_metric_info *info,
    const lun_metric_series *s)
{
    label_text   l;
    char        *before;
    uint32_t     i, width = s->count / info->value_count;
    uint32_t     exemplars = info->kind == LUN_HISTOGRAM
                             && info->label_count == 0
                             ? find_exemplars(p, t) : 0;
    const char  *value = info->values;

    l.end = l.text;

    for (i = 0; i < info->label_count; i++) {
        add_label(&l, info->labels[i], s->labels[i]);
    }

    before = l.end;

    for (i = 0; i < info->value_count; i++) {
        l.end = before;

        if (info->choice[0] != '\0') {
            add_label(&l, info->choice, lun_str_z(value));
            value += strlen(value) + 1;
        }

        if (info->kind == LUN_HISTOGRAM) {
            print_histogram(p, t, info, &l, s->cells + i * width,
                            exemplars == 0 ? 0 : exemplars
                            + i * (width - 1) * LUN_METRIC_EXEMPLAR);

        } else {
            print_line(p, t, info->kind == LUN_COUNTER ? "_total" : "", &l,
                       NULL, s->cells[i], t->scale);
        }
    }
}


/* "other" of a metric with labels that nobody has needed: no line. */
static bool
is_unused_rest(const lun_metric_info *info, const lun_metric_series *s)
{
    uint32_t  i;

    for (i = 0; i < s->count; i++) {
        if (s->cells[i] != 0) {
            return false;
        }
    }

    return info->label_count != 0 && lun_str_eq(s->labels[0], LUN_STR("other"));
}


/* True: there is more of it. */
static bool
print_cells(lun_metric_page *page, const lun_metric_info *info)
{
    title              t = { info->name, info->help, info->unit, info->kind,
                             info->scale, info->bare };
    lun_metric_series  s;

    while (page->p.left != 0) {
        if (!lun_metric_next(info, page->generation, &page->cursor, &s)) {
            return false;
        }

        if (is_unused_rest(info, &s)) {
            continue;
        }

        if (!page->begun) {
            print_head(&page->p, &t);
            page->begun = true;
        }

        print_values(&page->p, &t, info, &s);
    }

    return true;
}


/* --- what is looked at --------------------------------------------------- */

typedef struct {
    lun_metric_page   *page;
    title              t;
    const lun_metric  *m;
} look;


static void
on_found(void *to, const lun_str *labels, unsigned choice, uint64_t value)
{
    look        *k = to;
    size_t       i;
    char         name[64];
    printer     *p = &k->page->p;
    label_text   l;
    const char  *comma, *names = k->m->labels;

    if (!k->page->begun) {
        print_head(p, &k->t);
        k->page->begun = true;
    }

    l.end = l.text;

    for (i = 0; names != NULL && *names != '\0'; i++) {
        comma = strchr(names, ',');
        comma = comma != NULL ? comma : names + strlen(names);
        *lun_copy(name, names, lun_min((size_t) (comma - names),
                                       sizeof(name) - 1)) = '\0';
        add_label(&l, name, labels[i]);
        names = *comma == ',' ? comma + 1 : comma;
    }

    if (k->m->choice != NULL) {
        add_label(&l, k->m->choice, lun_str_z(k->m->values[choice]));
    }

    print_line(p, &k->t, k->t.kind == LUN_COUNTER ? "_total" : "", &l, NULL,
               value, k->t.scale);
}


static bool
print_looked_at(lun_metric_page *page, const lun_metric *m)
{
    look                k = { page, { m->name, m->help,
                              m->unit != NULL ? m->unit : "", m->kind,
                              lun_max(m->scale, 1U), false }, m };
    lun_metric_looking  l = { page->set, m, page->generation, on_found, &k };

    return m->look(&l, &page->cursor);
}


/* --- a page -------------------------------------------------------------- */

lun_metric_page *
lun_metric_page_new(lun_pool *pool, const lun_metric_set *set,
    uint32_t generation, lun_metric_form form)
{
    lun_metric_page  *page = lun_pool_new(pool, lun_metric_page);

    page->p.pool = pool;
    page->p.form = form;
    page->p.generation = generation;
    page->set = set;
    page->generation = generation;

    return page;
}


/* The metric at hand, or a part of it; false: it is complete. */
static bool
print_some(lun_metric_page *page, bool *there)
{
    lun_metric_info    info;
    const lun_metric  *m;

    if (!page->looking) {
        *there = lun_metric_at(page->at, &info);
        return *there && !info.record && print_cells(page, &info);
    }

    m = page->set != NULL ? lun_metric_looked_at(page->set, page->at) : NULL;
    *there = m != NULL;
    return *there && print_looked_at(page, m);
}


/*
 * First what is counted in cells, then what is looked at when somebody asks;
 * each call goes on where the one before had filled its room.
 */
bool
lun_metric_page_print(lun_metric_page *page, size_t bytes, lun_chain *out)
{
    bool  there;

    page->p.out = out;
    page->p.b = NULL;
    page->p.left = bytes;

    while (page->p.left != 0) {
        if (print_some(page, &there)) {
            continue;
        }

        page->at++;
        page->cursor = 0;
        page->begun = false;

        if (!there && page->looking) {
            if (page->p.form == LUN_METRIC_OPENMETRICS) {
                print_text(&page->p, "# EOF\n");
            }

            return false;
        }

        if (!there) {
            page->looking = true;
            page->at = 0;
        }
    }

    return true;
}
