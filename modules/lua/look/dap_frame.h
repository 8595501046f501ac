/*
 * dap_frame.h -- messages of the Debug Adapter Protocol on their way: a
 * Content-Length field, an empty line, and as many bytes.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#ifndef LUN_LUA_DAP_FRAME_H
#define LUN_LUA_DAP_FRAME_H

#include "base/base.h"

enum {
    LUN_DAP_LINE    = 128,         /* bytes of a field's line */
    LUN_DAP_FIELDS  = 8,
    LUN_DAP_LONGEST = 1 << 20      /* bytes of a message */
};

/* Zeroed before its first byte; whoever has it frees `body` at its end. */
typedef struct {
    char      line[LUN_DAP_LINE];
    size_t    line_len;
    unsigned  fields;
    size_t    length;              /* 0: no field has said it yet */
    char     *body;                /* NULL: still in the fields */
    size_t    got;
} lun_dap_frame;

typedef enum {
    LUN_DAP_MORE,                  /* all bytes are taken */
    LUN_DAP_WHOLE,                 /* lun_dap_body() has one */
    LUN_DAP_BAD                    /* this is no such stream */
} lun_dap_verdict;

/* Takes bytes from *p on, up to the end of a message. */
lun_dap_verdict lun_dap_take(lun_dap_frame *f, const char **p,
    const char *end);

/* After LUN_DAP_WHOLE: the message, the caller's to free; the next begins. */
char *lun_dap_body(lun_dap_frame *f, size_t *len);

#endif
