-- t/mutate/main.lua -- `make mutate`: do the tests notice a changed token?
--
-- Takes N random mutants (see source.lua) of core/ and modules/, builds each
-- in a copy of the tree and runs, under the sanitizers, the unit tests and
-- specs that reach its place, until one of them fails. t/README.md says how
-- it is called and what its lines mean.
--
-- SPDX-License-Identifier: BSD-2-Clause

local equivalent = require "equivalent"
local io_room = require "lunette.spec.io"
local reach = require "reach"
local shell = require "shell"
local source = require "source"
local tests = require "tests"
local tree = require "tree"

local getenv, format = os.getenv, string.format

local function option(name)
    local text = getenv(name)

    return text ~= "" and text or nil
end

local COUNT = tonumber(option("N") or 30)
local SEED = tonumber(option("SEED") or os.time() % 100000)
local JOBS = tonumber(option("JOBS") or 2)
-- A mutant that eats memory is ended.
local SANITIZERS = {
    ASAN_OPTIONS = "detect_leaks=0:allocator_may_return_null=1:"
                   .. "hard_rss_limit_mb=4000",
    UBSAN_OPTIONS = "print_stacktrace=1:halt_on_error=1",
}
-- Slots of the runs that confirm a failure.
local AGAIN, AS_IT_IS = "again", "original"
local ROUNDS, ROUNDS_OF_UNSTEADY = 2, 6

local unsteady = {}

local function say(...)
    io.stdout:write(format(...), "\n")
    io.stdout:flush()
end

-- --- which mutants ---

local function words(text)
    local out = {}

    for word in (text or ""):gmatch("[^%s,]+") do
        out[#out + 1] = word
    end
    return out
end

-- FILES: beginnings of paths.
local function is_wanted(path, files)
    for _, file in ipairs(files) do
        if path:sub(1, #file) == file then
            return true
        end
    end
    return #files == 0
end

local function rooms()
    local out = shell.lines("cd " .. shell.quote(tree.path)
                            .. " && find core modules -name '*.c'")

    table.sort(out)
    return out
end

-- Every place in the files, as { path, spot }.
local function places(files)
    local out = {}

    for _, path in ipairs(rooms()) do
        if is_wanted(path, files) then
            for _, spot in ipairs(source.places(tree.read(path))) do
                spot.path = path
                out[#out + 1] = spot
            end
        end
    end
    return out
end

-- AT: file:line, all mutants of these lines.
local function told(at)
    local out = {}

    for _, word in ipairs(words(at)) do
        local path, line = word:match("^(.*):(%d+)$")
        for _, spot in ipairs(places { path }) do
            if spot.path == path and spot.line == tonumber(line) then
                for _, after in ipairs(spot.after) do
                    out[#out + 1] = { spot = spot, after = after }
                end
            end
        end
    end
    return function ()
        return table.remove(out, 1)
    end
end

-- One mutant after the other, none twice; nil when there are no more.
local function random_mutants(files)
    local all = places(files)

    math.randomseed(SEED)
    return function ()
        while #all > 0 do
            local i = math.random(#all)
            local spot = all[i]
            local after = spot.after[math.random(#spot.after)]
            all[i] = all[#all]
            all[#all] = nil
            return { spot = spot, after = after }
        end
    end
end

-- --- one mutant ---

-- Whether the test goes on to fail, and passes without the mutant right then:
-- a busy machine kills nobody. A test that has been caught at failing by
-- itself is asked more often from then on.
local function is_killed(run, known, took)
    local test, title = run.test, known.named and known.title or nil

    for _ = 1, unsteady[test] and ROUNDS_OF_UNSTEADY or ROUNDS do
        local again = tests.once(test, tests.mutant, AGAIN, took)
        if again.ok or again.title ~= title then
            title = nil
        end
        if again.ok
           or not tests.once(test, tests.original, AS_IT_IS, took, title).ok
        then
            unsteady[test] = true
            return false
        end
    end
    return true
end

-- The first of the tests that notices, and how; nil if none does.
local function killer(list, map)
    return tests.each(list, tests.mutant, JOBS, map.took,
        function (run, known)
            if not known.ok and is_killed(run, known, map.took[run.test]) then
                return { test = run.test, title = known.title }
            end
        end)
end

-- Unit tests that include the room, specs, other unit tests.
local function in_turns(list, path)
    local own, specs, units = {}, {}, {}

    for _, test in ipairs(list) do
        if not tests.unit_of(test) then
            specs[#specs + 1] = test
        elseif tree.read(test):find('"../../' .. path .. '"', 1, true) then
            own[#own + 1] = test
        else
            units[#units + 1] = test
        end
    end
    return own, specs, units
end

local function make_units(list)
    local names = {}

    for i, test in ipairs(list) do
        names[i] = tests.unit_of(test)
    end
    return tree.make_units(names)
end

-- A mutant that no unit test can be built with is none that tests are for:
-- what does not link is as what does not compile.
local function by_units(list, map)
    if #list == 0 then
        return nil
    end
    if not make_units(list) then
        return { test = "the compiler", title = "of a unit test" }
    end
    return killer(list, map)
end

-- "killed", "lived", "equivalent" or "nothing" (it does not compile), and by
-- what, or how many tests reach it.
local function try(mutant, map)
    local path = mutant.spot.path

    if not tree.make_server() then
        return "nothing"
    elseif equivalent.has(mutant) then
        return "equivalent", "listed"
    end
    local list = option("ALL") and map:all() or map:tests_for(path, mutant.spot)
    local own, specs, units = in_turns(list, path)
    local by = by_units(own, map) or killer(specs, map)
               or by_units(units, map)
    if by then
        return "killed", by.test .. (by.test == by.title and ""
               or ": " .. by.title:gsub("^t/[^:]*: ", ""))
    elseif tree.same_code(path, mutant.text) then
        return "equivalent", "same code"
    end
    return "lived", #list == 0 and "not reached" or #list .. " tests reach it"
end

local function check(mutant, map)
    local spot = mutant.spot
    local text = source.change(mutant.text, spot, mutant.after)

    mutant.line_before = source.line(mutant.text, spot.line)
    mutant.line_after = source.line(text, spot.line)
    tree.apply(spot.path, text)
    local ok, verdict, why = pcall(try, mutant, map)
    tree.restore(spot.path, mutant.text)
    shell.must(ok, verdict)
    return verdict, why
end

-- --- all of them ---

local function show_unsteady()
    for test in pairs(unsteady) do
        say("# %s fails now and then by itself", test)
    end
end

local function show_lived(lived)
    for _, mutant in ipairs(lived) do
        local spot = mutant.spot
        say("\n%s %s  (line %d, %s)\n- %s\n+ %s", spot.path,
            spot.func and spot.func.name or "-", spot.line, mutant.why,
            mutant.line_before, mutant.line_after)
    end
end

local function show(mutant, verdict, why)
    local spot = mutant.spot

    say("%s:%d %s -> %s  %s", spot.path, spot.line, spot.before,
        mutant.after == "" and "(nothing)" or mutant.after,
        verdict == "killed" and "killed by " .. why
        or verdict == "lived" and "LIVED, " .. why or "equivalent, " .. why)
end

local function sum(counts, lived)
    local judged = counts.killed + counts.lived

    say("\nseed %d: %d mutants, %d killed, %d lived, %d equivalent "
        .. "(%.1f %% killed; %d more did not compile)", SEED,
        judged + counts.equivalent, counts.killed, counts.lived,
        counts.equivalent, judged > 0 and 100 * counts.killed / judged or 0,
        counts.nothing)
    show_unsteady()
    show_lived(lived)
end

local function run(next_mutant, count, map)
    local counts = { killed = 0, lived = 0, equivalent = 0, nothing = 0 }
    local lived, done = {}, 0

    while done < count do
        local mutant = next_mutant()
        if not mutant then
            break
        end
        mutant.text = tree.read(mutant.spot.path)
        local verdict, why = check(mutant, map)
        counts[verdict] = counts[verdict] + 1
        if verdict ~= "nothing" then
            done = done + 1
            mutant.why = why
            show(mutant, verdict, why)
        end
        if verdict == "lived" then
            lived[#lived + 1] = mutant
        end
    end
    sum(counts, lived)
end

local function main()
    local at = option("AT")
    local count = at and math.huge or COUNT

    say("seed %d", SEED)
    for name, value in pairs(SANITIZERS) do
        io_room.setenv(name, value)
    end
    for _, entry in ipairs(equivalent.stale()) do
        say("# t/mutate/equivalent: no such line any more: %s", entry)
    end
    tree.sync()
    tree.make_original()
    run(at and told(at) or random_mutants(words(option("FILES"))),
        count, reach.open(option("MAP") == "new", JOBS))
end

main()
