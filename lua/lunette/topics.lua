-- topics.lua -- what people want, in their words, and where that is told:
-- `lunette help websocket`, and the manual's page.
--
-- A row: its title, other words for it, what is to be said, the directives, and
-- where more of it is (a page of the manual, "cookbook/..." or a directive).
-- What a row names is there: t/90-packages/manual follows its links.
--
-- SPDX-License-Identifier: BSD-2-Clause

local concat = table.concat

local _M = {}

_M.rows = {
    { "ACME", "letsencrypt certbot lego certificate",
      "Certificates that the server gets and renews by itself: who gives"
      .. " them stands in `http`, `acme_certificate letsencrypt;` in the server"
      .. " that listens with `ssl`. No other program and no reload is needed."
      .. " One that you have already (certbot --webroot, lego) is served by"
      .. " `location ^~ /.well-known/acme-challenge/ { root acme; }`.",
      "acme_certificate acme_issuer ssl_certificate", "start",
      "acme_issuer letsencrypt {"
      .. " uri https://acme-v02.api.letsencrypt.org/directory;"
      .. " accept_terms_of_service; }" },
    { "Authentication", "login password basic ldap oauth oidc",
      "A list of passwords, or the answer of a server that is asked before each"
      .. " request.",
      "auth_basic auth_basic_user_file auth_request",
      "cookbook/redis-session" },
    { "Cache", "proxy_cache caching",
      "Answers of a server that are kept: where, for how long, and under which"
      .. " key.",
      "proxy_cache_path proxy_cache proxy_cache_valid proxy_cache_key"
      .. " proxy_cache_use_stale proxy_cache_lock", "cookbook/cache" },
    { "Cache purge", "invalidate",
      "A request that takes an answer out of the cache.",
      "proxy_cache_purge", "cookbook/cache" },
    { "Canary", "ab test split blue green",
      "A part of the clients gets another version.",
      "split_clients map", "cookbook/canary cookbook/ab-test"
      .. " cookbook/blue-green" },
    { "Compression", "gzip brotli zstd deflate",
      "Answers are compressed as they go out, or were before.",
      "gzip gzip_types brotli zstd gzip_static", "cookbook/static-gzip"
      .. " cookbook/static-brotli" },
    { "Cookie", "cookies set-cookie samesite",
      "One of the request is `$cookie_NAME`; those of an answer that comes from"
      .. " a server behind can be changed.",
      "add_header proxy_cookie_path proxy_cookie_domain proxy_cookie_flags"
      .. " userid", "variables" },
    { "CORS", "cross origin access-control-allow-origin preflight options",
      "Headers for browsers that ask from another site, and the answer to"
      .. " their OPTIONS.",
      "add_header if return", "additions",
      "add_header Access-Control-Allow-Origin https://app.example always;" },
    { "Errors", "error page 404 500 custom",
      "A page of your own instead of a status.",
      "error_page proxy_intercept_errors recursive_error_pages", "operation" },
    { "gRPC", "grpcs protobuf",
      "Services of gRPC, and gRPC-Web behind Lua, over HTTP/2 on both sides.",
      "grpc_pass grpc_set_header http2", "cookbook/grpc" },
    { "Hardening", "secure security headers hsts",
      "What is refused without a word, and which limits there are.",
      "server_tokens limit_req limit_conn client_max_body_size",
      "security" },
    { "Health check", "health checks healthcheck probe active passive",
      "A server that fails is left out for a while (`max_fails`,"
      .. " `fail_timeout` of its line); `resty.upstream.healthcheck` asks"
      .. " servers how they are before a client does.",
      "server proxy_next_upstream", "api" },
    { "HTTP/2", "http2 h2 multiplexing",
      "For clients over TLS and, with prior knowledge, without; to servers with"
      .. " `proxy_http_version 2`.",
      "http2 http2_max_concurrent_streams proxy_http_version",
      "cookbook/spa-tls" },
    { "HTTP/3", "http3 quic h3 udp",
      "`listen ... quic` beside `listen ... ssl`, at the same port; clients"
      .. " find it by `Alt-Svc`, which answers over TLS carry.",
      "listen http3 http3_alt_svc quic_retry quic_host_key", "http3",
      "listen 443 quic;" },
    { "JWT", "token bearer api gateway",
      "Tokens that Lua verifies, with limits for each of their owners.",
      "access_by_lua_block lua_shared_dict", "cookbook/gateway-jwt" },
    { "Load balancing", "loadbalancer upstream round robin least_conn balancer",
      "Requests spread over several servers.",
      "upstream server least_conn ip_hash hash random keepalive"
      .. " balancer_by_lua_block", "cookbook/tcp-balancer" },
    { "Log format", "access log json logging syslog rotation",
      "What stands in a line of the access log, and where it goes.",
      "log_format access_log error_log", "operation" },
    { "Maintenance", "down page 503",
      "A page instead of the site for a while.",
      "error_page if return", "cookbook/maintenance" },
    { "Metrics", "prometheus statistics monitoring status stub_status",
      "Numbers of all workers, for Prometheus and its like.",
      "prometheus stub_status log_by_lua_block lua_shared_dict",
      "cookbook/metrics" },
    { "mTLS", "mutual tls client certificate",
      "Only clients with a certificate of yours.",
      "ssl_verify_client ssl_client_certificate ssl_crl", "cookbook/mtls" },
    { "PHP", "fastcgi php-fpm php-cgi",
      "By php-fpm, or by php-cgi processes that the server starts itself:"
      .. " `lunette init --php`.",
      "fastcgi_pass fastcgi_param program", "cookbook/wordpress windows" },
    { "Proxy", "reverse proxy application node backend",
      "An application behind the server: `lunette init --proxy URL`.",
      "proxy_pass proxy_set_header proxy_http_version proxy_read_timeout",
      "start cookbook/websocket" },
    { "Rate limit", "throttle limit requests ddos",
      "So many requests a second for each client, or for each key.",
      "limit_req_zone limit_req limit_conn_zone limit_conn limit_rate",
      "cookbook/rate-limit" },
    { "Redirect HTTPS", "https redirect http to https force ssl",
      "A server on port 80 that sends everybody to the same address with TLS.",
      "return listen", "start",
      "server { listen 80; return 301 https://$host$request_uri; }" },
    { "Redis", "resty.redis key value",
      "From Lua with `resty.redis`; its connections are kept.",
      "redis2_pass lua_socket_pool_size", "cookbook/redis-session api" },
    { "Regex", "regular expression pcre pattern",
      "PCRE2 in locations, names of servers, maps and rewrites; `ngx.re` in"
      .. " Lua.",
      "location rewrite map if", "api" },
    { "Reload", "restart graceful configuration change",
      "`lunette -s reload` takes a change; no request is lost, and a mistake"
      .. " changes nothing.",
      "worker_shutdown_timeout lua_code_cache", "reload operation" },
    { "Rewrite", "url rewriting redirect return",
      "Another path for a request, or another address for the client.",
      "rewrite return if set try_files", "from-nginx" },
    { "Semaphore", "light threads wait",
      "Coroutines that wait for each other: `ngx.semaphore`.",
      "content_by_lua_block", "api" },
    { "Session", "login state",
      "Kept in Redis, or in a cookie that is encrypted.",
      "encrypted_session_key ssl_session_cache", "cookbook/redis-session" },
    { "Shared dict", "shared memory ngx.shared dictionary counter incr",
      "Memory that all workers see at once, and that a reload keeps.",
      "lua_shared_dict", "shared api" },
    { "Start, stop", "start stop quit run signal daemon restart",
      "`lunette` starts, `lunette -s quit` ends when all requests have,"
      .. " `lunette -s stop` at once; as a service by `systemctl`, or"
      .. " `lunette service` on Windows.",
      "daemon master_process worker_processes", "start operation windows" },
    { "Static files", "html root alias index directory listing",
      "Files of a folder: `lunette init --static`.",
      "root alias index try_files autoindex expires", "start" },
    { "Sticky", "session affinity persistence",
      "A client stays with the server that it had first.",
      "sticky ip_hash hash", "additions" },
    { "systemd", "linux service unit boot",
      "The package brings a unit: `systemctl start lunette`, `systemctl reload"
      .. " lunette`.",
      "daemon pid user", "operation" },
    { "TCP and UDP", "stream proxy sni preread",
      "Connections and datagrams that are not HTTP.",
      "stream proxy_pass ssl_preread proxy_protocol", "cookbook/tcp-balancer" },
    { "Timer", "cron periodic background job",
      "Lua that runs outside of any request: `ngx.timer.at`,"
      .. " `ngx.timer.every`.",
      "init_worker_by_lua_block lua_max_running_timers", "api" },
    { "TLS", "ssl https certificate key ciphers sni",
      "A certificate and its key, which versions, and what a browser may"
      .. " keep.",
      "ssl_certificate ssl_certificate_key ssl_protocols ssl_session_cache"
      .. " http2", "start cookbook/spa-tls" },
    { "try_files", "fallback single page application spa",
      "The first of several files that is there, else a path or a status.",
      "try_files error_page", "start cookbook/spa-tls" },
    { "Upgrade", "new version binary usr2 without downtime",
      "A new program takes over the listeners; no connection is refused."
      .. " The package does it by itself.",
      "pid", "reload from-nginx" },
    { "Upload", "file form multipart body post put",
      "Forms with files, piece by piece; files by PUT.",
      "client_max_body_size client_body_temp_path proxy_request_buffering"
      .. " dav_methods", "cookbook/upload api" },
    { "WebSocket", "websockets ws wss upgrade",
      "Through a proxy with two headers, which are not passed on by"
      .. " themselves; answered by Lua with `resty.websocket.server`.",
      "proxy_http_version proxy_set_header proxy_read_timeout map"
      .. " http2_websockets http3_websockets",
      "cookbook/websocket api" },
    { "Windows authentication", "ntlm kerberos sspi negotiate iis",
      "NTLM and Kerberos are not done by the server itself. A proxy passes them"
      .. " on where each client keeps a connection of its own (`ntlm` is no"
      .. " directive here); ask a server that knows them by `auth_request`.",
      "auth_request proxy_set_header", "windows" },
    { "Windows service", "service install uninstall windows",
      "`lunette service install -p C:/site`, then `lunette service start`.",
      "worker_processes", "windows commands" },
    { "WordPress", "cms php mysql",
      "With php-fpm, or with php-cgi that the server starts and keeps.",
      "fastcgi_pass fastcgi_cache", "cookbook/wordpress" },
    { "413", "request entity too large body",
      "The body is longer than `client_max_body_size`.",
      "client_max_body_size", "security" },
    { "502", "bad gateway",
      "The server behind refuses the connection, ends it too early, or says"
      .. " what is no answer; error.log has which, with its address.",
      "proxy_pass proxy_next_upstream proxy_buffer_size proxy_ssl_verify",
      "operation" },
    { "504", "gateway timeout",
      "The server behind was silent for longer than `proxy_read_timeout`.",
      "proxy_read_timeout proxy_connect_timeout fastcgi_read_timeout",
      "operation" },
}

local head = [[
# By task

What people look for, in their words, and where that is told. `lunette help
WORD` finds the same. Written by `make manual`.]]

local function split(text)
    local list = {}

    for word in text:gmatch "%S+" do
        list[#list + 1] = word
    end
    return list
end

-- "[cache](cookbook/cache.conf)"
local function link(page)
    local name = page:match "^cookbook/(.*)"

    return name and ("[cookbook: %s](%s.conf)"):format(name, page)
           or ("[%s](%s.md)"):format(page, page)
end

local function mapped(text, format)
    local list = {}

    for i, word in ipairs(split(text)) do
        list[i] = format(word)
    end
    return concat(list, ", ")
end

local function directive(name)
    return ("[%s](directives.md#%s)"):format(name, name)
end

-- The page, as a list of lines.
function _M.page()
    local out = { head }

    for _, row in ipairs(_M.rows) do
        out[#out + 1] = "\n## " .. row[1] .. "\n\n" .. row[3]
        if row[6] then
            out[#out + 1] = "\n    " .. row[6]
        end
        out[#out + 1] = "\nDirectives: " .. mapped(row[4], directive)
                        .. ". More: " .. mapped(row[5], link) .. "."
        out[#out + 1] = "\n*Also: " .. row[2] .. "*"
    end
    return out
end

-- How well a row answers: 3 by its title, 2 by its other words, 1 by what it
-- says; nil: not at all.
local function rank(row, words)
    local title = row[1]:lower()

    if title == words or title:gsub("[ /]", "") == words:gsub("[ /]", "") then
        return 3
    end

    local all = (" " .. title .. " " .. row[2] .. " "):gsub(",", "")
    local best = 2

    for _, word in ipairs(split(words)) do
        if not all:find(" " .. word .. " ", 1, true) then
            if not row[3]:lower():find(word, 1, true) then
                return nil
            end
            best = 1
        end
    end
    return best
end

local function tell(row, out)
    if #out > 0 then
        out[#out + 1] = ""
    end
    out[#out + 1] = row[1] .. ": " .. row[3]:gsub("`", "")
    if row[6] then
        out[#out + 1] = "    " .. row[6]
    end
    out[#out + 1] = "Directives: " .. row[4]:gsub(" ", ", ")
    out[#out + 1] = "Manual:     " .. row[5]:gsub(" ", ", ")
end

-- Lines of the topics that answer these words best: a list, maybe empty.
function _M.lines(words)
    local out, best = {}, 0
    local ranks = {}

    words = words:lower()
    for i, row in ipairs(_M.rows) do
        ranks[i] = words:find "%w" and rank(row, words) or 0
        best = math.max(best, ranks[i])
    end
    for i, row in ipairs(_M.rows) do
        if best > 0 and ranks[i] == best then
            tell(row, out)
        end
    end
    return out
end

return _M
