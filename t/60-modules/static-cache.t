__DATA__


=== a changed file is seen at once
--- config
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            f:write(ngx.var.arg_text)
            f:close()
            ngx.print("written")
        }
    }
--- user_files
>>> a.txt 202601021530.00
first
--- request eval
["GET /a.txt", "GET /a.txt", "GET /write?text=other", "GET /a.txt", "GET /write?text=again", "GET /a.txt"]
--- response_body eval
["first\n", "first\n", "written", "other", "written", "again"]



=== a file that is gone is gone at once
--- config
    location = /remove {
        content_by_lua_block {
            assert(os.remove("$TEST_NGINX_HTML_DIR/a.txt"))
            ngx.print("removed")
        }
    }
--- user_files
>>> a.txt 202601021530.00
first
--- request eval
["GET /a.txt", "GET /remove", "GET /a.txt"]
--- error_code eval
[200, 200, 404]
--- response_body_like eval
["first", "removed", "404"]



=== a file that is replaced by another of the same size and date
--- config
    location = /swap {
        content_by_lua_block {
            local html = "$TEST_NGINX_HTML_DIR/"
            os.remove(html .. "a.txt")
            assert(os.rename(html .. "b.txt", html .. "a.txt"))
            ngx.print("swapped")
        }
    }
--- user_files
>>> a.txt 202601021530.00
first
>>> b.txt 202601021530.00
other
--- request eval
["GET /a.txt", "GET /swap", "GET /a.txt"]
--- response_body eval
["first\n", "swapped", "other\n"]
--- skip_windows: one call there tells size and dates, not which file it is



=== a folder in the place of a file
--- config
    location = /swap {
        content_by_lua_block {
            local html = "$TEST_NGINX_HTML_DIR/"
            os.remove(html .. "a")
            assert(os.rename(html .. "dir", html .. "a"))
            ngx.print("swapped")
        }
    }
--- user_files
>>> a 202601021530.00
first
>>> dir/x
--- request eval
["GET /a", "GET /swap", "GET /a"]
--- error_code eval
[200, 200, 301]



=== settings of a location go with a file from memory
--- config
    location /one/ { alias $TEST_NGINX_HTML_DIR/; types { a/one txt; } }
    location /two/ { alias $TEST_NGINX_HTML_DIR/; types { a/two txt; } etag off; }
--- user_files
>>> a.txt 202601021530.00
text
--- request eval
["GET /one/a.txt", "GET /two/a.txt", "GET /one/a.txt"]
--- response_headers eval
["Content-Type: a/one
ETag: \"6957e478-5\"", "Content-Type: a/two
!ETag", "Content-Type: a/one
ETag: \"6957e478-5\""]
--- response_body eval
["text\n", "text\n", "text\n"]



=== what Lua writes is seen by the very next request, even one sent with it
--- config
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "w"))
            f:write("another text")
            f:close()
            ngx.print("written")
        }
    }
--- user_files
>>> a.txt 199801171935.33
text
--- pipelined_requests eval
["GET /a.txt", "GET /a.txt", "GET /write", "GET /a.txt"]
--- response_body eval
["text\n", "text\n", "written", "another text"]
