/*
 * mp4_tables.c -- the tables of a track: when its samples are shown (stts,
 * ctts), which of them stand alone (stss), how large each is (stsz), how many
 * lie in a chunk (stsc), and where the chunks are (stco, co64).
 *
 * Numbers of samples and chunks begin with 0 here, with 1 in the file.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/mp4/mp4_priv.h"

#include "base/check.h"


enum {
    STTS = 8, CTTS = 8, STSS = 4, STSC = 12    /* bytes of an entry */
};

/* Where the samples lie that one entry of stsc is about. */
typedef struct {
    uint32_t  chunk, behind;       /* its chunks */
    uint32_t  each;                /* samples of a chunk */
    uint32_t  kind;                /* its description */
} chunk_run;


static size_t
count_of(lun_mp4_bytes table, size_t entry)
{
    return lun_mp4_len(table) / entry;
}


/* --- reading ------------------------------------------------------------- */

/*
 * The entries of a table: `before` bytes of a version and other things, a
 * number, and as many.  False: there are not.
 */
static bool
entries_of(lun_mp4_bytes body, size_t before, size_t entry, lun_mp4_bytes *out)
{
    uint32_t  n;

    if (lun_mp4_len(body) < before + 4) {
        return false;
    }

    n = lun_mp4_u32(body.p + before);
    out->p = body.p + before + 4;

    if ((size_t) (body.end - out->p) / entry < n) {
        return false;
    }

    out->end = out->p + n * entry;
    return true;
}


static bool
read_sizes(lun_mp4_track *t, lun_mp4_bytes body)
{
    if (lun_mp4_len(body) < 12) {
        return false;
    }

    t->size = lun_mp4_u32(body.p + 4);
    t->samples = lun_mp4_u32(body.p + 8);
    t->sizes = (lun_mp4_bytes) { body.p + 12, body.p + 12 };
    return t->size != 0 || entries_of(body, 8, 4, &t->sizes);
}


/* False: it is cut off. */
static bool
read_table(lun_mp4_track *t, const lun_mp4_atom *a)
{
    switch (a->name) {

    case LUN_MP4_NAME('s', 't', 's', 'd'):
        t->stsd = a->whole;
        return true;

    case LUN_MP4_NAME('s', 't', 't', 's'):
        return entries_of(a->body, 4, STTS, &t->stts);

    case LUN_MP4_NAME('s', 't', 's', 's'):
        t->has_stss = 1;
        return entries_of(a->body, 4, STSS, &t->stss);

    case LUN_MP4_NAME('c', 't', 't', 's'):
        t->has_ctts = 1;
        return entries_of(a->body, 4, CTTS, &t->ctts);

    case LUN_MP4_NAME('s', 't', 's', 'c'):
        return entries_of(a->body, 4, STSC, &t->stsc);

    case LUN_MP4_NAME('s', 't', 's', 'z'):
        return read_sizes(t, a->body);

    case LUN_MP4_NAME('s', 't', 'c', 'o'):
        t->wide_chunks = 0;
        return entries_of(a->body, 4, 4, &t->chunks);

    case LUN_MP4_NAME('c', 'o', '6', '4'):
        t->wide_chunks = 1;
        return entries_of(a->body, 4, 8, &t->chunks);

    default:
        return true;
    }
}


lun_rc
lun_mp4_read_tables(lun_mp4 *m, lun_mp4_track *t, lun_mp4_bytes stbl)
{
    lun_rc        rc;
    lun_mp4_atom  a;

    while ((rc = lun_mp4_next(&stbl, &a)) == LUN_OK) {
        if (!read_table(t, &a)) {
            return lun_mp4_fail(m, "a table of samples is too small");
        }
    }

    if (rc == LUN_ERROR) {
        return lun_mp4_fail(m, "stbl atom is cut off");
    }

    if (t->stts.p == NULL || t->stsc.p == NULL || t->sizes.p == NULL
        || t->chunks.p == NULL)
    {
        return lun_mp4_fail(m, "no mp4 stts, stsc, stsz or stco atoms were "
                            "found");
    }

    return LUN_OK;
}


/* No file has its end there; sums of some do not overflow. */
static int64_t
capped(uint64_t n)
{
    return (int64_t) lun_min(n, (uint64_t) INT64_MAX / 8);
}


static int64_t
chunk_offset(const lun_mp4_track *t, uint32_t chunk)
{
    if (!t->wide_chunks) {
        return lun_mp4_u32(t->chunks.p + (size_t) chunk * 4);
    }

    return capped(lun_mp4_u64(t->chunks.p + (size_t) chunk * 8));
}


/* Bytes of the samples from first to behind, which there are. */
static int64_t
bytes_of(const lun_mp4_track *t, uint32_t first, uint32_t behind)
{
    int64_t  sum = 0;

    if (t->size != 0) {
        return capped((uint64_t) t->size * (behind - first));
    }

    for ( ; first < behind; first++) {
        sum += lun_mp4_u32(t->sizes.p + (size_t) first * 4);
    }

    return sum;
}


/* --- choosing ------------------------------------------------------------ */

/*
 * The sample that is shown at that time, or the number of all; and the time
 * that it begins.
 */
static uint64_t
sample_at(const lun_mp4_track *t, uint64_t time, uint64_t *begins)
{
    uint64_t        n, sample = 0, left = time;
    uint32_t        count, each;
    const uint8_t  *p;

    for (p = t->stts.p; p < t->stts.end; p += STTS) {
        count = lun_mp4_u32(p);
        each = lun_mp4_u32(p + 4);

        if ((uint64_t) count * each > left) {
            n = left / each;
            *begins = time - (left - n * each);
            return sample + n;
        }

        left -= (uint64_t) count * each;
        sample += count;
    }

    *begins = time - left;
    return sample;
}


static uint64_t
time_of(const lun_mp4_track *t, uint64_t sample)
{
    uint64_t        time = 0, n;
    const uint8_t  *p;

    for (p = t->stts.p; p < t->stts.end && sample != 0; p += STTS) {
        n = lun_min((uint64_t) lun_mp4_u32(p), sample);
        time += n * lun_mp4_u32(p + 4);
        sample -= n;
    }

    return time;
}


/* The last one up to `sample` that stands alone; it itself, if none does. */
static uint32_t
key_before(const lun_mp4_track *t, uint32_t sample)
{
    uint32_t        key, best = 0;
    const uint8_t  *p;

    for (p = t->stss.p; p < t->stss.end; p += STSS) {
        key = lun_mp4_u32(p);

        if (key != 0 && key <= sample + 1) {
            best = lun_max(best, key);
        }
    }

    return best != 0 ? best - 1 : sample;
}


/*
 * With mp4_start_key_frame a part begins at the key before its start, and the
 * edit list says how much of it is not to be shown.
 */
static lun_rc
choose_samples(lun_mp4 *m, lun_mp4_track *t)
{
    uint32_t  key;
    uint64_t  start, n, least, begins;

    start = (uint64_t) m->start * t->timescale / 1000;
    n = sample_at(t, start, &begins);

    if (n >= t->samples) {
        return lun_mp4_fail(m, "start time is out mp4 stts samples");
    }

    t->first = (uint32_t) n;
    least = n + 1;

    if (m->key_frame && t->has_stss) {
        key = key_before(t, t->first);

        if (key != t->first) {
            t->prefix = start - time_of(t, key);
            t->first = key;
        }
    }

    n = t->samples;

    if (m->length != 0) {
        n = sample_at(t, start + (uint64_t) m->length * t->timescale / 1000,
                      &begins);
        n = lun_min(lun_max(n, least), (uint64_t) t->samples);
    }

    t->last = (uint32_t) n;
    return LUN_OK;
}


/* The entry at p; false: it makes no sense. */
static bool
run_at(const lun_mp4_track *t, const uint8_t *p, chunk_run *run)
{
    uint64_t  behind = count_of(t->chunks, t->wide_chunks ? 8 : 4);
    uint32_t  first = lun_mp4_u32(p);

    if (p + STSC < t->stsc.end) {
        behind = lun_min(behind, (uint64_t) lun_mp4_u32(p + STSC) - 1);
    }

    run->chunk = first - 1;
    run->behind = (uint32_t) behind;
    run->each = lun_mp4_u32(p + 4);
    run->kind = lun_mp4_u32(p + 8);

    return first != 0 && run->each != 0 && run->chunk <= behind
           && (p != t->stsc.p || first == 1);
}


/* The chunk that a sample lies in, and its number there. */
static lun_rc
find_chunk(lun_mp4 *m, const lun_mp4_track *t, uint32_t sample,
    uint32_t *chunk, uint32_t *at)
{
    chunk_run       run;
    uint64_t        n, sum = 0;
    const uint8_t  *p;

    for (p = t->stsc.p; p < t->stsc.end; p += STSC) {
        if (!run_at(t, p, &run)) {
            return lun_mp4_fail(m, "stsc atom makes no sense");
        }

        n = (uint64_t) (run.behind - run.chunk) * run.each;

        if (sample - sum < n) {
            *chunk = run.chunk + (uint32_t) ((sample - sum) / run.each);
            *at = (uint32_t) ((sample - sum) % run.each);
            return LUN_OK;
        }

        sum += n;
    }

    return lun_mp4_fail(m, "sample is out mp4 stsc chunks");
}


lun_rc
lun_mp4_choose(lun_mp4 *m, lun_mp4_track *t)
{
    uint32_t  at;

    if (choose_samples(m, t) != LUN_OK
        || find_chunk(m, t, t->first, &t->first_chunk, &t->skipped) != LUN_OK
        || find_chunk(m, t, t->last - 1, &t->last_chunk, &at) != LUN_OK)
    {
        return LUN_ERROR;
    }

    t->kept = at + 1;
    t->from = chunk_offset(t, t->first_chunk)
              + bytes_of(t, t->first - t->skipped, t->first);
    t->to = chunk_offset(t, t->last_chunk)
            + bytes_of(t, t->last - t->kept, t->last);
    return LUN_OK;
}


/* --- writing ------------------------------------------------------------- */

/* A table's head; its number of entries is written when they are known. */
static uint8_t *
begin_table(lun_mp4_writer *w, uint32_t name)
{
    uint8_t  *begun = lun_mp4_begin(w, name);

    lun_mp4_write_u32(w, 0);
    lun_mp4_write_u32(w, 0);
    return begun;
}


static void
end_table(lun_mp4_writer *w, uint8_t *begun, size_t entry)
{
    lun_mp4_put_u32(begun + 12, (uint32_t) ((size_t) (w->p - begun - 16)
                                            / entry));
    lun_mp4_end(w, begun);
}


/* Of a table of so many samples each: those that the piece has. */
static void
write_counts(const lun_mp4_track *t, lun_mp4_writer *w, uint32_t name,
    lun_mp4_bytes table)
{
    uint8_t        *begun = begin_table(w, name);
    uint64_t        from, to, sample = 0;
    const uint8_t  *p;

    for (p = table.p; p < table.end; p += STTS) {
        from = lun_max(sample, (uint64_t) t->first);
        sample += lun_mp4_u32(p);
        to = lun_min(sample, (uint64_t) t->last);

        if (from < to) {
            lun_mp4_write_u32(w, (uint32_t) (to - from));
            lun_mp4_write(w, p + 4, 4);
        }
    }

    end_table(w, begun, STTS);
}


static void
write_keys(const lun_mp4_track *t, lun_mp4_writer *w)
{
    uint8_t        *begun = begin_table(w, LUN_MP4_NAME('s', 't', 's', 's'));
    uint32_t        key;
    const uint8_t  *p;

    for (p = t->stss.p; p < t->stss.end; p += STSS) {
        key = lun_mp4_u32(p);

        if (key > t->first && key <= t->last) {
            lun_mp4_write_u32(w, key - t->first);
        }
    }

    end_table(w, begun, STSS);
}


static void
write_run(const lun_mp4_track *t, lun_mp4_writer *w, uint32_t chunk,
    uint32_t each, uint32_t kind)
{
    lun_mp4_write_u32(w, chunk - t->first_chunk + 1);
    lun_mp4_write_u32(w, each);
    lun_mp4_write_u32(w, kind);
}


/* What of one entry's chunks is in the piece; its ends may be in part. */
static void
write_runs_of(const lun_mp4_track *t, lun_mp4_writer *w, const chunk_run *run)
{
    bool      last = run->chunk <= t->last_chunk
                     && run->behind > t->last_chunk && t->kept != run->each;
    uint32_t  chunk = lun_max(run->chunk, t->first_chunk);
    uint32_t  behind = lun_min(run->behind, t->last_chunk + 1);
    uint32_t  most = last ? t->kept : run->each;

    if (chunk >= behind) {
        return;
    }

    if (chunk == t->first_chunk && t->skipped != 0) {
        write_run(t, w, chunk,
                  (chunk == t->last_chunk ? most : run->each) - t->skipped,
                  run->kind);
        chunk++;
    }

    if (chunk < behind - last) {
        write_run(t, w, chunk, run->each, run->kind);
    }

    if (chunk < behind && last) {
        write_run(t, w, behind - 1, most, run->kind);
    }
}


static void
write_chunk_sizes(const lun_mp4_track *t, lun_mp4_writer *w)
{
    chunk_run       run;
    uint8_t        *begun = begin_table(w, LUN_MP4_NAME('s', 't', 's', 'c'));
    const uint8_t  *p;

    /* What is behind the last chunk has not been looked at. */
    for (p = t->stsc.p; p < t->stsc.end && run_at(t, p, &run); p += STSC) {
        write_runs_of(t, w, &run);
    }

    end_table(w, begun, STSC);
}


static void
write_sizes(const lun_mp4_track *t, lun_mp4_writer *w)
{
    uint8_t  *begun = lun_mp4_begin(w, LUN_MP4_NAME('s', 't', 's', 'z'));

    lun_mp4_write_u32(w, 0);
    lun_mp4_write_u32(w, t->size);
    lun_mp4_write_u32(w, t->last - t->first);

    if (t->size == 0) {
        lun_mp4_write(w, t->sizes.p + (size_t) t->first * 4,
                      (size_t) (t->last - t->first) * 4);
    }

    lun_mp4_end(w, begun);
}


/* As they are in the file: where they are in the piece is not known yet. */
static void
write_chunks(lun_mp4_track *t, lun_mp4_writer *w)
{
    size_t    entry = t->wide_chunks ? 8 : 4;
    uint8_t  *begun;

    begun = begin_table(w, t->wide_chunks ? LUN_MP4_NAME('c', 'o', '6', '4')
                                          : LUN_MP4_NAME('s', 't', 'c', 'o'));
    t->new_chunks = w->p;
    lun_mp4_write(w, t->chunks.p + t->first_chunk * entry,
                  (t->last_chunk - t->first_chunk + 1) * entry);
    end_table(w, begun, entry);
}


void
lun_mp4_write_tables(lun_mp4_track *t, lun_mp4_writer *w)
{
    uint8_t  *begun = lun_mp4_begin(w, LUN_MP4_NAME('s', 't', 'b', 'l'));

    lun_mp4_write(w, t->stsd.p, lun_mp4_len(t->stsd));
    write_counts(t, w, LUN_MP4_NAME('s', 't', 't', 's'), t->stts);

    if (t->has_stss) {
        write_keys(t, w);
    }

    if (t->has_ctts) {
        write_counts(t, w, LUN_MP4_NAME('c', 't', 't', 's'), t->ctts);
    }

    write_chunk_sizes(t, w);
    write_sizes(t, w);
    write_chunks(t, w);
    lun_mp4_end(w, begun);
}
