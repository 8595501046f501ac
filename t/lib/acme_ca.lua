-- acme_ca.lua -- an ACME authority for tests, in the server under test or in
-- one of its own, with the manners that the test wants:
--
--     lua_shared_dict ca 1m;
--     location /ca/ { content_by_lua_block { require("acme_ca").serve {
--         order = function (ca) ngx.status = 429 ... end } } }
--
-- It looks at no signature.  What it gives in the end is the file that the test
-- names, or else what was ordered (acme_cert.lua), signed by nobody.
--
--     certificate   that file
--     ready         names are taken as ours without a challenge
--     processing    a certificate is not there at once
--     name, kind, token, port   of challenges, where the usual ones are not
--                   wanted
--     life          seconds that certificates are good for (90 days)
--     more          text for the directory
--     order, account, ...       a page that answers otherwise
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
local function validate(ca, id, name, port)
    local sock = ngx.socket.tcp()

    assert(sock:connect("127.0.0.1", port))
    sock:send("GET /.well-known/acme-challenge/tok-1 HTTP/1.0\r\nHost: "
              .. name .. ":80\r\n\r\n")
    local text = sock:receive("*a")
    sock:close()
    local good = text:match "\r\n\r\n(tok%-1%.[%w_-]+)$"

    ngx.shared.ca:set("valid " .. id, good and #good == 6 + 43 or false)
    ngx.log(ngx.NOTICE, "ca: ", name, " is ", good and "valid" or "not valid")
end

-- Of each order: "N" its names, by spaces; "valid N" "cert N" what has come.
local function names_of(id)
    return ngx.shared.ca:get("names " .. id)
end

-- The first of them, without the star of a wildcard.
local function host_of(id)
    return (names_of(id):match "%S+":gsub("^%*%.", ""))
end

local function order_text(ca, id, status)
    local dict = ngx.shared.ca

    status = status or dict:get("cert " .. id) and "valid"
                   or (ca.ready or dict:get("valid " .. id)) and "ready"
                   or "pending"
    local names = {}

    for name in names_of(id):gmatch "%S+" do
        names[#names + 1] = ('{"type":"dns","value":"%s"}'):format(name)
    end
    return ('{"status":"%s","identifiers":[%s],"finalize":"%sfinalize/%d",'
            .. '"certificate":"%scert/%d","authorizations":["%sauthz/%d"]}')
           :format(status, table.concat(names, ","), base(), id, base(), id,
                   base(), id)
end

-- One by one what it answers; `ca` is what serve() was given, `id` the order's
-- number.
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

function pages.order(ca, _, payload)
    local id = ngx.shared.ca:incr("orders", 1, 0)
    local names = {}

    for name in payload:gmatch '"value":"([^"]*)"' do
        names[#names + 1] = name
    end
    ngx.shared.ca:set("names " .. id, table.concat(names, " "))
    ngx.log(ngx.NOTICE, "ca: ordered ", payload)
    ngx.status = 201
    ngx.header.location = base() .. "o/" .. id
    ngx.print(order_text(ca, id))
end

function pages.o(ca, _, _, id) ngx.print(order_text(ca, id)) end

function pages.authz(ca, _, _, id)
    ngx.print(('{"status":"%s","identifier":{"type":"dns","value":"%s"},'
               .. '"challenges":[{"type":"%s","url":"%schall/%d","token":'
               .. '"%s","status":"pending"}]}'):format(
        (ca.ready or ngx.shared.ca:get("valid " .. id)) and "valid"
        or "pending", ca.name or host_of(id),
        ca.kind or "http-01", base(), id, ca.token or "tok-1"))
end

function pages.chall(ca, _, _, id)
    validate(ca, id, ca.name or host_of(id), ca.port or ngx.var.server_port)
    ngx.print "{}"
end

function pages.finalize(ca, _, payload, id)
    local now, text = ngx.time(), nil

    if ca.certificate then
        local file = assert(io.open(ca.certificate, "rb"))

        text = file:read "*a"
        file:close()
    else
        text = require("acme_cert").issue(
            decoded(payload:match '"csr":"([^"]*)"'), tonumber(id), now - 60,
            now + (ca.life or 90 * 86400))
    end
    ngx.shared.ca:set("cert " .. id, text)
    ngx.print(order_text(ca, id, ca.processing and "processing"))
end

function pages.cert(_, _, _, id)
    ngx.print(ngx.shared.ca:get("cert " .. id))
end

function _M.serve(ca)
    local path = ngx.var.uri:match "^/ca/(.*)$"
    local page, id = path:match "^(%w+)/?(%d*)$"
    local dict = ngx.shared.ca
    local protected, payload

    if ngx.req.get_method() == "POST" then
        protected, payload = read_body()
        if not protected:find('"url":"' .. base() .. path .. '"', 1, true) then
            return _M.problem(400, "malformed", "signed for another URL")
        end
        if protected:match '"nonce":"(.-)"' ~= "n-" .. dict:get("nonces") then
            return _M.problem(400, "badNonce")
        end
    end
    if page ~= "dir" then
        ngx.header["Replay-Nonce"] = "n-" .. dict:incr("nonces", 1, 0)
    end
    return (ca[page] or pages[page])(ca, protected, payload, id)
end

_M.pages = pages

return _M
