/*
 * boot.c -- writing the boot block.
 *
 * It is laid out twice by one function: first without memory, to learn its
 * size, then into the segment.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "run/boot.h"

#include "base/check.h"


enum { BOOT_MARK = 0xb0070b10 };

/* Where the next piece goes; base NULL: only count. */
typedef struct {
    char    *base;
    size_t   used;
} writer;


static void *
put(writer *w, const void *data, size_t size)
{
    char  *p = w->base != NULL ? w->base + w->used : NULL;

    if (p != NULL && size != 0 && data != NULL) {
        memcpy(p, data, size);
    }

    w->used = lun_align(w->used + size, 16);
    return p;
}


/* With a zero byte behind it, which fresh memory has. */
static lun_str
put_str(writer *w, lun_str s)
{
    const char  *p = put(w, NULL, s.len + 1);

    if (p != NULL && s.len != 0) {
        memcpy((char *) (uintptr_t) p, s.data, s.len);
    }

    return lun_str_of(p, s.len);
}


static void
put_options(writer *w, lun_options *to, const lun_options *o)
{
    lun_options  copy = *o;

    copy.prefix = put_str(w, o->prefix);
    copy.conf = put_str(w, o->conf);
    copy.error_log = put_str(w, o->error_log);
    copy.params = put_str(w, o->params);

    if (to != NULL) {
        *to = copy;
    }
}


static lun_conf_file *
put_files(writer *w, const lun_conf_snapshot *s)
{
    size_t          i;
    lun_str         path, text;
    lun_conf_file  *files;

    files = put(w, NULL, s->file_count * sizeof(lun_conf_file));

    for (i = 0; i < s->file_count; i++) {
        path = put_str(w, s->files[i].path);
        text = put_str(w, s->files[i].text);

        if (files != NULL) {
            files[i] = s->files[i];
            files[i].path = path;
            files[i].text = text;
        }
    }

    return files;
}


static lun_str *
put_paths(writer *w, const lun_conf_glob *g)
{
    size_t    i;
    lun_str   path, *paths;

    paths = put(w, NULL, g->count * sizeof(lun_str));

    for (i = 0; i < g->count; i++) {
        path = put_str(w, g->paths[i]);

        if (paths != NULL) {
            paths[i] = path;
        }
    }

    return paths;
}


static lun_conf_glob *
put_globs(writer *w, const lun_conf_snapshot *s)
{
    size_t          i;
    lun_str         pattern, *paths;
    lun_conf_glob  *globs;

    globs = put(w, NULL, s->glob_count * sizeof(lun_conf_glob));

    for (i = 0; i < s->glob_count; i++) {
        pattern = put_str(w, s->globs[i].pattern);
        paths = put_paths(w, &s->globs[i]);

        if (globs != NULL) {
            globs[i] = (lun_conf_glob) { pattern, paths, s->globs[i].count };
        }
    }

    return globs;
}


static lun_shm *
put_zones(writer *w, lun_zone_set *set)
{
    size_t    i;
    lun_shm  *shms;

    shms = put(w, NULL, lun_zone_count(set) * sizeof(lun_shm));

    for (i = 0; shms != NULL && i < lun_zone_count(set); i++) {
        shms[i] = lun_zone_at(set, i)->shm;
    }

    return shms;
}


static size_t
lay_out(char *base, const lun_generation *gen, const lun_options *o)
{
    writer              w = { .base = base };
    lun_boot           *boot;
    lun_conf_snapshot   s = gen->snapshot;
    lun_shm            *zones;
    unsigned            workers = lun_boot_count(gen);

    boot = put(&w, NULL, sizeof(lun_boot) + workers * sizeof(_Atomic int64_t));

    put_options(&w, boot != NULL ? &boot->options : NULL, o);
    s.files = put_files(&w, &gen->snapshot);
    s.globs = put_globs(&w, &gen->snapshot);
    zones = put_zones(&w, gen->zones);

    if (boot != NULL) {
        boot->mark = BOOT_MARK;
        boot->generation = gen->number;
        boot->load_time = gen->load_time;
        boot->workers = workers;
        boot->snapshot = s;
        boot->zones = zones;
        boot->zone_count = lun_zone_count(gen->zones);
    }

    return w.used;
}


lun_boot *
lun_boot_new(const lun_generation *gen, const lun_options *o, lun_shm *shm,
    lun_err *err)
{
    *err = lun_shm_new(lay_out(NULL, gen, o), shm);

    if (*err != 0) {
        return NULL;
    }

    lay_out(shm->addr, gen, o);
    return shm->addr;
}


unsigned
lun_boot_count(const lun_generation *gen)
{
    return gen->workers + gen->agent;
}


bool
lun_boot_is_sane(const lun_boot *boot)
{
    return boot->mark == BOOT_MARK;
}
