/*
 * dav_xml.h -- the XML that clients of WebDAV send: elements and namespaces.
 *
 * A reader that writes nothing and asks for no memory.  Bounded: so many
 * elements inside one another, so many namespaces.  A document type, and with
 * it any entity but the five and characters' numbers, is refused.  Pure.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DAV_XML_H
#define LUN_DAV_XML_H

#include "base/str.h"

enum {
    LUN_DAV_XML_DEPTH  = 32,       /* elements inside one another */
    LUN_DAV_XML_SPACES = 64        /* namespaces that count at a time */
};

typedef enum {
    LUN_DAV_XML_OPEN,              /* <a>; of <a/> CLOSE follows */
    LUN_DAV_XML_CLOSE,
    LUN_DAV_XML_END,               /* of a whole document */
    LUN_DAV_XML_BAD                /* it is none */
} lun_dav_xml_event;

typedef struct {
    lun_str   prefix;              /* "": the default one */
    lun_str   uri;                 /* as it was written */
    unsigned  depth;               /* of the element that has it */
} lun_dav_xml_space;

typedef struct {
    const char         *p, *end;
    unsigned            depth;     /* the element's, from 1 */
    lun_str             names[LUN_DAV_XML_DEPTH];      /* with prefixes */
    lun_dav_xml_space   spaces[LUN_DAV_XML_SPACES];
    unsigned            space_count;
    bool                closing;   /* <a/>: CLOSE is next */
    bool                closed;    /* CLOSE was said: one level up */
    bool                rooted;    /* an element was there */

    /* Of OPEN: */
    lun_str             ns, name;  /* views into the text; ns as written */
    /* Of CLOSE: what stood between, as written. */
    const char         *inner[LUN_DAV_XML_DEPTH];
    lun_str             content;
} lun_dav_xml;

void lun_dav_xml_init(lun_dav_xml *x, lun_str text);
lun_dav_xml_event lun_dav_xml_next(lun_dav_xml *x);

/* After OPEN: whether it is that element of "DAV:". */
bool lun_dav_xml_is(const lun_dav_xml *x, const char *name);

#endif
