/*
 * program_keeper.c -- which processes an upstream's programs should have, and
 * what is done about it: started on the first request or at once, anew when
 * they end, replaced one by one, ended.
 *
 * The keeper is the master, or the one process that serves: programs outlive
 * workers, and a reload that does not change them.  It knows what it has
 * started; the table in the zone is where it tells workers, and of theirs only
 * numbers are read.
 *
 * A group is what belongs to one table.  Of its processes those are stale that
 * began for another line than the present one, or before a file changed that
 * is watched: for each of them another is started, and only when that listens
 * it gets no more requests, and ends when it has none in hand.
 *
 * A group that no configuration has any more goes when the last worker has
 * gone that may need it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/common/program/program_keeper.h"

#include "modules/common/program/program_priv.h"

#include "net/loop.h"
#include "os/knock.h"


enum {
    FIRST_PAUSE = 100,             /* ms, doubled with each further time */
    MAX_PAUSE = 5000,
    MINUTE = 60000,
    LOOK = 1000,                   /* ms: at files, and whether it is idle */
    FAILS = 100,                   /* of a minute, at most */
    AT_ONCE = 1000                 /* ms, then they are killed */
};

typedef struct {
    lun_list           link;
    lun_pool          *pool;       /* has the spec, and what is in it */
    lun_program_spec  *spec;
    lun_pool          *next_pool;  /* of one that is to follow, or NULL */
    lun_program_spec  *next;
    uint32_t           next_of;    /* the generation that wants that */
    lun_program_table *table;      /* NULL: its zone is gone */
    uint32_t           slots;
    uint32_t           first, last;        /* generations that want it */
    lun_loop          *loop;
    lun_list           children;
    lun_array          files;      /* program_files.c's */
    bool               wanted;     /* a request has come, or it is boot's */
    bool               offline;
    bool               leaving;    /* it is not to have any */
    unsigned           young;      /* times that one ended too early */
    lun_msec           fails[FAILS];       /* when, in a ring */
    unsigned           fail_at;
    lun_msec           pause_until;
    lun_timer          again;
    lun_timer          look;
    bool               looks;      /* it runs */
    /* Old specs of children that are still there. */
    lun_list           old;        /* of old_spec */
} group;

/* Children of it hold its memory. */
typedef struct {
    lun_list   link;
    lun_pool  *pool;
    const lun_program_spec  *spec;
} old_spec;

static lun_list  groups = { &groups, &groups };
static lun_msec  killing;          /* when what is left is killed */


static void  maintain(group *g);
static void  on_look(lun_timer *timer);


static group *
group_of(lun_list *link)
{
    return lun_container_of(link, group, link);
}


static lun_program_child *
child_of(lun_list *link)
{
    return lun_container_of(link, lun_program_child, link);
}


/* --- counting ------------------------------------------------------------ */

typedef struct {
    size_t  fresh, starting;       /* of the present line */
    size_t  up;                    /* of any line */
    size_t  stale;                 /* that serve still */
    size_t  all;
} census;


static census
count(const group *g)
{
    census                    n = { 0 };
    const lun_program_child  *c;

    lun_list_each (&g->children, it) {
        c = child_of(it);
        n.all++;

        if (c->ending || c->gone) {
            continue;
        }

        n.fresh += !c->stale;
        n.starting += !c->stale && !c->ready;
        n.stale += c->stale;
        n.up += c->ready;
    }

    return n;
}


/* --- failures ------------------------------------------------------------ */

static void
note_fail(group *g)
{
    g->fails[g->fail_at] = lun_clock.mono;
    g->fail_at = (g->fail_at + 1) % FAILS;
}


/* When the first of as many as may be in a minute was; 0: there are fewer. */
static lun_msec
first_fail(const group *g)
{
    unsigned  at;
    lun_msec  when;

    if (g->spec->fails == 0) {
        return 0;
    }

    at = (g->fail_at + FAILS - (unsigned) g->spec->fails) % FAILS;
    when = g->fails[at];

    return when != 0 && lun_clock.mono - when < MINUTE ? when : 0;
}


static void
set_broken(group *g, bool broken)
{
    if (g->table != NULL) {
        atomic_store(&g->table->broken, broken);
    }
}


/* It came to nothing: not at once again. */
static void
back_off(group *g)
{
    lun_msec  first;

    g->pause_until = lun_clock.mono
                     + lun_min((lun_msec) FIRST_PAUSE << lun_min(g->young, 8u),
                               (lun_msec) MAX_PAUSE);
    g->young++;
    note_fail(g);
    first = first_fail(g);

    if (first != 0) {
        g->pause_until = lun_max(g->pause_until, first + MINUTE);
        lun_log(LUN_LOG_ALERT, NULL, 0, "programs of upstream \"%.*s\" have "
                "failed %" PRId64 " times in a minute", LUN_S(g->spec->name),
                g->spec->fails);
    }

    /* Requests need not wait where nothing runs, and the last have failed. */
    if (count(g).up == 0 && ((int64_t) g->young > g->spec->retries
                             || first != 0))
    {
        set_broken(g, true);
    }
}


/* --- starting ------------------------------------------------------------ */

static bool
is_taken(const group *g, uint32_t slot)
{
    lun_list_each (&g->children, it) {
        if (child_of(it)->slot == slot) {
            return true;
        }
    }

    return false;
}


static void  on_up(void *keeper);
static void  on_child_end(void *keeper, lun_program_child *c,
                 const lun_program_end *end);

static const lun_program_events  events = {
    .up = on_up,
    .ended = on_child_end
};


/* False: not now. */
static bool
start_one(group *g)
{
    lun_err             err;
    uint32_t            slot = 0;
    lun_program_child  *c;

    while (slot < g->slots && is_taken(g, slot)) {
        slot++;
    }

    /* Those that end will make room. */
    if (slot == g->slots) {
        return false;
    }

    c = lun_program_child_new(g->spec, g->table, slot, g->loop, &events, g,
                              &err);

    if (c == NULL) {
        lun_log(LUN_LOG_ALERT, NULL, err, "starting program \"%.*s\" failed",
                LUN_S(*(lun_str *) lun_array_at(&g->spec->argv, 0)));
        back_off(g);
        return false;
    }

    lun_list_push_back(&g->children, &c->link);
    return true;
}


static void
on_again(lun_timer *timer)
{
    maintain(lun_container_of(timer, group, again));
}


/* As many as there should be; behind stale ones one after the other. */
static void
start_missing(group *g)
{
    census  n = count(g);
    size_t  want = (size_t) g->spec->count;

    while (n.fresh < want && (n.stale == 0 || n.starting == 0)) {
        if (lun_clock.mono < g->pause_until || !start_one(g)) {
            break;
        }

        n = count(g);
    }

    if (n.fresh < want && lun_clock.mono < g->pause_until) {
        g->again.idle = true;
        lun_timer_start(g->loop, &g->again, g->pause_until - lun_clock.mono,
                        on_again);
    }
}


/* --- ending -------------------------------------------------------------- */

static void
end_children(group *g, bool now)
{
    lun_list_each_safe (&g->children, it) {
        lun_program_child_end(child_of(it), now);
    }
}


static void
end_one_stale(group *g)
{
    lun_program_child  *c;

    lun_list_each (&g->children, it) {
        c = child_of(it);

        if (c->stale && !c->ending && !c->gone) {
            lun_program_child_end(c, false);
            return;
        }
    }
}


/* More than there should be, when a count has become less. */
static void
end_surplus(group *g)
{
    census  n = count(g);

    lun_list_each_safe (&g->children, it) {
        lun_program_child  *c = child_of(it);

        if (n.fresh > (size_t) g->spec->count && !c->stale && !c->ending
            && !c->gone)
        {
            lun_program_child_end(c, false);
            n.fresh--;
        }
    }
}


/* What workers say of theirs: bits that are looked at, and no more. */
static void
end_spent(group *g)
{
    lun_program_slot   *s;
    lun_program_child  *c;

    lun_list_each_safe (&g->children, it) {
        c = child_of(it);
        s = c->table != NULL ? &c->table->slots[c->slot] : NULL;

        if (s == NULL || c->gone) {
            continue;
        }

        if (!c->ending && !g->spec->single && atomic_load(&s->failed)) {
            lun_program_child_doubt(c);

        } else if (!c->ending && atomic_load(&s->failed)) {
            lun_log(LUN_LOG_ERR, NULL, 0, "program %" PRId64 " is replaced",
                    c->proc.pid);
            lun_program_set_state(c->table, c->slot, LUN_PROGRAM_ENDING);
            lun_program_child_kill(c);

        } else if (!c->ending && atomic_load(&s->spent)) {
            lun_program_child_end(c, false);

        } else {
            lun_program_child_look(c);
        }
    }
}


static void
free_old_specs(group *g, bool all)
{
    bool       used;
    old_spec  *o;

    lun_list_each_safe (&g->old, it) {
        o = lun_container_of(it, old_spec, link);
        used = false;

        lun_list_each (&g->children, ci) {
            used = used || child_of(ci)->spec == o->spec;
        }

        if (!used || all) {
            lun_list_remove(&o->link);
            lun_pool_free(o->pool);
            lun_free(o);
        }
    }
}


static void
free_group(group *g)
{
    free_old_specs(g, true);
    lun_timer_stop(&g->again);
    lun_timer_stop(&g->look);
    lun_list_remove(&g->link);

    if (g->next_pool != NULL) {
        lun_pool_free(g->next_pool);
    }

    lun_pool_free(g->pool);
    lun_free(g);
}


/* --- what is to be done -------------------------------------------------- */

static void
look_later(group *g)
{
    const lun_program_spec  *s = g->spec;

    if (g->leaving || g->looks) {
        return;
    }

    if (s->offline.len != 0
        || (g->wanted && (s->watch.count != 0 || s->idle != 0)))
    {
        g->looks = true;
        g->look.idle = true;
        lun_timer_start(g->loop, &g->look, LOOK, on_look);
    }
}


static void
maintain(group *g)
{
    if (g->leaving || g->offline) {
        end_children(g, false);

    } else if (g->wanted) {
        start_missing(g);
        end_surplus(g);
    }

    look_later(g);
}


static void
on_up(void *keeper)
{
    group  *g = keeper;

    end_one_stale(g);
    maintain(g);
}


static void
on_child_end(void *keeper, lun_program_child *c, const lun_program_end *end)
{
    group  *g = keeper;

    free_old_specs(g, false);

    if (g->leaving) {
        if (lun_list_empty(&g->children) && killing == 0) {
            free_group(g);
        }

        return;
    }

    if (!end->told && !end->served && end->young) {
        back_off(g);

    } else if (!end->told) {
        g->young = 0;
        note_fail(g);
        g->pause_until = first_fail(g) != 0 ? first_fail(g) + MINUTE : 0;

    } else {
        g->young = 0;
    }

    maintain(g);
}


static void
make_stale(group *g)
{
    lun_list_each (&g->children, it) {
        child_of(it)->stale = true;
    }

    g->young = 0;
    g->pause_until = 0;
    memset(g->fails, 0, sizeof(g->fails));
}


static bool
has_been_idle(const group *g)
{
    lun_msec  used;
    uint64_t  active = 0;

    if (g->spec->idle == 0 || !g->wanted || g->table == NULL) {
        return false;
    }

    used = atomic_load(&g->table->used);

    lun_list_each (&g->children, it) {
        active += lun_program_active(g->table, child_of(it)->slot);

        /* None has asked since it began. */
        used = lun_max(used, child_of(it)->started);
    }

    return active == 0 && !atomic_load(&g->table->wanted)
           && lun_clock.mono > used
           && lun_clock.mono - used >= g->spec->idle;
}


static void
set_offline(group *g, bool offline)
{
    if (g->offline == offline) {
        return;
    }

    g->offline = offline;

    if (g->table != NULL) {
        atomic_store(&g->table->offline, offline);
    }

    lun_log(LUN_LOG_NOTICE, NULL, 0, "programs of upstream \"%.*s\" are %s",
            LUN_S(g->spec->name), offline ? "offline" : "wanted again");
    make_stale(g);
    g->wanted = g->spec->boot;
}


static void
on_look(lun_timer *timer)
{
    group  *g = lun_container_of(timer, group, look);

    g->looks = false;
    set_offline(g, lun_program_is_offline(g->spec));

    if (lun_program_files_changed(&g->files) && g->wanted) {
        lun_log(LUN_LOG_NOTICE, NULL, 0, "programs of upstream \"%.*s\" are "
                "replaced: a file has changed", LUN_S(g->spec->name));
        make_stale(g);
    }

    if (has_been_idle(g)) {
        g->wanted = false;
        end_children(g, false);
    }

    maintain(g);
}


/* Workers want something, or have given something back. */
static void
on_knock(void)
{
    group  *g;

    lun_list_each_safe (&groups, it) {
        g = group_of(it);

        if (g->table == NULL || g->leaving) {
            continue;
        }

        if (atomic_exchange(&g->table->wanted, false)) {
            g->wanted = true;
        }

        end_spent(g);
        maintain(g);
    }
}


/* --- generations --------------------------------------------------------- */

static lun_program_spec *
copy_spec(const lun_programs *p, const lun_generation *gen, lun_pool **pool)
{
    lun_program_spec  *spec;

    *pool = lun_pool_new_sized(2048);
    spec = lun_pool_new(*pool, lun_program_spec);
    lun_program_spec_copy(*pool, spec, &p->spec);

    /* Whom workers are programs are, too, where we may be anybody. */
    if (spec->user.uid < 0 && !gen->alone && lun_user_is_root()
        && gen->logs.user != NULL && gen->logs.user->uid > 0)
    {
        spec->user = *gen->logs.user;
        spec->user.name = lun_pool_strz(*pool, lun_str_z(spec->user.name));
    }

    return spec;
}


static group *
find_group(const lun_programs *p)
{
    lun_list_each (&groups, it) {
        if (group_of(it)->table == lun_program_table_of(p)
            && !group_of(it)->leaving)
        {
            return group_of(it);
        }
    }

    return NULL;
}


/* Another table of that name has programs: requests are used to them. */
static bool
follows_another(const group *g)
{
    const group  *o;

    lun_list_each (&groups, it) {
        o = group_of(it);

        if (o != g && o->wanted
            && lun_str_eq(o->spec->name, g->spec->name))
        {
            return true;
        }
    }

    return false;
}


static void
new_group(lun_programs *p, const lun_generation *gen)
{
    group  *g = lun_calloc(sizeof(group));

    g->spec = copy_spec(p, gen, &g->pool);
    g->table = lun_program_table_of(p);
    g->slots = (uint32_t) ((p->zone->size - sizeof(lun_program_table))
                           / sizeof(lun_program_slot));
    g->first = g->last = gen->number;
    g->loop = gen->loop;
    lun_list_init(&g->children);
    lun_list_init(&g->old);
    lun_program_watch(g->pool, g->spec, &g->files);
    g->wanted = g->spec->boot || follows_another(g);
    lun_list_push_back(&groups, &g->link);
    atomic_store(&g->table->broken, false);
    set_offline(g, lun_program_is_offline(g->spec));
    maintain(g);
    look_later(g);
}


static lun_program_child *
find_child(int64_t pid)
{
    lun_list_each (&groups, it) {
        lun_list_each (&group_of(it)->children, ci) {
            if (child_of(ci)->proc.pid == pid) {
                return child_of(ci);
            }
        }
    }

    return NULL;
}


/* Also of a process that serves alone, which has others. */
static void
on_ended(int64_t pid, int code, const char *text)
{
    lun_program_child  *c = find_child(pid);

    if (c != NULL) {
        lun_program_child_ended(c, code, text);
    }
}


lun_rc
lun_program_lead(lun_generation *gen, void *programs)
{
    group         *g;
    lun_err        err;
    lun_programs  *p = programs;

    err = lun_knock_open(gen->loop->port, on_knock);

    if (err != 0) {
        lun_log(LUN_LOG_EMERG, NULL, err, "workers could not ask for "
                "programs");
        return LUN_ERROR;
    }

    lun_proc_on_child(on_ended);
    g = find_group(p);

    if (g == NULL) {
        new_group(p, gen);
        return LUN_OK;
    }

    if (g->next_pool != NULL) {
        lun_pool_free(g->next_pool);
    }

    g->next = copy_spec(p, gen, &g->next_pool);
    g->next_of = gen->number;
    g->last = gen->number;
    return LUN_OK;
}


/* The line of the generation that serves now. */
static void
take_next(group *g)
{
    bool       same = lun_program_spec_same(g->spec, g->next);
    old_spec  *o = lun_calloc(sizeof(old_spec));

    o->pool = g->pool;
    o->spec = g->spec;
    lun_list_push_back(&g->old, &o->link);
    g->pool = g->next_pool;
    g->spec = g->next;
    g->next_pool = NULL;
    lun_program_watch(g->pool, g->spec, &g->files);

    if (!same) {
        make_stale(g);
        set_broken(g, false);
    }

    g->wanted = g->wanted || g->spec->boot;
    set_offline(g, lun_program_is_offline(g->spec));
    free_old_specs(g, false);
    maintain(g);
}


static void
leave(group *g, bool now)
{
    g->leaving = true;
    lun_timer_stop(&g->again);
    lun_timer_stop(&g->look);
    end_children(g, now);

    if (lun_list_empty(&g->children)) {
        free_group(g);
    }
}


/* Nobody has its zone here any more. */
static void
forget_table(group *g)
{
    g->table = NULL;

    lun_list_each (&g->children, it) {
        child_of(it)->table = NULL;
    }
}


void
lun_program_settle(uint32_t now, uint32_t oldest, bool mapped)
{
    group  *g;

    lun_list_each_safe (&groups, it) {
        g = group_of(it);

        /* A generation that never served. */
        if (g->next_pool != NULL && g->next_of > now) {
            lun_pool_free(g->next_pool);
            g->next_pool = NULL;
            g->last = now;
        }

        if (g->next_pool != NULL && g->next_of == now) {
            take_next(g);
        }

        if (g->leaving || g->last == now) {
            continue;
        }

        if (!mapped) {
            forget_table(g);
        }

        if (g->first > now || oldest > g->last) {
            leave(g, !mapped);
        }
    }
}


bool
lun_program_owns(int64_t pid)
{
    return find_child(pid) != NULL;
}


static const char *
state_of(const lun_program_child *c)
{
    return c->gone ? "has ended" : c->asked ? "was asked to end"
           : c->ending ? "gets no more requests" : c->stale ? "is replaced"
           : c->ready ? "listens" : "does not listen yet";
}


static void
dump_child(const group *g, const lun_program_child *c)
{
    char  at[LUN_ADDR_TEXT];

    lun_log(LUN_LOG_NOTICE, NULL, 0, "dump: program %" PRId64 " of upstream "
            "\"%.*s\" at %.*s %s, for %" PRIu64 " ms, requests in hand: %"
            PRIu64, c->proc.pid, LUN_S(g->spec->name),
            LUN_S(lun_addr_format(&c->addr, true, at, sizeof(at))),
            state_of(c), lun_clock.mono - c->started,
            c->table != NULL ? lun_program_active(c->table, c->slot) : 0);
}


void
lun_program_dump(void)
{
    lun_list_each (&groups, it) {
        lun_list_each (&group_of(it)->children, ci) {
            dump_child(group_of(it), child_of(ci));
        }
    }
}


bool
lun_program_end_all(bool at_once)
{
    group  *g;

    if (killing == 0) {
        killing = lun_clock.mono + (at_once ? AT_ONCE : UINT32_MAX);

    } else if (at_once) {
        killing = lun_min(killing, lun_clock.mono + AT_ONCE);
    }

    lun_list_each_safe (&groups, it) {
        g = group_of(it);

        if (!g->leaving) {
            forget_table(g);
        }

        if (lun_list_empty(&g->children)) {
            free_group(g);
            continue;
        }

        g->leaving = true;
        lun_timer_stop(&g->again);
        lun_timer_stop(&g->look);
        end_children(g, true);

        if (lun_clock.mono >= killing) {
            lun_list_each_safe (&g->children, ci) {
                lun_program_child_kill(child_of(ci));
            }
        }
    }

    if (lun_list_empty(&groups)) {
        lun_knock_close();
    }

    return lun_list_empty(&groups);
}


void
lun_program_no_keeper(void)
{
    lun_list_each (&groups, it) {
        lun_list_each (&group_of(it)->children, ci) {
            lun_program_child_let_go(child_of(ci));
        }
    }

    lun_list_init(&groups);
}
