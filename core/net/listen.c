/*
 * listen.c -- listening sockets: the registry, opening and closing.
 *
 * A set is an array, in the order of the configuration, and an index of open
 * addressing over it: 20,000 addresses cost 20,000 lookups, whoever asks.
 * All of this is the master's; what its workers do is in listen_accept.c.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "net/listen.h"

#include "base/check.h"
#include "net/datagram.h"
#include "net/listen_priv.h"
#include "os/privileged.h"
#include "os/time.h"


enum {
    FIRST_ROOM  = 16,
    TRIES       = 3,               /* of an address in use */
    TRY_AGAIN   = 150              /* ms */
};


/* --- the registry -------------------------------------------------------- */

lun_listen_set *
lun_listen_set_new(lun_pool *pool)
{
    lun_listen_set  *set = lun_pool_new(pool, lun_listen_set);

    set->pool = pool;
    lun_list_init(&set->resting);
    return set;
}


static bool
listens_at(const lun_listener *l, const lun_addr *addr, bool datagram)
{
    return l->options.datagram == datagram && lun_addr_eq(&l->addr, addr);
}


/* The slot of the address, or the empty one where it belongs. */
static uint32_t *
slot_of(const lun_listen_set *set, const lun_addr *addr, bool datagram)
{
    size_t     i = (lun_addr_hash(addr) + datagram) & set->mask;
    uint32_t  *slot;

    for ( ;; ) {
        slot = &set->index[i];

        if (*slot == 0
            || listens_at(set->items[*slot - 1], addr, datagram))
        {
            return slot;
        }

        i = (i + 1) & set->mask;
    }
}


/* Twice the items; the index stays at most half full. */
static void
grow(lun_listen_set *set)
{
    size_t          i;
    lun_listener  **items = set->items;

    LUN_CHECK(set->count == set->room);

    set->room = lun_max(set->room * 2, (size_t) FIRST_ROOM);
    set->items = lun_pool_new_n(set->pool, lun_listener *, set->room);
    set->mask = set->room * 2 - 1;
    set->index = lun_pool_new_n(set->pool, uint32_t, set->mask + 1);

    for (i = 0; i < set->count; i++) {
        set->items[i] = items[i];
        *slot_of(set, &items[i]->addr, items[i]->options.datagram) =
            (uint32_t) i + 1;
    }
}


static lun_listener *
new_listener(lun_listen_set *set, const lun_addr *addr)
{
    char           text[LUN_ADDR_TEXT];
    lun_listener  *l = lun_pool_new(set->pool, lun_listener);

    l->set = set;
    l->fd = LUN_FD_NONE;
    l->addr = *addr;
    l->options.backlog = -1;
    l->options.fastopen = -1;

    if (addr->path != NULL) {
        l->addr.path = lun_pool_strz(set->pool, lun_str_z(addr->path));
    }

    l->text = lun_pool_str(set->pool, lun_addr_format(&l->addr, true, text,
                                                      sizeof(text)));
    return l;
}


static lun_listener *
want_listener(lun_listen_set *set, const lun_addr *addr, bool datagram,
    bool *fresh)
{
    uint32_t  *slot;

    if (set->count == set->room) {
        grow(set);
    }

    slot = slot_of(set, addr, datagram);
    *fresh = *slot == 0;

    if (*fresh) {
        set->items[set->count] = new_listener(set, addr);
        set->items[set->count]->options.datagram = datagram;
        *slot = (uint32_t) ++set->count;
    }

    return set->items[*slot - 1];
}


lun_listener *
lun_listen_want(lun_listen_set *set, const lun_addr *addr, bool *fresh)
{
    return want_listener(set, addr, false, fresh);
}


lun_listener *
lun_listen_want_datagrams(lun_listen_set *set, const lun_addr *addr,
    bool *fresh)
{
    return want_listener(set, addr, true, fresh);
}


static lun_listener *
find_listener(const lun_listen_set *set, const lun_addr *addr, bool datagram)
{
    uint32_t  *slot;

    if (set->count == 0) {
        return NULL;
    }

    slot = slot_of(set, addr, datagram);
    return *slot != 0 ? set->items[*slot - 1] : NULL;
}


lun_listener *
lun_listen_find(const lun_listen_set *set, const lun_addr *addr)
{
    return find_listener(set, addr, false);
}


lun_listener *
lun_listen_find_datagrams(const lun_listen_set *set, const lun_addr *addr)
{
    return find_listener(set, addr, true);
}


/* What `set` (or NULL) has for the same as l. */
static lun_listener *
find_like(const lun_listen_set *set, const lun_listener *l)
{
    return set != NULL
           ? find_listener(set, &l->addr, l->options.datagram) : NULL;
}


size_t
lun_listen_count(const lun_listen_set *set)
{
    return set->count;
}


lun_listener *
lun_listen_at(const lun_listen_set *set, size_t i)
{
    LUN_CHECK(i < set->count);
    return set->items[i];
}


/* --- opening ------------------------------------------------------------- */

typedef struct {
    lun_err      err;
    const char  *call;             /* "bind()" */
} failure;


static char *
put_place(void *owner, char *p, const char *end)
{
    const lun_listener  *l = owner;

    if (l->file.len == 0) {
        return p;
    }

    return lun_fmt(p, end, " in %.*s:%u", LUN_S(l->file), l->line);
}


static void
complain(const lun_listener *l, const failure *f, const lun_log *log)
{
    bool     to;
    lun_log  placed = *(log != NULL ? log : lun_log_default());

    placed.context = put_place;
    placed.owner = (void *) (uintptr_t) l;
    to = lun_str_starts(lun_str_z(f->call), LUN_STR("bind"))
         || lun_str_starts(lun_str_z(f->call), LUN_STR("listen"));

    lun_log(LUN_LOG_EMERG, &placed, f->err, "%s %s%.*s failed", f->call,
            to ? "to " : "", LUN_S(l->text));
}


/* Sessions of datagrams may still need theirs. */
static void
close_socket(const lun_listener *l, lun_fd fd)
{
    if (l->options.datagram) {
        lun_datagram_close(l->set->loop, fd);

    } else {
        lun_sock_close(fd);
    }
}


/* At the end of a set's life nobody closes by mistake what is not his. */
static void
forget_sockets(lun_listener *l)
{
    l->fd = LUN_FD_NONE;
    l->fds = NULL;
    l->fd_count = 0;
    l->inherited = false;
}


static void
remember_file(lun_listener *l)
{
    lun_file_info  info;

    if (l->addr.family == LUN_AF_UNIX
        && lun_file_stat(l->addr.path, &info) == 0)
    {
        l->file_id[0] = info.device;
        l->file_id[1] = info.id;
    }
}


static void
remove_file(const lun_listener *l)
{
    lun_file_info  info;

    if (l->addr.family == LUN_AF_UNIX
        && lun_file_stat(l->addr.path, &info) == 0
        && info.device == l->file_id[0] && info.id == l->file_id[1])
    {
        (void) lun_privileged_delete(l->addr.path);
    }
}


/*
 * The sockets of the other workers.  A system that has no shared ports
 * refuses the second of them: then all workers share the first.
 */
static bool
open_shared(lun_listener *l, unsigned workers, failure *f)
{
    lun_fd  fd;

    LUN_CHECK(l->fds != NULL && l->fd_count > 0);

    while (l->fd_count < workers) {
        f->err = lun_sock_listen(&l->addr, &l->options, &fd, &f->call);

        if (f->err != 0) {
            break;
        }

        l->fds[l->fd_count++] = fd;
    }

    if (f->err == 0) {
        return true;
    }

    if (l->fd_count != 1 || l->inherited) {
        return false;
    }

    switch (lun_err_kind_of(f->err)) {

    case LUN_ERR_ADDR_IN_USE:
    case LUN_ERR_ACCESS:
    case LUN_ERR_NOT_SUPPORTED:
        f->err = 0;
        l->fds = NULL;
        l->fd_count = 0;
        return true;

    default:
        return false;
    }
}


static bool
open_fresh(lun_listener *l, unsigned workers, failure *f)
{
    LUN_CHECK(l->fd == LUN_FD_NONE);

    f->err = lun_sock_listen(&l->addr, &l->options, &l->fd, &f->call);

    if (f->err != 0) {
        l->fd = LUN_FD_NONE;
        return false;
    }

    remember_file(l);

    if (!l->options.reuseport || workers <= 1
        || l->addr.family == LUN_AF_UNIX)
    {
        return true;
    }

    l->fds = lun_pool_new_n(l->set->pool, lun_fd, workers);
    l->fds[0] = l->fd;
    l->fd_count = 1;

    return open_shared(l, workers, f);
}


static bool
same_tuning(const lun_listen_options *a, const lun_listen_options *b)
{
    return a->backlog == b->backlog && a->rcvbuf == b->rcvbuf
           && a->sndbuf == b->sndbuf;
}


/*
 * Sockets of workers that there will be no more are left to close_rest():
 * nobody would take what the system gives them.
 */
static bool
take_over(lun_listener *l, const lun_listener *old, unsigned workers,
    failure *f)
{
    LUN_CHECK(l->fd == LUN_FD_NONE && old->fd != LUN_FD_NONE);

    l->inherited = true;
    l->fd = old->fd;
    l->file_id[0] = old->file_id[0];
    l->file_id[1] = old->file_id[1];

    if (!same_tuning(&l->options, &old->options)) {
        (void) lun_sock_relisten(l->fd, &l->options);
    }

    if (old->fds == NULL) {
        return true;
    }

    workers = lun_max(workers, 1u);
    l->fds = lun_pool_new_n(l->set->pool, lun_fd, workers);
    l->fd_count = lun_min(old->fd_count, workers);
    memcpy(l->fds, old->fds, l->fd_count * sizeof(lun_fd));

    return open_shared(l, workers, f);
}


/* Closes the sockets of `l` that `keeper` (or NULL) does not have. */
static void
close_sockets(lun_listener *l, const lun_listener *keeper)
{
    unsigned  i, kept;

    LUN_CHECK(l->fd != LUN_FD_NONE);

    if (keeper == NULL || keeper->fd != l->fd) {
        remove_file(l);
        close_socket(l, l->fd);
    }

    kept = keeper == NULL ? 1
           : lun_max(lun_min(keeper->fd_count, l->fd_count), 1u);

    for (i = kept; i < l->fd_count; i++) {
        lun_sock_close(l->fds[i]);
    }

    forget_sockets(l);
}


void
lun_listen_undo(lun_listen_set *set, const lun_listen_set *old)
{
    size_t         i;
    lun_listener  *l;

    for (i = 0; i < set->count; i++) {
        l = set->items[i];

        if (l->fd != LUN_FD_NONE) {
            close_sockets(l, l->inherited ? find_like(old, l) : NULL);
        }
    }
}


static bool
open_one(lun_listener *l, const lun_listen_set *old, unsigned workers,
    failure *f)
{
    const lun_listener  *before;

    *f = (failure) { 0 };
    before = find_like(old, l);

    return before != NULL && before->fd != LUN_FD_NONE
           ? take_over(l, before, workers, f)
           : open_fresh(l, workers, f);
}


/*
 * One pass over what is not open yet; only the last one complains about an
 * address in use.  LUN_AGAIN: such addresses are all that is missing.
 */
static lun_rc
open_pass(lun_listen_set *set, const lun_listen_set *old, unsigned workers,
    bool last, const lun_log *log)
{
    size_t         i;
    lun_rc         rc = LUN_OK;
    failure        f;
    lun_listener  *l;

    for (i = 0; i < set->count; i++) {
        l = set->items[i];

        if (l->fd != LUN_FD_NONE || open_one(l, old, workers, &f)) {
            continue;
        }

        if (l->fd == LUN_FD_NONE && !last
            && lun_err_kind_of(f.err) == LUN_ERR_ADDR_IN_USE)
        {
            rc = LUN_AGAIN;
            continue;
        }

        complain(l, &f, log);

        if (l->fd != LUN_FD_NONE
            || lun_err_kind_of(f.err) != LUN_ERR_ADDR_IN_USE)
        {
            return LUN_ERROR;          /* the next one would say the same */
        }

        rc = LUN_ERROR;
    }

    return rc;
}


/*
 * An address that is still in use is tried again for a while, as nginx does: a
 * server that has just ended may hold it.
 */
lun_rc
lun_listen_open(lun_listen_set *set, lun_listen_set *old, unsigned workers,
    const lun_log *log)
{
    int     tries;
    lun_rc  rc;

    LUN_CHECK(set != old);

    for (tries = 1; ; tries++) {
        rc = open_pass(set, old, workers, tries == TRIES, log);

        if (rc != LUN_AGAIN) {
            break;
        }

        lun_time_sleep(TRY_AGAIN);
    }

    if (rc != LUN_OK) {
        lun_listen_undo(set, old);
    }

    return rc;
}


static bool
try_one(lun_listener *l, failure *f)
{
    lun_fd              fd;
    lun_listen_options  alone = l->options;

    alone.reuseport = false;
    f->err = lun_sock_listen(&l->addr, &alone, &fd, &f->call);

    if (f->err != 0) {
        return lun_err_kind_of(f->err) == LUN_ERR_ADDR_IN_USE;
    }

    remember_file(l);
    remove_file(l);
    lun_sock_close(fd);
    return true;
}


lun_rc
lun_listen_try(lun_listen_set *set, const lun_log *log)
{
    size_t   i;
    failure  f;

    for (i = 0; i < set->count; i++) {
        if (!try_one(set->items[i], &f)) {
            complain(set->items[i], &f, log);
            return LUN_ERROR;
        }
    }

    return LUN_OK;
}


void
lun_listen_adopt(lun_listen_set *set, const lun_fd *fds, size_t n)
{
    size_t  i;

    LUN_CHECK(n == set->count);

    for (i = 0; i < n; i++) {
        set->items[i]->fd = fds[i];
        set->items[i]->inherited = true;
    }
}


void
lun_listen_close_rest(lun_listen_set *old, const lun_listen_set *set)
{
    size_t               i;
    lun_listener        *l;
    const lun_listener  *keeper;

    for (i = 0; i < old->count; i++) {
        l = old->items[i];

        if (l->fd == LUN_FD_NONE) {
            continue;
        }

        keeper = find_like(set, l);
        close_sockets(l, keeper != NULL && keeper->inherited ? keeper : NULL);
    }
}


static bool
has_socket(const lun_listener *l, lun_fd fd)
{
    unsigned  i;

    if (l == NULL) {
        return false;
    }

    for (i = 0; i < l->fd_count; i++) {
        if (l->fds[i] == fd) {
            return true;
        }
    }

    return l->fd == fd;
}


/* By socket and not by listener: the new set has many of the same. */
void
lun_listen_let_go(lun_listen_set *set, const lun_listen_set *keep)
{
    size_t               i;
    unsigned             k;
    lun_listener        *l;
    const lun_listener  *keeper;

    for (i = 0; i < set->count; i++) {
        l = set->items[i];
        keeper = find_like(keep, l);

        if (l->fd != LUN_FD_NONE && !has_socket(keeper, l->fd)) {
            close_socket(l, l->fd);
        }

        for (k = 1; k < l->fd_count; k++) {
            if (!has_socket(keeper, l->fds[k])) {
                lun_sock_close(l->fds[k]);
            }
        }

        forget_sockets(l);
    }
}
