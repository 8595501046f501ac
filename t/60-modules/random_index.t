__DATA__


=== one of the folder's files, sooner or later each
--- config
    location /f/ { random_index on; }
    location = /t {
        content_by_lua_block {
            local seen, n = {}, 0
            for _ = 1, 200 do
                local body = ngx.location.capture("/f/").body
                n = n + (seen[body] and 0 or 1)
                seen[body] = true
            end
            ngx.say(n, seen["a\n"], seen["b\n"], seen["c\n"])
        }
    }
--- user_files
>>> f/a
a
>>> f/b
b
>>> f/c
c
>>> f/.hidden
hidden
>>> f/folder/d
d
--- response_body
3truetruetrue
--- no_error_log
[error]



=== a folder without a file is one without an index
--- config
    location /f/ { random_index on; }
--- user_files
>>> f/folder/d
d
--- request
GET /f/
--- error_code: 403
--- error_log
directory index of



=== a folder that is not there
--- config
    location /f/ { random_index on; }
--- request
GET /f/none/
--- error_code: 404
--- error_log eval
qr/opendir\(\) ".*\/f\/none" failed \(\d+: No such file or directory\)/
