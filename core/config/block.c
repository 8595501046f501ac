/*
 * block.c -- the tree of blocks, their confs, and what they inherit.
 *
 * A block that says nothing shares its parent's array of confs; the first
 * directive in it copies the array, and makes a conf for the directive's part
 * alone.  What the parent says further down in the text comes in later: the
 * shared pointers are set once more when the tree is walked.
 *
 * In front of each conf stands a head with the bits of the directives given,
 * and the block that it was made for, which tells an own conf from a shared
 * one.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "config/schema_priv.h"

#include "base/check.h"
#include "config/lex.h"


typedef struct {
    lun_given         given;
    const lun_block  *owner;
} conf_head;

enum { HEAD_SIZE = (sizeof(conf_head) + 15) / 16 * 16, FALLBACK_WORDS = 8 };


/*
 * The confs of the outer block are shared until a directive of this one sets
 * something: most locations set little.
 */
lun_block *
lun_block_new(lun_conf *cf, lun_block *parent, uint32_t where)
{
    lun_block  *b = lun_pool_new(cf->pool, lun_block);

    b->parent = parent;
    b->where = where;
    b->engine = cf->engine;
    b->file = cf->file;
    b->line = cf->line;

    if (parent == NULL) {
        return b;
    }

    b->confs = parent->confs;

    if (parent->last_child != NULL) {
        parent->last_child->sibling = b;

    } else {
        parent->first_child = b;
    }

    parent->last_child = b;
    return b;
}


static conf_head *
head_of(void *conf)
{
    return (conf_head *) (void *) ((char *) conf - HEAD_SIZE);
}


/* The head of the block's own conf, NULL if it shares one or has none. */
static conf_head *
own_head(const lun_block *b, size_t index)
{
    conf_head  *head;

    if (!b->confs_own || b->confs[index] == NULL) {
        return NULL;
    }

    head = head_of(b->confs[index]);
    return head->owner == b ? head : NULL;
}


static void
own_array(lun_conf *cf, lun_block *b)
{
    void    **confs;
    size_t    n = lun_schema_count(cf->schema);

    confs = lun_pool_new_n(cf->pool, void *, n);

    if (b->confs != NULL) {
        memcpy(confs, b->confs, n * sizeof(void *));
    }

    b->confs = confs;
    b->confs_own = true;
}


void *
lun_block_conf(lun_conf *cf, lun_block *b, const lun_conf_part *part)
{
    conf_head  *head;

    if (own_head(b, part->index) != NULL) {
        return b->confs[part->index];
    }

    if (!b->confs_own) {
        own_array(cf, b);
    }

    head = lun_pool_zalloc(cf->pool, HEAD_SIZE + part->conf_size);
    head->owner = b;
    b->confs[part->index] = (char *) head + HEAD_SIZE;

    return b->confs[part->index];
}


bool
lun_block_has(const lun_block *b, const lun_conf_part *part,
    const lun_directive *d)
{
    const conf_head  *head = own_head(b, part->index);

    return head != NULL
           && lun_given_has(&head->given, (size_t) (d - part->directives));
}


bool
lun_block_is_set(const lun_conf *cf, const lun_block *b,
    const lun_schema_entry *e)
{
    const conf_head        *head = own_head(b, e->part->index);
    const lun_schema_part  *sp;

    if (head == NULL) {
        return false;
    }

    if (e->field == LUN_NO_FIELD) {
        return lun_given_has(&head->given, e->bit);
    }

    sp = lun_schema_part_at(cf->schema, e->part->index);
    return lun_given_any(&head->given, &sp->fields[e->field].by);
}


/*
 * What a part without a conf may say many times (listen, server_name) leaves
 * no trace: nobody asks for it, and thousands of servers say nothing else.
 */
void *
lun_block_mark(lun_conf *cf, lun_block *b, const lun_schema_entry *e)
{
    void  *conf;

    if (e->part->conf_size == 0 && e->directive->repeats) {
        return NULL;
    }

    conf = lun_block_conf(cf, b, e->part);

    lun_given_add(&head_of(conf)->given, e->bit);
    return conf;
}


/* A default is what somebody could have written: its setter reads it. */
static lun_rc
set_fallback(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_rc     rc;
    size_t     n = 1;
    lun_str    words[FALLBACK_WORDS];
    bool       quoted[FALLBACK_WORDS] = { false };
    lun_token  token;
    lun_lexer  lx;

    words[0] = lun_str_z(d->name);
    lun_lex_init(&lx, lun_str_z(d->fallback), cf->pool);

    for ( ;; ) {
        lun_lex_next(&lx, &token);

        if (token.kind != LUN_LEX_WORD) {
            break;
        }

        LUN_CHECK(n < FALLBACK_WORDS);
        quoted[n] = token.quoted;
        words[n++] = token.text;
    }

    LUN_CHECK(token.kind == LUN_LEX_END && !token.quoted);

    cf->args = words;
    cf->argc = n;
    cf->quoted = quoted;
    cf->is_fallback = true;
    rc = d->set(cf, d, conf);
    cf->is_fallback = false;

    return rc;
}


/*
 * Inheritance is by field and not by directive: several directives may set the
 * same field, and if any of them stood in this block, the outer block's value
 * is not taken.  `inherited` comes after that, and sees final values.
 */
static lun_rc
inherit_part(lun_conf *cf, lun_block *b, const lun_schema_part *sp)
{
    char              *conf;
    size_t             i;
    const char        *parent;
    const conf_head   *head;
    lun_schema_field  *f;

    conf = b->confs[sp->part->index];
    head = head_of(conf);
    parent = b->parent != NULL ? b->parent->confs[sp->part->index] : NULL;

    for (i = 0; i < sp->field_count; i++) {
        f = &sp->fields[i];

        if (lun_given_any(&head->given, &f->by)) {
            continue;
        }

        if (parent != NULL) {
            memcpy(conf + f->offset, parent + f->offset, f->size);

        } else if (f->fallback != NULL
                   && set_fallback(cf, f->fallback, conf) != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    if (sp->part->inherited != NULL) {
        return sp->part->inherited(cf, parent, conf);
    }

    return LUN_OK;
}


/* Whether nothing above the block has settings of that part. */
static bool
begins_here(const lun_conf *cf, const lun_block *b, uint32_t levels,
    const lun_schema_part *sp)
{
    bool  inner = lun_schema_in_protocols(cf->schema, sp);

    return b->parent == NULL ? !inner : inner && (sp->where & levels) != 0;
}


/* `levels`: of the protocol whose block it is, or 0. */
static lun_rc
inherit_block(lun_conf *cf, lun_block *b, uint32_t levels)
{
    size_t                  i, n;
    const lun_schema_part  *sp;

    n = lun_schema_count(cf->schema);

    if (!b->confs_own) {
        own_array(cf, b);
    }

    cf->block = b;
    cf->where = b->where;
    cf->engine = b->engine;
    cf->file = b->file;
    cf->line = cf->end_line = b->line;

    for (i = 0; i < n; i++) {
        sp = lun_schema_part_at(cf->schema, i);

        if ((b->parent == NULL || levels != 0)
            && begins_here(cf, b, levels, sp))
        {
            lun_block_conf(cf, b, sp->part);

        } else if (own_head(b, i) == NULL) {
            if (b->parent != NULL) {
                b->confs[i] = b->parent->confs[i];
            }

            continue;
        }

        if (inherit_part(cf, b, sp) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


lun_rc
lun_block_inherit(lun_conf *cf, lun_block *top)
{
    lun_block  *child;
    uint32_t    levels = lun_schema_levels(cf->schema, top->where);

    if (top->parent == NULL || top->confs_own || levels != 0) {
        if (inherit_block(cf, top, levels) != LUN_OK) {
            return LUN_ERROR;
        }

    } else {
        top->confs = top->parent->confs;
    }

    for (child = top->first_child; child != NULL; child = child->sibling) {
        if (lun_block_inherit(cf, child) != LUN_OK) {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}
