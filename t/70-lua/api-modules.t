# The rows of modules and methods (lunette.api_modules) are what there is.

__DATA__


=== each function of a module has its row, and each row its function
--- http_config
    lua_shared_dict hits 1m;
--- config
    location = /t {
        content_by_lua_block {
            local function methods(object)
                return getmetatable(object).__index
            end

            local objects = {
                ["ngx.shared.DICT"] = methods(ngx.shared.hits),
                tcpsock = methods(ngx.socket.tcp()),
                udpsock = methods(ngx.socket.udp()),
            }

            for _, group in ipairs(require("lunette.api_modules")) do
                local name, some = group[1], group[4]
                local module = objects[name] or require(name)
                local known = {}

                for _, row in ipairs(group[3]) do
                    known[row[1]] = true
                    if type(module[row[1]]) ~= "function" then
                        ngx.say("not there: ", name, " ", row[1])
                    end
                end
                for key, value in pairs(some and {} or module) do
                    if type(value) == "function" and not known[key] then
                        ngx.say("no row: ", name, " ", key)
                    end
                end
            end
            ngx.say("compared")
        }
    }
--- response_body
compared
--- no_error_log
[error]



=== a library of OpenResty's has its rows
--- config
    location = /t {
        content_by_lua_block {
            local names = {}
            for _, group in ipairs(require("lunette.api_modules")) do
                names[group[1]] = true
            end
            for name in ([[ngx.balancer ngx.base64 ngx.errlog ngx.ocsp ngx.pipe
                ngx.process ngx.re ngx.req ngx.resp ngx.semaphore ngx.ssl
                ngx.ssl.clienthello ngx.ssl.session ngx.upstream resty.aes
                resty.chash resty.hmac resty.http resty.limit.conn
                resty.limit.count resty.limit.req resty.limit.traffic
                resty.lock resty.lrucache resty.md5 resty.memcached resty.mysql
                resty.random resty.redis resty.roundrobin resty.sha1
                resty.sha256 resty.shell resty.signal resty.string resty.swrr
                resty.upload resty.upstream.healthcheck resty.websocket.client
                resty.websocket.server]]):gmatch "%S+" do
                if not names[name] then ngx.say(name) end
            end
            ngx.say("compared")
        }
    }
--- response_body
compared
