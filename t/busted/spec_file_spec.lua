-- Whole files against a server: above all, that blocks can fail.
--
-- The server is the one beside this program, or LUNETTE_SPEC_SERVER.
--
-- SPDX-License-Identifier: BSD-2-Clause

local file = require "lunette.spec.file"
local io_room = require "lunette.spec.io"
local options = require "lunette.spec.options"
local pool = require "lunette.spec.pool"
local tap = require "lunette.spec.tap"

local space, job

-- The TAP of a file with these blocks, without comments; and with them.
local function run(text)
    local out = {}
    local writer = tap.writer(function (line) out[#out + 1] = line end)
    local path = space.folder .. "/x.t"

    assert(io_room.write(path, "__DATA__\n\n" .. text))
    file.run(path, job, writer)
    local all = table.concat(out):gsub("/%S+/x%.t", "x.t")
    return (("\n" .. all):gsub("\n#[^\n]*", ""):sub(2)), all
end

-- What a block with these sections says about its failure.
local function failure(sections)
    local brief, all = run("=== a\n" .. sections)

    assert.equal("not ok 1 - x.t: a\n", brief)
    return all
end

local function says(sections, what)
    local all = failure(sections)

    assert.truthy(all:find(what, 1, true), "no \"" .. what .. "\" in\n" .. all)
end

local CONFIG = "--- config\n    location = /t { return 200 'hello\\n'; }\n"

describe("a spec file", function ()

    setup(function ()
        local server = os.getenv("LUNETTE_SPEC_SERVER")
                       or io_room.program() .. "/lunette"

        space = assert(pool.space(1, 40))
        io_room.make_dir(space.slots[1].folder)
        job = {
            server = options.words(server), dir = space.slots[1].folder,
            root = space.slots[1].folder .. "/servroot",
            port = space.slots[1].port, ports = 40,
            current = io_room.current(), env = {}, workers = 1,
            master = "off", globals = "", as_root = io_room.is_root(),
            settle = 60, patience = 100, timeout = 300,
            set_env = function () end,
        }
    end)

    teardown(function ()
        space:close()
    end)

    it("passes what is right", function ()
        assert.equal("ok 1 - x.t: a\nok 2 - x.t: b\n",
            (run("=== a\n" .. CONFIG .. "--- response_body\nhello\n"
                 .. "=== b\n" .. CONFIG .. "--- error_code: 200\n")))
    end)

    it("fails what is wrong", function ()
        says(CONFIG .. "--- response_body\nhallo\n",
             "got: hello\\n")
        says(CONFIG .. "--- error_code: 404\n", "expected: 404")
        says(CONFIG .. "--- error_log\nno such line\n", "no line has")
        says(CONFIG .. "--- access_log\nPOST\n", "no line has")
        says(CONFIG .. "--- no_access_log\nGET\n", "a line has")
    end)

    it("fails a client that waits in vain", function ()
        says(CONFIG .. "--- raw_request eval: \"GET /t HTTP/1.1\\r\\n\"\n"
             .. "--- timeout: 0.1\n--- ignore_response\n"
             .. "--- no_error_log\n[crit]\n", "timed out")
    end)

    it("fails a server that should have died, or should not", function ()
        says(CONFIG .. "--- must_die\n", "must die, but it runs")
        says("--- config\n    nonsense;\n--- error_code: 200\n",
             "the server does not start")
        says("--- config\n    nonsense;\n--- must_die\n"
             .. "--- error_log\nunknown directive \"sense\"\n", "no line has")
    end)

    it("fails blocks that cannot be judged", function ()
        says(CONFIG, "cannot fail")
        says(CONFIG .. "--- resopnse_body: x\n", "unknown section")
        says(CONFIG .. "--- response_body eval: foo::bar()\n", "foo::bar")
        says(CONFIG .. "--- response_body_like: (\n", "bad pattern")
        says(CONFIG .. "--- response_body eval\n[\"hello\\n\"]\n"
             .. "--- request eval\n[\"GET /t\", \"GET /t\"]\n", "body")
        says(CONFIG .. "--- request eval\n[\"GET /t\", \"GET /t\"]\n"
             .. "--- response_body\nhello\n", "must be a list")
    end)

    it("fails blocks with sections that would be ignored", function ()
        local STREAM = "--- stream_server_config\n    return 'hello';\n"
        local function ignores(sections, name)
            says(sections, "--- " .. name .. " would be ignored: ")
        end

        ignores(STREAM .. "--- response_body: hello\n", "response_body")
        ignores(STREAM .. CONFIG .. "--- error_code: 200\n", "error_code")
        ignores("--- stream_config\n--- config\n    location /t { }\n"
                .. "--- response_headers\nA: b\n", "response_headers")
        ignores(CONFIG .. "--- stream_response: hello\n", "stream_response")
        ignores(STREAM .. "--- request\nGET /t\n"
                .. "--- stream_response: hello\n", "stream_response")
        ignores("--- config\n    nonsense;\n--- must_die\n"
                .. "--- response_body: x\n", "response_body")
        ignores(CONFIG .. "--- ignore_response\n--- response_body: x\n",
                "response_body")
        ignores(CONFIG .. "--- raw_request eval: \"GET /t\\r\\n\"\n"
                .. "--- more_headers\nA: b\n--- error_code: 200\n",
                "more_headers")
        ignores(CONFIG .. "--- tcp_query: x\n", "tcp_query")
        ignores(CONFIG .. "--- udp_query: x\n", "udp_query")
        ignores(CONFIG .. "--- response_headers\nA: b\n"
                .. "--- response_headers_like\nA: c\n",
                "response_headers_like")
    end)

    it("fails lists that are longer or shorter than the requests", function ()
        local TWO = CONFIG .. "--- request eval\n[\"GET /t\", \"GET /t\"]\n"

        says(TWO .. "--- response_body_like eval\n[\"hello\"]\n",
             "response_body_like is a list of 1, and there are 2 requests")
        says(CONFIG .. "--- response_headers eval\n[\"!A\", \"!B\"]\n",
             "response_headers is a list of 2, and there is one request")
        says(CONFIG .. "--- no_error_log\n", "no_error_log is empty")
    end)

    it("fails a mock that is asked something else", function ()
        says(CONFIG .. "--- tcp_listen: $TEST_NGINX_RAND_PORT_1\n"
             .. "--- tcp_reply: x\n--- tcp_query: ping\n", "tcp_query")
    end)

    it("goes on after a failure", function ()
        assert.equal("not ok 1 - x.t: a\nok 2 - x.t: b\n",
            (run("=== a\n--- config: nonsense;\n--- response_body: x\n"
                 .. "=== b\n" .. CONFIG .. "--- response_body\nhello\n")))
    end)

    it("that can't be read is a failure", function ()
        local text = run("no blocks\n")

        assert.truthy(text:find("^not ok 1 %- x.t"))
    end)
end)
