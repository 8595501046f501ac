# What a client of MySQL asks, and what it makes of answers, good and bad.  The
# server is a text of packets, see t/lib/mysql_server.lua.

__DATA__


=== logging in by a password's hash
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local server = require "mysql_server"
            local function try(password, plugin, ...)
                local db = server.connection(server.greeting(plugin), 2, ...)
                local ok, err = db:connect { host = "h", user = "u",
                    database = "d", password = password }
                ngx.say(ok, " ", err, " ", #db.said, " ",
                        ngx.md5(db.said[1]:sub(37)):sub(1, 6))
                return db
            end
            local db = try("secret", "mysql_native_password", server.OK)
            ngx.say(db.place[1], " ", db.place[2], " ",
                    db.place[3].pool:match "^u:d:h:3306:%x+$" ~= nil, " ",
                    db:server_ver())
            try("", "mysql_native_password", server.OK)
            try("secret", "caching_sha2_password", "\1\3", server.OK)
            try("secret", "unheard_of", server.switch "mysql_native_password",
                4, server.OK)
        }
    }
--- response_body
1 nil 1 76ad5b
h 3306 true 8.0.1
1 nil 1 386ae0
1 nil 1 69d816
1 nil 2 76ad5b



=== who has another password, or wants TLS, has another pool
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local server = require "mysql_server"
            local seen = {}
            local function pool(opts)
                local db = server.raw ""
                opts.user = "u"
                db:connect(opts)
                local name = db.place[3] and db.place[3].pool or db.place[2].pool
                seen[name] = (seen[name] or 0) + 1
                return name
            end
            for _ = 1, 2 do
                for _, how in ipairs { {}, { password = "a" },
                        { password = "b" }, { ssl = true },
                        { ssl_verify = true, server_name = "s" },
                        { ssl_verify = true, server_name = "t" },
                        { ssl = true, password = "a" } } do
                    how.host = "h"
                    pool(how)
                    how.host, how.path = nil, "/s"
                    pool(how)
                end
            end
            local n, twice = 0, true
            for name, times in pairs(seen) do
                n, twice = n + 1, twice and times == 2
            end
            ngx.say(n, " ", twice)
            ngx.say(pool { host = "h" }, " ", pool { path = "/s", password = "" })
            ngx.say(pool { host = "h", password = "x", pool = "mine" })
        }
    }
--- response_body
14 true
u::h:3306 u::/s
mine



=== a password that signs what the server has said
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local server = require "mysql_server"
            local nonce = {}
            for i = 1, 32 do
                nonce[i] = string.char(i)
            end
            local db = server.connection(
                server.greeting "mysql_native_password", 2,
                "\254client_ed25519\0" .. table.concat(nonce), 4, server.OK)
            ngx.say(db:connect { host = "h", user = "u",
                                 password = "secret" })
            local said = db.said[2]
            ngx.say(#said - 4, " ",
                    require "resty.string".to_hex(said:sub(5, 16)))
        }
    }
--- response_body
1
64 60a0f4f8bcb6396043e44b2a



=== servers that want what we have not, or say no
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local server = require "mysql_server"
            local function try(plugin, ...)
                local db = server.connection(server.greeting(plugin), 2, ...)
                local ok, err, no, state = db:connect { host = "h",
                    password = "secret" }
                ngx.say(ok, " ", err, " ", no, " ", state)
            end
            local native = "mysql_native_password"
            try("unheard_of", server.switch "unheard_of")
            try(native, "\254")
            try(native, server.switch "mysql_clear_password")
            try(native, "\1\3")
            try(native, "\7")
            try(native, "\255\21\4#28000Denied")
            try("sha256_password", "\1no key")
            try(native, "\254sha256_password\0", 4, "\1no key")
            try(native)
            try(native, 9, server.OK)
            try(native, "")
            local more = {}
            for i = 1, 100 do
                more[2 * i - 1] = i + 1
                more[2 * i] = "\1\3"
            end
            try("caching_sha2_password", unpack(more, 2))
            local db = server.connection "\255\21\4Too many"
            ngx.say(db:connect { host = "h" })
            db = server.connection "\10abc"
            ngx.say(db:connect { host = "h" })
            db = server.connection(server.greeting(native, 0))
            ngx.say(db:connect { host = "h", ssl = true })
            ngx.say(db:connect { host = "h", charset = "klingon" })
            ngx.say(db:connect {})
        }
    }
--- response_body
nil authentication plugin 'unheard_of' is not supported nil nil
nil old pre-4.1 authentication protocol not supported nil nil
nil mysql_clear_password needs TLS nil nil
nil unexpected authentication data nil nil
nil bad packet type: 7 nil nil
nil Denied 1045 28000
nil failed to encrypt the password with the server's key nil nil
nil the server has said nothing to hide the password by nil nil
nil failed to receive the result packet: failed to receive packet header: closed nil nil
nil failed to receive the result packet: packets out of order nil nil
nil failed to receive the result packet: empty packet nil nil
nil too many authentication packets nil nil
nilToo many1045nil
nilbad handshake initialization packet: bad server versionnilnil
nilssl disabled on servernilnil
nilcharset 'klingon' is not supported
nilneither "host" nor "path" options are specified



=== a password for who has the key, and over TLS
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- user_files
>>> key.pem
-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC7vbqajDw4o6gJy8UtmIbkcpnk
O3Kwc4qsEnSZp/TR+fQi62F79RHWmwKOtFmwteURgLbj7D/WGuNLGOfa/2vse3G2
eHnHl5CB8ruRX9fBl/KgwCVr2JaEuUm66bBQeP5XeBotdR4cvX38uPYivCDdPjJ1
QWPdspTBKcxeFbccDwIDAQAB
-----END PUBLIC KEY-----
--- config
    location = /t {
        content_by_lua_block {
            local server = require "mysql_server"
            local file = io.open("$TEST_NGINX_HTML_DIR/key.pem", "rb")
            local pem = file:read "*a"
            file:close()
            for _, plugin in ipairs { "sha256_password",
                                      "caching_sha2_password" } do
                local db = server.connection(server.greeting(plugin), 2,
                    "\1" .. (plugin:find "caching" and "\4" or pem), 4,
                    plugin:find "caching" and "\1" .. pem or server.OK, 6,
                    server.OK)
                ngx.say(db:connect { host = "h", password = "secret" })
                ngx.say(#db.said, " ", #db.said[#db.said])
                db = server.connection(server.greeting(plugin, 0xffff), 3,
                    plugin:find "caching" and "\1\4" or server.OK, 5,
                    server.OK)
                ngx.say(db:connect { host = "h", password = "secret",
                                     ssl = true })
                ngx.say(db.over_tls, " ",
                        db.said[#db.said]:find("secret\0", 1, true) ~= nil)
            end
        }
    }
--- response_body
1
2 132
1
true true
1
3 132
1
true true



=== rows, numbers, nothing and more than one result
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            local server = require "mysql_server"
            local column = server.column
            local db = server.open(
                "\3", column("i", 3), column("s", 253), column("big", 8),
                server.EOF, "\2" .. "12" .. "\1x" .. "\3" .. "900",
                "\251\251\251", server.AGAIN,
                "\0\2\252\0\1\10\0\1\0", "\1", column("d", 246),
                server.EOF, "\3" .. "1.5", server.EOF)
            ngx.say(db:send_query "select")
            ngx.say(db.said[1] == "\7\0\0\0\3select")
            ngx.say(db:send_query "select")
            ngx.say(db:set_keepalive())
            for _ = 1, 4 do
                local res, err = db:read_result()
                if res and res.affected_rows then
                    ngx.say(res.affected_rows, " ", res.insert_id, " ",
                            res.server_status, " ", res.warning_count, " ", err)
                elseif res and res[2] then
                    ngx.say(res[1].i + 1, res[1].s, res[1].big, " ",
                            res[2].i, res[2].s, res[2].big, " ", err)
                else
                    ngx.say(cjson.encode(res), " ", err)
                end
                db:set_compact_arrays(true)
            end
            ngx.say(db:set_keepalive())
        }
    }
--- response_body
11
true
nilcannot send query in the current context: 2
nilcannot be reused in the current connection state: 2
13x900 nullnullnull again
2 256 10 1 again
[[1.5]] nil
null cannot read result in the current context: 1
1



=== answers that are none
--- http_config
    lua_package_path "$TEST_NGINX_CERT_DIR/../lib/?.lua;;";
--- config
    location = /t {
        content_by_lua_block {
            local server = require "mysql_server"
            local column = server.column
            local function try(...)
                local db = server.open(...)
                local res, err, no, state = db:query "q"
                ngx.say(res, " ", err, " ", no, " ", state, " ", db.was_closed,
                        " ", db.state)
            end
            try()
            try("\255\40\4#42000Syntax")
            try("\255\40\4Syntax")
            try("\0")
            try("\251/etc/passwd")
            try(server.EOF)
            try("\254\255\255\255\255\255\255\255\255", column("x", 3))
            try("\1", "\3def")
            try("\1", column("x", 3), "\0")
            try("\1", column("x", 3), server.EOF, "\5ab")
            try("\1", column("x", 3), server.EOF, "\253\255\255")
            try("\1", column("x", 3), server.EOF, "\255\1\0#HY000Gone")
            local db = server.raw "\255\255\255\0"
            ngx.say(db:connect { host = "h", max_packet_size = 16 })
            db.sock = nil
            ngx.say(db:connect {})
        }
    }
--- response_body
nil failed to receive packet header: closed nil nil true nil
nil Syntax 1064 42000 nil 1
nil Syntax 1064 nil nil 1
nil bad ok packet nil nil true nil
nil packet type LOCAL INFILE not supported nil nil true nil
nil packet type 254 not supported nil nil true nil
nil packet type 254 not supported nil nil true nil
nil bad field packet nil nil true nil
nil unexpected packet type 0 while eof packet is expected nil nil true nil
nil bad row packet nil nil true nil
nil bad row packet nil nil true nil
nil Gone 1 HY000 nil 1
nilpacket size too big: 16777215nilnil
nilnot initialized
