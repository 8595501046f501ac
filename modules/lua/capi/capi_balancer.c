/*
 * capi_balancer.c -- ngx.balancer, as lua-resty-core declares it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi.h"

#include "base/fmt.h"
#include "modules/lua/ffi/ffi.h"


int
ngx_http_lua_ffi_balancer_set_current_peer(void *r, const char *addr,
    size_t addr_len, int port, const char *host, ptrdiff_t host_len,
    const char **err)
{
    return lun_ffi_balancer_set_peer(addr, addr_len, port, host,
                                     host != NULL && host_len > 0
                                     ? (size_t) host_len : 0, err);
}


int
ngx_http_lua_ffi_balancer_enable_keepalive(void *r, unsigned long timeout,
    unsigned max_requests, const char **err)
{
    return lun_ffi_balancer_keepalive((int64_t) lun_min(timeout, INT32_MAX),
                                      max_requests, err);
}


int
ngx_http_lua_ffi_balancer_set_more_tries(void *r, int count, const char **err)
{
    *err = NULL;
    return lun_ffi_balancer_more_tries(count, err);
}


int
ngx_http_lua_ffi_balancer_get_last_failure(void *r, int *status,
    const char **err)
{
    return lun_ffi_balancer_last_failure(status, err);
}


int
ngx_http_lua_ffi_balancer_set_timeouts(void *r, long connect_timeout,
    long send_timeout, long read_timeout, const char **err)
{
    return lun_ffi_balancer_timeouts(connect_timeout, send_timeout,
                                     read_timeout, err);
}


int
ngx_http_lua_ffi_balancer_recreate_request(void *r, const char **err)
{
    *err = NULL;
    return lun_ffi_balancer_recreate(err);
}


int
ngx_http_lua_ffi_balancer_set_upstream_tls(void *r, int on, const char **err)
{
    return lun_ffi_balancer_tls(on, err);
}


int
ngx_http_lua_ffi_balancer_bind_to_local_addr(void *r, const char *addr,
    size_t addr_len, char *errbuf, size_t *errbuf_size)
{
    int          rc;
    char        *p;
    const char  *why = "";

    rc = lun_ffi_balancer_bind(addr, addr_len, &why);

    if (rc != LUN_CAPI_OK) {
        p = lun_fmt(errbuf, errbuf + *errbuf_size, "%s", why);
        *errbuf_size = (size_t) (p - errbuf);
        return LUN_CAPI_ERROR;
    }

    return LUN_CAPI_OK;
}
