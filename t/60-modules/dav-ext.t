# WebDAV of class 2. Who asks in steps is Lua: t/lib/dav.lua.

__DATA__


=== what is offered is said
--- config
    location /one/ { dav_methods PUT; dav_ext_methods OPTIONS PROPFIND; }
    location /two/ { dav_ext_methods OPTIONS LOCK UNLOCK; dav_ext_lock zone=w; }
    location /off/ { dav_ext_methods off; }
--- http_config
    dav_ext_lock_zone zone=w:1m;
--- request eval
["OPTIONS /one/", "OPTIONS /two/", "PROPFIND /two/", "LOCK /one/", "LOCK /off/"]
--- error_code eval
[200, 200, 405, 405, 405]
--- response_headers eval
["DAV: 1\nMS-Author-Via: DAV\nAllow: GET,HEAD,PUT,PROPFIND,OPTIONS",
 "DAV: 1,2\nAllow: GET,HEAD,OPTIONS,LOCK,UNLOCK", "", "", ""]



=== a file, and a folder with what is in it
--- config
    location /d/ { dav_ext_methods PROPFIND; }
--- user_files eval
[["d/a b&c", "12345\n"], ["d/sub/x", ""]]
--- request eval
["PROPFIND /d/a%20b&c", "PROPFIND /d/", "PROPFIND /d/", "PROPFIND /d/none",
 "PROPFIND /d/", "PROPFIND /d/", "PROPFIND /d/sub"]
--- more_headers eval
["Depth: 0", "Depth: 1", "Depth: 0", "Depth: 0", "Depth: infinity",
 "Depth: 2", "Depth: 0"]
--- error_code eval
[207, 207, 207, 404, 403, 400, 207]
--- response_body_like eval
["<D:href>/d/a%20b&amp;c</D:href>.*<D:displayname>a b&amp;c</D:displayname><D:resourcetype/><D:getcontentlength>6<.*<D:getetag>\"",
 "<D:href>/d/</D:href>.*<D:collection/>.*<D:href>/d/(a%20b&amp;c|sub/)</D:href>.*<D:href>/d/(a%20b&amp;c|sub/)</D:href>",
 "^(?!.*a%20b).*</D:multistatus>", "404", "403", "400",
 "<D:href>/d/sub/</D:href>"]
--- response_headers_like eval
["Content-Type: application/xml; charset=utf-8", "", "", "", "", "", ""]



=== what is asked for by name, and what is not there
--- config
    location /d/ { dav_ext_methods PROPFIND PROPPATCH; }
--- user_files
>>> d/a
--- more_headers
Depth: 0
--- request eval
["PROPFIND /d/a\n<propfind xmlns='DAV:'><prop><getcontentlength/><x:y xmlns:x='u:&amp;\"'/></prop></propfind>",
 "PROPFIND /d/a\n<D:propfind xmlns:D='DAV:'><D:propname/></D:propfind>",
 "PROPPATCH /d/a\n<D:propertyupdate xmlns:D='DAV:'><D:set><D:prop><z xmlns='Z'>1</z></D:prop></D:set></D:propertyupdate>"]
--- error_code eval
[207, 207, 207]
--- response_body_like eval
["<D:getcontentlength>0</D:getcontentlength></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat><D:propstat><D:prop><y xmlns='u:&amp;\"'/></D:prop><D:status>HTTP/1.1 404",
 "<getetag xmlns=\"DAV:\"/>", "<z xmlns=\"Z\"/></D:prop><D:status>HTTP/1.1 403"]



=== XML that is none, or does too much, is refused
--- config
    location /d/ { dav_ext_methods PROPFIND LOCK; dav_ext_lock zone=w; }
--- http_config
    dav_ext_lock_zone zone=w:1m;
--- user_files
>>> d/a
--- more_headers
Depth: 0
--- request eval
["PROPFIND /d/a\n<!DOCTYPE a [<!ENTITY x 'y'>]><propfind xmlns='DAV:'/>",
 "PROPFIND /d/a\n<propfind xmlns='DAV:'>&x;</propfind>",
 "PROPFIND /d/a\n<propfind xmlns='DAV:'>",
 "PROPFIND /d/a\n<x:propfind/>",
 "PROPFIND /d/a\n<propfind xmlns:a='' xmlns='DAV:'/>",
 "PROPFIND /d/a\n" . ("<a>" x 40) . ("</a>" x 40),
 "PROPFIND /d/a\n<propfind xmlns='DAV:'>" . (" " x 70000) . "</propfind>",
 "LOCK /d/a\n<lockinfo xmlns='DAV:'><lockscope/></lockinfo>",
 "PROPFIND /d/a\n<lockinfo xmlns='DAV:'/>"]
--- error_code eval
[400, 400, 400, 400, 400, 400, 413, 400, 400]



=== who has not the token changes nothing
--- http_config
    dav_ext_lock_zone zone=w:1m timeout=10m;
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /d/ {
        dav_methods PUT DELETE MKCOL COPY MOVE;
        dav_ext_methods PROPFIND PROPPATCH LOCK UNLOCK;
        dav_ext_lock zone=w;
    }
    location = /t {
        content_by_lua_block {
            local lib = require "dav"
            local function dav(...) return lib.ask($TEST_NGINX_SERVER_PORT, ...) end
            local _, token, text = dav("LOCK", "/d/a", "Timeout: Second-33\r\n", lib.info("exclusive"))
            ngx.say(text:match("<D:owner>.-</D:timeout>"))
            local If = "If: (<" .. token .. ">)\r\n"
            ngx.say("others: ", table.concat({
                (dav("PUT", "/d/a", "", "x")), (dav("DELETE", "/d/a")), (dav("DELETE", "/d/")),
                (dav("MOVE", "/d/a", "Destination: /d/b\r\n")), (dav("COPY", "/d/c", "Destination: /d/a\r\n")),
                (dav("MOVE", "/d/c", "Destination: /d/a\r\n")), (dav("LOCK", "/d/a", "", lib.info("shared"))),
                (dav("LOCK", "/d/", "", lib.info("exclusive"))), (dav("PROPPATCH", "/d/a", "",
                     "<propertyupdate xmlns='DAV:'><set><prop><a/></prop></set></propertyupdate>")),
                (dav("COPY", "/d/a", "Destination: /d/b\r\n")), (dav("PUT", "/d/c", "", "x")) }, " "))
            ngx.say("conditions: ", table.concat({
                (dav("PUT", "/d/a", "If: (<urn:x>)\r\n", "x")), (dav("PUT", "/d/a", "If: (Not <urn:x>)\r\n", "x")),
                (dav("PUT", "/d/a", "If: (x\r\n", "x")), (dav("PUT", "/d/c", If, "x")),
                (dav("PUT", "/d/a", If, "x")), (dav("PUT", "/d/a", "If: <http://a/d/a> (<" .. token .. ">)\r\n", "x")),
                (dav("PUT", "/d/a", 'If: (["none"]) (<' .. token .. '>)\r\n', "x")) }, " "))
            ngx.say("refreshed: ", (select(3, dav("LOCK", "/d/a", If .. "Timeout: Infinite\r\n")):match("Second%-%d+")))
            ngx.say("told: ", select(3, dav("PROPFIND", "/d/a", "Depth: 0\r\n")):find(token, 1, true) ~= nil)
            ngx.say("ends: ", table.concat({
                (dav("UNLOCK", "/d/a", "Lock-Token: <urn:x>\r\n")), (dav("UNLOCK", "/d/c", "Lock-Token: <" .. token .. ">\r\n")),
                (dav("UNLOCK", "/d/a")), (dav("UNLOCK", "/d/a", "Lock-Token: <" .. token .. ">\r\n")),
                (dav("PUT", "/d/a", "", "x")) }, " "))
        }
    }
--- user_files
>>> d/a
>>> d/c
--- response_body
<D:owner><D:href>me&amp;</D:href></D:owner><D:timeout>Second-33</D:timeout>
others: 423 423 423 423 423 423 423 423 423 201 204
conditions: 412 423 400 412 204 204 204
refreshed: Second-600
told: true
ends: 409 409 400 204 204
--- error_log
"If" header



=== a lock of a folder is one of all in it; shared ones, and what goes
--- http_config
    dav_ext_lock_zone zone=w:1m;
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /d/ {
        dav_methods PUT DELETE MKCOL COPY MOVE;
        dav_ext_methods LOCK UNLOCK;
        dav_ext_lock zone=w;
    }
    location /same/ {
        alias $TEST_NGINX_HTML_DIR/d/;
        dav_methods PUT;
        dav_ext_lock zone=w;
    }
    location = /t {
        content_by_lua_block {
            local lib = require "dav"
            local function dav(...) return lib.ask($TEST_NGINX_SERVER_PORT, ...) end
            local function If(t) return "If: </d/sub/> (<" .. t .. ">)\r\n" end
            local s, t = dav("LOCK", "/d/sub/", "", lib.info("exclusive"))
            ngx.say(s, " ", (dav("PUT", "/d/sub/x", "", "x")), " ", (dav("PUT", "/d/sub/new", "", "x")), " ",
                    (dav("MKCOL", "/d/sub/f/")), " ", (dav("PUT", "/same/sub/x", "", "x")), " ",
                    (dav("PUT", "/d/subx", "", "x")), " ", (dav("PUT", "/d/sub/new", If(t), "x")))
            ngx.say((dav("DELETE", "/d/sub/", If(t))), " ", (dav("MKCOL", "/d/sub/")), " ", (dav("PUT", "/d/sub/x", "", "x")))
            local _, zero = dav("LOCK", "/d/sub/", "Depth: 0\r\n", lib.info("exclusive"))
            ngx.say((dav("PUT", "/d/sub/x", "", "y")), " ", (dav("PUT", "/d/sub/y", "", "y")), " ",
                    (dav("DELETE", "/d/sub/x")), " ", (dav("PUT", "/d/sub/y", If(zero), "y")))
            local a, one = dav("LOCK", "/d/none", "", lib.info("shared"))
            local b, two = dav("LOCK", "/d/none", "", lib.info("shared"))
            ngx.say(a, " ", b, " ", one ~= two, " ", (dav("PUT", "/d/none", "", "x")), " ",
                    (dav("PUT", "/d/none", "If: (<" .. two .. ">)\r\n", "x")), " ",
                    (dav("LOCK", "/d/no/where", "", lib.info("shared"))))
            -- A machine that is busy may take the second for the first PUT.
            ngx.update_time()
            local before = ngx.now()
            local taken = dav("LOCK", "/d/brief", "Timeout: Second-1\r\n", lib.info("exclusive"))
            local held, free = dav("PUT", "/d/brief", "", "x")
            ngx.update_time()
            ngx.say(taken, " ", held == "423" or ngx.now() - before >= 1 or held)
            for _ = 1, 200 do
                free = dav("PUT", "/d/brief", "", "x")
                if free ~= "423" then break end
                ngx.sleep(0.05)
            end
            ngx.say(free)
        }
    }
--- user_files
>>> d/sub/x
--- response_body
200 423 423 423 423 201 201
204 201 201
204 423 423 201
201 200 true 423 204 409
201 true
204



=== what is told of names and owners is XML, whatever they are
--- config
    location /d/ { dav_methods PUT; dav_ext_methods PROPFIND LOCK; dav_ext_lock zone=w; }
--- http_config
    dav_ext_lock_zone zone=w:1m;
--- user_files
>>> d/a
--- request eval
my $lock = "<lockinfo xmlns='DAV:'><lockscope><exclusive/></lockscope><locktype><write/></locktype>";
["LOCK /d/a\n$lock<owner><?x > &bogus; ?></owner></lockinfo>",
 "LOCK /d/b\n$lock<owner><x:y xmlns:x='u'>me</x:y> &lt; you</owner></lockinfo>",
 "PROPFIND /d/\n<propfind xmlns='DAV:'><prop><displayname/><" . ("n" x 4100) . "/></prop></propfind>",
 "PUT /d/%3C%26%01", "PROPFIND /d/\n<propfind xmlns='DAV:'><prop><displayname/></prop></propfind>"]
--- more_headers eval
["Depth: 0", "Depth: 0", "Depth: 1", "", "Depth: 1"]
--- error_code eval
[200, 201, 400, 201, 207]
--- response_body_like eval
["<D:owner></D:owner>", "<D:owner>me &lt; you</D:owner>", "400", "", "<D:href>/d/%3C&amp;%01</D:href><D:propstat><D:prop></D:prop>"]
--- skip_windows: no name has such letters



=== a listing tells of each member's own locks
--- http_config
    dav_ext_lock_zone zone=w:1m;
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
--- config
    location /d/ {
        dav_ext_methods LOCK PROPFIND;
        dav_ext_lock zone=w;
    }
    location = /t {
        content_by_lua_block {
            local lib = require "dav"
            local function dav(...) return lib.ask($TEST_NGINX_SERVER_PORT, ...) end
            local _, token = dav("LOCK", "/d/sub/x", "", lib.info("exclusive"))
            local function listing(uri)
                local _, _, text = dav("PROPFIND", uri, "Depth: 1\r\n")
                for one in text:gmatch("<D:response>.-</D:response>") do
                    ngx.say(one:match("<D:href>(.-)</D:href>"), " ",
                            one:find(token, 1, true) ~= nil)
                end
            end
            listing("/d/sub/")
            listing("/d/sub")
            listing("/d/sub/x")
        }
    }
--- user_files
>>> d/sub/x
x
--- response_body
/d/sub/ false
/d/sub/x true
/d/sub/ false
/d/sub/x true
/d/sub/x true


=== a reload keeps what is locked, and all workers know it
--- no_reload: what it locks would be locked already
--- http_config
    lua_package_path "$TEST_NGINX_ROOT_DIR/t/lib/?.lua;;";
    dav_ext_lock_zone zone=w:1m timeout=10m;
--- workers: 3
--- config
    location /d/ { dav_methods PUT; dav_ext_methods LOCK; dav_ext_lock zone=w; }
    location = /old { return 200 "old"; }
    location = /t {
        content_by_lua_block {
            local lib, reload = require "dav", require "reload"
            local function dav(...) return lib.ask($TEST_NGINX_SERVER_PORT, ...) end
            local _, token = dav("LOCK", "/d/a", "", lib.info("exclusive"))
            reload.with(function (text) return (text:gsub('200 "old"', '201 "new"')) end)
            reload.await(function () return dav("GET", "/old") == "201" end)
            local all = {}
            for i = 1, 20 do
                all[dav("PUT", "/d/a", "", "x")] = true
            end
            for status in pairs(all) do
                ngx.say(status)
            end
            ngx.say((dav("PUT", "/d/a", "If: (<" .. token .. ">)\r\n", "x")))
        }
    }
--- user_files
>>> d/a
--- response_body
423
204



=== a zone is declared once, and has a size
--- http_config
    dav_ext_lock_zone zone=w;
--- must_die
--- error_log
invalid zone "zone=w"



=== a zone that nobody declares
--- config
    location /d/ { dav_ext_lock zone=w; }
--- must_die
--- error_log
"w"
