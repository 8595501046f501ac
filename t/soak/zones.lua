-- zones.lua -- shared dictionaries under workers that are killed.
--
--     SERVER=... lunette run t/soak/zones.lua [-t SECONDS] [-c CLIENTS]
--
-- Each client sends batches of writes to keys of its own, and does the same
-- to a model. When a worker dies, the few keys of the batch that it was at
-- are made anew; all other keys must be what the model says, then and at the
-- end. Meanwhile workers are killed and the server is reloaded.
--
-- SPDX-License-Identifier: BSD-2-Clause

local soak = dofile("t/soak/help.lua")
local is, note = soak.is, soak.note
local format, concat = string.format, table.concat

local seconds = tonumber(soak.options.t or 180)
local clients = tonumber(soak.options.c or 12)

local WORKERS = 4
local GROUPS = 12                      -- of keys, for each client
local GROUP = 9                        -- keys of a batch
local OPERATIONS = 200                 -- of a batch

-- Both sides use this.
soak.write("work.lua", [[
local work = {}

local function key_of(client, group, i)
    return "c" .. client .. ":" .. group .. ":" .. i
end

local operations = {
    [0] = function(dict, key, r)       -- a string
        if r % 4 == 0 then
            dict:delete(key)
        else
            assert(dict:set(key, string.rep(string.char(97 + r % 26),
                                            1 + r % 5000)))
        end
    end,
    function(dict, key)                -- a number
        assert(dict:incr(key, 1, 0))
    end,
    function(dict, key, r)             -- a list
        local n = assert(dict:llen(key))
        if n < 20 and (n == 0 or r % 2 == 0) then
            assert(dict[r % 3 == 0 and "lpush" or "rpush"](dict, key, r))
        else
            assert(dict[r % 3 == 0 and "lpop" or "rpop"](dict, key))
        end
    end,
}

function work.apply(dict, client, group, seed, n, size)
    for _ = 1, n do
        seed = (seed * 1664525 + 1013904223) % 4294967296
        local r = math.floor(seed / 256)
        local i = r % size
        operations[i % 3](dict, key_of(client, group, i),
                          math.floor(r / size))
    end
end

-- What the keys of a group are, in words. Of a list only its length; all of
-- it if `whole`, but for that it is emptied and filled again, which is nothing
-- for a worker that may be killed meanwhile.
function work.show(dict, client, group, size, whole)
    local out = {}
    for i = 0, size - 1 do
        local key = key_of(client, group, i)
        if i % 3 == 2 and not whole then
            out[#out + 1] = "[" .. dict:llen(key) .. "]"
        elseif i % 3 == 2 then
            local items = {}
            repeat
                local item = dict:lpop(key)
                items[#items + 1] = item
            until item == nil
            for _, item in ipairs(items) do
                assert(dict:rpush(key, item))
            end
            out[#out + 1] = "[" .. table.concat(items, " ") .. "]"
        else
            local v = dict:get(key)
            if type(v) == "string" then
                v = #v .. " " .. v:sub(1, 1)
                    .. (v == v:sub(1, 1):rep(#v) and "" or " torn")
            end
            out[#out + 1] = tostring(v)
        end
    end
    return table.concat(out, ", ")
end

-- Writes that nobody checks, in the same shards: most kills fall into them.
function work.noise(dict, seed)
    for i = 1, 2000 do
        local key = "noise" .. (seed + i * 7) % 300
        if i % 5 == 0 then
            dict:delete(key)
        else
            assert(dict:set(key, string.rep("n", (seed + i * 31) % 7000)))
        end
    end
end

function work.drop(dict, client, group, size)
    for i = 0, size - 1 do
        dict:delete(key_of(client, group, i))
    end
end

return work
]])

local function configure(workers, size)
    soak.configure(format("worker_processes %d;\n"
        .. "events { worker_connections 1024; }", workers),
        format("lua_shared_dict work %s; lua_shared_dict other 1m;", size), [[
        location = /batch {
            content_by_lua_block {
                local a = ngx.req.get_uri_args()
                local work = require("work")
                work.apply(ngx.shared.work, a.c, a.g, tonumber(a.s),
                           tonumber(a.n), tonumber(a.z))
                work.noise(ngx.shared.work, a.s)
                ngx.say(ngx.worker.pid())
            }
        }
        location = /show {
            content_by_lua_block {
                local a = ngx.req.get_uri_args()
                ngx.print(require("work").show(ngx.shared.work, a.c, a.g,
                                               tonumber(a.z), a.w == "1"))
            }
        }
        location = /drop {
            content_by_lua_block {
                local a = ngx.req.get_uri_args()
                require("work").drop(ngx.shared.work, a.c, a.g,
                                     tonumber(a.z))
                ngx.say("dropped")
            }
        }
        location = /keys {
            content_by_lua_block {
                ngx.print(#ngx.shared.work:get_keys(0))
            }
        }
        location = /hold {
            content_by_lua_block {
                ngx.say(ngx.worker.pid())
                ngx.flush(true)
                repeat ngx.sleep(0.2) until ngx.shared.other:get("go")
                ngx.say("gone")
            }
        }
        location = /go {
            content_by_lua_block { ngx.shared.other:set("go", true)
                                   ngx.say("go") }
        }
        location = /pid {
            content_by_lua_block { ngx.say(ngx.worker.pid()) }
        }]])
end

-- A dictionary that is right because it is a table.
local model = { data = {} }
function model:set(k, v) self.data[k] = v return true end
function model:get(k) return self.data[k] end
function model:delete(k) self.data[k] = nil end
function model:incr(k, n, init)
    self.data[k] = (self.data[k] or init) + n
    return self.data[k]
end
function model:llen(k) return self.data[k] and #self.data[k] or 0 end
function model:push(k, at, v)
    self.data[k] = self.data[k] or {}
    table.insert(self.data[k], at or #self.data[k] + 1, v)
    return true
end
function model:lpush(k, v) return self:push(k, 1, v) end
function model:rpush(k, v) return self:push(k, nil, v) end
function model:pop(k, at)
    local list = self.data[k]
    local v = list and table.remove(list, at or #list)
    if list and #list == 0 then self.data[k] = nil end
    return v
end
function model:lpop(k) return self:pop(k, 1) end
function model:rpop(k) return self:pop(k) end

local work = dofile(soak.dir .. "/work.lua")

---------------------------------------------------------------------------
-- Clients

local running, batches, broken, wrong = true, 0, 0, 0
local pids = {}                        -- pid -> the last batch it did
local why = {}

local function patiently(path)
    for _ = 1, 200 do
        local body = soak.one(path)
        if body then return body end
        ngx.sleep(0.05)
    end
    return nil
end

local function check(client, group, whole)
    local have = patiently(format("/show?c=%d&g=%d&z=%d&w=%d", client, group,
                                  GROUP, whole and 1 or 0))
    local want = work.show(model, client, group, GROUP, whole)
    if have ~= want then
        wrong = wrong + 1
        if wrong <= 3 then
            note("client %d, group %d: have %s", client, group,
                 tostring(have))
            note("want %s", want)
        end
    end
end

local function batch(sock, client, group)
    local seed = math.random(1, 2^31)
    local ok, more, body = soak.ask(sock, format(
        "/batch?c=%d&g=%d&s=%d&n=%d&z=%d", client, group, seed, OPERATIONS,
        GROUP))
    if ok then
        work.apply(model, client, group, seed, OPERATIONS, GROUP)
        batches = batches + 1
        pids[body:match("%d+")] = batches
        return more
    end
    why[more] = (why[more] or 0) + 1
    broken = broken + 1
    work.drop(model, client, group, GROUP)
    if not patiently(format("/drop?c=%d&g=%d&z=%d", client, group, GROUP)) then
        wrong = wrong + 1
        note("nobody answers")
    end
    check(client, math.random(1, GROUPS))
    return false
end

local function client(number)
    while running do
        local sock = soak.connect()
        while sock and running do
            if not batch(sock, number, math.random(1, GROUPS)) then break end
        end
        if sock then sock:close() else ngx.sleep(0.01) end
    end
end

-- One that has been at work lately.
local function some_pid()
    local all = {}
    for pid in pairs(pids) do all[#all + 1] = pid end
    pids = {}
    return all[math.random(1, math.max(1, #all))]
end

---------------------------------------------------------------------------
-- Killed writers

configure(WORKERS, "16m")
soak.start("/keys")

local threads = {}
for i = 1, clients do
    threads[i] = ngx.thread.spawn(client, i)
end

local killed, reloads = 0, 0
local stop_at = ngx.now() + seconds
local reload_at = ngx.now() + 7
while ngx.now() < stop_at do
    ngx.sleep(soak.wine and 1 + math.random() or 0.05 + math.random() * 0.3)
    local pid = some_pid()
    if pid then
        soak.kill(pid)
        killed = killed + 1
    end
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
ngx.sleep(soak.wine and 3 or 1)

is(wrong == 0, "%d workers killed, %d reloads, %d batches of %d writes, %d of "
   .. "them cut short: what was not in flight is right", killed, reloads,
   batches, OPERATIONS, broken)
for text, n in pairs(why) do note("%s: %d", text, n) end

wrong = 0
for c = 1, clients do
    for g = 1, GROUPS do
        check(c, g, true)
    end
end
is(wrong == 0, "all %d keys are right at the end", clients * GROUPS * GROUP)
is(soak.logged("unfinished write of a dead process") > 0,
   "%d shards were logged as repaired",
   soak.logged("unfinished write of a dead process"))
is(soak.logged("was damaged") == 0, "none was dropped")
is(soak.logged("%[emerg%]") == 0, "no emergency")

---------------------------------------------------------------------------
-- Reloads

local function reload_until(pattern)
    local before = soak.logged(pattern)
    soak.control("reload")
    for _ = 1, 400 do
        if soak.logged(pattern) > before then break end
        ngx.sleep(0.05)
    end
    ngx.sleep(soak.wine and 3 or 1)
end

local before = soak.one("/keys")
reload_until("gracefully shutting down")
is(tonumber(before) > 0 and soak.one("/keys") == before,
   "a reload keeps %s keys", tostring(before))

configure(WORKERS, "4m")
reload_until("changed its size from 16777216 to 4194304, contents dropped")
is(soak.logged("\"work\" changed its size") == 1
   and soak.logged("\"other\" changed") == 0,
   "another size replaces the zone, and the log says so")
is(soak.one("/keys") == "0", "it is empty")

---------------------------------------------------------------------------
-- Many processes: three generations, each held by its requests

local MANY, held, alive, count = 32, {}, {}, 0

local function hold()
    local sock = soak.connect(120000)
    if not sock then return end
    local ok = sock:send("GET /hold HTTP/1.1\r\nHost: t\r\n\r\n")
    local line
    repeat
        line = ok and sock:receive()
    until not line or line == ""
    if line then sock:receive() end
    local pid = line and sock:receive()
    if not pid then return sock:close() end
    held[#held + 1] = { sock = sock, pid = pid }
    if not alive[pid] then
        alive[pid], count = true, count + 1
    end
end

configure(MANY, "4m")
for generation = 1, 3 do
    local first = count
    reload_until("start worker processes")
    ngx.sleep(soak.wine and 5 or 1)
    for _ = 1, 40 do
        local some = {}
        for i = 1, 8 do some[i] = ngx.thread.spawn(hold) end
        for i = 1, 8 do ngx.thread.wait(some[i]) end
        if count - first >= MANY - 2 then break end
    end
    note("generation %d: %d workers hold %d requests", generation,
         count - first, #held)
end

soak.one("/go")
local finished = 0
for _, h in ipairs(held) do
    local line
    repeat
        line = h.sock:receive()
        if line == "gone" then finished = finished + 1 end
    until not line or line == "gone"
    h.sock:close()
end
is(count >= 60, "%d processes at once", count)
is(finished == #held, "all of their %d requests ended well: %d", #held,
   finished)
is(soak.one("/pid") ~= nil, "and it serves")
is(soak.logged("%[emerg%]") + soak.logged("%[alert%].*spawn") == 0,
   "no emergency")

soak.done()
