# store NAME URL ... { }, and who is in one; what becomes of what several
# machines share is in t/90-packages/store.
__DATA__


=== a store that is not there harms nobody
--- http_config
    store main redis://127.0.0.1:1 unix:/nowhere/redis.sock { node one; }
    lua_shared_dict words 1m sync=main;
--- config
    location = /t {
        content_by_lua_block {
            local words = ngx.shared.words
            words:set("k", "here")
            words:incr("n", 2, 1)
            ngx.say(words:get("k"), " ", words:get("n"), " ",
                    words:delete("k"), " ", words:get("k"), " ",
                    words:add("k", 1), " ", #words:get_keys(0))
        }
    }
--- response_body
here 3 true nil true 2
--- error_log
store "main"



=== it may be spoken of before it is declared, and stand in the main block
--- main_config
    store other redis://127.0.0.1:1 {
        user somebody; interval 10ms; connect_timeout 50ms; read_timeout 1s;
        prefix site:; log_length 100;
    }
--- http_config
    lua_shared_dict a 1m sync=late;
    lua_shared_dict b 1m sync=other;
    store late redis://127.0.0.1:1/3 { }
--- config
    location = /t {
        content_by_lua_block { ngx.say(ngx.shared.a:set("k", 1)) }
    }
--- response_body_like
^true.*



=== lists are this machine's
--- http_config
    store main redis://127.0.0.1:1 { }
    lua_shared_dict words 1m sync=main;
--- config
    location = /t {
        content_by_lua_block {
            local words = ngx.shared.words
            words:delete("l")
            ngx.say(words:rpush("l", "one"), words:lpop("l"), words:llen("l"))
        }
    }
--- response_body
1one0



=== what becomes of a key is what it would be without a store
--- http_config
    store main redis://127.0.0.1:1 { }
    lua_shared_dict near 1m;
    lua_shared_dict far 1m sync=main;
--- config
    location = /t {
        content_by_lua_block {
            local function ask(d)
                local all = {}
                local function note(...)
                    for i = 1, select("#", ...) do
                        all[#all + 1] = tostring((select(i, ...)))
                    end
                end
                note(d:set("a", "x", 0, 7)); note(d:get("a"))
                note(d:add("a", 1)); note(d:replace("b", 1))
                note(d:delete("a")); note(d:get("a")); note(d:get_stale("a"))
                note(d:replace("a", 1)); note(d:ttl("a")); note(d:expire("a", 1))
                note(d:incr("a", 1)); note(d:incr("a", 1, 5)); note(d:get("a"))
                note(d:set("a", nil)); note(d:add("a", true)); note(d:get("a"))
                note(d:flush_all()); note(d:get("a")); note(d:get_stale("a"))
                note(d:incr("a", 1, 5)); note(#d:get_keys())
                note(d:set("s", ("x"):rep(5000))); note(#d:get("s"))
                return table.concat(all, " ")
            end
            local near, far = ask(ngx.shared.near), ask(ngx.shared.far)
            ngx.say(near == far and "the same" or near .. "\n" .. far)
        }
    }
--- response_body
the same



=== a store that nobody declares
--- http_config
    lua_shared_dict words 1m sync=nobody;
--- config
--- must_die
--- error_log
unknown store "nobody" in



=== two of a name
--- http_config
    store main redis://127.0.0.1:1 { }
    store main redis://127.0.0.1:2 { }
--- config
--- must_die
--- error_log
duplicate store "main" in



=== what is no URL of a store
--- http_config
    store main http://127.0.0.1/ { }
--- config
--- must_die
--- error_log
invalid URL "http://127.0.0.1/" in "store": it has to begin with redis://, rediss:// or unix: in



=== nor is a user in it
--- http_config
    store main redis://user:secret@127.0.0.1 { }
--- config
--- must_die
--- error_log
in "store"



=== a password is not empty
--- http_config
    store main redis://127.0.0.1 { password_file ../html/empty; }
--- user_files
>>> empty
--- config
--- must_die
--- error_log
there is no password in



=== words of a dictionary
--- http_config
    store main redis://127.0.0.1 { }
    lua_shared_dict words 1m sync=;
--- config
--- must_die
--- error_log
invalid parameter "sync=" in
