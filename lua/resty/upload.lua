-- upload.lua -- a multipart/form-data body of the client's, part by part.
--
-- read() gives "header", "body", "part_end" and at last "eof". It yields.
--
-- SPDX-License-Identifier: BSD-2-Clause

local sock_methods = require "lunette.sock_methods"

local match = string.match
local ipairs, select, setmetatable, type =
    ipairs, select, setmetatable, type
local ngx = ngx

local _M = { _VERSION = "0.11" }
local mt = { __index = _M }

local CHUNK_SIZE = 4096
local MAX_LINE = 512

-- Where it stands in the body; these are its own.
local BEGIN = "begin"
local HEADER = "header"
local BODY = "body"
local END = "end"

local function boundary_of(header)
    if type(header) == "table" then
        header = header[1]
    end
    if not header then
        return nil
    end
    return match(header, ';%s*boundary="([^"]+)"')
           or match(header, ';%s*boundary=([^",;]+)')
end

-- Whatever is read of the body, for those who want to see it afterwards.
local function keep(self, ...)
    local kept = self.kept
    if kept then
        for i = 1, select("#", ...) do
            kept[#kept + 1] = (select(i, ...))
        end
    end
end

function _M.new(_, chunk_size, max_line_size, preserve_body)
    local boundary = boundary_of(ngx.var.content_type)
    if not boundary then
        return nil, "no boundary defined in Content-Type"
    end
    local sock, err = ngx.req.socket()
    if not sock then
        return nil, err
    end
    local read_to_boundary
    read_to_boundary, err = sock:receiveuntil("--" .. boundary)
    if not read_to_boundary then
        return nil, err
    end
    local read_line
    read_line, err = sock:receiveuntil("\r\n")
    if not read_line then
        return nil, err
    end
    return setmetatable({
        sock = sock,
        size = chunk_size or CHUNK_SIZE,
        line_size = max_line_size or MAX_LINE,
        read_to_boundary = read_to_boundary,
        read_line = read_line,
        boundary = boundary,
        state = BEGIN,
        kept = preserve_body and {} or nil,
    }, mt)
end

sock_methods(_M, { set_timeout = "settimeout" })

-- A line without its end, which may not be longer than is allowed.
local function read_line(self)
    local line, err = self.read_line(self.line_size)
    if not line then
        return nil, err
    end
    local more
    more, err = self.read_line(1)
    if more then
        return nil, "line too long: " .. line .. more .. "..."
    end
    if err then
        return nil, err
    end
    keep(self, line, "\r\n")
    return line
end

-- What stands behind a boundary: the next part, or nothing.
local function behind_boundary(self)
    local two, err = self.sock:receive(2)
    if not two then
        return nil, err
    end
    keep(self, two)
    if two == "--" then
        while true do
            local rest
            rest, err = self.sock:receive(self.size)
            keep(self, rest)
            if not rest then
                self.state = END
                return err == "closed" or nil, err
            end
        end
    end
    if two ~= "\r\n" then
        local line
        line, err = read_line(self)
        if not line then
            return nil, err
        end
    end
    self.state = HEADER
    return true
end

local function read_body(self)
    local part, err = self.read_to_boundary(self.size)
    if err then
        return nil, nil, err
    end
    if part then
        keep(self, part)
        return "body", part
    end
    keep(self, "\r\n--", self.boundary)
    local ok
    ok, err = behind_boundary(self)
    if not ok then
        return nil, nil, err
    end
    return "part_end"
end

local function read_header(self)
    local line, err = read_line(self)
    if err then
        return nil, nil, err
    end
    if line == "" then
        self.state = BODY
        return read_body(self)
    end
    local key, value = match(line, "([^: \t]+)%s*:%s*(.+)")
    if not key then
        return "header", line
    end
    return "header", { key, value, line }
end

-- What stands before the first boundary is nobody's.
local function skip_preamble(self)
    while true do
        local part, err = self.read_to_boundary(self.size)
        if err then
            return nil, nil, err
        end
        if not part then
            break
        end
        keep(self, part)
    end
    keep(self, "--", self.boundary)
    local ok, err = behind_boundary(self)
    if not ok then
        return nil, nil, err
    end
    self.read_to_boundary, err =
        self.sock:receiveuntil("\r\n--" .. self.boundary)
    if not self.read_to_boundary then
        return nil, nil, err
    end
    if self.state == END then
        return "part_end"
    end
    return read_header(self)
end

-- The body as it was, as if it had just been read.
local function give_back(self)
    local kept = self.kept
    if kept then
        self.kept = nil
        ngx.req.init_body()
        for _, part in ipairs(kept) do
            ngx.req.append_body(part)
        end
        ngx.req.finish_body()
    end
end

local steps = {
    [BEGIN] = skip_preamble,
    [HEADER] = read_header,
    [BODY] = read_body,
    [END] = function(self)
        give_back(self)
        return "eof"
    end,
}

-- A kind and what there is of it, or nil, nil and an error.
function _M.read(self)
    return steps[self.state](self)
end

return _M
