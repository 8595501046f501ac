-- lunette/sync_store.lua -- the stores that `lunette sync` follows: Redis,
-- etcd by its JSON gateway, Consul's KV
--
-- Each has read(): all below the prefix, at one moment, as { version, files };
-- or nil, why not, and whether that is for what is there (true) and not because
-- the store is away. wait(seconds): true when it is time to read again; nil
-- and why not, when the store is away. report(node, text), close().
--
-- SPDX-License-Identifier: BSD-2-Clause

local http = require "resty.http"
local json = require "cjson.safe"
local redis = require "resty.redis"

local null = ngx.null
local encode, decode = ngx.encode_base64, ngx.decode_base64

local _M = {}

local VERSION, NODES = ".version", ".nodes/"
local CONNECT, SEND, READ = 5000, 5000, 15000          -- ms

-- A file's name; nil: the key is one of ours.
local function file_of(key, prefix)
    local name = key:sub(#prefix + 1)

    if key:sub(1, #prefix) == prefix and name ~= VERSION
       and name:sub(1, #NODES) ~= NODES and name ~= ""
    then
        return name
    end
end

local function too_many(o)
    return nil, ("more than %d files"):format(o.most_files), true
end

local function too_large(name, o)
    return nil, ('"%s": more than %d bytes'):format(name, o.most), true
end

-- --- Redis ---

local redis_store = { port = 6379 }

-- What a pattern takes for itself.
local function escape(text)
    return (text:gsub("[%*%?%[%]\\]", "\\%0"))
end

function redis_store:connect()
    if self.client then
        return self.client
    end

    local client = redis:new()
    client:set_timeouts(CONNECT, SEND, READ)
    local ok, err = client:connect(self.host, self.port, {
        ssl = self.tls, ssl_verify = self.tls, server_name = self.host,
        username = self.user, password = self.password, db = self.db
    })
    if not ok then
        return nil, err
    end
    self.client = client
    return client
end

function redis_store:close()
    if self.client then
        self.client:close()
        self.client = nil
    end
end

-- Names below the prefix; a key may come twice.
function redis_store:names(client)
    local seen, list, cursor = {}, {}, "0"

    repeat
        local reply, err = client:scan(cursor, "MATCH",
                                       escape(self.prefix) .. "*", "COUNT",
                                       "1000")
        if not reply then
            return nil, err
        end
        cursor = reply[1]
        for _, key in ipairs(reply[2]) do
            local name = file_of(key, self.prefix)
            if name and not seen[name] then
                seen[name] = true
                list[#list + 1] = name
            end
        end
        if #list > self.o.most_files then
            return too_many(self.o)
        end
    until cursor == "0"

    table.sort(list)
    return list
end

-- Nothing is fetched that is too large.
function redis_store:check_sizes(client, names)
    if #names == 0 then
        return true
    end

    local total = 0
    client:init_pipeline(#names)
    for _, name in ipairs(names) do
        client:strlen(self.prefix .. name)
    end
    local sizes, err = client:commit_pipeline()
    if not sizes then
        return nil, err
    end

    for i, size in ipairs(sizes) do
        if type(size) ~= "number" then
            return nil, ('"%s" is no string'):format(names[i]), true
        elseif size > self.o.most then
            return too_large(names[i], self.o)
        end
        total = total + size
    end
    if total > self.o.most_bytes then
        return nil, ("more than %d bytes"):format(self.o.most_bytes), true
    end
    return true
end

-- At one moment; the version is the last.
function redis_store:fetch(client, names)
    local keys = {}
    for i, name in ipairs(names) do
        keys[i] = self.prefix .. name
    end
    keys[#keys + 1] = self.prefix .. VERSION
    return client:mget(unpack(keys))
end

function redis_store:read()
    local client, err = self:connect()
    if not client then
        return nil, err
    end

    local names, bad
    names, err, bad = self:names(client)
    if not names then
        return nil, err, bad
    end

    local ok
    ok, err, bad = self:check_sizes(client, names)
    if not ok then
        return nil, err, bad
    end

    local texts
    texts, err = self:fetch(client, names)
    if not texts then
        return nil, err
    end

    local set = { files = {} }
    for i, name in ipairs(names) do
        if texts[i] ~= null then
            set.files[name] = texts[i]
        end
    end
    set.version = texts[#names + 1] ~= null and texts[#names + 1] or nil
    self.seen = set.version
    return set
end

function redis_store:wait(seconds)
    local client, err = self:connect()
    local ends = ngx.now() + seconds

    while client and ngx.now() < ends do
        ngx.sleep(self.o.interval)
        local version
        version, err = client:get(self.prefix .. VERSION)
        if not version then
            return nil, err
        elseif (version ~= null and version or nil) ~= self.seen then
            return true
        end
    end
    return client and true, err
end

function redis_store:report(node, text)
    local client, err = self:connect()

    if not client then
        return nil, err
    end
    return client:set(self.prefix .. NODES .. node, text)
end

-- --- HTTP ---

-- The answer's body, if that is not too large.
local function read_body(res, most)
    local parts, total = {}, 0

    while true do
        local part, err = res.body_reader(65536)
        if err then
            return nil, err
        elseif not part then
            return table.concat(parts)
        end
        total = total + #part
        if total > most then
            return nil, ("an answer of more than %d bytes"):format(most), true
        end
        parts[#parts + 1] = part
    end
end

-- A connection, and an answer whose body is still to be read.
local function begin(self, method, path, body, timeout, query)
    local client = http.new()

    client:set_timeouts(CONNECT, SEND, timeout or READ)
    local ok, err = client:connect {
        scheme = self.tls and "https" or "http", host = self.host,
        port = self.port, ssl_verify = self.tls
    }
    if not ok then
        return nil, err
    end

    local res
    res, err = client:request {
        method = method, path = path, query = query, body = body,
        headers = { Authorization = self.token,
                    ["X-Consul-Token"] = self.consul_token }
    }
    if not res then
        client:close()
        return nil, err
    end
    return client, res
end

-- Status, body, answer; nil, why not, and as read().
local function ask(self, method, path, body, timeout, query)
    local client, res = begin(self, method, path, body, timeout, query)
    if not client then
        return nil, res
    end

    -- A third more in base64, and names.
    local text, err, bad = read_body(res, self.o.most_bytes * 2)
    client:close()
    if not text then
        return nil, err, bad
    end
    return res.status, text, res
end

-- keys: of { name, text } in base64.
local function set_of(self, rows)
    local set, count = { files = {} }, 0

    for _, row in ipairs(rows) do
        local key, text = row.key, decode(row.value or "") or ""
        local name = file_of(key, self.prefix)

        if key == self.prefix .. VERSION then
            set.version = text
        elseif name then
            count = count + 1
            if count > self.o.most_files then
                return too_many(self.o)
            elseif #text > self.o.most then
                return too_large(name, self.o)
            end
            set.files[name] = text
        end
    end
    return set
end

-- --- etcd ---

local etcd_store = { port = 2379 }

function etcd_store:close()
    self.token = nil
end

-- The answer as a table.
function etcd_store:ask(path, question)
    if self.user and not self.token and path ~= "/v3/auth/authenticate" then
        local answer, err = self:ask("/v3/auth/authenticate", {
            name = self.user, password = self.password
        })
        if not answer then
            return nil, err
        end
        self.token = answer.token
    end

    local status, text, bad = ask(self, "POST", path, json.encode(question))
    if not status then
        return nil, text, bad
    end

    local answer = json.decode(text)
    if status ~= 200 or type(answer) ~= "table" then
        return nil, ("etcd says %d %s"):format(status, text:sub(1, 200))
    end
    return answer
end

-- The first key that is behind all that begin with that.
local function behind(prefix)
    local last = prefix:byte(-1)

    return prefix:sub(1, -2) .. string.char(last + 1)
end

function etcd_store:read()
    local answer, err, bad = self:ask("/v3/kv/range", {
        key = encode(self.prefix), range_end = encode(behind(self.prefix))
    })
    if not answer then
        return nil, err, bad
    end

    local header, rows = answer.header, {}
    self.revision = type(header) == "table" and tonumber(header.revision)
    if not self.revision then
        return nil, "etcd says no revision"
    end

    for i, kv in ipairs(answer.kvs or {}) do
        rows[i] = { key = decode(kv.key or "") or "", value = kv.value }
    end
    return set_of(self, rows)
end

-- Lines of a watch; true: something has changed, or what has cannot be said.
local function read_events(reader)
    local rest = ""

    while true do
        local part, err = reader(65536)
        if not part then
            return err == "timeout" and true or nil, err or "the watch ended"
        end

        rest = rest .. part
        if #rest > 1024 * 1024 then
            return true
        end
        for line in rest:gmatch "([^\n]*)\n" do
            local event = json.decode(line)
            local result = type(event) == "table" and event.result

            if type(result) ~= "table" or result.canceled then
                return true            -- compacted, maybe: all is read again
            elseif type(result.events) == "table" and #result.events > 0 then
                return true
            end
        end
        rest = rest:match "[^\n]*$"
    end
end

function etcd_store:wait(seconds)
    local client, res = begin(self, "POST", "/v3/watch", json.encode {
        create_request = {
            key = encode(self.prefix .. VERSION),
            start_revision = tostring(self.revision + 1)
        }
    }, seconds * 1000)

    if not client then
        return nil, res
    end
    if res.status ~= 200 then
        client:close()
        return nil, "etcd says " .. res.status
    end

    local ok, err = read_events(res.body_reader)
    client:close()
    return ok, err
end

function etcd_store:report(node, text)
    return self:ask("/v3/kv/put", {
        key = encode(self.prefix .. NODES .. node), value = encode(text)
    })
end

-- --- Consul ---

local consul_store = { port = 8500 }

function consul_store:close() end

local function path_of(key)
    return "/v1/kv/" .. ngx.escape_uri(key):gsub("%%2F", "/")
end

local function index_of(res)
    return tonumber(res.headers["X-Consul-Index"])
end

function consul_store:read()
    local status, text, res = ask(self, "GET", path_of(self.prefix), nil, nil,
                                  "recurse=true")
    if not status then
        return nil, text, res
    elseif status == 404 then
        self.index = index_of(res)
        return { files = {} }
    end

    local answer = json.decode(text)
    if status ~= 200 or type(answer) ~= "table" then
        return nil, ("Consul says %d %s"):format(status, text:sub(1, 200))
    end

    self.index = index_of(res)
    local rows = {}
    for i, row in ipairs(answer) do
        rows[i] = { key = tostring(row.Key),
                    value = row.Value ~= null and row.Value or "" }
        if row.Key == self.prefix .. VERSION then
            self.seen = row.ModifyIndex
        end
    end
    return set_of(self, rows)
end

-- A question that is answered when the key has changed. An index that goes
-- back is that of a store that was begun anew.
function consul_store:wait(seconds)
    local status, text, res = ask(self, "GET",
        path_of(self.prefix .. VERSION), nil, (seconds + 10) * 1000,
        ("index=%d&wait=%ds"):format(self.index or 0, seconds))

    if not status then
        return nil, text
    elseif status ~= 200 and status ~= 404 then
        return nil, ("Consul says %d %s"):format(status, text:sub(1, 200))
    end

    -- One that answers at once, for ever, is not asked for ever.
    ngx.sleep(self.o.interval)
    return true
end

function consul_store:report(node, text)
    local status, answer = ask(self, "PUT",
                               path_of(self.prefix .. NODES .. node), text)

    if status ~= 200 then
        return nil, status and "Consul says " .. status or answer
    end
    return true
end

-- --- ---

local kinds = { redis = redis_store, etcd = etcd_store, consul = consul_store }

-- The store of o.url; or nil, and what is wrong with that.
function _M.open(o)
    local scheme, rest = o.url:match "^(%l+)://(.+)$"
    local kind = scheme and (kinds[scheme] or kinds[scheme:match "^(%l+)s$"])

    if not kind then
        return nil, '"' .. o.url:gsub("//[^/]*@", "//...@")
                    .. '" is no URL of a store'
    end

    local query = rest:match "%?(.*)$"
    local credentials, place = rest:gsub("%?.*$", ""):match "^([^/]*)@(.+)$"
    place = place or rest:gsub("%?.*$", "")
    local host, path = place:match "^([^/]+)/(.+)$"
    local port = host and host:match "^.*[%]%w]:(%d+)$"

    if port then
        host = host:gsub(":%d+$", "")
    end
    if not host or (port and not (tonumber(port) < 65536)) then
        return nil, "a store's URL is redis://HOST[:PORT]/PREFIX"
    end

    local user, password = (credentials or ""):match "^([^:]*):?(.*)$"
    local self = setmetatable({
        o = o, tls = not kinds[scheme], host = host,
        port = tonumber(port or kind.port),
        prefix = path:gsub("/*$", "/"),
        user = user ~= "" and ngx.unescape_uri(user) or nil,
        password = o.password
                   or password ~= "" and ngx.unescape_uri(password) or nil,
        db = query and tonumber(query:match "db=(%d+)") or nil
    }, { __index = kind })

    if kind == consul_store then
        self.consul_token = o.password or self.user
    end
    return self
end

return _M
