-- lunette/site.lua -- `lunette init`: a folder to begin with
--
-- A configuration that explains itself, and what it serves. Nothing that is
-- there is written over.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local stubs = require "lunette.stubs"

base.cdef [[
int lun_ffi_make_dir(const char *path);
int lun_ffi_make_cert(const char *cert_path, const char *key_path);
]]

local C = ffi.C
local open, stdout, stderr = io.open, io.stdout, io.stderr

local _M = {}

-- Where the API's types go, for editors.
local TYPES = "types"

local usage = [[
Usage: lunette init [--static | --proxy URL | --lua | --php] [--tls] [DIR]

Writes a first configuration and what it serves into DIR (here, unless given):

  --static      files from html/ (what it does unless told otherwise)
  --proxy URL   a proxy before the server at URL, with balancing to grow into
  --lua         handlers in Lua, with a counter that all workers share, and the
                API's types for editors
  --php         PHP, by php-cgi processes that the server starts and keeps
  --tls         on port 8443 as well, with a certificate for this machine, and
                HTTP/3 there

Files that are there are never written over.
]]

local head = [[
# Read from top to bottom.  After a change:
#
#     lunette -p DIR -c conf/nginx.conf -t           is it good?
#     lunette -p DIR -c conf/nginx.conf -s reload    take it; requests go on

worker_processes auto;
error_log logs/error.log notice;
pid logs/lunette.pid;           # by which -s finds this one

events {
    worker_connections 10000;
}

http {
    include mime.types;
    default_type application/octet-stream;

    # Turned over by the server itself: 100 MB a file, seven of them.
    access_log logs/access.log combined rotate=100m keep=7;
]]

-- In the server of each kind: what an application hides is nobody's, either.
local hidden = [[

        # .htaccess, .git and their like are nobody's.
        location ~ /\.(?!well-known/) {
            return 404;
        }
]]

-- In that of each kind, too: the server itself.
local status = [[

        # What the server says of itself, for who is on this machine.
        location = /status {
            access_log off;
            allow 127.0.0.1;
            allow ::1;
            deny all;
            status_page;
        }
]]

-- Behind the first listen: a certificate that is in this folder.
local tls = [[
        listen 8443 ssl;
        listen 8443 quic;                   # HTTP/3
        http2 on;
        ssl_certificate localhost.crt;      # of `lunette init --tls`: for a
        ssl_certificate_key localhost.key;  # public name, see acme_certificate
]]

local page = [[
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>It serves</title>
<h1>It serves</h1>
<p>This is <code>html/index.html</code>.</p>
]]

local kinds = {
    static = {
        conf = head .. [[

    server {
        listen 8080;
        server_name localhost;

        root html;
        index index.html;

        location / {
            try_files $uri $uri/ =404;
        }
@hidden@
        # What has its version in its name may be kept.
        location /assets/ {
            expires 30d;
        }
    }
}
]],
        files = { ["html/index.html"] = page },
    },

    proxy = {
        conf = head .. [[

    # What a WebSocket asks for is passed on; for all others the connection to
    # the application stays open.
    map $http_upgrade $connection_upgrade {
        default upgrade;
        ""      "";
    }

    # More lines here, and requests are spread over them.
    upstream application {
        server @upstream@;
        keepalive 32;
    }

    server {
        listen 8080;
        server_name localhost;

        location / {
            proxy_pass @scheme@://application;
            proxy_http_version 1.1;

            # What the application sees of the client.
            proxy_set_header Host $host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
        }

        error_page 502 504 /down.html;

        location = /down.html {
            internal;
            root html;
        }
@hidden@    }
}
]],
        files = {
            ["html/down.html"] = page:gsub("It serves", "It is down")
                :gsub("index", "down"),
        },
    },

    lua = {
        conf = head .. [[

    # Handlers lie in app/.  A change is taken as soon as it is saved; "on"
    # instead of "watch": with the next reload.
    lua_package_path "$prefix/app/?.lua;;";
    lua_code_cache watch;

    # What one worker writes, every other sees at once; a reload keeps it.
    lua_shared_dict counters 1m;

    server {
        listen 8080;
        server_name localhost;

        root html;
        index index.html;

        location = /hello {
            default_type text/plain;
            content_by_lua_block { require("hello").answer() }
        }
@hidden@    }
}
]],
        files = {
            ["html/index.html"] = page,
            ["app/hello.lua"] = [[
local counters = ngx.shared.counters

local _M = {}

function _M.answer()
    local count = counters:incr("hello", 1, 0)

    ngx.say("Hello, this is visit ", count, ", answered by worker ",
            ngx.worker.id())
end

return _M
]],
        },
    },
}

-- Where there are drives, PHP is unpacked; elsewhere it is in the path.
local PHP = package.config:sub(1, 1) == "\\" and "C:/php/php-cgi.exe"
            or "php-cgi"

kinds.php = {
    conf = head .. [[

    # The server starts these, and starts anew what ends.
    upstream php {
        program "@php@" count=4 max_requests=500;
    }

    server {
        listen 8080;
        server_name localhost;

        root html;
        index index.php index.html;
        client_max_body_size 64m;

        location / {
            try_files $uri $uri/ /index.php?$args;
        }
@hidden@
        location ~ \.php$ {
            try_files $uri =404;
            include fastcgi.conf;
            fastcgi_pass php;
        }
    }
}
]],
    files = {
        ["html/index.php"] = [[
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>It serves</title>
<h1>It serves PHP <?= PHP_VERSION ?></h1>
<p>This is <code>html/index.php</code>.</p>
]],
        ["conf/fastcgi.conf"] = [[
fastcgi_param SCRIPT_FILENAME   $document_root$fastcgi_script_name;
fastcgi_param QUERY_STRING      $query_string;
fastcgi_param REQUEST_METHOD    $request_method;
fastcgi_param CONTENT_TYPE      $content_type;
fastcgi_param CONTENT_LENGTH    $content_length;
fastcgi_param SCRIPT_NAME       $fastcgi_script_name;
fastcgi_param REQUEST_URI       $request_uri;
fastcgi_param DOCUMENT_URI      $document_uri;
fastcgi_param DOCUMENT_ROOT     $document_root;
fastcgi_param SERVER_PROTOCOL   $server_protocol;
fastcgi_param REQUEST_SCHEME    $scheme;
fastcgi_param HTTPS             $https if_not_empty;
fastcgi_param GATEWAY_INTERFACE CGI/1.1;
fastcgi_param SERVER_SOFTWARE   nginx/$nginx_version;
fastcgi_param REMOTE_ADDR       $remote_addr;
fastcgi_param REMOTE_PORT       $remote_port;
fastcgi_param SERVER_ADDR       $server_addr;
fastcgi_param SERVER_PORT       $server_port;
fastcgi_param SERVER_NAME       $server_name;

# php-cgi answers nobody who does not say so.
fastcgi_param REDIRECT_STATUS   200;
]],
    },
}

-- The few types that every site needs; nginx's whole file is as good.
local types = [[
types {
    text/html                html htm;
    text/css                 css;
    text/javascript          js mjs;
    text/plain               txt;
    application/json         json map;
    application/manifest+json webmanifest;
    application/pdf          pdf;
    application/wasm         wasm;
    application/xml          xml;
    application/zip          zip;
    font/woff2               woff2;
    image/avif               avif;
    image/gif                gif;
    image/jpeg               jpg jpeg;
    image/png                png;
    image/svg+xml            svg;
    image/vnd.microsoft.icon ico;
    image/webp               webp;
    video/mp4                mp4;
}
]]

-- What configurations include, for other commands that write some.
function _M.shared()
    local name = "conf/fastcgi.conf"

    return { ["conf/mime.types"] = types, [name] = kinds.php.files[name] }
end

-- What the words ask for, or nil and what is wrong with them.
local function read_options(args)
    local options = { kind = "static" }
    local i, kinds_said = 1, 0

    while i <= #args do
        local word = args[i]

        if word == "--proxy" then
            i = i + 1
            options.kind, options.url = "proxy", args[i]
            if not args[i] then
                return nil, "--proxy needs the URL of a server"
            end
            kinds_said = kinds_said + 1
        elseif word == "--static" or word == "--lua" or word == "--php" then
            options.kind = word:sub(3)
            kinds_said = kinds_said + 1
        elseif word == "--tls" then
            options.tls = true
        elseif word:find "^%-" then
            return nil, "unknown option " .. word
        elseif options.dir then
            return nil, "one folder is enough"
        else
            options.dir = word
        end
        i = i + 1
    end
    if kinds_said > 1 then
        return nil, "one kind is enough"
    end
    return options
end

-- "http://127.0.0.1:3000/" as scheme and address; or nil and what is wrong. A
-- name alone may as well be the folder.
local function parts_of(url)
    local scheme, address, path = url:match "^(%a+)://([^/?#]*)(.*)$"

    if not scheme then
        scheme, address, path = "http", url, ""
        if not url:find ":%d+$" and not url:find "%.%w" then
            return nil, "is no URL: http://127.0.0.1:3000, say"
        end
    end
    scheme = scheme:lower()
    if scheme ~= "http" and scheme ~= "https" then
        return nil, "begins with neither http:// nor https://"
    elseif not address:find "^[%w%.%-_]+:?%d*$"
           and not address:find "^%[[%x:%.]+%]:?%d*$" then
        return nil, "has no server: http://127.0.0.1:3000, say"
    elseif path ~= "" and path ~= "/" then
        return nil, 'has a path; the proxy passes on each as it is: take "'
                    .. path .. '" off, and say it in a location'
    end
    if scheme == "https" and not address:find ":%d+$" then
        address = address .. ":443"
    end
    return scheme, address
end

-- What an editor asks for.
local function add_types(files)
    files[".luarc.json"] = stubs.settings(TYPES)

    for name, text in pairs(stubs.files()) do
        files[TYPES .. "/" .. name] = text
    end
end

local function files_of(options)
    local kind = kinds[options.kind]
    local files = { ["conf/mime.types"] = types }
    local conf = kind.conf

    if options.url then
        local scheme, address = parts_of(options.url)

        if not scheme then
            return nil, ('"%s" %s'):format(options.url, address)
        end
        conf = conf:gsub("@(%w+)@", { upstream = address, scheme = scheme })
    end
    if options.kind == "lua" then
        add_types(files)
    end
    conf = conf:gsub("@hidden@", function () return hidden .. status end)
    if options.tls then
        conf = conf:gsub("        listen 8080;\n", "%0" .. tls)
    end
    files["conf/nginx.conf"] = conf:gsub("@php@", PHP)
    for name, text in pairs(kind.files) do
        files[name] = text
    end
    return files
end

local function sorted(files)
    local names = {}

    for name in pairs(files) do
        names[#names + 1] = name
    end
    table.sort(names)
    return names
end

-- With those above it; fine when it is there.
local function make_dir(path)
    if C.lun_ffi_make_dir(path) ~= 0 then
        error("no folder " .. path .. " can be made", 0)
    end
end

local function is_there(path)
    local file = open(path)

    return file and file:close()
end

local CERT, KEY = "conf/localhost.crt", "conf/localhost.key"

local function make_certificate(dir)
    local cert, key = dir .. "/" .. CERT, dir .. "/" .. KEY

    if C.lun_ffi_make_cert(cert, key) ~= 0 then
        return nil, "no certificate can be made in " .. dir .. "/conf"
    end
    stdout:write("    ", cert, "\n    ", key, "\n")
    return true
end

local function is_type(name)
    return name:find("^" .. TYPES .. "/") ~= nil
end

-- All of them, or none.
local function write(dir, files, with_certificate)
    local names = sorted(files)
    local new = with_certificate and { CERT, KEY, unpack(names) } or names

    for _, name in ipairs(new) do
        if is_there(dir .. "/" .. name) then
            return nil, dir .. "/" .. name
                        .. " is there already; nothing was written"
        end
    end

    make_dir(dir .. "/logs")
    for _, name in ipairs(names) do
        local path = dir .. "/" .. name

        make_dir(path:match "^(.*)/")
        local file = assert(open(path, "wb"))
        assert(file:write(files[name]))
        assert(file:close())
        if not is_type(name) then
            stdout:write("    ", path, "\n")
        end
    end
    if is_type(names[#names]) then
        stdout:write("    ", dir, "/", TYPES, "/\n")
    end
    return not with_certificate or make_certificate(dir)
end

local function fail(why)
    stderr:write("lunette: ", why, "\n")
    return 1
end

-- The exit status.
function _M.main(args)
    if args[1] == "-h" or args[1] == "--help" then
        stdout:write(usage)
        return 0
    end

    local options, why = read_options(args)

    if not options then
        stderr:write("lunette: ", why, "\n", usage)
        return 1
    end

    local dir = options.dir or "."
    local files, wrong = files_of(options)

    if not files then
        return fail(wrong)
    end

    local done, problem = write(dir, files, options.tls)

    if not done then
        return fail(problem)
    end
    stdout:write("\nNext:\n\n    lunette -p ", dir, " -c conf/nginx.conf\n",
                 "    http://localhost:8080/\n",
                 options.tls and "    https://localhost:8443/\n" or "")
    return 0
end

return _M
