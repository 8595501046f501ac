# Keys and values that the API changes.
__DATA__


=== pairs are added, changed and removed, and are variables meanwhile
--- workers: 2
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    keyval $arg_k $v zone=one;
    keyval_zone zone=one:64k;
--- config
    location /api/ { api / write=on; }
    location /v { return 200 "<$v>"; }
    location /set { set $v $arg_v; return 200 "<$v>"; }
    location = /t {
        content_by_lua_block {
            local api = require "upstream_api"
            local port = $TEST_NGINX_SERVER_PORT
            local function go(method, body, args)
                local status, text = api.ask(port, method, "/api/9/http/keyvals/one" .. (args or ""), body)
                ngx.say(status, " ", (text:gsub("\n%s*", ""):gsub(',"request_id.*', "")))
            end
            local function value(k) ngx.say((select(2, api.ask(port, "GET", "/v?k=" .. k)))) end
            go("GET")
            go("POST", '{"a":"1","b\\"c":"two"}')
            value "a"
            go("GET", nil, "?key=b%22c")
            go("POST", '{"a":"3"}')
            go("PATCH", '{"a":"3"}')
            value "a"
            go("PATCH", '{"none":"3"}')
            go("POST", '{"x":"1","y":"2"}')
            go("PATCH", '{"b\\"c":null}')
            go("GET")
            ngx.say((select(2, api.ask(port, "GET", "/set?k=s&v=seven"))))
            value "s"
            go("DELETE")
            value "a"
            go("GET")
        }
    }
--- response_body
200 {}
201 
<1>
200 {"b\"c":"two"}
409 {"error":{"status":409,"text":"key already exists","code":"KeyvalKeyExists"}
204 
<3>
404 {"error":{"status":404,"text":"keyval key not found","code":"KeyvalKeyNotFound"}
400 {"error":{"status":400,"text":"only one key can be added","code":"KeyvalFormatError"}
204 
200 {"a":"3"}
<seven>
<seven>
204 
<>
200 {}
--- error_log eval
[qr/\[notice\] .*api: pairs were added to http keyval zone "one", client: /, qr/a pair was changed in/, qr/all pairs were removed from/]
--- timeout: 10



=== an address is in the smallest of its networks
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    keyval_zone zone=nets:64k type=ip;
    keyval $arg_k $v zone=nets;
--- config
    location /api/ { api / write=on; }
    location /v { return 200 "<$v>"; }
    location = /t {
        content_by_lua_block {
            local api = require "upstream_api"
            local port = $TEST_NGINX_SERVER_PORT
            local function value(k) ngx.print(select(2, api.ask(port, "GET", "/v?k=" .. k)), " ") end
            api.ask(port, "POST", "/api/9/http/keyvals/nets", '{"10.0.0.0/8":"ten","10.1.2.3":"one","10.1.0.0/16":"sixteen","2001:db8::/32":"six","0.0.0.0/0":"all"}')
            value "10.9.9.9" value "10.1.2.3" value "10.1.2.4" value "192.0.2.1" value "2001:db8::9" value "::ffff:10.1.9.9" value "::1" value "x" value "10.1.2.0/24"
            ngx.say()
            ngx.say((api.ask(port, "PATCH", "/api/9/http/keyvals/nets", '{"10.1.0.0/16":null}')))
            value "10.1.2.4"
            ngx.say()
            ngx.say((select(2, api.call(port, "POST", "http/keyvals/nets", '{"ten":"x"}'))))
        }
    }
--- response_body
<ten> <one> <sixteen> <all> <six> <sixteen> <> <> <sixteen> 
204
<ten> 
KeyvalFormatError



=== a text begins with the longest key
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    keyval_zone zone=paths:64k type=prefix;
    keyval $arg_k $v zone=paths;
--- config
    location /api/ { api / write=on; }
    location /v { return 200 "<$v>"; }
    location = /t {
        content_by_lua_block {
            local api = require "upstream_api"
            local port = $TEST_NGINX_SERVER_PORT
            local function value(k) ngx.print(select(2, api.ask(port, "GET", "/v?k=" .. k)), " ") end
            api.ask(port, "POST", "/api/9/http/keyvals/paths", '{"/a":"a","/a/b/":"b"}')
            value "/a" value "/abc" value "/a/b/c" value "/a/b" value "/" value ""
        }
    }
--- response_body chomp
<a> <a> <b> <a> <> <> 



=== pairs end with their time
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    keyval_zone zone=one:64k timeout=1h;
    keyval_zone zone=two:64k;
    keyval $arg_k $v zone=one;
--- config
    location /api/ { api / write=on; }
    location /v { return 200 "<$v>"; }
    location = /t {
        content_by_lua_block {
            local api = require "upstream_api"
            local port = $TEST_NGINX_SERVER_PORT
            local function value() return (select(2, api.ask(port, "GET", "/v?k=a"))) end
            ngx.say((api.ask(port, "POST", "/api/9/http/keyvals/one", '{"a":{"value":"x","expire":300}}')))
            ngx.say(value())
            repeat ngx.sleep(0.02) until value() == "<>"
            ngx.say((select(2, api.call(port, "POST", "http/keyvals/two", '{"a":{"value":"x","expire":300}}'))))
        }
    }
--- response_body
201
<x>
KeyvalFormatError
--- timeout: 10



=== what is wrong changes nothing
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    keyval_zone zone=one:64k;
--- config
    location /api/ { api / write=on; }
    location /read/ { api /; }
    location = /t {
        content_by_lua_block {
            local api = require "upstream_api"
            local port = $TEST_NGINX_SERVER_PORT
            local function try(method, path, body) ngx.say(table.concat({ api.call(port, method, path, body) }, " ")) end
            try("POST", "http/keyvals/none", '{"a":"1"}')
            try("POST", "stream/keyvals/one", '{"a":"1"}')
            try("POST", "http/keyvals/one", '{"a":')
            try("POST", "http/keyvals/one", '{}')
            try("POST", "http/keyvals/one", '{"":"1"}')
            try("POST", "http/keyvals/one", '{"\\u0001":"1"}')
            try("POST", "http/keyvals/one", '{"a":"1","b":2}')
            try("POST", "http/keyvals/one", '{"a":"1","b":{"value":1}}')
            try("POST", "http/keyvals/one", '{"a":"1","":"2"}')
            try("PUT", "http/keyvals/one", '{"a":"1"}')
            try("POST", "http/keyvals", '{"a":"1"}')
            ngx.say((api.ask(port, "DELETE", "/read/9/http/keyvals/one")))
            ngx.say((select(2, api.ask(port, "GET", "/api/9/http/keyvals/"))))
        }
    }
--- response_body
404 KeyvalNotFound
404 KeyvalNotFound
415 JsonError
400 KeyvalFormatError
400 KeyvalFormatError
400 KeyvalFormatError
400 KeyvalFormatError
400 KeyvalFormatError
400 KeyvalFormatError
405 MethodNotSupported
405 MethodNotSupported
405
{"one":{}}



=== state: the pairs are in a file
--- user_files
>>> one.json
{"a":"1",
 "b":{"value":"2","expire":3600000}}
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    keyval_zone zone=one:64k timeout=1h state=$TEST_NGINX_HTML_DIR/one.json;
    keyval_zone zone=two:64k state=$TEST_NGINX_HTML_DIR/two.json;
    keyval $arg_k $v zone=one;
--- config
    location /api/ { api / write=on; }
    location = /t {
        content_by_lua_block {
            local api, io = require "upstream_api", require "lunette.spec.io"
            local port, dir = $TEST_NGINX_SERVER_PORT, ngx.config.prefix() .. "html/"
            ngx.say(ngx.var.v)
            api.ask(port, "POST", "/api/9/http/keyvals/two", '{"x":"y"}')
            api.ask(port, "PATCH", "/api/9/http/keyvals/one", '{"b":null}')
            local two
            repeat ngx.sleep(0.05) two = io.read(dir .. "two.json") until two
            ngx.say(two)
            repeat ngx.sleep(0.05) until not io.read(dir .. "one.json"):find '"b"'
        }
    }
--- request
GET /t?k=a
--- response_body
1
{"x":"y"}
--- timeout: 10



=== a state that could not be written is written as soon as it can be
--- user_files
>>> aside/empty
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    keyval_zone zone=one:64k state=$TEST_NGINX_HTML_DIR/state/one.json;
--- config
    location /api/ { api / write=on; }
    location = /t {
        content_by_lua_block {
            local api, io = require "upstream_api", require "lunette.spec.io"
            local dir = ngx.config.prefix()
            api.ask($TEST_NGINX_SERVER_PORT, "POST", "/api/9/http/keyvals/one", '{"x":"y"}')
            repeat ngx.sleep(0.05) until io.read(dir .. "logs/error.log"):find "cannot be written"
            assert(os.rename(dir .. "html/aside", dir .. "html/state"))
            local text
            repeat ngx.sleep(0.05) text = io.read(dir .. "html/state/one.json") until text
            ngx.say(text)
        }
    }
--- response_body
{"x":"y"}
--- error_log
[error]
--- timeout: 10



=== a state that is broken is an error with its line
--- user_files
>>> one.json
{"a":"1",
 "b":}
--- http_config
    keyval_zone zone=one:64k state=$TEST_NGINX_HTML_DIR/one.json;
--- config
--- must_die
--- error_log eval
qr/\[emerg\] .*invalid JSON in state file \S+one\.json:2 of keyval_zone "one"/



=== in stream
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- main_config
    stream {
        keyval_zone zone=s:64k;
        keyval $server_port $v zone=s;
        server { listen $TEST_NGINX_RAND_PORT_1; return "<$v>"; }
    }
--- config
    location /api/ { api / write=on; }
    location = /t {
        content_by_lua_block {
            local api, tree = require "upstream_api", require "tree"
            ngx.say((api.ask($TEST_NGINX_SERVER_PORT, "POST", "/api/9/stream/keyvals/s", '{"$TEST_NGINX_RAND_PORT_1":"here"}')))
            ngx.say(tree.ask($TEST_NGINX_RAND_PORT_1, ""))
        }
    }
--- response_body
201
<here>



=== a zone that nobody has declared
--- http_config
    keyval $arg_k $v zone=none;
--- config
--- must_die
--- error_log
unknown keyval_zone "none"
