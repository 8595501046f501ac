-- `lunette types`: what editors are told of the API is what there is of it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local api = require "lunette.api"
local modules = require "lunette.api_modules"
local stubs = require "lunette.stubs"
local types = require "lunette.api_types"

local LUNETTE = io.program() .. "/lunette"
local ROOT = "/tmp/lunette-stubs-" .. io.pid()
local SELF = { self = true, class = true, _ = true }
local OBJECTS = { ["ngx.shared.DICT"] = true, tcpsock = true, udpsock = true }

-- { full name, arguments }, of functions and of methods.
local function all_rows()
    local out = {}

    for _, row in ipairs(api.rows) do
        if row[2] ~= nil then
            out[#out + 1] = { row[1], row[3] }
        end
    end

    for _, group in ipairs(modules) do
        for _, row in ipairs(group[3]) do
            out[#out + 1] = { group[1] .. "." .. row[1], row[2] }
        end
    end

    return out
end

local function load_stub(text, env)
    local chunk = assert(loadstring(text))

    return setfenv(chunk, env)()
end

describe("the types of the API", function ()
    it("are of what there is", function ()
        local known = {}

        for _, row in ipairs(all_rows()) do
            known[row[1]] = true
        end

        for _, names in ipairs { types.results, types.plain } do
            for name in pairs(names) do
                assert.is_true(known[name], name)
            end
        end

        for name in pairs(types.of_functions) do
            assert.equal("table", type(require(name)), name)
        end
    end)

    it("know each argument", function ()
        for _, row in ipairs(all_rows()) do
            for name in row[2]:gsub('"[^"]*"', ""):gmatch "[%a_][%w_]*" do
                assert.truthy(types.arguments[name], row[1] .. " " .. name)
            end
        end
    end)

    it("know which functions are methods", function ()
        for _, group in ipairs(modules) do
            local module = not OBJECTS[group[1]] and require(group[1])

            for _, row in ipairs(module and group[3] or {}) do
                local name = group[1] .. "." .. row[1]
                local first = debug.getlocal(module[row[1]], 1)
                local is_method = not types.of_functions[group[1]]
                                  and not types.plain[name]

                -- Where nothing is taken, either will do.
                if first then
                    assert.equal(is_method, SELF[first] or false,
                                 name .. " " .. first)
                end
            end
        end
    end)

    it("are Lua that makes each name", function ()
        local files, env = stubs.files(), { ngx = nil, ndk = {} }

        load_stub(files["ngx.lua"], env)

        for _, row in ipairs(api.rows) do
            local at = env

            if row[2] ~= nil and not row[1]:find "^coroutine%." then
                for name in row[1]:gmatch "[^.]+" do
                    at = at[name]
                end

                assert.equal("function", type(at), row[1])
            end
        end

        for _, group in ipairs(modules) do
            local text = files[group[1]:gsub("%.", "/") .. ".lua"]

            if not OBJECTS[group[1]] then
                local module = load_stub(text, {})

                for _, row in ipairs(group[3]) do
                    assert.equal("function", type(module[row[1]]))
                end
            end
        end
    end)

    it("say phases, arguments and results", function ()
        local text = stubs.files()["ngx.lua"]

        assert.truthy(text:find([[
--- goes on with another location, inside
---
--- In: server_rewrite, rewrite, access, precontent, content.
---@param uri string
---@param args? string|table|string[]
function ngx.exec(uri, args) end
]], 1, true))
        assert.truthy(text:find([[
---@param key any
---@param number number
---@param init? number
---@param init_ttl? number
---@return number? value
---@return string? err
---@return boolean? forced
function dict:incr(key, number, init, init_ttl) end
]], 1, true))
        assert.truthy(text:find("\n---@field HTTP_OK integer\n", 1, true))
    end)
end)

describe("lunette types", function ()
    setup(function () os.execute("mkdir -p " .. ROOT) end)
    teardown(function () os.execute("rm -rf " .. ROOT) end)

    local function call(...)
        local process = assert(io.run({ "sh", "-c", 'cd "$0" && exec "$@"',
                                        ROOT, LUNETTE, "types", ... },
                                      ROOT .. "/out", ROOT .. "/err"))
        local status = process:wait(20000)

        return status, io.read(ROOT .. "/out") or "",
               io.read(ROOT .. "/err") or ""
    end

    it("writes them, and tells editors", function ()
        local status, out = call()

        assert.equal(0, status)
        assert.equal("types\n.luarc.json\n", out)
        assert.truthy(io.read(ROOT .. "/types/resty/redis.lua"))

        local settings = require "cjson".decode(io.read(ROOT
                                                        .. "/.luarc.json"))
        assert.equal("types", settings["workspace.library"][1])
        assert.equal("LuaJIT", settings["runtime.version"])
    end)

    it("leaves settings that are there alone", function ()
        io.write(ROOT .. "/.luarc.json", "{}")
        local status, out = call("api")

        assert.equal(0, status)
        assert.equal("api\n", out)
        assert.equal("{}", io.read(ROOT .. "/.luarc.json"))
    end)

    it("says what it cannot do", function ()
        io.write(ROOT .. "/file", "")
        local status, _, err = call("file/below")

        assert.equal(1, status)
        assert.matches("no folder file/below", err, 1, true)
        assert.equal(1, (call("--what")))
        assert.equal(1, (call("a", "b")))
    end)
end)
