Who has a lock, who waits for it, and when it goes.

__DATA__


=== one at a time, and again
--- http_config
    lua_shared_dict locks_1 100k;
--- config
    location = /t {
        content_by_lua_block {
            local resty_lock = require "resty.lock"
            for i = 1, 2 do
                local lock = resty_lock:new("locks_1")
                ngx.say(lock:lock("k"), " ", lock:unlock())
                ngx.say(lock:unlock())
            end
        }
    }
--- response_body
0 1
nilunlocked
0 1
nilunlocked



=== who waits is told how long, and gets it
--- http_config
    lua_shared_dict locks_2 100k;
--- config
    location = /t {
        content_by_lua_block {
            local resty_lock = require "resty.lock"
            local first = resty_lock:new("locks_2")
            first:lock("k")
            local t = ngx.thread.spawn(function()
                local second = resty_lock:new("locks_2")
                local elapsed = second:lock("k")
                return elapsed > 0, second:unlock()
            end)
            ngx.sleep(0.02)
            ngx.say(first:unlock())
            ngx.say(select(2, ngx.thread.wait(t)))
        }
    }
--- response_body
1
true1



=== waiting ends: timeout, which is never more than exptime
--- http_config
    lua_shared_dict locks_3 100k;
--- config
    location = /t {
        content_by_lua_block {
            local resty_lock = require "resty.lock"
            local first = resty_lock:new("locks_3")
            first:lock("k")
            ngx.say(resty_lock:new("locks_3", { timeout = 0.01 }):lock("k"))
            ngx.say(resty_lock:new("locks_3", { timeout = 0 }):lock("k"))
            ngx.say(resty_lock:new("locks_3", { exptime = 0.01,
                                                timeout = 60 }):lock("k"))
            ngx.say(first:lock("other"))
            ngx.say(first:lock(nil))
            first:unlock()
        }
    }
--- response_body
niltimeout
niltimeout
niltimeout
nillocked
nilnil key



=== one that nobody gives back goes with its time, or its object
--- http_config
    lua_shared_dict locks_4 100k;
--- config
    location = /t {
        content_by_lua_block {
            local resty_lock = require "resty.lock"
            local late = resty_lock:new("locks_4", { exptime = 0.02 })
            late:lock("a")
            local lock = resty_lock:new("locks_4")
            ngx.say(lock:lock("a") > 0, " ", lock:unlock())

            resty_lock:new("locks_4"):lock("b")
            collectgarbage() collectgarbage()
            lock = resty_lock:new("locks_4", { timeout = 0 })
            ngx.say(lock:lock("b"), " ", lock:unlock())
            late:unlock()
        }
    }
--- response_body
true 1
0 1



=== expire begins its time anew
--- http_config
    lua_shared_dict locks_5 100k;
--- config
    location = /t {
        content_by_lua_block {
            local dict = ngx.shared.locks_5
            local lock = require("resty.lock"):new("locks_5",
                                                   { exptime = 10 })
            ngx.say(lock:expire(1))
            lock:lock("k")
            ngx.say(lock:expire(100), " ", dict:ttl("k") > 50)
            ngx.say(lock:expire(), " ", dict:ttl("k") <= 10)
            lock:unlock()
            ngx.say(lock:expire(1))
        }
    }
--- response_body
nilunlocked
true true
true true
nilunlocked



=== a dictionary by name or itself, and none
--- http_config
    lua_shared_dict locks_6 100k;
--- config
    location = /t {
        content_by_lua_block {
            local resty_lock = require "resty.lock"
            local lock = resty_lock:new(ngx.shared.locks_6)
            ngx.say(lock:lock("k"), " ", lock:unlock())
            ngx.say(resty_lock:new("none"))
        }
    }
--- response_body
0 1
nildictionary not found



=== what the dictionary says goes on
--- http_config
    lua_shared_dict locks_7 100k;
--- config
    location = /t {
        content_by_lua_block {
            local lock = require("resty.lock"):new("locks_7")
            ngx.say(lock:lock(string.rep("k", 65536)))
            ngx.say(lock:lock(7), " ", (ngx.shared.locks_7:get("7")), " ",
                    lock:unlock())
        }
    }
--- response_body
nilkey too long
0 true 1
