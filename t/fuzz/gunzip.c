/*
 * gunzip.c -- any bytes as an answer that says it is gzip, cut anywhere, for a
 * client who does not take it.
 *
 * The body is the bytes themselves, or what zlib makes of a text (gzip, zlib
 * or bare; one stream or several; any level, window, strategy and header),
 * with bytes changed, its end cut off or something behind it.  It passes the
 * filters in memory and in files, with flushes, while the client takes more
 * or less of it.
 *
 * What the client gets must be the beginning of what zlib itself says of the
 * whole, all of it if that is good, and an aborted answer otherwise; and
 * everything must be freed.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "http_help.h"
#include "http/request_header.h"
#include "http/write.h"
#include "modules/modules.h"


enum {
    TEXT_MOST = 64 * 1024,         /* of what is compressed */
    BODY_MOST = 256 * 1024,
    WANT_MOST = 4 * 1024 * 1024    /* more than that is not run */
};

typedef struct {
    const uint8_t  *p, *end;
} input;

typedef struct {
    char    *data;
    size_t   len, most;
} text;

static input      in;
static text       body, want, got;
static bool       good;            /* `want` is all that there is to say */
static bool       aborted;
static unsigned   ended;
static uint8_t    mode;
static lun_fd     file = LUN_FD_NONE;     /* the body, once more */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static unsigned
byte(void)
{
    return in.p < in.end ? *in.p++ : 0;
}


static void
put(text *t, const void *data, size_t len)
{
    len = lun_min(len, t->most - t->len);

    if (len != 0) {
        memcpy(t->data + t->len, data, len);
        t->len += len;
    }
}


/* --- the body --- */

/* Bytes as they come, runs, and what was said before. */
static void
make_text(text *t)
{
    char      run[256];
    size_t    n, from;
    unsigned  parts = byte() % 24;

    while (parts-- > 0 && in.p < in.end) {
        n = byte() + 1;

        switch (byte() % 4) {

        case 0:
            n = lun_min(n, (size_t) (in.end - in.p));
            put(t, in.p, n);
            in.p += n;
            break;

        case 1:
            memset(run, (int) byte(), sizeof(run));
            put(t, run, n);
            break;

        case 2:
            from = t->len - t->len % (n + 1);
            put(t, t->data + t->len - from, lun_min(from, n * 64));
            break;

        default:
            while (n-- > 0) {
                put(t, "the same words again, ", 22);
            }
        }
    }
}


static void
set_head(gz_header *head)
{
    static Bytef  extra[300], name[64];

    memset(extra, 'e', sizeof(extra));
    memset(name, 'n', sizeof(name) - 1);
    memset(head, 0, sizeof(*head));

    if (byte() % 2) {
        head->extra = extra;
        head->extra_len = byte();
    }

    head->name = byte() % 2 ? name : NULL;
    head->comment = byte() % 2 ? name : NULL;
    head->hcrc = byte() % 2;
    head->text = byte() % 2;
}


static void
compress_text(const text *t)
{
    static const int  windows[] = { 31, 25, 27, 31, 31, 31, 15, -15 };

    z_stream   z = { .next_in = (Bytef *) t->data, .avail_in = (uInt) t->len };
    gz_header  head;
    int        rc, level = (int) (byte() % 10), window;

    window = windows[byte() % LUN_ARRAY_LEN(windows)];
    rc = deflateInit2(&z, level, Z_DEFLATED, window, (int) (byte() % 9) + 1,
                      (int) (byte() % 5));
    LUN_CHECK(rc == Z_OK);

    if (window > 15 && byte() % 4 == 0) {
        set_head(&head);
        (void) deflateSetHeader(&z, &head);
    }

    z.next_out = (Bytef *) body.data + body.len;
    z.avail_out = (uInt) (body.most - body.len);
    (void) deflate(&z, Z_FINISH);
    body.len = body.most - z.avail_out;
    (void) deflateEnd(&z);
}


static void
spoil(void)
{
    size_t    at;
    unsigned  i, n = byte() % 4;

    for (i = 0; i < n && body.len != 0; i++) {
        at = byte() << 8;
        at = (at | byte()) % body.len;
        body.data[at] ^= (char) (1 << byte() % 8);
    }

    switch (byte() % 4) {

    case 0:
        n = byte();
        body.len -= lun_min(body.len, (size_t) n);
        break;

    case 1:
        n = byte();
        n = (unsigned) lun_min((size_t) n, (size_t) (in.end - in.p));
        put(&body, in.p, n);
        in.p += n;
    }
}


static void
make_body(void)
{
    size_t    n;
    text      t = { .most = TEXT_MOST };
    unsigned  streams;

    if (mode & 1) {
        n = (size_t) byte() << 4;
        n = lun_min(n, (size_t) (in.end - in.p));
        put(&body, in.p, n);
        in.p += n;
        return;
    }

    t.data = lun_malloc(TEXT_MOST);

    for (streams = byte() % 3 + 1; streams > 0; streams--) {
        t.len = 0;
        make_text(&t);
        compress_text(&t);
    }

    lun_free(t.data);

    if (mode & 2) {
        spoil();
    }
}


/* What zlib says of the whole at once; false: too much. */
static bool
inflate_body(void)
{
    int       rc = Z_OK;
    z_stream  z = { .next_in = (Bytef *) body.data,
                    .avail_in = (uInt) body.len };

    good = false;
    LUN_CHECK(inflateInit2(&z, 31) == Z_OK);

    while (z.avail_in > 0 && rc == Z_OK) {
        z.next_out = (Bytef *) want.data + want.len;
        z.avail_out = (uInt) (want.most - want.len);
        rc = inflate(&z, Z_NO_FLUSH);
        want.len = want.most - z.avail_out;

        if (rc == Z_STREAM_END) {
            good = z.avail_in == 0;
            rc = z.avail_in != 0 ? inflateReset(&z) : Z_STREAM_END;
        }

        if (want.len == want.most) {
            break;
        }
    }

    (void) inflateEnd(&z);
    return want.len < want.most;
}


/* --- who makes the answer --- */

static void  take_some(lun_request *r, int64_t budget);


static size_t
next_cut(size_t left)
{
    unsigned  n = byte();

    n = n < 64 ? n : n < 192 ? (n - 63) * 16 : (n - 191) * 1024;
    return lun_min((size_t) n, left);
}


static lun_buf *
next_buf(lun_request *r, size_t *at)
{
    char      *copy;
    size_t     n = next_cut(body.len - *at);
    lun_buf   *b;
    unsigned   kind = byte();

    if (n == 0) {
        b = lun_buf_new(r->pool);
        b->flush = kind % 2;

    } else if (kind % 4 == 0) {
        b = lun_buf_new_file(r->pool, file, (int64_t) *at,
                             (int64_t) (*at + n));
    } else {
        copy = lun_pool_text(r->pool, n);
        memcpy(copy, body.data + *at, n);
        b = lun_buf_new_str(r->pool, lun_str_of(copy, n));
    }

    b->flush |= kind % 16 == 1;
    *at += n;
    return b;
}


static lun_verdict
on_content(lun_session *s)
{
    size_t        at = 0;
    unsigned      i, n;
    lun_chain     chain;
    lun_request  *r = lun_request_of(s);

    r->out.status = 200;
    r->out.content_type = LUN_STR("text/plain");
    r->out.content_length = mode & 4 ? (int64_t) body.len : -1;
    (void) lun_http_add_out(r, LUN_STR("Content-Encoding"),
                            mode & 8 ? LUN_STR("GZip") : LUN_STR("gzip"));

    if (lun_http_send_header(r) == LUN_ERROR) {
        return LUN_FAILED;
    }

    if (r->header_only) {
        return LUN_FINISHED;
    }

    while (at < body.len) {
        lun_chain_init(&chain);
        n = byte() % 4 + 1;

        for (i = 0; i < n && (in.p < in.end || at < body.len); i++) {
            lun_chain_push(&chain, next_buf(r, &at));

            /* Without bytes to say where it is cut it is not. */
            if (in.p == in.end) {
                lun_chain_push(&chain, lun_buf_new_str(r->pool,
                    lun_str_of(body.data + at, body.len - at)));
                at = body.len;
            }
        }

        if (lun_http_output(r, chain.head) == LUN_ERROR) {
            return LUN_FAILED;
        }

        take_some(r, (int64_t) byte() << 4);

        if (!r->blocked && lun_http_holds(r) && lun_http_pump(r) == LUN_ERROR)
        {
            return LUN_FAILED;
        }
    }

    return lun_http_output_eof(r) == LUN_ERROR ? LUN_FAILED : LUN_FINISHED;
}


static lun_http_module  source = {
    .name = "source",
    .always = true,
    .on[LUN_CONTENT] = on_content,
};

static lun_module *const  modules[] = {
    &lun_http_core.head, &lun_http_blocks.head, &lun_http_gunzip.head,
    &lun_http_gzip.head, &source.head, NULL
};

static lun_http_module *const  filters[] = { &lun_http_gunzip, NULL };

static const lun_http_module_lists  lists = { modules, filters, filters };


/* --- who gets it --- */

static void
take_buf(lun_buf *b, size_t n)
{
    char  room[4096];

    if (n == 0) {
        return;
    }

    if (!b->in_file) {
        put(&got, b->pos, n);
        b->pos += n;
        return;
    }

    while (n > 0) {
        ssize_t  done = pread((int) b->file, room, lun_min(n, sizeof(room)),
                              b->file_pos);

        LUN_CHECK(done > 0);
        put(&got, room, (size_t) done);
        b->file_pos += done;
        n -= (size_t) done;
    }
}


/* Used up ones leave the chain: their makers may fill them again. */
static void
take_some(lun_request *r, int64_t budget)
{
    int64_t   n;
    lun_buf  *b;

    while ((b = r->output.head) != NULL) {
        n = lun_min(lun_buf_size(b), budget);
        take_buf(b, (size_t) n);
        budget -= n;

        if (lun_buf_size(b) != 0) {
            break;
        }

        (void) lun_chain_shift(&r->output);
    }

    r->blocked = r->output.head != NULL;
}


/* The client takes what there is, and what is made of it. */
static void
take_all(lun_request *r)
{
    take_some(r, INT64_MAX);

    while (lun_http_holds(r)) {
        if (lun_http_pump(r) == LUN_ERROR) {
            aborted = true;
            return;
        }

        take_some(r, INT64_MAX);
    }
}


static lun_rc
send_header(lun_request *r)
{
    lun_header_each(&r->out.list, h) {
        read_all(h->name);
        read_all(h->value);
    }

    return LUN_OK;
}


static lun_rc
send_body(lun_request *r, lun_buf *list)
{
    lun_buf  *b, *next;

    for (b = list; b != NULL; b = next) {
        next = b->next;
        lun_chain_push(&r->output, b);
    }

    take_some(r, (int64_t) byte() << 5);
    return r->blocked ? LUN_AGAIN : LUN_OK;
}


static void
on_end(lun_request *r)
{
    LUN_CHECK(r->ended && r->references == 0);

    ended++;
    aborted = r->aborted;

    if (!aborted) {
        take_all(r);
    }

    lun_http_unwrite(r);
    lun_request_free(r);
}


static const lun_http_protocol  protocol = {
    .send_header = send_header,
    .send_body = send_body,
    .pull_body = no_body,
    .watch = nothing,
    .finish = on_end,
    .drop = on_end,
};


/* --- the run --- */

static void
run(lun_generation *gen, const lun_log *log)
{
    bool          asked = mode & 16, head = (mode & 0x60) == 0x60;
    lun_conn      c = { .mark = LUN_MARK_CONN, .log = *log, .local_known = 1 };
    lun_request  *r;
    const text   *all = asked ? &body : &want;

    LUN_CHECK(lun_addr_parse(LUN_STR("127.0.0.1:80"), &c.remote) == LUN_OK);
    c.local = c.remote;
    r = new_request(gen, &c, &protocol);
    r->target = LUN_STR("/");

    if (head) {
        r->method = LUN_HEAD;
    }

    if (asked) {
        lun_http_set_in(r, LUN_STR("Accept-Encoding"), LUN_STR("gzip"), true);
    }

    ended = 0;
    LUN_CHECK(lun_http_in_path(r, lun_core_conf_of(r), r->target, false)
              == LUN_OK);
    lun_http_run(r);

    LUN_CHECK(ended == 1 && lun_http_active() == 0);
    LUN_CHECK(aborted == (!good && !asked && !head));
    LUN_CHECK(got.len <= all->len && memcmp(got.data, all->data, got.len) == 0);
    LUN_CHECK(aborted || got.len == (head ? 0 : all->len));
}


static void
hear(lun_log_target *t, lun_log_level level, const char *line, size_t len)
{
    LUN_CHECK(level > LUN_LOG_ALERT);
    read_all(lun_str_of(line, len));
}


/* Read once: requests leave nothing in it. */
static lun_generation *
generation_of(unsigned i, lun_log *log)
{
    static lun_generation     *made[4];
    static const char *const   sizes[] = { "1 1", "32 4k", "2 7", "4 64k" };

    lun_str  conf;

    if (made[i] == NULL) {
        made[i] = generation(&lists);
        conf = lun_pool_fmt(made[i]->pool, "http { gunzip on; "
                            "gunzip_buffers %s; server { } }", sizes[i]);
        LUN_CHECK(read_conf(made[i], conf, log) == LUN_OK);
    }

    return made[i];
}


static void
prepare(void)
{
    if (file != LUN_FD_NONE) {
        return;
    }

    file = memfd_create("body", 0);
    LUN_CHECK(file != -1);
    body = (text) { .data = lun_malloc(BODY_MOST), .most = BODY_MOST };
    want = (text) { .data = lun_malloc(WANT_MOST), .most = WANT_MOST };
    got = (text) { .data = lun_malloc(WANT_MOST), .most = WANT_MOST };
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lun_log_target   target = { .level = LUN_LOG_NOTICE, .write = hear };
    static lun_log          log = { .level = LUN_LOG_NOTICE,
                                    .targets = &target };

    prepare();
    in = (input) { data, data + size };
    body.len = want.len = got.len = 0;
    mode = (uint8_t) byte();
    make_body();

    if (!inflate_body()) {
        return 0;
    }

    LUN_CHECK(pwrite((int) file, body.data, body.len, 0)
              == (ssize_t) body.len);
    lun_log_set_default(&log);
    run(generation_of(byte() % 4, &log), &log);

    return 0;
}
