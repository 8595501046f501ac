/*
 * var_proxied.c -- $proxy_protocol_*: what a proxy has said of whom it speaks
 * for (format/proxy_protocol.h).  A TLV's getter has its name as a lun_str *.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "session/session.h"

#include "format/proxy_protocol.h"


#define FIELD(member)  offsetof(lun_proxied, member)


/* NULL: nobody has said anything. */
static const lun_addr *
addr_of(const lun_session *s, uintptr_t field)
{
    const lun_proxied  *p = s->conn->proxied;

    return p == NULL ? NULL
           : (const lun_addr *) (const void *) ((const char *) p + field);
}


static void
get_addr(lun_session *s, lun_value *v, uintptr_t field)
{
    char             room[LUN_ADDR_TEXT];
    const lun_addr  *addr = addr_of(s, field);

    if (addr == NULL) {
        v->not_found = 1;
        return;
    }

    v->text = lun_pool_str(s->pool, lun_addr_format(addr, false, room,
                                                    sizeof(room)));
}


static void
get_port(lun_session *s, lun_value *v, uintptr_t field)
{
    const lun_addr  *addr = addr_of(s, field);

    if (addr == NULL) {
        v->not_found = 1;
        return;
    }

    v->text = lun_pool_fmt(s->pool, "%u", addr->port);
}


/*
 * Names are those of nginx (pp2_type_...) or numbers; what is broken says so
 * once a request and gives nothing.
 */
static void
get_tlv(lun_session *s, lun_value *v, uintptr_t data)
{
    char                room[LUN_TLV_ROOM];
    lun_str             name = *(const lun_str *) data, value = LUN_STR_NULL;
    const lun_proxied  *p = s->conn->proxied;

    v->not_found = 1;

    if (p == NULL) {
        return;
    }

    switch (lun_proxy_protocol_tlv(p->tlvs, name, room, &value)) {

    case LUN_TLV_FOUND:
        v->not_found = 0;
        v->text = lun_pool_str(s->pool, value);
        return;

    case LUN_TLV_NONE:
        return;

    case LUN_TLV_UNKNOWN:
        lun_log(LUN_LOG_ERR, s->log, 0, "unknown PROXY protocol TLV "
                "\"%.*s\"", LUN_S(name));
        return;

    case LUN_TLV_BROKEN:
        lun_log(LUN_LOG_ERR, s->log, 0, "broken PROXY protocol TLV");
        return;
    }
}


const lun_variable  lun_proxied_variables[] = {
    { .name = LUN_STR_INIT("proxy_protocol_addr"), .get = get_addr,
      .data = FIELD(src),
      .help = "the client's address, from the PROXY protocol" },
    { .name = LUN_STR_INIT("proxy_protocol_port"), .get = get_port,
      .data = FIELD(src),
      .help = "the client's port, from the PROXY protocol" },
    { .name = LUN_STR_INIT("proxy_protocol_server_addr"), .get = get_addr,
      .data = FIELD(dst),
      .help = "the address it reached, from the PROXY protocol" },
    { .name = LUN_STR_INIT("proxy_protocol_server_port"), .get = get_port,
      .data = FIELD(dst),
      .help = "the port it reached, from the PROXY protocol" },
    { .name = LUN_STR_INIT("proxy_protocol_tlv_"), .get = get_tlv,
      .flags = LUN_VAR_PREFIX,
      .help = "a field of the PROXY protocol, version 2, by name or number" },
    { .name = LUN_STR_NULL }
};
