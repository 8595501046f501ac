/*
 * schema.c -- all directives of a program, by name.
 *
 * One name may belong to several parts and places ("server" in http and in
 * upstream): entries of one name are a list, in the order they were added.
 * Directives of a part that set the same field are gathered there, since one
 * of them being given means that the field is not inherited.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/schema.h"

#include "base/check.h"
#include "config/schema_priv.h"


lun_schema *
lun_schema_new(lun_pool *pool)
{
    lun_schema  *s = lun_pool_new(pool, lun_schema);

    s->pool = pool;
    lun_hash_init(&s->names, pool, 512, false);
    lun_array_init(&s->parts, pool, sizeof(lun_schema_part), 64);
    lun_array_init(&s->protocols, pool, sizeof(lun_schema_protocol), 2);

    return s;
}


size_t
lun_schema_count(const lun_schema *s)
{
    return s->parts.count;
}


const lun_schema_entry *
lun_schema_find(const lun_schema *s, lun_str name)
{
    return lun_hash_get(&s->names, name);
}


void
lun_schema_rows(const lun_schema *s, lun_str name, lun_schema_row_fn *each,
    void *data)
{
    const lun_schema_entry  *e;

    for (e = lun_schema_find(s, name); e != NULL; e = e->next) {
        each(data, e->directive, e->part->name);
    }
}


void
lun_schema_names(const lun_schema *s, lun_schema_name_fn *each, void *data)
{
    const lun_hash_slot  *slot;

    for (slot = NULL; (slot = lun_hash_next(&s->names, slot)) != NULL; ) {
        each(data, slot->key);
    }
}


void
lun_schema_add_protocol(lun_schema *s, uint32_t level, uint32_t levels)
{
    lun_schema_protocol  *p = lun_array_push(&s->protocols);

    LUN_CHECK((levels & level) != 0 && (levels & LUN_MAIN) == 0);

    p->level = level;
    p->levels = levels;
}


uint32_t
lun_schema_levels(const lun_schema *s, uint32_t where)
{
    size_t                      i;
    const lun_schema_protocol  *p;

    for (i = 0; i < s->protocols.count; i++) {
        p = lun_array_at(&s->protocols, i);

        if (p->level == where) {
            return p->levels;
        }
    }

    return 0;
}


bool
lun_schema_in_protocols(const lun_schema *s, const lun_schema_part *sp)
{
    size_t                      i;
    const lun_schema_protocol  *p;

    if (sp->where & LUN_MAIN) {
        return false;
    }

    for (i = 0; i < s->protocols.count; i++) {
        p = lun_array_at(&s->protocols, i);

        if (sp->where & p->levels) {
            return true;
        }
    }

    return false;
}


static size_t
count_directives(const lun_conf_part *part)
{
    size_t  n = 0;

    while (part->directives != NULL && part->directives[n].name != NULL) {
        n++;
    }

    LUN_CHECK(n <= LUN_PART_DIRECTIVES);
    return n;
}


/*
 * Two directives that share a field must agree on its size; the first that has
 * a default gives it.
 */
static size_t
add_field(lun_schema_part *sp, const lun_directive *d, size_t bit)
{
    size_t             i;
    lun_schema_field  *f;

    if (d->size == 0) {
        return LUN_NO_FIELD;
    }

    for (i = 0; i < sp->field_count; i++) {
        if (sp->fields[i].offset == d->field) {
            break;
        }
    }

    f = &sp->fields[i];

    if (i == sp->field_count) {
        sp->field_count++;
        f->offset = d->field;
        f->size = d->size;
    }

    LUN_CHECK(f->size == d->size);
    LUN_CHECK(f->offset + f->size <= sp->part->conf_size);

    lun_given_add(&f->by, bit);

    if (f->fallback == NULL && d->fallback != NULL) {
        f->fallback = d;
    }

    return i;
}


static void
add_entry(lun_schema *s, lun_schema_entry *e)
{
    lun_schema_entry  *there;

    there = lun_hash_add(&s->names, lun_str_z(e->directive->name), e);

    if (there == NULL) {
        return;
    }

    while (there->next != NULL) {
        there = there->next;
    }

    there->next = e;
}


static bool
has_part(const lun_schema *s, const lun_conf_part *part)
{
    return part->index < s->parts.count
           && lun_schema_part_at(s, part->index)->part == part;
}


/* Each directive has a bit, by which its block remembers that it was given. */
void
lun_schema_add(lun_schema *s, lun_conf_part *part)
{
    size_t             i, n;
    lun_schema_part   *sp;
    lun_schema_entry  *entries;

    if (has_part(s, part)) {
        return;
    }

    n = count_directives(part);

    part->index = (unsigned) s->parts.count;
    sp = lun_array_push(&s->parts);
    sp->part = part;
    sp->fields = lun_pool_new_n(s->pool, lun_schema_field, n);

    entries = lun_pool_new_n(s->pool, lun_schema_entry, n);

    for (i = 0; i < n; i++) {
        entries[i].directive = &part->directives[i];
        entries[i].part = part;
        entries[i].bit = i;
        sp->where |= part->directives[i].where;
        entries[i].field = add_field(sp, &part->directives[i], i);
        add_entry(s, &entries[i]);
    }
}
