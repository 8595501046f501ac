/*
 * cgi_params.h -- the variables that a program is given with a request, as CGI
 * has them: NAME_param of the configuration, and the client's header as
 * HTTP_...  What they look like on the wire is each protocol's.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_MODULES_CGI_PARAMS_H
#define LUN_MODULES_CGI_PARAMS_H

#include "http/module.h"

typedef struct {
    lun_array  *list;              /* as written; NULL: there are none */
    lun_array   all;               /* those, and what a cache wants */
    lun_array   headers;           /* those of all that stand for one */
} lun_cgi_params;

typedef struct {
    lun_str   name;
    lun_str   value;
} lun_cgi_pair;

/* NAME_param name value [if_not_empty]; the field is the `list`. */
lun_set_fn  lun_set_cgi_param;

/* After inheritance. */
lun_rc lun_cgi_finish_params(lun_conf *cf, lun_cgi_params *params);

/*
 * For a request: those of the configuration first, then (`headers`) what the
 * client has sent and no HTTP_... of the configuration replaces; lines of one
 * name are one, with commas.
 */
void lun_cgi_make_pairs(lun_request *r, const lun_cgi_params *params,
    bool headers, lun_array *pairs);

#endif
