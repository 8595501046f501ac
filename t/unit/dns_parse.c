/*
 * dns_parse.c -- messages that end at an unreadable page.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/format/dns_parse.c"

#include "tap.h"


#define HEAD(flags, answers)                                                  \
    "\x12\x34" flags "\0\1" answers "\0\0\0\0"
#define QUESTION(type)                                                        \
    "\3www\7Example\3com\0" "\0" type "\0\1"
#define RECORD(name, type, ttl, size)                                         \
    name "\0" type "\0\1" "\0\0\0" ttl "\0" size

#define FINE               "\x81\x80"
#define SELF               "\xc0\x0c"          /* www.example.com */
#define BYTES(s)           lun_str_of((s), sizeof(s) - 1)


static void
checks_names(void)
{
    static char  labels[300], longest[300];

    static const struct {
        const char  *text, *name;
    } cases[] = {
        { "www.Example.COM", "www.example.com" },
        { "example.com.", "example.com" },
        { "localhost", "localhost" },
        { "_sip._tcp.a-b.c", "_sip._tcp.a-b.c" },
        { "", NULL }, { ".", NULL }, { ".com", NULL }, { "a..b", NULL },
        { "a.b..", NULL },
    };

    for (size_t i = 0; i < LUN_ARRAY_LEN(cases); i++) {
        char    name[LUN_DNS_NAME];
        size_t  len = strlen(cases[i].text);
        lun_rc  rc = lun_dns_name(lun_str_of(tap_edge(cases[i].text, len),
                                             len), name);

        is_str(rc == LUN_OK ? name : NULL, cases[i].name, "\"%s\"",
               cases[i].text);
    }

    char  name[LUN_DNS_NAME];

    memset(labels, 'a', 64);
    is_int(lun_dns_name(lun_str_of(labels, 63), name), LUN_OK, "63 bytes");
    is_int(lun_dns_name(lun_str_of(labels, 64), name), LUN_ERROR, "64 bytes");
    is_int(lun_dns_name(lun_str_of("a\0b", 3), name), LUN_ERROR, "a zero byte");

    for (int i = 0; i < 254; i++) {
        longest[i] = i % 2 ? '.' : 'x';
    }

    is_int(lun_dns_name(lun_str_of(longest, 253), name), LUN_OK, "253 bytes");
    is_int(lun_dns_name(lun_str_of(longest, 255), name), LUN_ERROR, "255");
}


static void
writes_queries(void)
{
    size_t        len;
    uint8_t       query[LUN_DNS_QUERY];
    const char    want[] = "\x12\x34\1\0\0\1\0\0\0\0\0\0"
                           "\3www\7example\3com\0\0\x1c\0\1";
    char          longest[LUN_DNS_NAME];
    lun_dns_head  head;

    len = lun_dns_query(query, 0x1234, "www.example.com", LUN_DNS_AAAA);
    is_mem(query, len, want, sizeof(want) - 1, "AAAA");

    for (int i = 0; i < 253; i++) {
        longest[i] = i % 2 ? '.' : 'x';
    }

    longest[253] = '\0';
    len = lun_dns_query(query, 1, longest, LUN_DNS_A);
    is_int((int64_t) len, LUN_DNS_QUERY, "the longest fits exactly");
    is_int(lun_dns_parse(query, len, &head), LUN_ERROR, "is no response");
    query[2] |= 0x80;
    is_int(lun_dns_parse(query, len, &head), LUN_OK, "and could be one");
    is_str(head.name, longest, "of the same name");
}


static void
reads_heads(void)
{
    lun_str       s = BYTES(HEAD("\x83\x83", "\0\2") QUESTION("\1"));
    lun_dns_head  h;

    is_int(lun_dns_parse(tap_edge(s.data, s.len), s.len, &h), LUN_OK, "parsed");
    is_int(h.id, 0x1234, "id");
    is_int(h.rcode, 3, "code");
    ok(h.truncated, "truncated");
    is_int(h.type, LUN_DNS_A, "type");
    is_int(h.records, 2, "records");
    is_str(h.name, "www.example.com", "name, in lower case");

    for (size_t n = 0; n < s.len; n++) {
        if (lun_dns_parse(tap_edge(s.data, n), n, &h) != LUN_ERROR) {
            ok(0, "%u bytes are no message", (unsigned) n);
        }
    }

    s = BYTES(HEAD("\1\0", "\0\0") QUESTION("\1"));
    is_int(lun_dns_parse((const uint8_t *) s.data, s.len, &h), LUN_ERROR,
           "a query");
    s = BYTES(HEAD("\xa8\0", "\0\0") QUESTION("\1"));
    is_int(lun_dns_parse((const uint8_t *) s.data, s.len, &h), LUN_ERROR,
           "an answer to something else");
    s = BYTES("\x12\x34" FINE "\0\2\0\0\0\0\0\0" QUESTION("\1"));
    is_int(lun_dns_parse((const uint8_t *) s.data, s.len, &h), LUN_ERROR,
           "two questions");
    s = BYTES(HEAD(FINE, "\0\0") "\3w.w\0\0\1\0\1");
    is_int(lun_dns_parse((const uint8_t *) s.data, s.len, &h), LUN_ERROR,
           "a dot inside a label");
    s = BYTES(HEAD(FINE, "\0\0") "\xc0\x0c\0\1\0\1");
    is_int(lun_dns_parse((const uint8_t *) s.data, s.len, &h), LUN_ERROR,
           "a name that is its own end");
    s = BYTES(HEAD(FINE, "\0\0") "\1a\xc0\x0c\0\1\0\1");
    is_int(lun_dns_parse((const uint8_t *) s.data, s.len, &h), LUN_ERROR,
           "a name that goes round");
    s = BYTES(HEAD(FINE, "\0\0") "\x41" "a\0\0\1\0\1");
    is_int(lun_dns_parse((const uint8_t *) s.data, s.len, &h), LUN_ERROR,
           "a label of another kind");
}


/* A name is read for each record: what it costs must have an end. */
static void
follows_so_many(void)
{
    size_t        i, len;
    uint8_t       text[1024];
    lun_dns_head  head;

    static const struct {
        size_t   jumps;
        lun_rc   rc;
    } cases[] = {
        { 127, LUN_OK },
        { 128, LUN_ERROR },
    };

    for (size_t n = 0; n < LUN_ARRAY_LEN(cases); n++) {
        cursor  in = { text, 1 + 2 * cases[n].jumps, 0 };

        /* The root, and each pointer at what is before it. */
        for (i = 0, len = 1, text[0] = 0; i < cases[n].jumps; i++, len += 2) {
            text[len] = (uint8_t) (POINTER | (i == 0 ? 0 : len - 2) >> 8);
            text[len + 1] = (uint8_t) (i == 0 ? 0 : len - 2);
        }

        in.at = len - 2;
        is_int(get_name(&in, head.name) ? LUN_OK : LUN_ERROR, cases[n].rc,
               "%u jumps", (unsigned) cases[n].jumps);
    }
}


static lun_rc
read_all(lun_str s, lun_dns_addrs *found)
{
    lun_dns_head    h;
    const uint8_t  *data = tap_edge(s.data, s.len);

    return lun_dns_parse(data, s.len, &h) == LUN_OK
           ? lun_dns_addresses(data, s.len, &h, found) : LUN_ERROR;
}


static void
reads_addresses(void)
{
    lun_str        s;
    lun_dns_addrs  f;
    char           text[64];
    lun_str        addr;

    s = BYTES(HEAD(FINE, "\0\3") QUESTION("\1")
              RECORD(SELF, "\1", "\x20", "\4") "\1\2\3\4"
              RECORD(SELF, "\x1c", "\1", "\x10") "0123456789abcdef"
              RECORD(SELF, "\1", "\x10", "\4") "\1\2\3\5");
    is_int(read_all(s, &f), LUN_OK, "parsed");
    is_int((int64_t) f.count, 2, "those of the type that was asked for");
    is_int(f.ttl, 16, "the least time to live");
    is_str(f.alias, "", "no alias");
    addr = lun_addr_format(&f.addrs[1], false, text, sizeof(text));
    is_mem(addr.data, addr.len, "1.2.3.5", 7, "the address");

    for (size_t n = 33; n < s.len; n++) {
        if (read_all(lun_str_of(s.data, n), &f) != LUN_ERROR) {
            ok(0, "%u bytes are not all of it", (unsigned) n);
        }
    }

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\x1c")
              RECORD(SELF, "\x1c", "\1", "\x10")
              "\xfe\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\1");
    is_int(read_all(s, &f), LUN_OK, "IPv6");
    addr = lun_addr_format(&f.addrs[0], false, text, sizeof(text));
    is_mem(addr.data, addr.len, "fe80::1", 7, "the address");

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\1")
              RECORD(SELF, "\1", "\1", "\5") "\1\2\3\4\5");
    is_int(read_all(s, &f), LUN_ERROR, "an address of five bytes");

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\1")
              RECORD("\4evil\0", "\1", "\1", "\4") "\6\6\6\6");
    is_int(read_all(s, &f), LUN_OK, "of another name");
    is_int((int64_t) f.count, 0, "is not ours");

    s = BYTES(HEAD(FINE, "\0\0") QUESTION("\1"));
    is_int(read_all(s, &f), LUN_OK, "no records");
    is_int((int64_t) f.count, 0, "no address");
}


static void
follows_aliases(void)
{
    lun_str        s;
    lun_dns_addrs  f;

    /* In the worst order: b.example.com has it, a is b, www is a. */
    s = BYTES(HEAD(FINE, "\0\3") QUESTION("\1")
              RECORD("\1b\xc0\x10", "\1", "\x09", "\4") "\1\2\3\4"
              RECORD("\1a\xc0\x10", "\5", "\x08", "\4") "\1b\xc0\x10"
              RECORD(SELF, "\5", "\x07", "\4") "\1a\xc0\x10");
    is_int(read_all(s, &f), LUN_OK, "a chain");
    is_int((int64_t) f.count, 1, "its address");
    is_str(f.alias, "b.example.com", "the name that has it");
    is_int(f.ttl, 7, "the least time of all three");

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\1")
              RECORD(SELF, "\5", "\x07", "\4") "\1a\xc0\x10");
    is_int(read_all(s, &f), LUN_OK, "an alias alone");
    is_int((int64_t) f.count, 0, "no address");
    is_str(f.alias, "a.example.com", "to be asked for");

    s = BYTES(HEAD(FINE, "\0\2") QUESTION("\1")
              RECORD(SELF, "\5", "\x07", "\4") "\1a\xc0\x10"
              RECORD("\1a\xc0\x10", "\5", "\x08", "\2") SELF);
    is_int(read_all(s, &f), LUN_ERROR, "a ring");

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\1")
              RECORD(SELF, "\5", "\x07", "\1") "\0");
    is_int(read_all(s, &f), LUN_ERROR, "an alias of nothing");

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\1")
              RECORD(SELF, "\5", "\x07", "\2") "\1a\xc0\x10");
    is_int(read_all(s, &f), LUN_ERROR, "an alias longer than its record");
}


/* Of texts only the name that has them is told. */
static void
counts_texts(void)
{
    lun_str        s;
    lun_dns_addrs  f;

    s = BYTES(HEAD(FINE, "\0\3") QUESTION("\x10")
              RECORD(SELF, "\5", "\x07", "\4") "\1a\xc0\x10"
              RECORD("\1a\xc0\x10", "\x10", "\x08", "\2") "\1x"
              RECORD("\1a\xc0\x10", "\x10", "\x08", "\2") "\1y");
    is_int(read_all(s, &f), LUN_OK, "texts of an alias");
    is_int((int64_t) f.count, 2, "two");
    is_str(f.alias, "a.example.com", "whose they are");
}


static void
bounds_what_it_takes(void)
{
    size_t         n;
    static char    data[4096];
    char          *p = data;
    lun_dns_addrs  f;
    const char     head[] = HEAD(FINE, "\0\x64") QUESTION("\1");
    const char     rec[] = RECORD(SELF, "\1", "\1", "\4") "\1\2\3\4";

    p = lun_copy(p, head, sizeof(head) - 1);

    for (n = 0; n < 100; n++) {
        p = lun_copy(p, rec, sizeof(rec) - 1);
    }

    is_int(read_all(lun_str_of(data, (size_t) (p - data)), &f), LUN_OK,
           "a hundred addresses");
    is_int((int64_t) f.count, LUN_DNS_ADDRS, "as many as there is room for");
}


static lun_rc
read_services(lun_str s, lun_dns_services *found)
{
    lun_dns_head    h;
    const uint8_t  *data = tap_edge(s.data, s.len);

    return lun_dns_parse(data, s.len, &h) == LUN_OK
           ? lun_dns_find_services(data, s.len, &h, found) : LUN_ERROR;
}


static void
finds_services(void)
{
    size_t            n;
    lun_str           s;
    lun_dns_services  f;

    s = BYTES(HEAD(FINE, "\0\3") QUESTION("\x21")
              RECORD(SELF, "\x21", "\x20", "\x0b")
              "\0\1\0\5\x1f\x90\2up\xc0\x10"
              RECORD(SELF, "\x21", "\x10", "\x07") "\0\2\0\0\0\1\0"
              RECORD(SELF, "\x21", "\x08", "\x08") "\1\2\3\4\5\6" SELF);
    is_int(read_services(s, &f), LUN_OK, "services");
    is_int((int64_t) f.count, 2, "one is nowhere");
    is_str(f.services[0].name, "up.example.com", "the host");
    is_int(f.services[0].priority, 1, "priority");
    is_int(f.services[0].weight, 5, "weight");
    is_int(f.services[0].port, 8080, "port");
    is_int(f.services[1].priority, 0x0102, "two bytes of each");
    is_int(f.services[1].weight, 0x0304, "in that order");
    is_int(f.services[1].port, 0x0506, "and no other");
    is_int(f.ttl, 8, "the least time to live");

    for (n = s.len - 8; n < s.len; n++) {
        ok(read_services(lun_str_of(s.data, n), &f) == LUN_ERROR,
           "cut off at %u", (unsigned) n);
    }

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\x21")
              RECORD(SELF, "\x21", "\x20", "\x07") "\0\1\0\5\x1f\x90\0");
    is_int(read_services(s, &f), LUN_OK, "a service that is not there");
    is_int((int64_t) f.count, 0, "is none");
    is_str(f.alias, "", "and has no other name");

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\x21")
              RECORD(SELF, "\x21", "\x20", "\x08")
              "\0\1\0\5\x1f\x90\xc0\xff");
    is_int(read_services(s, &f), LUN_ERROR, "a host that is nowhere");

    s = BYTES(HEAD(FINE, "\0\1") QUESTION("\x21")
              RECORD(SELF, "\5", "\x20", "\4") "\1b\xc0\x10");
    is_int(read_services(s, &f), LUN_OK, "an alias");
    is_str(f.alias, "b.example.com", "is to be asked for");
}


int
main(void)
{
    finds_services();
    checks_names();
    writes_queries();
    reads_heads();
    follows_so_many();
    reads_addresses();
    follows_aliases();
    counts_texts();
    bounds_what_it_takes();

    return done_testing();
}
