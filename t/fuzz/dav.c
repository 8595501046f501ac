/*
 * dav.c -- what clients of WebDAV say, any bytes: the first chooses between
 * the XML of a body, an If field and a Timeout field.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/http/dav/dav_if.h"
#include "modules/http/dav/dav_xml.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static bool
is_inside(lun_str part, lun_str text)
{
    return part.len == 0 || (part.data >= text.data
                             && part.data + part.len <= text.data + text.len);
}


/* Each element that is opened is closed, and what it has is of the text. */
static void
read_xml(lun_str text)
{
    unsigned            open = 0;
    lun_dav_xml         x;
    lun_dav_xml_event   e;

    lun_dav_xml_init(&x, text);

    while ((e = lun_dav_xml_next(&x)) != LUN_DAV_XML_BAD) {
        if (e == LUN_DAV_XML_END) {
            LUN_CHECK(open == 0);
            return;
        }

        if (e == LUN_DAV_XML_OPEN) {
            LUN_CHECK(x.depth == ++open && open <= LUN_DAV_XML_DEPTH);
            LUN_CHECK(is_inside(x.name, text) && x.name.len != 0);
            LUN_CHECK(x.ns.len == 0 || is_inside(x.ns, text));
            LUN_CHECK(memchr(x.ns.data, '<', x.ns.len) == NULL);

        } else {
            LUN_CHECK(x.depth == open-- && is_inside(x.content, text));
        }
    }
}


static bool
begins_even(void *data, const lun_dav_condition *c)
{
    const lun_str  *text = data;

    LUN_CHECK(c->value.len != 0 && is_inside(c->value, *text));
    LUN_CHECK(is_inside(c->tag, *text));
    return c->value.data[0] % 2 == 0;
}


static void
read_if(lun_str text)
{
    lun_dav_if  f;

    if (lun_dav_if_read(&f, text) == LUN_OK) {
        LUN_CHECK(f.count != 0 && f.count <= LUN_DAV_CONDITIONS);
        (void) lun_dav_if_holds(&f, begins_even, &text);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char     *copy;
    int64_t   sec;
    lun_str   text;

    if (size == 0) {
        return 0;
    }

    copy = malloc(size - 1 + (size == 1));    /* ASan sees its end */
    memcpy(copy, data + 1, size - 1);
    text = lun_str_of(copy, size - 1);

    switch (data[0] % 3) {

    case 0:
        read_xml(text);
        break;

    case 1:
        read_if(text);
        break;

    default:
        sec = lun_dav_timeout(text, 600);
        LUN_CHECK(sec >= 1 && sec <= 600);
        break;
    }

    free(copy);
    return 0;
}
