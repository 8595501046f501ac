/*
 * image_priv.h -- pictures: what a file says of itself, and what libgd makes
 * of it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_IMAGE_PRIV_H
#define LUN_IMAGE_PRIV_H

#include "base/pool.h"
#include "base/str.h"

typedef enum {
    LUN_IMAGE_NONE, LUN_IMAGE_JPEG, LUN_IMAGE_GIF, LUN_IMAGE_PNG,
    LUN_IMAGE_WEBP
} lun_image_type;

enum {
    LUN_IMAGE_HEAD = 16,           /* bytes that tell the type */
    LUN_IMAGE_PIXELS = 1 << 26,    /* of one that is unpacked */
    LUN_IMAGE_SCANS = 100          /* and how often all of them are gone over */
};

/* "jpeg"; "image/jpeg". */
const char *lun_image_name(lun_image_type type);

/* By its first bytes. */
lun_image_type lun_image_type_of(lun_str data);

/* What it says its size is; false: it does not. */
bool lun_image_size(lun_str data, lun_image_type type, unsigned *width,
    unsigned *height);

/* How often a JPEG goes over its pixels, or a little more. */
size_t lun_image_scans(lun_str data);

typedef enum { LUN_IMAGE_RESIZE, LUN_IMAGE_CROP, LUN_IMAGE_ROTATE }
    lun_image_deed;

typedef struct {
    lun_image_deed  deed;
    unsigned        width, height; /* at most */
    unsigned        angle;         /* 0, 90, 180, 270: against the clock */
    unsigned        jpeg_quality, webp_quality, sharpen;
    bool            transparency, interlace;
} lun_image_order;

/* ERROR: *why says which library is missing. */
lun_rc lun_image_load(const char **why);

/*
 * Another picture of the same type, in the pool; LUN_AGAIN: it need not be
 * changed.  ERROR: *why.
 */
lun_rc lun_image_change(lun_pool *pool, lun_str data, lun_image_type type,
    const lun_image_order *order, lun_str *out, const char **why);

#endif
