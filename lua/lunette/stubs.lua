-- lunette/stubs.lua -- `lunette types`: the API as files of ---@meta, from
-- which editors know names, arguments, results and phases
--
-- The words are LuaCATS', which lua-language-server and EmmyLua read. They come
-- from the tables of the manual (lunette.api, lunette.api_modules) and from
-- lunette.api_types.
--
-- SPDX-License-Identifier: BSD-2-Clause

local api = require "lunette.api"
local base = require "lunette.base"
local files = require "lunette.files"
local modules = require "lunette.api_modules"
local types = require "lunette.api_types"

base.cdef [[
    int lun_ffi_make_dir(const char *path);
]]

local C = require("ffi").C

local concat, sort = table.concat, table.sort
local open, stdout, stderr = io.open, io.stdout, io.stderr

local _M = {}

local USAGE = [[
usage: lunette types [DIR]

Writes what an editor has to know of ngx.*, resty.* and lunette.* into DIR
(types), and beside it a .luarc.json that says where, unless there is one.
]]

-- Words that Lua keeps for itself.
local NAMES = { ["function"] = "fn", table = "tab" }

local function argument(name, optional)
    return ("---@param %s%s %s\n"):format(NAMES[name] or name,
                                          optional and "?" or "",
                                          types.arguments[name] or "any")
end


-- "(text, most?)" as lines of their own, and as a list of names. What is no
-- name, as in '("send")', is a value that is expected there.
local function arguments(text)
    local lines, names = {}, {}

    for word in text:gmatch "[^%s,()]+" do
        local name, optional = word:match "^([%a_][%w_]*)(%??)$"

        if word == "..." then
            lines[#lines + 1] = "---@param ... any\n"
            names[#names + 1] = "..."

        elseif name then
            lines[#lines + 1] = argument(name, optional ~= "")
            names[#names + 1] = NAMES[name] or name

        else
            lines[#lines + 1] = ("---@param what %s\n"):format(word)
            names[#names + 1] = "what"
        end
    end

    return concat(lines), concat(names, ", ")
end


local function results(text)
    return (text:gsub("([^,]+),? ?", "---@return %1\n"))
end


local function put(out, what, help, args, result, note)
    local lines, names = arguments(args)

    out[#out + 1] = "\n--- " .. help .. "\n" .. (note or "") .. lines
                    .. results(result or "")
                    .. ("function %s(%s) end\n"):format(what, names)
end


local function phases(row)
    return row[2] and "---\n--- In: " .. row[2]:gsub(" ", ", ") .. ".\n" or nil
end


local function constants()
    local names, out = {}, {}

    for name, value in pairs(ngx) do
        if type(value) == "number" and name:find "^[%u_%d]+$" then
            names[#names + 1] = name
        end
    end

    sort(names)

    for i, name in ipairs(names) do
        out[i] = ("---@field %s integer\n"):format(name)
    end

    return concat(out)
end


local VALUES = [[
---@meta

---@class ngx
---@field var table<string|integer, any>
---@field ctx table
---@field status integer
---@field header table<string, string|number|string[]|nil>
---@field headers_sent boolean
---@field is_subrequest boolean
---@field arg table
---@field shared table<string, ngx.shared.DICT>
---@field null userdata
@constants@ngx = {}

]]

-- Tables that functions stand in: "ngx.req" of "ngx.req.get_method".
local function put_tables(out)
    local seen = { ngx = true, coroutine = true }

    for _, row in ipairs(api.rows) do
        local parent = row[2] ~= nil and row[1]:match "^(.*)%.[^.]+$"

        if parent and not seen[parent] then
            seen[parent] = true
            out[#out + 1] = parent .. " = {}\n"
        end
    end
end


-- Functions that the language's own stubs have.
local function is_ours(name)
    return not name:find("^coroutine%.")
end


local function put_group(out, group, class)
    local name = group[1]

    for _, row in ipairs(group[3]) do
        local full = name .. "." .. row[1]
        local dot = types.of_functions[name] or types.plain[full]

        put(out, class .. (dot and "." or ":") .. row[1], row[3], row[2],
            types.results[full])
    end
end


local OBJECTS = { ["ngx.shared.DICT"] = "dict", tcpsock = "tcp",
                  udpsock = "udp" }

local function core()
    local out = { (VALUES:gsub("@constants@", constants())) }

    put_tables(out)

    for _, row in ipairs(api.rows) do
        if row[2] ~= nil and is_ours(row[1]) then
            put(out, row[1], row[4], row[3], types.results[row[1]],
                phases(row))
        end
    end

    out[#out + 1] = "\n" .. types.classes

    for _, group in ipairs(modules) do
        local object = OBJECTS[group[1]]

        if object then
            out[#out + 1] = ("\n--- %s\n---@class %s\nlocal %s = {}\n"):format(
                group[2], group[1], object)
            put_group(out, group, object)
        end
    end

    return concat(out)
end


local function module_text(group)
    local out = { ("---@meta %s\n\n--- %s\n---@class %s%s\n"
                   .. "local _M = {}\n"):format(
        group[1], group[2], group[1],
        group[4] and "\n---@field [string] fun(self, ...): any, string?"
        or "") }

    put_group(out, group, "_M")
    out[#out + 1] = "\nreturn _M\n"
    return concat(out)
end


-- The names of files, below a folder, and what they hold.
function _M.files()
    local texts = { ["ngx.lua"] = core() }

    for _, group in ipairs(modules) do
        if not OBJECTS[group[1]] then
            texts[group[1]:gsub("%.", "/") .. ".lua"] = module_text(group)
        end
    end

    return texts
end


local function write(path, text)
    local parent = path:match "^(.*)/"

    if parent and C.lun_ffi_make_dir(parent) ~= 0 then
        return nil, "no folder " .. parent .. " can be made"
    end

    return files.write(path, text)
end


local SETTINGS = [[
{
  "runtime.version": "LuaJIT",
  "workspace.library": ["%s"],
  "workspace.checkThirdParty": false
}
]]

function _M.settings(dir)
    return (SETTINGS:format((dir:gsub('[\\"]', "\\%0"))))
end


local function is_there(path)
    local file = open(path, "rb")

    return file and file:close()
end


-- The exit status.
function _M.main(words)
    local dir = words[1] or "types"

    if dir == "-h" or dir == "--help" then
        stdout:write(USAGE)
        return 0

    elseif dir:sub(1, 1) == "-" or words[2] then
        stderr:write(USAGE)
        return 1
    end

    local texts, names = _M.files(), {}

    for name in pairs(texts) do
        names[#names + 1] = name
    end

    sort(names)

    for _, name in ipairs(names) do
        local ok, err = write(dir .. "/" .. name, texts[name])

        if not ok then
            stderr:write("lunette types: ", err, "\n")
            return 1
        end
    end

    stdout:write(dir, "\n")

    if not is_there ".luarc.json" then
        assert(write(".luarc.json", _M.settings(dir)))
        stdout:write(".luarc.json\n")
    end

    return 0
end


return _M
