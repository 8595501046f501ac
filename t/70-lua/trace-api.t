# Every function of the API that need not wait compiles (t/lib/api_calls.lua): our
# own, and those of a lua-resty-core of the user's over our functions of C.

__DATA__


=== times, digests, escaping
--- http_config
    lua_package_path '$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            require("api_calls").say_what_does_not("texts")
        }
    }
--- response_body
done



=== the request and its answer
--- http_config
    lua_package_path '$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        set $foo "";
        content_by_lua_block {
            require("api_calls").say_what_does_not("request")
        }
    }
--- log_level: warn
--- request
GET /t?a=1
--- response_body
done



=== shared dictionaries and regexes
--- http_config
    lua_package_path '$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            require("api_calls").say_what_does_not("shared")
        }
    }
--- response_body
done



=== calls with numbers
--- http_config
    lua_package_path '$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            require("api_calls").say_what_does_not("numbers")
        }
    }
--- request
GET /t?a=1&b=2&c=3
--- response_body
done



=== the rest
--- http_config
    lua_package_path '$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        set $foo "";
        content_by_lua_block {
            require("api_calls").say_what_does_not("rest")
        }
    }
--- log_level: warn
--- request
POST /t?a=1
a=1&b=2
--- response_body
done



=== Debian's: times, digests, escaping
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            require("api_calls").say_what_does_not("texts")
        }
    }
--- response_body
done



=== Debian's: the request and its answer
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        set $foo "";
        content_by_lua_block {
            require("api_calls").say_what_does_not("request")
        }
    }
--- log_level: warn
--- request
GET /t?a=1
--- response_body
done



=== Debian's: shared dictionaries and regexes
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            require("api_calls").say_what_does_not("shared")
        }
    }
--- response_body
done



=== Debian's: calls with numbers
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        content_by_lua_block {
            require("api_calls").say_what_does_not("numbers")
        }
    }
--- request
GET /t?a=1&b=2&c=3
--- response_body
done



=== Debian's: the rest
--- skip_eval: 2: !-e "/usr/share/lua/5.1/resty/core/base.lua"
--- http_config
    lua_package_path '/usr/share/lua/5.1/?.lua;$TEST_NGINX_CERT_DIR/../lib/?.lua;;';
    lua_shared_dict dogs 1m;
--- config
    location = /t {
        set $foo "";
        content_by_lua_block {
            require("api_calls").say_what_does_not("rest")
        }
    }
--- log_level: warn
--- request
POST /t?a=1
a=1&b=2
--- response_body
done



=== what is said
--- config
    location = /t {
        content_by_lua_block {
            local jutil, cut = require "jit.util", false
            local function on_trace(what, trace)
                if what == "stop" then
                    cut = cut or jutil.traceinfo(trace).linktype == "stitch"
                end
            end
            jit.attach(on_trace, "trace")
            for i = 1, 300 do
                ngx.print("x")
                ngx.print(i, " ", true)
                ngx.say("y", nil, i, "z", "u")
            end
            jit.attach(on_trace)
            ngx.say("cut: ", cut)
        }
    }
--- response_body_like: cut: false$
