/*
 * iconv.c -- iconv().
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "os/iconv.h"

#include <errno.h>
#include <iconv.h>

#include "base/check.h"
#include "base/fmt.h"

enum { NAME_SIZE = 64 };


/*
 * As C has texts; false: no name of an encoding.  Without "//IGNORE": of what
 * it leaves out iconv() says that it is bad all the same, but not where it was.
 * "//TRANSLIT" in front of it or behind it stays.
 */
static bool
copy_name(char *to, lun_str name)
{
    char        *p;
    lun_str      tail = LUN_STR("");
    const char  *end = lun_str_casefind(name, LUN_STR("//"));

    if (end != NULL && lun_str_casefind(name, LUN_STR("ignore")) > end) {
        if (lun_str_casefind(name, LUN_STR("translit")) > end) {
            tail = LUN_STR("//TRANSLIT");
        }

        name.len = (size_t) (end - name.data);
    }

    if (name.len == 0 || name.len + tail.len >= NAME_SIZE
        || memchr(name.data, '\0', name.len) != NULL)
    {
        return false;
    }

    p = lun_copy_str(to, name);
    *lun_copy_str(p, tail) = '\0';
    return true;
}


lun_iconv *
lun_iconv_open(lun_str to, lun_str from)
{
    char     names[2][NAME_SIZE];
    iconv_t  c;

    if (!copy_name(names[0], to) || !copy_name(names[1], from)) {
        return NULL;
    }

    c = iconv_open(names[0], names[1]);
    return c != (iconv_t) -1 ? (lun_iconv *) c : NULL;
}


void
lun_iconv_close(lun_iconv *c)
{
    (void) iconv_close((iconv_t) c);
}


lun_iconv_verdict
lun_iconv_run(lun_iconv *c, lun_str *text, char **out, const char *end)
{
    char    *in = (char *) (uintptr_t) text->data;
    size_t   rc, before, room = (size_t) (end - *out);

    LUN_CHECK(c != NULL && end >= *out);

    /*
     * With "//IGNORE" it passes over what it can't convert, and reports that
     * at the end: only another call shows whether something bad stands there.
     */
    do {
        before = text->len;
        rc = iconv((iconv_t) c, &in, &text->len, out, &room);
    } while (rc == (size_t) -1 && errno == EILSEQ && text->len != 0
             && text->len != before);

    text->data = in;

    if (rc != (size_t) -1 || (errno == EILSEQ && text->len == 0)) {
        return LUN_ICONV_DONE;
    }

    return errno == E2BIG ? LUN_ICONV_FULL
           : errno == EINVAL ? LUN_ICONV_SHORT
           : text->len == 0 ? LUN_ICONV_DONE : LUN_ICONV_BAD;
}


lun_iconv_verdict
lun_iconv_finish(lun_iconv *c, char **out, const char *end)
{
    size_t  room = (size_t) (end - *out);

    return iconv((iconv_t) c, NULL, NULL, out, &room) != (size_t) -1
           ? LUN_ICONV_DONE : LUN_ICONV_FULL;
}
