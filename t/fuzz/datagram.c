/*
 * datagram.c -- any bytes as a letter with a datagram that another worker has
 * handed on.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "net/datagram_priv.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char              text[LUN_DATAGRAM_KEY_TEXT];
    size_t            len;
    lun_str           rest;
    unsigned          kind;
    lun_datagram_key  key;

    if (!lun_datagram_read_letter(lun_str_of((const char *) data, size), &key,
                                  &kind, &rest))
    {
        return 0;
    }

    LUN_CHECK(rest.len < size && rest.data + rest.len
                                 == (const char *) data + size);
    LUN_CHECK(key.local.family == key.remote.family
              && key.local.path == NULL && key.remote.path == NULL);

    len = lun_datagram_key_text(&key, text);
    LUN_CHECK(len > 0 && len <= sizeof(text));

    return 0;
}
