/*
 * image_head.c -- sizes of pictures, of whole ones and of what is left of
 * them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/image/image_head.c"

#include "tap.h"


#define BYTES(text)  LUN_STR_INIT(text)

static const struct {
    lun_str         data;
    lun_image_type  type;
    unsigned        width, height; /* 0: it does not say */
} pictures[] = {
    { BYTES("GIF89a\x2c\1\7\0\0\0\0\0\0\0"), LUN_IMAGE_GIF, 300, 7 },
    { BYTES("GIF88a\x2c\1\7\0\0\0\0\0\0\0"), LUN_IMAGE_NONE, 0, 0 },
    { BYTES("\x89PNG\r\n\x1a\n\0\0\0\xdIHDR\0\0\1\2\0\0\3\4"), LUN_IMAGE_PNG,
      258, 772 },
    { BYTES("\x89PNG\r\n\x1a\n\0\0\0\xdIHDR\0\1\1\2\0\0\3\4"), LUN_IMAGE_PNG,
      0, 0 },
    { BYTES("\xff\xd8\xff\xe0\0\4ab\xff\xff\xc4\0\3a\xff\xc2\0\x11\10\0\5\1\0"
            "\3"), LUN_IMAGE_JPEG, 256, 5 },
    { BYTES("\xff\xd8\xff\xe0\0\1ab\xff\xc0\0\x11\10\0\5\1\0\3"),
      LUN_IMAGE_JPEG, 0, 0 },
    { BYTES("\xff\xd8\xff\xe0\xff\xff" "ab\xff\xc0\0\x11\10\0\5\1\0\3"),
      LUN_IMAGE_JPEG, 0, 0 },

    /* What has no length is no segment: another frame would stand in it. */
    { BYTES("\xff\xd8\xff\0\0\4ab\xff\xc0\0\x11\10\0\5\1\0\3"),
      LUN_IMAGE_JPEG, 0, 0 },
    { BYTES("\xff\xd8\xff\1\0\4ab\xff\xc0\0\x11\10\0\5\1\0\3"),
      LUN_IMAGE_JPEG, 0, 0 },
    { BYTES("\xff\xd8\xff\xd0\0\4ab\xff\xc0\0\x11\10\0\5\1\0\3"),
      LUN_IMAGE_JPEG, 0, 0 },
    { BYTES("\xff\xd8\xff\xd9\0\4ab\xff\xc0\0\x11\10\0\5\1\0\3"),
      LUN_IMAGE_JPEG, 0, 0 },
    { BYTES("\x89PNG\r\n\x1a\n\0\0\0\xd" "abCd\0\0\1\2\0\0\3\4"),
      LUN_IMAGE_PNG, 0, 0 },

    { BYTES("RIFF\0\0\0\0WEBPVP8 \0\0\0\0abc\x9d\1\x2a\x10\0\x20\0"),
      LUN_IMAGE_WEBP, 16, 32 },
    { BYTES("RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x0f\0\0\x1f\0\0"),
      LUN_IMAGE_WEBP, 16, 32 },
    { BYTES("RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x0f\xc0\7\0abcde"),
      LUN_IMAGE_WEBP, 16, 32 },
    { BYTES("RIFF\0\0\0\0WEBPVP8?\0\0\0\0\x2f\x0f\xc0\7\0abcde"),
      LUN_IMAGE_WEBP, 0, 0 },
    { BYTES("RIFF\0\0\0\0WAVE\0\0\0\0"), LUN_IMAGE_NONE, 0, 0 },
    { BYTES("text that is no picture"), LUN_IMAGE_NONE, 0, 0 },
};


/* Which markers begin a frame, whose size is the picture's. */
static void
frames(void)
{
    int       marker;
    char      jpeg[] = "\xff\xd8\xff?\0\x11\10\0\5\1\0\3\1\1\21\0";
    unsigned  width, height, says = 0;

    for (marker = 0; marker < 256; marker++) {
        jpeg[3] = (char) marker;

        if (lun_image_size(lun_str_of(jpeg, sizeof(jpeg) - 1), LUN_IMAGE_JPEG,
                           &width, &height))
        {
            says |= 1u << (marker & 15);
            ok(marker >> 4 == 0xc && width == 256 && height == 5,
               "marker %x begins a frame", (unsigned) marker);
        }
    }

    is_int(says, 0xeeef, "all of those that do");
}


int
main(void)
{
    bool      says;
    size_t    i, n;
    lun_str   part;
    unsigned  width, height;

    for (i = 0; i < LUN_ARRAY_LEN(pictures); i++) {
        part = pictures[i].data;
        part.data = tap_edge(part.data, part.len);
        width = height = 0;
        is_int(lun_image_type_of(part), pictures[i].type, "%zu: its type", i);
        says = lun_image_size(part, pictures[i].type, &width, &height);
        is_int(says ? width : 0, pictures[i].width, "its width");
        is_int(says ? height : 0, pictures[i].height, "its height");

        /* No step beyond what there is. */
        for (n = 0; n < pictures[i].data.len; n++) {
            part = lun_str_of(tap_edge(pictures[i].data.data, n), n);
            (void) lun_image_type_of(part);
            (void) lun_image_size(part, pictures[i].type, &width, &height);
        }
    }

    frames();

    part = LUN_STR("\xff\xd8\xff\xda\xff\xff\xda\xff\0\xda\xff");
    is_int(lun_image_scans(lun_str_of(tap_edge(part.data, part.len),
                                      part.len)), 2, "scans");
    is_int(lun_image_scans(lun_str_of(part.data, 3)), 0, "of a part: none");
    is_int(lun_image_scans(lun_str_of(part.data, 1)), 0, "of a byte");
    is_int(lun_image_scans(LUN_STR("")), 0, "of nothing");

    return done_testing();
}
