/*
 * keyval.h -- keys and values in a zone, which scripts of the configuration
 * read as variables, and the API changes: keyval_zone, keyval.
 *
 * A zone is a dictionary (shm/shdict.h).  Where keys are networks each has a
 * second record, by which an address finds it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_KEYVAL_H
#define LUN_KEYVAL_H

#include "session/module.h"
#include "shm/shdict.h"

typedef enum {
    LUN_KEYVAL_STRING,             /* a key is itself */
    LUN_KEYVAL_IP,                 /* ... an address in a network */
    LUN_KEYVAL_PREFIX              /* ... a text that begins with it */
} lun_keyval_type;

enum {
    LUN_KEYVAL_KEY   = 255,        /* bytes */
    LUN_KEYVAL_VALUE = 65535
};

typedef struct {
    lun_str          name;
    lun_zone        *zone;
    lun_keyval_type  type;
    lun_msec         timeout;      /* 0: pairs stay */
    lun_str          state;        /* a file; "": none */
    bool             declared;     /* by keyval_zone */
    uint64_t         saved;        /* the version that the file has, */
    uint64_t         failed;       /* or that it could not be given */
} lun_keyval_zone;

typedef enum {
    LUN_KEYVAL_OK,
    LUN_KEYVAL_BAD_KEY,            /* no key of this zone can be so */
    LUN_KEYVAL_EXISTS,
    LUN_KEYVAL_NOT_FOUND,
    LUN_KEYVAL_NO_MEMORY
} lun_keyval_verdict;

extern lun_module  lun_common_keyval;

/* Zones of an engine, of lun_keyval_zone *; NULL: none. */
const lun_array *lun_keyval_zones(const lun_engine *e);
lun_keyval_zone *lun_keyval_find(const lun_engine *e, lun_str name);

/*
 * How a pair is written: ADD, only if it is new; REPLACE, only if it is not;
 * or 0.  `ttl`: ms, 0 as the zone has it.
 */
lun_keyval_verdict lun_keyval_set(lun_keyval_zone *z, lun_str key,
    lun_str value, uint8_t how, lun_msec ttl);
lun_keyval_verdict lun_keyval_remove(lun_keyval_zone *z, lun_str key);

/* Of that very key; a copy in the pool. */
bool lun_keyval_get(const lun_keyval_zone *z, lun_pool *pool, lun_str key,
    lun_str *value);
/* Of the key that fits, the most exact one. */
bool lun_keyval_match(const lun_keyval_zone *z, lun_pool *pool, lun_str key,
    lun_str *value);

/* All keys, of lun_str, in the pool. */
lun_array *lun_keyval_keys(const lun_keyval_zone *z, lun_pool *pool);

/* Milliseconds that it is left; 0: for ever. */
int64_t lun_keyval_left(const lun_keyval_zone *z, lun_str key);

/* Rises with each change. */
uint64_t lun_keyval_version(const lun_keyval_zone *z);

/* --- keyval_state.c --- */

/* `{"key":"value","other":{"value":"...","expire":1000}}` */
lun_str lun_keyval_json(const lun_keyval_zone *z, lun_pool *pool,
    bool with_expire);

/* Reads such a text; NULL, or what is wrong in line *line. */
const char *lun_keyval_read(lun_keyval_zone *z, lun_pool *pool, lun_str text,
    unsigned *line);

/* A pair's value and time as such a text has them; false: it is none. */
struct lun_json_member;
bool lun_keyval_value(lun_pool *pool, const struct lun_json_member *m,
    lun_str *value, lun_msec *ttl);

/* The file is read into a zone that is new; ERROR: logged. */
lun_rc lun_keyval_load(lun_keyval_zone *z, const lun_log *log);

/* One worker writes it, a second after a change at the latest. */
void lun_keyval_keep(lun_conf *cf, lun_keyval_zone *z);

#endif
