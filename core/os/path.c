/*
 * path.c -- the text rules of paths, for both systems.
 *
 * On Windows one file has many names: streams, devices, 8.3 aliases, dots and
 * spaces that are dropped, text that is not UTF-8.  Whatever could be such a
 * name is refused before the system sees it, and nothing is repaired: a
 * repaired path is an alias as well.  (A request's uri is, as nginx does it,
 * but before anybody looks at it.)  The 8.3 form alone cannot be told by its
 * text, hence LUN_PATH_TILDE.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/path.h"

#include "base/fmt.h"
#include "os/utf16.h"


/* Without extension; COM and LPT with a digit are tested apart. */
static const lun_str  devices[] = {
    LUN_STR_INIT("CON"),
    LUN_STR_INIT("PRN"),
    LUN_STR_INIT("AUX"),
    LUN_STR_INIT("NUL"),
    LUN_STR_INIT("CLOCK$"),
    LUN_STR_INIT("CONIN$"),
    LUN_STR_INIT("CONOUT$")
};

static const char *const  texts[] = {
    [LUN_PATH_FINE]      = "fine",
    [LUN_PATH_NUL]       = "a control character",
    [LUN_PATH_CHAR]      = "a character that no file name has",
    [LUN_PATH_COLON]     = "a colon",
    [LUN_PATH_DOT_SPACE] = "a component that ends with a dot or a space",
    [LUN_PATH_DEVICE]    = "the name of a device",
    [LUN_PATH_UTF8]      = "malformed UTF-8",
    [LUN_PATH_UNC]       = "a path to another machine or name space",
    [LUN_PATH_TILDE]     = "perhaps a short name"
};


const char *
lun_path_verdict_text(lun_path_verdict verdict)
{
    return (size_t) verdict < LUN_ARRAY_LEN(texts) ? texts[verdict]
                                                   : "unknown";
}


static inline bool
is_slash(char c, lun_path_rules rules)
{
    return c == '/' || (c == '\\' && rules == LUN_PATH_WINDOWS);
}


static inline bool
is_tail(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}


bool
lun_path_is_utf8(lun_str text)
{
    bool         beyond = false;
    size_t       n;
    const char  *p = text.data, *end = p + text.len;

    for ( /* void */ ; p < end; p += n) {
        n = lun_utf8_len(p, (size_t) (end - p));

        if (n == 0) {
            return false;
        }

        beyond |= n > 1;
    }

    return beyond;
}


static lun_path_verdict
check_char(char c)
{
    if ((unsigned char) c < 0x20 || c == 0x7f) {
        return LUN_PATH_NUL;
    }

    if (c == ':') {
        return LUN_PATH_COLON;
    }

    return strchr("<>\"|?*", c) ? LUN_PATH_CHAR : LUN_PATH_FINE;
}


/* COM1, LPT9, COM and LPT with a superscript one, two or three. */
static bool
is_port(lun_str stem)
{
    const char  *p = stem.data + 3;

    if (!lun_str_casestarts(stem, LUN_STR("COM"))
        && !lun_str_casestarts(stem, LUN_STR("LPT")))
    {
        return false;
    }

    if (stem.len == 4) {
        return lun_is_digit(*p);
    }

    return stem.len == 5
           && (memcmp(p, "\xc2\xb9", 2) == 0 || memcmp(p, "\xc2\xb2", 2) == 0
               || memcmp(p, "\xc2\xb3", 2) == 0);
}


/* Any extension, and spaces before it, lead to the device all the same. */
static bool
is_device(lun_str name)
{
    size_t       i;
    const char  *dot;

    dot = lun_str_chr(name, '.');

    if (dot) {
        name.len = (size_t) (dot - name.data);
    }

    while (name.len && name.data[name.len - 1] == ' ') {
        name.len--;
    }

    for (i = 0; i < LUN_ARRAY_LEN(devices); i++) {
        if (lun_str_caseeq(name, devices[i])) {
            return true;
        }
    }

    return is_port(name);
}


static lun_path_verdict
check_name(lun_str name)
{
    char  last;

    if (name.len == 0) {
        return LUN_PATH_FINE;
    }

    if (is_device(name)) {
        return LUN_PATH_DEVICE;
    }

    last = name.data[name.len - 1];

    if (last == '.' || last == ' ') {
        return LUN_PATH_DOT_SPACE;     /* dots alone end with one, too */
    }

    return lun_str_chr(name, '~') ? LUN_PATH_TILDE : LUN_PATH_FINE;
}


/* Reads one component, up to a slash or the end, and moves *p over it. */
static lun_path_verdict
check_component(const char **p, const char *end)
{
    size_t             n;
    const char        *start = *p;
    lun_path_verdict   verdict;

    while (*p < end && !is_slash(**p, LUN_PATH_WINDOWS)) {
        n = lun_utf8_len(*p, (size_t) (end - *p));

        if (n == 0) {
            return LUN_PATH_UTF8;
        }

        if (n == 1) {
            verdict = check_char(**p);

            if (verdict != LUN_PATH_FINE) {
                return verdict;
            }
        }

        *p += n;
    }

    return check_name(lun_str_of(start, (size_t) (*p - start)));
}


static lun_path_verdict
check_windows(lun_str part)
{
    bool               tilde = false;
    const char        *p = part.data, *end = p + part.len;
    lun_path_verdict   verdict;

    if (part.len >= 2 && is_slash(p[0], LUN_PATH_WINDOWS)
        && is_slash(p[1], LUN_PATH_WINDOWS))
    {
        return LUN_PATH_UNC;           /* the device forms begin so as well */
    }

    for ( ;; ) {
        verdict = check_component(&p, end);

        if (verdict == LUN_PATH_TILDE) {
            tilde = true;

        } else if (verdict != LUN_PATH_FINE) {
            return verdict;
        }

        if (p == end) {
            return tilde ? LUN_PATH_TILDE : LUN_PATH_FINE;
        }

        p++;
    }
}


lun_path_verdict
lun_path_check(lun_str part, lun_path_rules rules)
{
    if (rules == LUN_PATH_WINDOWS) {
        return check_windows(part);
    }

    return part.len && memchr(part.data, '\0', part.len) ? LUN_PATH_NUL
                                                         : LUN_PATH_FINE;
}


lun_path_verdict
lun_path_check_part(lun_str path, size_t from, lun_path_rules rules)
{
    if (from == 0 && rules == LUN_PATH_WINDOWS && path.len >= 3
        && path.data[1] == ':' && lun_path_is_absolute(path, rules))
    {
        from = 2;                      /* the drive */
    }

    from = lun_min(from, path.len);

    if (from == 1 && rules == LUN_PATH_WINDOWS && path.len > 1
        && is_slash(path.data[0], rules) && is_slash(path.data[1], rules))
    {
        return LUN_PATH_UNC;           /* half of it was configured */
    }

    return lun_path_check(lun_str_of(path.data + from, path.len - from),
                          rules);
}


bool
lun_path_climbs(lun_str path, size_t from, lun_path_rules rules)
{
    size_t   at, end, depth = 0;
    lun_str  name;

    at = lun_min(from, path.len);
    name = lun_str_of(path.data + at, path.len - at);

    if (lun_str_find(name, LUN_STR("..")) == NULL) {
        return false;                  /* nearly all */
    }

    for ( /* void */ ; at < path.len; at = end + 1) {
        for (end = at; end < path.len && !is_slash(path.data[end], rules);
             end++) { }

        name = lun_str_of(path.data + at, end - at);

        if (lun_str_eq(name, LUN_STR(".."))) {
            if (depth-- == 0) {
                return true;
            }

        } else if (name.len != 0 && !lun_str_eq(name, LUN_STR("."))) {
            depth++;
        }
    }

    return false;
}


/* At most eight characters, a dot, three characters. */
static bool
fits_short_name(lun_str name)
{
    size_t  i, stem = 0, extension = 0;
    bool    dot = false;

    for (i = 0; i < name.len; i++) {
        if (name.data[i] == '.') {
            if (dot || stem == 0) {
                return false;
            }

            dot = true;

        } else if (!is_tail((unsigned char) name.data[i])) {
            *(dot ? &extension : &stem) += 1;
        }
    }

    return stem > 0 && stem <= 8 && extension <= 3;
}


size_t
lun_path_check_from(lun_str path, size_t from, bool strict,
    lun_path_rules rules)
{
    size_t   end;
    lun_str  name;

    if (rules != LUN_PATH_WINDOWS) {
        return path.len;
    }

    for ( /* void */ ; from < path.len; from = end + 1) {
        for (end = from; end < path.len; end++) {
            if (is_slash(path.data[end], rules)) {
                break;
            }
        }

        name = lun_str_of(path.data + from, end - from);

        if (lun_str_chr(name, '~') || (strict && fits_short_name(name))) {
            return from;
        }
    }

    return path.len;
}


/* One pass that writes nothing: most are. */
static bool
is_tidy(lun_str uri)
{
    size_t  i;
    char    last = uri.len > 1 ? uri.data[uri.len - 1] : '/';

    for (i = 1; i < uri.len; i++) {
        if (uri.data[i] == ':'
            || (uri.data[i] == '/' && uri.data[i - 1] == '.'))
        {
            return false;
        }
    }

    return last != '.' && last != ' ';
}


/*
 * Windows drops dots and spaces at the end of a name and takes "name::$DATA"
 * for `name`: two URIs would be one file, and a location that refuses the one
 * would serve the other.
 */
lun_rc
lun_path_of_uri(lun_pool *pool, lun_str *uri, lun_path_rules rules)
{
    char        *text, *p;
    size_t       i;
    const char  *s = uri->data;

    if (rules != LUN_PATH_WINDOWS || is_tidy(*uri)) {
        return LUN_OK;
    }

    p = text = lun_pool_text(pool, uri->len);

    for (i = 0; i < uri->len; i++) {
        if (s[i] == ':' && i + 1 < uri->len && s[i + 1] == '$') {
            return LUN_ERROR;
        }

        if (s[i] == '/' && p - text >= 2 && p[-1] == '.' && p[-2] != '.') {
            p--;
        }

        *p++ = s[i];
    }

    while (p - text > 1 && (p[-1] == '.' || p[-1] == ' ')) {
        p--;
    }

    *uri = lun_str_of(text, (size_t) (p - text));
    return LUN_OK;
}


lun_str
lun_path_slashed(lun_pool *pool, lun_str path, lun_path_rules rules)
{
    char    *text;
    size_t   i;

    if (rules != LUN_PATH_WINDOWS || lun_str_chr(path, '\\') == NULL) {
        return path;
    }

    text = lun_pool_text(pool, path.len);

    for (i = 0; i < path.len; i++) {
        text[i] = path.data[i];

        if (is_slash(text[i], rules)) {
            text[i] = '/';
        }
    }

    return lun_str_of(text, path.len);
}


bool
lun_path_is_absolute(lun_str path, lun_path_rules rules)
{
    char  drive;

    if (path.len && is_slash(path.data[0], rules)) {
        return true;
    }

    if (rules != LUN_PATH_WINDOWS || path.len < 3) {
        return false;
    }

    drive = lun_lower(path.data[0]);

    return drive >= 'a' && drive <= 'z' && path.data[1] == ':'
           && is_slash(path.data[2], rules);
}


lun_str
lun_path_full(lun_pool *pool, lun_str base, lun_str path)
{
    char  *text, *p;

    if (lun_path_is_absolute(path, lun_path_native)) {
        return lun_str_of(lun_pool_strz(pool, path), path.len);
    }

    p = text = lun_pool_text(pool, base.len + path.len + 2);
    p = lun_copy_str(p, base);

    if (p == text || !is_slash(p[-1], lun_path_native)) {
        *p++ = '/';
    }

    p = lun_copy_str(p, path);
    *p = '\0';

    return lun_str_of(text, (size_t) (p - text));
}


/* The length up to and with the last slash. */
static size_t
folder_len(lun_str path)
{
    size_t  n = path.len;

    while (n && !is_slash(path.data[n - 1], lun_path_native)) {
        n--;
    }

    return n;
}


lun_str
lun_path_dir(lun_str path)
{
    size_t  n = folder_len(path);

    return lun_str_of(path.data, n ? n - 1 : 0);
}


lun_str
lun_path_name(lun_str path)
{
    size_t  n = folder_len(path);

    return lun_str_of(path.data + n, path.len - n);
}
