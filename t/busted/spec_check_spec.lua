-- Sections that check a response or a log.
--
-- SPDX-License-Identifier: BSD-2-Clause

local block_room = require "lunette.spec.block"
local check = require "lunette.spec.check"
local checklog = require "lunette.spec.checklog"
local expect = require "lunette.spec.expect"
local parse = require "lunette.spec.parse"
local perl = require "lunette.spec.perl"
local response = require "lunette.spec.response"

local function block(sections)
    local world = perl.world({}, function () end)
    local parsed = parse.file("=== x\n" .. sections).blocks[1]

    return block_room.new(parsed, world, function (text) return text end)
end

-- Headings of what is wrong with a response.
local function judge(sections, raw, at)
    local report = expect.report()
    local out = {}

    check.response(report, block(sections), response.parse(raw, "GET"),
                   at or { index = 1, method = "GET" })
    for i, failure in ipairs(report.failures) do
        out[i] = failure.what
    end
    return out
end

local OK = "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 6\r\n\r\nhello\n"

-- Whether each of the sections fails this answer.
local function fails(section, raw)
    return #judge(section, raw or OK) > 0
end

describe("a response", function ()

    it("must be a 200 unless another status is asked for", function ()
        assert.same({ "status" }, judge("--- error_code: 404\n", OK))
        assert.same({}, judge("--- response_body\nhello\n", OK))
        assert.truthy(fails("--- response_body_like: .\n",
                            "HTTP/1.1 500 x\r\n\r\nx"))
        assert.falsy(fails("--- error_code_like: ^20.$\n"))
        assert.truthy(fails("--- error_code_like: ^30.$\n"))
        assert.truthy(fails("--- error_code: 200\n", "garbage"))
    end)

    it("must have this body", function ()
        assert.falsy(fails("--- response_body\nhello\n"))
        assert.truthy(fails("--- response_body: hello\n"))
        assert.truthy(fails("--- response_body\n"))
        assert.falsy(fails("--- response_body eval: \"hel\" . \"lo\\n\"\n"))
        assert.falsy(fails("--- response_body eval: qr/^h.*o$/\n"))
        assert.truthy(fails("--- response_body eval: qr/^x/\n"))
    end)

    it("must have a body like this, or unlike", function ()
        assert.falsy(fails("--- response_body_like\n^hel+o$\n"))
        assert.truthy(fails("--- response_body_like: ^hel+a$\n"))
        assert.falsy(fails("--- response_body_unlike: x\n"))
        assert.truthy(fails("--- response_body_unlike: l{2}\n"))
    end)

    it("goes through filters first", function ()
        assert.falsy(fails("--- response_body_filters\nuc\n"
                           .. "--- response_body\nHELLO\n"))
        assert.falsy(fails("--- response_body_filters eval\n"
                           .. "sub { my $x = shift; $x =~ s/l+/L/; $x }\n"
                           .. "--- response_body\nheLo\n"))
    end)

    it("must have these headers, and lack those", function ()
        assert.falsy(fails("--- response_headers\nA: 1\n!B\n"))
        assert.truthy(fails("--- response_headers\nA: 2\n"))
        assert.truthy(fails("--- response_headers\n! A\n"))
        assert.truthy(fails("--- response_headers\nB: 1\n"))
        assert.falsy(fails("--- response_headers_like\nA: \\d\n"))
        assert.truthy(fails("--- response_headers_like\nA: \\d\\d\n"))
        assert.falsy(fails("--- raw_response_headers_like: A: 1\\r\\n\n"))
        assert.truthy(fails("--- raw_response_headers_unlike: A: \\d\n"))
    end)

    it("must be whole", function ()
        assert.truthy(fails("--- response_body: hel\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhel"))
    end)

    it("is judged by its place in the lists", function ()
        local two = "--- response_body eval: [\"a\", \"hello\\n\"]\n"
        local at = { index = 2, many = true, method = "GET" }

        assert.same({}, judge(two, OK, at))
        assert.has_error(function ()
            judge("--- response_body: a\n", OK, at)
        end)
    end)

    it("is not judged by a pattern that does not compile", function ()
        assert.has_error(function () fails("--- response_body_like: (\n") end)
    end)
end)

-- Headings of what is wrong with logs that never change.
local function judge_logs(sections, text)
    local report = expect.report()
    local lines, out = {}, {}

    for line in text:gmatch("[^\n]*\n") do
        lines[#lines + 1] = line
    end
    checklog.all({
        block = block(sections), turn = 1, sent = 0,
        job = { settle = 0, patience = 0 },
        logs = { count = function () return 0 end },
        lines = function () return lines end,
    }, report)
    for i, failure in ipairs(report.failures) do
        out[i] = failure.what
    end
    return out
end

local LOG = "t [error] 1#1: *1 one 42\nt [warn] 1#1: two (x)\n"

describe("a log", function ()

    it("must have every line that is asked for", function ()
        assert.same({}, judge_logs("--- error_log\none\ntwo (x)\n", LOG))
        assert.same({ 'error_log: no line has "three"' },
                    judge_logs("--- error_log\none\nthree\n", LOG))
        assert.same({}, judge_logs("--- error_log eval: qr/one \\d+$/\n", LOG))
        assert.same({ "error_log: no line has qr/two$/" },
                    judge_logs("--- error_log eval: [qr/two$/, 'one']\n", LOG))
    end)

    it("must lack what is forbidden", function ()
        assert.same({}, judge_logs("--- no_error_log\n[crit]\n", LOG))
        assert.same({ 'no_error_log: a line has "[error]"' },
                    judge_logs("--- no_error_log\n[error]\n", LOG))
    end)

    it("is grepped, once per line", function ()
        assert.same({}, judge_logs("--- grep_error_log eval: qr/one|two/\n"
                    .. "--- grep_error_log_out\none\ntwo\n", LOG))
        assert.same({ "grep_error_log_out" },
                    judge_logs("--- grep_error_log: one\n"
                               .. "--- grep_error_log_out\n", LOG))
    end)

    it("must not have alerts that nobody expects", function ()
        local log = "t [alert] 1#1: worker process 7 exited on signal 11\n"

        assert.same({ "the server logged [alert]" },
                    judge_logs("--- no_error_log\n[error]\n", log))
        assert.same({}, judge_logs("--- error_log\nexited on signal\n", log))
    end)
end)

describe("a block", function ()

    it("that checks nothing is complained of", function ()
        assert.truthy(block("--- config: x\n"):complaint()
                      :find("cannot fail", 1, true))
        assert.is_nil(block("--- error_code: 200\n"):complaint())
    end)

    it("with an unknown section is complained of", function ()
        assert.equal("unknown section --- respnse_body",
                     block("--- respnse_body: x\n"):complaint())
    end)

    it("says which section its bad expression is in", function ()
        local ok, err = pcall(block("--- request eval: foo(\n").value,
                              block("--- request eval: foo(\n"), "request")

        assert.is_false(ok)
        assert.truthy(err:find("^%-%-%- request: Perl: "))
    end)
end)
