/*
 * vm.h -- a Lua machine, as the rooms of the bridge see it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_VM_H
#define LUN_LUA_VM_H

#include "modules/lua/lua.h"

/*
 * Functions of C that have got an argument more: those which the user's
 * lua-resty-core declares without it are short (stock_core.c).
 */
typedef enum {
    LUN_GROWN_PEER,
    LUN_GROWN_VERIFY,
    LUN_GROWN_CIPHERS,
    LUN_GROWN_POINTER,
    LUN_GROWN_OCSP,
    LUN_GROWN
} lun_grown;

struct lun_vm {
    lun_list        link;          /* in main->vms */
    unsigned        references;
    lua_State      *L;             /* the main thread; NULL: it is closed */
    lun_lua_main   *main;
    lun_pool       *pool;
    lun_lua_ctx    *home;          /* of init_by_lua, and of finalizers */

    int             co_table;      /* thread -> lun_co, weak keys */
    int             ctx_table;     /* ngx.ctx tables by ctx->ctx_ref */
    int             file_table;    /* path -> function */
    int             module_table;  /* ..., of modules not yet required */
    bool            retired;       /* another serves new requests */
    bool            is_short[LUN_GROWN];
    bool            pcre1;         /* the user's lua-resty-core has no PCRE2 */

    void          **dict_boxes;    /* of an own core, in the order of dicts */

    int            *chunks;        /* function refs by chunk id; 0: none */
    unsigned        chunk_room;

    lun_list        spares;        /* entries to use again */
    unsigned        spare_count;

    lun_list        waiting;       /* contexts with a run that waits */
    uint64_t        memory;        /* lua_metrics.c's */
    lun_list        owned;         /* of lun_vm_owned */
};

/*
 * What cdata of the machine owns, for the finalizer of which a free() is
 * called that takes it off the list; or for the machine's end.
 */
typedef struct lun_vm_owned  lun_vm_owned;
struct lun_vm_owned {
    lun_list   link;
    void     (*free)(lun_vm_owned *o);
};

/*
 * A bare Lua state: the standard libraries, cjson, and the Lua files that the
 * executable carries.  For `lunette spec`, and the base of every machine.
 */
lua_State *lun_vm_open_state(void);

/* Runs a module by its name; LUN_ERROR: logged. */
lun_rc lun_vm_require(lua_State *L, const char *name, const lun_log *log);

/* Calls the function below `args` values; an error is left, with a trace. */
int lun_vm_call(lua_State *L, int args, int results);

/*
 * What machines that were closed still had: coroutines that had not ended, and
 * ngx.ctx tables that nobody let go of.
 */
size_t lun_vm_lost_coroutines(void);
size_t lun_vm_lost_ctxs(void);

#endif
