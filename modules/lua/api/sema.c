/*
 * sema.c -- ngx.semaphore: light threads of one worker wait for each other.
 *
 * What is posted is given to those who wait in a turn of the loop of its own,
 * in the order in which they came; nobody runs while another one posts.
 *
 * They live in blocks of thousands, a worker's for good but for those that were
 * made early and are empty: scripts make one for each thing that is waited for,
 * and forget it.  The debug lines are ngx_lua's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/api/sema.h"

#include "modules/lua/ffi/ffi.h"
#include "modules/lua/run/native.h"
#include "modules/lua/run/number.h"
#include "modules/lua/run/side.h"
#include "modules/lua/run/thread.h"

enum { PER_BLOCK = 4095 };

typedef struct lun_sema  sema;
typedef struct sema_block  sema_block;

struct lun_sema {
    sema_block  *block;
    lun_list   free;               /* in the queue of those that nobody has */
    int64_t    count;
    int64_t    waiters;
    lun_list   waiting;
    lun_loop  *loop;               /* that of those who wait */
    lun_task   task;
    unsigned   holds;              /* boxes, jobs (capi), and who waits */
};

typedef struct {
    lun_list   link;
    lun_co    *co;
    sema      *sema;
} waiter;

struct sema_block {
    sema_block  *next;
    unsigned     epoch;            /* the how manieth it was */
    unsigned     used;
    unsigned     begun;            /* those behind were never used */
    sema         semas[PER_BLOCK];
};

/* The worker's. */
static struct {
    sema_block  *blocks;           /* the newest first */
    lun_list     queue;            /* free ones that were used before */
    unsigned     epoch;
    unsigned     used, total;
} store;

static const char  type_name[] = "lunette.sema";


/* --- blocks -------------------------------------------------------------- */

static sema *
begin_block(void)
{
    sema_block  *b = lun_malloc(sizeof(sema_block));

    if (store.queue.next == NULL) {
        lun_list_init(&store.queue);
    }

    b->next = store.blocks;
    b->epoch = ++store.epoch;
    b->used = 0;
    b->begun = 1;
    store.blocks = b;
    store.total += PER_BLOCK;
    b->semas[0].block = b;

    lun_debug(NULL, "new block, alloc semaphore: %p block: %p",
              (void *) b->semas, (void *) b);
    return b->semas;
}


static sema *
take_free(void)
{
    sema        *s = NULL;
    sema_block  *newest = store.blocks;

    if (newest == NULL) {
        return NULL;
    }

    if (!lun_list_empty(&store.queue)) {
        s = lun_container_of(store.queue.next, sema, free);
        lun_list_remove(&s->free);

    } else if (newest->begun < PER_BLOCK) {
        s = &newest->semas[newest->begun++];
        s->block = newest;
    }

    if (s != NULL) {
        lun_debug(NULL, "from head of free queue, alloc semaphore: %p used: %u"
                  " total: %u", (void *) s, store.used + 1, store.total);
    }

    return s;
}


static void
end_block(sema_block *b)
{
    unsigned      i;
    sema_block  **at = &store.blocks;

    LUN_CHECK(b->used == 0);

    for (i = 0; i < b->begun; i++) {
        lun_list_remove(&b->semas[i].free);
    }

    while (*at != b) {
        at = &(*at)->next;
    }

    *at = b->next;
    store.total -= PER_BLOCK;
    lun_debug(NULL, "free semaphore block: %p", (void *) b);
    lun_free(b);
}


/* The older half of the blocks is used last, so that it may become empty. */
static void
give_back(sema *s)
{
    unsigned     mid = store.epoch - (store.total / PER_BLOCK >> 1);
    sema_block  *b = s->block;
    bool         old = b->epoch < mid;

    LUN_CHECK(b->used != 0 && store.used != 0);

    b->used--;
    store.used--;

    if (old) {
        lun_list_push_back(&store.queue, &s->free);
    } else {
        lun_list_push_front(&store.queue, &s->free);
    }

    lun_debug(NULL, "add to free queue %s semaphore: %p epoch: %u mid_epoch: "
              "%u cur_epoch: %u", old ? "tail" : "head", (void *) s, b->epoch,
              mid, store.epoch);

    if (old && b->used == 0 && store.used <= store.total >> 1) {
        end_block(b);
    }
}


/* --- waiting and posting ------------------------------------------------- */

void
lun_sema_put(lun_sema *s)
{
    if (--s->holds == 0) {
        lun_loop_unpost(&s->task);
        give_back(s);
    }
}


/* It does not wait any more: its coroutine. */
static lun_co *
leave(waiter *w)
{
    sema    *s = w->sema;
    lun_co  *co = w->co;

    lun_timer_stop(&co->timer);
    lun_list_remove(&w->link);
    lun_free(w);
    s->waiters--;
    lun_sema_put(s);
    return co;
}


static void
on_task(lun_task *task)
{
    lun_co  *co;
    sema    *s = lun_container_of(task, sema, task);

    s->holds++;
    lun_debug(NULL, "semaphore handler: wait queue: %sempty, resource count: "
              "%" PRId64, lun_list_empty(&s->waiting) ? "" : "not ",
              (int64_t) s->count);

    while (s->count > 0 && !lun_list_empty(&s->waiting)) {
        s->count--;
        co = leave(lun_container_of(s->waiting.next, waiter, link));
        lua_pushboolean(co->L, 1);
        lun_co_wake(co, 1);
    }

    lun_sema_put(s);
}


static void
on_timeout(lun_timer *timer)
{
    lun_co  *co = lun_container_of(timer, lun_co, timer);

    (void) leave(co->cancel_data);
    lua_pushboolean(co->L, 0);     /* nil is of who does not wait at all */
    lua_pushliteral(co->L, "timeout");
    lun_co_wake(co, 2);
}


static void
on_cancel(void *data)
{
    const lun_lua_ctx  *ctx = leave(data)->ctx;

    lun_debug(ctx->log, "%s lua semaphore cleanup",
              ctx->main->side->subsystem);
}


static int
wait_for(sema *s, lun_co *co, lun_msec limit)
{
    waiter  *w = lun_malloc(sizeof(waiter));

    w->co = co;
    w->sema = s;
    lun_list_push_back(&s->waiting, &w->link);
    s->waiters++;
    s->holds++;
    s->loop = lun_lua_loop(co->ctx);
    lun_timer_start(s->loop, &co->timer, limit, on_timeout);
    return lun_co_wait(co, "semaphore:wait", on_cancel, w);
}


bool
lun_sema_take(lun_sema *s)
{
    if (s->count == 0 || s->waiters != 0) {
        return false;
    }

    s->count--;
    return true;
}


static sema *
sema_of(lua_State *L)
{
    return *(sema **) luaL_checkudata(L, 1, type_name);
}


/* (semaphore, seconds): yields, where handlers may wait. */
static int
wait_(lua_State *L)
{
    sema      *s = sema_of(L);
    lun_co    *co;
    int64_t    limit = lun_max(lun_number_check_seconds(L, 2), 0);

    if (lun_lua_now.phase == LUN_LUA_INIT) {
        return luaL_error(L, "no request found");
    }

    if ((lun_lua_now.phase & LUN_LUA_YIELDABLE) == 0) {
        lua_pushnil(L);
        lua_pushfstring(L, "API disabled in the context of %s",
                        lun_lua_phase_name(lun_lua_now.phase));
        return 2;
    }

    co = lun_co_enter(L, LUN_LUA_YIELDABLE);

    if (lun_sema_take(s)) {
        lua_pushboolean(L, 1);
        return 1;
    }

    if (limit == 0) {
        lua_pushnil(L);
        lua_pushliteral(L, "timeout");
        return 2;
    }

    return wait_for(s, co, (lun_msec) limit);
}


lun_sema *
lun_sema_new(int n)
{
    sema        *s = take_free();
    sema_block  *b;

    if (s == NULL) {
        s = begin_block();
    }

    b = s->block;
    *s = (sema) { .block = b };
    b->used++;
    store.used++;

    s->count = n;
    s->holds = 1;
    lun_list_init(&s->waiting);
    return s;
}


lun_sema *
lun_sema_get(lun_sema *s)
{
    s->holds++;
    return s;
}


/* Pushes a box with nothing in it. */
static sema **
new_box(lua_State *L)
{
    sema  **box = lua_newuserdata(L, sizeof(sema *));

    *box = NULL;
    luaL_getmetatable(L, type_name);
    lua_setmetatable(L, -2);
    return box;
}


void
lun_sema_push(lua_State *L, lun_sema *s)
{
    *new_box(L) = lun_sema_get(s);
}


/* (resources): the box. */
static int
new_(lua_State *L)
{
    sema  **box = new_box(L);

    *box = lun_sema_new((int) lun_number_check(L, 1, 0, INT32_MAX));
    return 1;
}


void
lun_sema_collected(lun_sema *s)
{
    lun_debug(NULL, "in lua gc, semaphore %p", (void *) s);
    lun_sema_put(s);
}


static int
on_collect(lua_State *L)
{
    sema  **box = lua_touserdata(L, 1);

    if (*box != NULL) {
        lun_sema_collected(*box);
        *box = NULL;
    }

    return 0;
}


void
lun_sema_post(lun_sema *s, int n)
{
    s->count += n;

    if (s->waiters != 0) {
        lun_loop_post(s->loop, &s->task, on_task);
    }
}


int64_t
lun_sema_count(const lun_sema *s)
{
    return s->count - s->waiters;
}


/* --- for FFI, which has the box --- */

void
lun_ffi_sema_post(void *box, int n)
{
    lun_sema_post(*(sema **) box, n);
}


double
lun_ffi_sema_count(void *box)
{
    return (double) lun_sema_count(*(sema **) box);
}


static const luaL_Reg  functions[] = {
    { "sema_new", new_ },
    { "sema_wait", wait_ },
    { NULL, NULL }
};


void
lun_lua_sema_open(lua_State *L)
{
    lun_lua_type(L, type_name, on_collect);
    luaL_register(L, NULL, functions);
}
