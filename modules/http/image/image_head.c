/*
 * image_head.c -- what the first bytes of a picture say of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/image/image_priv.h"


static const char *const  names[] = {
    "", "image/jpeg", "image/gif", "image/png", "image/webp"
};


const char *
lun_image_name(lun_image_type type)
{
    return names[type];
}


lun_image_type
lun_image_type_of(lun_str d)
{
    if (d.len < LUN_IMAGE_HEAD) {
        return LUN_IMAGE_NONE;
    }

    if (memcmp(d.data, "\xff\xd8", 2) == 0) {
        return LUN_IMAGE_JPEG;
    }

    if (memcmp(d.data, "GIF87a", 6) == 0 || memcmp(d.data, "GIF89a", 6) == 0) {
        return LUN_IMAGE_GIF;
    }

    if (memcmp(d.data, "\x89PNG\r\n\x1a\n", 8) == 0) {
        return LUN_IMAGE_PNG;
    }

    return memcmp(d.data, "RIFF", 4) == 0 && memcmp(d.data + 8, "WEBP", 4) == 0
           ? LUN_IMAGE_WEBP : LUN_IMAGE_NONE;
}


static unsigned
big(const uint8_t *p)
{
    return (unsigned) p[0] << 8 | p[1];
}


static unsigned
little(const uint8_t *p)
{
    return (unsigned) p[1] << 8 | p[0];
}


/*
 * Markers, each with its length, up to the first that begins a frame: 0xc0 to
 * 0xcf, but for three that are tables.  Those that have no length may not come
 * before it: who decodes the picture goes on right behind them, where another
 * frame may stand.
 */
static bool
jpeg_size(const uint8_t *p, const uint8_t *end, unsigned *width,
    unsigned *height)
{
    unsigned  marker, len;

    for (p += 2; end - p >= 9; p += len + 2) {
        while (end - p >= 9 && p[0] == 0xff && p[1] == 0xff) {
            p++;
        }

        if (p[0] != 0xff || end - p < 9) {
            return false;
        }

        marker = p[1];
        len = big(p + 2);

        if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4
            && marker != 0xc8 && marker != 0xcc)
        {
            *height = big(p + 5);
            *width = big(p + 7);
            return true;
        }

        if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda) || len < 2
            || (size_t) (end - p) < len + 2)
        {
            return false;
        }
    }

    return false;
}


static bool
webp_size(const uint8_t *p, const uint8_t *end, unsigned *width,
    unsigned *height)
{
    if (end - p < 30) {
        return false;
    }

    if (memcmp(p + 12, "VP8 ", 4) == 0) {
        *width = little(p + 26) & 0x3fff;
        *height = little(p + 28) & 0x3fff;
        return memcmp(p + 23, "\x9d\x01\x2a", 3) == 0;
    }

    if (memcmp(p + 12, "VP8L", 4) == 0) {
        *width = (little(p + 21) & 0x3fff) + 1;
        *height = (((unsigned) p[24] & 0xf) << 10 | (unsigned) p[23] << 2
                   | p[22] >> 6) + 1;
        return p[20] == 0x2f;
    }

    if (memcmp(p + 12, "VP8X", 4) == 0) {
        *width = (little(p + 24) | (unsigned) p[26] << 16) + 1;
        *height = (little(p + 27) | (unsigned) p[29] << 16) + 1;
        return true;
    }

    return false;
}


bool
lun_image_size(lun_str d, lun_image_type type, unsigned *width,
    unsigned *height)
{
    const uint8_t  *p = (const uint8_t *) d.data, *end = p + d.len;

    if (d.len < LUN_IMAGE_HEAD) {
        return false;
    }

    switch (type) {

    case LUN_IMAGE_JPEG:
        return jpeg_size(p, end, width, height);

    case LUN_IMAGE_GIF:
        *width = little(p + 6);
        *height = little(p + 8);
        return true;

    case LUN_IMAGE_PNG:
        /* Another chunk in front of it is passed over when it is decoded. */
        if (d.len < 24 || memcmp(p + 12, "IHDR", 4) != 0 || big(p + 16) != 0
            || big(p + 20) != 0)
        {
            return false;
        }

        *width = big(p + 18);
        *height = big(p + 22);
        return true;

    case LUN_IMAGE_WEBP:
        return webp_size(p, end, width, height);

    default:
        return false;
    }
}


/* In packed pixels a byte of 0xff has a zero behind it. */
size_t
lun_image_scans(lun_str d)
{
    size_t       n = 0;
    const char  *p = d.data, *end = d.data + d.len;

    while (end - p >= 2
           && (p = memchr(p, 0xff, (size_t) (end - p - 1))) != NULL)
    {
        n += (uint8_t) p[1] == 0xda;
        p++;
    }

    return n;
}
