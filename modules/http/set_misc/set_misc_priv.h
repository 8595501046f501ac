/*
 * set_misc_priv.h -- what the files of the set_misc module share.
 *
 *     set_misc.c        directives, and functions of several arguments
 *     set_misc_text.c   functions from text to text
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_SET_MISC_PRIV_H
#define LUN_SET_MISC_PRIV_H

#include "http/rewrite.h"

typedef struct lun_misc_rotor  lun_misc_rotor;

typedef struct {
    bool             base32_padding;
    lun_str          base32_alphabet;
    lun_misc_rotor  *rotor;        /* of this very block */
} lun_misc_conf;

extern lun_http_module  lun_http_set_misc;

extern lun_text_fn  lun_misc_quote_sql;
extern lun_text_fn  lun_misc_quote_pgsql;
extern lun_text_fn  lun_misc_quote_json;
extern lun_text_fn  lun_misc_unescape_uri;
extern lun_text_fn  lun_misc_escape_uri;
extern lun_text_fn  lun_misc_encode_base32;
extern lun_text_fn  lun_misc_decode_base32;
extern lun_text_fn  lun_misc_encode_base64;
extern lun_text_fn  lun_misc_decode_base64;
extern lun_text_fn  lun_misc_encode_base64url;
extern lun_text_fn  lun_misc_decode_base64url;
extern lun_text_fn  lun_misc_encode_hex;
extern lun_text_fn  lun_misc_decode_hex;
extern lun_text_fn  lun_misc_md5;
extern lun_text_fn  lun_misc_sha1;

#endif
