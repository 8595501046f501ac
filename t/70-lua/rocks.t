__DATA__


=== what LuaRocks has installed beside the configuration is found
--- user_files
>>> ../lua_modules/share/lua/5.1/hello.lua
return { text = "from " .. ... }
>>> ../lua_modules/share/lua/5.1/deep/init.lua
return { text = "from " .. ... }
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("hello").text)
            ngx.say(require("deep").text)
            ngx.say(package.cpath:find("lua_modules/lib/lua/5.1/?.", 1, true)
                    and "cpath")
        }
    }
--- response_body
from hello
from deep
cpath



=== a path of the user's comes before it with ";;", and without has it not
--- http_config
    lua_package_path "$prefix/lib/?.lua;;";
--- user_files
>>> ../lua_modules/share/lua/5.1/hello.lua
return "of LuaRocks"
>>> ../lib/hello.lua
return "of the user"
--- config
    location = /t { content_by_lua_block { ngx.say(require "hello") } }
--- response_body
of the user



=== without ";;" the path is the user's alone
--- http_config
    lua_package_path "$prefix/lib/?.lua";
--- user_files
>>> ../lua_modules/share/lua/5.1/hello.lua
return "of LuaRocks"
--- config
    location = /t {
        content_by_lua_block { ngx.say((pcall(require, "hello"))) }
    }
--- response_body
false



=== the lines that opm prints are good here
--- http_config
    lua_package_path "$prefix/resty_modules/lualib/?.lua;;";
    lua_package_cpath "$prefix/resty_modules/lualib/?.so;;";
--- user_files
>>> ../resty_modules/lualib/resty/hello.lua
return "of opm"
--- config
    location = /t { content_by_lua_block { ngx.say(require "resty.hello") } }
--- response_body
of opm
