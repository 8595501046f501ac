__DATA__


=== folders first, names in order, hidden ones not at all
--- config
    location /l1/ { autoindex on; }
--- user_files
>>> l1/b.txt 202601021530.00
12345
>>> l1/a.txt 202601021530.00
>>> l1/z/x
>>> l1/.hidden
--- request
GET /l1/
--- response_headers
Content-Type: text/html
--- response_body_like: (?s)Index of /l1/.*<a href="../">../</a>\r\n<a href="z/">z/</a>.*<a href="a.txt">a.txt</a> +02-Jan-2026 15:30 +0\r\n<a href="b.txt">b.txt</a> +02-Jan-2026 15:30 +6\r\n
--- response_body_unlike: hidden



=== off is the default
--- config
--- user_files
>>> l2/a
--- request
GET /l2/
--- error_code: 403



=== an index file comes first
--- config
    location /l3/ { autoindex on; }
--- user_files
>>> l3/index.html
index
--- request
GET /l3/
--- response_body
index



=== names are escaped for links and for pages
--- config
    location /l4/ { autoindex on; }
--- user_files eval
[["l4/a b&c.txt", ""]]
--- request
GET /l4/
--- response_body_like: <a href="a%20b%26c.txt">a b&amp;c.txt</a>



=== sizes in round numbers
--- config
    location /l5/ { autoindex on; autoindex_exact_size off; }
--- user_files eval
[["l5/a", "x" x 20480], ["l5/b", "x" x 100], ["l5/c", "x" x 1572864]]
--- request
GET /l5/
--- response_body_like: (?s)>a</a>.*:.. {5}20K\r\n.*>b</a>.*:.. {5}100\r\n.*>c</a>.*:.. {6}2M\r\n



=== a folder that is not there
--- config
    location /l6/ { autoindex on; }
--- request
GET /l6/
--- error_code: 404



=== markup in names, and a link that leads nowhere
--- skip_windows: no such names
--- config
    location /t/ { autoindex on; alias $TEST_NGINX_HTML_DIR/d/; }
    location = /make {
        content_by_lua_block {
            local at = "$TEST_NGINX_HTML_DIR/d/"
            os.execute("mkdir -p " .. at .. " && cd " .. at .. " && touch '<b>' '&' '\"' 'a>b' && ln -s nowhere link")
            ngx.say("made")
        }
    }
--- request eval
["GET /make", "GET /t/"]
--- response_body_like eval
["made", qr|<a href="%22">&quot;</a> .*<a href="%26">&amp;</a> .*<a href="%3Cb%3E">&lt;b&gt;</a> .*<a href="a%3Eb">a&gt;b</a> .*<a href="link">link</a> |s]



=== for programs: json
--- config
    location /j/ { autoindex on; autoindex_format json; }
--- user_files eval
[["j/a\"b.txt", "12345"], ["j/z/x", ""]]
--- skip_windows: no quotes in names
--- request
GET /j/
--- response_headers
Content-Type: application/json
--- response_body_like eval
qr/^\[\r\n\{ "name":"z", "type":"directory", "mtime":"[^"]+ GMT" \},\r\n\{ "name":"a\\"b\.txt", "type":"file", "mtime":"[^"]+ GMT", "size":5 \}\r\n\]$/



=== for pages: jsonp, with the function that the page names
--- config
    location /jp/ { autoindex on; autoindex_format jsonp; }
--- user_files
>>> jp/a
1
--- request
GET /jp/?callback=take
--- response_headers
Content-Type: application/javascript
--- response_body_like eval
qr/^\/\* callback \*\/\r\ntake\(\[\r\n\{ "name":"a", .*"size":2 \}\r\n\]\);$/



=== a function whose name is none
--- config
    location /jp/ { autoindex on; autoindex_format jsonp; }
--- user_files
>>> jp/a
1
--- request eval
["GET /jp/?callback=alert(1)", "GET /jp/?callback=" . ("x" x 129),
 "GET /jp/?callback=" . ("x" x 128), "GET /jp/?callback=\$.a_1.B"]
--- error_code eval
[400, 400, 200, 400]



=== what is wrong with it is in the log
--- config
    location /jp/ { autoindex on; autoindex_format jsonp; }
--- user_files
>>> jp/a
1
--- request
GET /jp/?callback=alert(1)
--- error_code: 400
--- log_level: info
--- error_log
client sent invalid callback name: "alert(1)"



=== jsonp without a function is json
--- config
    location /jn/ { autoindex on; autoindex_format jsonp; }
--- user_files
>>> jn/a
1
--- request
GET /jn/?callback=
--- response_headers
Content-Type: application/json
--- response_body_like eval
qr/^\[\r\n/



=== for programs: xml
--- config
    location /x/ { autoindex on; autoindex_format xml; }
--- user_files
>>> x/a&b 202601021530.07
12345
>>> x/z/y
--- request
GET /x/
--- response_headers
Content-Type: text/xml; charset=utf-8
--- response_body_like eval
qr/^<\?xml version="1\.0"\?>\r\n<list>\r\n<directory mtime="[^"]+Z">z<\/directory>\r\n<file mtime="2026-01-02T15:30:07Z" size="6">a&amp;b<\/file>\r\n<\/list>\r\n$/



=== a long name is cut by characters
--- config
    location /long/ { autoindex on; }
--- user_files eval
[["long/" . "\xd1\x84" x 51, ""], ["long/" . "b" x 50, ""]]
--- request
GET /long/
--- response_body_like eval
qr/>b{50}<\/a> .*>(\xd1\x84){47}\.\.&gt;<\/a> /s
