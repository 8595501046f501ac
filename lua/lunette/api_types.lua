-- lunette/api_types.lua -- what the functions of the API take and give, in
-- LuaCATS' words: for editors (lunette/stubs.lua)
--
-- Names of functions, of what follows them and of what they do are those of
-- api.lua and api_modules.lua; t/busted/stubs_spec.lua holds the two together.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

-- The type of an argument by its name, wherever it stands.
_M.arguments = {
    address = "string", algorithm = "integer", answer = "string",
    args = "string|table|string[]", backup = "boolean", buckets = "number[]",
    buffer_size = "integer", burst = "number", ca = "lightuserdata|ffi.cdata*",
    cert = "ffi.cdata*|string", chain = "ffi.cdata*|string",
    channel = "string", chunk_size = "integer", cipher = "any", co = "thread",
    code = "integer", command = "string|string[]", commit = "boolean",
    connect = "number?", connections = "integer", context = "string",
    count = "integer", ctx = "table", data = "string|table", delay = "number",
    delete = "boolean", depth = "integer", der = "string",
    dict = "string", down = "boolean", exptime = "number", fin = "boolean",
    flags = "integer", ["function"] = "function", hash = "any",
    help = "string", hexadecimal = "boolean", host = "string",
    id = "string|integer", index = "integer", init = "number",
    init_ttl = "number", into = "table", jump = "boolean",
    key = "any", keys = "string[]", label = "string", labels = "string[]",
    latency = "number", length = "integer", level = "integer",
    limits = "table[]", line_size = "integer", list = "table",
    mask = "boolean", mode = "string", module = "string", most = "integer",
    ms = "integer", name = "string", no_padding = "boolean",
    nodes = "table<string, number>", nth = "integer", number = "number",
    ocsp = "boolean", on = "boolean", opcode = "integer", options = "any",
    password = "string", path = "string", pattern = "string",
    payload = "string", pem = "string", pid = "integer", pool = "string",
    port = "integer|string", preserve = "boolean", rate = "number",
    raw = "boolean", read = "number?", reason = "string",
    replacement = "string|fun(m: table): string", requests = "integer",
    rounds = "integer", rows = "integer", salt = "string", seconds = "number",
    send = "number?", session = "boolean|userdata|ffi.cdata*",
    signal = "integer|string", size = "integer|string", sql = "string",
    states = "table", status = "integer", stdin = "string",
    store = "ffi.cdata*", strong = "boolean", table = "table",
    text = "string|number|boolean|nil", thread = "thread", timeout = "number",
    type = "integer", upstream = "string", uri = "string", url = "string",
    value = "any", verify = "boolean", wait = "boolean", weight = "number",
    without_line = "boolean",
}

-- What comes back, as "type name, type name". A function that is not here
-- returns nothing.
local OK = "boolean? ok, string? err"
local ONE = "integer? ok, string? err"
local TEXT = "string? text, string? err"
local NUMBER = "integer? n, string? err"
local BYTES = "integer? bytes, string? err"
local DATA = "string? data, string? err, string? partial"
local NODE = "ffi.cdata*? object, string? err"

_M.results = {
    ["ngx.say"] = ONE, ["ngx.print"] = ONE, ["ngx.flush"] = ONE,
    ["ngx.eof"] = ONE, ["ngx.send_headers"] = ONE,
    ["ngx.resp.get_headers"] = "table headers, string? err",
    ["ngx.on_abort"] = ONE,

    ["ngx.req.get_method"] = "string method",
    ["ngx.req.get_uri_args"] = "table args, string? err",
    ["ngx.req.get_headers"] = "table headers, string? err",
    ["ngx.req.raw_header"] = "string header",
    ["ngx.req.http_version"] = "number? version",
    ["ngx.req.start_time"] = "number seconds",
    ["ngx.req.is_internal"] = "boolean internal",
    ["ngx.req.get_body_data"] = "string? body",
    ["ngx.req.get_body_file"] = "string? path",
    ["ngx.req.get_post_args"] = "table? args, string? err",
    ["ngx.req.socket"] = "tcpsock? sock, string? err",

    ["ngx.location.capture"] = "ngx.capture answer",
    ["ngx.location.capture_multi"] = "ngx.capture ...",

    ["ngx.timer.at"] = OK, ["ngx.timer.every"] = OK,
    ["ngx.timer.pending_count"] = "integer count",
    ["ngx.timer.running_count"] = "integer count",
    ["ngx.now"] = "number seconds", ["ngx.time"] = "integer seconds",
    ["ngx.today"] = "string date", ["ngx.localtime"] = "string time",
    ["ngx.utctime"] = "string time", ["ngx.http_time"] = "string time",
    ["ngx.parse_http_time"] = "integer? seconds",
    ["ngx.cookie_time"] = "string time",

    ["ngx.socket.tcp"] = "tcpsock sock", ["ngx.socket.stream"] = "tcpsock sock",
    ["ngx.socket.connect"] = "tcpsock? sock, string? err",
    ["ngx.socket.udp"] = "udpsock sock",

    ["ngx.thread.spawn"] = "thread co",
    ["ngx.thread.wait"] = "boolean ok, any ...",
    ["ngx.thread.kill"] = ONE,
    ["ngx.run_worker_thread"] = "boolean ok, any ...",
    ["coroutine.create"] = "thread co",
    ["coroutine.resume"] = "boolean ok, any ...",
    ["coroutine.yield"] = "any ...", ["coroutine.wrap"] = "function fn",
    ["coroutine.running"] = "thread? co",
    ["coroutine.status"] = "string status",
    ["coroutine.isyieldable"] = "boolean yieldable",

    ["ngx.re.match"] = "table? captures, string? err",
    ["ngx.re.find"] = "integer? from, integer? to, string? err",
    ["ngx.re.gmatch"] = "fun(): table? iterator, string? err",
    ["ngx.re.sub"] = "string? text, integer n, string? err",
    ["ngx.re.gsub"] = "string? text, integer n, string? err",

    ["ngx.escape_uri"] = "string text", ["ngx.unescape_uri"] = "string text",
    ["ngx.encode_args"] = "string args",
    ["ngx.decode_args"] = "table args, string? err",
    ["ngx.encode_base64"] = "string text",
    ["ngx.decode_base64"] = "string? text",
    ["ngx.decode_base64mime"] = TEXT,
    ["ngx.quote_sql_str"] = "string text", ["ngx.md5"] = "string digest",
    ["ngx.md5_bin"] = "string digest", ["ngx.sha1_bin"] = "string digest",
    ["ngx.hmac_sha1"] = "string digest", ["ngx.crc32_short"] = "integer sum",
    ["ngx.crc32_long"] = "integer sum",

    ["ngx.get_phase"] = "string phase",
    ["ngx.get_raw_phase"] = "integer phase",
    ["ngx.config.prefix"] = "string path",
    ["ngx.config.nginx_configure"] = "string arguments",
    ["ngx.worker.pid"] = "integer pid", ["ngx.worker.pids"] = "integer[] pids",
    ["ngx.worker.id"] = "integer? id", ["ngx.worker.count"] = "integer count",
    ["ngx.worker.exiting"] = "boolean exiting",

    ["ngx.shared.DICT.get"] = "any value, integer|string? flags",
    ["ngx.shared.DICT.get_stale"] = "any value, integer|string? flags, "
                                    .. "boolean? stale",
    ["ngx.shared.DICT.fetch"] = "any value, integer|string? flags",
    ["ngx.shared.DICT.set"] = "boolean? ok, string? err, boolean? forced",
    ["ngx.shared.DICT.safe_set"] = OK,
    ["ngx.shared.DICT.add"] = "boolean? ok, string? err, boolean? forced",
    ["ngx.shared.DICT.safe_add"] = OK,
    ["ngx.shared.DICT.replace"] = "boolean? ok, string? err, boolean? forced",
    ["ngx.shared.DICT.delete"] = OK,
    ["ngx.shared.DICT.incr"] = "number? value, string? err, boolean? forced",
    ["ngx.shared.DICT.lpush"] = NUMBER, ["ngx.shared.DICT.rpush"] = NUMBER,
    ["ngx.shared.DICT.lpop"] = "any value, string? err",
    ["ngx.shared.DICT.rpop"] = "any value, string? err",
    ["ngx.shared.DICT.llen"] = NUMBER,
    ["ngx.shared.DICT.ttl"] = "number? seconds, string? err",
    ["ngx.shared.DICT.expire"] = OK,
    ["ngx.shared.DICT.flush_expired"] = "integer count",
    ["ngx.shared.DICT.get_keys"] = "string[] keys",
    ["ngx.shared.DICT.capacity"] = "integer bytes",
    ["ngx.shared.DICT.free_space"] = "integer bytes",

    ["tcpsock.connect"] = ONE, ["tcpsock.bind"] = ONE,
    ["tcpsock.setclientcert"] = ONE,
    ["tcpsock.sslhandshake"] = "boolean|userdata? session, string? err",
    ["tcpsock.send"] = BYTES, ["tcpsock.receive"] = DATA,
    ["tcpsock.receiveany"] = "string? data, string? err",
    ["tcpsock.receiveuntil"] = "fun(n?: integer): string? iterator, "
                               .. "string? err",
    ["tcpsock.setoption"] = ONE, ["tcpsock.getoption"] = NUMBER,
    ["tcpsock.setkeepalive"] = ONE, ["tcpsock.getreusedtimes"] = NUMBER,
    ["tcpsock.shutdown"] = ONE, ["tcpsock.close"] = ONE,
    ["udpsock.setpeername"] = ONE, ["udpsock.bind"] = ONE,
    ["udpsock.send"] = ONE, ["udpsock.receive"] = "string? data, string? err",
    ["udpsock.close"] = ONE,

    ["ngx.balancer.set_current_peer"] = OK,
    ["ngx.balancer.set_more_tries"] = OK,
    ["ngx.balancer.get_last_failure"] = "string? state, integer? status",
    ["ngx.balancer.set_timeouts"] = OK,
    ["ngx.balancer.enable_keepalive"] = OK,
    ["ngx.balancer.recreate_request"] = OK,
    ["ngx.balancer.set_upstream_tls"] = OK,
    ["ngx.balancer.bind_to_local_addr"] = OK,
    ["ngx.base64.encode_base64url"] = TEXT,
    ["ngx.base64.decode_base64url"] = TEXT,
    ["ngx.errlog.get_logs"] = "table? logs, string? err",
    ["ngx.errlog.set_filter_level"] = OK,
    ["ngx.errlog.get_sys_filter_level"] = "integer level",
    ["ngx.ocsp.get_ocsp_responder_from_der_chain"] = TEXT,
    ["ngx.ocsp.create_ocsp_request"] = TEXT,
    ["ngx.ocsp.validate_ocsp_response"] = "boolean? ok, any next, string? err",
    ["ngx.ocsp.set_ocsp_status_resp"] = OK,
    ["ngx.pipe.spawn"] = "ngx.pipe.process? process, string? err",
    ["ngx.process.type"] = "string type",
    ["ngx.process.enable_privileged_agent"] = OK,
    ["ngx.process.get_master_pid"] = "integer? pid",
    ["ngx.proxyssl.get_tls1_version"] = NUMBER,
    ["ngx.proxyssl.get_tls1_version_str"] = TEXT,
    ["ngx.re.split"] = "string[]? pieces, string? err",
    ["lunette.metrics.counter"] = "lunette.metric metric",
    ["lunette.metrics.gauge"] = "lunette.metric metric",
    ["lunette.metrics.histogram"] = "lunette.metric metric",
    ["ngx.trace.current"] = "ngx.trace.span? span",
    ["ngx.trace.start_span"] = "ngx.trace.span span",
    ["ngx.trace.trace_id"] = "string? id",
    ["ngx.trace.is_sampled"] = "boolean sampled",
    ["ngx.semaphore.new"] = "ngx.semaphore? semaphore, string? err",
    ["ngx.semaphore.wait"] = OK, ["ngx.semaphore.post"] = OK,
    ["ngx.semaphore.count"] = "integer count",

    ["ngx.ssl.server_name"] = TEXT, ["ngx.ssl.server_port"] = NUMBER,
    ["ngx.ssl.raw_server_addr"] = "string? address, string? kind, string? err",
    ["ngx.ssl.raw_client_addr"] = "string? address, string? kind, string? err",
    ["ngx.ssl.clear_certs"] = OK, ["ngx.ssl.parse_pem_cert"] = NODE,
    ["ngx.ssl.parse_pem_priv_key"] = NODE, ["ngx.ssl.parse_der_cert"] = NODE,
    ["ngx.ssl.parse_der_priv_key"] = NODE, ["ngx.ssl.cert_pem_to_der"] = TEXT,
    ["ngx.ssl.priv_key_pem_to_der"] = TEXT, ["ngx.ssl.set_cert"] = OK,
    ["ngx.ssl.set_priv_key"] = OK, ["ngx.ssl.set_der_cert"] = OK,
    ["ngx.ssl.set_der_priv_key"] = OK, ["ngx.ssl.verify_client"] = OK,
    ["ngx.ssl.get_tls1_version"] = NUMBER,
    ["ngx.ssl.get_tls1_version_str"] = TEXT,
    ["ngx.ssl.get_client_random"] = TEXT, ["ngx.ssl.get_server_random"] = TEXT,
    ["ngx.ssl.get_session_master_key"] = TEXT,
    ["ngx.ssl.export_keying_material"] = TEXT,
    ["ngx.ssl.export_keying_material_early"] = TEXT,
    ["ngx.ssl.get_req_ssl_pointer"] = "ffi.cdata*? ssl, string? err",
    ["ngx.ssl.get_upstream_ssl_pointer"] = "ffi.cdata*? ssl, string? err",
    ["ngx.ssl.get_req_shared_ssl_ciphers"] = "table? ciphers, string? err",
    ["ngx.ssl.ssl_session_reused"] = OK,
    ["ngx.ssl.clienthello.get_client_hello_server_name"] = TEXT,
    ["ngx.ssl.clienthello.get_client_hello_ext"] = TEXT,
    ["ngx.ssl.clienthello.get_client_hello_ext_present"] =
        "integer[]? extensions, string? err",
    ["ngx.ssl.clienthello.get_client_hello_ciphers"] =
        "integer[]? ciphers, string? err",
    ["ngx.ssl.clienthello.get_supported_versions"] =
        "string[]? versions, string? err",
    ["ngx.ssl.clienthello.set_protocols"] = OK,
    ["ngx.ssl.proxysslcert.clear_certs"] = OK,
    ["ngx.ssl.proxysslcert.set_cert"] = OK,
    ["ngx.ssl.proxysslcert.set_priv_key"] = OK,
    ["ngx.ssl.proxysslcert.set_der_cert"] = OK,
    ["ngx.ssl.proxysslcert.set_der_priv_key"] = OK,
    ["ngx.ssl.proxysslverify.get_verify_result"] = NUMBER,
    ["ngx.ssl.proxysslverify.set_verify_result"] = OK,
    ["ngx.ssl.proxysslverify.get_verify_cert"] = TEXT,
    ["ngx.ssl.session.get_session_id"] = TEXT,
    ["ngx.ssl.session.get_serialized_session"] = TEXT,
    ["ngx.ssl.session.set_serialized_session"] = OK,
    ["ngx.upstream.get_upstreams"] = "string[] names",
    ["ngx.upstream.get_servers"] = "table[]? servers, string? err",
    ["ngx.upstream.get_primary_peers"] = "table[]? peers, string? err",
    ["ngx.upstream.get_backup_peers"] = "table[]? peers, string? err",
    ["ngx.upstream.set_peer_down"] = OK,
    ["ngx.upstream.current_upstream_name"] = "string? name",

    ["resty.aes.new"] = "resty.aes? cipher, string? err",
    ["resty.aes.cipher"] = "table? cipher",
    ["resty.aes.encrypt"] = TEXT, ["resty.aes.decrypt"] = TEXT,
    ["resty.chash.new"] = "resty.chash? chooser, string? err",
    ["resty.chash.find"] = "string|integer? id, integer? index",
    ["resty.chash.next"] = "string|integer? id, integer? index",
    ["resty.roundrobin.new"] = "resty.roundrobin chooser",
    ["resty.roundrobin.find"] = "string|integer? id, string? err",
    ["resty.swrr.new"] = "resty.swrr chooser",
    ["resty.swrr.find"] = "string|integer? id, string? err",
    ["resty.hmac.new"] = "resty.hmac? hmac",
    ["resty.hmac.update"] = "boolean ok",
    ["resty.hmac.final"] = "string? digest",
    ["resty.hmac.reset"] = "boolean ok",

    ["resty.http.new"] = "resty.http client",
    ["resty.http.request_uri"] = "resty.http.answer? answer, string? err",
    ["resty.http.connect"] = "boolean? ok, string? err, any session",
    ["resty.http.request"] = "resty.http.answer? answer, string? err",
    ["resty.http.set_keepalive"] = ONE, ["resty.http.close"] = ONE,

    ["resty.limit.conn.new"] = "resty.limit.conn? limit, string? err",
    ["resty.limit.conn.incoming"] = "number? delay, number|string? err",
    ["resty.limit.conn.is_committed"] = "boolean committed",
    ["resty.limit.conn.leaving"] = "integer? count, string? err",
    ["resty.limit.conn.uncommit"] = OK,
    ["resty.limit.count.new"] = "resty.limit.count? limit, string? err",
    ["resty.limit.count.incoming"] = "number? delay, number|string? err",
    ["resty.limit.count.uncommit"] = "integer? left, string? err",
    ["resty.limit.req.new"] = "resty.limit.req? limit, string? err",
    ["resty.limit.req.incoming"] = "number? delay, number|string? err",
    ["resty.limit.req.uncommit"] = OK,
    ["resty.limit.traffic.combine"] = "number? delay, string? err",

    ["resty.lock.new"] = "resty.lock? lock, string? err",
    ["resty.lock.lock"] = "number? waited, string? err",
    ["resty.lock.unlock"] = ONE, ["resty.lock.expire"] = OK,
    ["resty.lrucache.new"] = "resty.lrucache? cache, string? err",
    ["resty.lrucache.get"] = "any value, any stale, integer? flags",
    ["resty.lrucache.count"] = "integer count",
    ["resty.lrucache.capacity"] = "integer count",
    ["resty.lrucache.get_keys"] = "any[] keys",

    ["resty.memcached.new"] = "resty.memcached? client, string? err",
    ["resty.memcached.connect"] = ONE, ["resty.memcached.set_keepalive"] = ONE,
    ["resty.memcached.close"] = ONE,
    ["resty.memcached.get"] = "string? value, string? flags, string? err",
    ["resty.memcached.gets"] =
        "string? value, string? flags, string? cas, string? err",
    ["resty.memcached.set"] = ONE, ["resty.memcached.incr"] = TEXT,
    ["resty.memcached.delete"] = ONE,
    ["resty.mysql.new"] = "resty.mysql? client, string? err",
    ["resty.mysql.connect"] =
        "boolean? ok, string? err, integer? errcode, string? sqlstate",
    ["resty.mysql.query"] =
        "table? rows, string? err, integer? errcode, string? sqlstate",
    ["resty.mysql.send_query"] = BYTES,
    ["resty.mysql.read_result"] =
        "table? rows, string? err, integer? errcode, string? sqlstate",
    ["resty.mysql.server_ver"] = "string version",
    ["resty.mysql.set_keepalive"] = ONE,
    ["resty.mysql.get_reused_times"] = NUMBER, ["resty.mysql.close"] = ONE,
    ["resty.random.bytes"] = "string? bytes",
    ["resty.redis.new"] = "resty.redis? client, string? err",
    ["resty.redis.connect"] = ONE,
    ["resty.redis.auth"] = "any answer, string? err",
    ["resty.redis.get"] = "any value, string? err",
    ["resty.redis.set"] = "any answer, string? err",
    ["resty.redis.incr"] = "any value, string? err",
    ["resty.redis.subscribe"] = "any answer, string? err",
    ["resty.redis.commit_pipeline"] = "table? answers, string? err",
    ["resty.redis.set_keepalive"] = ONE, ["resty.redis.close"] = ONE,
    ["resty.shell.run"] = "boolean? ok, string? stdout, string? stderr, "
                          .. "string? reason, integer? status",
    ["resty.signal.kill"] = OK, ["resty.signal.signum"] = "integer? number",
    ["resty.string.to_hex"] = "string text",
    ["resty.string.atoi"] = "integer number",
    ["resty.upload.new"] = "resty.upload? form, string? err",
    ["resty.upload.read"] = "string? type, any what, string? err",
    ["resty.upstream.healthcheck.spawn_checker"] = OK,
    ["resty.upstream.healthcheck.status_page"] = "string text",
    ["resty.upstream.healthcheck.prometheus_status_page"] = "string text",
}

for _, side in ipairs { "server", "client" } do
    local name = "resty.websocket." .. side .. "."
    local results = _M.results

    results[name .. "new"] = "resty.websocket." .. side
                             .. "? socket, string? err"
    results[name .. "recv_frame"] =
        "string? data, string? type, string|integer? err"

    for _, kind in ipairs { "frame", "text", "binary", "continue", "ping",
                            "pong", "close" }
    do
        results[name .. "send_" .. kind] = BYTES
    end
end

_M.results["resty.websocket.client.connect"] = ONE
_M.results["resty.websocket.client.set_keepalive"] = ONE
_M.results["resty.websocket.client.close"] = ONE

for _, name in ipairs { "md5", "sha1", "sha224", "sha256", "sha384",
                        "sha512" }
do
    local results, module = _M.results, "resty." .. name .. "."

    results[module .. "new"] = "resty." .. name .. "? digest"
    results[module .. "update"] = "boolean ok"
    results[module .. "final"] = "string? digest"
    results[module .. "reset"] = "boolean ok"
end

-- Functions that are called with a dot although their module's others are
-- methods.
_M.plain = {
    ["ngx.semaphore.new"] = true, ["resty.aes.cipher"] = true,
    ["resty.limit.conn.new"] = true, ["resty.limit.count.new"] = true,
    ["resty.limit.req.new"] = true, ["resty.lrucache.new"] = true,
}

-- Modules of which all are functions.
_M.of_functions = {
    ["ngx.balancer"] = true, ["ngx.base64"] = true, ["ngx.errlog"] = true,
    ["ngx.ocsp"] = true, ["ngx.pipe"] = true, ["ngx.process"] = true,
    ["ngx.proxyssl"] = true, ["ngx.re"] = true, ["ngx.req"] = true,
    ["ngx.resp"] = true, ["ngx.ssl"] = true, ["ngx.ssl.clienthello"] = true,
    ["ngx.ssl.proxysslcert"] = true, ["ngx.ssl.proxysslverify"] = true,
    ["ngx.ssl.session"] = true, ["ngx.trace"] = true,
    ["ngx.upstream"] = true,
    ["lunette.metrics"] = true, ["resty.limit.traffic"] = true,
    ["resty.random"] = true, ["resty.shell"] = true, ["resty.signal"] = true,
    ["resty.string"] = true, ["resty.upstream.healthcheck"] = true,
}

-- Tables that functions give, and have no rows of their own.
_M.classes = [[
---@class ngx.capture
---@field status integer
---@field header table<string, string|string[]>
---@field body string
---@field truncated boolean

---@class ngx.pipe.process
---@field pid fun(self): integer
---@field write fun(self, data: string|table): integer?, string?
---@field shutdown fun(self, what: "stdin"|"stdout"|"stderr"): boolean?, string?
---@field stdout_read_all fun(self): string?, string?, string?
---@field stdout_read_line fun(self): string?, string?, string?
---@field stdout_read_bytes fun(self, n: integer): string?, string?, string?
---@field stdout_read_any fun(self, most: integer): string?, string?
---@field stderr_read_all fun(self): string?, string?, string?
---@field stderr_read_line fun(self): string?, string?, string?
---@field stderr_read_bytes fun(self, n: integer): string?, string?, string?
---@field stderr_read_any fun(self, most: integer): string?, string?
---@field wait fun(self): boolean?, string?, integer?
---@field kill fun(self, signal: integer): boolean?, string?
---@field set_timeouts fun(self, ...: integer?)

---@class resty.http.answer
---@field status integer
---@field reason string
---@field headers table<string, string|string[]>
---@field has_body boolean
---@field body string?
---@field body_reader fun(size?: integer): string?, string?
---@field read_body fun(self): string?, string?
---@field read_trailers fun(self)

---@class ngx.trace.span
---@field set_attribute fun(self, key: string, value: string|number|boolean)
---@field set_name fun(self, name: string)
---@field set_error fun(self, why?: string)
---@field start_span fun(self, name: string, options?: table): ngx.trace.span
---@field traceparent fun(self): string?
---@field finish fun(self)

---@class lunette.metric
---@field inc fun(self, n?: number, values?: string[])
---@field set fun(self, n: number, values?: string[])
---@field observe fun(self, n: number, values?: string[])
]]

return _M
