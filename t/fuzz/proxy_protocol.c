/*
 * proxy_protocol.c -- any bytes as what a proxy says first.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "format/proxy_protocol.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char                  room[LUN_TLV_ROOM];
    size_t                i, used = 0;
    lun_str               value;
    lun_proxied           p;
    static const lun_str  names[] = {
        LUN_STR_INIT("alpn"), LUN_STR_INIT("ssl_verify"),
        LUN_STR_INIT("ssl_cn"), LUN_STR_INIT("0xff")
    };

    if (lun_proxy_protocol_parse((const char *) data, size, &p, &used)
        != LUN_PROXIED_DONE)
    {
        return 0;
    }

    LUN_CHECK(used > 0 && used <= size);

    for (i = 0; i < LUN_ARRAY_LEN(names); i++) {
        if (lun_proxy_protocol_tlv(p.tlvs, names[i], room, &value)
            == LUN_TLV_FOUND)
        {
            LUN_CHECK(value.len < size || value.data == room);
        }
    }

    return 0;
}
