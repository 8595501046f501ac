# What open_file_cache keeps is believed for a time. Writing is a script's.

__DATA__


=== a file is what it was as long as the cache believes it
--- config
    open_file_cache max=10;
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            f:write("second")
            f:close()
            ngx.print("written")
        }
    }
    location = /looks { open_file_cache off; alias html/a.txt; }
--- user_files
>>> a.txt 202601021530.00
first
--- request eval
["GET /a.txt", "GET /write", "GET /a.txt", "GET /looks", "GET /a.txt"]
--- response_body eval
["first\n", "written", "first\n", "second", "first\n"]



=== and is looked at again afterwards
--- config
    open_file_cache max=10;
    open_file_cache_valid 1s;
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            f:write("second")
            f:close()
            ngx.sleep(2.1)
            ngx.print("written")
        }
    }
--- user_files
>>> a.txt 202601021530.00
first
--- request eval
["GET /a.txt", "GET /write", "GET /a.txt"]
--- response_body eval
["first\n", "written", "second"]



=== a file that was not used often enough is looked at each time
--- config
    open_file_cache max=10;
    open_file_cache_min_uses 3;
    location = /write {
        content_by_lua_block {
            local path = "$TEST_NGINX_HTML_DIR/" .. ngx.var.arg_name
            local f = assert(io.open(path, "wb"))
            f:write("second")
            f:close()
            ngx.print("written")
        }
    }
--- user_files
>>> a.txt 202601021530.00
first
>>> b.txt 202601021530.00
first
--- request eval
["GET /a.txt", "GET /write?name=a.txt", "GET /a.txt",
"GET /b.txt", "GET /b.txt", "GET /b.txt", "GET /write?name=b.txt",
"GET /b.txt"]
--- response_body eval
["first\n", "written", "second", "first\n", "first\n", "first\n", "written",
"first\n"]



=== a file that is gone is served on
--- config
    open_file_cache max=10;
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
--- response_body eval
["first\n", "removed", "first\n"]



=== a large one, too, by the descriptor that is open
--- config
    open_file_cache max=10;
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            f:write(("x"):rep(100000))
            f:close()
            ngx.print("written")
        }
    }
    location = /remove {
        content_by_lua_block {
            assert(os.remove("$TEST_NGINX_HTML_DIR/a.txt"))
            ngx.print("removed")
        }
    }
--- request eval
["GET /write", "GET /a.txt", "GET /remove", "GET /a.txt"]
--- response_body eval
["written", "x" x 100000, "removed", "x" x 100000]
--- skip_windows: nothing stays open there, since the name would be taken



=== a file of the same name is another one when the time is over
--- config
    open_file_cache max=10;
    open_file_cache_valid 1s;
    location = /write {
        content_by_lua_block {
            local path = "$TEST_NGINX_HTML_DIR/a.txt"
            os.remove(path)
            local f = assert(io.open(path, "wb"))
            f:write(ngx.var.arg_text:rep(100000))
            f:close()
            ngx.sleep(2.1)
            ngx.print("written")
        }
    }
--- request eval
["GET /write?text=x", "GET /a.txt", "GET /write?text=y", "GET /a.txt"]
--- response_body eval
["written", "x" x 100000, "written", "y" x 100000]



=== a failure is believed where that is wanted
--- config
    open_file_cache max=10;
    location /on/ {
        open_file_cache max=11; open_file_cache_errors on; alias html/;
    }
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            f:write("there")
            f:close()
            ngx.print("written")
        }
    }
--- request eval
["GET /a.txt", "GET /on/a.txt", "GET /write", "GET /on/a.txt", "GET /a.txt"]
--- error_code eval
[404, 404, 200, 404, 200]



=== and so is what try_files and index have found
--- config
    open_file_cache max=10;
    open_file_cache_errors on;
    location ~ ^/(a|sub) { try_files $uri $uri/ =410; }
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            f:write("there")
            f:close()
            ngx.print("written")
        }
    }
--- user_files
>>> sub/index.html 202601021530.00
index
--- request eval
["GET /a.txt", "GET /sub/", "GET /write", "GET /a.txt", "GET /sub/"]
--- error_code eval
[410, 200, 200, 410, 200]



=== the one that was not used for longest makes room
--- config
    open_file_cache max=1;
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            f:write("second")
            f:close()
            ngx.print("written")
        }
    }
--- user_files
>>> a.txt 202601021530.00
first
>>> b.txt 202601021530.00
other
--- request eval
["GET /a.txt", "GET /b.txt", "GET /write", "GET /a.txt"]
--- response_body eval
["first\n", "other\n", "written", "second"]



=== what nobody uses is forgotten
--- config
    open_file_cache max=10 inactive=1s;
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            f:write("second")
            f:close()
            ngx.sleep(2.1)
            ngx.print("written")
        }
    }
--- user_files
>>> a.txt 202601021530.00
first
--- request eval
["GET /a.txt", "GET /write", "GET /a.txt"]
--- response_body eval
["first\n", "written", "second"]



=== what is packed beside it is kept, too
--- config
    open_file_cache max=10;
    gzip_static always;
    location = /remove {
        content_by_lua_block {
            assert(os.remove("$TEST_NGINX_HTML_DIR/a.txt.gz"))
            ngx.print("removed")
        }
    }
--- user_files
>>> a.txt.gz 202601021530.00
packed
--- request eval
["GET /a.txt", "GET /remove", "GET /a.txt"]
--- response_body eval
["packed\n", "removed", "packed\n"]



=== without its size there is no cache
--- config
    open_file_cache inactive=10s;
--- must_die
--- error_log
"open_file_cache" must have the "max" parameter in



=== a size of nothing is none
--- config
    open_file_cache max=0;
--- must_die
--- error_log
invalid "open_file_cache" parameter "max=0" in



=== large files past the page cache, whole and in part
--- config
    directio 64k;
    directio_alignment 4k;
    read_ahead 1m;
    sendfile on;
    location = /write {
        content_by_lua_block {
            local f = assert(io.open("$TEST_NGINX_HTML_DIR/a.txt", "wb"))
            for i = 1, 20000 do
                f:write(("%09d\n"):format(i))
            end
            f:close()
            ngx.print("written")
        }
    }
    location = /sum {
        content_by_lua_block {
            local res = ngx.location.capture("/a.txt")
            ngx.print(#res.body, " ", ngx.crc32_long(res.body))
        }
    }
    location = /short { directio 1; alias html/b.txt; }
--- user_files
>>> b.txt
short
--- request eval
["GET /write", "GET /a.txt", "GET /a.txt", "GET /sum", "GET /short"]
--- more_headers eval
["", "Range: bytes=100000-100019", "Range: bytes=-15", "", ""]
--- error_code eval
[200, 206, 206, 200, 200]
--- response_body eval
["written", "000010001\n000010002\n", "9999\n000020000\n", "200000 1669468745", "short\n"]
--- no_error_log
[alert]
