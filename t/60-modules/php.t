# PHP as Debian has it, as programs of an upstream: pages, bodies, files that it
# names, WordPress's way with uris.

worker_connections(1024);

__DATA__


=== a page
--- http_config
    upstream php { program php-cgi count=2; }
--- config
    location ~ \.php$ {
        include $TEST_NGINX_ROOT_DIR/conf/fastcgi.conf;
        fastcgi_pass php;
    }
--- user_files
>>> a.php
<?php header("X-Method: " . $_SERVER["REQUEST_METHOD"]);
echo "Hello, ", $_GET["name"], "\n";
--- request
GET /a.php?name=you
--- response_headers
X-Method: GET
Content-Type: text/html; charset=UTF-8
--- response_body
Hello, you
--- no_error_log
[error]
--- skip_windows: no PHP in Wine



=== a form of 20 MB, in a file before PHP gets it, and on its way
--- http_config
    upstream php { program php-cgi count=1; }
--- config
    location /on/ {
        alias html/;
        client_max_body_size 20m;
        include $TEST_NGINX_ROOT_DIR/conf/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root/a.php;
        fastcgi_pass php;
    }
    location /off/ {
        alias html/;
        client_max_body_size 20m;
        fastcgi_request_buffering off;
        include $TEST_NGINX_ROOT_DIR/conf/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root/a.php;
        fastcgi_pass php;
    }
--- user_files
>>> a.php
<?php echo md5(file_get_contents("php://input"));
--- more_headers
Content-Type: application/octet-stream
--- request eval
["PUT /on/\n" . ("ab" x 10000000), "PUT /off/\n" . ("ab" x 10000000)]
--- response_body eval
["86551eabcc6fcfae40b853d8b66e7e57", "86551eabcc6fcfae40b853d8b66e7e57"]
--- skip_windows: no PHP in Wine



=== uris that are no files, as WordPress has them
--- http_config
    upstream php { program php-cgi count=1; }
--- config
    index index.php;
    location ~ ^/(?!t$) {
        try_files $uri $uri/ /index.php?$args;
        location ~ \.php$ {
            fastcgi_split_path_info ^(.+\.php)(/.+)$;
            include $TEST_NGINX_ROOT_DIR/conf/fastcgi.conf;
            fastcgi_intercept_errors on;
            fastcgi_pass php;
        }
    }
--- user_files
>>> index.php
<?php echo $_SERVER["SCRIPT_NAME"], " ", $_SERVER["REQUEST_URI"], " ",
           $_SERVER["QUERY_STRING"];
>>> a.txt
a file
--- request eval
["GET /2026/11/hello/?p=1", "GET /a.txt", "GET /", "GET /index.php"]
--- response_body eval
["/index.php /2026/11/hello/?p=1 p=1", "a file\n", "/index.php / ", "/index.php /index.php "]
--- skip_windows: no PHP in Wine



=== a file that PHP names, for who may have it
--- http_config
    upstream php { program php-cgi count=1; }
--- config
    location = /t {
        include $TEST_NGINX_ROOT_DIR/conf/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root/a.php;
        fastcgi_pass php;
    }
    location /files/ { internal; alias html/; }
--- user_files
>>> a.php
<?php header("X-Accel-Redirect: /files/a.txt"); header("Content-Type: text/x");
>>> a.txt
the file
--- response_headers
Content-Type: text/x;charset=UTF-8
--- response_body
the file
--- skip_windows: no PHP in Wine



=== what PHP complains of is in the log, and a script that breaks is no 200
--- http_config
    upstream php { program php-cgi count=1; }
--- config
    location = /t {
        include $TEST_NGINX_ROOT_DIR/conf/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root/a.php;
        fastcgi_param PHP_VALUE "log_errors=1\ndisplay_errors=0";
        fastcgi_pass php;
    }
--- user_files
>>> a.php
<?php nobody_knows_this();
--- error_code: 500
--- error_log
FastCGI sent in stderr: "PHP
nobody_knows_this()
--- skip_windows: no PHP in Wine



=== a file of a gigabyte that PHP names
--- http_config
    upstream php { program php-cgi count=1; }
--- config
    location = /p {
        include $TEST_NGINX_ROOT_DIR/conf/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root/a.php;
        fastcgi_pass php;
    }
    location /files/ { internal; alias html/; }
    location = /t {
        content_by_lua_block {
            local f = assert(io.open(ngx.config.prefix() .. "html/big", "wb"))
            f:seek("set", 2^30 - 1)
            f:write("x")
            f:close()

            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", ngx.var.server_port))
            sock:settimeouts(1000, 1000, 60000)
            sock:send("GET /p HTTP/1.0\r\n\r\n")
            sock:receiveuntil("\r\n\r\n")()
            local n, last = 0
            while true do
                local bytes, err, rest = sock:receive(1048576)
                local part = bytes or rest
                n = n + #part
                last = #part ~= 0 and part:sub(-1) or last
                if not bytes then break end
            end
            os.remove(ngx.config.prefix() .. "html/big")
            ngx.say(n, " ", last)
        }
    }
--- user_files
>>> a.php
<?php header("X-Accel-Redirect: /files/big");
--- timeout: 120
--- response_body
1073741824 x
--- skip_windows: no PHP in Wine



=== two hundred clients at once lose nothing to four, on sockets
--- workers: 2
--- master_on
--- http_config
    upstream php { program php-cgi count=4 max_requests=30 listen=unix:php; }
    lua_socket_log_errors off;
--- config
    location /p {
        include $TEST_NGINX_ROOT_DIR/conf/fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root/a.php;
        fastcgi_read_timeout 120s;
        fastcgi_pass php;
    }
    location = /t {
        content_by_lua_block {
            local function ask(n)
                local sock = ngx.socket.tcp()
                sock:settimeout(120000)
                assert(sock:connect("127.0.0.1", ngx.var.server_port))
                sock:send("GET /p?" .. n .. " HTTP/1.0\r\n\r\n")
                return (sock:receive("*a") or ""):match("\r\n\r\n(.*)") == "is " .. n
            end
            local threads, right = {}, 0
            for i = 1, 200 do threads[i] = ngx.thread.spawn(ask, i) end
            for i = 1, 200 do
                local ok, good = ngx.thread.wait(threads[i])
                right = right + (ok and good and 1 or 0)
            end
            ngx.say(right)
        }
    }
--- user_files
>>> a.php
<?php echo "is ", $_SERVER["QUERY_STRING"];
--- timeout: 150
--- response_body
200
--- skip_windows: no PHP in Wine



=== php-fpm, which looks after its programs itself
--- http_config
    upstream fpm { server unix:$TEST_NGINX_SERVER_ROOT/fpm.sock; keepalive 4; }
    init_worker_by_lua_block {
        local root = "$TEST_NGINX_SERVER_ROOT"
        local f = assert(io.open(root .. "/fpm.conf", "w"))
        f:write("[global]\npid=", root, "/fpm.pid\nerror_log=", root, "/fpm.log\n",
                "[www]\nlisten=", root, "/fpm.sock\nlisten.mode=0666\npm=static\npm.max_children=2\n",
                require("lunette.spec.io").is_root() and "user=root\ngroup=root\n" or "")
        f:close()
        os.execute("$(ls /usr/sbin/php-fpm8* | tail -1) -R -D -y " .. root .. "/fpm.conf 2>/dev/null")
    }
--- config
    location ~ \.php$ {
        client_max_body_size 20m;
        include $TEST_NGINX_ROOT_DIR/conf/fastcgi.conf;
        fastcgi_keep_conn on;
        fastcgi_pass fpm;
    }
    location /end {
        content_by_lua_block { os.execute("kill $(cat $TEST_NGINX_SERVER_ROOT/fpm.pid)") ngx.print("ended") }
    }
--- user_files
>>> a.php
<?php echo $_SERVER["REQUEST_METHOD"], " ", PHP_SAPI, " ", strlen(file_get_contents("php://input"));
--- request eval
["GET /a.php", "POST /a.php\n" . ("ab" x 5000000), "GET /end"]
--- response_body eval
["GET fpm-fcgi 0", "POST fpm-fcgi 10000000", "ended"]
--- skip_eval: 3: !-e "/usr/sbin/php-fpm8.2" && !-e "/usr/sbin/php-fpm8.4" && !-e "/usr/sbin/php-fpm8.3"
--- skip_windows: no PHP in Wine
