/*
 * mp4_atoms.c -- atoms, read and written.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/mp4/mp4_priv.h"

#include "base/check.h"


uint32_t
lun_mp4_u32(const uint8_t *p)
{
    return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16
           | (uint32_t) p[2] << 8 | p[3];
}


uint64_t
lun_mp4_u64(const uint8_t *p)
{
    return (uint64_t) lun_mp4_u32(p) << 32 | lun_mp4_u32(p + 4);
}


void
lun_mp4_put_u32(uint8_t *p, uint32_t n)
{
    p[0] = (uint8_t) (n >> 24);
    p[1] = (uint8_t) (n >> 16);
    p[2] = (uint8_t) (n >> 8);
    p[3] = (uint8_t) n;
}


void
lun_mp4_put_u64(uint8_t *p, uint64_t n)
{
    lun_mp4_put_u32(p, (uint32_t) (n >> 32));
    lun_mp4_put_u32(p + 4, (uint32_t) n);
}


lun_rc
lun_mp4_next(lun_mp4_bytes *s, lun_mp4_atom *a)
{
    size_t    left = lun_mp4_len(*s), head = 8;
    uint64_t  size;

    if (left == 0) {
        return LUN_AGAIN;
    }

    if (left < 4) {
        return LUN_ERROR;
    }

    size = lun_mp4_u32(s->p);

    /* Some end a list of atoms with a size of nothing. */
    if (size == 0) {
        return LUN_AGAIN;
    }

    if (left < 8) {
        return LUN_ERROR;
    }

    if (size == 1) {
        head = 16;

        if (left < head) {
            return LUN_ERROR;
        }

        size = lun_mp4_u64(s->p + 8);
    }

    if (size < head || size > left) {
        return LUN_ERROR;
    }

    a->name = lun_mp4_u32(s->p + 4);
    a->whole = (lun_mp4_bytes) { s->p, s->p + size };
    a->body = (lun_mp4_bytes) { s->p + head, s->p + size };
    s->p += size;
    return LUN_OK;
}


void
lun_mp4_write(lun_mp4_writer *w, const void *data, size_t len)
{
    LUN_CHECK((size_t) (w->end - w->p) >= len);

    if (len != 0) {
        memcpy(w->p, data, len);
        w->p += len;
    }
}


void
lun_mp4_write_u32(lun_mp4_writer *w, uint32_t n)
{
    LUN_CHECK(w->end - w->p >= 4);
    lun_mp4_put_u32(w->p, n);
    w->p += 4;
}


void
lun_mp4_write_u64(lun_mp4_writer *w, uint64_t n)
{
    lun_mp4_write_u32(w, (uint32_t) (n >> 32));
    lun_mp4_write_u32(w, (uint32_t) n);
}


uint8_t *
lun_mp4_begin(lun_mp4_writer *w, uint32_t name)
{
    uint8_t  *begun = w->p;

    lun_mp4_write_u32(w, 0);
    lun_mp4_write_u32(w, name);
    return begun;
}


void
lun_mp4_end(lun_mp4_writer *w, uint8_t *begun)
{
    lun_mp4_put_u32(begun, (uint32_t) (w->p - begun));
}
