/*
 * mp4.c -- a piece of a film, as if it were a file of its own.
 *
 *     location /video/ { mp4; mp4_max_buffer_size 20m; mp4_limit_rate on; }
 *
 * "?start=238.88&end=555.55" names it, in seconds.  What says where samples
 * lie is read into memory (mp4_max_buffer_size), cut (mp4_cut.c), and sent in
 * front of the bytes of the file that the samples lie between.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/mp4/mp4_priv.h"

#include "http/conf/core_conf.h"
#include "http/file/file_serve.h"
#include "http/module.h"
#include "os/file.h"


enum {
    FTYP_MOST = 1024,
    ATOMS_MOST = 65536,            /* of a file's first level */
    HEAD_MOST = 16,
    NEXT_LOOK = 4096               /* bytes read at once behind the first */
};

typedef struct {
    size_t    buffer_size;
    size_t    max_buffer_size;
    int64_t   rate;                /* of the film's own, in hundredths; 0: */
    lun_msec  rate_after;          /* no limit; of the film's time */
    bool      key_frame;
} mp4_conf;

/* What was read of a file, from `at` on. */
typedef struct {
    const lun_static_file  *f;
    char                   *buf;
    size_t                  size, have;
    int64_t                 at;
} window;

/* What a file has on its first level. */
typedef struct {
    int64_t  moov, moov_len;       /* its body; -1: there is none */
    int64_t  ftyp, ftyp_len;       /* the whole; the same */
    bool     in_order;             /* moov comes before any mdat */
} layout;

extern lun_http_module  lun_http_mp4;


/* --- reading ------------------------------------------------------------- */

static lun_rc
fail(lun_request *r, lun_str path, const char *why)
{
    lun_log(LUN_LOG_ERR, r->log, 0, "\"%.*s\" %s", LUN_S(path), why);
    return LUN_ERROR;
}


/* The whole of it: the file may have become shorter. */
static lun_rc
read_bytes(lun_request *r, lun_str path, const lun_static_file *f, char *buf,
    size_t len, int64_t at)
{
    size_t   done;
    lun_err  err;

    if (f->fd == LUN_FD_NONE) {
        memcpy(buf, f->data.data + at, len);
        return LUN_OK;
    }

    err = lun_file_read(f->fd, buf, len, at, &done);

    if (err != 0 || done != len) {
        lun_log(err != 0 ? LUN_LOG_CRIT : LUN_LOG_ERR, r->log, err,
                err != 0 ? "read() \"%.*s\" failed"
                         : "\"%.*s\" mp4 file truncated", LUN_S(path));
        return LUN_ERROR;
    }

    return LUN_OK;
}


/* So many bytes at that place, which the file has. */
static const uint8_t *
look_at(lun_request *r, lun_str path, window *w, int64_t at, size_t len)
{
    if (at < w->at || at + (int64_t) len > w->at + (int64_t) w->have) {
        /* Behind a jump there may be another: a file of nothing but those
           would be read 32 GB of. */
        w->have = lun_min(w->size, at == 0 ? w->size : (size_t) NEXT_LOOK);
        w->have = (size_t) lun_min((int64_t) w->have, w->f->info.size - at);
        w->at = at;

        if (read_bytes(r, path, w->f, w->buf, w->have, at) != LUN_OK) {
            return NULL;
        }
    }

    return (const uint8_t *) w->buf + (at - w->at);
}


/* The atom there: the bytes of its head, and of all of it. */
static lun_rc
read_head(lun_request *r, lun_str path, window *w, int64_t at, uint32_t *name,
    int64_t *head, int64_t *size)
{
    int64_t         left = w->f->info.size - at;
    uint64_t        n;
    const uint8_t  *p;

    if (left < 8) {
        return fail(r, path, "mp4 file truncated");
    }

    p = look_at(r, path, w, at, (size_t) lun_min(left, (int64_t) HEAD_MOST));

    if (p == NULL) {
        return LUN_ERROR;
    }

    n = lun_mp4_u32(p);
    *name = lun_mp4_u32(p + 4);
    *head = 8;

    if (n == 0) {                      /* the rest of the file */
        n = (uint64_t) left;

    } else if (n == 1) {
        if (left < HEAD_MOST) {
            return fail(r, path, "mp4 file truncated");
        }

        n = lun_mp4_u64(p + 8);
        *head = HEAD_MOST;
    }

    if (n < (uint64_t) *head) {
        return fail(r, path, "mp4 atom is too small");
    }

    if (n > (uint64_t) left) {
        return fail(r, path, "mp4 atom is too large");
    }

    *size = (int64_t) n;
    return LUN_OK;
}


/*
 * Each atom says its own size, up to the end of the file: their number is
 * bounded, since a file may have millions that are empty.
 */
static lun_rc
find_atoms(lun_request *r, lun_str path, window *w, lun_mp4 *m, layout *l)
{
    int64_t   at, head, size;
    unsigned  count = 0;
    uint32_t  name;

    *l = (layout) { .moov = -1, .ftyp = -1 };

    for (at = 0; at < w->f->info.size; at += size) {
        if (++count > ATOMS_MOST) {
            return fail(r, path, "has too many mp4 atoms");
        }

        if (read_head(r, path, w, at, &name, &head, &size) != LUN_OK) {
            return LUN_ERROR;
        }

        if (name == LUN_MP4_NAME('f', 't', 'y', 'p')) {
            l->ftyp = at;
            l->ftyp_len = size;

        } else if (name == LUN_MP4_NAME('m', 'o', 'o', 'v')) {
            l->moov = at + head;
            l->moov_len = size - head;
            l->in_order = m->data_to == 0;

        } else if (name == LUN_MP4_NAME('m', 'd', 'a', 't')) {
            if (m->data_to == 0) {
                m->data_from = at + head;
            }

            m->data_to = at + size;
        }
    }

    return LUN_OK;
}


static lun_rc
read_part(lun_request *r, lun_str path, const lun_static_file *f, int64_t at,
    int64_t len, lun_str *out)
{
    char  *buf = lun_pool_alloc_try(r->pool, (size_t) len + 1);

    if (buf == NULL) {
        return fail(r, path, "no memory for mp4 moov atom");
    }

    *out = lun_str_of(buf, (size_t) len);
    return read_bytes(r, path, f, buf, (size_t) len, at);
}


/*
 * Only the tables are read into memory; the film itself is sent from the file.
 */
static lun_rc
read_file(lun_request *r, lun_str path, const lun_static_file *f, lun_mp4 *m,
    layout *l)
{
    window           w = { .f = f };
    const mp4_conf  *conf = lun_http_conf(r, &lun_http_mp4);

    w.size = (size_t) lun_min(f->info.size,
                              (int64_t) lun_max(conf->buffer_size,
                                                (size_t) HEAD_MOST));
    w.buf = lun_pool_alloc_try(r->pool, w.size + 1);

    if (w.buf == NULL) {
        return fail(r, path, "no memory for mp4_buffer_size");
    }

    if (find_atoms(r, path, &w, m, l) != LUN_OK) {
        return LUN_ERROR;
    }

    if (l->moov < 0) {
        return fail(r, path, "no mp4 moov atom was found");
    }

    if (l->moov_len > (int64_t) conf->max_buffer_size) {
        lun_log(LUN_LOG_ERR, r->log, 0, "\"%.*s\" mp4 moov atom is too large:"
                "%" PRId64 ", you may want to increase mp4_max_buffer_size",
                LUN_S(path), l->moov_len);
        return LUN_ERROR;
    }

    if (l->ftyp_len > FTYP_MOST) {
        return fail(r, path, "mp4 ftyp atom is too large");
    }

    if (l->ftyp >= 0
        && read_part(r, path, f, l->ftyp, l->ftyp_len, &m->ftyp) != LUN_OK)
    {
        return LUN_ERROR;
    }

    return read_part(r, path, f, l->moov, l->moov_len, &m->moov);
}


/* --- what is asked for --------------------------------------------------- */

/* Seconds as a decimal number, in milliseconds; -1: it is none. */
static int64_t
msec_of(lun_request *r, lun_str name)
{
    char              digit;
    size_t            i;
    int64_t           n = 0;
    int               after = -1;      /* digits behind the point */
    const lun_value  *v = lun_var_get_named(&r->session, name);

    if (v == NULL || v->not_found || v->text.len == 0) {
        return -1;
    }

    for (i = 0; i < v->text.len; i++) {
        digit = v->text.data[i];

        if (digit == '.' && after < 0) {
            after = 0;
            continue;
        }

        if (digit < '0' || digit > '9') {
            return -1;
        }

        if (after < 3) {
            n = n * 10 + (digit - '0');
            after += after >= 0;
        }

        if (n > INT32_MAX) {
            return -1;
        }
    }

    for (after = lun_max(after, 0); after < 3; after++) {
        n *= 10;
    }

    return n > INT32_MAX ? -1 : n;
}


static void
read_arguments(lun_request *r, lun_mp4 *m)
{
    int64_t  end;

    m->start = msec_of(r, LUN_STR("arg_start"));
    end = msec_of(r, LUN_STR("arg_end"));

    if (end > 0) {
        m->start = lun_max(m->start, (int64_t) 0);
        m->length = end > m->start ? end - m->start : 0;
    }
}


/* A script that has set a limit of its own is not overruled. */
static void
limit_rate(lun_request *r, const mp4_conf *conf, lun_str moov, int64_t size)
{
    int64_t  rate = lun_mp4_bitrate(moov, size);

    if (rate == 0 || r->rate_known) {
        return;
    }

    r->rate_known = r->after_known = 1;
    r->limit_rate = (int64_t) lun_max(lun_min((double) rate *
                                              (double) conf->rate / 100, 1e15),
                                      1.0);
    r->limit_after = (int64_t) lun_min((double) rate * (double)
                                       conf->rate_after / 1000, 1e15);
}


/* --- answers ------------------------------------------------------------- */

static lun_verdict
serve(lun_request *r, lun_str path, const lun_static_file *f)
{
    lun_mp4          m = { .pool = r->pool };
    layout           l;
    const mp4_conf  *conf = lun_http_conf(r, &lun_http_mp4);

    read_arguments(r, &m);
    m.key_frame = conf->key_frame;
    r->allow_ranges = 1;

    if (m.start < 0 && conf->rate == 0) {
        return lun_file_send(r, f);
    }

    if (read_file(r, path, f, &m, &l) != LUN_OK) {
        return m.start < 0 ? lun_file_send(r, f) : LUN_STATUS + 500;
    }

    if (conf->rate != 0) {
        limit_rate(r, conf, m.moov, f->info.size);
    }

    /* All of a file that can be shown while it comes is the file. */
    if (m.start < 0 || (m.start == 0 && m.length == 0 && l.in_order)) {
        return lun_file_send(r, f);
    }

    if (lun_mp4_cut(&m) != LUN_OK) {
        (void) fail(r, path, m.why);
        return LUN_STATUS + 500;
    }

    r->single_range = 1;
    return lun_file_send_part(r, f, m.head, m.from, m.to);
}


static lun_verdict
on_content(lun_session *s)
{
    lun_request      *r = lun_request_of(s);
    lun_verdict       v;
    lun_safe_path     c;
    lun_static_file   f;

    if (!lun_http_has_content(r, &lun_http_mp4)) {
        return LUN_NEXT;
    }

    if (!lun_file_open_media(r, &c, &f, &v)) {
        return v;
    }

    r->log->doing = "sending mp4 to client";
    return serve(r, c.path, &f);
}


/* --- directives ---------------------------------------------------------- */

static lun_rc
set_mp4(lun_conf *cf, const lun_directive *d, void *conf)
{
    lun_http_set_content(cf, &lun_http_mp4);
    return LUN_OK;
}


/* on (a tenth more than the film's own), off, or how many times that. */
static lun_rc
set_rate(lun_conf *cf, const lun_directive *d, void *data)
{
    size_t     i;
    bool       point = false;
    int        after = 0;
    lun_str    word = cf->args[1];
    int64_t    n = 0;
    mp4_conf  *conf = data;

    if (lun_str_eq(word, LUN_STR("off"))) {
        conf->rate = 0;
        return LUN_OK;
    }

    if (lun_str_eq(word, LUN_STR("on"))) {
        conf->rate = 110;
        return LUN_OK;
    }

    for (i = 0; i < word.len; i++) {
        if (word.data[i] == '.' && !point && i + 1 < word.len) {
            point = true;
            continue;
        }

        if (word.data[i] < '0' || word.data[i] > '9' || after == 2
            || n > 100000)
        {
            return lun_conf_bad_value(cf);
        }

        n = n * 10 + (word.data[i] - '0');
        after += point;
    }

    for ( ; after < 2; after++) {
        n *= 10;
    }

    conf->rate = n;
    return n == 0 ? lun_conf_bad_value(cf) : LUN_OK;
}


static const lun_directive  directives[] = {
    { .name = "mp4", .where = LUN_LOCATION, .set = set_mp4,
      .help = "serves pieces of films, by ?start= and end=" },
    { .name = "mp4_buffer_size", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_size, LUN_FIELD(mp4_conf, buffer_size),
      .fallback = "512k",
      .help = "how much of a film is read at once to find its index" },
    { .name = "mp4_max_buffer_size", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_size, LUN_FIELD(mp4_conf, max_buffer_size),
      .fallback = "10m", .help = "the largest index of a film" },
    { .name = "mp4_limit_rate", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = set_rate, LUN_FIELD(mp4_conf, rate), .fallback = "off",
      .values = "on | off | factor",
      .help = "sends as fast as it is watched, times a factor" },
    { .name = "mp4_limit_rate_after", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_msec, LUN_FIELD(mp4_conf, rate_after),
      .fallback = "60s",
      .help = "how much of a film goes out without that limit" },
    { .name = "mp4_start_key_frame", .where = LUN_HTTP_LEVELS, .args = 1,
      .set = lun_set_flag, LUN_FIELD(mp4_conf, key_frame),
      .fallback = "off",
      .help = "a piece begins with a frame that stands alone" },
    { 0 }
};

lun_http_module  lun_http_mp4 = {
    .name = "mp4",
    .directives = directives,
    .conf_size = sizeof(mp4_conf),
    .on[LUN_CONTENT] = on_content,
};
