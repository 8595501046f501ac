/*
 * dap_frame.c -- see dap_frame.h.  Whatever else than the two fields comes
 * first ends it: a browser that was talked into a POST to a debugger's port
 * begins with a line of HTTP.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/look/dap_frame.h"

#include "base/pool.h"
#include "base/str.h"


static bool
take_length(lun_dap_frame *f, lun_str value)
{
    int64_t  n;

    while (value.len != 0 && value.data[0] == ' ') {
        value = lun_str_of(value.data + 1, value.len - 1);
    }

    if (f->length != 0 || lun_str_to_i64(value, &n) != LUN_OK || n < 1
        || n > LUN_DAP_LONGEST)
    {
        return false;
    }

    f->length = (size_t) n;
    return true;
}


static bool
take_line(lun_dap_frame *f)
{
    lun_str      name;
    const char  *colon;

    if (f->line_len != 0 && f->line[f->line_len - 1] == '\r') {
        f->line_len--;
    }

    if (f->line_len == 0) {
        if (f->length == 0) {
            return false;
        }

        f->body = lun_malloc(f->length + 1);
        f->got = 0;
        return true;
    }

    colon = memchr(f->line, ':', f->line_len);

    if (colon == NULL || ++f->fields > LUN_DAP_FIELDS) {
        return false;
    }

    name = lun_str_of(f->line, (size_t) (colon - f->line));

    if (lun_str_caseeq(name, LUN_STR("Content-Length"))) {
        return take_length(f, lun_str_of(colon + 1, f->line_len - name.len
                                         - 1));
    }

    return lun_str_caseeq(name, LUN_STR("Content-Type"));
}


lun_dap_verdict
lun_dap_take(lun_dap_frame *f, const char **p, const char *end)
{
    char    c;
    size_t  n;

    while (*p < end) {

        if (f->body != NULL) {
            n = lun_min((size_t) (end - *p), f->length - f->got);
            memcpy(f->body + f->got, *p, n);
            f->got += n;
            *p += n;

            if (f->got == f->length) {
                return LUN_DAP_WHOLE;
            }

            continue;
        }

        c = *(*p)++;

        if (c == '\n') {
            if (!take_line(f)) {
                return LUN_DAP_BAD;
            }

            f->line_len = 0;

        } else if (f->line_len == LUN_DAP_LINE) {
            return LUN_DAP_BAD;

        } else {
            f->line[f->line_len++] = c;
        }
    }

    return LUN_DAP_MORE;
}


char *
lun_dap_body(lun_dap_frame *f, size_t *len)
{
    char  *body = f->body;

    body[f->length] = '\0';
    *len = f->length;
    *f = (lun_dap_frame) { .line_len = 0 };
    return body;
}
