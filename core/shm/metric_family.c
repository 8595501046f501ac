/*
 * metric_family.c -- what is counted, by name and labels.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "shm/metric.h"

#include "base/check.h"
#include "shm/metric_priv.h"


enum { PART = 256 };               /* series of a look, at a time */

static const char  other[] = "other";


/* --- a metric in the zone's form ----------------------------------------- */

uint32_t
lun_metric_count_names(const char *names)
{
    uint32_t  n = names != NULL;

    for ( ; names != NULL && *names != '\0'; names++) {
        n += *names == ',';
    }

    return n;
}


/* `list` as texts that each end with 0; LUN_ERROR: there is no room. */
static lun_rc
put_names(char *to, size_t room, const char *list)
{
    size_t  i, len = list != NULL ? strlen(list) : 0;

    if (len + 2 > room) {
        return LUN_ERROR;
    }

    memset(to, 0, room);

    for (i = 0; i < len; i++) {
        to[i] = list[i] == ',' ? '\0' : list[i];
    }

    return LUN_OK;
}


static lun_rc
put_choice(metric_family *f, const lun_metric *m)
{
    size_t  len, used = 0;

    f->value_count = m->values == NULL ? lun_max(m->record, 1U) : 0;

    while (m->values != NULL && m->values[f->value_count] != NULL) {
        len = strlen(m->values[f->value_count]) + 1;

        if (used + len > sizeof(f->values)) {
            return LUN_ERROR;
        }

        memcpy(f->values + used, m->values[f->value_count], len);
        used += len;
        f->value_count++;
    }

    return f->value_count != 0 ? LUN_OK : LUN_ERROR;
}


uint32_t
lun_metric_width(const lun_metric *m)
{
    uint32_t  bounds = 0, values = 0;

    while (m->kind == LUN_HISTOGRAM && m->bounds[bounds] != 0) {
        bounds++;
    }

    while (m->values != NULL && m->values[values] != NULL) {
        values++;
    }

    return lun_max(lun_max(values, m->record), 1U)
           * (m->kind == LUN_HISTOGRAM ? LUN_METRIC_CELLS_OF(bounds) : 1);
}


static lun_rc
put_bounds(metric_family *f, const lun_metric *m)
{
    f->cells = 1;

    if (m->kind == LUN_HISTOGRAM) {
        while (m->bounds[f->bound_count] != 0) {
            if (f->bound_count == LUN_METRIC_BOUNDS) {
                return LUN_ERROR;
            }

            f->bounds[f->bound_count] = m->bounds[f->bound_count];
            f->bound_count++;
        }

        f->cells = LUN_METRIC_CELLS_OF(f->bound_count);
    }

    f->cells *= f->value_count;
    f->gauges = m->kind == LUN_GAUGE ? f->cells : m->gauges;
    f->lasting = m->lasting;
    return f->cells <= LUN_METRIC_WIDTH ? LUN_OK : LUN_ERROR;
}


static bool
fits_text(const char *text, size_t room)
{
    return text == NULL || strlen(text) < room;
}


/* What the metric is, in the zone's form. */
static lun_rc
describe(metric_family *f, const lun_metric *m)
{
    memset(f, 0, sizeof(*f));

    if (!fits_text(m->name, sizeof(f->name))
        || !fits_text(m->help, sizeof(f->help))
        || !fits_text(m->unit, sizeof(f->unit))
        || !fits_text(m->choice, sizeof(f->choice)))
    {
        return LUN_ERROR;
    }

    f->kind = m->kind;
    f->scale = lun_max(m->scale, 1U);
    f->label_count = lun_metric_count_names(m->labels);
    f->bare = m->bare;
    f->record = m->record;
    strcpy(f->name, m->name);
    strcpy(f->help, m->help != NULL ? m->help : "");
    strcpy(f->unit, m->unit != NULL ? m->unit : "");
    strcpy(f->choice, m->choice != NULL ? m->choice : "");

    return f->label_count <= LUN_METRIC_LABELS
           && put_names(f->labels, sizeof(f->labels), m->labels) == LUN_OK
           && put_choice(f, m) == LUN_OK && put_bounds(f, m) == LUN_OK
           ? LUN_OK : LUN_ERROR;
}


static bool
is_same_family(const metric_family *a, const metric_family *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0
           && strcmp(a->help, b->help) == 0
           && strcmp(a->choice, b->choice) == 0
           && a->kind == b->kind && a->scale == b->scale
           && a->bare == b->bare && a->record == b->record
           && a->gauges == b->gauges && a->lasting == b->lasting
           && a->cells == b->cells && a->label_count == b->label_count
           && memcmp(a->bounds, b->bounds, sizeof(a->bounds)) == 0
           && memcmp(a->labels, b->labels, sizeof(a->labels)) == 0
           && memcmp(a->values, b->values, sizeof(a->values)) == 0;
}


static void
mark_seen(_Atomic uint32_t *seen, uint32_t generation)
{
    if (atomic_load(seen) < generation) {
        atomic_store(seen, generation);
    }
}


/* NULL: *why. */
static metric_family *
get_family(const lun_metric *m, uint32_t generation, const char **why)
{
    metric_family    wanted, *f;
    uint32_t  i, n = atomic_load(&lun_metric_map.h->families);

    if (describe(&wanted, m) != LUN_OK) {
        *why = "too long or too many labels, values or bounds";
        return NULL;
    }

    for (i = 0; i < n; i++) {
        f = &lun_metric_map.families[i];

        if (is_same_family(f, &wanted)) {
            mark_seen(&f->seen, generation);
            return f;
        }

        if (strcmp(f->name, wanted.name) == 0
            && atomic_load(&f->seen) >= generation)
        {
            *why = "there is another metric of that name";
            return NULL;
        }
    }

    if (n == METRIC_FAMILIES) {
        *why = "too many metrics";
        return NULL;
    }

    atomic_init(&wanted.seen, generation);
    memcpy(&lun_metric_map.families[n], &wanted, sizeof(wanted));
    atomic_store(&lun_metric_map.h->families, n + 1);
    return &lun_metric_map.families[n];
}


/* The values of its labels, each with a 0 behind it; values NULL: "other". */
static lun_rc
write_values(metric_block *b, const metric_family *f, const lun_str *values)
{
    uint32_t  i;
    lun_str   v;

    memset(b->text, 0, sizeof(b->text));
    b->size = 0;
    b->family = (uint32_t) (f - lun_metric_map.families);

    for (i = 0; i < f->label_count; i++) {
        v = values != NULL ? values[i] : LUN_STR(other);

        if (b->size + v.len + 1 > METRIC_TEXT
            || (v.len != 0 && memchr(v.data, '\0', v.len) != NULL))
        {
            return LUN_ERROR;
        }

        (void) lun_copy_str(b->text + b->size, v);
        b->size += (uint32_t) v.len + 1;
    }

    return LUN_OK;
}


/* The oldest generation that a living process is of. */
static uint32_t
oldest_generation(void)
{
    uint32_t  i, n, oldest = UINT32_MAX;

    for (i = 1; i < atomic_load(&lun_metric_map.h->high); i++) {
        n = atomic_load(&lun_metric_map.places[i].generation);

        if (atomic_load(&lun_metric_map.places[i].owner) != 0 && n < oldest) {
            oldest = n;
        }
    }

    return oldest == UINT32_MAX ? 0 : oldest;
}


/* --- blocks by their labels ---------------------------------------------- */

static uint32_t
bucket_of(const metric_block *b)
{
    uint32_t  i, hash = b->family + 2166136261U;

    for (i = 0; i < b->size; i++) {
        hash = (hash ^ (unsigned char) b->text[i]) * 16777619U;
    }

    return (hash ^ hash >> 15) & (lun_metric_map.h->block_room - 1);
}


static void
put_in_bucket(metric_block *b)
{
    b->bucket = bucket_of(b);
    b->beside = lun_metric_map.buckets[b->bucket];
    lun_metric_map.buckets[b->bucket]
        = (uint32_t) (b - lun_metric_map.blocks);
}


static void
take_from_bucket(const metric_block *b)
{
    uint32_t  *at = &lun_metric_map.buckets[b->bucket];

    while (*at != 0 && lun_metric_map.blocks + *at != b) {
        at = &lun_metric_map.blocks[*at].beside;
    }

    if (*at != 0) {
        *at = b->beside;
    }
}


void
lun_metric_sort_blocks(void)
{
    uint32_t       i, f;
    metric_block  *b;

    memset(lun_metric_map.buckets, 0,
           lun_metric_map.h->block_room * sizeof(uint32_t));

    for (f = 0; f < atomic_load(&lun_metric_map.h->families); f++) {
        for (i = lun_metric_map.families[f].first; i != 0;
             i = atomic_load(&b->next))
        {
            b = &lun_metric_map.blocks[i];
            put_in_bucket(b);
        }
    }
}


static metric_block *
find_block(const metric_block *wanted)
{
    uint32_t       i;
    metric_block  *b;

    for (i = lun_metric_map.buckets[bucket_of(wanted)]; i != 0; i = b->beside) {
        b = &lun_metric_map.blocks[i];

        if (b->family == wanted->family && b->size == wanted->size
            && memcmp(b->text, wanted->text, b->size) == 0)
        {
            return b;
        }
    }

    return NULL;
}


/* Of whom nobody who lives has heard: cleared, and the caller's. */
static metric_block *
reuse_block(const metric_family *f, const metric_block *wanted,
    uint32_t generation)
{
    metric_block     *b;
    uint32_t   i, row, oldest = oldest_generation();

    for (i = f->first; i != 0; i = atomic_load(&b->next)) {
        b = &lun_metric_map.blocks[i];

        if (atomic_load(&b->seen) >= oldest || i == f->first) {
            continue;
        }

        atomic_store(&b->seen, 0);
        take_from_bucket(b);
        lun_metric_begin_moving();

        for (row = 0; row < atomic_load(&lun_metric_map.h->high); row++) {
            memset(lun_metric_row_at(row) + b->at, 0,
                   f->cells * sizeof(uint64_t));
        }

        memset(lun_metric_base() + b->at, 0, f->cells * sizeof(uint64_t));
        memcpy(b->text, wanted->text, METRIC_TEXT);
        b->size = wanted->size;
        put_in_bucket(b);
        atomic_store(&b->seen, generation);
        lun_metric_end_moving();
        return b;
    }

    return NULL;
}


/*
 * A block never leaves the list, and is linked only when it is whole: the list
 * is walked without a lock.
 */
static metric_block *
add_block(metric_family *f, const metric_block *wanted, uint32_t generation)
{
    uint32_t   n = lun_metric_map.h->blocks;
    metric_block     *b = &lun_metric_map.blocks[n];

    if (n == lun_metric_map.h->block_room
        || lun_metric_map.h->cells + f->cells > lun_metric_map.h->cell_room)
    {
        return NULL;
    }

    *b = *wanted;
    b->at = lun_metric_map.h->cells;
    atomic_init(&b->next, 0);
    atomic_init(&b->seen, generation);

    lun_metric_map.h->cells += f->cells;
    lun_metric_map.h->blocks++;

    if (f->first == 0) {
        f->first = n;

    } else {
        atomic_store(&lun_metric_map.blocks[f->last].next, n);
    }

    f->last = n;
    put_in_bucket(b);
    return b;
}


/* The cells of these values; 0: there is no room, or they are too long. */
static uint32_t
get_block(metric_family *f, const lun_str *values, uint32_t generation)
{
    metric_block  wanted, *b;

    if (write_values(&wanted, f, values) != LUN_OK) {
        return 0;
    }

    b = find_block(&wanted);

    if (b != NULL) {
        mark_seen(&b->seen, generation);
        return b->at;
    }

    b = reuse_block(f, &wanted, generation);
    b = b != NULL ? b : add_block(f, &wanted, generation);
    return b != NULL ? b->at : 0;
}


/* The first block of a metric that has labels is that of "other". */
uint32_t
lun_metric_find_cells(const lun_metric *m, const lun_str *values,
    uint32_t generation, const char **why)
{
    metric_family    *f = get_family(m, generation, why);
    uint32_t   rest, at;

    if (f == NULL) {
        return 0;
    }

    *why = "no room for more metrics";
    rest = get_block(f, NULL, generation);
    at = values != NULL ? get_block(f, values, generation) : rest;
    return at != 0 ? at : rest;
}


uint32_t
lun_metric_has_cells(const lun_metric *m, const lun_str *values,
    uint32_t generation)
{
    const char     *why;
    metric_block    wanted, *b;
    metric_family  *f = get_family(m, generation, &why);

    if (f == NULL || write_values(&wanted, f, values) != LUN_OK) {
        return 0;
    }

    b = find_block(&wanted);

    if (b == NULL) {
        return 0;
    }

    mark_seen(&b->seen, generation);
    return b->at;
}


/* --- from 0 again -------------------------------------------------------- */

static bool
has_values(const metric_family *f, const metric_block *b,
    const lun_str *values)
{
    uint32_t     i;
    const char  *p = b->text;

    for (i = 0; i < f->label_count; i++) {
        if (values[i].data != NULL && !lun_str_eq(values[i], lun_str_z(p))) {
            return false;
        }

        p += strlen(p) + 1;
    }

    return true;
}


static size_t
reset_family(const metric_family *f, uint32_t generation,
    const lun_str *values)
{
    size_t               n = 0;
    uint32_t             i;
    const metric_block  *b;

    for (i = f->first; i != 0; i = atomic_load(&b->next)) {
        b = &lun_metric_map.blocks[i];

        if (atomic_load(&b->seen) >= generation && has_values(f, b, values)) {
            lun_metric_rebase(b->at, f->cells - f->gauges - f->lasting);
            n++;
        }
    }

    return n;
}


size_t
lun_metric_reset(const char *name, uint32_t generation, const lun_str *values)
{
    size_t    n = 0;
    uint32_t  i;

    if (lun_metric_map.h == NULL) {
        return 0;
    }

    lun_metric_lock();

    for (i = 0; i < atomic_load(&lun_metric_map.h->families); i++) {
        if (strcmp(lun_metric_map.families[i].name, name) == 0) {
            n += reset_family(&lun_metric_map.families[i], generation, values);
        }
    }

    lun_metric_unlock();
    return n;
}


/* --- for those who print ------------------------------------------------- */

static void
tell_of(const metric_family *f, lun_metric_info *info)
{
    uint32_t     n;
    const char  *name;

    *info = (lun_metric_info) {
        .name = f->name, .help = f->help, .unit = f->unit, .kind = f->kind,
        .scale = f->scale, .label_count = f->label_count,
        .choice = f->choice, .values = f->values,
        .value_count = f->value_count, .bound_count = f->bound_count,
        .bounds = f->bounds, .first = f->first, .bare = f->bare != 0,
        .record = f->record != 0,
    };

    for (n = 0, name = f->labels; n < f->label_count; n++) {
        info->labels[n] = name;
        name += strlen(name) + 1;
    }
}


bool
lun_metric_at(size_t i, lun_metric_info *info)
{
    if (lun_metric_map.h == NULL
        || i >= atomic_load(&lun_metric_map.h->families))
    {
        return false;
    }

    tell_of(&lun_metric_map.families[i], info);
    return true;
}


bool
lun_metric_find(const lun_metric *m, uint32_t generation,
    lun_metric_info *info)
{
    uint32_t              i;
    const metric_family  *f;

    if (lun_metric_map.h == NULL) {
        return false;
    }

    for (i = 0; i < atomic_load(&lun_metric_map.h->families); i++) {
        f = &lun_metric_map.families[i];

        if (strcmp(f->name, m->name) == 0
            && atomic_load(&f->seen) >= generation)
        {
            tell_of(f, info);
            return true;
        }
    }

    return false;
}


/*
 * A block of the family, as it is at one moment, with `n` cells from `from` on,
 * or all that there are; false: nobody wants it.
 */
static bool
copy_block(const lun_metric_info *info, const metric_block *b,
    uint32_t generation, uint32_t from, uint32_t n, lun_metric_series *s)
{
    uint32_t     i;
    const char  *p = s->text;
    uint32_t     width = info->kind == LUN_HISTOGRAM
                         ? LUN_METRIC_CELLS_OF(info->bound_count) : 1;

    lun_metric_lock();
    memcpy(s->text, b->text, METRIC_TEXT);
    i = atomic_load(&b->seen);
    s->count = width * info->value_count;
    s->at = b->at;
    from = lun_min(from, s->count);
    lun_metric_read(b->at + from, lun_min(n, s->count - from),
                    s->cells + from);
    lun_metric_unlock();

    if (i < generation) {
        return false;
    }

    for (i = 0; i < info->label_count; i++) {
        s->labels[i] = lun_str_of(p, strlen(p));
        p += s->labels[i].len + 1;
    }

    return true;
}


static bool
next_part(const lun_metric_info *info, uint32_t generation,
    uint32_t *cursor, uint32_t from, uint32_t n, lun_metric_series *s)
{
    uint32_t  i;

    for ( ;; ) {
        i = *cursor == 0 ? info->first
                         : atomic_load(&lun_metric_map.blocks[*cursor].next);
        if (i == 0) {
            return false;
        }

        *cursor = i;

        if (copy_block(info, &lun_metric_map.blocks[i], generation, from, n,
                       s))
        {
            return true;
        }
    }
}


bool
lun_metric_next(const lun_metric_info *info, uint32_t generation,
    uint32_t *cursor, lun_metric_series *s)
{
    return next_part(info, generation, cursor, 0, UINT32_MAX, s);
}



/* What there was no room for is not shown while nothing is counted of it. */
static void
tell_cells(const lun_metric_looking *l, const lun_metric_series *s)
{
    uint32_t  i = 0;
    bool      rest = lun_str_eq(s->labels[0], LUN_STR(other));

    do {
        if (!rest || s->cells[l->m->cell + i] != 0) {
            l->found(l->to, s->labels, i, s->cells[l->m->cell + i]);
        }
    } while (l->m->values != NULL && l->m->values[++i] != NULL);
}


bool
lun_metric_look_at_cell(const lun_metric_looking *l, uint32_t *cursor)
{
    int                left = PART;
    uint32_t           n = 1;
    lun_metric_info    info;
    lun_metric_series  s;

    if (!lun_metric_find(l->m->of, l->generation, &info)) {
        return false;
    }

    while (l->m->values != NULL && l->m->values[n] != NULL) {
        n++;
    }

    while (next_part(&info, l->generation, cursor, l->m->cell, n, &s)) {
        tell_cells(l, &s);

        if (--left == 0) {
            return true;
        }
    }

    return false;
}
