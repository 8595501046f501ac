-- The rest of the spec runner's text work: options, TAP, variables, diffs,
-- configurations, preambles, skips.
--
-- SPDX-License-Identifier: BSD-2-Clause

local block_room = require "lunette.spec.block"
local conf = require "lunette.spec.conf"
local diff = require "lunette.spec.diff"
local options = require "lunette.spec.options"
local parse = require "lunette.spec.parse"
local perl = require "lunette.spec.perl"
local preamble = require "lunette.spec.preamble"
local server = require "lunette.spec.server"
local skip = require "lunette.spec.skip"
local tap = require "lunette.spec.tap"
local vars = require "lunette.spec.vars"

local function job()
    return {
        root = "/p", port = 2000, ports = 40, current = "/here",
        env = {}, workers = 1, master = "off", blocks = 1,
        set_env = function () end,
        versions = { nginx = 1 * 1000000 + 31 * 1000 + 5 },
    }
end

local function block(sections, with)
    local world = perl.world({}, function () end)

    world:declare("$^O", "linux")
    return block_room.new(parse.file("=== x\n" .. sections).blocks[1], world,
                          vars.expander(with or job()))
end

describe("options", function ()

    it("are read with and without =", function ()
        local o = options.parse { "--jobs=3", "--server", "wine a.exe", "t/x",
                                  "--keep" }

        assert.same({ jobs = 3, server = "wine a.exe", keep = true,
                      paths = { "t/x" } }, o)
    end)

    it("that are unknown or lack a value are refused", function ()
        assert.equal("unknown option --jbos",
                     select(2, options.parse { "--jbos=3" }))
        assert.equal("--jobs needs a value",
                     select(2, options.parse { "--jobs", "x" }))
    end)

    it("split commands into words", function ()
        assert.same({ "wine", "C:/a b/x.exe", "-q" },
                    options.words('wine "C:/a b/x.exe"  -q'))
    end)
end)

describe("TAP", function ()

    local function written(fn)
        local out = {}
        local writer = tap.writer(function (text) out[#out + 1] = text end)

        fn(writer)
        return table.concat(out), writer
    end

    it("is numbered and summed up", function ()
        local text, writer = written(function (w)
            w:pass("a #1")
            w:fail("b", { "why" })
            w:skip("c", "not here")
            w:finish()
        end)

        assert.equal("ok 1 - a \\#1\nnot ok 2 - b\n#   why\n"
                     .. "ok 3 - c # SKIP not here\n1..3\n", text)
        assert.equal("1 passed, 1 failed, 1 skipped", writer:summary())
    end)

    it("is taken over from a child under new numbers", function ()
        local child = "ok 1 - a\nnot ok 2 - b\n#   why\nok 3 - c # SKIP x\n"
                      .. "1..3\n"
        local text, writer = written(function (w)
            w:pass("before")
            assert.same({ 3, 3 }, { w:include(child) })
        end)

        assert.truthy(text:find("not ok 3 - b\n#   why\nok 4 - c", 1, true))
        assert.equal("2 passed, 1 failed, 1 skipped", writer:summary())
    end)

    it("of a child that broke off has no plan", function ()
        written(function (w)
            local seen, planned = w:include("ok 1 - a\n")
            assert.equal(1, seen)
            assert.is_nil(planned)
        end)
    end)
end)

describe("variables", function ()

    it("are the runner's, the environment's, or an error", function ()
        local j = job()
        j.env.TEST_NGINX_FOO = "bar"
        local expand = vars.expander(j)

        assert.equal("listen 2000; root /p/html; bar",
            expand("listen $TEST_NGINX_SERVER_PORT; "
                   .. "root $TEST_NGINX_HTML_DIR; $TEST_NGINX_FOO"))
        assert.equal("http://x:2000/$ServerPorts",
                     expand("http://x:$ServerPort/$ServerPorts"))
        assert.has_error(function () expand("$TEST_NGINX_NOPE") end,
                         "no $TEST_NGINX_NOPE in the environment")
    end)

    it("give the same random port twice, another for another", function ()
        local expand = vars.expander(job())
        local one = expand("$TEST_NGINX_RAND_PORT_1")

        assert.equal(one, expand("$TEST_NGINX_RAND_PORT_1"))
        assert.are_not.equal(one, expand("$TEST_NGINX_RAND_PORT_2"))
    end)

    it("give the next block other ports before a reload", function ()
        local j = job()

        j.ports, j.reload = 4, true
        local one = vars.expander(j)("$TEST_NGINX_RAND_PORT_1 "
                                     .. "$TEST_NGINX_STREAM_PORT")
        assert.equal("2001 2002", one)
        local expand = vars.expander(j)
        assert.equal("2003", expand("$TEST_NGINX_RAND_PORT_2"))
        assert.equal("2001", expand("$TEST_NGINX_RAND_PORT_1"))
        assert.equal("2003", expand("$TEST_NGINX_RAND_PORT_2"))
        j.reload = nil
        assert.equal("2001", vars.expander(j)("$TEST_NGINX_RAND_PORT_1"))
    end)
end)

describe("a configuration", function ()

    it("has the sections in their places", function ()
        local text = conf.text(block(
            "--- main_config: env A;\n--- http_config: map a b {}\n"
            .. "--- config: return 200 $uri;\n--- post_main_config: # end\n"
            .. "--- log_level: warn\n"), { env = {} }, job())

        assert.truthy(text:find("env A;.*http {.*map a b {}.*listen +2000;"
            .. ".*return 200 %$uri;.*location / {.*# end.*events {"))
        assert.truthy(text:find("error_log /p/logs/error.log warn;", 1, true))
        assert.truthy(text:find("master_process off;", 1, true))
    end)

    it("counts its lines as other harnesses do", function ()
        local text = conf.text(block("--- http_config\nAAA\n"
                                     .. "--- config\nBBB\n"),
                               { env = {} }, job())
        local function line_of(word)
            local _, count = text:match("^(.-)" .. word):gsub("\n", "")
            return count + 1
        end

        assert.equal(25, line_of("AAA"))
        -- Theirs begin after one line of the block's http_config.
        assert.equal(40, line_of("BBB"))
    end)

    it("leaves the temporary folders to the block", function ()
        local text = conf.text(block("--- config: x;\n--- http_config\n"
                                     .. "proxy_temp_path /q;\n"),
                               { env = {} }, job())
        local _, count = text:gsub("proxy_temp_path", "")

        assert.equal(1, count)
        assert.truthy(text:find("client_body_temp_path /p/client_body_temp;",
                                1, true))
    end)

    it("has a master when there are several workers", function ()
        local text = conf.text(block("--- workers: 2\n--- config: x;\n"),
                               { env = {} }, job())

        assert.truthy(text:find("worker_processes  2;", 1, true))
        assert.truthy(text:find("master_process on;", 1, true))
    end)

    it("dates files in GMT", function ()
        local files = conf.files(block(
            "--- user_files\n>>> a 199801171935.33\n>>> b 197001010000\n"
            .. ">>> c 200002290000\n"))

        assert.equal(885065733, files[1].date)
        assert.equal(0, files[2].date)
        assert.equal(951782400, files[3].date)
        assert.has_error(function ()
            conf.files(block("--- user_files\n>>> a yesterday\n"))
        end)
    end)

    it("comes with the block's files", function ()
        local files = conf.files(block(
            "--- user_files\n>>> a.txt\none\n>>> b/c\n$TEST_NGINX_SERVER_PORT"
            .. "\n"))

        assert.same({ { name = "a.txt", text = "one\n" },
                      { name = "b/c", text = "2000\n" } }, files)
    end)
end)

describe("a preamble", function ()

    it("sets what it sets", function ()
        local told = preamble.read([[
use Test::Nginx::Socket 'no_plan';
repeat_each(2);
log_level('warn');
workers(2);
master_on();
env_to_nginx('A=b c');
$ENV{TEST_NGINX_X} ||= 'y';
plan tests => repeat_each() * (blocks() * 3);
no_long_string();
run_tests();
]], job())

        assert.equal(2, told.settings.repeat_each)
        assert.equal("warn", told.settings.log_level)
        assert.equal("on", told.settings.master)
        assert.same({ "A=b c" }, told.settings.env)
        assert.equal("y", told.settings.environment.TEST_NGINX_X)
        assert.same({}, told.notes)
    end)

    it("gives blocks their defaults", function ()
        local told = preamble.read([[
add_block_preprocessor(sub {
    my ($block) = @_;
    if (!defined $block->request) {
        $block->set_value("request", "GET /default");
    }
    if (!$block->error_log && !$block->no_error_log) {
        $block->set_value("no_error_log", "[error]");
    }
});
]], job())
        local b = block("--- error_code: 200\n--- error_log: x\n")

        perl.call(told.settings.preprocessors[1], b:object())
        assert.equal("GET /default", b:value("request"))
        assert.is_false(b:has("no_error_log"))
    end)
end)

describe("a block is skipped", function ()

    local function reason(sections, windows)
        local j = job()
        j.windows = windows
        return skip.reason(block(sections), j)
    end

    it("on the system it names", function ()
        assert.equal("no forks", reason("--- skip_windows: no forks\n", true))
        assert.is_nil(reason("--- skip_windows: no forks\n", false))
        assert.equal("why", reason("--- skip_linux: why\n", false))
    end)

    it("by the server's version", function ()
        assert.is_nil(reason("--- skip_nginx: 2: < 1.7.0\n"))
        assert.truthy(reason("--- skip_nginx\n2: >= 1.7.0\n"))
        assert.equal("old", reason("--- skip_nginx: 2: > 1.7.0: old\n"))
        assert.truthy(reason("--- skip_nginx2: 2: < 1.0.0 or > 1.1.0\n"))
        assert.is_nil(reason("--- skip_nginx2: 2: < 1.0.0 and > 0.1.0\n"))
    end)

    it("by an expression, or without one", function ()
        assert.is_nil(reason("--- skip_eval: 3: $^O ne 'linux'\n"))
        assert.truthy(reason("--- skip_eval: 3: $^O eq 'linux'\n"))
        assert.equal("SKIP", reason("--- SKIP\n"))
    end)

    it("when it needs what there is not", function ()
        assert.equal("no systemtap here", reason("--- stap: x\n"))
        assert.is_nil(reason("--- stap: x\n--- response_body: x\n"))
        assert.is_nil(reason("--- config: x\n"))
    end)
end)

describe("a diff", function ()

    it("of one line shows both", function ()
        assert.same({ "expected: a\\n", "     got: b\\x01" },
                    diff.texts("a\n", "b\1"))
    end)

    it("of several shows the lines that differ", function ()
        assert.same({ "- expected, + got:", "  b\\n", "  c\\n", "- d\\n",
                      "+ x\\n", "  e\\n" },
                    diff.texts("a\nb\nc\nd\ne\n", "a\nb\nc\nx\ne\n"))
    end)
end)

describe("a server under Wine", function ()

    local io = require "lunette.spec.io"
    local root = os.tmpname()

    -- What `how` returns for a server that ends without a word `times` times,
    -- then with one.
    local function how_ends(times, how)
        local script = ([[cd %s; echo >> count
            [ $(wc -l < count) -le %d ] && exit 66; echo no >&2; exit 3]])
            :format(root, times)
        local one = server.new { server = { "/bin/sh", "-c", script },
                                 root = root, dir = root, foreign = true }

        io.remove(root .. "/count")
        return one[how](one)
    end

    before_each(function ()
        os.remove(root)
        assert(io.make_dir(root))
    end)

    after_each(function ()
        io.remove(root)
    end)

    it("that was not loaded is started again", function ()
        assert.equal("exit status 3\nno\n", select(2, how_ends(1, "start")))
        assert.equal(3, how_ends(2, "die"))
    end)

    it("that is never loaded has failed", function ()
        assert.equal("exit status 66\n", select(2, how_ends(9, "start")))
        assert.equal(66, how_ends(9, "die"))
    end)
end)

describe("a tree that is removed", function ()

    it("takes its links with it, and not what they lead to", function ()
        local io = require "lunette.spec.io"
        local root = os.tmpname()

        os.remove(root)
        assert(io.make_dir(root .. "/other"))
        assert(io.make_dir(root .. "/tree/deep"))
        assert(io.write(root .. "/other/kept", "x"))
        os.execute(("cd %s/tree; ln -s ../other a; ln -s ../../other deep/b; "
                    .. "ln -s nowhere c"):format(root))
        assert(io.remove(root .. "/tree"))
        assert.equal("x", io.read(root .. "/other/kept"))
        assert.is_nil(io.size(root .. "/tree"))
        assert(io.remove(root .. "/tree"))
        assert(io.remove(root))
        assert.is_nil(io.size(root .. "/other/kept"))
    end)
end)
