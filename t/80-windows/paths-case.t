# Locations ignore case where the file system does.

__DATA__


=== a denied folder is denied in any case
--- config
    location /secret/ {
        deny all;
    }
    location = /exact {
        return 204;
    }
    location ~ \.inc$ {
        return 410;
    }
--- user_files
>>> secret/file
file
>>> a.inc
code
--- skip_linux: case matters
--- pipelined_requests eval
["GET /secret/file", "GET /SECRET/file", "GET /Secret/FILE",
 "GET /sEcReT%5Cfile", "GET /EXACT", "GET /a.INC", "GET /A.inc"]
--- error_code eval
[403, 403, 403, 403, 204, 410, 410]



=== a dot behind a folder's name is dropped, two are not
--- config
    location /directory/ {
        return 204;
    }
--- user_files
>>> directory/file
file
--- skip_linux: any name with dots is one of its own
--- pipelined_requests eval
["GET /directory/", "GET /Directory/", "GET /directory./",
 "GET /directory./file", "GET /directory.%2ffile", "GET /directory%2e%5cfile",
 "GET /directory../", "GET /directory../file", "GET /directory%20/",
 "GET /directory.../", "GET /x/../DIRECTORY./"]
--- error_code eval
[204, 204, 204, 204, 204, 204, 404, 404, 404, 404, 204]



=== two dots are a folder up only when they stand alone
--- config
    location = / {
        return 201;
    }
    location /d {
        return 202;
    }
    location /directory/ {
        return 204;
    }
--- pipelined_requests eval
["GET /directory/..", "GET /directory../", "GET /directory../file",
 "GET /directory/../directory/", "GET /directory/...", "GET /.."]
--- error_code eval
[201, 202, 202, 204, 204, 400]
--- more_headers
Connection: keep-alive



=== locations, variables and files see one spelling
--- config
    location = /file {
        return 200 "$uri $request_uri\n";
    }
    location ~ \.lua$ {
        return 200 "$uri $document_root$uri\n";
    }
--- skip_linux: any name with dots is one of its own
--- pipelined_requests eval
["GET /file", "GET /FILE", "GET /file.", "GET /file..",
 "GET /file%20.%20.", "GET /x.lua.", "GET /d./x.LUA%20?a", "GET /x.lua%5c"]
--- response_body_like eval
["^/file /file\$", "^/FILE /FILE\$", "^/file /file\\.\$",
 "^/file /file\\.\\.\$", "^/file /file%20\\.%20\\.\$",
 "^/x.lua .*html/x.lua\$", "^/d/x.LUA .*html/d/x.LUA\$",
 "^/x.lua .*/x.lua\$"]



=== a stream's type is a bad request wherever it stands
--- config
    return 204;
--- skip_linux: any Linux file may be called so
--- request eval
["GET /directory::\$index_allocation/",
 "GET /directory:\$i30:\$index_allocation./",
 "GET /directory.::%24index_allocation/", "GET /file::\$data..",
 "GET /a%3a\$b"]
--- error_code eval
[400, 400, 400, 400, 400]
--- error_log
client sent unsafe win32 URI



=== a folder's name with a backslash at its end is sent to the one with a slash
--- config
--- user_files
>>> dir/index.html
index
--- skip_linux: a backslash is a letter
--- pipelined_requests eval
["GET /dir", "GET /dir%5C", "GET /dir.%5C", "GET /dir/%5C"]
--- error_code eval
[301, 301, 301, 200]



=== what goes on under another name is no way around a location
--- config
    location /dir/ {
        deny all;
    }
    location /rewrite {
        rewrite ^ /$arg_f last;
    }
    location /set {
        rewrite_by_lua_block { ngx.req.set_uri("/" .. ngx.var.arg_f, true) }
    }
    location /exec {
        content_by_lua_block { ngx.exec("/" .. ngx.var.arg_f) }
    }
    error_page 410 =200 /$arg_f;
    location /gone {
        return 410;
    }
--- user_files
>>> dir/file
file
--- skip_linux: a backslash is a letter
--- pipelined_requests eval
["GET /rewrite?f=dir\\file", "GET /rewrite?f=dir./file", "GET /set?f=DIR\\file",
 "GET /set?f=x\\..\\dir\\file", "GET /exec?f=dir\\file",
 "GET /exec?f=dir./file", "GET /gone?f=dir\\file", "GET /gone?f=dir/file."]
--- error_code eval
[403, 404, 403, 404, 403, 404, 403, 403]



=== files are served in any case
--- config
--- user_files
>>> Folder/File.TXT
text
--- skip_linux: case matters
--- pipelined_requests eval
["GET /Folder/File.TXT", "GET /folder/file.txt", "GET /FOLDER/FILE.TXT"]
--- error_code eval
[200, 200, 200]



=== a folder with letters of any alphabet is denied in any case
--- config
    location /été/ {
        deny all;
    }
    location = /ПАРОЛИ {
        return 410;
    }
    location ~ /straße\.ÄÖ$ {
        return 411;
    }
    location /Ő/ {
        location /ő/inner {
            return 204;
        }
        alias html/été/;
    }
--- user_files
>>> été/ü
file
--- skip_linux: case matters
--- pipelined_requests eval
["GET /%C3%A9t%C3%A9/%C3%BC", "GET /%C3%89T%C3%89/%C3%BC",
 "GET /%C3%A9T%C3%89/%C3%9C", "GET /%D0%BF%D0%B0%D1%80%D0%BE%D0%BB%D0%B8",
 "GET /x/STRA%C3%9Fe.%C3%A4%C3%B6", "GET /stra%C3%9Fe.%C3%84%C3%B6",
 "GET /%C5%91/%C3%9C", "GET /%C5%91/INNER",
 "GET /%C5%90/%C3%BC", "GET /%FF/stra%C3%9Fe.%C3%84%C3%B6", "GET /%C3/%A9"]
--- error_code eval
[403, 403, 403, 410, 411, 411, 200, 204, 200, 411, 404]
