-- t/mutate/tree.lua -- a copy of the tree in which mutants are built
--
-- The source tree is never written to: a run that is interrupted leaves
-- nothing but build/mutate, and the next one puts that right.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"
local shell = require "shell"

local must, quote, run = shell.must, shell.quote, shell.run

local ROOT = io.current()
local HOME = ROOT .. "/build/mutate"
local TREE = HOME .. "/tree"
local ASAN = TREE .. "/build/linux-asan"
local REACH = TREE .. "/build/linux-reach"

local _M = {
    root = ROOT, home = HOME, path = TREE,
    server = ASAN .. "/lunette", units = ASAN .. "/unit",
    original = HOME .. "/original",
    reach = { server = REACH .. "/lunette", units = REACH .. "/unit" },
}

-- --- the copy ---

local function tracked()
    local out = {}

    for _, path in ipairs(shell.lines("git ls-files -co --exclude-standard"))
    do
        if io.size(ROOT .. "/" .. path) then
            out[#out + 1] = path
        end
    end
    return out
end

-- Makes the copy what the tree is; the paths that were not.
function _M.sync()
    local changed, wanted = {}, {}

    io.make_dir(TREE)
    for _, path in ipairs(tracked()) do
        wanted[path] = true
        if not shell.same(ROOT .. "/" .. path, TREE .. "/" .. path) then
            changed[#changed + 1] = path
        end
    end
    must(shell.each("cp --parents -t " .. quote(TREE), changed),
         "cannot copy the tree")
    for _, path in ipairs(shell.lines("cd " .. quote(TREE) .. " && find . "
                          .. "-path ./build -prune -o -type f -print"))
    do
        path = path:sub(3)
        if not wanted[path] then
            io.remove(TREE .. "/" .. path)
            changed[#changed + 1] = path
        end
    end
    return changed
end

-- A file's text, from the copy: the tree may change while we are at it.
function _M.read(path)
    return io.read(TREE .. "/" .. path)
end

-- --- building ---

-- Whether make could; what it said is in build/mutate/make.log.
local function make(words)
    return run("MAKEFLAGS= make -j2 -C " .. quote(TREE) .. " " .. words
               .. " > " .. quote(HOME .. "/make.log") .. " 2>&1")
end

function _M.make_server()
    return make("SYS=linux-asan bin")
end

-- `names`: "str", "fmt" for t/unit/str.c, t/unit/fmt.c
function _M.make_units(names)
    return make("SYS=linux-asan units UNITS=" .. quote(
                table.concat(names, " ")))
end

-- Server and unit tests that say what they reach.
function _M.make_reach(names)
    must(make("SYS=linux-reach bin units UNITS="
              .. quote(table.concat(names, " "))),
         "the build that says what it reaches: see ", HOME, "/make.log")
end

-- The server as it is without a mutant.
function _M.make_original()
    must(_M.make_server(), "make SYS=linux-asan: see ", HOME, "/make.log")
    io.make_dir(_M.original)
    if not shell.same(_M.server, _M.original .. "/lunette") then
        must(run("cp " .. quote(_M.server) .. " " .. quote(_M.original)),
             "cannot copy the server")
    end
end

-- --- one file ---

local function object_of(path)
    return ASAN .. "/" .. path:gsub("%.c$", ".o")
end

function _M.apply(path, text)
    must(run("cp -p " .. quote(object_of(path)) .. " "
             .. quote(HOME .. "/kept.o")), "no object for ", path)
    must(io.write(TREE .. "/" .. path, text))
end

-- The object comes back as well, and is newer: it need not be made again.
function _M.restore(path, text)
    must(io.write(TREE .. "/" .. path, text))
    must(run("cp " .. quote(HOME .. "/kept.o") .. " "
             .. quote(object_of(path))), "cannot put an object back")
end

-- --- what the compiler makes of it ---

-- The words of the build's flags that say what the source means.
local function meaning()
    must(make("SYS=linux-reach build/linux-reach/flags"), "the build's flags")
    local text = io.read(REACH .. "/flags")
    local out, at, words = {}, 0, {}

    for word in text:gmatch("%S+") do
        words[#words + 1] = word
    end
    while at < #words do
        at = at + 1
        local word = words[at]
        if word == "-I" or word == "-isystem" then
            out[#out + 1] = word .. " " .. words[at + 1]
            at = at + 1
        elseif word:find("^%-D") or word:find("^%-std") then
            out[#out + 1] = word
        end
    end
    return table.concat(out, " ")
end

-- Machine code of the file as it stands in the copy, by both compilers; nil
-- if one of them refuses it.
local function code_of(path)
    local out, object = {}, HOME .. "/plain.o"

    for i, compiler in ipairs { "gcc", "clang-14" } do
        if not run("cd " .. quote(TREE) .. " && " .. compiler .. " -O2 -w "
                   .. meaning() .. " -c -o " .. quote(object) .. " "
                   .. quote(path) .. " 2> /dev/null")
        then
            return nil
        end
        out[i] = io.read(object)
    end
    return out
end

local originals = {}

-- Whether a compiler makes the same of the mutant that stands in the copy
-- as of the original `text`, which then is put there for a moment.
function _M.same_code(path, text)
    local mutant, changed = code_of(path), _M.read(path)

    if not originals[path] then
        must(io.write(TREE .. "/" .. path, text))
        originals[path] = must(code_of(path), path, " does not compile")
        must(io.write(TREE .. "/" .. path, changed))
    end
    return mutant ~= nil and (mutant[1] == originals[path][1]
                              or mutant[2] == originals[path][2])
end

return _M
