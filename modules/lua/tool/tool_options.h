/*
 * tool_options.h -- the command line of `lunette run`, which is resty's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_TOOL_OPTIONS_H
#define LUN_LUA_TOOL_OPTIONS_H

#include "base/pool.h"

typedef struct {
    const char   *prefix;          /* -p, or NULL */
    const char   *conf;            /* -c FILE, or NULL: `text` is it */
    lun_str       text;            /* made of --shdict and its like */
    lun_str       code;            /* every -e and -l; data is NULL: none */
    const char   *script;          /* "-": standard input; or NULL */
    lun_str       path;            /* of -I, as package.path has it */
    const char   *jit;             /* of -j, or NULL */
    const char  **runner;          /* what runs us, as --gdb says, to NULL: its
                                      whole command; NULL: nothing */
    bool          show_help;       /* -h */
    bool          show_version;    /* -v */
    bool          show_build;      /* -V */
    int           argc;            /* the script's own */
    char        **argv;
    int           status;          /* LUN_ERROR: to exit with */
} lun_tool_options;

/*
 * `argv` is what follows the tool's name.  LUN_ERROR: it was said on standard
 * error what is wrong, and o->status is resty's.  What is made lives in `pool`.
 */
lun_rc lun_tool_options_read(lun_tool_options *o, int argc, char **argv,
    lun_pool *pool);

/* To standard output. */
void lun_tool_options_help(void);

/* Each that has a help, "-x" or "--name"; value NULL: nothing follows it. */
typedef void lun_tool_option_fn(void *data, const char *name,
    const char *value, const char *help);
void lun_tool_options_each(lun_tool_option_fn *each, void *data);

#endif
