/*
 * dns_parse.c -- any bytes as a message of a name server.
 *
 * Known attacks of this kind: CVE-2021-23017.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "base/check.h"
#include "format/dns_parse.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t            len;
    char              name[LUN_DNS_NAME];
    uint8_t           query[LUN_DNS_QUERY];
    lun_dns_head      head;
    lun_dns_addrs     found;
    lun_dns_services  services;

    if (lun_dns_parse(data, size, &head) == LUN_OK) {
        LUN_CHECK(strlen(head.name) < LUN_DNS_NAME);

        if (lun_dns_addresses(data, size, &head, &found) == LUN_OK) {
            LUN_CHECK(found.count <= LUN_DNS_ADDRS);
            LUN_CHECK(strlen(found.alias) < LUN_DNS_NAME);
        }

        head.type = LUN_DNS_SRV;

        if (lun_dns_find_services(data, size, &head, &services) == LUN_OK) {
            LUN_CHECK(services.count <= LUN_DNS_SERVICES);
            LUN_CHECK(strlen(services.alias) < LUN_DNS_NAME);

            for (len = 0; len < services.count; len++) {
                LUN_CHECK(strlen(services.services[len].name) < LUN_DNS_NAME);
                LUN_CHECK(services.services[len].port != 0);
            }
        }
    }

    /* Whatever is a name fits into a query, and comes back from it. */
    if (lun_dns_name(lun_str_of((const char *) data, size), name) == LUN_OK) {
        len = lun_dns_query(query, 1, name, LUN_DNS_A);
        LUN_CHECK(len <= LUN_DNS_QUERY);
        query[2] |= 0x80;
        LUN_CHECK(lun_dns_parse(query, len, &head) == LUN_OK);
        LUN_CHECK(strcmp(head.name, name) == 0);
    }

    return 0;
}
