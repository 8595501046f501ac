/*
 * image_gd.c -- pictures made by libgd, which is looked for when a
 * configuration asks for that: neither build nor start need it.
 *
 * Of its struct the first members are used, which have been the same since its
 * version 2.0.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/image/image_priv.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "os/library.h"


typedef struct {
    unsigned char  **pixels;
    int              width, height;
    int              colors;       /* 0: each pixel has its own */
    int              red[256], green[256], blue[256], open[256];
    int              transparent;  /* a colour, or -1 */
} gd_image;

typedef void say_fn(int level, const char *fmt, va_list args);

static struct {
    lun_library  *library;
    gd_image   *(*from_jpeg)(int size, void *data);
    gd_image   *(*from_gif)(int size, void *data);
    gd_image   *(*from_png)(int size, void *data);
    gd_image   *(*from_webp)(int size, void *data);
    void       *(*to_jpeg)(gd_image *, int *size, int quality);
    void       *(*to_gif)(gd_image *, int *size);
    void       *(*to_png)(gd_image *, int *size);
    void       *(*to_webp)(gd_image *, int *size, int quality);
    gd_image   *(*create)(int width, int height);
    gd_image   *(*create_true)(int width, int height);
    void        (*destroy)(gd_image *);
    void        (*free)(void *);
    void        (*copy)(gd_image *to, gd_image *from, int, int, int, int, int,
                        int);
    void        (*resample)(gd_image *to, gd_image *from, int, int, int, int,
                            int, int, int, int);
    void        (*copy_palette)(gd_image *to, gd_image *from);
    void        (*to_palette)(gd_image *, int dither, int colors);
    int         (*get)(gd_image *, int x, int y);
    void        (*set)(gd_image *, int x, int y, int color);
    int         (*exact)(gd_image *, int red, int green, int blue);
    void        (*set_transparent)(gd_image *, int color);
    void        (*set_alpha)(gd_image *, int save);
    void        (*set_blending)(gd_image *, int blend);
    void        (*set_interlace)(gd_image *, int on);
    void        (*sharpen)(gd_image *, int percent);
    void        (*on_error)(say_fn *);
} gd;

static const struct {
    const char  *name;
    void        *at;
    bool         optional;
} symbols[] = {
    { "gdImageCreateFromJpegPtr", &gd.from_jpeg, true },
    { "gdImageCreateFromGifPtr", &gd.from_gif, false },
    { "gdImageCreateFromPngPtr", &gd.from_png, true },
    { "gdImageCreateFromWebpPtr", &gd.from_webp, true },
    { "gdImageJpegPtr", &gd.to_jpeg, true },
    { "gdImageGifPtr", &gd.to_gif, false },
    { "gdImagePngPtr", &gd.to_png, true },
    { "gdImageWebpPtrEx", &gd.to_webp, true },
    { "gdImageCreate", &gd.create, false },
    { "gdImageCreateTrueColor", &gd.create_true, false },
    { "gdImageDestroy", &gd.destroy, false },
    { "gdFree", &gd.free, false },
    { "gdImageCopy", &gd.copy, false },
    { "gdImageCopyResampled", &gd.resample, false },
    { "gdImagePaletteCopy", &gd.copy_palette, false },
    { "gdImageTrueColorToPalette", &gd.to_palette, false },
    { "gdImageGetPixel", &gd.get, false },
    { "gdImageSetPixel", &gd.set, false },
    { "gdImageColorExact", &gd.exact, false },
    { "gdImageColorTransparent", &gd.set_transparent, false },
    { "gdImageSaveAlpha", &gd.set_alpha, false },
    { "gdImageAlphaBlending", &gd.set_blending, false },
    { "gdImageInterlace", &gd.set_interlace, false },
    { "gdImageSharpen", &gd.sharpen, false },
    { "gdSetErrorMethod", &gd.on_error, true },
};

static const char *const  files[] = {
    "libgd.so.3", "libgd.dll", "gd.dll", "bgd.dll"
};


/* Else it would write to standard error. */
static void  on_word(int level, const char *fmt, va_list args)
                 __attribute__((format(printf, 2, 0)));

static void
on_word(int level, const char *fmt, va_list args)
{
    int   n;
    char  text[512];

    n = vsnprintf(text, sizeof(text), fmt, args);
    n = lun_min(n, (int) sizeof(text) - 1);

    while (n > 0 && (unsigned char) text[n - 1] <= ' ') {
        n--;
    }

    if (n > 0) {
        lun_log(LUN_LOG_INFO, NULL, 0, "image filter: libgd says \"%.*s\"",
                n, text);
    }
}


/*
 * libgd is loaded when a configuration has use for it, so nobody else needs to
 * have it installed.
 */
lun_rc
lun_image_load(const char **why)
{
    void         *symbol;
    size_t        i;
    lun_err       err;
    lun_library  *library = NULL;

    if (gd.library != NULL) {
        return LUN_OK;
    }

    for (i = 0; i < LUN_ARRAY_LEN(files) && library == NULL; i++) {
        library = lun_library_open(files[i], &err);
    }

    if (library == NULL) {
        *why = "the library libgd is not here (libgd.so.3, of the package "
               "libgd3; libgd.dll beside the program)";
        return LUN_ERROR;
    }

    for (i = 0; i < LUN_ARRAY_LEN(symbols); i++) {
        symbol = lun_library_symbol(library, symbols[i].name);
        memcpy(symbols[i].at, &symbol, sizeof(symbol));

        if (symbol == NULL && !symbols[i].optional) {
            *why = "the library libgd that is here is too old";
            return LUN_ERROR;
        }
    }

    if (gd.on_error != NULL) {
        gd.on_error(on_word);
    }

    gd.library = library;
    return LUN_OK;
}


/* --- in and out ---------------------------------------------------------- */

static gd_image *
unpack(lun_str data, lun_image_type type)
{
    gd_image  *(*const from[])(int, void *) = {
        NULL, gd.from_jpeg, gd.from_gif, gd.from_png, gd.from_webp
    };

    return from[type] == NULL || data.len > INT32_MAX
           ? NULL : from[type]((int) data.len, (void *) (uintptr_t) data.data);
}


static void *
pack(gd_image *image, lun_image_type type, const lun_image_order *order,
    int *size)
{
    switch (type) {

    case LUN_IMAGE_JPEG:
        return gd.to_jpeg == NULL
               ? NULL : gd.to_jpeg(image, size, (int) order->jpeg_quality);

    case LUN_IMAGE_GIF:
        return gd.to_gif(image, size);

    case LUN_IMAGE_PNG:
        return gd.to_png == NULL ? NULL : gd.to_png(image, size);

    default:
        return gd.to_webp == NULL
               ? NULL : gd.to_webp(image, size, (int) order->webp_quality);
    }
}


/* --- changes ------------------------------------------------------------- */

/* An empty one of the same kind of colours. */
static gd_image *
new_like(gd_image *from, int width, int height)
{
    gd_image  *to = from->colors != 0 ? gd.create(width, height)
                                      : gd.create_true(width, height);

    if (to != NULL && from->colors == 0) {
        gd.set_alpha(to, 1);
        gd.set_blending(to, 0);
    }

    if (to != NULL && from->colors != 0) {
        gd.copy_palette(to, from);
    }

    return to;
}


/* The size that fits: into the order's, or what is left over is cut off. */
static bool
fit(const lun_image_order *order, int *width, int *height)
{
    int64_t  w = *width, h = *height;
    int64_t  most_w = order->width, most_h = order->height;
    bool     by_width;

    if (order->deed == LUN_IMAGE_ROTATE) {
        return false;
    }

    if (order->deed == LUN_IMAGE_RESIZE) {
        if (w > most_w) {
            h = lun_max(h * most_w / w, (int64_t) 1);
            w = most_w;
        }

        if (h > most_h) {
            w = lun_max(w * most_h / h, (int64_t) 1);
            h = most_h;
        }

    } else {
        by_width = w * most_h < h * most_w;

        if (by_width && w > most_w) {
            h = lun_max(h * most_w / w, (int64_t) 1);
            w = most_w;

        } else if (!by_width && h > most_h) {
            w = lun_max(w * most_h / h, (int64_t) 1);
            h = most_h;
        }
    }

    if (w == *width && h == *height) {
        return false;
    }

    *width = (int) w;
    *height = (int) h;
    return true;
}


/* NULL: no memory; `from` has gone in any case. */
static gd_image *
resize(gd_image *from, int width, int height)
{
    gd_image  *to = gd.create_true(width, height);

    if (to != NULL) {
        if (from->colors == 0) {
            gd.set_alpha(to, 1);
            gd.set_blending(to, 0);
        }

        gd.resample(to, from, 0, 0, 0, 0, width, height, from->width,
                    from->height);

        if (from->colors != 0) {
            gd.to_palette(to, 1, 256);
        }
    }

    gd.destroy(from);
    return to;
}


static gd_image *
rotate(gd_image *from, unsigned angle)
{
    int        x, y, w = from->width, h = from->height;
    gd_image  *to = angle == 180 ? new_like(from, w, h)
                                 : new_like(from, h, w);

    for (y = 0; to != NULL && y < h; y++) {
        for (x = 0; x < w; x++) {
            switch (angle) {

            case 90:
                gd.set(to, y, w - 1 - x, gd.get(from, x, y));
                break;

            case 180:
                gd.set(to, w - 1 - x, h - 1 - y, gd.get(from, x, y));
                break;

            default:
                gd.set(to, h - 1 - y, x, gd.get(from, x, y));
            }
        }
    }

    gd.destroy(from);
    return to;
}


/* The middle of it. */
static gd_image *
crop(gd_image *from, int most_w, int most_h)
{
    int        w = lun_min(from->width, most_w);
    int        h = lun_min(from->height, most_h);
    gd_image  *to;

    if (w == from->width && h == from->height) {
        return from;
    }

    to = new_like(from, w, h);

    if (to != NULL) {
        gd.copy(to, from, 0, 0, (from->width - w) / 2, (from->height - h) / 2,
                w, h);
    }

    gd.destroy(from);
    return to;
}


/*
 * The transparent color is remembered as a color and found again at the end:
 * its index changes on the way.
 */
static gd_image *
change(gd_image *image, const lun_image_order *order)
{
    int   width = image->width, height = image->height;
    int   clear = image->colors != 0 ? image->transparent : -1;
    int   red = 0, green = 0, blue = 0;
    bool  indexed = image->colors != 0;

    if (clear >= 0 && clear < 256) {
        red = image->red[clear];
        green = image->green[clear];
        blue = image->blue[clear];
    }

    if (indexed) {
        gd.set_transparent(image, -1);
    }

    if (fit(order, &width, &height)) {
        image = resize(image, width, height);
    }

    if (image != NULL && order->angle != 0) {
        image = rotate(image, order->angle);
    }

    if (image != NULL && order->deed == LUN_IMAGE_CROP) {
        image = crop(image, (int) order->width, (int) order->height);
    }

    if (image == NULL) {
        return NULL;
    }

    if (indexed && clear >= 0 && order->transparency) {
        gd.set_transparent(image, gd.exact(image, red, green, blue));
    }

    if (order->sharpen != 0) {
        gd.sharpen(image, (int) order->sharpen);
    }

    gd.set_interlace(image, order->interlace);
    return image;
}


/*
 * Size, pixels and scans are looked at before it is unpacked: a picture of a
 * few bytes may become gigabytes.
 */
lun_rc
lun_image_change(lun_pool *pool, lun_str data, lun_image_type type,
    const lun_image_order *order, lun_str *out, const char **why)
{
    int        size = 0;
    void      *packed;
    unsigned   width, height;
    gd_image  *image;

    if (!lun_image_size(data, type, &width, &height)
        || width == 0 || height == 0)
    {
        *why = "it does not say how large it is";
        return LUN_ERROR;
    }

    if (order->deed != LUN_IMAGE_ROTATE && order->angle == 0
        && width <= order->width && height <= order->height)
    {
        return LUN_AGAIN;
    }

    if ((uint64_t) width * height > LUN_IMAGE_PIXELS) {
        *why = "it has too many pixels";
        return LUN_ERROR;
    }

    if (type == LUN_IMAGE_JPEG && lun_image_scans(data) > LUN_IMAGE_SCANS) {
        *why = "it has too many scans";
        return LUN_ERROR;
    }

    image = unpack(data, type);

    if (image == NULL) {
        *why = "libgd cannot read it";
        return LUN_ERROR;
    }

    image = change(image, order);
    packed = image == NULL ? NULL : pack(image, type, order, &size);

    if (image != NULL) {
        gd.destroy(image);
    }

    if (packed == NULL) {
        *why = "libgd cannot write it";
        return LUN_ERROR;
    }

    *out = lun_pool_str(pool, lun_str_of(packed, (size_t) size));
    gd.free(packed);
    return LUN_OK;
}
