-- lunette/spec/vars.lua -- $TEST_NGINX_* and $ServerPort in sections
--
-- The runner's own names first (port, folders), then the environment, then
-- usual defaults. TEST_NGINX_RAND_PORT_N and TEST_NGINX_STREAM_PORT are ports
-- from the job's range, the same through a block. An unknown name is an error.
-- Where the server is reloaded for each block (job.reload), a block has other
-- ports than the one before: what listens on one address of a port keeps the
-- next from listening on all of them until it is closed, and it is closed last.
--
-- SPDX-License-Identifier: BSD-2-Clause

local error = error

local _M = {}

local DEFAULTS = {
    TEST_NGINX_MEMCACHED_PORT = "11211", TEST_NGINX_REDIS_PORT = "6379",
    TEST_NGINX_MYSQL_PORT = "3306", TEST_NGINX_POSTGRESQL_PORT = "5432",
    TEST_NGINX_RESOLVER = "127.0.0.1",
    TEST_NGINX_SERVER_ADDR = "127.0.0.1",
}

-- One of t/lib/*.c, which is built beside the server.
local function program(job, name)
    local server = job.server and job.server[#job.server] or ""
    return server:gsub("[^/\\]*$", "") .. "t/" .. name
           .. (job.windows and ".exe" or "")
end

-- `job`: port (its first), ports (how many), root, env (name to value), reload.
-- The result replaces names in a text.
function _M.expander(job)
    local random, used = {}, 0
    local first = job.reload and job.next_port or 0
    local own = {
        TEST_NGINX_SERVER_PORT = job.port, TEST_NGINX_PORT = job.port,
        TEST_NGINX_CLIENT_PORT = job.port,
        TEST_NGINX_SERVER_ROOT = job.root, TEST_NGINX_SERVROOT = job.root,
        TEST_NGINX_HTML_DIR = job.root .. "/html",
        TEST_NGINX_ROOT_DIR = job.current,
        TEST_NGINX_FASTCGI_PROGRAM = program(job, "fastcgi_program"),
        TEST_NGINX_HTTP_PROGRAM = program(job, "http_program"),
        TEST_NGINX_CERT_DIR = job.env.TEST_NGINX_CERT_DIR
                              or job.current .. "/t/cert",
    }

    local function random_port(name)
        if not random[name] then
            used = used + 1
            if used >= job.ports then
                error("no port left for $" .. name, 0)
            end
            random[name] = job.port + 1 + (first + used - 1) % (job.ports - 1)
            job.next_port = first + used
        end
        return random[name]
    end

    local function lookup(name)
        if name:find("^TEST_NGINX_RAND_PORT_%d+$")
           or name == "TEST_NGINX_STREAM_PORT"
        then
            return random_port(name)
        end
        local value = own[name] or job.env[name] or DEFAULTS[name]
        if not value then
            error("no $" .. name .. " in the environment", 0)
        end
        return value
    end

    return function (text)
        if not text:find("$", 1, true) then
            return text
        end
        text = text:gsub("%$(TEST_NGINX_[_A-Z0-9]+)", lookup)
        return (text:gsub("%$ServerPortForClient%f[^%w_]", job.port)
                    :gsub("%$ServerPort%f[^%w_]", job.port))
    end
end

return _M
