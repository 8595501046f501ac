/*
 * service.h -- `lunette service ...`.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_RUN_SERVICE_H
#define LUN_RUN_SERVICE_H

typedef int lun_service_main_fn(int argc, char **argv);

/*
 * The words behind "service"; the exit code.  `serve` gets the arguments of a
 * plain start, in the process that the system's service manager has started.
 */
int lun_service_tool(int argc, char **argv, lun_service_main_fn *serve);

#endif
