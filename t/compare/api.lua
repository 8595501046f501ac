-- api.lua -- puts calls of the Lua API to an nginx with its Lua module and to
-- us, in each phase, and prints where the answers differ. For t/compare/api.
--
-- SPDX-License-Identifier: BSD-2-Clause

local questions = dofile("t/compare/api_questions.lua").questions
local ref, own, dir = arg[1], arg[2], arg[3]

local PORT = 18400
local PHASES = { "set", "rewrite", "access", "content", "sent",
                 "header_filter", "body_filter", "log", "timer", "balancer" }

-- Here answers are of their own each time, or of the server's making.
local APART = { "^ngx%.worker%.id", "^ngx%.socket%.connect" }

-- We refuse them wherever the documentation does not name the phase.
local STRICTER = { "^ngx%.req%.discard_body", "^ngx%.req%.set_body",
                   "^ngx%.req%.init_body", "^ngx%.req%.append_body",
                   "^ngx%.req%.finish_body" }

local ASK = 'local i = tonumber(ngx.var.arg_q) '
            .. 'Q.ask("%s", i, "%s", %d)'

local HANDLERS = {
    set = "set_by_lua_block $s { %s return '' } return 200 x;",
    rewrite = "rewrite_by_lua_block { %s } content_by_lua_block { ngx.say(1) }",
    access = "access_by_lua_block { %s } content_by_lua_block { ngx.say(1) }",
    content = "content_by_lua_block { %s }",
    sent = "content_by_lua_block { ngx.say(1) ngx.flush(true) %s }",
    header_filter = "header_filter_by_lua_block { %s } "
                    .. "content_by_lua_block { ngx.say(1) }",
    body_filter = "body_filter_by_lua_block { if not ngx.arg[2] then %s end } "
                  .. "content_by_lua_block { ngx.say(1) }",
    log = "log_by_lua_block { %s } content_by_lua_block { ngx.say(1) }",
    timer = "content_by_lua_block { local i = tonumber(ngx.var.arg_q) "
            .. "ngx.timer.at(0, function () %s end) ngx.say(1) }",
    balancer = "proxy_pass http://b/o;",
}

local function configuration(folder, port, globals)
    local list = {}
    local function ask(phase)
        local text = ASK:format(phase, folder .. "/answers", port)
        return phase == "timer" and text:gsub("^.- Q", "Q") or text
    end
    for _, phase in ipairs(PHASES) do
        list[#list + 1] = "location = /" .. phase .. " { "
                          .. HANDLERS[phase]:gsub("%%s", function ()
                                 return (ask(phase))
                             end) .. " }"
    end
    return ([[
        $globals
        worker_processes 1;
        pid $folder/pid;
        error_log $folder/error.log;
        events { worker_connections 2000; }
        http {
            access_log off;
            lua_shared_dict dogs 1m;
            lua_socket_log_errors off;
            lua_socket_connect_timeout 200ms;
            lua_check_client_abort on;
            init_by_lua_block { Q = dofile("t/compare/api_questions.lua") }
            upstream b {
                server 0.0.0.1;
                balancer_by_lua_block {
                    $balancer
                    require("ngx.balancer").set_current_peer("127.0.0.1", $port)
                }
            }
            server {
                listen 127.0.0.1:$port;
                set $foo "";
                location = /o { return 200 0123456789x0123456789x; }
                location = /other { content_by_lua_block { ngx.print("o") } }
                $locations
            }
        }
    ]]):gsub("$(%w+)", { globals = globals, folder = folder, port = port,
                         balancer = ask("balancer"),
                         locations = table.concat(list, "\n") })
end

local function spit(path, text)
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
end

local function get(port, phase, i)
    local sock = ngx.socket.tcp()
    sock:settimeout(3000)
    assert(sock:connect("127.0.0.1", port))
    sock:send("POST /" .. phase .. "?q=" .. i .. "&a=1 HTTP/1.1\r\nHost: h\r\n"
              .. "X-Foo: one\r\nConnection: close\r\nContent-Length: 7\r\n\r\n"
              .. "a=1&b=2")
    local all, _, part = sock:receive("*a")
    sock:close()
    return (all or part or ""):match("^HTTP/1.1 (%d*)") or "nothing"
end

-- What differs from run to run, or from LuaJIT to LuaJIT, is not compared.
local function plain(text, folder)
    return (text:gsub(folder, "DIR"):gsub("1840%d", "PORT")
            :gsub("0x%x+", "ADDRESS"):gsub('[^" ]*%.lua:%d+: ', "")
            :gsub("question:%d+: ", ""))
end

-- "phase call" -> { status =, answer = }
local function run(program, port, globals)
    local folder = dir .. "/" .. port
    os.execute("mkdir -m 777 " .. folder .. " && mkdir " .. folder .. "/logs")
    spit(folder .. "/conf", configuration(folder, port, globals))
    spit(folder .. "/answers", "")
    os.execute("chmod 666 " .. folder .. "/answers")
    assert(os.execute(program .. " -p " .. folder .. "/ -c conf"),
           program .. " does not start")

    local all = {}
    for _, phase in ipairs(PHASES) do
        for i = 1, #questions do
            all[phase .. " " .. questions[i]] = { status = get(port, phase, i),
                                                  answer = "" }
        end
    end
    ngx.sleep(0.5)
    os.execute("kill $(cat " .. folder .. "/pid)")
    for line in io.lines(folder .. "/answers") do
        local phase, i, text = line:match("^(%S+)\t(%d+)\t(.*)$")
        local one = all[phase .. " " .. questions[tonumber(i)]]
        one.answer = one.answer .. plain(text, folder) .. ";"
    end
    return all
end

local function disabled(answer)
    return answer:find("API disabled", 1, true) ~= nil
end

local function is_one_of(patterns, call)
    for _, pattern in ipairs(patterns) do
        if call:find(pattern) then
            return true
        end
    end
    return false
end

-- Both refuse: the words count only where they are about the phase.
local function differs(call, a, b)
    if a.answer == b.answer then
        return a.status ~= b.status
    end
    if disabled(b.answer) and is_one_of(STRICTER, call) then
        return false
    end
    local refused = a.answer:find("^false") and b.answer:find("^false")
    return not refused or disabled(a.answer) or disabled(b.answer)
end

local theirs = run(ref, PORT, os.getenv("GLOBALS") or "")
local ours = run(own, PORT + 1, "")
local same, other = 0, 0
local order, groups = {}, {}

for _, phase in ipairs(PHASES) do
    for _, call in ipairs(questions) do
        local key = phase .. ": " .. call
        local a, b = theirs[phase .. " " .. call], ours[phase .. " " .. call]
        if is_one_of(APART, call) or not differs(call, a, b) then
            same = same + 1
        else
            local name = os.getenv("ALL") and key or call:match("^[^(]+")
            local group = groups[name]
            if not group then
                group = { count = 0, key = key, a = a, b = b }
                groups[name] = group
                order[#order + 1] = group
            end
            group.count = group.count + 1
            other = other + 1
        end
    end
end

for _, group in ipairs(order) do
    print(group.count .. " like " .. group.key)
    print("    theirs " .. group.a.status .. " " .. group.a.answer)
    print("    ours   " .. group.b.status .. " " .. group.b.answer)
end
print(same .. " the same, " .. other .. " differ")
