# Shared dictionaries and the processes that have them.

__DATA__

=== a dictionary lies at one address in all workers
--- workers: 4
--- master_on
--- http_config
    lua_shared_dict life_1 1m;
    init_worker_by_lua_block {
        local ffi = require "ffi"
        local at = ffi.C.lun_ffi_shdict_find("life_1", 6)
        ngx.shared.life_1:rpush("at", tostring(at))
    }
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.life_1
            for i = 1, 500 do
                if dogs:llen("at") == 4 then break end
                ngx.sleep(0.02)
            end
            local n, first = 0, dogs:lpop("at")
            while dogs:lpop("at") == first do n = n + 1 end
            ngx.say(first ~= nil, " ", n, " ", dogs:llen("at"))
        }
    }
--- response_body
true 3 0



=== and in one that comes for a dead worker, with what is in it
--- master_on
--- http_config
    lua_shared_dict life_2 1m;
    init_worker_by_lua_block {
        local ffi = require "ffi"
        local dogs = ngx.shared.life_2
        local at = ffi.C.lun_ffi_shdict_find("life_2", 6)
        dogs:rpush("at", tostring(at))
        if dogs:llen("at") == 1 then
            dogs:set("dog", "from the first")
            os.exit(3)
        end
    }
--- config
    location /t {
        content_by_lua_block {
            local dogs = ngx.shared.life_2
            ngx.say(dogs:lpop("at") == dogs:lpop("at"), " ", dogs:get("dog"))
        }
    }
--- response_body
true from the first
--- error_log
exited with code 3
