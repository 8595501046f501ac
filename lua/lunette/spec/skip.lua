-- lunette/spec/skip.lua -- whether a block runs at all
--
-- Sections that say on which systems and versions a block makes sense. The
-- counts in `2: < 1.7.0` are of Test::Nginx's subtests; here the whole block
-- is skipped.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local perl = require "lunette.spec.perl"

local error = error

-- What this server keeps up with, when it goes by its own name.
local OUR_LEVEL = "1.31.5"

local _M = {}

local function canon(text)
    local a, b, c = text:match("(%d+)%.(%d+)%.(%d+)")

    return a and a * 1000000 + b * 1000 + c
end

-- { nginx, openssl } as numbers, asked of the server once.
local function versions(job)
    if job.versions then
        return job.versions
    end
    local argv, out = {}, job.dir .. "/version"
    for _, word in ipairs(job.server) do
        argv[#argv + 1] = word
    end
    argv[#argv + 1] = "-V"
    io.write(out, "")
    local process = io.run(argv, out, out)
    local text = process and process:wait(20000) and io.read(out) or ""
    local name, level = text:match("version: ([%w_-]+)/([%d.]+)")
    if name == "lunette" then
        level = OUR_LEVEL
    end
    job.versions = {
        nginx = level and canon(level) or canon(OUR_LEVEL),
        openssl = canon(text:match("OpenSSL ([%d.]+)") or ""),
    }
    return job.versions
end

local COMPARE = {
    ["<"] = function (a, b) return a < b end,
    ["<="] = function (a, b) return a <= b end,
    [">"] = function (a, b) return a > b end,
    [">="] = function (a, b) return a >= b end,
}

-- Whether `have` meets "< 1.2.3", and "< 1.2.3 and >= 1.0.0".
local function meets(have, text)
    local op, version, rest = text:match("^%s*([<>]=?)%s*([%d.]+)(.*)$")
    local compare = COMPARE[op]

    if not compare or not canon(version) then
        error("not a version condition: " .. text, 0)
    end
    local holds = compare(have, canon(version))
    local join, more = rest:match("^%a?%s*(%a+)%s+([<>].*)$")
    if join == "and" then
        return holds and meets(have, more)
    elseif join == "or" then
        return holds or meets(have, more)
    end
    return holds
end

-- "2: < 1.7.0 : reason" split at its colons.
local function parts(text)
    local condition, reason =
        text:match("^%s*%d+%s*:%s*([^:]*):?%s*(.-)%s*$")

    if not condition then
        error("not \"N: condition\": " .. text, 0)
    end
    return condition, reason ~= "" and reason or nil
end

local function by_nginx(block, job, name)
    local condition, reason = parts(block:text(name))

    if meets(versions(job).nginx, condition) then
        return reason or "nginx version " .. condition
    end
    return nil
end

local function by_openssl(block, job)
    local condition, reason = parts(block:text("skip_openssl"))
    local have = versions(job).openssl

    if not have or meets(have, condition) then
        return reason or "OpenSSL version " .. condition
    end
    return nil
end

local function by_eval(block)
    local code = block:text("skip_eval"):match("^%s*%d+%s*:%s*(.*)$")

    if not code then
        error("--- skip_eval: not \"N: code\"", 0)
    end
    return perl.value.truth(perl.eval(code, block.world)) and "skip_eval"
           or nil
end

local function said(block, name, default)
    local text = block:text(name):gsub("^%s+", ""):gsub("%s+$", "")

    return text ~= "" and text or default
end

local RULES = {
    { "SKIP", function (block) return said(block, "SKIP", "SKIP") end },
    { "skip_windows", function (block, job)
        return job.windows and said(block, "skip_windows", "not on Windows")
               or nil
    end },
    { "skip_linux", function (block, job)
        return not job.windows and said(block, "skip_linux", "not on Linux")
               or nil
    end },
    { "skip_eval", by_eval },
    { "skip_nginx", by_nginx },
    { "skip_nginx2", by_nginx },
    { "skip_openssl", by_openssl },
}

-- The reason to skip the block, or nil.
function _M.reason(block, job)
    for _, rule in ipairs(RULES) do
        if block:has(rule[1]) then
            local reason = rule[2](block, job, rule[1])
            if reason then
                return reason
            end
        end
    end
    return block:lacking()
end

-- The reason why the block may fail, or nil.
-- style: todo, a section's name
function _M.todo(block, job)
    if block:has("TODO") then
        return said(block, "TODO", "not done")
    end
    if block:has("todo") then
        return block:text("todo"):match("^%s*%d*%s*:?%s*(.-)%s*$")
    end
    if block:has("todo_nginx") then
        local condition, reason = block:text("todo_nginx")
                                  :match("^([^:]*):?%s*(.-)%s*$")
        return meets(versions(job).nginx, condition) and reason or nil
    end
    return nil
end

return _M
