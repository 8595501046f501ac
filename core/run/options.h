/*
 * options.h -- the command line, nginx's to the letter.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_OPTIONS_H
#define LUN_OPTIONS_H

#include "base/pool.h"
#include "os/proc.h"

typedef struct {
    bool        show_help;         /* -h -? */
    bool        show_version;      /* -v */
    bool        show_build;        /* -V */
    bool        test;              /* -t */
    bool        dump;              /* -T, test as well */
    bool        quiet;             /* -q */
    bool        deaf;              /* a tool: no listeners */
    bool        alone;             /* one process, which keeps the terminal,
                                      whatever the configuration says */
    lun_signal  signal;            /* -s, or LUN_SIGNAL_NONE */
    lun_str     prefix;            /* -p; ends with '/' */
    lun_str     conf;              /* -c, relative to the prefix */
    lun_str     error_log;         /* -e, relative to the prefix */
    lun_str     params;            /* -g */
    char      **argv;              /* all of it, as it was given */
} lun_options;

/*
 * Reads the arguments, and fills in the defaults.  LUN_ERROR: it was said on
 * standard error what is wrong.  All strings end with a zero byte and live in
 * `pool`.
 */
lun_rc lun_options_parse(lun_options *o, int argc, char **argv,
    lun_pool *pool);

/* A path of the command line, made absolute by the prefix. */
lun_str lun_options_path(const lun_options *o, lun_str path, lun_pool *pool);

#endif
