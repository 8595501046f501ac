-- lunette/spec/io.lua -- files, processes and sockets for the spec runner
--
-- C side: modules/lua/spec/ffi_spec.c, a library in the folder that this is
-- below; the server has neither. Everything blocks, with a limit where it
-- could block for long; nothing here uses the server's event loop, which is
-- what the specs test. Times are milliseconds. The world's failures return
-- nil and a text.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"

local new, string_of = ffi.new, ffi.string
local tonumber, setmetatable = tonumber, setmetatable

ffi.cdef [[
const char *lun_ffi_spec_error(void);
int64_t lun_ffi_spec_now(void);
void lun_ffi_spec_sleep(int64_t msec);
int32_t lun_ffi_spec_make_dir(const char *path);
int32_t lun_ffi_spec_remove(const char *path);
int64_t lun_ffi_spec_list(const char *path, char *room, int64_t size);
int64_t lun_ffi_spec_size(const char *path);
int64_t lun_ffi_spec_read(const char *path, int64_t at, char *buf,
    int64_t size);
int32_t lun_ffi_spec_write(const char *path, const char *data, int64_t size);
int32_t lun_ffi_spec_date(const char *path, int64_t sec);
int32_t lun_ffi_spec_current(char *room, int32_t size);
int32_t lun_ffi_spec_program(char *room, int32_t size);
int32_t lun_ffi_spec_cpus(void);
int64_t lun_ffi_spec_pid(void);
int32_t lun_ffi_spec_is_root(void);
void lun_ffi_spec_setenv(const char *name, const char *value);
void *lun_ffi_spec_run(const char *const *argv, const char *out,
    const char *err);
int32_t lun_ffi_spec_wait(void *proc, int64_t msec, int32_t *code);
int64_t lun_ffi_spec_proc_pid(const void *proc);
void lun_ffi_spec_kill(void *proc);
void lun_ffi_spec_forget(void *proc);
int32_t lun_ffi_spec_signal(int64_t pid, int32_t word, int64_t msec);
int64_t lun_ffi_spec_connect(const char *addr, int64_t msec);
int64_t lun_ffi_spec_listen(const char *addr);
int64_t lun_ffi_spec_bind(const char *text);
int64_t lun_ffi_spec_take(int64_t fd, char *buf, int64_t size);
int32_t lun_ffi_spec_reply(int64_t fd, const char *buf, int64_t size);
int64_t lun_ffi_spec_accept(int64_t fd, int64_t msec);
int64_t lun_ffi_spec_recv(int64_t fd, char *buf, int64_t size, int64_t msec);
int32_t lun_ffi_spec_send(int64_t fd, const char *buf, int64_t size,
    int64_t msec);
int32_t lun_ffi_spec_shutdown(int64_t fd);
void lun_ffi_spec_abort(int64_t fd);
void lun_ffi_spec_close(int64_t fd);
]]

-- Where the spec runner is.
local FOLDER = debug.getinfo(1, "S").source
               :match "^@(.-)[/\\]*lunette[/\\]spec[/\\]io"
FOLDER = FOLDER == "" and "." or FOLDER

local C = ffi.load(FOLDER .. "/lunette_spec"
                   .. (jit.os == "Windows" and ".dll" or ".so"))

local TIMED_OUT = -1
local BUFFER = 65536
local PATH = 4096

-- Where ffi_spec.c has the words it can tell a server.
local WORDS = {
    quit = 0, stop = 1, reload = 2, reopen = 3, dump = 4, profile = 5
}

local buffer = new("char[?]", BUFFER)
local number = new("int32_t[1]")

local _M = { folder = FOLDER }

local function reason()
    return string_of(C.lun_ffi_spec_error())
end

-- true, or nil and why not.
local function done(rc)
    if rc < 0 then
        return nil, reason()
    end
    return true
end

-- --- time ---

-- Milliseconds of a clock that never goes back, with fractions.
function _M.now()
    return tonumber(C.lun_ffi_spec_now()) / 1000
end

function _M.sleep(msec)
    C.lun_ffi_spec_sleep(msec)
end

-- --- files ---

function _M.make_dir(path)
    return done(C.lun_ffi_spec_make_dir(path))
end

-- A file or a whole folder.
function _M.remove(path)
    return done(C.lun_ffi_spec_remove(path))
end

-- The sorted names in a folder; nil when it is none.
function _M.list(path)
    local size = C.lun_ffi_spec_list(path, buffer, BUFFER)
    local names, room = {}, buffer

    if size < 0 then
        return nil, reason()
    end
    if size > BUFFER then
        room = new("char[?]", size)
        C.lun_ffi_spec_list(path, room, size)
    end
    for name in string_of(room, size):gmatch("[^%z]+") do
        names[#names + 1] = name
    end
    table.sort(names)
    return names
end

-- Bytes of a file, or nil.
function _M.size(path)
    local size = C.lun_ffi_spec_size(path)

    return size >= 0 and tonumber(size) or nil
end

-- The file's text from `at` on, or nil and why not.
function _M.read(path, at)
    local parts = {}

    at = at or 0
    while true do
        local got = C.lun_ffi_spec_read(path, at, buffer, BUFFER)
        if got < 0 then
            return nil, reason()
        end
        if got == 0 then
            return table.concat(parts)
        end
        parts[#parts + 1] = string_of(buffer, got)
        at = at + tonumber(got)
    end
end

function _M.write(path, text)
    return done(C.lun_ffi_spec_write(path, text, #text))
end

-- Says that the file was last changed at `sec` (since 1970).
function _M.date(path, sec)
    return done(C.lun_ffi_spec_date(path, sec))
end

local function folder(ask)
    local room = new("char[?]", PATH)

    if ask(room, PATH) < 0 then
        return nil, reason()
    end
    return string_of(room)
end

function _M.current()
    return folder(C.lun_ffi_spec_current)
end

function _M.program()
    return folder(C.lun_ffi_spec_program)
end

-- --- processes ---

function _M.cpus()
    return C.lun_ffi_spec_cpus()
end

function _M.pid()
    return tonumber(C.lun_ffi_spec_pid())
end

function _M.is_root()
    return C.lun_ffi_spec_is_root() ~= 0
end

-- For this process and the children that it will start.
function _M.setenv(name, value)
    C.lun_ffi_spec_setenv(name, value)
end

local Process = {}
Process.__index = Process

-- Starts argv (a list); the two files are made anew, for its output.
function _M.run(argv, out, err)
    local texts = new("const char *[?]", #argv + 1)

    for i, text in ipairs(argv) do
        texts[i - 1] = text
    end
    texts[#argv] = nil
    local handle = C.lun_ffi_spec_run(texts, out, err)
    if handle == nil then
        return nil, reason()
    end
    return setmetatable({ handle = handle,
                          pid = tonumber(C.lun_ffi_spec_proc_pid(handle)) },
                        Process)
end

-- The exit status if it ends within `msec`; nil while it runs.
function Process:wait(msec)
    if not self.status and C.lun_ffi_spec_wait(self.handle, msec, number) == 1
    then
        self.status = number[0]
        C.lun_ffi_spec_forget(self.handle)
        self.handle = nil
    end
    return self.status
end

-- At once; waits for its end.
function Process:kill()
    if not self.status then
        C.lun_ffi_spec_kill(self.handle)
        self:wait(10000)
    end
end

-- One of WORDS to the server with that pid.
function _M.tell(pid, word, msec)
    return done(C.lun_ffi_spec_signal(pid, WORDS[word], msec))
end

-- --- sockets ---

local Socket = {}
Socket.__index = Socket

local function socket_of(fd)
    if fd < 0 then
        return nil, fd == TIMED_OUT and "timed out" or reason()
    end
    return setmetatable({ fd = fd }, Socket)
end

-- "127.0.0.1:80", "[::1]:80", "unix:/path"
function _M.connect(address, msec)
    return socket_of(C.lun_ffi_spec_connect(address, msec))
end

function _M.listen(address)
    return socket_of(C.lun_ffi_spec_listen(address))
end

-- For datagrams.
function _M.bind(address)
    return socket_of(C.lun_ffi_spec_bind(address))
end

-- A datagram that is there already, or nil and "timed out" or why not.
function Socket:take()
    local got = C.lun_ffi_spec_take(self.fd, buffer, BUFFER)

    if got < 0 then
        return nil, got == TIMED_OUT and "timed out" or reason()
    end
    return string_of(buffer, got)
end

-- One datagram to whoever sent the last one.
function Socket:reply(text)
    return done(C.lun_ffi_spec_reply(self.fd, text, #text))
end

function Socket:accept(msec)
    return socket_of(C.lun_ffi_spec_accept(self.fd, msec))
end

-- Some bytes; "" at the end of the stream; nil, "timed out" or why not.
function Socket:receive(msec)
    local got = C.lun_ffi_spec_recv(self.fd, buffer, BUFFER, msec)

    if got < 0 then
        return nil, got == TIMED_OUT and "timed out" or reason()
    end
    return string_of(buffer, got)
end

-- All of it, or nil and why not.
function Socket:send(text, msec)
    return done(C.lun_ffi_spec_send(self.fd, text, #text, msec))
end

-- No more will be sent.
function Socket:shutdown()
    return done(C.lun_ffi_spec_shutdown(self.fd))
end

function Socket:close()
    if self.fd then
        C.lun_ffi_spec_close(self.fd)
        self.fd = nil
    end
end

return _M
