/*
 * image_filter.c -- pictures are made smaller, turned, or told of, as they
 * pass.
 *
 *     image_filter resize 150 100;
 *     image_filter rotate 90;
 *     error_page 415 = /empty;
 *
 * A picture comes into memory (image_filter_buffer); then the header goes out
 * and what was made of it.  `test` lets pass what begins as a picture does.
 * libgd (image_gd.c) is only needed for what changes them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/image/image_priv.h"

#include "http/conf/core_conf.h"
#include "http/filter_buf.h"
#include "http/module.h"


typedef enum { NOT_SET, OFF, TEST, SIZE, RESIZE, CROP, ROTATE } deed;

typedef struct {
    int          deed;
    lun_script  *width, *height;   /* NULL: "-" */
    lun_script  *angle;            /* NULL: none */
} setting;

typedef struct {
    setting     *order;            /* NULL: none */
    size_t       buffer;
    bool         transparency, interlace;
    lun_script  *jpeg_quality, *webp_quality, *sharpen;
} image_conf;

typedef struct {
    lun_filter_buf     out;
    const image_conf  *conf;
    int                deed;
    char              *data;       /* what has come */
    size_t             len, room;
    bool               passes;     /* what comes goes out as it is */
} image_state;

extern lun_http_module  lun_http_image_filter;


/* --- the answer ---------------------------------------------------------- */

static lun_rc
send_header(image_state *s, lun_str type, int64_t length)
{
    lun_request  *r = s->out.r;

    s->out.silent = false;
    r->out.content_type = type;
    r->out.charset = LUN_STR_NULL;
    lun_http_clear_length(r);
    r->out.content_length = length;

    return lun_http_next_header(r, &lun_http_image_filter);
}


/* The page of 415 comes instead. */
static lun_rc
refuse(image_state *s)
{
    s->out.silent = false;
    return lun_http_refuse(s->out.r, 415);
}


static lun_str
type_text(const image_state *s)
{
    const char  *name;

    name = lun_image_name(lun_image_type_of(lun_str_of(s->data, s->len)));
    return lun_str_of(name, strlen(name));
}


static lun_rc
say(image_state *s, lun_str type, lun_str text)
{
    if (send_header(s, type, (int64_t) text.len) == LUN_ERROR) {
        return LUN_ERROR;
    }

    /* The header has no body behind it for HEAD. */
    if (!s->out.r->header_only) {
        lun_filter_buf_put(&s->out, text.data, text.len);
    }

    return LUN_OK;
}


static lun_rc
say_size(image_state *s)
{
    lun_str         data = lun_str_of(s->data, s->len);
    lun_str         text = LUN_STR("{}\r\n");
    unsigned        width, height;
    lun_image_type  type = lun_image_type_of(data);

    /* Those were the picture's. */
    lun_http_clear_etag(s->out.r);
    lun_http_clear_last_modified(s->out.r);

    if (lun_image_size(data, type, &width, &height)) {
        text = lun_pool_fmt(s->out.r->pool, "{ \"img\" : { \"width\": %u, "
                            "\"height\": %u, \"type\": \"%s\" } }\r\n", width,
                            height, lun_image_name(type) + sizeof("image/")
                            - 1);
    }

    return say(s, LUN_STR("application/json"), text);
}


/* --- the order ----------------------------------------------------------- */

/* A number from 1 to most; 0: it is none. */
static unsigned
number_of(lun_request *r, const lun_script *script, unsigned most)
{
    int64_t  n;
    lun_str  text = lun_script_run(&r->session, script);

    return lun_str_to_i64(text, &n) == LUN_OK && n > 0 && n <= most
           ? (unsigned) n : 0;
}


/* The same; "-" is as much as there may be. */
static unsigned
side_of(lun_request *r, const lun_script *script)
{
    return lun_str_eq(lun_script_run(&r->session, script), LUN_STR("-"))
           ? INT32_MAX : number_of(r, script, INT32_MAX);
}


/*
 * Each number may be a variable's; one that is not among those allowed fails
 * the request with 415 instead of making a picture of nobody's wish.
 */
static bool
make_order(lun_request *r, const image_conf *conf, lun_image_order *o)
{
    const setting  *order = conf->order;

    *o = (lun_image_order) {
        .deed = order->deed == RESIZE ? LUN_IMAGE_RESIZE
                : order->deed == CROP ? LUN_IMAGE_CROP : LUN_IMAGE_ROTATE,
        .jpeg_quality = number_of(r, conf->jpeg_quality, 100),
        .webp_quality = number_of(r, conf->webp_quality, 100),
        .sharpen = number_of(r, conf->sharpen, 100),
        .transparency = conf->transparency, .interlace = conf->interlace,
    };

    if (order->angle != NULL) {
        o->angle = number_of(r, order->angle, 270);

        if (o->angle % 90 != 0
            || (o->angle == 0 && order->deed == ROTATE))
        {
            return false;
        }
    }

    if (order->deed == ROTATE) {
        return true;
    }

    o->width = side_of(r, order->width);
    o->height = side_of(r, order->height);
    return o->width != 0 && o->height != 0;
}


static lun_rc
change(image_state *s)
{
    lun_rc            rc;
    lun_str           data = lun_str_of(s->data, s->len), made = data;
    const char       *why = "";
    lun_request      *r = s->out.r;
    lun_image_type    type = lun_image_type_of(data);
    lun_image_order   o;

    if (type == LUN_IMAGE_NONE || !make_order(r, s->conf, &o)) {
        return refuse(s);
    }

    rc = lun_image_change(r->pool, data, type, &o, &made, &why);

    if (rc == LUN_ERROR) {
        lun_log(LUN_LOG_ERR, r->log, 0, "image filter: %s", why);
        return refuse(s);
    }

    if (rc == LUN_OK) {
        lun_http_weak_etag(r);
    }

    return say(s, type_text(s), made);
}


/* --- what comes ---------------------------------------------------------- */

/* Enough has come to know, or nothing more does. */
static lun_rc
let_pass(image_state *s)
{
    if (lun_image_type_of(lun_str_of(s->data, s->len)) == LUN_IMAGE_NONE) {
        return refuse(s);
    }

    s->passes = true;

    if (send_header(s, type_text(s), s->out.r->out.content_length)
        == LUN_ERROR)
    {
        return LUN_ERROR;
    }

    if (!s->out.r->header_only) {
        lun_filter_buf_put(&s->out, s->data, s->len);
    }

    return LUN_OK;
}


/*
 * A test needs the head of the picture only, and lets all pass from then on;
 * anything else waits for the whole, up to image_filter_buffer.
 */
static lun_rc
take(void *state, lun_str *text)
{
    size_t        n;
    image_state  *s = state;

    if (s->passes) {
        if (!s->out.r->header_only) {
            lun_filter_buf_put(&s->out, text->data, text->len);
        }

        text->len = 0;
        return LUN_OK;
    }

    n = s->deed == TEST
        ? lun_min(text->len, (size_t) LUN_IMAGE_HEAD - s->len) : text->len;

    if (n > s->room - s->len) {
        lun_log(LUN_LOG_ERR, s->out.r->log, 0, "image filter: too big "
                "response");
        return refuse(s);
    }

    memcpy(s->data + s->len, text->data, n);
    s->len += n;
    *text = lun_str_of(text->data + n, text->len - n);

    return s->deed == TEST && s->len == LUN_IMAGE_HEAD ? let_pass(s) : LUN_OK;
}


static lun_rc
close_buf(void *state, lun_buf *b)
{
    lun_rc        rc = LUN_OK;
    image_state  *s = state;

    if ((b->eof || b->eof_part) && s->out.silent) {
        rc = s->deed == TEST ? let_pass(s)
             : s->deed == SIZE ? say_size(s) : change(s);

        if (rc != LUN_OK) {
            return LUN_ERROR;
        }
    }

    lun_filter_buf_close(&s->out, b);
    return LUN_OK;
}


static const lun_filter  filter = {
    .module = &lun_http_image_filter,
    .take = take,
    .close = close_buf,
};


static lun_rc
on_body(lun_request *r, lun_buf *in)
{
    image_state  *s = lun_http_state(r, &lun_http_image_filter);

    if (s == NULL || s->deed == OFF) {
        return lun_http_next_body(r, &lun_http_image_filter, in);
    }

    return lun_filter_buf_run(&s->out, &filter, s, in);
}


static lun_rc
on_header(lun_request *r)
{
    int64_t            length = r->out.content_length;
    image_state       *s = lun_http_state(r, &lun_http_image_filter);
    const image_conf  *conf = lun_http_conf(r, &lun_http_image_filter);

    if (s != NULL) {                   /* the page of an error */
        s->deed = OFF;
        return lun_http_next_header(r, &lun_http_image_filter);
    }

    if (conf->order == NULL || conf->order->deed == OFF
        || r->out.status == 304)
    {
        return lun_http_next_header(r, &lun_http_image_filter);
    }

    if (lun_str_casestarts(r->out.content_type,
                           LUN_STR("multipart/x-mixed-replace")))
    {
        lun_log(LUN_LOG_ERR, r->log, 0, "image filter: "
                "multipart/x-mixed-replace response");
        return LUN_ERROR;
    }

    s = lun_pool_new(r->pool, image_state);
    lun_filter_buf_init(&s->out, r, 32768, 32);
    s->out.silent = true;
    s->conf = conf;
    s->deed = conf->order->deed;
    lun_http_set_state(r, &lun_http_image_filter, s);

    if (length > (int64_t) conf->buffer) {
        lun_log(LUN_LOG_ERR, r->log, 0, "image filter: too big response: %"
                PRId64, length);
        return refuse(s);
    }

    s->room = s->deed == TEST ? LUN_IMAGE_HEAD
              : length >= 0 ? (size_t) length : conf->buffer;
    s->data = lun_pool_alloc_try(r->pool, s->room + 1);

    if (s->data == NULL) {
        return LUN_ERROR;
    }

    r->header_held = 1;
    r->filter_need_in_memory = 1;
    r->allow_ranges = 0;
    lun_http_clear_ranges(r);
    return LUN_OK;
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
need_library(lun_conf *cf)
{
    const char  *why;

    if (lun_image_load(&why) != LUN_OK) {
        return lun_conf_fail(cf, "\"image_filter %.*s\" is not possible: %s",
                             LUN_S(cf->args[1]), why);
    }

    return LUN_OK;
}


static lun_rc
bad_parameter(lun_conf *cf, size_t i)
{
    return lun_conf_fail(cf, "invalid parameter \"%.*s\"",
                         LUN_S(cf->args[i]));
}


/* What is written there must be possible, where it is no variable. */
static bool
is_side(lun_str text)
{
    int64_t  n;

    return lun_script_has_variables(text) || lun_str_eq(text, LUN_STR("-"))
           || (lun_str_to_i64(text, &n) == LUN_OK && n > 0 && n < INT32_MAX);
}


static bool
is_angle(lun_str text)
{
    return lun_script_has_variables(text) || lun_str_eq(text, LUN_STR("90"))
           || lun_str_eq(text, LUN_STR("180"))
           || lun_str_eq(text, LUN_STR("270"));
}


/* The sides of resize and crop. */
static lun_rc
set_sides(lun_conf *cf, setting *order)
{
    size_t  i;

    for (i = 2; i < 4; i++) {
        if (!is_side(cf->args[i])) {
            return bad_parameter(cf, i);
        }
    }

    order->width = lun_script_new(cf, cf->args[2]);
    order->height = lun_script_new(cf, cf->args[3]);
    return order->width != NULL && order->height != NULL ? LUN_OK : LUN_ERROR;
}


/* `rotate` may stand beside another one, in either order. */
static lun_rc
set_filter(lun_conf *cf, const lun_directive *d, void *data)
{
    static const struct {
        const char  *name;
        deed         deed;
        unsigned     args;
    } all[] = {
        { "off", OFF, 2 }, { "test", TEST, 2 }, { "size", SIZE, 2 },
        { "rotate", ROTATE, 3 }, { "resize", RESIZE, 4 }, { "crop", CROP, 4 }
    };

    size_t       i;
    image_conf  *conf = data;

    for (i = 0; i < LUN_ARRAY_LEN(all); i++) {
        if (lun_str_eq(cf->args[1], lun_str_of(all[i].name,
                                               strlen(all[i].name))))
        {
            break;
        }
    }

    if (i == LUN_ARRAY_LEN(all) || cf->argc != all[i].args) {
        return bad_parameter(cf, 1);
    }

    if (conf->order == NULL) {
        conf->order = lun_pool_new(cf->pool, setting);
    }

    if (all[i].deed >= RESIZE && need_library(cf) != LUN_OK) {
        return LUN_ERROR;
    }

    if (all[i].deed == ROTATE) {
        if (!is_angle(cf->args[2])) {
            return bad_parameter(cf, 2);
        }

        conf->order->angle = lun_script_new(cf, cf->args[2]);

        if (conf->order->deed == NOT_SET) {
            conf->order->deed = ROTATE;
        }

        return conf->order->angle != NULL ? LUN_OK : LUN_ERROR;
    }

    conf->order->deed = (int) all[i].deed;
    return all[i].deed >= RESIZE ? set_sides(cf, conf->order) : LUN_OK;
}


static lun_rc
set_quality(lun_conf *cf, const lun_directive *d, void *data)
{
    uint64_t  n;

    if (!lun_script_has_variables(cf->args[1])
        && (lun_str_to_u64(cf->args[1], &n) != LUN_OK || n < 1 || n > 100))
    {
        return lun_conf_fail(cf, "invalid value \"%.*s\"",
                             LUN_S(cf->args[1]));
    }

    return lun_set_script(cf, d, data);
}


static const lun_directive  directives[] = {
    { .name = "image_filter", .where = LUN_LOCATION, .args = 1, .args_max = 3,
      .repeats = true, .set = set_filter, LUN_FIELD(image_conf, order),
      .values = "off | test | size | rotate 90|180|270 | resize width height "
                "| crop width height",
      .help = "tests, measures, resizes, crops or turns pictures" },
    { .name = "image_filter_buffer", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_size, LUN_FIELD(image_conf, buffer), .fallback = "1m",
      .help = "the largest picture that is changed" },
    { .name = "image_filter_transparency", .where = LUN_HTTP_LEVELS,
      .args = 1, .set = lun_set_flag, LUN_FIELD(image_conf, transparency),
      .fallback = "on", .help = "keeps the transparent colour of a palette" },
    { .name = "image_filter_interlace", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(image_conf, interlace),
      .fallback = "off", .help = "what is made is interlaced" },
    { .name = "image_filter_jpeg_quality", .where = LUN_HTTP_LEVELS,
      .args = 1, .set = set_quality, LUN_FIELD(image_conf, jpeg_quality),
      .fallback = "75",
      .values = "quality",
      .help = "of what is made, 1 to 100" },
    { .name = "image_filter_webp_quality", .where = LUN_HTTP_LEVELS,
      .args = 1, .set = set_quality, LUN_FIELD(image_conf, webp_quality),
      .fallback = "80",
      .values = "quality",
      .help = "of what is made, 1 to 100" },
    { .name = "image_filter_sharpen", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_script, LUN_FIELD(image_conf, sharpen), .fallback = "0",
      .values = "percent",
      .help = "of what is made, in percent" },
    { 0 }
};

lun_http_module  lun_http_image_filter = {
    .name = "image_filter",
    .keeps_state = true,
    .directives = directives,
    .conf_size = sizeof(image_conf),
    .header_filter = on_header,
    .body_filter = on_body,
};
