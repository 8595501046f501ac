/*
 * trace_context.c -- traces that a request may be a part of, and what is none.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/trace_context.c"

#include "tap.h"


#define TRACE  "0af7651916cd43dd8448eb211c80319c"
#define SPAN   "b7ad6b7169203331"

static const struct {
    const char  *text, *name;
    bool         good, sampled;
} parents[] = {
    { "00-" TRACE "-" SPAN "-01", "sampled", true, true },
    { "00-" TRACE "-" SPAN "-00", "not sampled", true, false },
    { "00-" TRACE "-" SPAN "-ff", "flags of the future", true, true },
    { "00-" TRACE "-" SPAN "-fe", "but not this one", true, false },
    { "01-" TRACE "-" SPAN "-01", "a later version", true, true },
    { "cc-" TRACE "-" SPAN "-01-what-comes", "that says more", true, true },
    { "cc-" TRACE "-" SPAN "-01.what-comes", "but not so", false, false },
    { "00-" TRACE "-" SPAN "-01-more", "00 has no more", false, false },
    { "00-" TRACE "-" SPAN "-01 ", "nor a space", false, false },
    { "ff-" TRACE "-" SPAN "-01", "no version", false, false },
    { "0-" TRACE "-" SPAN "-01", "a short version", false, false },
    { "00-" TRACE "-" SPAN "-0", "short flags", false, false },
    { "00-" TRACE "-" SPAN "-0x", "flags that are none", false, false },
    { "00-" TRACE "-" SPAN, "no flags", false, false },
    { "00-00000000000000000000000000000000-" SPAN "-01", "no trace", false,
      false },
    { "00-" TRACE "-0000000000000000-01", "no span", false, false },
    { "00-0AF7651916CD43DD8448EB211C80319C-" SPAN "-01", "upper case", false,
      false },
    { "00_" TRACE "_" SPAN "_01", "other marks", false, false },
    { "00-" TRACE "-" SPAN ".01", "one of them", false, false },
    { "00-g" "af7651916cd43dd8448eb211c80319c-" SPAN "-01", "no digit", false,
      false },
    { "", "nothing", false, false },
};

static const struct {
    const char  *text, *name;
    bool         good;
} states[] = {
    { "a=1", "one", true },
    { "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "two", true },
    { " a=1 ,\tb=2", "with spaces around", true },
    { "a=1,,b=2,", "and nothing in between", true },
    { "fw529a3039@dt=FfAAAAB5gUMQAAAABv8", "a tenant's", true },
    { "1a_-*/b=! <>~", "all that is allowed", true },
    { "a=1 2", "a space inside", true },
    { "", "nothing", false },
    { ",", "nothing at all", false },
    { "a", "no value", false },
    { "a=", "an empty one", false },
    { "=1", "no key", false },
    { "A=1", "an upper case", false },
    { "_a=1", "a key's first", false },
    { "a =1", "a space in a key", false },
    { "a=1=2", "two marks", false },
    { "a=\x7f", "DEL", false },
    { "a=\xc3\xbc", "no ASCII", false },
    { "a=1\r\nb: 2", "lines", false },
};


static void
reads_and_writes(size_t i)
{
    lun_rc            rc;
    size_t            len = strlen(parents[i].text);
    char              text[LUN_TRACE_PARENT + 1];
    lun_trace_parent  p;

    rc = lun_trace_parent_read(lun_str_of(tap_edge(parents[i].text, len),
                                          len), &p);
    ok((rc == LUN_OK) == parents[i].good, "%s",
       parents[i].name);

    if (rc == LUN_OK) {
        *lun_trace_parent_write(text, &p) = '\0';
        is_str(text, parents[i].sampled ? "00-" TRACE "-" SPAN "-01"
                                        : "00-" TRACE "-" SPAN "-00",
               "written as 00");
    }
}


static void
has_limits(void)
{
    char  text[600];

    memset(text, 'a', sizeof(text));
    text[256] = '=';
    ok(lun_trace_state_is_good(lun_str_of(text, 257 + 256)), "the longest");
    ok(!lun_trace_state_is_good(lun_str_of(text, 257 + 257)),
       "a longer value");
    text[256] = 'a';
    text[257] = '=';
    ok(!lun_trace_state_is_good(lun_str_of(text, 300)), "a longer key");

    memset(text, ',', sizeof(text));
    memcpy(text, "a=1,b=1,c=1,d=1,e=1,f=1,g=1,h=1,", 32);
    memcpy(text + 32, text, 32);
    memcpy(text + 64, text, 64);
    ok(lun_trace_state_is_good(lun_str_of(text, 128)), "32 members");
    memcpy(text + 128, "z=1", 3);
    ok(!lun_trace_state_is_good(lun_str_of(text, 131)), "33");
}


int
main(void)
{
    size_t  i, len;

    for (i = 0; i < LUN_ARRAY_LEN(parents); i++) {
        reads_and_writes(i);
    }

    for (i = 0; i < LUN_ARRAY_LEN(states); i++) {
        len = strlen(states[i].text);
        ok(lun_trace_state_is_good(lun_str_of(tap_edge(states[i].text, len),
                                              len)) == states[i].good,
           "%s", states[i].name);
    }

    has_limits();
    return done_testing();
}
