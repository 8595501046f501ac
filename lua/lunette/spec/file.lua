-- lunette/spec/file.lua -- all blocks of a .t file, one after the other
--
-- Each block gets a server with its configuration: a new one, the one of
-- the block before if nothing in it can tell, or a reloaded one. One line
-- of TAP per block.
--
-- SPDX-License-Identifier: BSD-2-Clause

local block_room = require "lunette.spec.block"
local conf = require "lunette.spec.conf"
local conflicts = require "lunette.spec.conflicts"
local expect = require "lunette.spec.expect"
local io = require "lunette.spec.io"
local logs = require "lunette.spec.logs"
local parse = require "lunette.spec.parse"
local perl = require "lunette.spec.perl"
local preamble = require "lunette.spec.preamble"
local run_room = require "lunette.spec.run"
local server = require "lunette.spec.server"
local skip = require "lunette.spec.skip"
local stream = require "lunette.spec.stream"
local vars = require "lunette.spec.vars"

local error, pcall, tostring = error, pcall, tostring

local TAIL = 20

local File = {}
File.__index = File

local _M = {}

-- --- the server of a block ---

-- What of a configuration lets the next block see the one before: state in
-- zones and upstreams, and log lines that only a start writes.
local LASTING = { "init_", "lua_shared_dict", "_cache", "limit_", "upstream",
                  "lua_package_path", "_file" }

local function lasting(text)
    for _, word in ipairs(LASTING) do
        if text:find(word, 1, true) then
            return true
        end
    end
    return false
end

local ZONES = { "limit_%a+_zone[^;]*", "_cache_path[^;]*" }

-- The zones of limits and caches in a configuration, by name. They outlive a
-- reload, and so does what they count and keep; another key for a limit's, or
-- another path for a cache's, is refused.
local function lasting_zones(text)
    local zones = {}

    for _, pattern in ipairs(ZONES) do
        for line in text:gmatch(pattern) do
            local name = line:match("zone=([^:%s]+)")
            if name then
                zones[name] = true
            end
        end
    end
    return zones
end

-- Whether the block has a zone that was in use before, and so wants another
-- server.
function File:needs_fresh(text)
    for name in pairs(lasting_zones(text)) do
        if self.zones[name] then
            return true
        end
    end
    return false
end

-- The bad end of a server is a failure of its own, named after the block
-- that had it last; which may have said that it leaves something (`expected`).
function File:stop_server(expected)
    if not self.server.running then
        return
    end
    local bad, panic = self.server:stop(), self.server:panic()
    local words = self.server:last_words(expected)

    if (bad or panic or words) and self.current then
        self.tap:fail(self:title(self.current) .. ": the server's end",
                      { bad or "", panic or "", words or "" })
    end
end

local function new_version(self)
    self.versions = (self.versions or 0) + 1
    return "v" .. self.versions .. "-" .. self.job.port
end

function File:restart(block, text)
    local ok, why

    self:stop_server()
    conf.make_folder(self.job)
    conf.write_files(block, self.job)
    conf.write(text, self.job)
    self.logs:rewind()
    self.zones = {}
    self.current = block
    ok, why = self.server:start()
    if not ok then
        error("the server does not start: " .. why, 0)
    end
end

function File:reload(block, text, version)
    self.logs:advance("error_log")
    self.logs:advance("access_log")
    -- Who watches scripts would miss those of the block before.
    if not self.serving:find("lua_code_cache watch", 1, true) then
        conf.clean_folder(self.job)
    end
    conf.write_files(block, self.job)
    conf.write(text, self.job)
    self.current = block
    local ok, more = self.server:reload(version)
    if not ok then
        error(more, 0)
    end
    if more then
        self.logs:advance("error_log")
    end
    self.logs:advance("access_log")
end

local function configures(block)
    return block:has("config") or block:has("http_config")
           or block:has("main_config") or stream.is(block)
end

-- Makes a server with this block's configuration answer.
function File:provide(block)
    local settings, job = self.settings, self.job
    -- Over TLS nobody could ask whether a reload is done.
    local version = job.reload and not conf.speaks_tls(block)
                    and not block:has("no_reload") and new_version(self) or nil
    local text, plain

    if not configures(block) and self.text then
        -- As Test::Nginx: the configuration of the block before, its ports.
        block.expand = self.expand
        if self.server:fell() or not self.server.running then
            self:restart(block, self.text)
        end
        return
    end
    self.expand = block.expand
    plain = conf.text(block, settings, job)
    text = version and conf.text(block, settings, job, version) or plain
    local same = plain == self.plain and not lasting(plain)
                 and #conf.files(block) == 0
    self.server:fell()
    self.serving, self.text, self.plain = self.plain, text, plain
    if self.server.running and same then
        self.current = block
    elseif self.server.running and version and self.has_master
           and not self:needs_fresh(plain)
    then
        self:reload(block, text, version)
    else
        self:restart(block, text)
        self.has_master = version ~= nil
    end
    for name in pairs(lasting_zones(plain)) do
        self.zones[name] = true
    end
end

-- --- a block ---

function File:title(block)
    return self.path .. ": " .. block.name
end

function File:tell(block, run)
    local todo = skip.todo(block, self.job)

    if run.report:ok() then
        self.tap:pass(self:title(block))
        return
    end
    if todo then
        self.tap:skip(self:title(block), "to do: " .. todo)
        return
    end
    local lines = run:explain()
    for _, line in ipairs(self.logs:tail(TAIL)) do
        lines[#lines + 1] = "error.log: " .. line
    end
    for _, note in ipairs(self.notes) do
        lines[#lines + 1] = "preamble, ignored: " .. note
    end
    lines[#lines + 1] = "at " .. self.path .. " line " .. block.line
    self.tap:fail(self:title(block), lines)
end

function File:must_die(block, run)
    self:stop_server()
    self.current, self.text, self.plain = nil, nil, nil
    conf.make_folder(self.job)
    conf.write_files(block, self.job)
    conf.write(conf.text(block, self.settings, self.job), self.job)
    self.logs:rewind()
    run:died(self.server:die(), self.server:complaints())
end

-- Whatever the server did to itself during the block.
function File:look_at_server(run)
    local status = self.server:fell()
    local panic = self.server:panic()

    if status then
        run.report:fail("the server ended, status " .. status,
                        { self.server:complaints() })
    elseif panic then
        run.report:fail("the server complains", { panic })
    end
    if status or panic then
        self.current = nil
    end
end

function File:serve(block, run)
    self:provide(block)
    if not self.job.reload then
        -- What a fresh server wrote at its start belongs to this block.
        self.logs:advance("access_log")
    end
    run:turns(self.settings.repeat_each, function ()
        conf.write_files(block, self.job)
    end)
    self:look_at_server(run)
    if block:has("shutdown_error_log") or block:has("no_shutdown_error_log")
    then
        self:stop_server(expect.mentions(
            expect.patterns(block:value("shutdown_error_log")),
            "not ended at exit"))
        run:shutdown()
    end
end

-- What nobody knows is passed over only where Test::Nginx would.
function File:comment_unknown(block)
    local unknown = self.settings.lenient and block:unknown()

    if unknown then
        self.tap:comment(self:title(block) .. ": --- " .. unknown
                         .. " is not known here, and ignored")
    end
end

function File:prepare(parsed)
    local block = block_room.new(parsed, self.world, vars.expander(self.job))

    for _, code in ipairs(self.settings.preprocessors) do
        perl.call(code, block:object())
    end
    return block
end

function File:run_block(parsed)
    local ok, block = pcall(self.prepare, self, parsed)

    if not ok then
        self.tap:fail(self:title(parsed),
                      { "preprocessor: " .. tostring(block) })
        return
    end
    local run = run_room.new { block = block, job = self.job, logs = self.logs,
                               accumulate = self.settings.accumulate,
                               lenient = self.settings.lenient }
    local done, err = pcall(function ()
        local reason = skip.reason(block, self.job)
        if reason then
            self.tap:skip(self:title(block), reason)
            return true
        end
        self:comment_unknown(block)
        local complaint = block:complaint(self.settings.lenient)
                          or not self.settings.lenient and conflicts.of(block)
        if complaint then
            error(complaint, 0)
        end
        if block:has("must_die") then
            self:must_die(block, run)
        else
            self:serve(block, run)
        end
        return false
    end)
    if done and err then
        return
    end
    if not done then
        run.report:fail(tostring(err))
    end
    self:tell(block, run)
end

-- --- a file ---

local function open(path, job, tap)
    local text, err = io.read(path)
    local parsed

    if not text then
        return nil, err
    end
    parsed, err = parse.file(text)
    if not parsed then
        return nil, err
    end
    job.blocks = #parsed.blocks
    local told = preamble.read(parsed.preamble, job)
    return setmetatable({
        path = path, job = job, tap = tap, parsed = parsed,
        settings = told.settings, world = told.world, notes = told.notes,
        server = server.new(job), logs = logs.new(job.root),
        text_has = function (word) return text:find(word, 1, true) end,
    }, File)
end

-- Specs reach their certificates from conf/, as ../../cert/NAME.
function File:fetch_certificates()
    local from, to = self.job.current .. "/t/cert", self.job.dir .. "/t/cert"

    if not self.text_has("/cert/") then
        return
    end
    io.make_dir(to)
    for _, name in ipairs(io.list(from) or {}) do
        io.write(to .. "/" .. name, io.read(from .. "/" .. name) or "")
    end
end

-- Runs the file; its TAP goes to `tap`, without the plan.
function _M.run(path, job, tap)
    local ok, file, err = pcall(open, path, job, tap)

    if not ok or not file then
        tap:fail(path, { tostring(ok and err or file) })
        return
    end
    if file.parsed.partial then
        tap:comment(path .. " has --- ONLY or --- LAST: some blocks are "
                    .. "left out")
    end
    for _, note in ipairs(job.verbose and file.notes or {}) do
        tap:comment(path .. ": ignored in the preamble: " .. note)
    end
    file:fetch_certificates()
    for _, block in ipairs(file.parsed.blocks) do
        for _, name in ipairs(block.twice) do
            tap:comment(path .. ": " .. block.name .. ": --- " .. name
                        .. " is given twice; the last one counts")
        end
        file:run_block(block)
    end
    file:stop_server()
end

return _M
