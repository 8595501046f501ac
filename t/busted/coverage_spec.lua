-- lua_coverage and `lunette coverage`: what has run, counted by a server, by
-- `lunette run` and by `lunette spec`, and how it is told.
--
-- SPDX-License-Identifier: BSD-2-Clause

local io = require "lunette.spec.io"

local coverage = require "lunette.coverage"
local page = require "lunette.coverage_page"

local LUNETTE = io.program() .. "/lunette"
local ROOT = "/tmp/lunette-coverage-" .. io.pid()
local FILE = ROOT .. "/out.coverage"

local MODULE = [[
local _M = {}
function _M.abs(x)
    if x < 0 then
        return -x
    end
    return x
end
function _M.never()
    return 1
end
return _M
]]

local SCRIPT = [[
package.path = "@root@/?.lua;" .. package.path
local m = require "m"
for i = 1, 3 do m.abs(i) end
coroutine.wrap(function () m.abs(-1) end)()
@rest@
]]

local SPEC = [[
use Test::Nginx::Socket 'no_plan';
run_tests();
__DATA__

=== two workers, one file
--- workers: 2
--- http_config
    lua_package_path "@root@/?.lua;;";
--- config
    location /t {
        content_by_lua_block {
            if ngx.var.arg_never then
                ngx.say("never")
            end
            ngx.say(require("m").abs(1))
        }
    }
    location /u {
        content_by_lua_block {
            ngx.say("nobody asks")
        }
    }
--- request
GET /t
--- response_body
1



=== a stream server's is counted, too
--- stream_server_config
    preread_by_lua_block {
        local one = 1
    }
    return done;
--- stream_response: done
]]

local function write(name, text, words)
    text = text:gsub("@(%l+)@", words or { root = ROOT, rest = "" })
    assert(io.write(ROOT .. "/" .. name, text))
    return ROOT .. "/" .. name
end

local function call(...)
    local process = assert(io.run({ LUNETTE, ... }, ROOT .. "/out",
                                  ROOT .. "/err"))
    local status = process:wait(30000)

    return status, io.read(ROOT .. "/out") or "", io.read(ROOT .. "/err") or ""
end

-- The part whose name has this in it.
local function part_of(name)
    for _, part in ipairs(coverage.read(assert(io.read(FILE)))) do
        if part.source:find(name, 1, true) then
            return part
        end
    end
end

describe("lua_coverage", function ()
    setup(function ()
        os.execute("mkdir -p " .. ROOT)
        write("m.lua", MODULE)
    end)

    teardown(function () os.execute("rm -rf " .. ROOT) end)
    before_each(function () io.remove(FILE) end)

    it("counts the lines of a script, and those that did not run", function ()
        assert.equal(0, (call("run", "--coverage", FILE,
                              write("s.lua", SCRIPT))))

        local lines = part_of("/m.lua").lines
        assert.same({ [1] = 1, [2] = 1, [3] = 4, [4] = 1, [6] = 3, [7] = 1,
                      [8] = 1, [9] = 0, [10] = 1, [11] = 1 }, lines)
        assert.equal(6, part_of("/s.lua").lines[3])
    end)

    it("is written by a script that ends itself", function ()
        local script = write("s.lua", SCRIPT, { root = ROOT,
                                                rest = "os.exit(7)" })

        assert.equal(7, (call("run", "--coverage", FILE, script)))
        assert.equal(4, part_of("/m.lua").lines[3])
    end)

    it("adds up what several runs have counted", function ()
        local script = write("s.lua", SCRIPT)

        call("run", "--coverage", FILE, script)
        call("run", "--coverage", FILE, script)
        assert.equal(8, part_of("/m.lua").lines[3])
    end)

    it("counts what servers of specs run, in files and inline", function ()
        local status, out = call("spec", "--coverage", FILE,
                                 write("s.t", SPEC))

        assert.equal(0, status, out)
        assert.equal(1, part_of("/m.lua").lines[6])

        local parts, inline = coverage.read(assert(io.read(FILE))), {}

        for _, part in ipairs(parts) do
            inline[part.code or ""] = part.lines
        end

        local asked, silent, stream

        for code, lines in pairs(inline) do
            asked = code:find "never" and lines or asked
            silent = code:find "nobody" and lines or silent
            stream = code:find "one = 1" and lines or stream
        end

        assert.is_true(asked[2] > 0 and asked[3] == 0 and asked[5] > 0)
        assert.same({ [2] = 0 }, silent)
        assert.is_true(stream[2] > 0)
    end)

    it("is a table, lcov's form, or a page", function ()
        call("run", "--coverage", FILE, write("s.lua", SCRIPT))

        local status, out = call("coverage", FILE)
        assert.equal(0, status)
        assert.truthy(out:find("  90.0 %      9 of    10  " .. ROOT, 1, true),
                      out)
        assert.truthy(out:find("all\n$"))

        status = call("coverage", "--html", ROOT .. "/x.html", "--lcov",
                      ROOT .. "/x.lcov", FILE)
        assert.equal(0, status)
        assert.truthy(io.read(ROOT .. "/x.lcov"):find(
            "SF:" .. ROOT .. "/m.lua\nDA:1,1\nDA:2,1\nDA:3,4\n", 1, true))

        local html = io.read(ROOT .. "/x.html")
        assert.truthy(html:find('"missed"><i>    9       0</i>    return 1', 1,
                                true))
        assert.truthy(html:find("<i>    5        </i>    end", 1, true))
    end)

    it("fails where too little has run", function ()
        call("run", "--coverage", FILE, write("s.lua", SCRIPT))

        local status, out, err = call("coverage", "--least", "5", FILE)
        assert.equal(0, status, out .. err)

        status, _, err = call("coverage", "--least", "99", FILE)
        assert.equal(1, status)
        assert.truthy(err:find "less than 99")
    end)

    it("says what it cannot do", function ()
        local status, _, err = call("coverage", ROOT .. "/none")
        assert.equal(1, status)
        assert.truthy(err:find("No such file", 1, true))

        for _, words in ipairs {
            { "of which file?" }, { "unknown option", "--what" },
            { "one file", "a", "b" }, { "needs a value", "--html" },
            { "takes a number", "--least", "much", "a" },
        } do
            status, _, err = call("coverage", unpack(words, 2))
            assert.equal(1, status)
            assert.truthy(err:find(words[1], 1, true), err)
        end

        io.write(FILE, "@/x.lua\n1:1\n")     -- torn: it has no end
        status, _, err = call("coverage", FILE)
        assert.equal(1, status)
        assert.truthy(err:find "has no line")
    end)
end)

describe("the page of what has run", function ()
    it("takes names and code as text", function ()
        local html = page.text { {
            name = "<b>.lua", total = 1, run = 1, lines = { 1 },
            code = 'return "</pre><script>"',
        } }

        assert.falsy(html:find("<b>", 1, true))
        assert.falsy(html:find("<script>", 1, true))
    end)
end)
