/*
 * dav_xml.c -- the XML that clients of WebDAV send.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../modules/http/dav/dav_xml.c"
#include "base/fmt.h"
#include "tap.h"


/* What is read: "<ns|name" and ">content", and "!" where it is none. */
static const struct {
    const char  *text, *want;
} documents[] = {
    { "<a/>", "<|a >" },
    { "<a></a>", "<|a >" },
    { "\xef\xbb\xbf<?xml version='1.0'?>\n<!-- x --><a>b</a>\n", "<|a >b" },
    { "<a xmlns='DAV:'><b/>c</a>", "<DAV:|a <DAV:|b > ><b/>c" },
    { "<D:a xmlns:D=\"DAV:\"><D:b xmlns:D='x'/><D:c/></D:a>",
      "<DAV:|a <x|b > <DAV:|c > ><D:b xmlns:D='x'/><D:c/>" },
    { "<a xmlns='x'><b xmlns=''/><c/></a>",
      "<x|a <|b > <x|c > ><b xmlns=''/><c/>" },
    { "<a x='1' y = \">\" ><![CDATA[<&]]></a >", "<|a ><![CDATA[<&]]>" },
    { "<a>&lt;&#60;&amp;</a>", "<|a >&lt;&#60;&amp;" },
    { "", "!" },
    { "x", "!" },
    { "<a", "!" },
    { "<a>", "<|a !" },
    { "<a></b>", "<|a !" },
    { "<a/><b/>", "<|a > !" },
    { "<a/>x", "<|a > !" },
    { "</a>", "!" },
    { "<a:b/>", "!" },
    { "<a:/>", "!" },
    { "<:a/>", "!" },
    { "<a:b:c xmlns:a='x'/>", "!" },
    { "<a xmlns:b=''/>", "!" },
    { "<a b/>", "!" },
    { "<a b=c/>", "!" },
    { "<a b='<'/>", "!" },
    { "<a b='&x;'/>", "!" },
    { "<a b='x", "!" },
    { "<a/", "!" },
    { "<1/>", "!" },
    { "<!DOCTYPE a><a/>", "!" },
    { "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "!" },
    { "<a>&b;</a>", "<|a !" },
    { "<a>&#x41;</a>", "<|a !" },
    { "<a>&#;</a>", "<|a !" },
    { "<a>&#12345678;</a>", "<|a !" },
    { "<a>&", "<|a !" },
    { "<a>\x01</a>", "<|a !" },
    { "<!-- a", "!" },
    { "<?xml", "!" },
    { "<![CDATA[x]]><a/>", "!" },
};


static const char *
read_all(lun_dav_xml *x, char *out)
{
    char  *p = out;

    for ( ;; ) {
        switch (lun_dav_xml_next(x)) {

        case LUN_DAV_XML_OPEN:
            p += sprintf(p, "%s<%.*s|%.*s", p == out ? "" : " ",
                         LUN_S(x->ns), LUN_S(x->name));
            break;

        case LUN_DAV_XML_CLOSE:
            p += sprintf(p, " >%.*s", LUN_S(x->content));
            break;

        case LUN_DAV_XML_END:
            *p = '\0';
            return out;

        default:
            strcpy(p, p == out ? "!" : " !");
            return out;
        }
    }
}


static void
bounds(void)
{
    char         text[2048], *p = text;
    unsigned     i;
    lun_dav_xml  x;

    for (i = 0; i <= LUN_DAV_XML_DEPTH; i++) {
        p = lun_copy_str(p, LUN_STR("<a>"));
    }

    lun_dav_xml_init(&x, lun_str_of(text, (size_t) (p - text)));

    for (i = 0; i < LUN_DAV_XML_DEPTH; i++) {
        if (lun_dav_xml_next(&x) != LUN_DAV_XML_OPEN) {
            break;
        }
    }

    is_int(i, LUN_DAV_XML_DEPTH, "so many inside one another");
    is_int(lun_dav_xml_next(&x), LUN_DAV_XML_BAD, "and no more");

    p = lun_copy_str(text, LUN_STR("<a"));

    for (i = 0; i <= LUN_DAV_XML_SPACES; i++) {
        p += sprintf(p, " xmlns:n%u='x'", i);
    }

    p = lun_copy_str(p, LUN_STR("/>"));
    lun_dav_xml_init(&x, lun_str_of(text, (size_t) (p - text)));
    is_int(lun_dav_xml_next(&x), LUN_DAV_XML_BAD, "so many namespaces");
}


int
main(void)
{
    char          out[1024];
    size_t        i, len;
    lun_dav_xml   x;

    for (i = 0; i < LUN_ARRAY_LEN(documents); i++) {
        len = strlen(documents[i].text);
        lun_dav_xml_init(&x, lun_str_of(tap_edge(documents[i].text, len), len));
        is_str(read_all(&x, out), documents[i].want, "%d: %s",
               (int) i, documents[i].want);
    }

    bounds();
    return done_testing();
}
