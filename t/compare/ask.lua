-- Puts tables of questions to two servers, and prints where their answers
-- differ; `t/compare/ask` starts it.  A table is a configuration and lines,
-- each a request; a row of its module's documentation is one line or more.
--
-- The servers are started one after the other on the same ports, in the same
-- folder, so that what they say is the same byte for byte: answers, a line of
-- the access log with what variables say, lines of the error log.  What no two
-- runs have in common (dates, numbers of processes and connections) is cut out.
--
-- SPDX-License-Identifier: BSD-2-Clause

local TOP, REF, OURS = arg[1], arg[2], arg[3]
local DIR = TOP .. "/build/ask"
local PORT, ORIGIN, GATE = 28080, 28090, 28094
local KNOWN = TOP .. "/t/compare/known-answers"

local LOG = "$http_x_q|$remote_addr|$remote_user|$request|$status|$bytes_sent|"
    .. "$body_bytes_sent|$request_length|$http_referer|$server_name|"
    .. "$server_port|$uri|$args|$document_uri|$request_method|$scheme|$host|"
    .. "$content_type|$content_length|$sent_http_content_type|"
    .. "$sent_http_content_length|$sent_http_location|$request_completion|"
    .. "$server_protocol|$upstream_addr|$upstream_status|"
    .. "$upstream_response_length|$upstream_bytes_received|"
    .. "$upstream_bytes_sent|$upstream_cache_status|$limit_rate|"
    .. "$request_filename|$document_root|$is_args|$https"

local NAMES = {}
for name in LOG:gmatch("[^|]+") do NAMES[#NAMES + 1] = name end

local function run(command)
    local p = io.popen("{ " .. command .. "\n} 2>&1")
    local text = p:read("*a")
    p:close()
    return text
end

local function read(name)
    local f = io.open(name, "rb")
    if not f then return "" end
    local text = f:read("*a")
    f:close()
    return text
end

local function write(name, text)
    run("mkdir -p '" .. name:match("^(.*)/") .. "'")
    local f = assert(io.open(name, "wb"))
    f:write(text)
    f:close()
end

local ESCAPES = { r = "\r", n = "\n", t = "\t", ["0"] = "\0", ["\\"] = "\\" }

local function unescape(text)
    text = text:gsub("\\x(%x%x)", function (h)
        return string.char(tonumber(h, 16))
    end)
    return (text:gsub("\\([rnt0\\])", ESCAPES))
end

-- A file of tables: "=== title", under it sections "--- name" and their text.
local function parse(name)
    local tables, t, section = {}, nil, nil
    for line in io.lines(name) do
        local title = line:match("^=== (.*)")
        local head, rest = line:match("^%-%-%- ([%w_]+):? ?(.*)")
        if title then
            t = { title = title, files = {}, origins = {}, ask = {} }
            tables[#tables + 1] = t
            section = nil
        elseif head == "file" or head == "origin" then
            section = { list = t[head .. "s"], name = rest }
            section.list[rest] = ""
        elseif head then
            section = { list = t, name = head }
            t[head] = head == "ask" and t.ask or rest
        elseif section and section.name == "ask" and section.list == t then
            if line ~= "" and not line:find("^#") then
                t.ask[#t.ask + 1] = line
            end
        elseif section then
            local old = section.list[section.name]
            section.list[section.name] = (old == "" and "" or old .. "\n")
                .. line
        end
    end
    return tables
end

local function fill(text)
    return (text:gsub("%%([DOPCGH])%%", {
        D = DIR, O = "127.0.0.1:" .. ORIGIN, P = tostring(PORT),
        C = TOP .. "/t/cert", G = "127.0.0.1:" .. GATE,
        H = TOP .. "/build/linux/t/http3_client --max-time 3",
    }))
end

local function conf_of(t)
    local temp = ""
    for kind in ("client_body proxy fastcgi uwsgi scgi"):gmatch("%S+") do
        temp = temp .. kind .. "_temp_path " .. DIR .. "/" .. kind .. "; "
    end
    return fill("pid %D%/pid; error_log %D%/error.log "
        .. (t.level or "info") .. "; worker_processes "
        .. (t.workers or "1") .. ";\n" .. (t.main or "") .. "\n"
        .. "events { worker_connections 64; }\n"
        .. "http {\nlog_format q '" .. LOG .. (t.log and "|" .. t.log or "")
        .. "';\n" .. (t.quiet and "" or "access_log %D%/access.log q;\n")
        .. temp .. "root %D%/html;\n" .. (t.http or "") .. "\n"
        .. "server {\nlisten 127.0.0.1:" .. PORT
        .. ";\nserver_name localhost;\n" .. (t.server or "") .. "\n}\n}\n"
        .. (t.stream and "stream {\nlog_format s '$remote_addr|$protocol|"
            .. "$status|$bytes_sent|$bytes_received|$server_port|"
            .. "$upstream_addr|$upstream_bytes_sent|$upstream_bytes_received';"
            .. "\naccess_log %D%/access.log s;\n" .. t.stream .. "\n}\n"
            or ""))
end

local function command_of(exe)
    return "'" .. exe .. "' -p " .. DIR .. "/ -c " .. DIR .. "/nginx.conf -e "
        .. DIR .. "/error.log"
end

local function pid_is_there()
    return read(DIR .. "/pid"):find("%d")
end

-- How a body is cut into chunks means nothing.
local function whole_chunks(text)
    local head, body = text:match("^(HTTP/1.-\r\n\r\n)(.*)$")
    if not head
        or not head:lower():find("\r\ntransfer%-encoding: chunked\r\n")
    then
        return text
    end
    local parts, at = {}, 1
    while true do
        local size, from = body:match("^(%x+)\r\n()", at)
        size = tonumber(size or "", 16)
        if not size then return head .. table.concat(parts)
            .. "<chunk: " .. body:sub(at, at + 30) .. ">" end
        if size == 0 then
            return head .. table.concat(parts) .. "<end>" .. body:sub(from)
        end
        parts[#parts + 1] = body:sub(from, from + size - 1)
        at = from + size + 2
    end
end

-- What two runs cannot have in common.
local function plain_answer(text)
    text = whole_chunks(text)
    text = text:gsub("\r\n", "\n")
    text = text:gsub("\n([Dd]ate: )[^\n]*", "\n%1D")
    text = text:gsub("\nLast%-Modified: [^\n]* 20[2-9][1-9] [^\n]*",
        "\nLast-Modified: M")
    text = text:gsub('"%x%x%x%x%x%x%x%x%-', '"T-')
    text = text:gsub("(\n[Ee]xpires: )(%a+, %d+ %a+ 20[^\n]* GMT)",
        function (name, date)
            local ahead = (ngx.parse_http_time(date) or 0) - ngx.time()
            return ahead > -86400 * 365 and ahead < 86400 * 365
                   and name .. ("in %d minutes"):format(ahead / 60 + 0.5)
                   or name .. date
        end)
    text = text:gsub("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", "NUMBER")
    -- The order of fields of different names means nothing.
    local first, fields, rest = text:match("^(HTTP/[^\n]*\n)(.-\n)(\n.*)$")
    if first and first:find("^HTTP/1%.[01] [2-5]") then
        local list = {}
        for line in fields:gmatch("[^\n]+\n") do
            list[#list + 1] = { line:match("^[^:\n]*"):lower(), #list, line }
        end
        table.sort(list, function (a, b)
            if a[1] == b[1] then return a[2] < b[2] end
            return a[1] < b[1]
        end)
        for i, f in ipairs(list) do list[i] = f[3] end
        text = first .. table.concat(list) .. rest
    end
    -- Pages of one's own look as they like.
    if text:find("^HTTP/%S+ [3-5]") then
        text = text:gsub("(\n[Cc]ontent%-[Ll]ength: )%d+", "%1N", 1)
    end
    text = text:gsub("<html>.-<title>([^<]*)</title>.-</html>", "PAGE %1")
    text = text:gsub("<!%-%- [^>]*browser[^>]* %-%->\n", "PADDING\n")
    text = text:gsub("<!%-%- a padding to[^>]* %-%->\n", "PADDING\n")
    text = text:gsub("PADDING\n[PADING\n]*", "PADDING\n")
    return text
end

-- The same for the line that tells of it.
local function plain_line(line)
    line = line:gsub("127%.0%.0%.1:[3-6]%d%d%d%d", "127.0.0.1:N")
    local fields = {}
    for f in (line .. "|"):gmatch("([^|]*)|") do fields[#fields + 1] = f end
    -- Each has a table for HPACK of its own.
    if (fields[24] or ""):find("^HTTP/2") then fields[6] = "N" end
    if (fields[24] or ""):find("^HTTP/3") then
        fields[6], fields[8] = "N", "N"
    end
    if (fields[20] or ""):find("^text/html")
        and ((fields[5] or ""):find("^[345]") or fields[21] == "-")
    then
        fields[6], fields[7] = "N", fields[7] == "0" and "0" or "N"
        fields[21] = fields[21] == "-" and "-" or "N"
    end
    return table.concat(fields, "|")
end

local PROCESS = { "start worker", "start cache", "signal ", "gracefully",
    "using the", "nginx/", "built ", "OS: ", "getrlimit", "exiting", "exit$",
    "worker process", "cache manager", "cache loader", "Lua", "reconfiguring",
    "http file cache: ", "inherited" }

local function of_the_process(line)
    if not line:find("^%[notice%]") then return false end
    for _, word in ipairs(PROCESS) do
        if line:find(word) then return true end
    end
end

local function plain_log(text)
    local lines = {}
    for line in text:gmatch("[^\n]+") do
        line = line:gsub("^%d+/%d+/%d+ %d+:%d+:%d+ ", "")
        line = line:gsub(" %d+#%d+: ", " ", 1):gsub("%*%d+ ", "", 1)
        line = line:gsub("127%.0%.0%.1:[3-6]%d%d%d%d", "127.0.0.1:N")
        -- Over QUIC nginx tells neither the host nor what it reads.
        line = line:gsub("reading client request headers",
            "reading client request")
        if line:find("HTTP/3.0", 1, true)
            or line:find("server: a.test", 1, true)
        then
            line = line:gsub(', host: "[^"]*"', "")
                       :gsub(', request: "[^"]*"', "")
        end
        line = line:gsub(" %(SSL: error:[^)]*%)", "")
                   :gsub("while SSL handshaking", "while handling frames")
        if not line:find("QUIC connection failed", 1, true)
            and not line:find("quic ", 1, true)
            and not line:find("^%[debug%]") and not of_the_process(line)
            and not line:find("closed keepalive connection", 1, true)
            and not line:find("closed connection while keepalive", 1, true)
            and not line:find("SSL_shutdown() failed", 1, true)
            and not line:find("epoll_", 1, true)
        then
            lines[#lines + 1] = line
        end
    end
    return table.concat(lines, "\n")
end

local function receive_all(s)
    local parts = {}
    while true do
        local data, err, part = s:receiveany(65536)
        parts[#parts + 1] = data or part or ""
        if not data then
            if err ~= "closed" then parts[#parts + 1] = "<" .. err .. ">" end
            return table.concat(parts)
        end
    end
end

local function say(port, bytes, wait)
    local s = ngx.socket.tcp()
    s:settimeouts(2000, 2000, wait or 3000)
    local ok, err = s:connect("127.0.0.1", port)
    if not ok then return "<connect: " .. err .. ">" end
    local sent = 0
    -- "\p" is a pause.
    for piece in (bytes .. "\\p"):gmatch("(.-)\\p") do
        if sent > 0 then ngx.sleep(0.2) end
        if piece ~= "" then s:send(unescape(piece)) end
        sent = sent + 1
    end
    local text = receive_all(s)
    s:close()
    return text
end

-- "METHOD uri [HTTP/n] [| field] ... [|| body]"
local function request_of(line, number)
    local head, body = line:match("^(.-)%s*||%s?(.*)$")
    head = head or line
    local fields = {}
    for f in head:gmatch("|%s*([^|]*)") do
        fields[#fields + 1] = unescape((f:gsub("%s+$", "")))
    end
    local first = head:match("^([^|]*)"):gsub("%s+$", "")
    if not first:find(" HTTP/[%d.]+$") then first = first .. " HTTP/1.1" end
    local all = "\n" .. table.concat(fields, "\n"):lower()
    local out = { unescape(first) }
    if not all:find("\nhost:", 1, true) and not all:find("\n-host", 1, true)
    then
        out[#out + 1] = "Host: localhost"
    end
    if not all:find("\nconnection:", 1, true) then
        out[#out + 1] = "Connection: close"
    end
    out[#out + 1] = "X-Q: " .. number
    body = body and unescape(body)
    if body and not all:find("\ntransfer-encoding:", 1, true)
        and not all:find("\ncontent-length:", 1, true)
    then
        out[#out + 1] = "Content-Length: " .. #body
    end
    for _, f in ipairs(fields) do
        if not f:find("^%-") then out[#out + 1] = f end
    end
    return table.concat(out, "\r\n") .. "\r\n\r\n" .. (body or "")
end

local function ask(line, number)
    local port, rest = line:match("^:(%d+) (.*)")
    port, rest = tonumber(port) or PORT, rest or line
    if rest:find("^sleep ") then
        ngx.sleep(tonumber(rest:match("%S+$")))
        return ""
    elseif rest:find("^sh ") then
        return run("cd " .. DIR .. "; " .. fill(rest:sub(4)))
    elseif rest:find("^curl ") then
        return run("curl -s -i -k -m 5 -H 'X-Q: " .. number .. "' "
            .. fill(rest:sub(6)))
    elseif rest:find("^raw ") then
        return say(port, rest:sub(5), 1200)
    end
    return say(port, (request_of(fill(rest), number):gsub("\\", "\\\\")))
end

-- Answers of a server to all lines of a table.
local function answers_of(exe, t)
    local out = {}
    for _, name in ipairs { "access.log", "error.log", "pid" } do
        os.remove(DIR .. "/" .. name)
    end
    run("cd " .. DIR .. " && rm -rf cache* store* && chmod 777 . && "
        .. "mkdir -p html logs && chmod 777 html logs")
    write(DIR .. "/error.log", "")
    if t.setup then run("cd " .. DIR .. "\n" .. fill(t.setup)) end
    write(DIR .. "/nginx.conf", conf_of(t))
    local started = run(command_of(exe))
    for _ = 1, 100 do
        if pid_is_there() then break end
        ngx.sleep(0.02)
    end
    if not pid_is_there() then
        return { plain_log(started) .. "\n(it does not start)" }
    end
    ngx.sleep(0.1)
    local access, errors = 0, #read(DIR .. "/error.log")
    out[0] = plain_log(read(DIR .. "/error.log"))
    for i, line in ipairs(t.ask) do
        local text = plain_answer(ask(line, i))
        local more = ""
        for _ = 1, line:find("^sleep") and 1 or 25 do
            more = read(DIR .. "/access.log"):sub(access + 1)
            if more ~= "" or t.quiet then break end
            ngx.sleep(0.01)
        end
        ngx.sleep(0.02)
        more = read(DIR .. "/access.log"):sub(access + 1)
        access = access + #more
        local err = read(DIR .. "/error.log"):sub(errors + 1)
        errors = errors + #err
        for l in more:gmatch("[^\n]+") do
            text = text .. "\n~ " .. plain_line(l)
        end
        err = plain_log(err)
        if err ~= "" then
            text = text .. "\n! " .. err:gsub("\n", "\n! ")
        end
        out[i] = text
    end
    local pid = read(DIR .. "/pid"):match("%d+")
    run("kill -TERM " .. pid)
    for _ = 1, 250 do
        if not run("kill -0 " .. pid .. " && echo yes"):find("^yes") then
            break
        end
        ngx.sleep(0.02)
    end
    return out
end

-- "--- test": each line is a place and its text; the first message counts.
local HTTP = "events { }\nhttp {\n"
local SERVER = HTTP .. "server {\n"
local LOCATION = SERVER .. "location / {\n"
local STREAM = "events { }\nstream {\n"
local PLACES = {
    main = "%s\nevents { }",
    events = "events { %s }",
    http = HTTP .. "%s\n}",
    server = SERVER .. "%s\n} }",
    location = LOCATION .. "%s\n} } }",
    ["if"] = LOCATION .. "if ($uri) {\n%s\n} } } }",
    upstream = HTTP .. "upstream u {\n%s\n} }",
    stream = STREAM .. "%s\n}",
    stream_server = STREAM .. "server {\nlisten 127.0.0.1:28081;\n%s\n} }",
    stream_upstream = STREAM .. "upstream u {\n%s\n} }",
}

local function message_of(exe, line)
    local place, text = line:match("^(%S+) (.*)")
    write(DIR .. "/nginx.conf", fill("pid %D%/pid;\n"
        .. PLACES[place]:format(unescape(text))))
    local said = {}
    for l in run(command_of(exe) .. " -t"):gmatch("[^\n]+") do
        l = l:gsub(":%d+$", ":N"):gsub("^%S+: %[", "[")
            :gsub("^%d+/%d+/%d+ %d+:%d+:%d+ ", "")
            :gsub(" %d+#%d+: ", " ", 1)
        if l:find("^%[[ewcan]") then
            said[#said + 1] = l
            break
        elseif l:find("is successful") then
            said[#said + 1] = "successful"
        end
    end
    return table.concat(said, "\n")
end

local function lines_of(text)
    local list = {}
    for l in (text .. "\n"):gmatch("([^\n]*)\n") do list[#list + 1] = l end
    return list
end

-- Lines that one of both has, in order.
local function print_difference(a, b)
    local x, y = lines_of(a), lines_of(b)
    local n, m = #x, #y
    local c = {}
    for i = 0, n do c[i] = { [0] = 0 } end
    for j = 0, m do c[0][j] = 0 end
    for i = 1, n do
        for j = 1, m do
            c[i][j] = x[i] == y[j] and c[i - 1][j - 1] + 1
                or math.max(c[i - 1][j], c[i][j - 1])
        end
    end
    local out = {}
    local i, j = n, m
    while i > 0 or j > 0 do
        if i > 0 and j > 0 and x[i] == y[j] then
            i, j = i - 1, j - 1
        elseif j > 0 and (i == 0 or c[i][j - 1] >= c[i - 1][j]) then
            table.insert(out, 1, "    ours  " .. y[j])
            j = j - 1
        else
            table.insert(out, 1, "    nginx " .. x[i])
            i = i - 1
        end
    end
    -- Of two lines of the access log, the fields that differ.
    if #out == 2 and out[1]:find("~", 1, true) and out[2]:find("~", 1, true)
    then
        local f, k = {}, 0
        for v in (out[1] .. "|"):gmatch("([^|]*)|") do f[#f + 1] = v end
        for v in (out[2] .. "|"):gmatch("([^|]*)|") do
            k = k + 1
            if k > 1 and v ~= f[k] then
                print(("    field %s: nginx %s, ours %s"):format(
                    NAMES[k] or k, tostring(f[k]), v))
            end
        end
        return
    end
    print(table.concat(out, "\n"))
end

-- "file: table: line" of each difference that stands there is expected.
local function known_answers()
    local known = {}
    for line in read(KNOWN):gmatch("[^\n]+") do
        if not line:find("^[# ]") then known[line] = true end
    end
    return known
end

local function start_origin(t)
    local text = {}
    for name, answer in pairs(t.origins) do
        local head, body = answer:match("^(.-)\n\n(.*)$")
        head = (head or answer):gsub("\n", "\r\n")
        text[#text + 1] = ("[%q] = %q"):format(name,
            unescape(head .. "\r\n\r\n" .. (body or "")))
    end
    write(DIR .. "/answers.lua",
        "return {\n" .. table.concat(text, ",\n") .. "\n}\n")
    write(DIR .. "/origin.conf", fill(([[
pid %D%/origin.pid; error_log %D%/origin.log; worker_processes 1;
events { worker_connections 64; }
stream {
    access_log off;
    server {
        listen 127.0.0.1:28090;
        content_by_lua_file %C%/../compare/origin.lua;
    }
    server {
        listen %G%;
        content_by_lua_file %C%/../compare/gate.lua;
    }
}
]])))
    os.remove(DIR .. "/origin.pid")
    run("'" .. OURS .. "' -p " .. DIR .. "/ -c " .. DIR .. "/origin.conf -e "
        .. DIR .. "/origin.log")
end

local total, differ, expected, broken = 0, 0, 0, 0
local known = known_answers()

-- A body that nobody wants is a part of $request_length for us alone: it was
-- received, and the manual says so.
local function without_length(text)
    return (text:gsub("(~ [^\n]*)", function (l)
        local n = 0
        return (l:gsub("([^|]*)|", function (f)
            n = n + 1
            return (n == 8 and "N" or f) .. "|"
        end))
    end))
end

local function same(a, b, line)
    -- Ours says where a mistake stands more often.
    if a == b or a == b:gsub(" in %S+:N$", "") then return true end
    return line:find("||", 1, true)
        and without_length(a) == without_length(b)
end

local function compare(file, t, line, a, b)
    total = total + 1
    if same(a, b, line) then return end
    local name = file .. ": " .. t.title .. ": " .. line
    if known[name] then
        expected = expected + 1
        return
    end
    differ = differ + 1
    print(name)
    print_difference(a, b)
end

run("rm -rf " .. DIR .. " && mkdir -p " .. DIR .. " && chmod 777 " .. DIR)
for i = 4, #arg do
    local file = arg[i]:match("[^/]+$"):gsub("%.txt$", "")
    for _, t in ipairs(parse(arg[i])) do
        run("rm -rf " .. DIR .. "/html")
        for name, text in pairs(t.files) do
            write(DIR .. "/html/" .. name, fill(text))
        end
        if t.test then
            for _, line in ipairs(lines_of(t.test)) do
                if line ~= "" and not line:find("^#") then
                    compare(file, t, line, message_of(REF, line),
                        message_of(OURS, line))
                end
            end
        end
        if #t.ask > 0 then
            local origin = next(t.origins)
            if origin then start_origin(t) end
            local a, b = answers_of(REF, t), answers_of(OURS, t)
            if origin then
                run("kill -TERM $(cat " .. DIR .. "/origin.pid)")
                ngx.sleep(0.2)
            end
            compare(file, t, "(start)", a[0] or a[1], b[0] or b[1])
            if not a[0] then
                print(t.title .. ": " .. a[1])
                broken = broken + 1
            elseif b[0] then
                for n, line in ipairs(t.ask) do
                    compare(file, t, line, a[n], b[n])
                end
            end
        end
    end
end
print(("%d questions: %d the same, %d differ and are known, %d differ")
    :format(total, total - differ - expected, expected, differ))
os.exit(differ + broken == 0 and 0 or 1)
