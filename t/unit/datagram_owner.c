/*
 * datagram_owner.c -- a session of datagrams stays with the worker that has
 * it, whoever gets them from the system; and is another's when that one dies.
 *
 * On Windows a worker is this program again, so main() looks for its boot
 * slot first; what all of them share lies in segments.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "../../core/net/datagram_owner.c"

#include "net/listen_priv.h"
#include "os/proc.h"
#include "os/time.h"
#include "loop_help.h"
#include "tap.h"


enum { LIMIT = 20000 };

typedef enum { SERVE, LEAVE, DIE } order;

/* In a segment. */
typedef struct {
    lun_shm           zones[2];    /* the table, the workers */
    lun_fd            listener;    /* the master's */
    lun_addr          addr;
    _Atomic uint32_t  order;       /* to the worker */
    _Atomic uint32_t  obeyed;      /* 1 + the last that it has followed */
} common;

static lun_pool        *pool;
static lun_zone_set    *zones;
static lun_listen_set  *set;
static lun_listener    *listener;
static char             name;      /* 'w'orker or 'm'aster: first in answers */


/* --- both ---------------------------------------------------------------- */

static void
on_read(lun_conn *c)
{
    size_t     sent;
    lun_slice  parts[] = {
        { &name, 1 }, { c->in.pos, (size_t) (c->in.last - c->in.pos) }
    };

    (void) lun_conn_send(c, parts, 2, false, &sent);
    c->in.pos = c->in.last;
    lun_conn_compact(c);
    lun_conn_want(c);
}


static const lun_conn_state  echoing = {
    .doing = "echoing", .on_read = on_read
};


static void
on_begin(lun_listener *l, lun_conn *c)
{
    lun_conn_enter(c, &echoing);
    lun_conn_want(c);
}


/* As after reading a configuration. */
static void
prepare(char who, const lun_addr *addr)
{
    bool         fresh;
    const char  *why;

    name = who;
    pool = lun_pool_new_sized(4096);
    zones = lun_zone_set_new(pool);
    set = lun_listen_set_new(pool);
    listener = lun_listen_want_datagrams(set, addr, &fresh);
    listener->begin = on_begin;

    if (lun_datagram_want_zone(zones, &why) != LUN_OK
        || lun_workers_want(zones, 2, &why) != LUN_OK)
    {
        exit(3);
    }
}


static void
start_serving(void)
{
    lun_workers_look_at(zones);

    if (lun_workers_enter(lp->port, 1, name == 'w') != 0) {
        exit(4);
    }

    lun_datagram_share(lp, zones);

    if (lp->datagrams->table == NULL
        || lun_listen_start(set, lp, 0, NULL) != LUN_OK)
    {
        exit(4);
    }
}


/* --- the worker ---------------------------------------------------------- */

static LUN_NORETURN void
worker(common *c, lun_fd fd)
{
    uint32_t  told;

    lun_lock_init_process();
    prepare('w', &c->addr);
    lun_zone_adopt(zones, c->zones, 2);
    lun_listen_adopt(set, &fd, 1);

    if (lun_loop_init(lp) != 0
        || lun_proc_listen(lp->port, NULL, NULL, NULL) != 0)
    {
        exit(5);
    }

    lun_proc_bind_to_parent();
    start_serving();
    atomic_store(&c->obeyed, 1 + SERVE);

    for ( ;; ) {
        lun_loop_turn(lp, 10);
        told = atomic_load(&c->order);

        if (told == LEAVE && set->started) {
            lun_listen_stop(set);
            lun_listen_let_go(set, NULL);
            atomic_store(&c->obeyed, 1 + LEAVE);
        }

        if (told == DIE) {
            lun_shm_table_lock(lp->datagrams->table);
            exit(6);               /* with the lock in its hands */
        }
    }
}


static void
run(void *user)
{
    common  *c = user;

    worker(c, c->listener);
}


/* --- the master ---------------------------------------------------------- */

static bool      dead;
static int64_t   dead_pid;
static lun_fd    client;


static void
on_exit_of(void *data, int64_t pid, int code, const char *text)
{
    dead = true;
    dead_pid = pid;
}


static bool
await_order(common *c, order what)
{
    lun_msec  end = lun_time_monotonic() + LIMIT;

    atomic_store(&c->order, what);

    while (atomic_load(&c->obeyed) != 1 + (uint32_t) what
           && lun_time_monotonic() < end)
    {
        lun_loop_turn(lp, 5);
    }

    return atomic_load(&c->obeyed) == 1 + (uint32_t) what;
}


/* Who answers, and that it is the answer. */
static char
ask(lun_fd from, const common *c, const char *text)
{
    char      room[64];
    size_t    got;
    lun_addr  addr;
    lun_msec  end = lun_time_monotonic() + LIMIT;

    if (lun_sock_send_to(from, text, strlen(text), &c->addr) != 0) {
        return '!';
    }

    while (lun_time_monotonic() < end) {
        lun_loop_turn(lp, 2);

        if (lun_sock_receive_from(from, room, sizeof(room), &got, &addr) == 0)
        {
            return got == strlen(text) + 1
                   && memcmp(room + 1, text, got - 1) == 0 ? room[0] : '?';
        }
    }

    return '-';
}


static lun_fd
new_client(void)
{
    lun_fd    fd;
    lun_addr  any;

    lun_addr_parse(LUN_STR("127.0.0.1"), &any);
    (void) lun_sock_datagram(LUN_AF_INET, &fd);
    (void) lun_sock_bind(fd, &any);
    return fd;
}


static void
hands_on(common *c, const lun_shm *segment)
{
    lun_fd    other;
    lun_shm   shms[3] = { *segment, c->zones[0], c->zones[1] };
    lun_proc  proc;

    const lun_proc_start_spec  spec = {
        .shm_count = 3, .shms = shms, .listener_count = 1,
        .listeners = &c->listener, .user = c, .title = "worker process",
        .run = run
    };

    is_int(lun_proc_start(&spec, &proc), 0, "a worker");
    ok(await_order(c, SERVE), "serves");
    is_int(ask(client, c, "one"), 'w', "it has a session");

    start_serving();
    ok(await_order(c, LEAVE), "it leaves, and another serves");
    is_int(ask(client, c, "two"), 'w', "its session stays its own");
    ok(lun_datagram_count(lp)->forwarded > 0, "by handing on");

    other = new_client();
    is_int(ask(other, c, "new"), 'm', "a new one is the other's");
    lun_sock_close(other);

    /* What was to be mended is: the master does that at once. */
    atomic_store(&c->order, DIE);

    while (!dead) {
        lun_loop_turn(lp, 20);
    }

    is_int(dead_pid, proc.pid, "it dies");
    lun_zone_mend(zones, dead_pid, NULL);
    lun_proc_forget(&proc);

    is_int(ask(client, c, "three"), 'm', "its client finds another");
    is_int(ask(client, c, "four"), 'm', "for good");
    lun_sock_close(client);
}


/* As the table fills up, the oldest go, but for who receives. */
static void
the_table_forgets(void)
{
    uint32_t          i;
    lun_datagram_key  key;

    memset(&key, 0, sizeof(key));
    key.local.family = key.remote.family = LUN_AF_INET;
    lun_datagram_reader_is_me(lp->datagrams, &key.local);
    ok(!lun_datagram_has_reader(lp->datagrams, &key.local),
       "to itself it is no reader");

    for (i = 0; i < TABLE_SIZE / 64 + 10; i++) {
        memcpy(key.remote.ip, &i, sizeof(i));

        if (lun_datagram_forward(lp->datagrams, &key, LUN_DATAGRAM_SESSION,
                                 LUN_STR(""), true)
            != LUN_DATAGRAM_OURS)
        {
            break;
        }
    }

    is_int(i, TABLE_SIZE / 64 + 10, "more sessions than there is room for");

    lun_shm_table_lock(lp->datagrams->table);
    ok(lun_shm_table_oldest(lp->datagrams->table)->stamp != RECEIVES,
       "who receives is not forgotten");
    lun_shm_table_unlock(lp->datagrams->table);
}


static void
letters_are_checked(void)
{
    lun_str           data;
    unsigned          kind;
    letter_head       head;
    lun_datagram_key  key, back;
    char              text[sizeof(head) + 3];

    memset(&key, 0, sizeof(key));
    key.local.family = key.remote.family = LUN_AF_INET6;
    key.local.port = 1;
    key.remote.port = 2;
    key.remote.ip[15] = 9;
    fill_head(&head, &key, LUN_DATAGRAM_QUIC | 2);
    memcpy(text, &head, sizeof(head));
    memcpy(text + sizeof(head), "abc", 3);

    ok(lun_datagram_read_letter(lun_str_of(text, sizeof(text)), &back, &kind,
                                &data)
       && kind == (LUN_DATAGRAM_QUIC | 2)
       && lun_addr_eq(&back.local, &key.local)
       && lun_addr_eq(&back.remote, &key.remote)
       && lun_str_eq(data, LUN_STR("abc")), "a letter is what it was");
    ok(!lun_datagram_read_letter(lun_str_of(text, sizeof(head) - 1), &back,
                                 &kind, &data), "too short for one");
    text[0] = 77;
    ok(!lun_datagram_read_letter(lun_str_of(text, sizeof(text)), &back, &kind,
                                 &data),
       "of no family");
}


static void
open_all(common *c)
{
    const char  *failed;

    const lun_listen_options  opt = { .datagram = 1 };

    lun_addr_parse(LUN_STR("127.0.0.1"), &c->addr);

    if (lun_sock_listen(&c->addr, &opt, &c->listener, &failed) != 0
        || lun_sock_local(c->listener, &c->addr) != 0
        || lun_loop_init(lp) != 0
        || lun_proc_listen(lp->port, on_exit_of, NULL, NULL) != 0)
    {
        ok(0, "cannot begin");
        exit(1);
    }

    prepare('m', &c->addr);
    lun_listen_adopt(set, &c->listener, 1);
    client = new_client();

    if (lun_zone_open(zones, NULL, NULL) != LUN_OK) {
        ok(0, "no zones");
        exit(1);
    }

    c->zones[0] = lun_zone_at(zones, 0)->shm;
    c->zones[1] = lun_zone_at(zones, 1)->shm;
}


int
main(int argc, char **argv)
{
    void          *user;
    uint32_t       number, count;
    lun_shm        shm;
    const lun_fd  *fds;

    lun_proc_init(&argc, argv);
    user = lun_proc_boot(&number, &fds, &count);

    if (user != NULL) {
        worker(user, fds[0]);
    }

    lun_sock_init();
    lun_lock_init_process();

    if (lun_shm_init() != 0 || lun_shm_new(sizeof(common), &shm) != 0) {
        ok(0, "cannot begin");
        return 1;
    }

    open_all(shm.addr);
    hands_on(shm.addr, &shm);
    the_table_forgets();
    letters_are_checked();

    return done_testing();
}
