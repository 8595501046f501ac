/*
 * store_link.c -- a connection to a store.
 *
 *     CLOSED -> dialing -> greeting -> up
 *        ^---------+-----------+--------+
 *
 * What is sent is in two texts: one that the system has, and one that grows
 * meanwhile.  Both belong to the connection (a `wire`), which may outlive the
 * link by what the system still has of them.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "store/store_link.h"

#include "base/check.h"
#include "base/fmt.h"
#include "net/dial/dial.h"
#include "net/dial/dial_tls.h"
#include "os/proc.h"


enum {
    ADDRS    = 8,                  /* of a name, that are tried */
    IN_SIZE  = 16 * 1024,
    OUT_SIZE = 4096
};

typedef struct {
    char    *data;
    size_t   len, room;
} text;

typedef struct {
    lun_store_link  *link;         /* NULL: it is free */
    text             going;        /* `sent` bytes of it are gone */
    text             next;
    size_t           sent;
} wire;

typedef struct {
    lun_msec  connect;
    lun_msec  read;
} limits;

typedef enum { CLOSED, DIALING, GREETING, UP } link_state;

struct lun_store_link {
    unsigned                    holds;
    lun_store                  *store;
    lun_loop                   *loop;
    lun_log                     log;
    lun_log                     quiet;     /* says nothing */
    const lun_store_link_user  *user;
    void                       *owner;
    link_state                  state;
    bool                        loud;
    bool                        idle;
    size_t                      turn;      /* of the store's urls */
    const lun_store_url        *url;
    lun_pool                   *pool;      /* of the resolver */
    lun_resolver               *resolver;
    lun_dial                    dial;
    limits                      limits;
    lun_addr                    addrs[ADDRS];
    size_t                      count, tried;
    lun_conn                   *conn;      /* GREETING, UP */
    wire                       *wire;
    lun_resp                    resp;
    lun_list                    asks;
    size_t                      asked;
    lun_store_ask               greeting[2];       /* AUTH, SELECT */
    unsigned                    greetings;
    lun_task                    task;      /* to tell that it is down */
    lun_task                    flush;     /* what was put goes out */
};


/* --- memory -------------------------------------------------------------- */

static void
put_link(lun_store_link *l)
{
    if (--l->holds == 0) {
        lun_pool_free(l->pool);
        lun_free(l);
    }
}


static void
on_dial_free(lun_conn *c)
{
    put_link(c->data);
}


static void
on_wire_free(lun_conn *c)
{
    wire  *w = c->data;

    lun_free(w->going.data);
    lun_free(w->next.data);
    lun_free(w);
}


/* --- the end ------------------------------------------------------------- */

static void
lose_asks(lun_store_link *l)
{
    lun_store_ask  *ask;

    while (!lun_list_empty(&l->asks)) {
        ask = lun_container_of(l->asks.next, lun_store_ask, link);
        lun_list_remove(&ask->link);
        l->asked--;
        ask->lost(ask);
    }
}


static void
close_all(lun_store_link *l)
{
    lun_loop_unpost(&l->task);
    lun_loop_unpost(&l->flush);
    lun_dial_drop(&l->dial);

    if (l->conn != NULL) {
        l->wire->link = NULL;
        l->wire = NULL;
        lun_conn_close(l->conn);
        l->conn = NULL;
    }

    l->state = CLOSED;
}


static void
on_down(lun_task *task)
{
    lun_store_link  *l = lun_container_of(task, lun_store_link, task);

    l->holds++;
    lose_asks(l);

    if (l->owner != NULL) {
        l->user->down(l->owner, l);
    }

    put_link(l);
}


/* Its user hears of it later: who is called here may be in the middle. */
static void
go_down(lun_store_link *l)
{
    close_all(l);
    lun_loop_post(l->loop, &l->task, on_down);
}


void
lun_store_link_free(lun_store_link *l)
{
    close_all(l);
    l->owner = NULL;
    lose_asks(l);
    put_link(l);
}


/* Why it ends, once, if that is wanted. */
#define LOG(l, err, ...)                                                      \
    do {                                                                      \
        if ((l)->loud) {                                                      \
            lun_log(LUN_LOG_ERR, &(l)->log, err, __VA_ARGS__);                \
        }                                                                     \
    } while (0)


/* --- replies ------------------------------------------------------------- */

static void  set_limit(lun_store_link *l);


static void
say_refused(lun_store_link *l, const lun_resp_value *v)
{
    enum { SHOWN = 200 };

    if (v->kind == LUN_RESP_ERROR) {
        LOG(l, 0, "store \"%.*s\" said: %.*s", LUN_S(l->store->name),
            (int) lun_min(v->text.len, (size_t) SHOWN), v->text.data);

    } else {
        LOG(l, 0, "store \"%.*s\" sent an unexpected reply",
            LUN_S(l->store->name));
    }
}


/* False: the link has ended. */
static bool
take_value(lun_store_link *l, const lun_resp_value *v)
{
    bool            good;
    lun_store_ask  *ask;

    if (lun_list_empty(&l->asks)) {
        LOG(l, 0, "store \"%.*s\" sent what nobody has asked for",
            LUN_S(l->store->name));
        go_down(l);
        return false;
    }

    ask = lun_container_of(l->asks.next, lun_store_ask, link);

    if (v->last) {
        lun_list_remove(&ask->link);
        l->asked--;
    }

    l->holds++;
    good = ask->value(ask, v);

    if (!good && l->state != CLOSED) {
        say_refused(l, v);
        go_down(l);
    }

    good = l->state != CLOSED;
    put_link(l);
    return good;
}


/* False: the link has ended. */
static bool
read_replies(lun_store_link *l, lun_conn *c)
{
    const char        *pos;
    lun_resp_value     v;
    lun_resp_verdict   rc;

    for ( ;; ) {
        pos = c->in.pos;
        rc = lun_resp_next(&l->resp, &pos, c->in.last, &v);

        if (rc == LUN_RESP_MORE) {
            return true;
        }

        if (rc == LUN_RESP_BAD) {
            LOG(l, 0, "store \"%.*s\" sent an invalid reply",
                LUN_S(l->store->name));
            go_down(l);
            return false;
        }

        c->in.pos += pos - c->in.pos;

        if (!take_value(l, &v)) {
            return false;
        }
    }
}


static void
make_room(lun_store_link *l, lun_conn *c)
{
    size_t  have = (size_t) (c->in.last - c->in.pos);
    size_t  size = (size_t) (c->in.end - c->in.start);
    size_t  want = lun_max(l->resp.needs, have + 1);

    if (want > size) {
        lun_conn_grow(c, lun_max(want, 2 * size));

    } else if (c->in.pos != c->in.start) {
        lun_conn_compact(c);
    }
}


static void
on_read(lun_conn *c)
{
    wire            *w = c->data;
    lun_store_link  *l = w->link;

    if (!read_replies(l, c)) {
        return;
    }

    if (l->asked == 0 && lun_self.exiting) {
        go_down(l);
        return;
    }

    make_room(l, c);
    set_limit(l);
    lun_conn_want(c);
}


static void
on_gone(lun_conn *c)
{
    wire            *w = c->data;
    lun_store_link  *l = w->link;

    LOG(l, c->err, "store \"%.*s\" closed the connection",
        LUN_S(l->store->name));
    go_down(l);
}


static void
on_slow(lun_conn *c)
{
    wire            *w = c->data;
    lun_store_link  *l = w->link;

    LOG(l, 0, "store \"%.*s\" timed out", LUN_S(l->store->name));
    go_down(l);
}


static void
on_quit(lun_conn *c)
{
    wire  *w = c->data;

    if (w->link->asked == 0) {
        go_down(w->link);
    }
}


static void  on_sent(lun_conn *c);

static const lun_conn_state  waiting = {
    .name       = "store waiting",
    .doing      = "waiting for replies of a store",
    .on_written = on_sent,
    .on_read    = on_read,
    .on_gone    = on_gone,
    .on_timeout = on_slow,
    .on_quit    = on_quit,
    .timeout    = LUN_TIMEOUT(limits, read)
};

static const lun_conn_state  resting = {
    .name       = "store resting",
    .doing      = "connected to a store",
    .on_written = on_sent,
    .on_read    = on_read,
    .on_gone    = on_gone,
    .on_quit    = on_quit
};


/* Silence is a fault only while a reply is to come. */
static void
set_limit(lun_store_link *l)
{
    const lun_conn_state  *state = l->asked != 0 ? &waiting : &resting;

    if (l->conn->state != state || state == &waiting) {
        lun_conn_enter(l->conn, state);
        lun_timer_set_idle(&l->conn->timer, l->idle);
    }
}


void
lun_store_link_be_loud(lun_store_link *l)
{
    l->loud = true;
}


void
lun_store_link_set_idle(lun_store_link *l, bool idle)
{
    l->idle = idle;
}


/* --- commands ------------------------------------------------------------ */

static char *
grow(text *t, size_t more)
{
    if (t->room - t->len < more) {
        t->room = lun_max(lun_max(2 * t->room, t->len + more),
                          (size_t) OUT_SIZE);
        t->data = lun_realloc(t->data, t->room);
    }

    return t->data + t->len;
}


static void
send_text(lun_store_link *l)
{
    wire       *w = l->wire;
    text        spare;
    lun_slice   rest;

    if (w->sent == w->going.len) {
        spare = w->going;
        w->going = w->next;
        w->next = spare;
        w->next.len = 0;
        w->sent = 0;
    }

    if (w->sent != w->going.len) {
        rest = (lun_slice) { w->going.data + w->sent, w->going.len - w->sent };
        lun_conn_write(l->conn, &rest, 1);
    }
}


static void
on_sent(lun_conn *c)
{
    wire  *w = c->data;

    w->sent += (size_t) lun_conn_written(c);
    send_text(w->link);
}


static void
on_flush(lun_task *task)
{
    lun_store_link  *l = lun_container_of(task, lun_store_link, flush);

    if (!lun_conn_writing(l->conn)) {
        send_text(l);
    }
}


static void
put_head(lun_store_link *l, char kind, uint64_t n)
{
    text  *t = &l->wire->next;

    t->len += lun_resp_head(grow(t, LUN_RESP_HEAD), kind, n);
}


void
lun_store_link_begin(lun_store_link *l, uint64_t parts)
{
    LUN_CHECK(l->conn != NULL);
    put_head(l, '*', parts);
}


void
lun_store_link_put(lun_store_link *l, lun_str s)
{
    char  *p;
    text  *t = &l->wire->next;

    put_head(l, '$', s.len);
    p = grow(t, s.len + 2);
    p = lun_copy_str(p, s);
    *p++ = '\r';
    *p = '\n';
    t->len += s.len + 2;
}


void
lun_store_link_put_raw(lun_store_link *l, lun_str parts)
{
    text  *t = &l->wire->next;

    (void) lun_copy_str(grow(t, parts.len), parts);
    t->len += parts.len;
}


void
lun_store_link_put_number(lun_store_link *l, int64_t n)
{
    char  digits[24];

    lun_store_link_put(l, lun_str_of(digits, (size_t) (lun_fmt(digits,
        digits + sizeof(digits), "%" PRId64, n) - digits)));
}


void
lun_store_link_ask(lun_store_link *l, lun_store_ask *ask)
{
    LUN_CHECK(ask->value != NULL && ask->lost != NULL);
    lun_list_push_back(&l->asks, &ask->link);

    if (l->asked++ == 0) {
        set_limit(l);
    }

    lun_loop_post(l->loop, &l->flush, on_flush);
}


size_t
lun_store_link_backlog(const lun_store_link *l)
{
    return l->wire->going.len - l->wire->sent + l->wire->next.len;
}


bool
lun_store_link_is_up(const lun_store_link *l)
{
    return l->state == UP;
}


bool
lun_store_link_is_closed(const lun_store_link *l)
{
    return l->state == CLOSED && !lun_loop_has_posted(&l->task);
}


lun_str
lun_store_link_where(const lun_store_link *l)
{
    return l->url != NULL ? l->url->text : LUN_STR("");
}


/* --- who we are ---------------------------------------------------------- */

static void
lose_greeting(lun_store_ask *ask)
{
}


static bool
take_greeting(lun_store_link *l, const lun_resp_value *v)
{
    if (v->kind == LUN_RESP_ERROR) {
        return false;
    }

    if (v->last && --l->greetings == 0) {
        l->state = UP;
        l->user->up(l->owner, l);
    }

    return true;
}


static bool
on_auth(lun_store_ask *ask, const lun_resp_value *v)
{
    return take_greeting(lun_container_of(ask, lun_store_link, greeting[0]), v);
}


static bool
on_select(lun_store_ask *ask, const lun_resp_value *v)
{
    return take_greeting(lun_container_of(ask, lun_store_link, greeting[1]), v);
}


static void
greet(lun_store_link *l)
{
    const lun_store  *s = l->store;

    l->greetings = 1;

    if (s->password.len != 0) {
        l->greetings++;
        lun_store_link_begin(l, s->user.len != 0 ? 3 : 2);
        lun_store_link_put(l, LUN_STR("AUTH"));

        if (s->user.len != 0) {
            lun_store_link_put(l, s->user);
        }

        lun_store_link_put(l, s->password);
        l->greeting[0] = (lun_store_ask) { .value = on_auth,
                                           .lost = lose_greeting };
        lun_store_link_ask(l, &l->greeting[0]);
    }

    if (l->url->database != 0) {
        lun_store_link_begin(l, 2);
        lun_store_link_put(l, LUN_STR("SELECT"));
        lun_store_link_put_number(l, l->url->database);

    } else {
        lun_store_link_begin(l, 1);
        lun_store_link_put(l, LUN_STR("PING"));
    }

    l->greeting[1] = (lun_store_ask) { .value = on_select,
                                       .lost = lose_greeting };
    lun_store_link_ask(l, &l->greeting[1]);
}


/* --- where to ------------------------------------------------------------ */

static void
on_quit_dialing(lun_conn *c)
{
    go_down(lun_dial_of(c)->owner);
}


static const lun_conn_state  connecting = {
    .name    = "store connecting",
    .doing   = "connecting to a store",
    LUN_DIAL_CONNECTING,
    .on_quit = on_quit_dialing,
    .timeout = LUN_TIMEOUT(limits, connect)
};

static const lun_conn_state  handshaking = {
    .name    = "store handshaking",
    .doing   = "SSL handshaking to a store",
    LUN_DIAL_HANDSHAKING,
    .on_quit = on_quit_dialing,
    .timeout = LUN_TIMEOUT(limits, connect)
};


static void
connect_next(lun_store_link *l)
{
    if (l->tried == l->count) {
        go_down(l);
        return;
    }

    lun_dial_connect(&l->dial, &l->addrs[l->tried++]);
}


static void
on_found(lun_dial *d, const lun_addr *addrs, size_t count)
{
    lun_store_link  *l = d->owner;

    l->count = lun_min(count, (size_t) ADDRS);
    l->tried = 0;
    memcpy(l->addrs, addrs, l->count * sizeof(lun_addr));
    connect_next(l);
}


static lun_rc
prepare(lun_dial *d, lun_conn *c, const lun_addr *addr)
{
    lun_store_link  *l = d->owner;

    l->holds++;                    /* until the connection is free, or the
                                      wire's */
    if (addr->family != LUN_AF_UNIX) {
        lun_conn_nodelay(c);
    }

    return LUN_OK;
}


static lun_str
tls_name(const lun_store_link *l)
{
    return l->store->tls_name.len != 0 ? l->store->tls_name : l->url->host;
}


static lun_rc
start_tls(lun_dial *d, lun_conn *c)
{
    lun_store_link  *l = d->owner;
    lun_str          name = tls_name(l);

    if (lun_tls_start(c, l->store->ctx, false) != LUN_OK
        || (lun_dial_tls_is_name(name)
            && lun_dial_tls_tell_name(lun_tls_of(c), d->log, "", name)
               != LUN_OK))
    {
        return LUN_ERROR;
    }

    lun_tls_handshake(c);
    return LUN_OK;
}


static bool
trusts(lun_dial *d, lun_conn *c)
{
    lun_store_link  *l = d->owner;

    return !l->store->verify
           || lun_dial_tls_is_trusted(lun_tls_of(c), d->log, "", tls_name(l),
                                      true);
}


static void
on_up(lun_dial *d)
{
    lun_conn        *c = lun_dial_take(d);
    lun_store_link  *l = d->owner;

    l->wire = lun_calloc(sizeof(wire));
    l->wire->link = l;
    l->conn = c;
    c->data = l->wire;
    c->on_free = on_wire_free;
    put_link(l);                   /* what the connection held */

    l->resp = (lun_resp) { .text_most = l->store->value_most };
    l->state = GREETING;
    lun_conn_enter(c, &resting);
    greet(l);
    lun_conn_want(c);
}


static void
on_failed(lun_dial *d, lun_dial_why why)
{
    lun_store_link  *l = d->owner;

    switch (why) {

    case LUN_DIAL_UNRESOLVED:
        LOG(l, 0, "store \"%.*s\": %.*s could not be resolved (%d: %s)",
            LUN_S(l->store->name), LUN_S(l->url->host), (int) d->verdict,
            lun_resolve_text(d->verdict));
        l->tried = l->count = 0;
        break;

    case LUN_DIAL_NO_SOCKET:
        LOG(l, d->err, "store \"%.*s\": socket() failed",
            LUN_S(l->store->name));
        break;

    case LUN_DIAL_LOST:
        LOG(l, d->conn->err, "store \"%.*s\": connect() to %.*s failed",
            LUN_S(l->store->name), LUN_S(l->url->text));
        break;

    case LUN_DIAL_TIMED_OUT:
        LOG(l, 0, "store \"%.*s\": connecting to %.*s timed out",
            LUN_S(l->store->name), LUN_S(l->url->text));
        break;

    default:                       /* TLS's, which has said why */
        break;
    }

    lun_dial_drop(d);
    connect_next(l);
}


static const lun_dial_user  dial_user = {
    .connecting  = &connecting,
    .handshaking = &handshaking,
    .found       = on_found,
    .prepare     = prepare,
    .secure      = start_tls,
    .trusts      = trusts,
    .up          = on_up,
    .failed      = on_failed,
    .on_free     = on_dial_free
};


static lun_resolver *
resolver_of(lun_store_link *l)
{
    static const lun_resolver_options  both = { .ipv4 = true, .ipv6 = true };

    if (l->resolver == NULL) {
        l->resolver = lun_resolver_new(l->pool, l->loop, &both, &l->log);
    }

    return l->resolver;
}


lun_store_link *
lun_store_link_new(lun_store *store, lun_loop *loop, const lun_log *log,
    const lun_store_link_user *user, void *owner)
{
    enum { MEMORY = 1024 };

    lun_store_link  *l = lun_calloc(sizeof(*l));

    l->holds = 1;
    l->store = store;
    l->loop = loop;
    l->log = *log;
    l->quiet = *log;
    l->quiet.level = LUN_LOG_EMERG;
    l->user = user;
    l->owner = owner;
    l->pool = lun_pool_new_sized(MEMORY);
    l->limits = (limits) { store->connect_timeout, store->read_timeout };
    lun_list_init(&l->asks);
    lun_dial_init(&l->dial, loop, &l->log, &dial_user, l);
    return l;
}


void
lun_store_link_open(lun_store_link *l, bool loud)
{
    LUN_CHECK(l->state == CLOSED);

    l->state = DIALING;
    l->loud = loud;
    l->url = lun_array_at(&l->store->urls, l->turn++ % l->store->urls.count);

    lun_dial_init(&l->dial, l->loop, loud ? &l->log : &l->quiet, &dial_user,
                  l);
    l->dial.timeouts = &l->limits;
    l->dial.in_size = IN_SIZE;
    l->dial.secure = l->url->secure;

    if (l->url->numeric) {
        on_found(&l->dial, &l->url->addr, 1);

    } else {
        lun_dial_resolve(&l->dial, resolver_of(l), l->url->host, l->url->port,
                         l->store->connect_timeout, true);
    }
}
