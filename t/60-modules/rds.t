# Results of databases as JSON and CSV: rds_json, rds_csv. They are made by
# t/lib/rds.lua, from what the request says in Lua.

our $http_config = <<'_EOC_';
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    init_by_lua_block {
        function answer(t, size)
            ngx.header.content_type = "application/x-resty-dbd-stream"
            local text = require "rds" (t)
            for i = 1, #text, size or #text do
                ngx.print(text:sub(i, i + (size or #text) - 1))
            end
        end
        cats = { columns = { { "int", "id" }, { "text", "name" } },
                 rows = { { "2" }, { "3", 'b"ob\n' } } }
    }
_EOC_

__DATA__


=== a table as JSON, in each form, in pieces of any size
--- http_config eval: $::http_config
--- config
    rds_json on;
    location = /list { content_by_lua_block { answer(cats) } }
    location = /compact {
        rds_json_format compact;
        content_by_lua_block { answer(cats, 1) }
    }
    location = /root {
        rds_json_root rows;
        rds_json_success_property ok;
        content_by_lua_block { answer(cats, 3) }
    }
    location = /data {
        rds_json_user_property "who\"" "me & $arg_a";
        rds_json_user_property more 1;
        rds_json_format compact;
        content_by_lua_block { answer({ columns = cats.columns }, 7) }
    }
--- request eval
["GET /list", "GET /compact", "GET /root", "GET /data?a=you"]
--- response_headers eval
["Content-Type: application/json", "Content-Type: application/json",
 "Content-Type: application/json", "Content-Type: application/json"]
--- response_body eval
[q{[{"id":2,"name":null},{"id":3,"name":"b\"ob\n"}]},
 q{[["id","name"],[2,null],[3,"b\"ob\n"]]},
 q{{"ok":true,"rows":[{"id":2,"name":null},{"id":3,"name":"b\"ob\n"}]}},
 q{{"who\"":"me & you","more":"1","data":[["id","name"]]}}]



=== what is no table
--- http_config eval: $::http_config
--- config
    rds_json on;
    location = /done {
        content_by_lua_block { answer { big = true } }
    }
    location = /insert {
        rds_json_success_property ok;
        content_by_lua_block {
            answer({ insert_id = 258, affected = 1, big = true }, 1)
        }
    }
    location = /error {
        rds_json_success_property ok;
        rds_json_user_property who me;
        rds_json_errcode_key code;
        rds_json_errstr_key "\"text\"";
        rds_json_root rows;
        content_by_lua_block {
            answer({ errcode = 1064, errstr = 'near "x"' }, 2)
        }
    }
--- request eval
["GET /done", "GET /insert", "GET /error"]
--- response_body eval
[q({"errcode":0}), q({"ok":true,"errcode":0,"insert_id":258,"affected_rows":1}),
 q({"ok":false,"who":"me","code":1064,"\"text\"":"near \"x\""})]



=== numbers that JSON has not are texts, and so is what only looks like one
--- http_config eval: $::http_config
--- config
    location = /t {
        rds_json on;
        rds_json_format compact;
        content_by_lua_block {
            local columns, row = {}, {}
            for v in ("-1 0 0.5 1e9 -2.5E-3 NaN 007 1. .5 - +1 1e 0x1 "
                      .. '1,"a":2'):gmatch("%S+") do
                columns[#columns + 1] = { "float", "" }
                row[#row + 1] = v
            end
            for v in ("t true 1 f x"):gmatch("%S+") do
                columns[#columns + 1] = { "bool", "" }
                row[#row + 1] = v
            end
            columns[#columns + 1] = { "text", "" }
            row[#row + 1] = ""
            columns[#columns + 1] = { "int", "" }
            row[#row + 1] = ""
            answer { columns = columns, rows = { row } }
        }
    }
--- response_body_like eval
qr/,\[-1,0,0\.5,1e9,-2\.5E-3,"NaN","007","1\.",".5","-","\+1","1e","0x1","1,\\"a\\":2",true,true,true,false,false,"",""\]\]$/



=== values of many buffers
--- http_config eval: $::http_config
--- config
    location = /t {
        rds_json on;
        rds_json_buffer_size 100;
        content_by_lua_block {
            answer({ columns = { { "text", "a" }, { "int", "b" } },
                     rows = { { ("x\1"):rep(20000), ("9"):rep(5000) } } }, 777)
        }
    }
    location = /get {
        content_by_lua_block {
            local body = ngx.location.capture("/t").body
            ngx.say(body == '[{"a":"' .. ("x\\u0001"):rep(20000) .. '","b":"'
                            .. ("9"):rep(5000) .. '"}]')
        }
    }
--- request
GET /get
--- response_body
true



=== a table as CSV
--- http_config eval: $::http_config
--- config
    rds_csv on;
    location = /t { content_by_lua_block { answer(cats, 1) } }
    location = /tab {
        rds_csv_row_terminator "\n";
        rds_csv_field_separator "\t";
        rds_csv_field_name_header off;
        content_by_lua_block {
            answer { columns = { { "text", "a" }, { "text", "b" } },
                     rows = { { "x\ty", "p,q" }, { "", "\r" } } }
        }
    }
    location = /set {
        rds_csv_content_type text/x;
        content_by_lua_block {
            answer { affected = 2, insert_id = 5, errstr = "a,b" }
        }
    }
    location = /bare {
        rds_csv_field_name_header off;
        content_by_lua_block { answer { errcode = 7 } }
    }
--- request eval
["GET /t", "GET /tab", "GET /set", "GET /bare"]
--- response_headers eval
["Content-Type: text/csv; header=presence",
 "Content-Type: text/csv; header=absence", "Content-Type: text/x",
 "Content-Type: text/csv; header=absence"]
--- response_body eval
["id,name\r\n2,\r\n3,\"b\"\"ob\n\"\r\n", "\"x\ty\"\tp,q\n\t\"\r\"\n",
 "errcode,errstr,insert_id,affected_rows\r\n0,\"a,b\",5,2\r\n", "7,,0,0\r\n"]



=== a value that is too long to be looked through has quotes
--- http_config eval: $::http_config
--- config
    location = /t {
        rds_csv on;
        rds_csv_field_name_header off;
        rds_csv_buffer_size 8k;
        content_by_lua_block {
            answer({ columns = { { "text", "a" }, { "text", "b" } },
                     rows = { { ("x"):rep(4096), ('"y'):rep(4000) } } }, 1000)
        }
    }
--- response_body eval
("x" x 4096) . ",\"" . ("\"\"y" x 4000) . "\"\r\n"



=== other answers, and a header alone, are left as they are
--- http_config eval: $::http_config
--- config
    rds_json on; rds_csv on;
    location = /t {
        default_type text/css;
        echo hello;
    }
    location = /rows { content_by_lua_block { answer(cats) } }
--- request eval
["GET /t", "HEAD /rows"]
--- response_headers eval
["Content-Type: text/css", "Content-Type: text/csv; header=presence"]
--- response_body eval
["hello\n", ""]



=== a result that is cut off, or none, ends the answer
--- http_config eval: $::http_config
--- config
    rds_json on;
    location = /rds {
        content_by_lua_block {
            ngx.header.content_type = "application/x-resty-dbd-stream"
            local text = require "rds" (cats)
            local n = tonumber(ngx.var.arg_n)
            ngx.print(n and text:sub(1, n)
                      or ngx.unescape_uri(ngx.var.arg_text or "") )
        }
    }
    location = /t {
        content_by_lua_block {
            local http = require "resty.http"
            local uri = "http://127.0.0.1:" .. ngx.var.server_port .. "/rds?"
            local whole = #require "rds" (cats)
            local good = 0
            for n = 1, whole do
                local res = http.new():request_uri(uri .. "n=" .. n)
                good = good + (res and res.body and 1 or 0)
            end
            ngx.say(good)
            for _, text in ipairs { ("x"):rep(40), "%00%03%00%00%00%01"
                    .. ("%00"):rep(20), "%00%03%00%00%00" .. ("%00"):rep(23)
                    .. "%ff%ff", "%00%03%00%00%00" .. ("%00"):rep(25) .. "x"} do
                local res = http.new():request_uri(uri .. "text=" .. text)
                ngx.say(res and res.body)
            end
        }
    }
--- response_body
1
nil
nil
nil
nil
--- error_log
rds: it is cut off
rds: it is not of version 0.0.3
rds: result type must be 0 for now
rds: too many columns
rds: bytes behind the last row



=== an answer of an error's number and text
--- config
    location = /t {
        if ($arg_limit !~ "^\d+$") {
            rds_json_ret 400 'Invalid "limit" argument.';
        }
        echo done;
    }
    location = /all {
        rds_json_success_property ret;
        rds_json_user_property city $arg_c;
        rds_json_content_type text/javascript;
        rds_json_ret 0 "";
    }
    location = /bad {
        rds_json_success_property ret;
        rds_json_ret 403 Forbidden;
    }
--- request eval
["GET /t", "GET /t?limit=10", "GET /all?c=x", "GET /bad"]
--- response_headers eval
["Content-Type: application/json", "", "Content-Type: text/javascript",
 "Content-Type: application/json"]
--- response_body eval
[q({"errcode":400,"errstr":"Invalid \"limit\" argument."}), "done\n",
 q({"errcode":0,"ret":true,"city":"x"}),
 q({"errcode":403,"errstr":"Forbidden","ret":false})]



=== what a row may end with
--- config
    rds_csv_row_terminator ";";
--- must_die
--- error_log
invalid value ";" for "rds_csv_row_terminator" in



=== a few bytes of NULLs become many, and wait to be sent
--- http_config eval: $::http_config
--- config
    rds_json on;
    location = /t {
        body_filter_by_lua_block {
            local ctx = ngx.ctx
            ctx.all = (ctx.all or 0) + #ngx.arg[1]
            ctx.most = math.max(ctx.most or 0, #ngx.arg[1])
            ngx.arg[1] = ngx.arg[2] and ctx.all .. " "
                         .. tostring(ctx.most < 1000000) or nil
        }
        content_by_lua_block {
            ngx.header.content_type = "application/x-resty-dbd-stream"
            local text = require "rds" {
                columns = { { "int", ("n"):rep(10000) } }, rows = {}
            }
            ngx.print(text:sub(1, -2), ("\1\255\255\255\255"):rep(1000), "\0")
        }
    }
--- response_body chomp
10010001 true
