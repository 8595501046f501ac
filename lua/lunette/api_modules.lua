-- api_modules.lua -- what of the Lua API is an object's or a module's: the
-- methods of dictionaries and sockets, and what `require` gives. As api.lua's
-- rows; t/70-lua/api-modules.t holds the names against the modules themselves.
--
-- A group: its name, what it is, and its functions, each as a name, what
-- follows it, and what it does; "some" behind them: there are more.
--
-- SPDX-License-Identifier: BSD-2-Clause

-- What all digests have.
local function digest(name, bytes)
    return { "resty." .. name,
             ("The digest %s, of %d bytes, piece by piece."):format(
                 name:upper(), bytes), {
        { "new", "()", "begins one" },
        { "update", "(text)", "takes a piece; after new, with a colon" },
        { "final", "()", "the digest, in bytes" },
        { "reset", "()", "begins anew" },
    } }
end

-- What both kinds of balancing by weight have, and consistent hashing.
local function chooser(name, what, find, more)
    local rows = {
        { "new", "(nodes)", "a chooser of { [id] = weight }" },
        { "reinit", "(nodes)", "the same with others" },
        { "find", find, "the id of the next" },
        { "set", "(id, weight)", "another weight" },
        { "incr", "(id, weight?)", "more of it" },
        { "decr", "(id, weight?)", "less" },
        { "delete", "(id)", "one less" },
    }

    rows[#rows + 1] = more
    return { name, what, rows }
end

-- What frames of WebSocket are sent with, on both sides.
local frames = {
    { "new", "(options?)",
      "timeout, max_payload_len, permessage_deflate; the server's answers 101"
      .. " and takes over" },
    { "set_timeout", "(ms)", "how long a frame may take" },
    { "recv_frame", "()", "data, its type, and an error or a status" },
    { "send_frame", "(fin, opcode, payload, mask?)", "any frame" },
    { "send_text", "(text)", "a frame of text" },
    { "send_binary", "(data)", "one of bytes" },
    { "send_continue", "(data)", "what goes on with one" },
    { "send_ping", "(text?)", "a ping" },
    { "send_pong", "(text?)", "a pong" },
    { "send_close", "(code?, text?)", "the last one" },
}

local function with(list, more)
    local all = {}

    for _, row in ipairs(list) do all[#all + 1] = row end
    for _, row in ipairs(more) do all[#all + 1] = row end
    return all
end

local rows = {
    { "ngx.shared.DICT", "A dictionary of `lua_shared_dict DICT 1m;`, which all"
      .. " workers see at once. Times are in seconds, 0: for ever.", {
        { "get", "(key)", "its value and its flags, or nil" },
        { "get_stale", "(key)", "the same, and whether its time is over" },
        { "set", "(key, value, exptime?, flags?)",
          "true; or nil and why; and whether others had to go" },
        { "safe_set", "(key, value, exptime?, flags?)",
          'the same, and "no memory" instead of others\' end' },
        { "add", "(key, value, exptime?, flags?)",
          'only where there is none; else false, "exists"' },
        { "safe_add", "(key, value, exptime?, flags?)",
          "the same, and nobody has to go" },
        { "replace", "(key, value, exptime?, flags?)",
          'only where there is one; else false, "not found"' },
        { "delete", "(key)", "takes it out" },
        { "incr", "(key, number, init?, init_ttl?)",
          "three values: the new number, an error, whether others had to go" },
        { "fetch", "(key)", "of a dictionary with `sync=`: its value and its"
          .. " flags in the store, which is asked and waited for; or nil and"
          .. " why" },
        { "lpush", "(key, value)", "to the front of a list; its length" },
        { "rpush", "(key, value)", "to its end" },
        { "lpop", "(key)", "the first of a list, or nil" },
        { "rpop", "(key)", "the last" },
        { "llen", "(key)", "how many there are" },
        { "ttl", "(key)", "seconds that are left; 0: for ever" },
        { "expire", "(key, exptime)", "another time" },
        { "flush_all", "()", "ends the time of all" },
        { "flush_expired", "(most?)", "frees those whose time is over" },
        { "get_keys", "(most?)", "their names: 1024, 0: all" },
        { "capacity", "()", "bytes that it was given" },
        { "free_space", "()", "bytes of pages that nobody has" },
    } },
    { "tcpsock", "What `ngx.socket.tcp()`, and for what a request sends"
      .. " `ngx.req.socket()`, give. What fails returns nil and why.", {
        { "connect", "(host, port, options?)",
          "a host, or unix:/path; pool, pool_size, backlog" },
        { "bind", "(address)", "from which it connects" },
        { "setclientcert", "(cert, key)", "shows it to the server" },
        { "sslhandshake", "(session?, name?, verify?, ocsp?)", "TLS" },
        { "send", "(data)", "text, or a table of texts; bytes sent" },
        { "receive", "(size?)", 'so many bytes, a line ("*l"), or all ("*a")' },
        { "receiveany", "(most)", "what has come, at most so many bytes" },
        { "receiveuntil", "(pattern, options?)",
          "a function that reads up to it" },
        { "settimeout", "(ms)", "for each of what follows" },
        { "settimeouts", "(connect, send, read)", "in milliseconds" },
        { "setoption", "(name, value)", "tcp-nodelay, keepalive, ..." },
        { "getoption", "(name)", "and what it is" },
        { "setkeepalive", "(ms?, size?)", "puts it into its pool" },
        { "getreusedtimes", "()", "how often it came out of one" },
        { "shutdown", '("send")', "says that nothing follows" },
        { "close", "()", "ends it" },
    }, "some" },
    { "udpsock", "What `ngx.socket.udp()` gives.", {
        { "setpeername", "(host, port)", "whom it speaks to" },
        { "bind", "(address)", "from where" },
        { "send", "(data)", "a datagram" },
        { "receive", "(size?)", "the next one that comes" },
        { "settimeout", "(ms)", "for receive" },
        { "close", "()", "ends it" },
    } },
    { "ngx.balancer", "For `balancer_by_lua*`: the server of this request.", {
        { "set_current_peer", "(address, port, name?)", "this one" },
        { "set_more_tries", "(count)", "how many more, should it fail" },
        { "get_last_failure", "()", "why the one before failed" },
        { "set_timeouts", "(connect, send, read)", "in seconds" },
        { "enable_keepalive", "(timeout?, requests?)", "keeps the connection" },
        { "recreate_request", "()", "makes it anew, of changed headers" },
        { "set_upstream_tls", "(on)", "whether it is spoken to over TLS" },
        { "bind_to_local_addr", "(address)", "from where it is asked" },
    } },
    { "ngx.base64", "base64 of URLs.", {
        { "encode_base64url", "(text)", "with - and _, not padded" },
        { "decode_base64url", "(text)", "and back" },
    } },
    { "ngx.errlog", "Lines of the error log that Lua may see"
      .. " (`lua_capture_error_log`).", {
        { "get_logs", "(most?)", "level, time, text, and so on" },
        { "set_filter_level", "(level)", "from which on they are kept" },
        { "get_sys_filter_level", "()", "the level of error_log" },
        { "raw_log", "(level, text)", "a line without file and line" },
    } },
    { "ngx.ocsp", "For `ssl_certificate_by_lua*`: OCSP stapling.", {
        { "get_ocsp_responder_from_der_chain", "(chain)", "its URL" },
        { "create_ocsp_request", "(chain)", "what to send there" },
        { "validate_ocsp_response", "(answer, chain)", "whether it is good" },
        { "set_ocsp_status_resp", "(answer)", "sends it with the handshake" },
    } },
    { "ngx.pipe", "Programs that Lua starts and speaks with.", {
        { "spawn", "(args, options?)",
          "a process: write, shutdown, stdout_read_line, stderr_read_all,"
          .. " wait, kill, pid, set_timeouts" },
    } },
    { "ngx.process", "Which process this is.", {
        { "type", "()", "worker, master, single, privileged agent" },
        { "enable_privileged_agent", "(connections?)",
          "in init_by_lua*: starts it" },
        { "get_master_pid", "()", "the master's process" },
        { "signal_graceful_exit", "()", "this one quits" },
    } },
    { "ngx.proxyssl", "The handshake with a server behind.", {
        { "get_tls1_version", "()", "its version, as a number" },
        { "get_tls1_version_str", "()", "the same, in words" },
    } },
    { "ngx.re", "More about patterns.", {
        { "split", "(text, pattern, options?, ctx?, most?, into?)",
          "the pieces between its matches" },
        { "opt", "(name, value)", "limits of the library" },
    } },
    { "ngx.req", "A header more.", {
        { "add_header", "(name, value)", "beside those of that name" },
    } },
    { "ngx.resp", "A header more.", {
        { "add_header", "(name, value)", "beside those of that name" },
        { "set_status", "(status, reason?)", "with words of your own" },
        { "bypass_if_checks", "()", "passes over If-Match and its kin" },
    } },
    { "lunette.metrics", "What scripts count: one sum of all workers, printed"
      .. " by `prometheus`. A metric has inc, set or observe.", {
        { "counter", "(name, help, labels?)", "it rises: inc(n?, values?)" },
        { "gauge", "(name, help, labels?)",
          "what each worker has, together: set(number, values?)" },
        { "histogram", "(name, help, labels?, buckets?)",
          "numbers by size: observe(number, values?)" },
    } },
    { "ngx.trace", "The trace that a request is a part of (`otel_trace`), and"
      .. " spans of what a script does. A span has set_attribute, set_name,"
      .. " set_error, start_span, traceparent, finish.", {
        { "current", "()", "the request's own span; nil: it is in no trace" },
        { "start_span", "(name, options?)",
          "one inside of it: kind = \"client\", attributes = { }" },
        { "trace_id", "()", "in hex; nil: there is none" },
        { "is_sampled", "()", "whether spans are wanted" },
    } },
    { "ngx.semaphore", "Light threads of one worker that wait for each other.",
      {
        { "new", "(count?)", "one with so many resources" },
        { "wait", "(seconds)", 'takes one; false, "timeout"' },
        { "post", "(count?)", "gives so many" },
        { "count", "()", "how many there are; negative: who waits" },
    } },
    { "ngx.ssl", "For `ssl_certificate_by_lua*`: the handshake of a client.", {
        { "server_name", "()", "the name that it asks for (SNI)" },
        { "server_port", "()", "the port that it came to" },
        { "raw_server_addr", "()", "the address, in bytes, and its kind" },
        { "raw_client_addr", "()", "its own" },
        { "clear_certs", "()", "forgets those of the configuration" },
        { "parse_pem_cert", "(pem)", "a chain that set_cert takes" },
        { "parse_pem_priv_key", "(pem, password?)",
          "a key that set_priv_key takes" },
        { "parse_der_cert", "(der)", "the same of DER" },
        { "parse_der_priv_key", "(der)", "the same of DER" },
        { "cert_pem_to_der", "(pem)", "as DER" },
        { "priv_key_pem_to_der", "(pem, password?)", "as DER" },
        { "set_cert", "(chain)", "shows it" },
        { "set_priv_key", "(key)", "and proves that it is ours" },
        { "set_der_cert", "(der)", "the same of DER" },
        { "set_der_priv_key", "(der)", "the same of DER" },
        { "verify_client", "(ca?, depth?, store?)",
          "wants a certificate of the client" },
        { "get_tls1_version", "()", "its version, as a number" },
        { "get_tls1_version_str", "()", "the same, in words" },
        { "get_client_random", "(length?)", "what the client has rolled" },
        { "get_server_random", "(length?)", "what the server has" },
        { "get_session_master_key", "(length?)", "of TLS 1.2" },
        { "export_keying_material", "(length, label, context?)",
          "keys of the connection (RFC 5705)" },
        { "export_keying_material_early", "(length, label, context?)",
          "those of early data" },
        { "get_req_ssl_pointer", "()", "OpenSSL's, for FFI" },
        { "get_upstream_ssl_pointer", "()", "the one behind" },
        { "get_req_shared_ssl_ciphers", "()", "what both sides know" },
        { "ssl_session_reused", "()", "whether it is an old session" },
    } },
    { "ngx.ssl.clienthello", "For `ssl_client_hello_by_lua*`.", {
        { "get_client_hello_server_name", "()", "the name (SNI)" },
        { "get_client_hello_ext", "(number)", "an extension, in bytes" },
        { "get_client_hello_ext_present", "()", "which there are" },
        { "get_client_hello_ciphers", "()", "which it knows" },
        { "get_supported_versions", "()", "which versions" },
        { "set_protocols", "(list)", "those that are taken" },
    } },
    { "ngx.ssl.proxysslcert", "For `proxy_ssl_certificate_by_lua*`.", {
        { "clear_certs", "()", "forgets those of the configuration" },
        { "set_cert", "(chain)", "shows it" },
        { "set_priv_key", "(key)", "and proves that it is ours" },
        { "set_der_cert", "(der)", "the same of DER" },
        { "set_der_priv_key", "(der)", "the same of DER" },
    } },
    { "ngx.ssl.proxysslverify", "For `proxy_ssl_verify_by_lua*`.", {
        { "get_verify_result", "()", "what OpenSSL says of it" },
        { "set_verify_result", "(number)", "what you say" },
        { "get_verify_cert", "()", "the chain that it has shown" },
    } },
    { "ngx.ssl.session", "For `ssl_session_fetch_by_lua*` and `_store_`.", {
        { "get_session_id", "()", "its name" },
        { "get_serialized_session", "()", "it, as a text" },
        { "set_serialized_session", "(text)", "goes on with that one" },
    } },
    { "ngx.upstream", "The upstreams of the configuration.", {
        { "get_upstreams", "()", "their names" },
        { "get_servers", "(upstream)", "their servers" },
        { "get_primary_peers", "(upstream)", "what is known of each" },
        { "get_backup_peers", "(upstream)", "and of those in reserve" },
        { "set_peer_down", "(upstream, backup, id, down)",
          "takes one out, in this worker" },
        { "current_upstream_name", "()", "the one of this request" },
    } },
    { "resty.aes", "AES with a password or a key.", {
        { "new", "(key, salt?, cipher?, hash?, rounds?)", "a cipher" },
        { "cipher", "(size?, mode?)", "which one: 128, cbc" },
        { "encrypt", "(text)", "with a colon" },
        { "decrypt", "(text)", "and back; nil: it is none" },
    } },
    chooser("resty.chash", "Consistent hashing (ketama).", "(key)",
            { "next", "(index)", "the one behind that which find gave" }),
    chooser("resty.roundrobin", "By turns, by weight.", "()"),
    chooser("resty.swrr", "By turns, by weight, smoothly.", "()"),
    { "resty.hmac", "A digest with a key.", {
        { "new", "(key, algorithm?)", "begins one" },
        { "update", "(text)", "takes a piece" },
        { "final", "(text?, hexadecimal?)", "the digest" },
        { "reset", "()", "begins anew" },
    } },
    { "resty.http", "A client of HTTP/1.1, of many methods; request_uri does"
      .. " for most.", {
        { "new", "()", "a client" },
        { "request_uri", "(url, options?)",
          "status, headers, body; method, body, query, headers, ssl_verify" },
        { "connect", "(options)", "scheme, host, port" },
        { "request", "(options)", "over the connection" },
        { "set_timeout", "(ms)", "for each step" },
        { "set_timeouts", "(connect, send, read)", "in milliseconds" },
        { "set_keepalive", "(ms?, size?)", "puts it into its pool" },
        { "close", "()", "ends it" },
    }, "some" },
    { "resty.limit.conn", "Requests at a time.", {
        { "new", "(dict, most, burst, delay)", "a limit" },
        { "incoming", "(key, commit)", "how long to wait, or nil, rejected" },
        { "is_committed", "()", "whether it was counted" },
        { "leaving", "(key, latency?)", "one less" },
        { "set_conn", "(most)", "another limit" },
        { "set_burst", "(burst)", "another burst" },
        { "uncommit", "(key)", "takes it back" },
    } },
    { "resty.limit.count", "Requests in a window of time.", {
        { "new", "(dict, count, seconds)", "a limit" },
        { "incoming", "(key, commit)", "0 and how many are left, or nil" },
        { "uncommit", "(key)", "takes it back" },
    } },
    { "resty.limit.req", "Requests a second.", {
        { "new", "(dict, rate, burst)", "a limit" },
        { "incoming", "(key, commit)", "how long to wait, or nil, rejected" },
        { "set_rate", "(rate)", "another rate" },
        { "set_burst", "(burst)", "another burst" },
        { "uncommit", "(key)", "takes it back" },
    } },
    { "resty.limit.traffic", "Several limits as one.", {
        { "combine", "(limits, keys, states?)", "how long to wait, or nil" },
    } },
    { "resty.lock", "One at a time, over all workers: for what is expensive to"
      .. " make.", {
        { "new", "(dict, options?)", "timeout, exptime, step, ratio" },
        { "lock", "(key)", "seconds it waited, or nil, timeout" },
        { "unlock", "()", "the next one's turn" },
        { "expire", "(seconds)", "it may take longer" },
    } },
    { "resty.lrucache", "A cache of one worker, of any Lua values;"
      .. " resty.lrucache.pureffi is the same.", {
        { "new", "(count)", "for so many" },
        { "get", "(key)", "its value; the old one, flags" },
        { "set", "(key, value, seconds?, flags?)", "keeps it" },
        { "delete", "(key)", "takes it out" },
        { "count", "()", "how many there are" },
        { "capacity", "()", "how many there may be" },
        { "get_keys", "(most?)", "their names" },
        { "flush_all", "()", "takes all out" },
    } },
    digest("md5", 16),
    { "resty.memcached", "A client of memcached, with all of its commands.", {
        { "new", "(options?)", "a client" },
        { "connect", "(host, port, options?)", "1, or nil and why" },
        { "set_timeout", "(ms)", "for each step" },
        { "set_keepalive", "(ms?, size?)", "puts it into its pool" },
        { "close", "()", "ends it" },
        { "get", "(key)", "value, flags, error" },
        { "gets", "(key)", "value, flags, cas, error" },
        { "set", "(key, value, exptime?, flags?)", "1, or nil and why" },
        { "incr", "(key, value)", "the new number" },
        { "delete", "(key)", "1, or nil and why" },
    }, "some" },
    { "resty.mysql", "A client of MySQL and MariaDB.", {
        { "new", "()", "a client" },
        { "connect", "(options)", "host, port, database, user, password, ssl" },
        { "query", "(sql, rows?)", "rows; an error, its number, its state" },
        { "send_query", "(sql)", "the first half" },
        { "read_result", "(rows?)", "the second; error again: more follow" },
        { "server_ver", "()", "the server's version" },
        { "set_timeout", "(ms)", "for each step" },
        { "set_keepalive", "(ms?, size?)", "puts it into its pool" },
        { "get_reused_times", "()", "how often it came out of one" },
        { "set_compact_arrays", "(on)", "rows as arrays" },
        { "close", "()", "ends it" },
    } },
    { "resty.random", "Bytes that nobody can guess.", {
        { "bytes", "(length, strong?)", "so many" },
    } },
    { "resty.redis", "A client of Redis. Each of its commands is a method:"
      .. " red:hset(key, field, value).", {
        { "new", "()", "a client" },
        { "connect", "(host, port, options?)", "true, or nil and why" },
        { "auth", "(password)", "as Redis' AUTH" },
        { "get", "(key)", "ngx.null: there is none" },
        { "set", "(key, value)", "OK" },
        { "incr", "(key)", "the new number" },
        { "subscribe", "(channel)", "then read_reply" },
        { "init_pipeline", "(count?)", "what follows is gathered" },
        { "commit_pipeline", "()", "sent, and all answers" },
        { "set_timeout", "(ms)", "for each step" },
        { "set_timeouts", "(connect, send, read)", "in milliseconds" },
        { "set_keepalive", "(ms?, size?)", "puts it into its pool" },
        { "close", "()", "ends it" },
    }, "some" },
    digest("sha1", 20), digest("sha224", 28), digest("sha256", 32),
    digest("sha384", 48), digest("sha512", 64),
    { "resty.shell", "A program's output.", {
        { "run", "(command, stdin?, ms?, most?)",
          "ok, stdout, stderr, reason, status" },
    } },
    { "resty.signal", "Processes.", {
        { "kill", "(pid, signal)", "sends it" },
        { "signum", "(name)", "its number" },
    } },
    { "resty.string", "Texts of digests.", {
        { "to_hex", "(text)", "in hexadecimal" },
        { "atoi", "(text)", "the number that it begins with" },
    } },
    { "resty.upload", "A form of the client's, part by part (multipart).", {
        { "new", "(chunk_size?, line_size?, preserve?)", "a form" },
        { "read", "()", "header, body, part_end, eof, and what it is" },
        { "set_timeout", "(ms)", "for each step" },
    } },
    { "resty.upstream.healthcheck", "Asks the servers of an upstream how they"
      .. " are (active health checks).", {
        { "spawn_checker", "(options)",
          "upstream, type, http_req, interval, timeout, fall, rise, statuses" },
        { "status_page", "()", "what is known of all, as text" },
        { "prometheus_status_page", "()", "the same for Prometheus" },
    } },
    { "resty.websocket.server", "WebSocket, with a client.", frames },
    { "resty.websocket.client", "WebSocket, with a server.", with(frames, {
        { "connect", "(url, options?)", "ws:// or wss://" },
        { "set_keepalive", "(ms?, size?)", "puts it into its pool" },
        { "close", "()", "ends it" },
    }) },
}

return rows
