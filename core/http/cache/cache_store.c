/*
 * cache_store.c -- an answer on its way to the client becomes a file.
 *
 * A small one is written in one piece when all of it has come; a larger one
 * goes to the file piece by piece, and its head is written again at the end.
 * Only then is the file renamed to its place, and the index told.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "http/cache/cache.h"

#include "base/digest.h"
#include "base/fmt.h"
#include "http/cache/cache_duty.h"
#include "http/cache/cache_priv.h"
#include "http/upstream/upreq_priv.h"
#include "os/dir.h"
#include "os/random.h"
#include "shm/mailbox.h"


enum {
    ROOM     = 64 * 1024,          /* what is gathered before it is written */
    BLOCK    = 4096,               /* what a file takes of the disk */
    PATH     = 1024,
    VARY     = 128,                /* bytes; what names more is not kept */
    LENGTH   = 24,                 /* digits of any */
    QUIET    = 60                  /* seconds between two complaints */
};

struct lun_cache_store {
    lun_cache_head  head;
    size_t          head_size;
    char           *buf;           /* malloc'ed */
    size_t          len, room;
    int64_t         written;       /* bytes in the file */
    lun_fd          fd;            /* LUN_FD_NONE: nothing is written yet */
    char            path[PATH];
};


/* --- may it be kept? ----------------------------------------------------- */

static bool
ignores_field(const lun_caching *c, uint32_t what)
{
    return (c->x->conf->ignore_headers & what) != 0;
}


lun_cache_verdict
lun_cache_age_of(lun_caching *c, const lun_header_list *list, unsigned status)
{
    int64_t            sec;
    lun_cache_fields   f = { .accel_expires = LUN_STR_NULL,
                             .expires = LUN_STR_NULL };
    lun_cache_verdict  v;

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);

    lun_header_each(list, h) {
        /* Of fields that may not repeat the first counts. */
        if (h->known == LUN_HOUT_CACHE_CONTROL) {
            if (!ignores_field(c, LUN_IGNORE_CACHE_CONTROL)) {
                lun_cache_read_control(&f, h->value);
            }

        } else if (h->known == LUN_HOUT_EXPIRES) {
            if (f.expires.data == NULL
                && !ignores_field(c, LUN_IGNORE_EXPIRES_FIELD))
            {
                f.expires = h->value;
            }

        } else if (h->known == LUN_HOUT_SET_COOKIE) {
            f.cookie |= !ignores_field(c, LUN_IGNORE_SET_COOKIE);

        } else if (f.accel_expires.data == NULL
                   && lun_str_caseeq(h->name, LUN_STR("X-Accel-Expires"))
                   && !ignores_field(c, LUN_IGNORE_EXPIRES))
        {
            f.accel_expires = h->value;
        }
    }

    c->keep_updating = f.stale_updating;
    c->keep_error = f.stale_error;
    v = lun_cache_judge_fields(&f, lun_clock.sec, &c->valid);

    if (v == LUN_CACHE_UNSAID && status != 0) {
        sec = c->conf->valid == NULL ? 0
              : lun_cache_valid_for(c->conf->valid->items,
                                    c->conf->valid->count, status);
        c->valid = lun_clock.sec + sec;
        v = sec != 0 ? LUN_CACHE_UNTIL : LUN_CACHE_NEVER;
    }

    return v;
}


/* All fields of that name, as one text; false: "*" is one, or too long. */
static bool
read_vary(const lun_caching *c, lun_str *vary)
{
    lun_str  name, names;

    *vary = LUN_STR("");

    if (ignores_field(c, LUN_IGNORE_VARY)) {
        return true;
    }

    lun_header_each(&c->x->answer.list, h) {
        if (h->known == LUN_HOUT_VARY) {
            *vary = vary->len == 0 ? h->value
                    : lun_pool_fmt(c->x->r->pool, "%.*s,%.*s", LUN_S(*vary),
                                   LUN_S(h->value));
        }
    }

    for (names = *vary; lun_cache_next_name(&names, &name); ) {
        if (lun_str_eq(name, LUN_STR("*"))) {
            return false;
        }
    }

    return vary->len <= VARY;
}


static bool
may_be_kept(lun_caching *c, lun_str *vary)
{
    const lun_upreq  *x = c->x;

    return c->cacheable && x->buffered && x->answer.status >= 200
           && x->answer.status != 304
           && !lun_scripts_any(&x->r->session, c->conf->no_cache)
           && lun_cache_age_of(c, &x->answer.list, x->answer.status)
              == LUN_CACHE_UNTIL
           && read_vary(c, vary);
}


/* --- its head ------------------------------------------------------------ */

static bool
is_kept_line(const lun_header *h)
{
    return h->known != LUN_HOUT_CONNECTION
           && h->known != LUN_HOUT_TRANSFER_ENCODING
           && !lun_str_caseeq(h->name, LUN_STR("Keep-Alive"));
}


static lun_str
pack_lines(const lun_upreq *x)
{
    char    *text, *p, length[LENGTH];
    size_t   n = 0;

    lun_header_each(&x->answer.list, h) {
        n += lun_cache_line_size(h->name, h->value);
    }

    /* The protocol keeps the length to itself. */
    if (x->answer.head_length >= 0) {
        n += lun_cache_line_size(LUN_STR("Content-Length"), LUN_STR(""))
             + LENGTH;
    }

    p = text = lun_pool_text(x->r->pool, n);

    lun_header_each(&x->answer.list, h) {
        if (is_kept_line(h) && h->known != LUN_HOUT_CONTENT_LENGTH) {
            p = lun_cache_put_line(p, h->name, h->value);
        }
    }

    if (x->answer.head_length >= 0) {
        n = (size_t) (lun_fmt_u64(length, (uint64_t) x->answer.head_length)
                      - length);
        p = lun_cache_put_line(p, LUN_STR("Content-Length"),
                               lun_str_of(length, n));
    }

    return lun_str_of(text, (size_t) (p - text));
}


/*
 * No other answer's, of this server or one before; it is no secret.  Only
 * workers come here, and each begins with a number of its own.
 */
static uint64_t
new_family(void)
{
    uint64_t         n;
    static uint64_t  last;

    if (last == 0) {
        lun_random_bytes(&last, sizeof(last));
    }

    last += UINT64_C(0x9e3779b97f4a7c15);
    n = (last ^ last >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);

    return (n ^ n >> 31) | 1;
}


/*
 * For the index: until when a file may be sent to anyone, so that later it need
 * not be opened.  The main one of an answer that varies says what by.
 */
static int64_t
good_until(const lun_caching *c, const lun_cache_head *head)
{
    int64_t  more = lun_max(head->stale_updating, head->stale_error);

    return head->vary.len != 0 && lun_cache_key_eq(&c->key, &c->main)
           ? 0 : head->valid + lun_max(more, (int64_t) 0);
}


/* Of which of two keys it is: that of the request's variant, or the main. */
static void
choose_key(lun_caching *c, lun_str vary, lun_cache_key *variant)
{
    if (c->family == 0) {
        c->family = new_family();
    }

    *variant = c->main;

    if (vary.len != 0) {
        lun_cache_variant(c->x->r, c, vary, variant);
    }

    /* What varies by other fields than before has another main file. */
    if (!lun_cache_key_eq(&c->key, &c->main)
        && !lun_cache_key_eq(&c->key, variant))
    {
        lun_cache_end_update(c);
        c->key = c->main;
    }
}


/*
 * Validators are kept of answers that a condition can be asked for, and of no
 * others: an ETag of a 404 would revalidate an error.
 */
static void
fill_head(lun_caching *c, lun_str vary, lun_cache_head *head)
{
    int64_t           sec;
    lun_upreq        *x = c->x;
    const lun_header *h;

    *head = (lun_cache_head) {
        .main = c->main, .status = x->answer.status, .valid = c->valid,
        .stale_updating = c->keep_updating, .stale_error = c->keep_error,
        .date = lun_cache_now(), .last_modified = -1, .length = -1,
        .bodiless = x->r->method == LUN_HEAD && !x->fetch.get,
        .key = c->text, .vary = vary, .etag = LUN_STR(""),
        .status_line = x->answer.status_line, .lines = pack_lines(x) };

    choose_key(c, vary, &head->variant);
    head->family = c->family;

    if (head->status != 200 && head->status != 206) {
        return;
    }

    h = lun_header_find(&x->answer.list, LUN_STR("ETag"));

    if (h != NULL) {
        head->etag = h->value;
    }

    h = lun_header_find(&x->answer.list, LUN_STR("Last-Modified"));

    if (h != NULL && lun_http_date_parse(h->value, &sec) == LUN_OK) {
        head->last_modified = sec;
    }
}


/* --- bypassed ------------------------------------------------------------ */

/* Nobody has looked: what is there says whose variants these are. */
static void
look_late(lun_caching *c)
{
    lun_request      *r = c->x->r;
    lun_cached       *a;
    lun_cache_entry   e, gone;

    (void) lun_cache_index_use(c->index, &c->main, lun_clock.sec, true, &e,
                               &gone);
    (void) lun_cache_delete_file(c->cache, &gone, r->pool, r->log);

    if (e.version == 0) {
        return;
    }

    a = lun_cached_open(r->pool, c->cache, &c->main, e.version, false,
                        r->log);

    if (a == NULL || !lun_str_eq(a->head.key, c->text)
        || lun_cache_index_is_purged(c->index, c->text, a->head.date))
    {
        return;
    }

    c->family = a->head.family;

    if (a->head.vary.len != 0) {
        lun_cache_variant(r, c, a->head.vary, &c->key);

        if (lun_cache_key_eq(&c->key, &a->head.variant)) {
            c->key = c->main;
        }
    }
}


/* --- writing ------------------------------------------------------------- */

static void
free_store(void *data)
{
    lun_caching  *c = data;

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);

    lun_cache_drop_store(c);
}


void
lun_cache_drop_store(lun_caching *c)
{
    lun_cache_store  *s = c->store;

    if (s == NULL) {
        return;
    }

    c->store = NULL;
    c->x->fetch.keep = false;
    lun_free(s->buf);
    s->buf = NULL;

    if (s->fd != LUN_FD_NONE) {
        lun_file_close(s->fd);
        (void) lun_file_delete(s->path);
    }
}


/* It is served all the same; a disk that stays full is not news. */
static void
give_up(lun_caching *c, lun_err err, const char *call, const char *path)
{
    static int64_t  last;

    if (lun_clock.sec - last >= QUIET) {
        last = lun_clock.sec;
        lun_log(LUN_LOG_CRIT, c->x->r->log, err, "%s \"%s\" failed, the "
                "answer is not cached", call, path);
    }

    c->cacheable = false;
    lun_cache_drop_store(c);
}


static lun_rc
open_file(lun_caching *c)
{
    lun_err           err;
    lun_cache_store  *s = c->store;

    LUN_CHECK(s->fd == LUN_FD_NONE);

    err = lun_temp_path_open(&c->cache->aside, s->path, sizeof(s->path),
                             &s->fd);
    if (err != 0) {
        s->fd = LUN_FD_NONE;
        give_up(c, err, "open()", c->cache->aside.path.data);
        return LUN_ERROR;
    }

    return LUN_OK;
}


static lun_rc
flush_buffer(lun_caching *c)
{
    lun_err           err;
    lun_cache_store  *s = c->store;

    LUN_CHECK(s != NULL && s->len <= s->room);

    /* It would be the next that has to go; and it may have no end. */
    if (s->written + (int64_t) s->len > c->cache->max_size) {
        c->cacheable = false;
        lun_cache_drop_store(c);
        return LUN_ERROR;
    }

    if (s->fd == LUN_FD_NONE && open_file(c) != LUN_OK) {
        return LUN_ERROR;
    }

    err = lun_file_write(s->fd, s->buf, s->len, s->written);

    if (err != 0) {
        give_up(c, err, "write()", s->path);
        return LUN_ERROR;
    }

    s->written += (int64_t) s->len;
    s->len = 0;
    return LUN_OK;
}


/*
 * Gathered into writes of one size: an answer in small pieces would be a call
 * of the system for each.
 */
void
lun_cache_store_bytes(lun_upreq *x, lun_str bytes)
{
    size_t            n;
    lun_caching      *c = lun_caching_of(x);
    lun_cache_store  *s = c->store;

    if (s == NULL) {
        return;
    }

    s->head.body_crc = lun_crc32_more(s->head.body_crc, bytes);
    s->head.length += (int64_t) bytes.len;

    while (bytes.len != 0) {
        n = lun_min(bytes.len, s->room - s->len);
        memcpy(s->buf + s->len, bytes.data, n);
        s->len += n;
        bytes = lun_str_of(bytes.data + n, bytes.len - n);

        if (s->len == s->room && flush_buffer(c) != LUN_OK) {
            return;
        }
    }
}


void
lun_cache_begin_store(lun_caching *c)
{
    lun_str           vary;
    lun_upreq        *x = c->x;
    lun_cache_store  *s;

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);
    LUN_CHECK(c->store == NULL);

    if (!may_be_kept(c, &vary)) {
        c->cacheable = false;
        return;
    }

    /* It was not looked up, but takes the place of one that is there. */
    if (c->status == LUN_CACHE_BYPASS) {
        look_late(c);
    }

    s = lun_pool_new(x->r->pool, lun_cache_store);
    s->fd = LUN_FD_NONE;
    fill_head(c, vary, &s->head);
    s->head_size = lun_cache_head_size(&s->head);

    if (s->head_size == 0) {
        c->cacheable = false;
        return;
    }

    /* Head and body of a small one are written at once, when it is whole. */
    s->room = lun_max((size_t) ROOM, 2 * s->head_size);

    if (x->answer.length >= 0 && x->answer.length < ROOM) {
        s->room = s->head_size + (size_t) x->answer.length + 1;
    }

    s->buf = lun_malloc(s->room);
    c->store = s;
    lun_pool_on_end(x->r->pool, free_store, c);
    lun_cache_head_pack(&s->head, s->buf);
    s->len = s->head_size;
    s->head.length = 0;
    x->fetch.keep = true;
}


/* --- its end ------------------------------------------------------------- */

/* In its place; folders for its levels are made as they are needed. */
static lun_err
move_file(const char *from, lun_str to)
{
    char     *slash, folder[PATH];
    lun_err   err = lun_file_rename(from, to.data);

    if (err == 0 || to.len >= sizeof(folder)
        || (lun_err_kind_of(err) != LUN_ERR_NOT_FOUND
            && lun_err_kind_of(err) != LUN_ERR_NOT_DIR))
    {
        return err;
    }

    memcpy(folder, to.data, to.len + 1);
    slash = strrchr(folder, '/');
    *slash = '\0';
    err = lun_dir_make_all(folder, 0700);

    return err != 0 ? err : lun_file_rename(from, to.data);
}


/* Head and all: the file is whole. */
static lun_rc
finish_file(lun_caching *c)
{
    lun_err           err;
    lun_cache_store  *s = c->store;

    if (s->written == 0) {
        lun_cache_head_pack(&s->head, s->buf);
        return flush_buffer(c);
    }

    if (s->len != 0 && flush_buffer(c) != LUN_OK) {
        return LUN_ERROR;
    }

    lun_cache_head_pack(&s->head, s->buf);
    err = lun_file_write(s->fd, s->buf, s->head_size, 0);

    if (err != 0) {
        give_up(c, err, "write()", s->path);
        return LUN_ERROR;
    }

    return LUN_OK;
}


void
lun_cache_commit(lun_caching *c)
{
    lun_err           err;
    lun_str           path;
    uint64_t          waiters;
    lun_upreq        *x = c->x;
    lun_cache_store  *s = c->store;

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);

    /* What was promised has not come, or more; or it is purged by now. */
    if ((!s->head.bodiless && x->answer.length >= 0
         && x->answer.length != s->head.length)
        || lun_cache_index_purged_since(c->index, c->moment))
    {
        lun_cache_drop_store(c);
        return;
    }

    if (finish_file(c) != LUN_OK) {
        return;
    }

    lun_file_close(s->fd);
    s->fd = LUN_FD_NONE;
    path = lun_cached_path(x->r->pool, c->cache, &c->key);
    err = move_file(s->path, path);

    if (err != 0) {
        (void) lun_file_delete(s->path);
        give_up(c, err, "rename()", path.data);
        return;
    }

    waiters = lun_cache_index_stored(c->index, &c->key, c->ticket,
                                     lun_clock.sec,
                                     (int64_t) lun_align((uint64_t)
                                                         s->written, BLOCK),
                                     good_until(c, &s->head));
    c->ticket = 0;
    c->stored = true;
    lun_cache_count_stored(c, s->written);
    lun_cache_drop_store(c);
    lun_mailbox_ring_bits(waiters, LUN_LETTER_CACHE);
    lun_cache_trim(c->cache, 2);
}


/* --- it is still right --------------------------------------------------- */

/* Into that very file: another may have come to its place. */
static bool
write_head(lun_caching *c, const lun_cache_head *head)
{
    char           *text;
    lun_fd          fd;
    lun_err         err;
    lun_str         path = lun_cached_path(c->x->r->pool, c->cache, &c->key);
    size_t          size = lun_cache_head_size(head);
    lun_file_info   info;

    text = lun_pool_text(c->x->r->pool, size);
    lun_cache_head_pack(head, text);
    err = lun_file_open(path.data, LUN_FILE_READ | LUN_FILE_WRITE, 0, &fd);

    if (err != 0) {
        return false;
    }

    err = lun_file_info_of(fd, &info);

    if (err != 0 || info.id != c->found->id
        || info.device != c->found->device || info.size != c->found->size)
    {
        lun_file_close(fd);
        return false;
    }

    err = lun_file_write(fd, text, size, 0);
    lun_file_close(fd);

    return err == 0;
}


/* The old header, read again: "max-age=60" is a minute from now. */
static lun_cache_verdict
old_age(lun_caching *c)
{
    lun_str           name, value, lines = c->found->head.lines;
    lun_header       *h;
    lun_header_list   list;

    lun_header_list_init(&list, c->x->r->pool, 16);

    while (lun_cache_next_line(&lines, &name, &value)) {
        h = lun_header_list_push(&list);
        memset(h, 0, sizeof(*h));
        h->name = name;
        h->value = value;
        h->hash = lun_header_hash(name);
        h->known = (int16_t) lun_header_known_out(name, h->hash);
    }

    return lun_cache_age_of(c, &list, c->found->head.status);
}


/*
 * The server has said 304: body and fields stay, and the time until which they
 * are good is written into the head of the file.
 */
void
lun_cache_refresh(lun_caching *c)
{
    uint64_t           waiters;
    lun_cache_head     head = c->found->head;
    lun_cache_verdict  v = lun_cache_age_of(c, &c->x->answer.list, 0);

    LUN_CHECK_MARK(c, LUN_MARK_CACHING);
    LUN_CHECK(c->found != NULL);

    if (v == LUN_CACHE_UNSAID) {
        v = old_age(c);
    }

    if (v != LUN_CACHE_UNTIL
        || lun_scripts_any(&c->x->r->session, c->conf->no_cache))
    {
        return;
    }

    head.valid = c->valid;
    head.date = lun_cache_now();

    if (write_head(c, &head)) {
        waiters = lun_cache_index_stored(c->index, &c->key, c->ticket,
                                         lun_clock.sec,
                                         (int64_t) lun_align((uint64_t)
                                                             c->found->size,
                                                             BLOCK),
                                         good_until(c, &head));
        c->ticket = 0;
        lun_mailbox_ring_bits(waiters, LUN_LETTER_CACHE);
    }
}
