/*
 * cache_file.c -- the file of a cached answer.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "cache/cache_file.h"

#include "base/digest.h"
#include "base/fmt.h"


enum { VERSION = 1 };

/* "LUNC", as this machine has its bytes in order. */
static const uint32_t  magic = 0x434e554c;

typedef struct {
    uint32_t       magic;
    uint16_t       version;
    uint16_t       status;
    uint32_t       crc;            /* of the head, this as 0 */
    uint32_t       size;           /* of the head */
    lun_cache_key  main;
    lun_cache_key  variant;
    uint64_t       family;
    int64_t        valid;
    int64_t        stale_updating;
    int64_t        stale_error;
    int64_t        date;
    int64_t        last_modified;
    int64_t        length;
    uint32_t       body_crc;
    uint32_t       key_len;
    uint32_t       vary_len;
    uint32_t       etag_len;
    uint32_t       status_line_len;
    uint32_t       lines_len;
    uint32_t       bodiless;
    uint32_t       pad;
} fixed;

_Static_assert(sizeof(fixed) <= LUN_CACHE_HEAD_MIN, "it is read in one piece");


/* --- the head ------------------------------------------------------------ */

size_t
lun_cache_head_size(const lun_cache_head *h)
{
    size_t   i, n = sizeof(fixed);
    lun_str  texts[] = { h->key, h->vary, h->etag, h->status_line, h->lines };

    for (i = 0; i < LUN_ARRAY_LEN(texts); i++) {
        if (texts[i].len > LUN_CACHE_HEAD_MAX) {
            return 0;
        }

        n += texts[i].len;
    }

    return n <= LUN_CACHE_HEAD_MAX ? n : 0;
}


/*
 * The checksum is over the head as it lies on disk with 0 in the sum's own
 * place, so the fixed part is copied twice.
 */
void
lun_cache_head_pack(const lun_cache_head *h, char *dst)
{
    char   *p = dst + sizeof(fixed);
    fixed   f;

    memset(&f, 0, sizeof(f));
    f.magic = magic;
    f.version = VERSION;
    f.status = (uint16_t) h->status;
    f.size = (uint32_t) lun_cache_head_size(h);
    f.main = h->main;
    f.variant = h->variant;
    f.family = h->family;
    f.valid = h->valid;
    f.stale_updating = h->stale_updating;
    f.stale_error = h->stale_error;
    f.date = h->date;
    f.last_modified = h->last_modified;
    f.length = h->length;
    f.body_crc = h->body_crc;
    f.key_len = (uint32_t) h->key.len;
    f.vary_len = (uint32_t) h->vary.len;
    f.etag_len = (uint32_t) h->etag.len;
    f.status_line_len = (uint32_t) h->status_line.len;
    f.lines_len = (uint32_t) h->lines.len;
    f.bodiless = h->bodiless;

    p = lun_copy_str(p, h->key);
    p = lun_copy_str(p, h->vary);
    p = lun_copy_str(p, h->etag);
    p = lun_copy_str(p, h->status_line);
    (void) lun_copy_str(p, h->lines);

    memcpy(dst, &f, sizeof(f));
    f.crc = lun_crc32(lun_str_of(dst, f.size));
    memcpy(dst, &f, sizeof(f));
}


static bool
is_whole(lun_str bytes, const fixed *f)
{
    fixed     blank = *f;
    uint32_t  crc;

    blank.crc = 0;
    crc = lun_crc32(lun_str_of((const char *) &blank, sizeof(blank)));
    crc = lun_crc32_more(crc, lun_str_of(bytes.data + sizeof(blank),
                                         f->size - sizeof(blank)));
    return crc == f->crc;
}


static lun_str
take(const char **p, size_t n)
{
    lun_str  s = lun_str_of(*p, n);

    *p += n;
    return s;
}


static void
fill(const fixed *f, const char *p, lun_cache_head *h)
{
    h->main = f->main;
    h->variant = f->variant;
    h->family = f->family;
    h->status = f->status;
    h->valid = f->valid;
    h->stale_updating = f->stale_updating;
    h->stale_error = f->stale_error;
    h->date = f->date;
    h->last_modified = f->last_modified;
    h->length = f->length;
    h->body_crc = f->body_crc;
    h->bodiless = f->bodiless != 0;

    h->key = take(&p, f->key_len);
    h->vary = take(&p, f->vary_len);
    h->etag = take(&p, f->etag_len);
    h->status_line = take(&p, f->status_line_len);
    h->lines = take(&p, f->lines_len);
}


/* Every line is there, and has a name. */
static bool
has_lines(lun_str lines)
{
    lun_str  name, value;

    while (lines.len != 0) {
        if (!lun_cache_next_line(&lines, &name, &value)) {
            return false;
        }
    }

    return true;
}


/* Seconds that can be added to a clock, and taken from one. */
static bool
is_time(int64_t sec)
{
    return sec >= 0 && sec <= INT64_MAX / 4;
}


/*
 * Nothing in the file is believed before it was checked: lengths add up to the
 * size, the size has a limit, the sum is right, and only then are values looked
 * at.
 */
lun_cache_head_verdict
lun_cache_head_read(lun_str bytes, lun_cache_head *h, size_t *size)
{
    fixed     f;
    uint64_t  sum;

    *size = sizeof(f);

    if (bytes.len < sizeof(f)) {
        return LUN_CACHE_SHORT;
    }

    memcpy(&f, bytes.data, sizeof(f));

    if (f.magic != magic || f.version != VERSION) {
        return LUN_CACHE_OTHER;
    }

    sum = (uint64_t) sizeof(f) + f.key_len + f.vary_len + f.etag_len
          + f.status_line_len + f.lines_len;

    if (f.size != sum || sum > LUN_CACHE_HEAD_MAX) {
        return LUN_CACHE_BROKEN;
    }

    *size = f.size;

    if (bytes.len < f.size) {
        return LUN_CACHE_SHORT;
    }

    if (!is_whole(bytes, &f)) {
        return LUN_CACHE_BROKEN;
    }

    fill(&f, bytes.data + sizeof(f), h);

    return has_lines(h->lines) && h->status >= 100 && h->status <= 999
           && h->length >= -1 && is_time(h->valid)
           && is_time(h->stale_updating) && is_time(h->stale_error)
           ? LUN_CACHE_WHOLE : LUN_CACHE_BROKEN;
}


/* --- its lines ----------------------------------------------------------- */

char *
lun_cache_put_line(char *dst, lun_str name, lun_str value)
{
    uint32_t  lens[2] = { (uint32_t) name.len, (uint32_t) value.len };

    dst = lun_copy(dst, (const char *) lens, sizeof(lens));
    dst = lun_copy_str(dst, name);
    return lun_copy_str(dst, value);
}


bool
lun_cache_next_line(lun_str *lines, lun_str *name, lun_str *value)
{
    uint32_t  lens[2];

    if (lines->len < sizeof(lens)) {
        return false;
    }

    memcpy(lens, lines->data, sizeof(lens));

    if (lens[0] == 0
        || (uint64_t) lens[0] + lens[1] > lines->len - sizeof(lens))
    {
        return false;
    }

    *name = lun_str_of(lines->data + sizeof(lens), lens[0]);
    *value = lun_str_of(name->data + lens[0], lens[1]);
    lines->data = value->data + lens[1];
    lines->len -= sizeof(lens) + lens[0] + lens[1];

    return true;
}


/* --- its name ------------------------------------------------------------ */

char *
lun_cache_file_name(char *dst, const int levels[3], const lun_cache_key *key)
{
    int     i;
    char    hex[2 * LUN_CACHE_KEY], *from = hex + sizeof(hex), *p = dst;

    (void) lun_hex(hex, key->bytes, LUN_CACHE_KEY);

    for (i = 0; i < 3 && levels[i] != 0; i++) {
        from -= levels[i];
        p = lun_copy(p, from, (size_t) levels[i]);
        *p++ = '/';
    }

    p = lun_copy(p, hex, sizeof(hex));
    *p = '\0';
    return p;
}


bool
lun_cache_key_of_name(lun_str name, lun_cache_key *key)
{
    size_t    i;
    uint64_t  n;

    if (name.len != 2 * LUN_CACHE_KEY) {
        return false;
    }

    for (i = 0; i < LUN_CACHE_KEY; i++) {
        if (lun_str_hex_to_u64(lun_str_of(name.data + 2 * i, 2), &n)
            != LUN_OK)
        {
            return false;
        }

        key->bytes[i] = (unsigned char) n;
    }

    return true;
}


/* --- the list ------------------------------------------------------------ */

static const uint32_t  list_magic = 0x314c4e55;


static uint32_t
list_crc(const char *bytes, uint64_t count)
{
    size_t  skip = offsetof(lun_cache_list_head, count);

    return lun_crc32(lun_str_of(bytes + skip, sizeof(lun_cache_list_head)
                                - skip + (size_t) count
                                * sizeof(lun_cache_list_row)));
}


void
lun_cache_list_seal(char *bytes, uint64_t count, bool complete)
{
    lun_cache_list_head  h = { .magic = list_magic, .count = count,
                               .complete = complete };

    memcpy(bytes, &h, sizeof(h));
    h.crc = list_crc(bytes, count);
    memcpy(bytes, &h, sizeof(h));
}


/*
 * The checksum is over all rows: they are trusted without a look at each of
 * them.
 */
const lun_cache_list_row *
lun_cache_list_read(lun_str bytes, uint64_t *count, bool *complete)
{
    lun_cache_list_head  h;

    *count = 0;
    *complete = false;

    if (bytes.len < sizeof(h)) {
        return NULL;
    }

    memcpy(&h, bytes.data, sizeof(h));

    if (h.magic != list_magic
        || h.count != (bytes.len - sizeof(h)) / sizeof(lun_cache_list_row)
        || (bytes.len - sizeof(h)) % sizeof(lun_cache_list_row) != 0
        || h.crc != list_crc(bytes.data, h.count))
    {
        return NULL;
    }

    *count = h.count;
    *complete = h.complete == 1;
    return (const void *) (bytes.data + sizeof(h));
}
