/*
 * hpack_table.c -- the fields that a block of HPACK names by number.
 *
 * The texts of a dynamic table lie one behind the other, a new one at the end;
 * what is in use moves to the front when the end of the memory is reached,
 * which is twice as large, so that each byte moves once in a table's length.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/hpack_table.h"

#include "base/check.h"
#include "base/fmt.h"
#include "base/pool.h"


enum { FIRST_ROOM = 512, FIRST_RING = 8, SLOTS = 256 };

const lun_hpack_field  lun_hpack_fields[LUN_HPACK_STATIC] = {
    { LUN_STR_INIT(":authority"), LUN_STR_INIT("") },
    { LUN_STR_INIT(":method"), LUN_STR_INIT("GET") },
    { LUN_STR_INIT(":method"), LUN_STR_INIT("POST") },
    { LUN_STR_INIT(":path"), LUN_STR_INIT("/") },
    { LUN_STR_INIT(":path"), LUN_STR_INIT("/index.html") },
    { LUN_STR_INIT(":scheme"), LUN_STR_INIT("http") },
    { LUN_STR_INIT(":scheme"), LUN_STR_INIT("https") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("200") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("204") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("206") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("304") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("400") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("404") },
    { LUN_STR_INIT(":status"), LUN_STR_INIT("500") },
    { LUN_STR_INIT("accept-charset"), LUN_STR_INIT("") },
    { LUN_STR_INIT("accept-encoding"), LUN_STR_INIT("gzip, deflate") },
    { LUN_STR_INIT("accept-language"), LUN_STR_INIT("") },
    { LUN_STR_INIT("accept-ranges"), LUN_STR_INIT("") },
    { LUN_STR_INIT("accept"), LUN_STR_INIT("") },
    { LUN_STR_INIT("access-control-allow-origin"), LUN_STR_INIT("") },
    { LUN_STR_INIT("age"), LUN_STR_INIT("") },
    { LUN_STR_INIT("allow"), LUN_STR_INIT("") },
    { LUN_STR_INIT("authorization"), LUN_STR_INIT("") },
    { LUN_STR_INIT("cache-control"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-disposition"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-encoding"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-language"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-length"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-location"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-range"), LUN_STR_INIT("") },
    { LUN_STR_INIT("content-type"), LUN_STR_INIT("") },
    { LUN_STR_INIT("cookie"), LUN_STR_INIT("") },
    { LUN_STR_INIT("date"), LUN_STR_INIT("") },
    { LUN_STR_INIT("etag"), LUN_STR_INIT("") },
    { LUN_STR_INIT("expect"), LUN_STR_INIT("") },
    { LUN_STR_INIT("expires"), LUN_STR_INIT("") },
    { LUN_STR_INIT("from"), LUN_STR_INIT("") },
    { LUN_STR_INIT("host"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-match"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-modified-since"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-none-match"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-range"), LUN_STR_INIT("") },
    { LUN_STR_INIT("if-unmodified-since"), LUN_STR_INIT("") },
    { LUN_STR_INIT("last-modified"), LUN_STR_INIT("") },
    { LUN_STR_INIT("link"), LUN_STR_INIT("") },
    { LUN_STR_INIT("location"), LUN_STR_INIT("") },
    { LUN_STR_INIT("max-forwards"), LUN_STR_INIT("") },
    { LUN_STR_INIT("proxy-authenticate"), LUN_STR_INIT("") },
    { LUN_STR_INIT("proxy-authorization"), LUN_STR_INIT("") },
    { LUN_STR_INIT("range"), LUN_STR_INIT("") },
    { LUN_STR_INIT("referer"), LUN_STR_INIT("") },
    { LUN_STR_INIT("refresh"), LUN_STR_INIT("") },
    { LUN_STR_INIT("retry-after"), LUN_STR_INIT("") },
    { LUN_STR_INIT("server"), LUN_STR_INIT("") },
    { LUN_STR_INIT("set-cookie"), LUN_STR_INIT("") },
    { LUN_STR_INIT("strict-transport-security"), LUN_STR_INIT("") },
    { LUN_STR_INIT("transfer-encoding"), LUN_STR_INIT("") },
    { LUN_STR_INIT("user-agent"), LUN_STR_INIT("") },
    { LUN_STR_INIT("vary"), LUN_STR_INIT("") },
    { LUN_STR_INIT("via"), LUN_STR_INIT("") },
    { LUN_STR_INIT("www-authenticate"), LUN_STR_INIT("") }
};


/* --- the static one ------------------------------------------------------ */

/* Names of the RFC by three of their letters and their length. */
static unsigned
slot_of(lun_str name)
{
    const unsigned char  *p = (const unsigned char *) name.data;

    return (unsigned) (name.len * 7 + p[0] * 3u + p[name.len / 2] * 5u
                       + p[name.len - 1] * 11u) % SLOTS;
}


static struct {
    bool     made;
    uint8_t  first[SLOTS];             /* the field; 0: none */
    uint8_t  next[LUN_HPACK_STATIC + 1];
} names;


static LUN_NOINLINE void
make_names(void)
{
    unsigned  i, slot;

    for (i = LUN_HPACK_STATIC; i > 0; i--) {
        slot = slot_of(lun_hpack_fields[i - 1].name);
        names.next[i] = names.first[slot];
        names.first[slot] = (uint8_t) i;
    }

    names.made = true;
}


unsigned
lun_hpack_static(lun_str name)
{
    unsigned  i;

    if (LUN_UNLIKELY(!names.made)) {
        make_names();
    }

    if (name.len == 0) {
        return 0;
    }

    for (i = names.first[slot_of(name)]; i != 0; i = names.next[i]) {
        if (lun_str_eq(lun_hpack_fields[i - 1].name, name)) {
            break;
        }
    }

    return i;
}


/* --- a dynamic one ------------------------------------------------------- */

void
lun_hpack_table_fini(lun_hpack_table *t)
{
    lun_free(t->text);
    lun_free(t->ring);
    *t = (lun_hpack_table) { .max = 0 };
}


static struct lun_hpack_entry *
entry_at(const lun_hpack_table *t, uint32_t number)
{
    LUN_CHECK(lun_hpack_table_has(t, number));
    return &t->ring[number & (t->ring_size - 1)];
}


static size_t
text_len(const struct lun_hpack_entry *e)
{
    return (size_t) e->name_len + e->value_len;
}


static void
drop_oldest(lun_hpack_table *t)
{
    size_t  len = text_len(entry_at(t, t->inserted - (uint32_t) t->count + 1));

    t->count--;
    t->size -= len + LUN_HPACK_OVERHEAD;
    t->from += len;

    if (t->count == 0) {
        t->from = 0;
        t->to = 0;
    }
}


void
lun_hpack_table_resize(lun_hpack_table *t, size_t max)
{
    t->max = max;

    while (t->size > max) {
        drop_oldest(t);
    }
}


lun_hpack_field
lun_hpack_table_get(const lun_hpack_table *t, uint32_t number)
{
    const struct lun_hpack_entry  *e = entry_at(t, number);
    const char                    *p = t->text + e->at;

    return (lun_hpack_field) { lun_str_of(p, e->name_len),
                               lun_str_of(p + e->name_len, e->value_len) };
}


static void
grow_ring(lun_hpack_table *t)
{
    size_t                   size = lun_max(t->ring_size * 2,
                                            (size_t) FIRST_RING);
    uint32_t                 i, number;
    struct lun_hpack_entry  *ring = lun_malloc(size * sizeof(*ring));

    for (i = 0; i < t->count; i++) {
        number = t->inserted - i;
        ring[number & (size - 1)] = *entry_at(t, number);
    }

    lun_free(t->ring);
    t->ring = ring;
    t->ring_size = size;
}


/* All that is in use comes to the front of `text`. */
static void
move_down(lun_hpack_table *t, char *text)
{
    uint32_t  i;

    if (t->to != t->from) {
        memmove(text, t->text + t->from, t->to - t->from);
    }

    for (i = 0; i < t->count; i++) {
        entry_at(t, t->inserted - i)->at -= (uint32_t) t->from;
    }

    t->to -= t->from;
    t->from = 0;
}


/* Room for so many bytes behind what is in use, which is kept until then. */
static void
make_room(lun_hpack_table *t, size_t n)
{
    char    *text;
    size_t   room = lun_max(t->room, (size_t) FIRST_ROOM);

    if (t->text != NULL && t->room - t->to >= n) {
        return;
    }

    while (room < 2 * t->max && room - (t->to - t->from) < n + room / 4) {
        room *= 2;
    }

    if (t->text != NULL && room == t->room) {
        move_down(t, t->text);
        return;
    }

    text = lun_malloc(room);
    move_down(t, text);
    lun_free(t->text);
    t->text = text;
    t->room = room;
}


bool
lun_hpack_table_add(lun_hpack_table *t, lun_str name, lun_str value)
{
    size_t                   len = name.len + value.len;
    lun_str                  own = name;
    ptrdiff_t                inside = -1;
    struct lun_hpack_entry  *e;

    if (len + LUN_HPACK_OVERHEAD > t->max) {
        while (t->count != 0) {
            drop_oldest(t);
        }

        return false;
    }

    if (t->text != NULL && name.data >= t->text + t->from
        && name.data < t->text + t->to)
    {
        inside = name.data - (t->text + t->from);
    }

    /* First the new text, then the old entries go: it may be one of theirs. */
    make_room(t, len);

    if (inside >= 0) {
        own.data = t->text + t->from + inside;
    }

    if (t->count == t->ring_size) {
        grow_ring(t);
    }

    (void) lun_copy_str(lun_copy_str(t->text + t->to, own), value);

    t->inserted++;
    t->count++;
    e = entry_at(t, t->inserted);
    *e = (struct lun_hpack_entry) { (uint32_t) t->to, (uint32_t) name.len,
                                    (uint32_t) value.len };
    t->to += len;
    t->size += len + LUN_HPACK_OVERHEAD;
    lun_hpack_table_resize(t, t->max);
    return true;
}
