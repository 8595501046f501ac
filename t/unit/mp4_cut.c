/*
 * mp4_cut.c -- pieces of a film, for any start and end: each sample of a piece
 * is that of the film, at its time; and films that are cut off or wrong.
 *
 * The film has pictures (100 ms each, the first and the sixth stand alone, of
 * several sizes) and sound (50 ms, of one size), in turn.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/mp4/mp4_cut.c"

#include "tap.h"


enum {
    PICTURES = 10, SOUNDS = 20, SOUND_SIZE = 4,
    ROOM = 8192, DATA = 5000,      /* where mdat's data begin */
    PICTURE_TIME = 100, SOUND_TIME = 25    /* of 1000 and of 500 a second */
};

static uint8_t   film_moov[ROOM], film_data[ROOM];
static size_t    moov_len, data_len;
static bool      wide;             /* numbers of 64 bits, and heads */
static uint8_t   piece[2 * ROOM];
static size_t    piece_len;


/* --- the film --- */

/* Bytes that tell which sample they are of. */
static uint8_t
mark_of(unsigned track, unsigned sample)
{
    return (uint8_t) (track << 6 | sample);
}


static size_t
size_of(unsigned track, unsigned sample)
{
    return track == 1 ? SOUND_SIZE : 10 + sample;
}


static void
put(lun_mp4_writer *w, uint32_t name, unsigned count, const uint32_t *n)
{
    unsigned   i;
    uint8_t   *begun = lun_mp4_begin(w, name);

    if (wide) {
        lun_mp4_put_u32(begun, 1);
        lun_mp4_write_u64(w, 16 + 4 * (uint64_t) count);
    }

    for (i = 0; i < count; i++) {
        lun_mp4_write_u32(w, n[i]);
    }

    if (!wide) {
        lun_mp4_end(w, begun);
    }
}

#define PUT(w, a, b, c, d, ...)                                               \
    put(w, LUN_MP4_NAME(a, b, c, d),                                          \
        sizeof((uint32_t[]) { __VA_ARGS__ }) / 4, (uint32_t[]) { __VA_ARGS__ })


/* So many samples of a track, as a chunk. */
static uint32_t
add_chunk(unsigned track, unsigned *sample, unsigned count)
{
    size_t    size;
    uint32_t  at = (uint32_t) (DATA + data_len);

    for ( ; count != 0; count--, (*sample)++) {
        size = size_of(track, *sample);
        memset(film_data + data_len, mark_of(track, *sample), size);
        data_len += size;
    }

    return at;
}


static void
put_chunks(lun_mp4_writer *w, const uint32_t at[4])
{
    if (wide) {
        PUT(w, 'c', 'o', '6', '4', 0, 4, 0, at[0], 0, at[1], 0, at[2], 0,
            at[3]);

    } else {
        PUT(w, 's', 't', 'c', 'o', 0, 4, at[0], at[1], at[2], at[3]);
    }
}


static void
put_tables(lun_mp4_writer *w, unsigned track, const uint32_t chunks[4])
{
    uint8_t  *stbl = lun_mp4_begin(w, LUN_MP4_NAME('s', 't', 'b', 'l'));

    PUT(w, 's', 't', 's', 'd', 0, 0);

    if (track == 0) {
        PUT(w, 's', 't', 't', 's', 0, 2, 4, PICTURE_TIME, 6, PICTURE_TIME);
        PUT(w, 's', 't', 's', 's', 0, 2, 1, 6);
        PUT(w, 'c', 't', 't', 's', 0, 3, 1, 7, 8, 8, 1, 9);
        PUT(w, 's', 't', 's', 'c', 0, 2, 1, 3, 1, 3, 2, 1);
        PUT(w, 's', 't', 's', 'z', 0, 0, 10, 10, 11, 12, 13, 14, 15, 16, 17,
            18, 19);

    } else {
        PUT(w, 's', 't', 't', 's', 0, 1, 20, SOUND_TIME);
        PUT(w, 's', 't', 's', 'c', 0, 1, 1, 5, 1);
        PUT(w, 's', 't', 's', 'z', 0, SOUND_SIZE, 20);
    }

    put_chunks(w, chunks);
    lun_mp4_end(w, stbl);
}


static void
put_track(lun_mp4_writer *w, unsigned track, const uint32_t chunks[4])
{
    uint8_t  *mdia, *minf;
    uint8_t  *trak = lun_mp4_begin(w, LUN_MP4_NAME('t', 'r', 'a', 'k'));


    if (wide) {
        PUT(w, 't', 'k', 'h', 'd', 1 << 24, 0, 0, 0, 0, track + 1, 0, 0, 1000);

    } else {
        PUT(w, 't', 'k', 'h', 'd', 0, 0, 0, track + 1, 0, 1000);
    }

    PUT(w, 'u', 'd', 't', 'a', 1, 2, 3);
    mdia = lun_mp4_begin(w, LUN_MP4_NAME('m', 'd', 'i', 'a'));

    if (wide) {
        PUT(w, 'm', 'd', 'h', 'd', 1 << 24, 0, 0, 0, 0,
            track == 0 ? 1000 : 500, 0, track == 0 ? 1000 : 500, 0);

    } else {
        PUT(w, 'm', 'd', 'h', 'd', 0, 0, 0, track == 0 ? 1000 : 500,
            track == 0 ? 1000 : 500, 0);
    }

    PUT(w, 'h', 'd', 'l', 'r', 0);
    minf = lun_mp4_begin(w, LUN_MP4_NAME('m', 'i', 'n', 'f'));
    PUT(w, 'd', 'i', 'n', 'f', 0);
    put_tables(w, track, chunks);
    lun_mp4_end(w, minf);
    lun_mp4_end(w, mdia);
    lun_mp4_end(w, trak);
}


static void
make_film(void)
{
    unsigned         i, pictures = 0, sounds = 0;
    uint32_t         chunks[2][4];
    lun_mp4_writer   w = { film_moov, film_moov + ROOM };

    data_len = 0;

    for (i = 0; i < 4; i++) {
        chunks[0][i] = add_chunk(0, &pictures, i < 2 ? 3 : 2);
        chunks[1][i] = add_chunk(1, &sounds, 5);
    }

    if (wide) {
        PUT(&w, 'm', 'v', 'h', 'd', 1 << 24, 0, 0, 0, 0, 600, 0, 600, 0);

    } else {
        PUT(&w, 'm', 'v', 'h', 'd', 0, 0, 0, 600, 600, 0);
    }

    put_track(&w, 0, chunks[0]);
    put_track(&w, 1, chunks[1]);
    moov_len = (size_t) (w.p - film_moov);
}


/* --- a piece --- */

/* Its bytes; NULL: there is none, and why. */
static const char *
cut(lun_pool *pool, int64_t start, int64_t length, bool key)
{
    lun_mp4  m = { .pool = pool, .start = start, .length = length,
                   .key_frame = key, .ftyp = LUN_STR("\0\0\0\10ftyp"),
                   .data_from = DATA,
                   .data_to = DATA + (int64_t) data_len };

    m.moov = lun_str_of((char *) film_moov, moov_len);

    if (lun_mp4_cut(&m) != LUN_OK) {
        return m.why;
    }

    piece_len = m.head.len + (size_t) (m.to - m.from);
    LUN_CHECK(piece_len <= sizeof(piece));
    memcpy(piece, m.head.data, m.head.len);
    memcpy(piece + m.head.len, film_data + (m.from - DATA),
           (size_t) (m.to - m.from));
    return NULL;
}


/* The body of the n'th atom of that name, however deep; p NULL: none. */
static lun_mp4_bytes
find_atom(lun_mp4_bytes in, uint32_t name, unsigned n)
{
    unsigned       i = 0;
    lun_mp4_atom   a;
    lun_mp4_bytes  none = { NULL, NULL }, found;

    while (lun_mp4_next(&in, &a) == LUN_OK) {
        if (a.name == name && i++ == n) {
            return a.body;
        }

        if (memchr("mtes", a.whole.p[4], 4) != NULL
            && a.name != LUN_MP4_NAME('m', 'd', 'a', 't'))
        {
            found = find_atom(a.body, name, n);

            if (found.p != NULL) {
                return found;
            }
        }
    }

    return none;
}


/* The value of a table of counts for that sample. */
static uint32_t
value_at(lun_mp4_bytes table, uint32_t sample)
{
    uint32_t        i, n = lun_mp4_u32(table.p + 4);
    const uint8_t  *p = table.p + 8;

    for (i = 0; i < n; i++, p += 8) {
        if (sample < lun_mp4_u32(p)) {
            return lun_mp4_u32(p + 4);
        }

        sample -= lun_mp4_u32(p);
    }

    return UINT32_MAX;
}


/* Samples in that chunk of the piece. */
static uint32_t
samples_in(lun_mp4_bytes stsc, uint32_t chunk)
{
    uint32_t        i, each = 0, n = lun_mp4_u32(stsc.p + 4);
    const uint8_t  *p = stsc.p + 8;

    for (i = 0; i < n && lun_mp4_u32(p) <= chunk + 1; i++, p += 12) {
        each = lun_mp4_u32(p + 4);
    }

    return each;
}


/* Every sample of a track lies where its tables say. */
static bool
is_right(lun_mp4_bytes trak, unsigned track, uint32_t first, uint32_t behind)
{
    size_t          size, i;
    uint64_t        at;
    uint32_t        chunk, left, sample = first, chunks;
    lun_mp4_bytes   stsc, stsz, stco;

    stsc = find_atom(trak, LUN_MP4_NAME('s', 't', 's', 'c'), 0);
    stsz = find_atom(trak, LUN_MP4_NAME('s', 't', 's', 'z'), 0);
    stco = find_atom(trak, wide ? LUN_MP4_NAME('c', 'o', '6', '4')
                                : LUN_MP4_NAME('s', 't', 'c', 'o'), 0);
    chunks = lun_mp4_u32(stco.p + 4);

    if (lun_mp4_u32(stsz.p + 8) != behind - first) {
        return false;
    }

    for (chunk = 0; chunk < chunks; chunk++) {
        at = wide ? lun_mp4_u64(stco.p + 8 + chunk * 8)
                  : lun_mp4_u32(stco.p + 8 + chunk * 4);

        for (left = samples_in(stsc, chunk); left != 0; left--, sample++) {
            size = size_of(track, sample);

            if (track == 0
                && lun_mp4_u32(stsz.p + 12 + (sample - first) * 4) != size)
            {
                return false;
            }

            for (i = 0; i < size; i++, at++) {
                if (at >= piece_len || piece[at] != mark_of(track, sample)) {
                    return false;
                }
            }
        }
    }

    return sample == behind;
}


static bool
times_are_right(lun_mp4_bytes trak, uint32_t first, uint32_t behind)
{
    uint32_t       i, keys = 0;
    lun_mp4_bytes  stts, ctts, stss;

    stts = find_atom(trak, LUN_MP4_NAME('s', 't', 't', 's'), 0);
    ctts = find_atom(trak, LUN_MP4_NAME('c', 't', 't', 's'), 0);
    stss = find_atom(trak, LUN_MP4_NAME('s', 't', 's', 's'), 0);

    for (i = first; i < behind; i++) {
        if (value_at(stts, i - first) != PICTURE_TIME
            || value_at(ctts, i - first) != (i == 0 ? 7u : i == 9 ? 9u : 8u))
        {
            return false;
        }

        if (i == 0 || i == 5) {
            if (lun_mp4_u32(stss.p + 8 + keys * 4) != i - first + 1) {
                return false;
            }

            keys++;
        }
    }

    return value_at(stts, behind - first) == UINT32_MAX
           && lun_mp4_u32(stss.p + 4) == keys;
}


static void
any_piece_is_right(bool key)
{
    int64_t         start, length;
    uint32_t        first, behind, prefix;
    lun_pool       *pool;
    const char     *why;
    lun_mp4_bytes   whole, video, sound, edts;

    for (start = 0; start < 1000; start += 37) {
        for (length = 0; length < 1100; length += 61) {
            pool = lun_pool_new_sized(4096);
            why = cut(pool, start, length, key);
            LUN_CHECK(why == NULL);

            whole = (lun_mp4_bytes) { piece, piece + piece_len };
            video = find_atom(whole, LUN_MP4_NAME('t', 'r', 'a', 'k'), 0);
            sound = find_atom(whole, LUN_MP4_NAME('t', 'r', 'a', 'k'), 1);
            edts = find_atom(video, LUN_MP4_NAME('e', 'l', 's', 't'), 0);

            first = (uint32_t) start / 100;
            behind = length == 0 ? PICTURES
                     : lun_min((uint32_t) (start + length) / 100,
                               (uint32_t) PICTURES);
            behind = lun_max(behind, first + 1);
            prefix = key && first != 0 && first != 5
                     ? (uint32_t) start - (first > 5 ? 500 : 0) : 0;
            first = !key ? first : first < 5 ? 0 : 5;

            if (!is_right(video, 0, first, behind)
                || !times_are_right(video, first, behind))
            {
                ok(false, "pictures from %d, %d ms", (int) start,
                   (int) length);
            }

            if ((prefix == 0) != (edts.p == NULL)
                || (prefix != 0 && lun_mp4_u64(edts.p + 16) != prefix))
            {
                ok(false, "%u ms of them not shown", prefix);
            }

            first = (uint32_t) start / 50;
            behind = length == 0 ? SOUNDS
                     : lun_min((uint32_t) (start + length) / 50,
                               (uint32_t) SOUNDS);

            if (!is_right(sound, 1, first, lun_max(behind, first + 1))) {
                ok(false, "sound from %d, %d ms", (int) start, (int) length);
            }

            lun_pool_free(pool);
        }
    }

    ok(true, "any piece is right%s", key ? ", from a frame that stands alone"
                                         : "");
}


static void
durations_are_the_piece(void)
{
    lun_pool       *pool = lun_pool_new_sized(4096);
    lun_mp4_bytes   whole, a;

    LUN_CHECK(cut(pool, 250, 500, false) == NULL);
    whole = (lun_mp4_bytes) { piece, piece + piece_len };

    a = find_atom(whole, LUN_MP4_NAME('m', 'v', 'h', 'd'), 0);
    is_int(wide ? (int64_t) lun_mp4_u64(a.p + 24) : lun_mp4_u32(a.p + 16), 300,
           "of the film");
    a = find_atom(whole, LUN_MP4_NAME('t', 'k', 'h', 'd'), 0);
    is_int(wide ? (int64_t) lun_mp4_u64(a.p + 28) : lun_mp4_u32(a.p + 20), 300,
           "of a track");
    a = find_atom(whole, LUN_MP4_NAME('m', 'd', 'h', 'd'), 0);
    is_int(wide ? (int64_t) lun_mp4_u64(a.p + 24) : lun_mp4_u32(a.p + 16), 500,
           "of pictures");
    a = find_atom(whole, LUN_MP4_NAME('m', 'd', 'a', 't'), 0);
    ok(a.end == whole.end, "mdat is the rest");
    ok(find_atom(whole, LUN_MP4_NAME('u', 'd', 't', 'a'), 0).p == NULL,
       "what is not known is left out");

    lun_pool_free(pool);
}


static void
says_why_there_is_none(void)
{
    lun_pool  *pool = lun_pool_new_sized(4096);

    is_str(cut(pool, 1000, 0, false), "start time exceeds file duration",
           "behind its end");
    is_str(cut(pool, INT32_MAX, INT32_MAX, true),
           "start time exceeds file duration", "far behind it");

    data_len -= 100;
    is_str(cut(pool, 900, 50, false), "samples are out mp4 mdat atom",
           "data that are not there");
    data_len += 100;

    /* The first atom, "mvhd". */
    lun_mp4_put_u32(film_moov, 1);
    lun_mp4_put_u64(film_moov + 8, 32);
    is_str(cut(pool, 100, 0, false), "mvhd atom too small",
           "a head of 64 bits, and a body without a duration");
    make_film();

    lun_pool_free(pool);
}


/* A chunk just below 4 GB whose first samples are left out. */
static void
first_chunk_may_begin_later(void)
{
    uint8_t        at[8] = { 0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 0x70 };
    lun_mp4        m = { 0 };
    lun_mp4_track  t = { .last_chunk = 1, .new_chunks = at,
                         .from = INT64_C(0x100000010) };

    is_int(move_chunks(&m, &t, -INT64_C(0x100000000) + 0x20), LUN_ERROR,
           "a chunk before the piece");
    t.last_chunk = 0;
    is_int(move_chunks(&m, &t, -INT64_C(0x100000000) + 0x20), LUN_OK,
           "what is beyond 4 GB is not beyond it in the piece");
    is_int(lun_mp4_u32(at), 0x30, "and is where it is said to be");
}


/* Cut off anywhere, with anything in place of any number: no step beyond. */
static void
reads_nothing_else(void)
{
    static const uint32_t  odd[] = { 0, 1, 7, 8, 9, 16, 0x7fffffff,
                                     0x80000000, 0xffffffff };

    size_t     i, j;
    uint8_t    kept[4];
    unsigned   good = 0;
    lun_pool  *pool;
    lun_mp4    m;

    for (i = 0; i < moov_len; i++) {
        pool = lun_pool_new_sized(4096);
        m = (lun_mp4) { .pool = pool, .start = 300, .length = 300,
                        .key_frame = true, .data_from = DATA,
                        .data_to = DATA + (int64_t) data_len };
        m.moov = lun_str_of(tap_edge((char *) film_moov, i), i);
        good += lun_mp4_cut(&m) == LUN_OK;
        (void) lun_mp4_bitrate(m.moov, 1000);
        lun_pool_free(pool);
    }

    ok(good <= 2, "an index that is cut off: %u", good);

    for (i = 0; i + 4 <= moov_len; i++) {
        memcpy(kept, film_moov + i, 4);

        for (j = 0; j < LUN_ARRAY_LEN(odd); j++) {
            lun_mp4_put_u32(film_moov + i, odd[j]);
            pool = lun_pool_new_sized(4096);
            m = (lun_mp4) { .pool = pool, .start = 300, .length = 300,
                            .data_from = DATA,
                            .data_to = DATA + (int64_t) data_len };
            m.moov = lun_str_of((char *) film_moov, moov_len);
            good += lun_mp4_cut(&m) == LUN_OK;
            (void) lun_mp4_bitrate(m.moov, INT64_MAX / 2);
            lun_pool_free(pool);
        }

        memcpy(film_moov + i, kept, 4);
    }

    ok(good > 100, "numbers that are anything: %u", good);
}


int
main(void)
{
    for (wide = false; ; wide = true) {
        make_film();
        any_piece_is_right(false);
        any_piece_is_right(true);
        durations_are_the_piece();
        says_why_there_is_none();
        reads_nothing_else();
        first_chunk_may_begin_later();
        is_int(lun_mp4_bitrate(lun_str_of((char *) film_moov, moov_len), 5000),
               5000, "bytes a second");

        if (wide) {
            break;
        }
    }

    return done_testing();
}
