-- cache.lua -- a cache under workers that are killed.
--
--     SERVER=... lunette run t/soak/cache.lua [-t SECONDS] [-c CLIENTS]
--
-- Clients ask for a few hundred keys, which are fetched, kept, updated in the
-- background, purged and pushed out again, while a worker is killed every 200
-- ms and the server is reloaded. Each body says on each line whose it is and
-- which of the origin's answers: what has come whole has to be one of these,
-- whole. The origin is the same server, so that its answers break off, too.
-- Then a second server has the same folder, and one has a disk that is full
-- (where we may mount one).
--
-- SPDX-License-Identifier: BSD-2-Clause

local soak = dofile("t/soak/help.lua")
local is, note = soak.is, soak.note
local format = string.format

local seconds = tonumber(soak.options.t or 60)
local clients = tonumber(soak.options.c or 16)

local WORKERS = 4
local KEYS = 400

-- Both sides use this: lines of 32 bytes. A third of the keys is larger than
-- what stays in memory.
soak.write("body.lua", [[
local body = {}

function body.lines(key)
    return key % 3 == 0 and 2100 + key * 16 or 1 + key % 40 * 20
end

function body.make(key, id)
    return string.format("key %06d, answer %013d\n", key, id)
           :rep(body.lines(key))
end

-- The answer's id; nil and why if it is none of that key.
function body.check(key, text)
    local id = text:match("^key %d+, answer (%d+)\n")
    if not id then return nil, "begins with " .. text:sub(1, 32) end
    local right = body.make(key, tonumber(id))
    if text == right then return id end
    for at = 1, math.max(#text, #right), 32 do
        if text:sub(at, at + 31) ~= right:sub(at, at + 31) then
            return nil, string.format("%d bytes instead of %d, at %d: %s",
                #text, #right, at, text:sub(at, at + 31))
        end
    end
end

return body
]])

soak.configure(format("worker_processes %d;\n"
    .. "events { worker_connections 1024; }", WORKERS), [[
    lua_shared_dict ids 1m;
    proxy_cache_path cache levels=1:2 keys_zone=one:1m max_size=12m
                     inactive=5s;]], [[
        location ~ ^/k/(\d+)$ {
            proxy_cache one;
            proxy_cache_key $1;
            proxy_cache_valid 200 1s;
            proxy_cache_lock on;
            proxy_cache_lock_timeout 2s;
            proxy_cache_use_stale updating error;
            proxy_cache_background_update on;
            proxy_cache_revalidate on;
            proxy_cache_purge $arg_purge;
            proxy_pass http://127.0.0.1:$server_port/from/$1;
        }
        location ~ ^/from/(\d+)$ {
            content_by_lua_block {
                local text = require("body").make(tonumber(ngx.var[1]),
                    ngx.shared.ids:incr("id", 1, 0))
                if #text % 64 == 0 then ngx.header.content_length = #text end
                local half = math.floor(#text / 2)
                ngx.print(text:sub(1, half))
                ngx.flush(true)
                ngx.sleep(0.002)
                ngx.print(text:sub(half + 1))
            }
        }
        location = /pid {
            content_by_lua_block { ngx.print(ngx.worker.pid()) }
        }]])

local body = dofile(soak.dir .. "/body.lua")

---------------------------------------------------------------------------
-- Clients

local running, answers, again, broken, wrong, purged = true, 0, 0, 0, 0, 0
local seen, pids = {}, {}

local last_why

local function ask_for(sock, key)
    local ok, more, text = soak.ask(sock, "/k/" .. key)
    if not ok then
        broken = broken + 1
        last_why = more
        return false
    end
    local id, why = body.check(key, text)
    if id then
        answers = answers + 1
        again = again + (seen[id] and 1 or 0)
        seen[id] = true
    else
        wrong = wrong + 1
        if wrong <= 3 then note("key %d: %s", key, why) end
    end
    return more
end

-- Few of the keys have most of the requests.
local function some_key()
    return math.floor(KEYS * math.random() ^ 3)
end

local function purge(sock, key)
    local ok = sock:send(format("GET /k/%d?purge=1 HTTP/1.0\r\n\r\n", key))
    local line = ok and sock:receive()
    purged = purged + ((line or ""):find(" 204") and 1 or 0)
end

local function client()
    while running do
        local sock = soak.connect(10000)
        local ok, _, pid = true, nil, nil
        if sock then ok, _, pid = soak.ask(sock, "/pid") end
        if ok and pid then pids[pid] = true end
        local key, open = nil, sock ~= nil
        for _ = 1, 50 do
            if not open or not running then break end
            key = some_key()
            open = ask_for(sock, key)
        end
        if open and math.random(4) == 1 then purge(sock, key) end
        if sock then sock:close() else ngx.sleep(0.01) end
    end
end

local function kill_one()
    local all = {}
    for pid in pairs(pids) do all[#all + 1] = pid end
    pids = {}
    if #all == 0 then return 0 end
    soak.kill(all[math.random(#all)])
    return 1
end

---------------------------------------------------------------------------

soak.start("/pid")

local threads, killed, reloads = {}, 0, 0
for i = 1, clients do
    threads[i] = ngx.thread.spawn(client)
end

local stop_at, reload_at = ngx.now() + seconds, ngx.now() + 7
while ngx.now() < stop_at do
    ngx.sleep(soak.wine and 1 or 0.2)
    killed = killed + kill_one()
    if ngx.now() > reload_at then
        soak.control("reload")
        reloads = reloads + 1
        reload_at = ngx.now() + 7
    end
end

running = false
for i = 1, clients do
    ngx.thread.wait(threads[i])
end
ngx.sleep(soak.wine and 5 or 2)

is(wrong == 0, "%d workers killed, %d reloads: %d answers, %d of them kept "
   .. "ones, %d cut short, %d keys purged; none was wrong", killed, reloads,
   answers, again, broken, purged)
is(killed > seconds / (soak.wine and 10 or 2), "workers were killed")
is(again > answers / 10, "answers were kept")

-- What was in hand with the dead is nobody's: each key can be had.
local before, missing = wrong, 0
for key = 0, KEYS - 1 do
    local sock = soak.connect()
    local good = answers
    if sock then
        ask_for(sock, key)
        sock:close()
    end
    missing = missing + (answers == good and 1 or 0)
end
is(missing == 0 and wrong == before, "all %d keys can be had: %d cannot",
   KEYS, missing)

-- Updates have ended: what is fetched now is there then.
ngx.sleep(3)
local kept = 0
for key = 1, 50 do
    local first, second = soak.one("/k/" .. key), nil
    for _ = 1, 100 do
        second = soak.one("/k/" .. key)
        if first and second == first then break end
        first = second
        ngx.sleep(0.05)
    end
    kept = kept + (second and second == first and 1 or 0)
end
is(kept == 50, "and are kept: %d of 50", kept)

for _, bad in ipairs { "is truncated", "version mismatch", "broken header",
                       "broken body", "md5 collision" } do
    is(soak.logged(bad) == 0, "no file was one that %s: %d",
       bad:gsub("^broken", "had a broken"), soak.logged(bad))
end
is(soak.logged("%[emerg%]") == 0, "no emergency")

---------------------------------------------------------------------------
-- Another server, with that folder as its cache

local first = soak.port

local function start_another(name, cache)
    local conf = io.open(soak.dir .. "/conf/nginx.conf"):read("*a")
    soak.port = soak.port + 1
    soak.run("mkdir -p %s/%s/conf %s/%s/logs; cp %s/body.lua %s/%s/", soak.dir,
             name, soak.dir, name, soak.dir, soak.dir, name)
    conf = conf:gsub(":" .. first, ":" .. soak.port)
    conf = conf:gsub("proxy_cache_path %S+", "proxy_cache_path " .. cache)
    soak.write(name .. "/conf/nginx.conf", conf)
    soak.run("p=$PPID; (while kill -0 $p; do sleep 1; done; %s -p %s/%s/ -c "
             .. "conf/nginx.conf -s stop) >/dev/null 2>&1 &", soak.server,
             soak.dir, name)
    soak.run("exec %s -p %s/%s/ -c conf/nginx.conf >%s/%s.log 2>&1 &",
             soak.server, soak.dir, name, soak.dir, name)
    for _ = 1, 600 do
        if soak.one("/pid") then return soak.port end
        ngx.sleep(0.05)
    end
    error("no second server: see " .. soak.dir)
end

local function stop_another(name)
    soak.run("%s -p %s/%s/ -c conf/nginx.conf -s stop >/dev/null 2>&1",
             soak.server, soak.dir, name)
    soak.port = first
end

-- All keys `rounds` times, of these ports in turn.
local function ask_all(rounds, ...)
    local ports = { ... }
    before, broken, answers = wrong, 0, 0
    for i = 1, rounds do
        for key = 0, KEYS - 1 do
            soak.port = ports[(i + key) % #ports + 1]
            local sock = soak.connect()
            if sock then
                ask_for(sock, key)
                sock:close()
            end
        end
    end
    is(wrong == before and broken == 0, "%d right answers, %d cut short %s",
       answers, broken, last_why or "")
end

last_why = nil
local second = start_another("second", soak.dir .. "/cache")
note("two servers, one folder")
ask_all(6, first, second)
stop_another("second")
is(soak.logged("%[crit%]") == 0, "and nothing to complain of")

---------------------------------------------------------------------------
-- No room on the disk

local full = soak.dir .. "/full"
soak.run("mkdir -p %s", full)
if not soak.run("mount -t tmpfs -o size=600k none %s 2>/dev/null", full) then
    note("no small disk to be had here")
    soak.done()
end

note("a disk that is full")
local third = start_another("third", full)
ask_all(2, third)
stop_another("third")
local log = io.open(soak.dir .. "/third/logs/error.log"):read("*a")
local _, complaints = log:gsub("the answer is not cached", "")
is(complaints >= 1 and complaints <= 3 * WORKERS,
   "the log says it, each worker now and then: %d times", complaints)
is(not log:find("%[alert%]") and not log:find("%[emerg%]"), "and no more")
soak.run("umount %s", full)

soak.done()
