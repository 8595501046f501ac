-- lunette/spec/conf.lua -- the nginx.conf of a block, and its folder
--
-- The file that harnesses of nginx generate, in their order, so that what
-- works there works here and what they rely on is exercised: `events` after
-- `http`, units like 68000ms, temp paths of modules that may not exist. Its
-- lines count as theirs do: http_config begins in line 25 and config in line
-- 39, which specs have in the texts they expect of the error log.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local stream = require "lunette.spec.stream"

local error, tonumber, tostring = error, tonumber, tostring

local _M = {}

local INDEX = "<html><head><title>It works!</title></head>"
              .. "<body>It works!</body></html>"

-- $NAME is a field of the table that conf.text fills.
local TEMPLATE = [[
worker_processes  $workers;
daemon off;
master_process $master;
error_log $error_log $log_level;
pid $root/logs/nginx.pid;
$env
$globals
$main_config
$stream
http {
    access_log $root/logs/access.log;$coverage

    # Folders of the server's own, unless the block names them.
    $client_body_temp
    $proxy_temp
    $fastcgi_temp
    $uwsgi_temp
    $scgi_temp

    default_type text/plain;
    keepalive_timeout  68000ms;


    # --- http_config
$http_config

    server {
        listen          $port$protocol
        server_name     '$server_name';

        client_max_body_size 30M;

        # The preamble's part.
$preamble
        # The preamble ends.


        # --- config
$config

$root_location
    }
$version
}

$post_main_config

events {
    accept_mutex off;
    worker_connections  $connections;
$event_type
}
$user
]]

-- As Test::Nginx has it: how the server waits for events.
local EVENT_TYPE = os.getenv("TEST_NGINX_EVENT_TYPE")

local ROOT_LOCATION = [[
        location / {
            root $root/html;
            index index.html index.htm;
        }
]]

-- Tells the generations apart when the server reloads for each block.
local VERSION = [[
    server {
        listen          $port;
        server_name     'Test-Nginx';

        location = /ver {
            access_log off;
            return 200 '$version';
        }
    }
]]

-- Whether the block's client shakes hands with the runner's own port.
function _M.speaks_tls(block)
    return block:text("http2") == "tls" or block:has("http3")
end

local function fill(template, fields)
    return (template:gsub("%$([%a_]+)", function (name)
        return tostring(fields[name] or "")
    end))
end

-- What the runner's own `listen` says, and the server beside it.
local function protocol_of(block)
    if block:has("http3") then
        return " quic;"
    elseif _M.speaks_tls(block) then
        return " ssl; http2 on;"
    elseif block:has("http2") or block:has("http2_frames") then
        return "; http2 on;"
    end
    return ";"
end

local function env_lines(settings)
    local lines = {}

    for _, item in ipairs(settings.env) do
        lines[#lines + 1] = item:find("%s") and "env '" .. item .. "';"
                            or "env " .. item .. ";"
    end
    return table.concat(lines, "\n")
end

local TEMP_PATHS = { "client_body_temp", "proxy_temp", "fastcgi_temp",
                     "uwsgi_temp", "scgi_temp" }

-- Each may be said only once on a level.
local function set_temp_paths(fields)
    local taken = fields.http_config or ""

    for _, name in ipairs(TEMP_PATHS) do
        if not taken:find(name .. "_path", 1, true) then
            fields[name] = name .. "_path " .. fields.root .. "/" .. name
                           .. ";"
        end
    end
end

local function quoted_name(name)
    return (name:gsub("\\", "\\\\"):gsub("'", "\\'"))
end

-- The text, for a block that has a config. `version`: only when reloading.
function _M.text(block, settings, job, version)
    local fields = {
        workers = block:text("workers") or settings.workers or job.workers,
        master = (block:has("master_on") or version) and "on"
                 or settings.master or job.master,
        error_log = block:text("error_log_file")
                    or job.root .. "/logs/error.log",
        log_level = block:text("log_level") or settings.log_level or "debug",
        root = job.root, port = job.port, globals = job.globals,
        env = env_lines(settings),
        main_config = block:text("main_config"),
        stream = stream.text(block, job), coverage = job.coverage,
        http_config = block:text("http_config"),
        config = block:text("config"),
        post_main_config = block:text("post_main_config"),
        preamble = settings.config_preamble,
        protocol = protocol_of(block),
        server_name = quoted_name(block:text("server_name")
                                  or settings.server_name or "localhost"),
        connections = settings.worker_connections or 64,
        event_type = EVENT_TYPE and "    use " .. EVENT_TYPE .. ";" or "",
        user = job.as_root and "user root;" or "",
    }

    if tonumber(fields.workers) and tonumber(fields.workers) > 1 then
        fields.master = "on"
    end
    set_temp_paths(fields)
    if not settings.no_root_location then
        fields.root_location = fill(ROOT_LOCATION, fields)
    end
    if version then
        fields.version = fill(VERSION, { port = job.port, version = version })
    end
    return fill(TEMPLATE, fields)
end

-- --- the folder ---

-- "199801171935.33", in GMT, as seconds since 1970.
local function seconds_of(date)
    local year, month, day, hour, minute, rest =
        date:match("^(%d%d%d%d)(%d%d)(%d%d)(%d%d)(%d%d)(.*)$")
    local second = rest and (rest:match("^%.(%d+)$") or rest == "" and 0)
    local days

    if not second then
        error("--- user_files: not a date: " .. date, 0)
    end
    -- Years that begin in March end with the leap day.
    year, month = tonumber(year), tonumber(month)
    if month < 3 then
        year, month = year - 1, month + 12
    end
    days = 365 * year + math.floor(year / 4) - math.floor(year / 100)
           + math.floor(year / 400) + math.floor((153 * month - 457) / 5)
           + tonumber(day) - 719469
    return days * 86400 + hour * 3600 + minute * 60 + second
end

local function parse_files(text)
    local files, file = {}, nil

    for line in text:gmatch("[^\n]*\n?") do
        local name, date = line:match(">>> (%S+)[ \t]*(%S*)")
        if name then
            file = { name = name, text = "",
                     date = date ~= "" and seconds_of(date) or nil }
            files[#files + 1] = file
        elseif file then
            file.text = file.text .. line
        end
    end
    return files
end

local function listed_files(value)
    local files = {}

    for i = 1, value.n do
        local item = value[i]
        if type(item) ~= "table" or item.kind ~= "array" then
            error("--- user_files: each must be [name, text, date]", 0)
        end
        files[i] = { name = item[1], text = item[2] or "",
                     date = item[3] and seconds_of(item[3]) }
    end
    return files
end

-- { name, text, date } of each file of the block; relative names are below
-- html/.
function _M.files(block)
    local value = block:value("user_files")

    if value == nil then
        return {}
    end
    return type(value) == "string" and parse_files(value)
           or listed_files(value)
end

local function must(ok, err)
    if not ok then
        error(err, 0)
    end
end

function _M.write_files(block, job)
    for _, file in ipairs(_M.files(block)) do
        local path = file.name:find("^/") and file.name
                     or job.root .. "/html/" .. file.name
        must(io.make_dir(path:match("^(.*)/")))
        must(io.write(path, file.text))
        if file.date then
            must(io.date(path, file.date))
        end
    end
end

-- A clean prefix: what a test leaves must not reach the next one. Just
-- after a server's end Windows may still hold a file: try for a while.
function _M.make_folder(job)
    local deadline = io.now() + 5000
    local ok, err = io.remove(job.root)

    while not ok and io.now() < deadline do
        io.sleep(20)
        ok, err = io.remove(job.root)
    end
    must(ok, err)
    must(io.make_dir(job.root .. "/logs"))
    must(io.make_dir(job.root .. "/html"))
    must(io.make_dir(job.root .. "/conf"))
    must(io.write(job.root .. "/html/index.html", INDEX))
end

-- What of a running server's folder it has itself, beside sockets and folders
-- for temporary files: by folder.
local ITS_OWN = {
    [""] = { logs = true, conf = true, html = true },
    ["/logs"] = { ["error.log"] = true, ["access.log"] = true,
                  ["nginx.pid"] = true },
    ["/conf"] = { ["nginx.conf"] = true },
    ["/html"] = {},
}

-- The folder of a server that runs on, without the files of the block before.
function _M.clean_folder(job)
    for folder, own in pairs(ITS_OWN) do
        local path = job.root .. folder
        for _, name in ipairs(io.list(path) or {}) do
            if not own[name] and not name:find("%.sock$")
               and not name:find("_temp$")
            then
                must(io.remove(path .. "/" .. name))
            end
        end
    end
    must(io.make_dir(job.root .. "/html"))
    must(io.write(job.root .. "/html/index.html", INDEX))
end

function _M.write(text, job)
    must(io.write(job.root .. "/conf/nginx.conf", text))
end

return _M
