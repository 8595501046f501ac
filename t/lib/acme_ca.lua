-- acme_ca.lua -- an ACME authority for blocks, in the server under test, with
-- the manners that the block wants:
--
--     lua_shared_dict ca 1m;
--     location /ca/ { content_by_lua_block { require("acme_ca").serve {
--         order = function (ca) ngx.status = 429 ... end } } }
--
-- It looks at no signature, and can sign no certificate: what it gives in the
-- end is the file that the block names.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local function decoded(text)
    text = text:gsub("-", "+"):gsub("_", "/")
    return ngx.decode_base64(text .. ("="):rep(-#text % 4))
end

local function base()
    return "http://127.0.0.1:" .. ngx.var.server_port .. "/ca/"
end

-- What a body says: its protected part, its payload.
local function read_body()
    ngx.req.read_body()
    local body = ngx.req.get_body_data() or ""

    return decoded(body:match '"protected":"([^"]*)"' or "") or "",
           decoded(body:match '"payload":"([^"]*)"' or "") or ""
end

function _M.problem(status, kind, detail)
    ngx.status = status
    ngx.print(('{"type":"urn:ietf:params:acme:error:%s","detail":"%s"}')
              :format(kind, detail or "told so"))
end

-- Asks as an authority does, and notes whether the answer is right.
local function validate(ca, name, port)
    local sock = ngx.socket.tcp()
    local ca_dict = ngx.shared.ca

    assert(sock:connect("127.0.0.1", port))
    sock:send("GET /.well-known/acme-challenge/tok-1 HTTP/1.0\r\nHost: "
              .. name .. ":80\r\n\r\n")
    local text = sock:receive("*a")
    sock:close()
    local good = text:match "\r\n\r\n(tok%-1%.[%w_-]+)$"

    ca_dict:set("valid", good and #good == 6 + 43 or false)
    ngx.log(ngx.NOTICE, "ca: ", name, " is ", good and "valid" or "not valid")
end

local function order_text()
    local dict = ngx.shared.ca
    local status = dict:get("final") and "valid"
                   or dict:get("valid") and "ready" or "pending"

    return ('{"status":"%s","finalize":"%sfinalize","certificate":"%scert",'
            .. '"authorizations":["%sauthz"]}'):format(status, base(), base(),
                                                       base())
end

-- One by one what it answers; `ca` is what serve() was given.
local pages = {}

function pages.dir(ca)
    ngx.print(('{"newNonce":"%snonce","newAccount":"%saccount","newOrder":'
               .. '"%sorder"%s}'):format(base(), base(), base(),
                                         ca.more or ""))
end

function pages.nonce() ngx.status = 200 end

function pages.account()
    ngx.status = 201
    ngx.header.location = base() .. "me"
    ngx.print '{"status":"valid"}'
end

function pages.order(_, _, payload)
    ngx.log(ngx.NOTICE, "ca: ordered ", payload)
    ngx.status = 201
    ngx.header.location = base() .. "o1"
    ngx.print(order_text())
end

function pages.o1() ngx.print(order_text()) end

function pages.authz(ca)
    ngx.print(('{"status":"%s","identifier":{"type":"dns","value":"%s"},'
               .. '"challenges":[{"type":"%s","url":"%schall","token":'
               .. '"%s","status":"pending"}]}'):format(
        ngx.shared.ca:get("valid") and "valid" or "pending",
        ca.name or "a.test", ca.kind or "http-01", base(),
        ca.token or "tok-1"))
end

function pages.chall(ca)
    validate(ca, "a.test", ca.port or ngx.var.server_port)
    ngx.print "{}"
end

function pages.finalize()
    ngx.shared.ca:set("final", true)
    ngx.print(order_text())
end

function pages.cert(ca)
    local file = assert(io.open(ca.certificate, "rb"))

    ngx.print(file:read "*a")
    file:close()
end

function _M.serve(ca)
    local page = ngx.var.uri:match "^/ca/(.*)$"
    local dict = ngx.shared.ca
    local protected, payload

    if ngx.req.get_method() == "POST" then
        protected, payload = read_body()
        if not protected:find('"url":"' .. base() .. page .. '"', 1, true) then
            return _M.problem(400, "malformed", "signed for another URL")
        end
        if protected:match '"nonce":"(.-)"' ~= "n-" .. dict:get("nonces") then
            return _M.problem(400, "badNonce")
        end
    end
    ngx.header["Replay-Nonce"] = "n-" .. dict:incr("nonces", 1, 0)
    return (ca[page] or pages[page])(ca, protected, payload)
end

_M.pages = pages

return _M
