/*
 * mp4.c -- any bytes as the index of a film, any piece of it: no step beyond,
 * and what is made is atoms, of bytes that the file has.
 *
 * Known attacks of this kind: CVE-2018-16845, CVE-2022-41741, CVE-2022-41742,
 * CVE-2024-7347, CVE-2026-27784, CVE-2026-32647.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/mp4/mp4_cut.c"


int  LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* ftyp, moov and the head of an mdat, nothing behind it. */
static void
look_at_head(const lun_mp4 *m)
{
    size_t         left;
    lun_mp4_atom   a;
    lun_mp4_bytes  s = { (const uint8_t *) m->head.data,
                         (const uint8_t *) m->head.data + m->head.len };

    LUN_CHECK(lun_mp4_next(&s, &a) == LUN_OK
              && a.name == LUN_MP4_NAME('m', 'o', 'o', 'v'));
    left = lun_mp4_len(s);
    LUN_CHECK(left == 8 || left == MDAT_HEAD);
    LUN_CHECK((left == 8 ? lun_mp4_u32(s.p) : lun_mp4_u64(s.p + 8))
              == (uint64_t) (m->to - m->from) + left);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char     *own;
    lun_mp4   m = { .data_from = 1000 };

    if (size < 6) {
        return 0;
    }

    m.start = (int64_t) (data[0] << 8 | data[1]) << (data[4] & 15);
    m.length = (int64_t) (data[2] << 8 | data[3]) << (data[4] >> 4 & 15);
    m.key_frame = data[5] & 1;
    m.data_to = (int64_t) 1000 << (data[5] >> 2 & 31);
    data += 6;
    size -= 6;

    /* Of its own length: a step beyond is seen. */
    own = lun_malloc(size + !size);
    memcpy(own, data, size);
    m.moov = lun_str_of(own, size);
    m.pool = lun_pool_new_sized(1024);

    if (lun_mp4_cut(&m) == LUN_OK) {
        LUN_CHECK(m.from >= m.data_from && m.to <= m.data_to
                  && m.from < m.to && m.why == NULL);
        look_at_head(&m);

    } else {
        LUN_CHECK(m.why != NULL);
    }

    LUN_CHECK(lun_mp4_bitrate(m.moov, m.data_to) >= 0);
    lun_pool_free(m.pool);
    lun_free(own);
    return 0;
}
