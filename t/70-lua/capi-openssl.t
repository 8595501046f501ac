# What lua-resty-openssl's auxiliary module declares: what is inside connections
# with TLS.

__DATA__


=== of a client, and of a socket
--- http_config
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    init_by_lua_block {
        ffi = require "ffi"
        ffi.cdef [[
        typedef struct upstream_s  upstream_t;
        int ngx_http_lua_resty_openssl_aux_get_request_ssl(
            ngx_http_request_t *r, void **ssl);
        int ngx_http_lua_resty_openssl_aux_get_request_ssl_ctx(
            ngx_http_request_t *r, void **ctx);
        int ngx_http_lua_resty_openssl_aux_get_socket_ssl(upstream_t *u,
            void **ssl);
        int ngx_http_lua_resty_openssl_aux_get_socket_ssl_ctx(upstream_t *u,
            void **ctx);
        ]]
    }
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    location = /client {
        content_by_lua_block {
            local C, p = ffi.C, ffi.new("void *[1]")
            local rc = C.ngx_http_lua_resty_openssl_aux_get_request_ssl(nil, p)
            local ssl = p[0]
            ngx.print(rc, " ", ssl == require "ngx.ssl".get_req_ssl_pointer(),
                      " ")
            rc = C.ngx_http_lua_resty_openssl_aux_get_request_ssl_ctx(nil, p)
            ngx.print(rc, " ", p[0] ~= ssl, " ", p[0] ~= nil)
        }
    }
    location = /t {
        content_by_lua_block {
            local C, p = ffi.C, ffi.new("void *[1]")
            ngx.say(C.ngx_http_lua_resty_openssl_aux_get_request_ssl(nil, p))
            local sock = ngx.socket.tcp()
            sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
            ngx.say(C.ngx_http_lua_resty_openssl_aux_get_socket_ssl(sock[1],
                                                                    p))
            assert(sock:sslhandshake(nil, "localhost", false))
            ngx.say(C.ngx_http_lua_resty_openssl_aux_get_socket_ssl(sock[1],
                        p), " ", p[0] == sock:getsslpointer())
            ngx.say(C.ngx_http_lua_resty_openssl_aux_get_socket_ssl_ctx(
                        sock[1], p), " ", p[0] == sock:getsslctx())
            sock:send("GET /client HTTP/1.0\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            ngx.say(sock:receive("*a"))
            sock:close()
            ngx.say(C.ngx_http_lua_resty_openssl_aux_get_socket_ssl(sock[1],
                                                                    p))
            ngx.say(C.ngx_http_lua_resty_openssl_aux_get_socket_ssl(nil, p))
        }
    }
--- response_body
-1
-1
0 true
0 true
0 true 0 true true
-1
-1



=== a provider that a library loads does not take the default one's place
--- skip_windows: shows no providers of OpenSSL
--- config
    location = /t {
        content_by_lua_block {
            local ffi = require "ffi"
            ffi.cdef [[
                void *OSSL_PROVIDER_load(void *ctx, const char *name);
                int OSSL_PROVIDER_unload(void *provider);
                void *EVP_MD_fetch(void *ctx, const char *name, const char *p);
                void EVP_MD_free(void *md);
            ]]
            local null = ffi.C.OSSL_PROVIDER_load(nil, "null")
            ngx.say(null ~= nil)
            local md = ffi.C.EVP_MD_fetch(nil, "SHA256", nil)
            ngx.say(md ~= nil)
            ffi.C.EVP_MD_free(md)
            ffi.C.OSSL_PROVIDER_unload(null)
        }
    }
--- response_body
true
true
