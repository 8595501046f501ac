/*
 * url.c -- where something is, as people and certificates write it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "format/url.h"


static lun_str
behind(lun_str s, size_t n)
{
    return lun_str_of(s.data + n, s.len - n);
}


const char *
lun_url_authority(lun_str text, lun_str *host, uint16_t *port)
{
    uint64_t     n;
    lun_str      after = text;
    const char  *mark;

    /* Colons within brackets are an address's own. */
    if (lun_str_starts(text, LUN_STR("["))) {
        mark = lun_str_chr(text, ']');

        if (mark == NULL) {
            return "invalid host";
        }

        after = behind(text, (size_t) (mark - text.data));
    }

    *host = text;
    *port = 0;
    mark = lun_str_chr(after, ':');

    if (mark != NULL) {
        host->len = (size_t) (mark - text.data);

        if (lun_str_to_u64(behind(text, host->len + 1), &n) != LUN_OK
            || n == 0 || n > UINT16_MAX)
        {
            return "invalid port";
        }

        *port = (uint16_t) n;
    }

    return host->len == 0 ? "no host" : NULL;
}


/* Nothing in it may end a line of a request, or a word of it. */
static bool
is_plain(lun_str s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if ((unsigned char) s.data[i] <= ' '
            || (unsigned char) s.data[i] >= 0x7f)
        {
            return false;
        }
    }

    return true;
}


/* RFC 3986, 3.1: a letter, and then letters, digits, "+-." */
static size_t
scheme_len(lun_str text)
{
    size_t  i;
    char    c;

    for (i = 0; i < text.len; i++) {
        c = lun_lower(text.data[i]);

        if (!(c >= 'a' && c <= 'z')
            && (i == 0 || !(lun_is_digit(c) || c == '+' || c == '-'
                            || c == '.')))
        {
            break;
        }
    }

    return i;
}


/*
 * A user in front of the host ("@") is refused: hardly anybody means it, and it
 * is a way to make a URL look like another host's.
 */
const char *
lun_url_parse(lun_str text, lun_url *url)
{
    size_t   i;
    lun_str  mark = LUN_STR("://");

    *url = (lun_url) { .scheme = lun_str_of(text.data, scheme_len(text)) };
    text = behind(text, url->scheme.len);

    if (url->scheme.len == 0 || !lun_str_starts(text, mark)) {
        return "invalid URL prefix";
    }

    text = behind(text, mark.len);

    if (!is_plain(text)) {
        return "invalid URL";
    }

    for (i = 0; i < text.len && text.data[i] != '/' && text.data[i] != '?';
         i++)
    {
        if (text.data[i] == '@' || text.data[i] == '#') {
            return "invalid host";
        }
    }

    url->authority = lun_str_of(text.data, i);
    url->uri = behind(text, i);
    return lun_url_authority(url->authority, &url->host, &url->port);
}
