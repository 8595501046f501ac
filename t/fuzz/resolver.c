/*
 * resolver.c -- any bytes as the life of a resolver: questions of many at the
 * same time, answers of its servers (fine, refused, cut off, broken, for
 * others, over aliases, late, twice), and time that passes.  In memory.
 *
 * A question is answered once, within its time, unless it was cancelled; the
 * addresses are of the wanted families, and those that a server has given for
 * that name or for an alias of it, not longer ago than they hold; nothing runs
 * and nothing is left when nobody asks any more.
 *
 * Known attacks of this kind: CVE-2016-0742, CVE-2016-0746, CVE-2016-0747.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "format/dns_parse.h"
#include "net/dns/dns_wire.h"
#include "net/dns/resolver.h"
#include "net/loop.h"
#include "os/dns.h"


static lun_loop  the_loop, *const lp = &the_loop;

enum {
    NAMES    = 12,                 /* that records speak of */
    ASKERS   = 24,
    SENTS    = 64,                 /* the last of them can be answered */
    RECORDS  = 1 << 12,            /* remembered by their serial number */
    STEP     = 500,                /* ms: time passes in such steps */
    LATE     = 3000 + STEP,        /* how long addresses wait for others */
    TIMEOUT  = 5000,
    TTL_MOST = 86400,
    DEPTH    = 3                   /* of asking while being answered */
};

typedef struct {
    const uint8_t  *p, *end;
} input;

typedef struct {
    lun_resolve_request  *q;
    bool                  waits;   /* not yet answered, not cancelled */
    unsigned              name;
    unsigned              turn;    /* how often it has asked */
    uint16_t              port;
    lun_msec              since;
} asker;

typedef struct {
    bool     there, tcp;
    size_t   server, len;
    uint8_t  query[LUN_DNS_QUERY];
} sent;

typedef struct {
    uint32_t  serial;
    unsigned  owner;               /* whose record it is */
    lun_msec  until;               /* it may be given to somebody */
} record;

/* As they are asked for, and as they are in a message. */
static const char *const  names[NAMES] = {
    "a", "b.c", "filed", "localhost", "x.localhost", "deep.er.name", "d",
    "e", "f", "UPPER.Case.", "0123456789012345678901234567890123456789.x",
    "here"
};

static const char *const  plain[NAMES] = {
    "a", "b.c", "filed", "localhost", "x.localhost", "deep.er.name", "d",
    "e", "f", "upper.case", "0123456789012345678901234567890123456789.x",
    "here"
};

static const char *const  strange[] = {
    "", ".", "a..b", "10.0.0.1", "::1", "[::1]", "unix:x", "-", "a b",
    "0123456789012345678901234567890123456789012345678901234567890123.x"
};

static const uint32_t  ttls[] = {
    0, 1, 2, 5, 30, 60, 3600, 86400, 86401, 0x7fffffff, 0x80000000, 0xffffffff
};

static input                in;
static asker                askers[ASKERS];
static sent                 sents[SENTS];
static unsigned             sent_count;
static record               records[RECORDS];
static uint32_t             serial, flooded;
static uint16_t             aliases[NAMES];    /* bits: what each may be */
static lun_resolver        *resolver;
static lun_dns_message_fn  *wire_answer;
static void                *wire_owner;
static int                  wires;
static unsigned             depth;
static bool                 over;  /* nobody may be told any more */
static bool                 spoilt;        /* an address may be anybody's */
static lun_resolver_options options;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static void  act(void);


static unsigned
byte(void)
{
    return in.p < in.end ? *in.p++ : 0;
}


/* --- in place of the wire, and of the system's files --- */

struct lun_dns_wire {
    int  nothing;
};


lun_dns_wire *
lun_dns_wire_new(lun_loop *loop, const lun_addr *servers, size_t count,
    const lun_log *log, lun_dns_message_fn *on_message, void *owner)
{
    static lun_dns_wire  the_wire;

    LUN_CHECK(count != 0);
    wires++;
    wire_answer = on_message;
    wire_owner = owner;
    return &the_wire;
}


void
lun_dns_wire_free(lun_dns_wire *wire)
{
    wires--;
}


static void
note(size_t server, bool tcp, const uint8_t *query, size_t len)
{
    sent  *s = &sents[sent_count++ % SENTS];

    LUN_CHECK(len <= sizeof(s->query) && !over);
    s->there = true;
    s->tcp = tcp;
    s->server = server;
    s->len = len;
    memcpy(s->query, query, len);
}


void
lun_dns_wire_send(lun_dns_wire *wire, size_t server, const uint8_t *query,
    size_t len)
{
    note(server, false, query, len);
}


void
lun_dns_wire_send_tcp(lun_dns_wire *wire, size_t server, const uint8_t *query,
    size_t len)
{
    note(server, true, query, len);
}


lun_err
lun_dns_servers(lun_addr *addrs, size_t room, size_t *count)
{
    *count = options.timeout % 2;      /* as the bytes had it */
    LUN_CHECK(room > 0);
    lun_addr_parse(LUN_STR("10.0.0.53"), &addrs[0]);
    return 0;
}


lun_err
lun_dns_hosts(lun_str name, lun_addr *addrs, size_t room, size_t *count)
{
    LUN_CHECK(room >= 2);
    *count = 0;

    if (lun_str_eq(name, LUN_STR("filed"))) {
        lun_addr_parse(LUN_STR("::5"), &addrs[0]);
        lun_addr_parse(LUN_STR("192.0.2.5"), &addrs[1]);
        *count = 2;
    }

    return 0;
}


/* --- what is right --- */

/* Whether one name leads to another, by what servers have said so far. */
static bool
leads_to(unsigned from, unsigned to)
{
    unsigned  i, seen = 1u << from, before = 0;

    while (seen != before) {
        before = seen;

        for (i = 0; i < NAMES; i++) {
            seen |= seen & 1u << i ? aliases[i] : 0u;
        }
    }

    return (seen & 1u << to) != 0;
}


static void
check_addr(const asker *a, const lun_addr *addr)
{
    uint32_t       n;
    const record  *found;
    bool           six = addr->family == LUN_AF_INET6;
    const uint8_t *ip = addr->ip;

    LUN_CHECK(addr->port == a->port);

    if (a->name >= NAMES) {
        return;                        /* a number, or nobody's business */
    }

    LUN_CHECK(six ? options.ipv6 || !options.ipv4
                  : options.ipv4 || !options.ipv6);

    /* The hosts file's, and this machine. */
    if (ip[0] == 192 || ip[0] == 127 || (six && ip[0] == 0)) {
        LUN_CHECK(a->name >= 2 && a->name <= 4);
        return;
    }

    ip += six ? 12 : 0;
    n = (uint32_t) ip[1] << 16 | (uint32_t) ip[2] << 8 | ip[3];
    found = &records[n % RECORDS];

    if (found->serial == n && !spoilt) {
        LUN_CHECK(lun_clock.mono <= found->until);
        LUN_CHECK(leads_to(a->name, found->owner));
    }
}


static void
on_done(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    size_t     i;
    asker     *a = data;
    uint16_t   port = a->port;

    LUN_CHECK(!over && a->waits);
    LUN_CHECK((verdict == LUN_RESOLVED) == (count != 0));
    a->waits = false;
    a->q = NULL;

    for (i = 0; i < count; i++) {
        check_addr(a, &addrs[i]);
        LUN_CHECK(i == 0 || addrs[i].family == addrs[i - 1].family
                  || addrs[i].family == LUN_AF_INET6);
    }

    if (depth < DEPTH && byte() % 4 == 1) {
        depth++;
        act();
        depth--;
    }

    /* They are the caller's during the call. */
    for (i = 0; i < count; i++) {
        LUN_CHECK(addrs[i].port == port);
    }
}


static void
check_waits(void)
{
    unsigned  i;

    for (i = 0; i < ASKERS; i++) {
        LUN_CHECK(!askers[i].waits
                  || lun_clock.mono - askers[i].since <= TIMEOUT + STEP);
    }
}


/* --- what is done --- */

static void
ask(asker *a, unsigned name, const char *text)
{
    unsigned              turn;
    lun_resolve_request  *q;

    if (a->waits) {
        return;
    }

    turn = ++a->turn;

    a->waits = true;
    a->q = NULL;
    a->name = name;
    a->port = (uint16_t) (byte() + 1);
    a->since = lun_clock.mono;
    q = lun_resolve(resolver, lun_str_z(text), a->port, on_done, a);

    /* Being answered, it may have asked anew. */
    if (a->turn == turn) {
        LUN_CHECK((q != NULL) == a->waits);
        a->q = q;
    }
}


static void
cancel(asker *a)
{
    if (a->waits && a->q != NULL) {
        lun_resolve_cancel(a->q);
        a->waits = false;
        a->q = NULL;
    }
}


static void
pass(lun_msec ms)
{
    while (ms > 0) {
        lun_clock.mono += lun_min(ms, (lun_msec) STEP);
        ms -= lun_min(ms, (lun_msec) STEP);
        lun_timer_fire_due(lp);
        check_waits();
    }
}


/* --- answers --- */

typedef struct {
    uint8_t   data[4096];
    size_t    len;
} message;


static void
put(message *m, const void *data, size_t len)
{
    if (len <= sizeof(m->data) - m->len) {
        memcpy(m->data + m->len, data, len);
        m->len += len;
    }
}


static void
put16(message *m, unsigned n)
{
    uint8_t  two[2] = { (uint8_t) (n >> 8), (uint8_t) n };

    put(m, two, 2);
}


static void
put_name(message *m, unsigned name)
{
    size_t       n;
    const char  *p = plain[name];

    for ( ;; p += n + 1) {
        uint8_t  one;

        n = strcspn(p, ".");
        one = (uint8_t) n;
        put(m, &one, 1);
        put(m, p, n);

        if (p[n] == '\0') {
            break;
        }
    }

    put(m, "", 1);
}


/* Its number in `names` if it is one of them. */
static unsigned
name_of(const sent *s)
{
    unsigned      i;
    uint8_t       copy[LUN_DNS_QUERY];
    lun_dns_head  head;

    memcpy(copy, s->query, s->len);
    copy[2] |= 0x80;
    LUN_CHECK(lun_dns_parse(copy, s->len, &head) == LUN_OK);

    for (i = 0; i < NAMES && strcmp(plain[i], head.name) != 0; i++) {
        /* find it */
    }

    return i;
}


static void
put_addr(message *m, bool six, unsigned owner, uint32_t ttl)
{
    lun_msec  sec = lun_max((lun_msec) lun_min(ttl, (uint32_t) TTL_MOST),
                            (lun_msec) options.valid);
    uint8_t   ip[16] = { 0x20, 1, 0xd, 0xb8 };
    uint8_t  *at = six ? ip + 12 : ip;

    serial = (serial + 1) & 0xffffff;
    records[serial % RECORDS] = (record) {
        serial, owner, lun_clock.mono + sec * 1000 + LATE
    };
    at[0] = 10;
    at[1] = (uint8_t) (serial >> 16);
    at[2] = (uint8_t) (serial >> 8);
    at[3] = (uint8_t) serial;
    put(m, ip, six ? 16 : 4);
}


/* An owner, a type, and what belongs to it; sometimes not. */
static void
put_record(message *m, unsigned asked)
{
    size_t    at, end;
    uint32_t  ttl = ttls[byte() % LUN_ARRAY_LEN(ttls)];
    unsigned  kind = byte(), target = byte() % NAMES, owner = asked, type;

    if (kind % 3 == 0 || asked == NAMES) {
        owner = byte() % NAMES;
        put_name(m, owner);
    } else {
        put16(m, 0xc00c);
    }

    kind = kind / 3 % 5;
    type = kind == 0 ? LUN_DNS_CNAME : kind == 1 ? LUN_DNS_AAAA
           : kind == 2 ? byte() : LUN_DNS_A;
    spoilt |= kind == 2 && (type == LUN_DNS_A || type == LUN_DNS_AAAA);
    put16(m, type);
    put16(m, byte() % 32 == 31 ? byte() : 1);
    put16(m, ttl >> 16);
    put16(m, ttl & 0xffff);
    at = m->len;
    put16(m, 0);

    switch (kind) {

    case 0:
        put_name(m, target);
        aliases[owner] |= (uint16_t) (1u << target);
        break;

    case 1:
        put_addr(m, true, owner, ttl);
        break;

    case 2:
        for (target %= 32; target > 0; target--) {
            uint8_t  one = (uint8_t) byte();

            put(m, &one, 1);
        }
        break;

    default:
        put_addr(m, false, owner, ttl);
    }

    end = m->len;

    if (end - at >= 2) {
        m->data[at] = 0;
        m->data[at + 1] = (uint8_t) (end - at - 2);

        if (byte() % 32 == 31) {
            m->data[at + 1] = (uint8_t) byte();
        }
    }
}


static void
reply(const sent *s)
{
    size_t         i;
    message        m = { .len = 0 };
    uint8_t       *exact;
    unsigned       n, name = name_of(s), flags = byte();
    static const uint8_t  codes[] = { 0, 0, 0, 0, 0, 0, 2, 3, 5, 1, 4, 9 };

    put(&m, s->query, s->len);
    m.data[2] |= 0x80;
    m.data[2] |= flags % 16 == 1 ? 2 : 0;          /* cut off */
    m.data[3] = codes[byte() % sizeof(codes)];
    n = byte() % 7;

    for (i = 0; i < n; i++) {
        put_record(&m, name);
    }

    m.data[7] = (uint8_t) (flags % 16 == 2 ? byte() : n);

    if (flags % 16 == 3) {
        spoilt = true;
        m.data[byte() % m.len] ^= (uint8_t) (1 << byte() % 8);
    }

    if (flags % 16 == 4) {
        n = byte();
        m.len -= lun_min(m.len, (size_t) n);
    }

    /* It ends where the memory ends. */
    exact = lun_malloc(m.len);
    memcpy(exact, m.data, m.len);
    wire_answer(wire_owner, s->server, exact, m.len);

    if (flags % 16 == 5 && wires != 0) {
        wire_answer(wire_owner, s->server, exact, m.len);
    }

    lun_free(exact);
}


static void
raw_message(void)
{
    size_t    n = byte();
    uint8_t  *copy;

    spoilt = true;
    n = lun_min(n, (size_t) (in.end - in.p));
    copy = lun_malloc(n);

    if (n != 0) {
        memcpy(copy, in.p, n);
        in.p += n;
    }

    wire_answer(wire_owner, byte() % 3, copy, n);
    lun_free(copy);
}


/* Many names, each answered at once: the oldest go. */
static void
flood(void)
{
    char      name[32];
    asker     one;
    message   m;
    unsigned  i, first;

    for (i = 0; i < 128; i++) {
        first = sent_count;
        memset(&one, 0, sizeof(one));
        *lun_fmt(name, name + sizeof(name) - 1, "n%u", flooded++ % 6000)
            = '\0';
        ask(&one, NAMES, name);

        for ( ; one.waits && first != sent_count; first++) {
            const sent  *s = &sents[first % SENTS];

            m.len = 0;
            put(&m, s->query, s->len);
            m.data[2] |= 0x80;
            m.data[7] = 1;
            put16(&m, 0xc00c);
            put16(&m, LUN_DNS_A);
            put16(&m, 1);
            put16(&m, 0);
            put16(&m, 3600);
            put16(&m, 4);
            put(&m, "\12\377\0\0", 4);
            wire_answer(wire_owner, s->server, m.data, m.len);
        }

        cancel(&one);
        LUN_CHECK(!one.waits);
    }
}


/* --- the run --- */

static void
act(void)
{
    unsigned      which = byte() % NAMES;
    asker        *a = &askers[byte() % ASKERS];
    const sent   *s;

    switch (byte() % 12) {

    case 0: case 1: case 2: case 3:
        ask(a, which, names[which]);
        return;

    case 4:
        which = byte() % LUN_ARRAY_LEN(strange);
        ask(a, NAMES, strange[which]);
        return;

    case 5:
        cancel(a);
        return;

    case 6:
        if (depth == 0) {
            pass((lun_msec) byte() * (byte() % 2 ? 10 : 400));
        }
        return;

    case 7:
        if (depth == 0 && wires != 0) {
            raw_message();
        }
        return;

    case 8:
        if (depth == 0 && byte() % 8 == 0) {
            flood();
        }
        return;

    default:
        s = &sents[(sent_count - 1 - byte() % 16) % SENTS];

        if (depth == 0 && s->there && wires != 0) {
            reply(s);
        }
    }
}


static void
begin(lun_pool *pool)
{
    static lun_addr  servers[3];
    unsigned         kind = byte();

    memset(askers, 0, sizeof(askers));
    memset(sents, 0, sizeof(sents));
    memset(records, 0, sizeof(records));
    memset(aliases, 0, sizeof(aliases));
    sent_count = serial = flooded = 0;
    over = spoilt = false;
    options = (lun_resolver_options) {
        .servers = servers, .count = kind % 4,
        .timeout = TIMEOUT - kind / 4 % 2,
        .ipv4 = kind / 8 % 2, .ipv6 = kind / 16 % 2,
        .valid = kind / 32 % 4 == 0 ? 5 : 0
    };
    resolver = lun_resolver_new(pool, lp, &options, NULL);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned   i;
    lun_pool  *pool = lun_pool_new_sized(4096);

    in = (input) { data, data + size };
    lun_clock.mono += 1000000;
    begin(pool);
    i = byte();

    while (in.p < in.end) {
        act();
    }

    /* Half of them end while they are asked. */
    if (i % 2) {
        for (i = 0; i < 16; i++) {
            pass(TIMEOUT);
        }

        LUN_CHECK(lun_timer_next(lp) == UINT64_MAX);
    }

    over = true;
    lun_pool_free(pool);

    /* A question outlives its resolver, for whoever asked. */
    for (i = 0; i < ASKERS; i++) {
        cancel(&askers[i]);
    }

    LUN_CHECK(wires == 0 && lun_timer_next(lp) == UINT64_MAX);

    return 0;
}
