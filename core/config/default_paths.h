/*
 * default_paths.h -- where things are unless the command line or the
 * configuration says otherwise.
 *
 * A program that runs where it was built, or was unpacked, has all of it below
 * its prefix. `make install` and `make deb` build one with the places of the
 * Filesystem Hierarchy Standard: nginx's ./configure --conf-path=... A relative
 * path is below the prefix; what is temporary is in a folder whose name is put
 * behind LUN_TEMP_PATH.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_DEFAULT_PATHS_H
#define LUN_DEFAULT_PATHS_H

#ifndef LUN_PREFIX
#define LUN_PREFIX           "/usr/local/" LUN_PRODUCT "/"
#endif

#ifndef LUN_CONF_PATH
#define LUN_CONF_PATH        "conf/nginx.conf"
#endif

#ifndef LUN_ERROR_LOG_PATH
#define LUN_ERROR_LOG_PATH   "logs/error.log"
#endif

#ifndef LUN_ACCESS_LOG_PATH
#define LUN_ACCESS_LOG_PATH  "logs/access.log"
#endif

#ifndef LUN_PID_PATH
#define LUN_PID_PATH         "logs/nginx.pid"
#endif

/* The folder of the spec runner; "": spec, beside the program. */
#ifndef LUN_SPEC_PATH
#define LUN_SPEC_PATH        ""
#endif

#ifndef LUN_TEMP_PATH
#define LUN_TEMP_PATH        ""
#endif

#endif
