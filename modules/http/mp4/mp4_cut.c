/*
 * mp4_cut.c -- the moov of a piece, and what of the file it needs.
 *
 * What nobody needs to show the piece is left out of it: only atoms that are
 * known here are written.  A track that ends before the piece begins is none
 * of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/mp4/mp4_priv.h"

#include "base/check.h"


enum {
    EDTS = 44,                     /* bytes of an edit list of ours */
    MORE = EDTS + 24,              /* that a track may have more of, with it
                                      and two entries of stsc */
    MDAT_HEAD = 16
};

/* Where an atom has its times, in bytes of its body: of version 0 and 1. */
typedef struct {
    uint8_t  timescale[2];
    uint8_t  duration[2];
    uint8_t  size[2];
} times;

static const times  of_movie = { { 12, 20 }, { 16, 24 }, { 20, 32 } };
static const times  of_track = { { 0, 0 }, { 20, 28 }, { 24, 36 } };

typedef struct {
    lun_mp4_bytes   mvhd;
    uint32_t        timescale;
    uint64_t        duration;
    lun_mp4_track   tracks[LUN_MP4_TRACKS];
    unsigned        count;
} film;


/* --- times --------------------------------------------------------------- */

/* The version, if the atom is large enough for it. */
static int
version_of(lun_mp4_bytes body, const times *at)
{
    int  version;

    if (lun_mp4_len(body) < 4) {
        return -1;
    }

    version = body.p[0] != 0;
    return lun_mp4_len(body) >= at->size[version] ? version : -1;
}


static bool
read_times(lun_mp4_bytes body, const times *at, uint32_t *timescale,
    uint64_t *duration)
{
    int             version = version_of(body, at);
    const uint8_t  *p;

    if (version < 0) {
        return false;
    }

    if (timescale != NULL) {
        *timescale = lun_mp4_u32(body.p + at->timescale[version]);
    }

    p = body.p + at->duration[version];
    *duration = version == 0 ? lun_mp4_u32(p) : lun_mp4_u64(p);
    return true;
}


/* The atom with another duration, which its version has room for. */
static void
write_times(lun_mp4_writer *w, uint32_t name, lun_mp4_bytes body,
    const times *at, uint64_t duration)
{
    int       version = version_of(body, at);
    uint8_t  *p, *begun = lun_mp4_begin(w, name);

    LUN_CHECK(version >= 0);           /* read_times() */
    p = w->p + at->duration[version];
    lun_mp4_write(w, body.p, lun_mp4_len(body));
    lun_mp4_end(w, begun);

    if (version == 0) {
        lun_mp4_put_u32(p, (uint32_t) lun_min(duration, (uint64_t) UINT32_MAX));

    } else {
        lun_mp4_put_u64(p, duration);
    }
}


static uint64_t
scaled(int64_t msec, uint32_t timescale)
{
    return (uint64_t) msec * timescale / 1000;
}


/* Of that duration the piece's; 0: it begins behind its end. */
static uint64_t
piece_of(const lun_mp4 *m, uint64_t duration, uint32_t timescale)
{
    uint64_t  start = scaled(m->start, timescale);

    if (duration <= start) {
        return 0;
    }

    duration -= start;

    return m->length == 0
           ? duration : lun_min(duration, scaled(m->length, timescale));
}


/* --- reading ------------------------------------------------------------- */

/* Atoms in any order; what is not known is left out of what is written. */
static lun_rc
read_minf(lun_mp4 *m, lun_mp4_track *t, lun_mp4_bytes minf)
{
    lun_rc        rc;
    lun_mp4_atom  a;

    while ((rc = lun_mp4_next(&minf, &a)) == LUN_OK) {
        switch (a.name) {

        case LUN_MP4_NAME('v', 'm', 'h', 'd'):
            t->vmhd = a.whole;
            break;

        case LUN_MP4_NAME('s', 'm', 'h', 'd'):
            t->smhd = a.whole;
            break;

        case LUN_MP4_NAME('d', 'i', 'n', 'f'):
            t->dinf = a.whole;
            break;

        case LUN_MP4_NAME('s', 't', 'b', 'l'):
            if (lun_mp4_read_tables(m, t, a.body) != LUN_OK) {
                return LUN_ERROR;
            }
        }
    }

    return rc == LUN_ERROR ? lun_mp4_fail(m, "minf atom is cut off") : LUN_OK;
}


static lun_rc
read_mdia(lun_mp4 *m, lun_mp4_track *t, lun_mp4_bytes mdia)
{
    lun_rc        rc;
    lun_mp4_atom  a;

    while ((rc = lun_mp4_next(&mdia, &a)) == LUN_OK) {
        switch (a.name) {

        case LUN_MP4_NAME('m', 'd', 'h', 'd'):
            t->mdhd = a.body;

            if (!read_times(a.body, &of_movie, &t->timescale,
                            &t->media_duration))
            {
                return lun_mp4_fail(m, "mdhd atom too small");
            }

            break;

        case LUN_MP4_NAME('h', 'd', 'l', 'r'):
            t->hdlr = a.whole;
            break;

        case LUN_MP4_NAME('m', 'i', 'n', 'f'):
            if (read_minf(m, t, a.body) != LUN_OK) {
                return LUN_ERROR;
            }
        }
    }

    return rc == LUN_ERROR ? lun_mp4_fail(m, "mdia atom is cut off") : LUN_OK;
}


static lun_rc
read_trak(lun_mp4 *m, lun_mp4_track *t, lun_mp4_bytes trak)
{
    lun_rc        rc;
    lun_mp4_atom  a;

    memset(t, 0, sizeof(*t));

    while ((rc = lun_mp4_next(&trak, &a)) == LUN_OK) {
        if (a.name == LUN_MP4_NAME('t', 'k', 'h', 'd')) {
            t->tkhd = a.body;

            if (!read_times(a.body, &of_track, NULL, &t->track_duration)) {
                return lun_mp4_fail(m, "tkhd atom too small");
            }

        } else if (a.name == LUN_MP4_NAME('m', 'd', 'i', 'a')
                   && read_mdia(m, t, a.body) != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return rc == LUN_ERROR ? lun_mp4_fail(m, "trak atom is cut off") : LUN_OK;
}


/*
 * A movie whose header is compressed can't be cut without unpacking it:
 * refused, as nginx does.
 */
static lun_rc
read_moov(lun_mp4 *m, film *movie)
{
    lun_rc         rc;
    lun_mp4_atom   a;
    lun_mp4_bytes  moov;

    moov.p = (const uint8_t *) m->moov.data;
    moov.end = moov.p + m->moov.len;

    while ((rc = lun_mp4_next(&moov, &a)) == LUN_OK) {
        switch (a.name) {

        case LUN_MP4_NAME('m', 'v', 'h', 'd'):
            movie->mvhd = a.body;

            if (!read_times(a.body, &of_movie, &movie->timescale,
                            &movie->duration))
            {
                return lun_mp4_fail(m, "mvhd atom too small");
            }

            break;

        case LUN_MP4_NAME('t', 'r', 'a', 'k'):
            if (movie->count == LUN_MP4_TRACKS) {
                return lun_mp4_fail(m, "too many mp4 trak atoms");
            }

            if (read_trak(m, &movie->tracks[movie->count], a.body) != LUN_OK) {
                return LUN_ERROR;
            }

            movie->count++;
            break;

        case LUN_MP4_NAME('c', 'm', 'o', 'v'):
            return lun_mp4_fail(m, "unsupported mp4 compressed moov atom");
        }
    }

    return rc == LUN_ERROR ? lun_mp4_fail(m, "moov atom is cut off") : LUN_OK;
}


/* --- choosing ------------------------------------------------------------ */

/* A track that has anything to show in the piece. */
static bool
is_part(const lun_mp4 *m, const film *movie, const lun_mp4_track *t)
{
    return t->stts.p != NULL && t->mdhd.p != NULL && t->tkhd.p != NULL
           && piece_of(m, t->media_duration, t->timescale) != 0
           && piece_of(m, t->track_duration, movie->timescale) != 0;
}


/*
 * The part of the file that is sent reaches from the first sample of any track
 * to the last of any.
 */
static lun_rc
choose_tracks(lun_mp4 *m, film *movie)
{
    unsigned  i, n = 0;

    m->from = INT64_MAX;
    m->to = m->length != 0 ? 0 : m->data_to;

    for (i = 0; i < movie->count; i++) {
        if (!is_part(m, movie, &movie->tracks[i])) {
            continue;
        }

        movie->tracks[n] = movie->tracks[i];

        if (lun_mp4_choose(m, &movie->tracks[n]) != LUN_OK) {
            return LUN_ERROR;
        }

        m->from = lun_min(m->from, movie->tracks[n].from);

        if (m->length != 0) {
            m->to = lun_max(m->to, movie->tracks[n].to);
        }

        n++;
    }

    movie->count = n;

    if (n == 0) {
        return lun_mp4_fail(m, "no mp4 trak atoms were found");
    }

    if (m->data_to <= m->data_from) {
        return lun_mp4_fail(m, "no mp4 mdat atom was found");
    }

    if (m->from < m->data_from || m->from >= m->to
        || m->to > m->data_to)
    {
        return lun_mp4_fail(m, "samples are out mp4 mdat atom");
    }

    return LUN_OK;
}


/* --- writing ------------------------------------------------------------- */

/* Shows the media only from `prefix` on. */
static void
write_edits(const lun_mp4_track *t, lun_mp4_writer *w, uint64_t duration)
{
    uint8_t  *edts = lun_mp4_begin(w, LUN_MP4_NAME('e', 'd', 't', 's'));
    uint8_t  *elst = lun_mp4_begin(w, LUN_MP4_NAME('e', 'l', 's', 't'));

    lun_mp4_write_u32(w, 1 << 24);     /* version 1: times of 64 bits */
    lun_mp4_write_u32(w, 1);
    lun_mp4_write_u64(w, duration);
    lun_mp4_write_u64(w, t->prefix);
    lun_mp4_write_u32(w, 1 << 16);     /* at its own rate */
    lun_mp4_end(w, elst);
    lun_mp4_end(w, edts);
}


static void
write_track(const lun_mp4 *m, const film *movie, lun_mp4_track *t,
    lun_mp4_writer *w)
{
    uint8_t   *mdia, *minf;
    uint64_t   duration = piece_of(m, t->track_duration, movie->timescale);
    uint8_t   *trak = lun_mp4_begin(w, LUN_MP4_NAME('t', 'r', 'a', 'k'));

    write_times(w, LUN_MP4_NAME('t', 'k', 'h', 'd'), t->tkhd, &of_track,
                duration);

    if (t->prefix != 0) {
        write_edits(t, w, duration);
    }

    mdia = lun_mp4_begin(w, LUN_MP4_NAME('m', 'd', 'i', 'a'));
    write_times(w, LUN_MP4_NAME('m', 'd', 'h', 'd'), t->mdhd, &of_movie,
                piece_of(m, t->media_duration, t->timescale) + t->prefix);
    lun_mp4_write(w, t->hdlr.p, lun_mp4_len(t->hdlr));

    minf = lun_mp4_begin(w, LUN_MP4_NAME('m', 'i', 'n', 'f'));
    lun_mp4_write(w, t->vmhd.p, lun_mp4_len(t->vmhd));
    lun_mp4_write(w, t->smhd.p, lun_mp4_len(t->smhd));
    lun_mp4_write(w, t->dinf.p, lun_mp4_len(t->dinf));
    lun_mp4_write_tables(t, w);

    lun_mp4_end(w, minf);
    lun_mp4_end(w, mdia);
    lun_mp4_end(w, trak);
}


/*
 * The chunks are where they were, and so much further; of the first one the
 * beginning may be left out, which a narrow table could not say before.
 */
static lun_rc
move_chunks(lun_mp4 *m, const lun_mp4_track *t, int64_t by)
{
    int64_t   at;
    size_t    i, entry = t->wide_chunks ? 8 : 4;
    uint8_t  *p = t->new_chunks;

    for (i = t->first_chunk; i <= t->last_chunk; i++, p += entry) {
        at = by + (i == t->first_chunk ? t->from : t->wide_chunks
                   ? (int64_t) lun_min(lun_mp4_u64(p),
                                       (uint64_t) INT64_MAX / 8)
                   : (int64_t) lun_mp4_u32(p));

        if (at < 0 || (!t->wide_chunks && at > UINT32_MAX)) {
            return lun_mp4_fail(m, "a chunk is out mp4 mdat atom");
        }

        if (t->wide_chunks) {
            lun_mp4_put_u64(p, (uint64_t) at);

        } else {
            lun_mp4_put_u32(p, (uint32_t) at);
        }
    }

    return LUN_OK;
}


static void
write_mdat_head(const lun_mp4 *m, lun_mp4_writer *w)
{
    int64_t  size = m->to - m->from;

    if (size + 8 <= UINT32_MAX) {
        lun_mp4_write_u32(w, (uint32_t) (size + 8));
        lun_mp4_write_u32(w, LUN_MP4_NAME('m', 'd', 'a', 't'));
        return;
    }

    lun_mp4_write_u32(w, 1);
    lun_mp4_write_u32(w, LUN_MP4_NAME('m', 'd', 'a', 't'));
    lun_mp4_write_u64(w, (uint64_t) size + MDAT_HEAD);
}


/*
 * What is written is at most what was read, but for one head for each level
 * and for what a track may have more of.
 */
static size_t
room_for(const lun_mp4 *m, const film *movie)
{
    return m->ftyp.len + 8 + m->moov.len + movie->count * (size_t) MORE
           + MDAT_HEAD;
}


/*
 * The new tables are written before it is known how long they are, and chunks
 * are moved by that length afterwards.
 */
lun_rc
lun_mp4_cut(lun_mp4 *m)
{
    film            *movie = lun_pool_zalloc(m->pool, sizeof(*movie));
    size_t           room;
    char            *head;
    uint8_t         *moov;
    unsigned         i;
    uint64_t         duration;
    lun_mp4_writer   w;

    if (read_moov(m, movie) != LUN_OK) {
        return LUN_ERROR;
    }

    duration = piece_of(m, movie->duration, movie->timescale);

    if (movie->mvhd.p != NULL && duration == 0) {
        return lun_mp4_fail(m, "start time exceeds file duration");
    }

    if (choose_tracks(m, movie) != LUN_OK) {
        return LUN_ERROR;
    }

    room = room_for(m, movie);
    head = lun_pool_alloc_try(m->pool, room);

    if (head == NULL) {
        return lun_mp4_fail(m, "no memory for mp4 moov atom");
    }

    w = (lun_mp4_writer) { (uint8_t *) head, (uint8_t *) head + room };
    lun_mp4_write(&w, m->ftyp.data, m->ftyp.len);
    moov = lun_mp4_begin(&w, LUN_MP4_NAME('m', 'o', 'o', 'v'));

    if (movie->mvhd.p != NULL) {
        write_times(&w, LUN_MP4_NAME('m', 'v', 'h', 'd'), movie->mvhd,
                    &of_movie, duration);
    }

    for (i = 0; i < movie->count; i++) {
        write_track(m, movie, &movie->tracks[i], &w);
    }

    lun_mp4_end(&w, moov);
    write_mdat_head(m, &w);
    m->head = lun_str_of(head, (size_t) ((char *) w.p - head));

    for (i = 0; i < movie->count; i++) {
        if (move_chunks(m, &movie->tracks[i],
                        (int64_t) m->head.len - m->from) != LUN_OK)
        {
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


int64_t
lun_mp4_bitrate(lun_str moov, int64_t size)
{
    uint32_t       timescale = 0;
    uint64_t       duration = 0;
    lun_mp4_atom   a;
    lun_mp4_bytes  s = { (const uint8_t *) moov.data,
                         (const uint8_t *) moov.data + moov.len };

    while (lun_mp4_next(&s, &a) == LUN_OK) {
        if (a.name == LUN_MP4_NAME('m', 'v', 'h', 'd')) {
            (void) read_times(a.body, &of_movie, &timescale, &duration);
        }
    }

    /* What nobody can send is as good as no limit. */
    return duration == 0
           ? 0 : (int64_t) lun_min((double) size / (double) duration
                                   * timescale, 1e15);
}
