__DATA__


=== a name and its password
--- config
    location = /t {
        auth_basic "closed site";
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
        echo "hello $remote_user";
    }
--- user_files eval
">>> users
# a comment
plain:{PLAIN}secret
sha:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=:and more
apr1:\$apr1\$r31TWj20\$q6kj7lbgVlcnitVu5GciF.\r
last:{PLAIN}a:b"
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Authorization: Basic cGxhaW46c2VjcmV0", "authorization: basic c2hhOnNlY3JldA==", "Authorization: Basic YXByMTpzZWNyZXQ=", "Authorization: Basic cGxhaW46U2VjcmV0", "Authorization: Basic bGFzdDph"]
--- error_code eval
[200, 200, 200, 401, 200]
--- response_body_like eval
["hello plain", "hello sha", "hello apr1", "401 Authorization Required", "hello last"]



=== a wrong password is logged
--- config
    location = /t {
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    }
--- user_files
>>> users
plain:{PLAIN}secret
--- more_headers
Authorization: Basic cGxhaW46U2VjcmV0
--- error_code: 401
--- error_log
user "plain": password mismatch, client



=== whoever says nothing is asked
--- config
    location = /t {
        auth_basic "closed $arg_a";
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    }
--- user_files
>>> users
--- request
GET /t?a=site
--- error_code: 401
--- response_headers
WWW-Authenticate: Basic realm="closed site"
--- error_log
no user/password was provided for basic authentication



=== what is no name and password is like nothing
--- config
    location = /t {
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    }
--- user_files
>>> users
:{PLAIN}
--- request eval
["GET /t", "GET /t", "GET /t", "GET /t", "GET /t"]
--- more_headers eval
["Authorization: Basic", "Authorization: Basic %%%", "Authorization: Basic Og==", "Authorization: Basic bmFtZQ==", "Authorization: Bearer cGxhaW46c2VjcmV0"]
--- error_code eval
[401, 401, 401, 401, 401]



=== nobody of that name
--- config
    location = /t {
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    }
--- user_files
>>> users
plain2:{PLAIN}secret
#plain:{PLAIN}secret
--- more_headers
Authorization: Basic cGxhaW46c2VjcmV0
--- error_code: 401
--- error_log
user "plain" was not found in



=== a file that is not there lets nobody in
--- config
    location = /t { auth_basic closed; auth_basic_user_file no-users; }
--- more_headers
Authorization: Basic cGxhaW46c2VjcmV0
--- error_code: 403
--- error_log eval
qr/\[error\] .* open\(\) ".*\/conf\/no-users" failed \(2: No such file or directory\)/



=== off in an inner level, and by a variable
--- config
    auth_basic closed;
    auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    location = /a { auth_basic off; echo open; }
    location = /b { auth_basic $arg_realm; echo open; }
    location = /c { echo open; }
--- user_files
>>> users
--- request eval
["GET /a", "GET /b?realm=off", "GET /b?realm=x", "GET /c"]
--- error_code eval
[200, 200, 401, 401]



=== which file may depend on the request
--- config
    location = /t {
        auth_basic closed;
        auth_basic_user_file $document_root/$arg_f.users;
        echo in;
    }
--- user_files
>>> a.users
plain:{PLAIN}secret
>>> b.users
--- request eval
["GET /t?f=a", "GET /t?f=b", "GET /t?f=c"]
--- more_headers
Authorization: Basic cGxhaW46c2VjcmV0
--- error_code eval
[200, 401, 403]



=== the system's crypt() knows other kinds
--- skip_windows: there is no crypt()
--- config
    location = /t {
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
        echo in;
    }
--- user_files
>>> users
sha512:$6$abcdefgh$ltjgWl6579NluT/Vi1nwEvcil.G5Nbc4NiXZaNGStk8PSwGfQv72N2CKPPrVACtLtip/cZ/1GM/O6IND4WQhG.
--- request eval
["GET /t", "GET /t"]
--- more_headers eval
["Authorization: Basic c2hhNTEyOnNlY3JldA==", "Authorization: Basic c2hhNTEyOnNlY3JlVA=="]
--- error_code eval
[200, 401]



=== nobody may have crypt() work for minutes
--- skip_windows: there is no crypt()
--- config
    location = /t {
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    }
--- user_files
>>> users
plain:$6$rounds=999999999$abcdefgh$x
--- more_headers
Authorization: Basic cGxhaW46c2VjcmV0
--- error_code: 500
--- error_log
the password of user "plain" would keep crypt() busy for too long



=== the time does not tell which names there are
--- skip_windows: there is no crypt()
--- config
    location = /users {
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
        echo in;
    }
    location = /t {
        content_by_lua_block {
            local function time_of(name)
                local began = os.clock()
                for i = 1, 5 do
                    local sock = ngx.socket.tcp()
                    sock:connect("127.0.0.1", ngx.var.server_port)
                    sock:send("GET /users HTTP/1.0\r\nAuthorization: " ..
                              "Basic " .. ngx.encode_base64(name .. ":x") ..
                              "\r\n\r\n")
                    sock:receive("*a")
                end
                return os.clock() - began
            end
            local known, unknown = time_of("plain"), time_of("other")
            ngx.say(unknown > known / 3, " ", known > unknown / 3)
        }
    }
--- user_files
>>> users
plain:$6$rounds=50000$abcdefgh$x
--- response_body
true true
--- error_log eval
["user \"plain\": password mismatch", "user \"other\" was not found"]



=== a kind that nobody knows
--- config
    location = /t {
        auth_basic closed;
        auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    }
--- user_files
>>> users
plain:$9z$what
--- more_headers
Authorization: Basic cGxhaW46c2VjcmV0
--- error_code: 401
--- error_log
the password of user "plain" is of a kind that crypt() here does not know
user "plain": password mismatch



=== satisfy any: an address that is allowed needs no password
--- config
    satisfy any;
    auth_basic closed;
    auth_basic_user_file $TEST_NGINX_HTML_DIR/users;
    location = /a { allow all; echo in; }
    location = /b { deny all; echo in; }
--- user_files
>>> users
plain:{PLAIN}secret
--- request eval
["GET /a", "GET /b", "GET /b"]
--- more_headers eval
["A: b", "A: b", "Authorization: Basic cGxhaW46c2VjcmV0"]
--- error_code eval
[200, 401, 200]
