-- lunette/spec/options.lua -- the command line of `lunette spec`
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local _M = {}

_M.usage = [[
usage: lunette spec [options] [file.t or folder ...]

Runs Test::Nginx-style specs (t/ if none is named) and prints TAP.

  --server CMD    the server to test, e.g. "wine build/windows/lunette.exe"
                  or nginx; this program if it is not given
  --globals TEXT  directives for the top of every configuration, such as
                  load_module; TEST_NGINX_GLOBALS does the same
  --workers N     worker processes of the server (1)
  --master        master_process on, also with one worker
  --reload        reload for every block instead of a restart
  --quit          tell servers under Wine to quit, instead of killing them,
                  and look at their ends as at those of others
  --jobs N        files at a time (two per processor: they mostly wait)
  --coverage FILE which lines of Lua have run, for `lunette coverage`
  --keep          keep the servers' folders
  --verbose       say what of a preamble is ignored
  --help          this text
]]

-- name of the option: field, and whether a value follows.
local OPTIONS = {
    ["--server"] = { "server", true }, ["--globals"] = { "globals", true },
    ["--workers"] = { "workers", true }, ["--reload"] = { "reload" },
    ["--coverage"] = { "coverage", true },
    ["--jobs"] = { "jobs", true }, ["--keep"] = { "keep" },
    ["--verbose"] = { "verbose" }, ["--master"] = { "master" },
    ["--help"] = { "help" }, ["-h"] = { "help" }, ["--quit"] = { "quit" },
    -- From a parent to its children.
    ["--job"] = { "job", true }, ["--port"] = { "port", true },
    ["--ports"] = { "ports", true }, ["--folder"] = { "folder", true },
}

local NUMBERS = { workers = true, jobs = true, job = true, port = true,
                  ports = true }

-- The options as a table with `paths`, or nil and what is wrong.
function _M.parse(args)
    local out, at = { paths = {} }, 1

    while at <= #args do
        local text = args[at]
        local name, value = text:match("^(%-%-%w+)=(.*)$")
        local option = OPTIONS[name or text]

        if text:sub(1, 1) ~= "-" then
            out.paths[#out.paths + 1] = text
        elseif not option then
            return nil, "unknown option " .. (name or text)
        elseif not option[2] then
            out[option[1]] = true
        else
            if not value then
                at = at + 1
                value = args[at]
            end
            if NUMBERS[option[1]] then
                value = tonumber(value)
            end
            if not value then
                return nil, (name or text) .. " needs a value"
            end
            out[option[1]] = value
        end
        at = at + 1
    end
    return out
end

-- Words of a command; "..." keeps blanks together.
function _M.words(command)
    local words, pos = {}, 1

    while true do
        pos = command:find("%S", pos)
        if not pos then
            return words
        end
        local from, to, word = command:find("^\"([^\"]*)\"", pos)
        if not from then
            from, to, word = command:find("^(%S+)", pos)
        end
        words[#words + 1] = word
        pos = to + 1
    end
end

local function is_spec(path)
    return path:find("%.t$") ~= nil
end

-- Adds every .t below a folder, in order of name.
local function add_below(files, folder)
    for _, name in ipairs(io.list(folder) or {}) do
        local path = folder .. "/" .. name
        if is_spec(name) then
            files[#files + 1] = path
        else
            add_below(files, path)
        end
    end
end

-- The spec files that the paths name, in the order of the paths; nil and
-- the path that is neither a file nor a folder.
function _M.files(paths)
    local files = {}

    for _, path in ipairs(#paths > 0 and paths or { "t" }) do
        path = path:gsub("\\", "/"):gsub("(.)/+$", "%1")
        if is_spec(path) and io.size(path) then
            files[#files + 1] = path
        elseif io.list(path) then
            add_below(files, path)
        else
            return nil, path
        end
    end
    return files
end

return _M
