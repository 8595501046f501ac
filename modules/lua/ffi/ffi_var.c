/*
 * ffi_var.c -- ngx.var, for lua/resty/core/var.lua.
 *
 * Nothing here yields.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/ffi/ffi.h"


/* LUN_ERROR: it has no value, or there is no such variable. */
int
lun_ffi_var_get(lun_session *s, const char *name, size_t len, lun_str *value)
{
    const lun_value  *v = lun_var_get_named(s, lun_str_of(name, len));

    if (v == NULL || v->not_found) {
        return LUN_ERROR;
    }

    *value = v->text;
    return LUN_OK;
}


/* The n-th group of the last match, from 1; one without part in it is "". */
int
lun_ffi_var_capture(lun_session *s, int n, lun_str *value)
{
    int32_t  from, to;

    if (n <= 0 || s->captures == NULL || (unsigned) n >= s->capture_count) {
        return LUN_ERROR;
    }

    from = s->captures[2 * n];
    to = s->captures[2 * n + 1];

    *value = from < 0 ? LUN_STR("")
        : lun_str_of(s->capture_subject.data + from, (size_t) (to - from));

    return LUN_OK;
}


/* value NULL: no value from now on.  Returns a lun_var_verdict. */
int
lun_ffi_var_set(lun_session *s, const char *name, size_t len,
    const char *value, size_t value_len)
{
    lun_str  text = LUN_STR_NULL;

    if (value != NULL) {
        text = lun_pool_str(s->pool, lun_str_of(value, value_len));

        if (text.data == NULL) {
            text = LUN_STR("");
        }
    }

    return (int) lun_var_set_named(s, lun_str_of(name, len), text);
}
