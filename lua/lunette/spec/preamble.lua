-- lunette/spec/preamble.lua -- what a file says before __DATA__
--
-- The Perl there is evaluated as far as it can be, in a world that knows
-- the harness's settings (repeat_each, log_level, ...) as functions that
-- write into a table. The rest (plans, run_tests, modules) is passed over.
-- A file that calls run_tests was written for Test::Nginx, and is checked as
-- leniently as there (`settings.lenient`).
--
-- SPDX-License-Identifier: BSD-2-Clause

local perl = require "lunette.spec.perl"

local value = perl.value

local _M = {}

local function settings_of()
    return { repeat_each = 1, preprocessors = {}, env = {}, environment = {} }
end

-- A setter that answers with the setting, as Test::Nginx's do.
local function setting(settings, name, convert)
    return function (args)
        if args.n > 0 then
            settings[name] = convert(args[1])
        end
        return settings[name]
    end
end

local function switch(settings, name, to)
    return function ()
        settings[name] = to
        return 1
    end
end

-- Text filters of http_config and the like can't be had through a setting.
local PASSED_OVER = {
    "run_tests", "plan", "no_shuffle", "no_long_string", "use_hup",
    "no_diff", "skip_all", "add_cleanup_handler", "no_nginx_manager", "exit",
    "binmode", "strict", "warnings",
}

local function install(settings, world, job)
    local functions = world.functions
    local on = function (args) return value.truth(args) and "on" or "off" end

    for _, name in ipairs(PASSED_OVER) do
        functions[name] = function () return 1 end
    end
    functions.repeat_each = setting(settings, "repeat_each", value.number)
    functions.workers = setting(settings, "workers", value.number)
    functions.log_level = setting(settings, "log_level", value.text)
    functions.timeout = setting(settings, "timeout", value.number)
    functions.worker_connections = setting(settings, "worker_connections",
                                           value.number)
    functions.server_name = setting(settings, "server_name", value.text)
    functions.config_preamble = setting(settings, "config_preamble",
                                        value.text)
    functions.master_process_enabled = setting(settings, "master", on)
    functions.master_on = switch(settings, "master", "on")
    functions.master_off = switch(settings, "master", "off")
    functions.no_root_location = switch(settings, "no_root_location", true)
    functions.check_accum_error_log = switch(settings, "accumulate", true)
    functions.blocks = function () return job.blocks end
    functions.cwd = function () return job.current end
    functions.getcwd = functions.cwd
    functions.html_dir = function () return job.root .. "/html" end
    functions.server_root = function () return job.root end
    functions.server_port = function () return job.port end
    functions.server_port_for_client = functions.server_port
    functions.server_addr = function () return "127.0.0.1" end
    functions.env_to_nginx = function (args)
        for i = 1, args.n do
            settings.env[#settings.env + 1] = value.text(args[i])
        end
    end
    functions.add_block_preprocessor = function (args)
        table.insert(settings.preprocessors, 1, args[1])
    end
end

-- { settings, world, notes } for a file's preamble. `job` as in vars.lua,
-- and `blocks`, `windows`, `set_env(name, value)`.
function _M.read(text, job)
    local settings = settings_of()
    local world = perl.world(job.env, function (name, new)
        settings.environment[name] = new
        job.env[name] = new
        job.set_env(name, new)
    end)

    world:declare("$^O", job.windows and "MSWin32" or "linux")
    world:declare("$ServerPort", job.port)
    world:declare("$ServerAddr", "127.0.0.1")
    world.vars["%ENV"].map.TEST_NGINX_SERVER_PORT = job.port
    for _, name in ipairs { "ErrLogFile", "AccLogFile", "ServRoot" } do
        local tails = { ErrLogFile = "/logs/error.log",
                        AccLogFile = "/logs/access.log", ServRoot = "" }
        world:declare("$Test::Nginx::Util::" .. name, job.root .. tails[name])
    end
    install(settings, world, job)
    settings.lenient = text:find("run_tests", 1, true) ~= nil
    return { settings = settings, world = world,
             notes = perl.preamble(text, world) }
end

return _M
