/*
 * conf.h -- reading a configuration: directive tables, blocks, setters.
 *
 * A module describes its directives in a table; placement, arity, duplicates,
 * inheritance and defaults are this floor's work, so a module rarely writes
 * code for them:
 *
 *   { .name = "hold", .where = LUN_HTTP | LUN_SERVER | LUN_LOCATION,
 *     .args = 1, .set = lun_set_msec, LUN_FIELD(hold_conf, delay),
 *     .fallback = "0" }
 *
 * Blocks form a tree.  Each holds, per module, a conf struct; one that says
 * nothing of a module shares its parent's struct, one that says nothing at
 * all shares the whole array.  After the file is read, lun_block_inherit()
 * walks the tree once, top down: a field whose directive was not given is
 * copied from the parent's, and at the top (the main block, or a protocol's)
 * comes from `fallback`.  Directives that set one field count as one: either
 * is a duplicate of the other.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_CONF_H
#define LUN_CONF_H

#include "base/array.h"
#include "base/hash.h"
#include "base/log.h"
#include "config/schema.h"
#include "os/file.h"

typedef struct lun_conf        lun_conf;
typedef struct lun_block       lun_block;
typedef struct lun_generation  lun_generation;
typedef struct lun_conf_reader lun_conf_reader;

/*
 * Where a directive may stand: bits, of which this floor knows only the first.
 * The others are given out in session/levels.h.
 */
enum { LUN_MAIN = 0x0001 };

enum { LUN_ARGS_ANY = 0xff };

/* Acts on cf->args for the conf of the current block; reports failures. */
typedef lun_rc lun_set_fn(lun_conf *cf, const lun_directive *d, void *conf);

struct lun_directive {
    const char   *name;
    uint32_t      where;
    uint8_t       args;            /* how many, at least; LUN_ARGS_ANY */
    uint8_t       args_max;        /* at most (or _ANY); 0: exactly `args` */
    bool          block;           /* followed by { */
    bool          raw;             /* the block is Lua: cf->raw */
    bool          repeats;         /* may be given more than once in a block */
    lun_set_fn   *set;
    size_t        field;           /* offset in the conf, see LUN_FIELD */
    size_t        size;            /* of the field; 0: nothing to inherit */
    const char   *fallback;        /* value at the top: arguments as text */
    const void   *data;            /* the setter's (an enum's table, ...) */
    const char   *help;            /* one line for a reader; NULL: none yet */
    const char   *values;          /* how arguments are written, for readers;
                                      NULL: the setter, or `args`, says it */
};

#define LUN_FIELD(type, member)                                               \
    .field = offsetof(type, member), .size = sizeof(((type *) 0)->member)

/* What one module brings to the configuration. */
struct lun_conf_part {
    const char           *name;
    const lun_directive  *directives;   /* ends with an empty one; <= 128 */
    size_t                conf_size;
    /* After a block of its own has inherited: mends what is special.
       `parent` is NULL at the top.  May be NULL. */
    lun_rc              (*inherited)(lun_conf *cf, const void *parent,
                             void *conf);
    unsigned              index;        /* set by lun_schema_add() */
};

struct lun_block {
    lun_block   *parent;
    uint32_t     where;            /* one of the places above */
    void       **confs;            /* by part index */
    bool         confs_own;        /* else the parent's array */
    lun_block   *first_child;
    lun_block   *last_child;
    lun_block   *sibling;
    lun_str      file;             /* where its { stands */
    unsigned     line;
    void        *owner;            /* http: the server or location */
    struct lun_engine *engine;     /* what cf->engine is in it */
};

/* Replaces the disk: a Windows worker reads from the boot block. */
typedef struct {
    lun_str   path, text;
    bool      asset;               /* lun_conf_asset(): -T passes it over */
    lun_file_info  info;           /* an asset's, when it was read from disk;
                                      is_file: it is known */
} lun_conf_file;

typedef struct {
    lun_str   pattern;             /* what an include said, made absolute */
    lun_str  *paths;               /* what it matched */
    size_t    count;
} lun_conf_glob;

typedef struct {
    lun_conf_file  *files;
    size_t          file_count;
    lun_conf_glob  *globs;
    size_t          glob_count;
    bool            partial;       /* what it has not is read from the disk */
} lun_conf_snapshot;

/*
 * Zeroed at first, but for gen, pool, temp, log, schema, the prefixes,
 * testing, snapshot and before.  Texts of files and arguments live as long as
 * `pool`: a setter keeps them without a copy (they do not end with a zero
 * byte).
 */
struct lun_conf {
    lun_generation    *gen;        /* the roof's; http asks it for listeners */
    lun_pool          *pool;       /* lives as long as the generation */
    lun_pool          *temp;       /* until the configuration is read */
    lun_log           *log;
    const lun_schema  *schema;
    lun_str            prefix;     /* ends with '/' */
    lun_str            conf_prefix;/* folder of the main file, with '/' */
    bool               testing;    /* -t */
    bool               read_on;    /* behind what is wrong: report it all */
    struct lun_problems     *problems;     /* problems.h's */
    struct lun_conf_loaded  *loaded;       /* loaded.h's */

    /* The directive at hand. */
    lun_str           *args;       /* args[0] is its name */
    size_t             argc;
    bool              *quoted;     /* which args were quoted */
    bool               is_fallback;/* nobody has written it */
    lun_str            raw;        /* text of a Lua block */
    unsigned           raw_line;   /* its first line */
    lun_str            file;
    unsigned           line;       /* where the directive begins */
    unsigned           end_line;   /* where it ends (the closing quote) */
    lun_block         *block;
    uint32_t           where;
    struct lun_engine *engine;     /* of the protocol's block, or NULL */

    lun_array          files;      /* of lun_conf_file: what was read */
    lun_array          globs;      /* of lun_conf_glob */
    const lun_conf_snapshot  *snapshot;     /* NULL: read the disk */
    const lun_conf_snapshot  *before;       /* whose assets are as good, where
                                               the disk has not changed */

    lun_conf_reader   *reader;     /* its own */
    unsigned           depth;      /* of blocks and includes */
};

/* Reads a whole file into the top block; the path is taken as it is. */
lun_rc lun_conf_read_file(lun_conf *cf, lun_str path, lun_block *top);
/* The same for text: -g "..."; its place is called "command line". */
lun_rc lun_conf_read_text(lun_conf *cf, lun_str text, lun_block *top);

/* A file that a directive names (a certificate): part of the snapshot. */
lun_err lun_conf_asset(lun_conf *cf, lun_str path, lun_str *text);

/*
 * For the setter of a block directive: reads what stands between the braces
 * into a new child block of `where`, which is returned through *block.
 */
lun_rc lun_conf_read_block(lun_conf *cf, uint32_t where, void *owner,
    lun_block **block);

/*
 * Also for a block directive, one whose body is not directives (map, types):
 * calls each(cf, data) for every "word word ... ;" in it (cf->args).
 * `include` works inside when `includes` is true.
 */
typedef lun_rc lun_conf_line_fn(lun_conf *cf, void *data);
lun_rc lun_conf_read_lines(lun_conf *cf, lun_conf_line_fn *each, void *data,
    bool includes);

/*
 * Reports "[emerg] text in file:line" and returns LUN_ERROR.  _err adds the
 * system's reason, _bare has no " in file:line"; _at names another place.
 * The line is cf->end_line; after lun_conf_read_block() that is the block's }.
 */
lun_rc lun_conf_fail(const lun_conf *cf, const char *fmt, ...)
    LUN_PRINTF(2, 3);
lun_rc lun_conf_fail_err(const lun_conf *cf, lun_err err, const char *fmt, ...)
    LUN_PRINTF(3, 4);
lun_rc lun_conf_fail_bare(const lun_conf *cf, const char *fmt, ...)
    LUN_PRINTF(2, 3);
lun_rc lun_conf_fail_at(const lun_conf *cf, lun_str file, unsigned line,
    const char *fmt, ...) LUN_PRINTF(4, 5);
void lun_conf_warn(const lun_conf *cf, const char *fmt, ...) LUN_PRINTF(2, 3);

/* "invalid value": what every setter says of a value it cannot read. */
lun_rc lun_conf_bad_value(const lun_conf *cf);
/* The same of that word, and in a second line what there would have to be. */
lun_rc lun_conf_bad_size(const lun_conf *cf, lun_str word);
lun_rc lun_conf_bad_time(const lun_conf *cf, lun_str word);

/* The block's own conf of that part, made (zeroed) when it had none. */
void *lun_block_conf(lun_conf *cf, lun_block *b, const lun_conf_part *part);

/* Whether a directive of the part was given in this very block. */
bool lun_block_has(const lun_block *b, const lun_conf_part *part,
    const lun_directive *d);

/* Below `parent` (NULL: a top), for those made without text. */
lun_block *lun_block_new(lun_conf *cf, lun_block *parent, uint32_t where);

/* See the head of this file.  Once, after everything is read. */
lun_rc lun_block_inherit(lun_conf *cf, lun_block *top);

/* Relative to the prefix, or to the conf folder; ends with a zero byte. */
lun_str lun_conf_path(const lun_conf *cf, lun_str path, bool to_conf_folder);

/* --- setters: the field's C type is in the comment --- */

lun_set_fn  lun_set_flag;          /* bool: on | off */
lun_set_fn  lun_set_num;           /* int64_t, not negative */
lun_set_fn  lun_set_size;          /* size_t: 4k 1m 1g */
lun_set_fn  lun_set_off;           /* int64_t bytes: 1g */
lun_set_fn  lun_set_msec;          /* lun_msec */
lun_set_fn  lun_set_sec;           /* int64_t seconds */
lun_set_fn  lun_set_str;           /* lun_str */
lun_set_fn  lun_set_path;          /* lun_str, made absolute: prefix */
lun_set_fn  lun_set_enum;          /* int; data: lun_enum[] */
lun_set_fn  lun_set_bits;          /* uint32_t; data: lun_enum[], or-ed */
lun_set_fn  lun_set_bufs;          /* lun_bufs: number size */
lun_set_fn  lun_set_str_list;      /* lun_array *: of lun_str, every argument */
lun_set_fn  lun_set_pairs;         /* lun_array *: of lun_pair, repeats */
/* Accepted, has no meaning here; the second says so.  .data: slots.h. */
lun_set_fn  lun_set_ignored;
lun_set_fn  lun_set_no_effect;

typedef struct {
    const char  *name;             /* NULL ends the table */
    int          value;
} lun_enum;

typedef struct {
    int64_t  num;
    size_t   size;
} lun_bufs;

typedef struct {
    lun_str  key;
    lun_str  value;
} lun_pair;

#endif
