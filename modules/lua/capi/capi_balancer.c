/*
 * capi_balancer.c -- ngx.balancer, as lua-resty-core declares it.
 *
 * SPDX-License-Identifier: BSD-2-Clause
 */

#include "modules/lua/capi/capi.h"

#include "modules/lua/ffi/ffi.h"
#include "modules/lua/run/vm.h"


/*
 * Old ones have no host: the place for an error is the fifth argument then, and
 * the last.  What was not passed must not be touched, as arguments are theirs
 * to whom they are passed; so those behind it are variable ones.
 */
int
ngx_http_lua_ffi_balancer_set_current_peer(void *r, const char *addr,
    size_t addr_len, int port, const void *fifth, ...)
{
    va_list       more;
    ptrdiff_t     host_len;
    const char  **err;

    if (lun_capi_is_short(LUN_GROWN_PEER)) {
        err = (const char **) (uintptr_t) fifth;
        return lun_ffi_balancer_set_peer(addr, addr_len, port, NULL, 0, err);
    }

    va_start(more, fifth);
    host_len = va_arg(more, ptrdiff_t);
    err = va_arg(more, const char **);
    va_end(more);

    return lun_ffi_balancer_set_peer(addr, addr_len, port, fifth,
                                     fifth != NULL && host_len > 0
                                     ? (size_t) host_len : 0, err);
}


int
ngx_stream_lua_ffi_balancer_set_current_peer(void *r, const char *addr,
    size_t addr_len, int port, const char **err)
{
    return lun_ffi_balancer_set_peer(addr, addr_len, port, NULL, 0, err);
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


/* One time for what is sent and what is read. */
int
ngx_stream_lua_ffi_balancer_set_timeouts(void *r, long connect_timeout,
    long timeout, const char **err)
{
    return lun_ffi_balancer_timeouts(connect_timeout, timeout, timeout, err);
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
    const char  *why = "";

    return lun_ffi_balancer_bind(addr, addr_len, &why) == LUN_OK
           ? LUN_CAPI_OK : lun_capi_fail(errbuf, errbuf_size, why);
}
