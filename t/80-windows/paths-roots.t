# Where files lie: every form of a root, which Windows takes absolute and on its
# drive, while people see it as it was written.

__DATA__


=== a root with folders up and down in it
--- config
    location /y/ { root html/./x/..//; }
    location /t { root html/./x/..//; return 200 "$document_root $request_filename"; }
--- user_files
>>> x/none
>>> y/a.txt
found
--- pipelined_requests eval
["GET /y/a.txt", "GET /t"]
--- response_body_like eval
["^found\n", '^(/\S+)/html/\./x/\.\./ \1/html/\./x/\.\.//t$']



=== roots with variables: behind folders, first, and all of it
--- config
    set $top $document_root;
    location /a { root html/sites/$arg_x; }
    location /b { root $top/sites/one; }
    location /c { root $top$arg_x; }
    location /d { root $arg_x/sites; }
    location /e { root html/si$arg_x; }
--- user_files
>>> sites/one/a.txt
a
>>> sites/one/b.txt
b
>>> sites/c.txt
c
>>> sites/d.txt
d
>>> sites/e.txt
e
--- pipelined_requests eval
["GET /a.txt?x=one", "GET /a.txt?x=two", "GET /b.txt", "GET /c.txt?x=/sites",
 "GET /d.txt?x=html", "GET /e.txt?x=tes", "GET /e.txt?x=te"]
--- error_code eval
[200, 404, 200, 200, 200, 200, 404]



=== an alias may end within a name, behind a dot, or be one file
--- config
    location /pre { alias html/a.; }
    location /all/ { alias html/a.b/; }
    location ~ ^/one/(.*)$ { alias html/a.b/$1; }
    location ~ ^/fix/ { alias html/a.b/c.txt; }
    location /t { alias html/a.; return 200 "$request_filename"; }
--- user_files
>>> a.b/c.txt
found
--- pipelined_requests eval
["GET /preb/c.txt", "GET /all/c.txt", "GET /one/c.txt", "GET /fix/x", "GET /tb",
 "GET /pre/c.txt"]
--- error_code eval
[200, 200, 200, 200, 200, 404]
--- response_body_like eval
["found", "found", "found", "found",
 '^/\S+/html/a\.b$', "404"]



=== a drive, either slash, and none of either
--- config
    location /a/ { root "Z:$TEST_NGINX_SERVER_ROOT/html"; }
    location /b/ { root "Z:\\$TEST_NGINX_SERVER_ROOT\\html\\"; }
    location /c/ { root "$TEST_NGINX_SERVER_ROOT\\html"; }
    location /d/ { alias "Z:$TEST_NGINX_SERVER_ROOT\\html/a/"; }
    location /e/ { set $drive Z:; root $drive$TEST_NGINX_SERVER_ROOT/html/$arg_x; }
    location /t { root "Z:$TEST_NGINX_SERVER_ROOT\\html"; return 200 "$document_root"; }
--- user_files
>>> a/x.txt
a
>>> b/x.txt
b
>>> c/x.txt
c
>>> s/e/x.txt
e
--- skip_linux: no drives
--- pipelined_requests eval
["GET /a/x.txt", "GET /b/x.txt", "GET /c/x.txt", "GET /d/x.txt",
 "GET /e/x.txt?x=s", "GET /t"]
--- response_body_like eval
["^a", "^b", "^c", "^a", "^e", '^Z:/\S+\\\\html$']



=== whatever asks for files under a root finds them
--- config
    location /try/ { root html/x/..; try_files /try/none $uri/none.txt $uri =404; }
    location /dir/ { root html/x/..; index none one.txt; }
    location /list/ { root html/x/..; autoindex on; }
    location /gz/ { root html/x/..; gzip_static on; }
    location /links/ { root html/x/..; disable_symlinks on from=$document_root; }
    location /if/ {
        root html/x/..;
        if (-f $request_filename) { return 200 "file\n"; }
        if (-d $request_filename) { return 200 "folder\n"; }
        if (!-e $request_filename) { return 200 "none\n"; }
    }
--- user_files
>>> x/none
>>> try/a.txt
tried
>>> dir/one.txt
index
>>> list/name.txt
listed
>>> gz/a.txt
plain
>>> gz/a.txt.gz
packed
>>> links/a.txt
linked
>>> if/a.txt
if
>>> if/b/c.txt
c
--- pipelined_requests eval
["GET /try/a.txt", "GET /try/b.txt", "GET /dir/", "GET /list/", "GET /gz/a.txt",
 "GET /links/a.txt", "GET /if/a.txt", "GET /if/b", "GET /if/b/", "GET /if/c",
 "GET /dir"]
--- more_headers
Accept-Encoding: gzip
--- error_code eval
[200, 404, 200, 200, 200, 200, 200, 200, 200, 200, 301]
--- response_body_like eval
["tried", "404", "index", "name.txt.* 7\r\n", "packed", "linked", "file",
 "folder", "folder", "none", "301"]



=== a file that changes is seen, however its folder is written
--- config
    location /a/ { alias html/x/../; }
    location /b/ { alias $TEST_NGINX_SERVER_ROOT/html/; }
    location = /t {
        content_by_lua_block {
            local function get(uri)
                return ngx.location.capture(uri).body
            end
            local path = ngx.var.document_root .. "/f.txt"
            ngx.print(get("/a/f.txt"), get("/b/f.txt"), get("/f.txt"))
            local file = assert(io.open(path, "wb"))
            file:write("new content\n")
            file:close()
            ngx.print(get("/a/f.txt"), get("/b/f.txt"), get("/f.txt"))
            assert(os.rename(path, path .. ".old"))
            ngx.say(ngx.location.capture("/a/f.txt").status,
                    ngx.location.capture("/b/f.txt").status)
        }
    }
--- user_files
>>> x/none
>>> f.txt 202601021530.00
old
--- response_body
old
old
old
new content
new content
new content
404404
