/*
 * resolver.c -- the resolver and its questions, over a wire that the test
 * holds in its hands: it sees what is sent, and answers as it likes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/dns/resolver.c"

#include "net/dns/dns_wire.h"
#include "loop_help.h"
#include "tap.h"


enum { RESPONSE = 0x80, TRUNCATED = 0x02 };

/* What was sent, the last first to be answered. */
typedef struct {
    size_t        server;
    bool          tcp;
    size_t        len;
    uint8_t       query[LUN_DNS_QUERY];
    lun_dns_head  head;
} sent;

/* What a caller was told. */
typedef struct {
    int                   calls;
    lun_resolve_verdict   verdict;
    size_t                count;
    char                  text[256];
} told;

static sent                 sents[64];
static int                  sent_count;
static lun_dns_message_fn  *wire_answer;
static void                *wire_owner;
static int                  wires, hosts_asked;
static lun_pool            *pool;
static lun_msec             patience = 5000;   /* resolver_timeout */


/* --- in place of the wire, and of the system's files --- */

struct lun_dns_wire {
    int  nothing;
};


lun_dns_wire *
lun_dns_wire_new(lun_loop *loop, const lun_addr *servers, size_t count,
    const lun_log *log, lun_dns_message_fn *on_message, void *owner)
{
    static lun_dns_wire  the_wire;

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
record(size_t server, bool tcp, const uint8_t *query, size_t len)
{
    sent     *s = &sents[sent_count++ % 64];
    uint8_t   copy[LUN_DNS_QUERY];

    s->server = server;
    s->tcp = tcp;
    s->len = len;
    memcpy(s->query, query, len);
    memcpy(copy, query, len);
    copy[2] |= RESPONSE;
    lun_dns_parse(copy, len, &s->head);
}


void
lun_dns_wire_send(lun_dns_wire *wire, size_t server, const uint8_t *query,
    size_t len)
{
    record(server, false, query, len);
}


void
lun_dns_wire_send_tcp(lun_dns_wire *wire, size_t server, const uint8_t *query,
    size_t len)
{
    record(server, true, query, len);
}


lun_err
lun_dns_servers(lun_addr *addrs, size_t room, size_t *count)
{
    *count = 0;
    return 0;
}


lun_err
lun_dns_hosts(lun_str name, lun_addr *addrs, size_t room, size_t *count)
{
    hosts_asked++;
    *count = 0;

    if (lun_str_eq(name, LUN_STR("filed"))) {
        lun_addr_parse(LUN_STR("::5"), &addrs[0]);
        lun_addr_parse(LUN_STR("10.0.0.5"), &addrs[1]);
        *count = 2;

    } else if (lun_str_eq(name, LUN_STR("three"))) {
        lun_addr_parse(LUN_STR("::5"), &addrs[0]);
        lun_addr_parse(LUN_STR("10.0.0.5"), &addrs[1]);
        lun_addr_parse(LUN_STR("::6"), &addrs[2]);
        *count = 3;
    }

    return 0;
}


/* --- tools --- */

static void
on_done(void *data, lun_resolve_verdict verdict, const lun_addr *addrs,
    size_t count)
{
    size_t   i;
    char    *p, *end;
    told    *t = data;
    char     room[LUN_ADDR_TEXT];

    t->calls++;
    t->verdict = verdict;
    t->count = count;
    p = t->text;
    end = p + sizeof(t->text) - 1;

    for (i = 0; i < count; i++) {
        p = lun_fmt(p, end, "%s%.*s", i ? " " : "",
                    LUN_S(lun_addr_format(&addrs[i], true, room,
                                          sizeof(room))));
    }

    *p = '\0';
}


static lun_resolver *
make(size_t servers, bool ipv4, bool ipv6)
{
    static lun_addr       addrs[4];
    lun_resolver_options  options = {
        .servers = addrs, .count = servers, .timeout = patience,
        .ipv4 = ipv4, .ipv6 = ipv6
    };

    pool = lun_pool_new_sized(4096);
    lun_clock.mono += 1000000;
    sent_count = 0;
    return lun_resolver_new(pool, lp, &options, NULL);
}


static void
unmake(void)
{
    lun_pool_free(pool);
    is_int((int64_t) lun_timer_pending(lp), 0, "nothing left behind");
}


/* Who still waits at the end has to cancel that. */
static void
unmake_with(lun_resolve_request *q)
{
    unmake();
    lun_resolve_cancel(q);
}


static lun_resolve_request *
ask(lun_resolver *r, const char *name, told *t)
{
    return lun_resolve(r, lun_str_z(name), 80, on_done, t);
}


/*
 * Answers the i-th thing sent, with `flags` in the second byte of flags and
 * with records given as bytes.
 */
static void
reply(int i, int more_flags, int rcode, int records, lun_str bytes)
{
    uint8_t  message[1024];
    size_t   len = sents[i].len;

    memcpy(message, sents[i].query, len);
    message[2] |= (uint8_t) (RESPONSE | more_flags);
    message[3] = (uint8_t) rcode;
    message[7] = (uint8_t) records;
    memcpy(message + len, bytes.data, bytes.len);
    wire_answer(wire_owner, sents[i].server, message, len + bytes.len);
}


#define NOTHING            LUN_STR("")
#define REC(type, ttl, size)  "\xc0\x0c\0" type "\0\1\0\0\0" ttl "\0" size
#define REC_A(ip)          REC("\1", "\x3c", "\4") "\x0a\0\0" ip
#define REC_AAAA(ip)       REC("\x1c", "\x1e", "\x10")                        \
                           "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" ip
#define BYTES(s)           lun_str_of((s), sizeof(s) - 1)


/* The i-th is of that type: A before AAAA, as they are sent. */
static int
of_type(int from, uint16_t type)
{
    while (from < sent_count && sents[from].head.type != type) {
        from++;
    }

    return from;
}


static void
pass(lun_msec ms)
{
    while (ms > 0) {
        lun_clock.mono += lun_min(ms, (lun_msec) 100);
        ms -= lun_min(ms, (lun_msec) 100);
        lun_timer_fire_due(lp);
    }
}


/* --- tests --- */

static void
answers_without_asking(void)
{
    told           t = { 0 };
    lun_resolver  *r = make(1, true, true);

    ok(ask(r, "1.2.3.4", &t) == NULL, "a number");
    is_str(t.text, "1.2.3.4:80", "is its own address");
    ask(r, "::1", &t);
    is_str(t.text, "[::1]:80", "IPv6");
    ok(ask(r, "a..b", &t) == NULL && t.verdict == LUN_RESOLVE_NXDOMAIN,
       "no name at all");
    ok(ask(r, "", &t) == NULL && t.verdict == LUN_RESOLVE_NXDOMAIN, "empty");
    is_int(sent_count, 0, "nobody was asked");

    ok(ask(r, "FILED", &t) == NULL, "from the hosts file");
    is_str(t.text, "10.0.0.5:80 [::5]:80", "IPv4 first");
    ask(r, "three", &t);
    is_str(t.text, "10.0.0.5:80 [::5]:80 [::6]:80", "each family by itself");
    ask(r, "three", &t);
    is_str(t.text, "10.0.0.5:80 [::6]:80 [::5]:80", "turns with each");
    ask(r, "localhost", &t);
    is_str(t.text, "127.0.0.1:80 [::1]:80", "this machine, without a file");
    ask(r, "any.LocalHost.", &t);
    is_str(t.text, "127.0.0.1:80 [::1]:80", "and all that is below");
    is_int(wires, 0, "no wire was needed");
    unmake();

    r = make(1, false, true);
    ask(r, "filed", &t);
    is_str(t.text, "[::5]:80", "only the family that is wanted");
    unmake();
}


static void
asks_for_both(void)
{
    told                  t = { 0 };
    lun_resolver         *r = make(1, true, true);
    lun_resolve_request  *q;

    ok(ask(r, "Both.Example.", &t) != NULL, "asks");
    is_int(sent_count, 2, "two questions");
    is_str(sents[0].head.name, "both.example", "of the name in one form");
    ok(sents[0].head.id != sents[1].head.id
       || sents[0].head.type != sents[1].head.type, "that differ");

    reply(of_type(0, LUN_DNS_AAAA), 0, 0, 1, BYTES(REC_AAAA("\1")));
    is_int(t.calls, 0, "half an answer is none yet");
    reply(of_type(0, LUN_DNS_A), 0, 0, 2, BYTES(REC_A("\1") REC_A("\2")));
    is_int(t.calls, 1, "told once");
    is_str(t.text, "10.0.0.1:80 10.0.0.2:80 [::1]:80", "IPv4 first");

    reply(0, 0, 0, 1, BYTES(REC_A("\6")));
    is_int(t.calls, 1, "an answer that comes twice is ignored");

    ok(ask(r, "both.example", &t) == NULL, "known now");
    is_str(t.text, "10.0.0.2:80 10.0.0.1:80 [::1]:80", "turns with each");
    pass(29000);
    ok(ask(r, "both.example", &t) == NULL, "still known");
    pass(1000);
    q = ask(r, "both.example", &t);
    ok(q != NULL, "for the least time to live");
    unmake_with(q);
}


static void
shares_questions(void)
{
    told           a = { 0 }, b = { 0 }, c = { 0 };
    lun_resolver         *r = make(1, true, false);
    lun_resolve_request  *q;

    ask(r, "one.example", &a);
    q = ask(r, "one.example", &b);
    lun_resolve(r, LUN_STR("one.example"), 443, on_done, &c);
    is_int(sent_count, 1, "asked once");
    lun_resolve_cancel(q);
    reply(0, 0, 0, 1, BYTES(REC_A("\1")));
    is_str(a.text, "10.0.0.1:80", "the first");
    is_int(b.calls, 0, "not the one that was cancelled");
    is_str(c.text, "10.0.0.1:443", "each with its own port");
    unmake();
}


static void
believes_no_strangers(void)
{
    told           t = { 0 };
    uint8_t        message[512];
    lun_resolver  *r = make(1, true, false);

    ask(r, "real.example", &t);
    memcpy(message, sents[0].query, sents[0].len);

    sents[0].query[0] ^= 1;
    reply(0, 0, 0, 1, BYTES(REC_A("\6")));
    memcpy(sents[0].query, message, sents[0].len);
    sents[0].query[13] = 'f';
    reply(0, 0, 0, 1, BYTES(REC_A("\6")));
    memcpy(sents[0].query, message, sents[0].len);
    sents[0].query[sents[0].len - 3] = LUN_DNS_AAAA;
    reply(0, 0, 0, 1, BYTES(REC_AAAA("\6")));
    memcpy(sents[0].query, message, sents[0].len);
    wire_answer(wire_owner, 0, message, sents[0].len);
    is_int(t.calls, 0, "another id, name, type, and a query");

    reply(0, 0, 0, 1, BYTES(REC_A("\1")));
    is_str(t.text, "10.0.0.1:80", "the true one");
    unmake();
}


static void
asks_again(void)
{
    told           t = { 0 };
    lun_resolver  *r = make(2, true, false);

    ask(r, "slow.example", &t);
    pass(1400);
    is_int(sent_count, 1, "waits");
    pass(200);
    is_int(sent_count, 2, "asks again");
    ok(sents[0].server != sents[1].server, "the other server");
    is_int(sents[0].head.id, sents[1].head.id, "the same question");
    reply(0, 0, 0, 1, BYTES(REC_A("\1")));
    is_str(t.text, "10.0.0.1:80", "a late answer is as good");
    unmake();

    r = make(1, true, true);
    t = (told) { 0 };
    ask(r, "dead.example", &t);
    pass(4900);
    is_int(t.calls, 0, "not before its time");
    pass(200);
    ok(t.calls == 1 && t.verdict == LUN_RESOLVE_TIMEDOUT, "timed out");
    reply(0, 0, 0, 0, NOTHING);
    reply(1, 0, 0, 1, BYTES(REC_AAAA("\1")));
    is_int(t.calls, 1, "told once");
    ok(ask(r, "dead.example", &t) == NULL, "but what came is known then");
    unmake();
}


static void
gives_up(void)
{
    int            n;
    told           t = { 0 };
    lun_resolver  *r = make(1, true, true);

    ask(r, "half.example", &t);
    reply(of_type(0, LUN_DNS_A), 0, 0, 1, BYTES(REC_A("\1")));
    pass(3200);
    is_str(t.text, "10.0.0.1:80", "one family has to do after a while");

    t.calls = 0;
    ask(r, "gone.example", &t);
    pass(31000);
    is_int(t.calls, 1, "timed out long ago");
    n = sent_count;
    pass(10000);
    is_int(sent_count, n, "nobody wants to know: not asked any more");
    unmake();

    patience = 1000;
    r = make(1, true, true);
    ask(r, "half.example", &t);
    reply(of_type(0, LUN_DNS_AAAA), 0, 0, 1, BYTES(REC_AAAA("\1")));
    pass(1200);
    is_str(t.text, "[::1]:80", "who has no time for that gets what there is");
    ok(ask(r, "half.example", &t) == NULL, "which is known from then on");
    unmake();
    patience = 5000;
}


/* A quitting worker waits for timers that are not idle. */
static void
holds_the_end_up_or_not(void)
{
    told                  t = { 0 };
    size_t                before = lun_timer_pending(lp);
    lun_resolver         *r = make(1, true, true);
    lun_resolve_request  *q = ask(r, "some.example", &t);

    is_int((int64_t) (lun_timer_pending(lp) - before), 1, "who waits counts");
    lun_resolve_be_idle(q);
    is_int((int64_t) (lun_timer_pending(lp) - before), 0,
           "but not who is idle");
    pass(5100);
    ok(t.calls == 1 && t.verdict == LUN_RESOLVE_TIMEDOUT,
       "and that has the same time");
    unmake();
}


static void
on_services(void *data, unsigned rcode, const lun_dns_services *found)
{
    ok(0, "nobody has answered");
}


static void
is_outlived_by_questions(void)
{
    size_t             turn, before = lun_timer_count(lp);
    lun_dns_question  *q;
    lun_resolver      *r = make(1, true, false);

    q = lun_dns_ask_services(lun_resolver_asker(r, &turn), "_a._tcp.example",
                             0, on_services, NULL);
    is_int(sent_count, 1, "it is asked");
    unmake();
    is_int((int64_t) lun_timer_count(lp), (int64_t) before,
           "a question is not asked any more when the resolver ends");
    lun_dns_ask_cancel(q);
}


static char  led_to[LUN_DNS_NAME];

static void
on_led(void *data, unsigned rcode, const lun_dns_addrs *found)
{
    if (found != NULL) {
        memcpy(led_to, found->alias, sizeof(led_to));
    }
}


static void
ask_where(lun_resolver *r)
{
    size_t          turn;
    lun_dns_asker  *asker = lun_resolver_asker(r, &turn);

    sent_count = 0;
    (void) lun_dns_ask(asker, "_x.example", LUN_DNS_TXT, turn, on_led, NULL);
}


/* TXT: whose records are, or would be. */
static void
says_where_names_lead(void)
{
    int            i;
    lun_resolver  *r = make(1, true, false);

    ask_where(r);
    reply(0, 0, 3, 0, NOTHING);
    is_str(led_to, "_x.example", "a name that is not there is its own");

    ask_where(r);
    reply(0, 0, 3, 1, BYTES(REC("\5", "\x3c", "\5") "\3far\0"));
    is_str(led_to, "far", "an alias of what is not there leads there");

    ask_where(r);
    reply(0, 0, 0, 1, BYTES(REC("\5", "\x3c", "\5") "\3far\0"));
    is_int(sent_count, 2, "a server that does not say what that has is asked");
    is_str(sents[1].head.name, "far", "for it");
    reply(1, 0, 0, 1, BYTES(REC("\x10", "\x3c", "\2") "\1x"));
    is_str(led_to, "far", "it has texts");

    ask_where(r);
    led_to[0] = '\0';

    for (i = 0; i < 60 && i < sent_count; i++) {
        reply(i, 0, 0, 1, i % 2 == 0
              ? BYTES(REC("\5", "\x3c", "\5") "\3far\0")
              : BYTES(REC("\5", "\x3c", "\6") "\4away\0"));
    }

    ok(sent_count < 20 && led_to[0] == '\0', "not for ever: %d", sent_count);
    unmake();
}


static void
reports_failures(void)
{
    told           t = { 0 };
    lun_resolver  *r = make(2, true, false);

    ask(r, "no.example", &t);
    reply(0, 0, 3, 0, NOTHING);
    ok(t.calls == 1 && t.verdict == LUN_RESOLVE_NXDOMAIN, "no such name");
    is_int(sent_count, 1, "that is final");
    ok(ask(r, "no.example", &t) != NULL, "and not remembered");
    reply(1, 0, 0, 0, NOTHING);
    ok(t.calls == 2 && t.verdict == LUN_RESOLVE_NXDOMAIN, "no addresses");

    t.calls = 0;
    sent_count = 0;
    ask(r, "bad.example", &t);
    reply(0, 0, 2, 0, NOTHING);
    is_int(t.calls, 0, "one server fails");
    ok(sent_count == 2 && sents[1].server != sents[0].server,
       "the other one is asked at once");
    reply(1, 0, 5, 0, NOTHING);
    ok(t.calls == 1 && t.verdict == LUN_RESOLVE_REFUSED, "it refuses");

    t.calls = 0;
    sent_count = 0;
    ask(r, "bad.example", &t);
    reply(0, 0, 0, 1, BYTES(REC("\1", "\1", "\5") "12345"));
    reply(1, 0, 0, 1, BYTES(REC_A("\1")));
    is_str(t.text, "10.0.0.1:80", "nonsense is a failure of the server");
    unmake();

    r = make(1, true, true);
    ask(r, "mixed.example", &t);
    reply(of_type(0, LUN_DNS_A), 0, 2, 0, NOTHING);
    reply(of_type(0, LUN_DNS_AAAA), 0, 0, 1, BYTES(REC_AAAA("\1")));
    is_str(t.text, "[::1]:80", "one family is enough");
    unmake();

    is_str(lun_resolve_text(LUN_RESOLVE_NXDOMAIN), "Host not found", "text");
    is_str(lun_resolve_text(LUN_RESOLVE_TIMEDOUT), "Operation timed out",
           "text");
    is_str(lun_resolve_text((lun_resolve_verdict) 9), "Unknown error", "text");
}


/* Of two servers one says the same again and again. */
static void
hears_a_refusal_once(void)
{
    told           t = { 0 };
    lun_resolver  *r = make(2, true, false);

    ask(r, "twice.example", &t);
    reply(0, 0, 2, 0, NOTHING);
    reply(0, 0, 2, 0, NOTHING);
    reply(0, 0, 0, 1, BYTES(REC("\1", "\1", "\5") "12345"));
    is_int(t.calls, 0, "a server that fails twice has failed once");
    is_int(sent_count, 2, "and the other was asked once");
    reply(1, 0, 0, 1, BYTES(REC_A("\1")));
    is_str(t.text, "10.0.0.1:80", "which has the word");
    unmake();

    r = make(2, true, false);
    t = (told) { 0 };
    ask(r, "late.example", &t);
    pass(1600);
    reply(0, 0, 2, 0, NOTHING);
    is_int(sent_count, 2, "nor does a late refusal count");
    reply(0, 0, 0, 1, BYTES(REC_A("\2")));
    is_str(t.text, "10.0.0.2:80", "as a late answer does");
    unmake();
}


static void
goes_to_tcp(void)
{
    told           t = { 0 };
    lun_resolver  *r = make(2, true, false);

    ask(r, "long.example", &t);
    reply(0, TRUNCATED, 0, 1, BYTES(REC_A("\1")));
    ok(sent_count == 2 && sents[1].tcp, "asks over TCP");
    is_int((int64_t) sents[1].server, (int64_t) sents[0].server,
           "the same server");
    pass(1600);
    ok(sent_count == 3 && sents[2].tcp, "and so on");
    reply(1, 0, 0, 2, BYTES(REC_A("\1") REC_A("\2")));
    is_int((int64_t) t.count, 2, "all of it");
    unmake();
}


static void
follows_aliases(void)
{
    told                  t = { 0 };
    lun_resolver         *r = make(1, true, false);
    lun_resolve_request  *q;

    ask(r, "www.example", &t);
    reply(0, 0, 0, 1, BYTES(REC("\5", "\x05", "\x06") "\3cdn\xc0\x10"));
    is_str(sents[1].head.name, "cdn.example", "asks for the alias");
    ok(sents[1].head.id != sents[0].head.id || sent_count == 2,
       "a question of its own");
    reply(1, 0, 0, 1, BYTES(REC_A("\1")));
    is_str(t.text, "10.0.0.1:80", "and tells its address");
    pass(4900);
    ok(ask(r, "www.example", &t) == NULL, "known");
    pass(200);
    q = ask(r, "www.example", &t);
    ok(q != NULL, "as long as the alias is");
    unmake_with(q);

    r = make(1, true, false);
    t = (told) { 0 };
    ask(r, "a.example", &t);

    for (int i = 0; i < 40 && t.calls == 0; i++) {
        reply(i, 0, 0, 1, i % 2
              ? BYTES(REC("\5", "\x05", "\4") "\1a\xc0\x0e")
              : BYTES(REC("\5", "\x05", "\4") "\1b\xc0\x0e"));
    }

    ok(t.calls == 1 && t.verdict == LUN_RESOLVE_SERVFAIL, "no rings");
    unmake();
}


static void
ends_with_its_pool(void)
{
    size_t                i;
    told                  a = { 0 };
    lun_resolver         *r = make(1, true, true);
    lun_resolve_request  *asked[3];

    asked[0] = ask(r, "x.example", &a);
    asked[1] = ask(r, "x.example", &a);
    asked[2] = ask(r, "y.example", &a);
    is_int(wires, 1, "a wire");
    unmake();
    is_int(wires, 0, "and none");
    is_int(a.calls, 0, "nobody is told");

    for (i = 0; i < LUN_ARRAY_LEN(asked); i++) {
        is_int(asked[i]->mark, LUN_MARK_RESOLVE, "it is whoever asked's");
        lun_resolve_cancel(asked[i]);
    }
}


static lun_resolver  *reentered;
static told           inner;

static void
on_done_ask_again(void *data, lun_resolve_verdict verdict,
    const lun_addr *addrs, size_t count)
{
    lun_resolve_cancel(data);
    ask(reentered, "again.example", &inner);
}


static void
may_be_called_back(void)
{
    told        t = { 0 };
    lun_resolve_request  *last;

    reentered = make(1, true, false);
    last = NULL;
    lun_resolve(reentered, LUN_STR("again.example"), 1, on_done, &t);
    last = lun_resolve(reentered, LUN_STR("again.example"), 2, on_done, &t);
    lun_resolve(reentered, LUN_STR("again.example"), 3, on_done, &t);

    /* The first in the list, put there last. */
    {
        lun_resolve_request  *q = lun_resolve(reentered,
                                              LUN_STR("again.example"), 4,
                                    on_done_ask_again, last);
        lun_list   *head = q->link.next;

        lun_list_remove(&q->link);
        lun_list_push_front(head, &q->link);
    }

    reply(0, 0, 0, 1, BYTES(REC_A("\1")));
    is_int(t.calls, 2, "a callback cancels another one's");
    is_int(inner.calls, 1, "and asks itself");
    unmake();
}


static void
keeps_only_so_many(void)
{
    int                   i;
    char                  name[32];
    told                  t = { 0 };
    lun_resolver         *r = make(1, true, false);
    lun_resolve_request  *q;

    for (i = 0; i < HOSTS_MAX + 100; i++) {
        snprintf(name, sizeof(name), "h%d.example", i);
        sent_count = 0;
        ask(r, name, &t);
        reply(0, 0, 0, 1, BYTES(REC_A("\1")));
    }

    is_int(t.calls, HOSTS_MAX + 100, "all answered");
    is_int((int64_t) r->host_count, HOSTS_MAX, "not all remembered");
    ok(ask(r, name, &t) == NULL, "the last one is");
    q = ask(r, "h0.example", &t);
    ok(q != NULL, "the first one is not");
    unmake_with(q);
}


static void
asks_for_only_so_many(void)
{
    int                   i;
    char                  name[32];
    told                  t = { 0 };
    lun_resolver         *r = make(1, true, false);
    lun_resolve_request  *first = ask(r, "first.example", &t);

    for (i = 1; i < HOSTS_MAX; i++) {
        snprintf(name, sizeof(name), "h%d.example", i);
        ask(r, name, &t);
    }

    is_int(t.calls, 0, "all of them wait");
    ok(ask(r, "more.example", &t) == NULL, "one more is refused");
    ok(t.calls == 1 && t.verdict == LUN_RESOLVE_SERVFAIL, "with a failure");
    is_int((int64_t) r->host_count, HOSTS_MAX, "and takes no room");
    ok(ask(r, name, &t) != NULL, "what is being asked for may be waited for");

    lun_resolve_cancel(first);
    ok(ask(r, "more.example", &t) != NULL,
       "where nobody waits any more there is room again");
    pass(5100);
    is_int(t.calls, HOSTS_MAX + 2, "each is told in the end");
    unmake();
}


int
main(void)
{
    answers_without_asking();
    asks_for_both();
    shares_questions();
    believes_no_strangers();
    asks_again();
    gives_up();
    reports_failures();
    hears_a_refusal_once();
    goes_to_tcp();
    follows_aliases();
    ends_with_its_pool();
    may_be_called_back();
    keeps_only_so_many();
    asks_for_only_so_many();
    holds_the_end_up_or_not();
    is_outlived_by_questions();
    says_where_names_lead();

    return done_testing();
}
