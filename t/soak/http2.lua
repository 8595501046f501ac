-- http2.lua -- HTTP/2: bytes nobody should send, and reloads under load.
--
--     SERVER=... lunette run t/soak/http2.lua [-n COUNT] [-s SEED]
--
-- COUNT connections send frames that are right, odd or broken; the workers
-- must be the same afterwards and still serve. Clients that ask and give no
-- window must not keep workers that were told to go. Then clients that keep
-- their connection ask while the server is reloaded: a request below the
-- number that GOAWAY names must be answered.
--
-- SPDX-License-Identifier: BSD-2-Clause

local bit = require "bit"
local soak = dofile("t/soak/help.lua")

local char, rep, random = string.char, string.rep, math.random
local PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
local RESET, SETTINGS, GOAWAY, LAST = 3, 4, 7, 0x7fffffff

local count = tonumber(soak.options.n or 2000)
math.randomseed(tonumber(soak.options.s or 1))

soak.configure([[
worker_processes 2;
events { worker_connections 2048; }
]], [[
    http2 on;
    client_body_timeout 1s;
    client_header_timeout 1s;
    send_timeout 1s;]], [[
        location = /pid { content_by_lua_block { ngx.say(ngx.worker.pid()) } }
        location = /s { return 200 "some text"; }
        location = /body {
            content_by_lua_block {
                ngx.req.read_body()
                ngx.say(ngx.var.request_method)
                ngx.flush(true)
                ngx.sleep(0.01)
                ngx.print(ngx.req.get_body_data())
            }
        }]])

---------------------------------------------------------------------------
-- Frames

local function word(n)
    return char(bit.band(bit.rshift(n, 24), 255),
                bit.band(bit.rshift(n, 16), 255),
                bit.band(bit.rshift(n, 8), 255), bit.band(n, 255))
end

local function frame(kind, flags, id, payload)
    payload = payload or ""
    return word(#payload):sub(2) .. char(kind, flags) .. word(id) .. payload
end

local function field(name, value)
    return "\0" .. char(#name) .. name .. char(#value) .. value
end

local function one_of(list)
    return list[random(#list)]
end

local function request(path, method)
    return field(":method", method or "GET") .. field(":scheme", "http")
           .. field(":path", path) .. field(":authority", "t")
end

local function odd_request()
    local text = request(one_of { "/s", "/body", "/none", "/../x", "*" },
                         one_of { "GET", "POST", "HEAD", "TRACE", "x" })
    for _ = 1, random(0, 3) do
        text = text .. field(one_of { "content-length", "host", "x", "cookie",
                                      "X", "", ":path", "expect", "range" },
                             one_of { "1", "5", "-1", "", "a\r", "100-continue",
                                      "bytes=1-2", rep("z", 100) })
    end
    return text
end

local function odd_frame(id)
    local kind = random(0, 12)

    if kind == 0 then
        return frame(0, random(0, 1), id, rep("b", one_of { 0, 1, 5, 4000 }))
    elseif kind == RESET then
        return frame(RESET, 0, id, word(one_of { 0, 2, 8, 99 }))
    elseif kind == SETTINGS then
        return frame(SETTINGS, 0, 0, "\0\4" .. word(one_of { 0, 1, 65535 }))
    elseif kind == 8 then
        return frame(8, 0, one_of { 0, id }, word(one_of { 0, 1, LAST }))
    end
    return frame(kind, random(0, 255), one_of { 0, id, 2 },
                 rep(char(random(0, 255)), random(0, 20)))
end

local function conversation()
    local out, id = { PREFACE, frame(SETTINGS, 0, 0) }, 1

    for _ = 1, random(1, 30) do
        if random() < 0.5 then
            local text = random() < 0.6 and request("/body", "POST")
                         or odd_request()
            out[#out + 1] = frame(1, one_of { 4, 5, 5, 0 }, id, text)
            id = id + 2
        else
            out[#out + 1] = odd_frame(one_of { 1, math.max(id - 2, 1) })
        end
    end
    local text = table.concat(out)
    if random() < 0.3 then
        local at = random(#PREFACE + 1, #text)
        text = text:sub(1, at - 1) .. char(random(0, 255)) .. text:sub(at + 1)
    end
    return text
end

---------------------------------------------------------------------------
-- Clients

local function abuse(times)
    for _ = 1, times do
        local sock, text = soak.connect(), conversation()
        local half = random(#text)
        if sock and sock:send(text:sub(1, half)) then
            sock:send(text:sub(half + 1))
            sock:settimeout(random(1, 30))
            sock:receive(random(1, 400))
        end
        if sock then sock:close() end
    end
end

local served, lost = 0, 0

-- Asks until the server says goodbye. False: a request was lost.
local function stay(sock)
    local id, last, done = 1, LAST, 0

    if not sock:send(PREFACE .. frame(SETTINGS, 0, 0)) then return true end
    while true do
        if id <= last then
            sock:send(frame(1, 5, id, request("/s")))
        end
        repeat
            local head = sock:receive(9)
            if not head then return done >= math.min(id, last) end
            local size = bit.bor(bit.lshift(head:byte(1), 16),
                                 bit.lshift(head:byte(2), 8), head:byte(3))
            local body = size > 0 and sock:receive(size) or ""
            if not body then return false end
            if head:byte(4) == GOAWAY then
                last = bit.bor(bit.lshift(body:byte(3), 8), body:byte(4))
                       + (body:byte(1) == 0x7f and LAST - 0xffff or 0)
            end
        until head:byte(4) == 0 and bit.band(head:byte(5), 1) == 1
        done, served, id = id, served + 1, id + 2
    end
end

---------------------------------------------------------------------------
-- The test

soak.start("/pid")

local threads = {}
for i = 1, 8 do
    threads[i] = ngx.thread.spawn(abuse, math.ceil(count / 8))
end
for i = 1, 8 do
    ngx.thread.wait(threads[i])
end

soak.is(soak.logged("%[alert%]") == 0, "no alert")
soak.is(soak.logged("exited") == 0, "no worker has died")
soak.is(soak.one("/s"), "it serves")

local held = {}
for i = 1, 10 do
    held[i] = soak.connect()
    held[i]:send(PREFACE .. frame(SETTINGS, 0, 0, "\0\4" .. word(0)))
    for id = 1, 99, 2 do
        held[i]:send(frame(1, 5, id, request("/s")))
    end
end
soak.control("reload")
local since = ngx.now()
repeat
    ngx.sleep(0.1)
    ngx.update_time()
until soak.logged("exited with code 0") >= 2 or ngx.now() > since + 20
soak.is(soak.logged("exited with code 0") >= 2, "old workers went after "
        .. "%.1f s, send_timeout is 1", ngx.now() - since)
for i = 1, 10 do
    held[i]:close()
end

local running = true
for i = 1, 8 do
    threads[i] = ngx.thread.spawn(function ()
        while running do
            local sock = soak.connect()
            if not sock or not stay(sock) then lost = lost + 1 end
            if sock then sock:close() end
        end
    end)
end
for _ = 1, 6 do
    soak.control("reload")
    ngx.sleep(soak.wine and 4 or 1)
end
running = false
soak.control("reload")
for i = 1, 8 do
    ngx.thread.wait(threads[i])
end

soak.is(served > 100, "%d requests while it was reloaded", served)
soak.is(lost == 0, "%d of them were lost", lost)
soak.done()
