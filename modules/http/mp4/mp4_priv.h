/*
 * mp4_priv.h -- a piece of an mp4 file as a file of its own: what the files of
 * this module share.
 *
 * An mp4 file is made of atoms: a size, four letters, a body, which may be
 * atoms again.  "mdat" holds the samples, "moov" says where each of them lies
 * and when it is shown.  A piece has a moov of its own, and of mdat what the
 * samples of the piece lie between.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MP4_PRIV_H
#define LUN_MP4_PRIV_H

#include "base/pool.h"
#include "base/str.h"

#define LUN_MP4_NAME(a, b, c, d)                                              \
    ((uint32_t) (a) << 24 | (uint32_t) (b) << 16 | (uint32_t) (c) << 8        \
     | (uint32_t) (d))

enum { LUN_MP4_TRACKS = 16 };

/* Bytes of a file in memory; p NULL: there are none. */
typedef struct {
    const uint8_t  *p, *end;
} lun_mp4_bytes;

typedef struct {
    uint32_t       name;
    lun_mp4_bytes  whole;
    lun_mp4_bytes  body;
} lun_mp4_atom;

/* What is written; it has room for all that may come. */
typedef struct {
    uint8_t  *p, *end;
} lun_mp4_writer;

typedef struct {
    lun_mp4_bytes  tkhd, mdhd;     /* bodies */

    /* whole atoms that are copied */
    lun_mp4_bytes  hdlr, vmhd, smhd, dinf, stsd;

    /* entries of tables */
    lun_mp4_bytes  stts, stss, ctts, stsc, sizes, chunks;
    unsigned       has_stss:1, has_ctts:1, wide_chunks:1;
    uint32_t       size;           /* of each sample; 0: see sizes */
    uint32_t       samples;

    uint32_t       timescale;
    uint64_t       media_duration, track_duration;

    /* The piece: its samples and chunks; in the first and in the last chunk */
    uint32_t       first, last;    /* samples; last is behind it */
    uint32_t       first_chunk, last_chunk;
    uint32_t       skipped, kept;  /* samples */
    uint64_t       prefix;         /* time that is not shown */
    int64_t        from, to;       /* bytes of the file */

    uint8_t       *new_chunks;     /* where they are in the new moov */
} lun_mp4_track;

typedef struct {
    lun_pool      *pool;

    /* what was asked for: milliseconds; length 0: to the end */
    int64_t        start, length;
    bool           key_frame;

    /* the file: where the data of its mdat atoms lie */
    lun_str        ftyp;           /* the whole atom */
    lun_str        moov;           /* its body */
    int64_t        data_from, data_to;

    /* the piece: a head, and that of the file */
    lun_str        head;
    int64_t        from, to;

    const char    *why;            /* it is none */
} lun_mp4;

/*
 * Makes head, from and to.  ERROR: `why` says what is wrong with the file, or
 * with what was asked for.
 */
lun_rc lun_mp4_cut(lun_mp4 *m);

/* Of the body of a moov: bytes a second, all samples; 0: nobody knows. */
int64_t lun_mp4_bitrate(lun_str moov, int64_t size);

/*
 * mp4_atoms.c: the next one of s, which begins behind it then.  AGAIN: there
 * are no more; ERROR: it is cut off, or no atom.
 */
lun_rc lun_mp4_next(lun_mp4_bytes *s, lun_mp4_atom *a);
uint32_t lun_mp4_u32(const uint8_t *p);
uint64_t lun_mp4_u64(const uint8_t *p);
void lun_mp4_put_u32(uint8_t *p, uint32_t n);
void lun_mp4_put_u64(uint8_t *p, uint64_t n);

static inline size_t
lun_mp4_len(lun_mp4_bytes s)
{
    return (size_t) (s.end - s.p);
}

/* Where a piece is written; the pointer is where its size belongs. */
uint8_t *lun_mp4_begin(lun_mp4_writer *w, uint32_t name);
void lun_mp4_end(lun_mp4_writer *w, uint8_t *begun);
void lun_mp4_write(lun_mp4_writer *w, const void *data, size_t len);
void lun_mp4_write_u32(lun_mp4_writer *w, uint32_t n);
void lun_mp4_write_u64(lun_mp4_writer *w, uint64_t n);

/*
 * mp4_tables.c: the body of an stbl; then which samples and bytes the piece
 * has; then the new atom.  ERROR: m->why.
 */
lun_rc lun_mp4_read_tables(lun_mp4 *m, lun_mp4_track *t, lun_mp4_bytes stbl);
lun_rc lun_mp4_choose(lun_mp4 *m, lun_mp4_track *t);
void lun_mp4_write_tables(lun_mp4_track *t, lun_mp4_writer *w);

static inline lun_rc
lun_mp4_fail(lun_mp4 *m, const char *why)
{
    m->why = why;
    return LUN_ERROR;
}

#endif
