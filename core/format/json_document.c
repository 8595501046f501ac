/*
 * json_document.c -- a text in JSON, and values at some places in it.
 *
 * One walk over the text, without a tree of it: each value is checked, and
 * what stands at a place is noted.  Depth is limited, so that functions may
 * call each other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/json_document.h"
#include "format/json_object.h"

#include <string.h>


typedef struct {
    const char  *p, *end;
    lun_pool    *pool;
    unsigned     depth;            /* that is left */
    lun_str     *values;
} reader;

static bool read_value(reader *rd, const lun_json_place *place);


/* --- strings ------------------------------------------------------------- */

static bool
read_hex4(reader *rd, uint32_t *out)
{
    int       i;
    char      c;
    uint32_t  v = 0;

    if (rd->end - rd->p < 4) {
        return false;
    }

    for (i = 0; i < 4; i++) {
        c = lun_lower(*rd->p++);

        if (lun_is_digit(c)) {
            v = v * 16 + (uint32_t) (c - '0');

        } else if (c >= 'a' && c <= 'f') {
            v = v * 16 + (uint32_t) (c - 'a' + 10);

        } else {
            return false;
        }
    }

    *out = v;
    return true;
}


static char *
put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char) c;
        return out;
    }

    if (c < 0x800) {
        *out++ = (char) (0xc0 | c >> 6);

    } else {
        if (c < 0x10000) {
            *out++ = (char) (0xe0 | c >> 12);

        } else {
            *out++ = (char) (0xf0 | c >> 18);
            *out++ = (char) (0x80 | (c >> 12 & 0x3f));
        }

        *out++ = (char) (0x80 | (c >> 6 & 0x3f));
    }

    *out++ = (char) (0x80 | (c & 0x3f));
    return out;
}


/* Behind "\u": one character, which may be written as two of these. */
static bool
read_unicode(reader *rd, char **out)
{
    uint32_t  c, low;

    if (!read_hex4(rd, &c)) {
        return false;
    }

    if ((c & 0xf800) == 0xd800) {

        if ((c & 0x400) != 0 || rd->end - rd->p < 6 || rd->p[0] != '\\'
            || rd->p[1] != 'u')
        {
            return false;          /* half a character is none */
        }

        rd->p += 2;

        if (!read_hex4(rd, &low) || (low & 0xfc00) != 0xdc00) {
            return false;
        }

        c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
    }

    *out = put_utf8(*out, c);
    return true;
}


/* Behind a backslash. */
static bool
read_escape(reader *rd, char **out)
{
    char               c;
    const char        *at;
    static const char  names[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";

    if (rd->p == rd->end) {
        return false;
    }

    c = *rd->p++;

    if (c == 'u') {
        return read_unicode(rd, out);
    }

    at = memchr(names, c, sizeof(names) - 1);

    if (at == NULL) {
        return false;
    }

    *(*out)++ = means[at - names];
    return true;
}


/* Behind the quote; *text is a part of the document where it can be one. */
static bool
read_string(reader *rd, lun_str *text)
{
    char        *out;
    size_t       len;
    const char  *from = rd->p;

    while (rd->p != rd->end && *rd->p != '"' && *rd->p != '\\'
           && (unsigned char) *rd->p >= ' ')
    {
        rd->p++;
    }

    len = (size_t) (rd->p - from);
    *text = lun_str_of(from, len);

    if (rd->p != rd->end && *rd->p == '"') {
        rd->p++;
        return true;
    }

    /* No escape says more than it is long. */
    out = lun_pool_text(rd->pool, (size_t) (rd->end - from));
    text->data = out;
    memcpy(out, from, len);
    out += len;

    while (rd->p != rd->end && (unsigned char) *rd->p >= ' ') {

        switch (*rd->p) {

        case '"':
            rd->p++;
            text->len = (size_t) (out - text->data);
            return true;

        case '\\':
            rd->p++;

            if (!read_escape(rd, &out)) {
                return false;
            }

            break;

        default:
            *out++ = *rd->p++;
        }
    }

    return false;
}


/* --- values -------------------------------------------------------------- */

static void
skip_space(reader *rd)
{
    while (rd->p != rd->end && (*rd->p == ' ' || *rd->p == '\t'
                                || *rd->p == '\n' || *rd->p == '\r'))
    {
        rd->p++;
    }
}


static bool
take(reader *rd, char c)
{
    if (rd->p == rd->end || *rd->p != c) {
        return false;
    }

    rd->p++;
    return true;
}


/* One digit at least. */
static bool
skip_digits(reader *rd)
{
    const char  *from = rd->p;

    while (rd->p != rd->end && lun_is_digit(*rd->p)) {
        rd->p++;
    }

    return rd->p != from;
}


static bool
skip_number(reader *rd)
{
    (void) take(rd, '-');

    if (!take(rd, '0') && !skip_digits(rd)) {
        return false;
    }

    if (take(rd, '.') && !skip_digits(rd)) {
        return false;
    }

    if (take(rd, 'e') || take(rd, 'E')) {
        if (!take(rd, '+')) {
            (void) take(rd, '-');
        }

        return skip_digits(rd);
    }

    return true;
}


static bool
skip_word(reader *rd, lun_str word)
{
    if ((size_t) (rd->end - rd->p) < word.len
        || memcmp(rd->p, word.data, word.len) != 0)
    {
        return false;
    }

    rd->p += word.len;
    return true;
}


/* What was noted of a member is that of an earlier one of its name. */
static void
forget(reader *rd, const lun_json_place *place)
{
    const lun_json_place  *inner;

    rd->values[place->number] = LUN_STR_NULL;

    for (inner = place->inner; inner != NULL; inner = inner->next) {
        forget(rd, inner);
    }
}


static const lun_json_place *
member_of(reader *rd, const lun_json_place *place, lun_str name)
{
    const lun_json_place  *one;

    for (one = place != NULL ? place->inner : NULL; one != NULL;
         one = one->next)
    {
        if (!one->in_array && lun_str_eq(one->name, name)) {
            forget(rd, one);
            return one;
        }
    }

    return NULL;
}


static const lun_json_place *
element_of(const lun_json_place *place, uint64_t index)
{
    const lun_json_place  *one;

    for (one = place != NULL ? place->inner : NULL; one != NULL;
         one = one->next)
    {
        if (one->in_array && one->index == index) {
            return one;
        }
    }

    return NULL;
}


static lun_json_kind
kind_at(const reader *rd)
{
    switch (rd->p != rd->end ? *rd->p : '\0') {

    case '"':
        return LUN_JSON_STRING;

    case '{':
    case '[':
        return LUN_JSON_NESTED;

    case 't':
    case 'f':
        return LUN_JSON_BOOLEAN;

    case 'n':
        return LUN_JSON_NULL;

    default:
        return LUN_JSON_NUMBER;
    }
}


/* One that is asked for, and nothing of what is inside it. */
static bool
note_member(reader *rd, lun_array *to, lun_str name)
{
    bool                    ok;
    lun_str                 value;
    lun_json_member        *m = lun_array_push(to);
    const lun_json_place    place = { .number = 0 };

    skip_space(rd);
    m->name = name;
    m->kind = kind_at(rd);
    rd->values = &value;
    ok = read_value(rd, &place);
    rd->values = NULL;
    m->text = value;
    return ok;
}


/* `to`: its members are noted there; NULL: they are told, by their places. */
static bool
read_object(reader *rd, const lun_json_place *place, lun_array *to)
{
    lun_str  name;

    skip_space(rd);

    if (take(rd, '}')) {
        return true;
    }

    do {
        skip_space(rd);

        if (!take(rd, '"') || !read_string(rd, &name)) {
            return false;
        }

        skip_space(rd);

        if (!take(rd, ':')
            || !(to != NULL ? note_member(rd, to, name)
                            : read_value(rd, member_of(rd, place, name))))
        {
            return false;
        }

    } while (take(rd, ','));

    return take(rd, '}');
}


static bool
read_array(reader *rd, const lun_json_place *place)
{
    uint64_t  i = 0;

    skip_space(rd);

    if (take(rd, ']')) {
        return true;
    }

    do {
        if (!read_value(rd, element_of(place, i++))) {
            return false;
        }

    } while (take(rd, ','));

    return take(rd, ']');
}


static bool
read_nested(reader *rd, const lun_json_place *place)
{
    bool  ok;

    if (rd->depth == 0) {
        return false;
    }

    rd->depth--;
    ok = *rd->p++ == '{' ? read_object(rd, place, NULL)
                         : read_array(rd, place);
    rd->depth++;

    return ok;
}


/* And the space around it. */
static bool
read_value(reader *rd, const lun_json_place *place)
{
    bool         ok;
    lun_str      text = LUN_STR_NULL;
    const char  *from;

    skip_space(rd);
    from = rd->p;

    if (rd->p == rd->end) {
        return false;
    }

    switch (*rd->p) {

    case '{':
    case '[':
        ok = read_nested(rd, place);
        break;

    case '"':
        rd->p++;
        ok = read_string(rd, &text);
        break;

    case 't':
        ok = skip_word(rd, LUN_STR("true"));
        break;

    case 'f':
        ok = skip_word(rd, LUN_STR("false"));
        break;

    case 'n':
        ok = skip_word(rd, LUN_STR("null"));
        break;

    default:
        ok = skip_number(rd);
    }

    if (ok && place != NULL) {
        rd->values[place->number] = text.data != NULL
                                    ? text
                                    : lun_str_of(from,
                                                 (size_t) (rd->p - from));
    }

    skip_space(rd);
    return ok;
}


bool
lun_json_document_read(const lun_json_places *places, lun_pool *pool,
    lun_str text, unsigned depth, lun_str *values)
{
    reader  rd = {
        .p = text.data, .end = text.data + text.len, .pool = pool,
        .depth = lun_min(depth, (unsigned) LUN_JSON_DEPTH_MOST),
        .values = values
    };

    memset(values, 0, (places->count + 1) * sizeof(lun_str));

    return text.len != 0 && read_value(&rd, &places->root)
           && rd.p == rd.end;
}


bool
lun_json_object_read(lun_pool *pool, lun_str text, lun_array *members,
    size_t *at)
{
    bool    ok;
    reader  rd = {
        .p = text.data, .end = text.data + text.len, .pool = pool,
        .depth = LUN_JSON_DEPTH_MOST
    };

    skip_space(&rd);
    ok = take(&rd, '{') && read_object(&rd, NULL, members);
    skip_space(&rd);

    if (at != NULL) {
        *at = (size_t) (rd.p - text.data);
    }

    return ok && rd.p == rd.end;
}


/* --- paths --------------------------------------------------------------- */

static lun_json_place *
place_in(lun_json_places *places, lun_pool *pool, lun_json_place *outer,
    const lun_json_place *like)
{
    lun_json_place  **one;

    for (one = &outer->inner; *one != NULL; one = &(*one)->next) {
        if ((*one)->in_array == like->in_array && (*one)->index == like->index
            && lun_str_eq((*one)->name, like->name))
        {
            return *one;
        }
    }

    *one = lun_pool_new(pool, lun_json_place);
    **one = *like;
    (*one)->number = ++places->count;

    return *one;
}


/* Behind a bracket: a number, or a name as JSON writes it. */
static bool
read_bracket(reader *rd, lun_json_place *place)
{
    const char  *from = rd->p;

    if (take(rd, '"')) {
        return read_string(rd, &place->name) && take(rd, ']');
    }

    place->in_array = true;

    return skip_digits(rd)
           && lun_str_to_u64(lun_str_of(from, (size_t) (rd->p - from)),
                             &place->index) == LUN_OK
           && take(rd, ']');
}


static bool
read_name(reader *rd, lun_json_place *place)
{
    const char  *from = rd->p;

    while (rd->p != rd->end && *rd->p != '.' && *rd->p != '['
           && *rd->p != ']')
    {
        rd->p++;
    }

    place->name = lun_str_of(from, (size_t) (rd->p - from));
    return place->name.len != 0;
}


/*
 * Paths that begin alike share their beginning, so a document is walked once
 * for all of them.
 */
lun_rc
lun_json_places_add(lun_json_places *places, lun_pool *pool, lun_str path,
    size_t *number)
{
    bool             ok, first = true;
    reader           rd = { .p = path.data, .end = path.data + path.len,
                            .pool = pool };
    lun_json_place   like, *place = &places->root;

    do {
        like = (lun_json_place) { .name = LUN_STR("") };

        if (take(&rd, '[')) {
            ok = read_bracket(&rd, &like);

        } else {
            ok = (first || take(&rd, '.')) && read_name(&rd, &like);
        }

        if (!ok) {
            return LUN_ERROR;
        }

        first = false;
        place = place_in(places, pool, place, &like);

    } while (rd.p != rd.end);

    *number = place->number;
    return LUN_OK;
}
