/*
 * error_page.c -- any bytes as the Accept and the Host of who would see a Lua
 * error: whoever does has said text/html, and a name of this machine.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "modules/lua/api/error_page.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* A copy of its own, so that a byte too far is seen. */
static lun_str
copy_of(const uint8_t *data, size_t size)
{
    char  *text = malloc(size == 0 ? 1 : size);

    LUN_CHECK(text != NULL);

    if (size != 0) {
        memcpy(text, data, size);
    }

    return lun_str_of(text, size);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t   half = size == 0 ? 0 : data[0] % size;
    lun_str  accept = copy_of(data, half);
    lun_str  host = copy_of(data + half, size - half);

    if (lun_lua_error_page_accepts(accept)) {
        LUN_CHECK(lun_str_casefind(accept, LUN_STR("text/html")) != NULL);
    }

    if (lun_lua_error_page_is_local_name(host)) {
        LUN_CHECK(lun_str_ends(host, LUN_STR("localhost"))
                  || lun_str_ends(host, LUN_STR(".test"))
                  || lun_str_starts(host, LUN_STR("127."))
                  || lun_str_chr(host, ':') != NULL);
    }

    free((void *) accept.data);
    free((void *) host.data);
    return 0;
}
