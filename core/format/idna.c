/*
 * idna.c -- names of hosts in other scripts, in ASCII.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/idna.h"

#include "base/fmt.h"


enum {
    LABEL = 63,                    /* bytes, or letters, of a label */

    /* RFC 3492, 5. */
    BASE = 36, TMIN = 1, TMAX = 26, SKEW = 38, DAMP = 700,
    FIRST_BIAS = 72, FIRST = 0x80
};


bool
lun_idna_is_needed(lun_str host)
{
    size_t  i;

    for (i = 0; i < host.len; i++) {
        if ((unsigned char) host.data[i] >= 0x80) {
            return true;
        }
    }

    return false;
}


/* --- UTF-8 --------------------------------------------------------------- */

/* The next letter, which is taken off; 0: it is none. */
static uint32_t
take_letter(lun_str *s)
{
    size_t         i, n;
    uint32_t       c = (unsigned char) s->data[0];
    unsigned char  next;

    static const uint32_t  least[] = { 0, 0, 0x80, 0x800, 0x10000 };

    n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4
        : 0;

    if (n == 0 || n > s->len) {
        return 0;
    }

    c = n == 1 ? c : c & (0xffu >> (n + 1));

    for (i = 1; i < n; i++) {
        next = (unsigned char) s->data[i];

        if (next >> 6 != 2) {
            return 0;
        }

        c = c << 6 | (next & 0x3f);
    }

    *s = lun_str_of(s->data + n, s->len - n);
    return c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : c;
}


/* --- Punycode ------------------------------------------------------------ */

static char
digit_of(uint32_t d)
{
    return (char) (d < 26 ? 'a' + d : '0' + (d - 26));
}


static uint32_t
adapt(uint32_t delta, uint32_t count, bool is_first)
{
    uint32_t  k = 0;

    delta = is_first ? delta / DAMP : delta / 2;
    delta += delta / count;

    while (delta > (BASE - TMIN) * TMAX / 2) {
        delta /= BASE - TMIN;
        k += BASE;
    }

    return k + (BASE - TMIN + 1) * delta / (delta + SKEW);
}


/* A number in digits of falling weight; NULL: there is no room. */
static char *
put_number(char *p, const char *end, uint32_t q, uint32_t bias)
{
    uint32_t  k, t;

    for (k = BASE; p != end; k += BASE) {
        t = k <= bias ? TMIN : k >= bias + TMAX ? TMAX : k - bias;

        if (q < t) {
            *p++ = digit_of(q);
            return p;
        }

        *p++ = digit_of(t + (q - t) % (BASE - t));
        q = (q - t) / (BASE - t);
    }

    return NULL;
}


static uint32_t
least_from(const uint32_t *letters, size_t n, uint32_t from)
{
    size_t    i;
    uint32_t  least = UINT32_MAX;

    for (i = 0; i < n; i++) {
        if (letters[i] >= from && letters[i] < least) {
            least = letters[i];
        }
    }

    return least;
}


/* n is 63 at most, so that no sum of these leaves 32 bits. */
static char *
encode(char *p, const char *end, const uint32_t *letters, size_t n)
{
    size_t    i;
    uint32_t  now = FIRST, delta = 0, bias = FIRST_BIAS, done = 0, basic, m;

    for (i = 0; i < n; i++) {
        if (letters[i] < FIRST) {
            if (p == end) {
                return NULL;
            }

            *p++ = (char) letters[i];
            done++;
        }
    }

    basic = done;

    if (basic != 0) {
        if (p == end) {
            return NULL;
        }

        *p++ = '-';
    }

    for ( ; done < n; now++, delta++) {
        m = least_from(letters, n, now);
        delta += (m - now) * (done + 1);
        now = m;

        for (i = 0; i < n; i++) {
            delta += letters[i] < now;

            if (letters[i] != now) {
                continue;
            }

            p = put_number(p, end, delta, bias);

            if (p == NULL) {
                return NULL;
            }

            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
    }

    return p;
}


/* --- names --------------------------------------------------------------- */

/* A label may have 63 bytes of ASCII, so never more letters than that. */
static char *
put_label(char *p, lun_str label)
{
    size_t       n = 0;
    uint32_t     letters[LABEL];
    const char  *end = p + LABEL;

    if (!lun_idna_is_needed(label)) {
        return label.len <= LABEL ? lun_copy_str(p, label) : NULL;
    }

    p = lun_copy_str(p, LUN_STR("xn--"));

    while (label.len != 0) {
        if (n == LABEL) {
            return NULL;
        }

        letters[n] = take_letter(&label);

        if (letters[n++] == 0) {
            return NULL;
        }
    }

    return encode(p, end, letters, n);
}


/*
 * A label at a time: one that is plain is copied, and none can grow over LABEL
 * bytes.
 */
bool
lun_idna_to_ascii(lun_pool *pool, lun_str host, lun_str *ascii)
{
    char        *p, *start;
    size_t       i, labels = 1;
    lun_str      label;
    const char  *dot;

    if (!lun_idna_is_needed(host)) {
        *ascii = host;
        return true;
    }

    for (i = 0; i < host.len; i++) {
        labels += host.data[i] == '.';
    }

    p = start = lun_pool_text(pool, labels * (LABEL + 1));

    for ( ;; ) {
        dot = lun_str_chr(host, '.');
        label = lun_str_of(host.data, dot != NULL ? (size_t) (dot - host.data)
                                                  : host.len);
        p = put_label(p, label);

        if (p == NULL) {
            return false;
        }

        if (dot == NULL) {
            break;
        }

        *p++ = '.';
        host = lun_str_of(dot + 1, host.len - label.len - 1);
    }

    *ascii = lun_str_of(start, (size_t) (p - start));
    return true;
}
