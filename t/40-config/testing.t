__DATA__


=== -t tells all that is wrong, and compiles Lua without running it
--- config
    location = /t {
        content_by_lua_block {
            local path = "$TEST_NGINX_HTML_DIR/bad.conf"
            local f = io.popen("readlink /proc/" .. ngx.worker.pid() .. "/exe")
            local exe = f:read("*l")
            f = io.popen(exe .. " -t -p $TEST_NGINX_SERVER_ROOT -e stderr -c "
                         .. path .. " 2>&1")
            ngx.print((f:read("*a"):gsub("[^ ]*/bad.conf", "bad.conf")
                       :gsub("[^ ]*/bad.lua", "bad.lua")))
        }
    }
--- user_files
>>> bad.lua
#!/usr/bin/lua
local x = = 1
>>> bad.conf
events { }
bogus on;
http {
    gzipp on;
    init_by_lua_block { error("this does not run") }
    server {
        listen 127.0.0.1:1;
        gzip maybe;
        location / {
            content_by_lua_block {
                local function broken(
            }
        }
        location /f { content_by_lua_file html/bad.lua; }
        location /n { content_by_lua_file html/none.lua; }
    }
    bogus { a { b; } c_by_lua_block { "}" } }
}
--- skip_windows: looks at /proc
--- response_body eval
qr/^\S+ \[emerg\] unknown directive "bogus" in bad\.conf:2
\S+ \[emerg\] unknown directive "gzipp" in bad\.conf:4
\S+ \[warn\] did you mean "gzip"\? in bad\.conf:4
\S+ \[emerg\] invalid value "maybe" in "gzip" directive, .* in bad\.conf:8
\S+ \[emerg\] content_by_lua\(bad\.conf:10\):3: .* in bad\.conf:12
\S+ \[emerg\] bad\.lua:2: unexpected symbol near '=' in bad\.conf:14
\S+ \[warn\] cannot open ".*none\.lua": .* in bad\.conf:15
\S+ \[emerg\] unknown directive "bogus" in bad\.conf:17
\S+ not supported, of this configuration:
\S+   bogus    2 x, first in bad\.conf:2
\S+   gzipp    1 x, first in bad\.conf:4
\S+ configuration file bad\.conf test failed
$/
