-- lunette/sync_set.lua -- a set of files that a store has, and the folder that
-- is to have them: whether they can be taken, and the taking
--
-- The set is written into a folder aside, DIR.next, and tested there; then
-- each file that differs is replaced in DIR. DIR.state says which version that
-- is, and which files are the store's. Who is killed in between leaves files
-- that differ: the next look finds them.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local ffi = require "ffi"
local files = require "lunette.files"
local pipe = require "ngx.pipe"

base.cdef [[
int lun_ffi_make_dir(const char *path);
int lun_ffi_replace_file(const char *path, const char *text, size_t len,
                         int is_secret);
int lun_ffi_program(char *room, size_t size);
const char *lun_ffi_path_fault(const char *name, size_t len);
]]

local C = ffi.C
local remove = os.remove

local _M = {}

local SECONDS = 60                     -- for a program of ours, at most
local NAME, PART = 240, 120            -- bytes

-- Why no file below a folder can have that name on each system, or nil.
function _M.name_fault(name)
    if #name > NAME then
        return "its name is too long"
    elseif name:find("\\", 1, true) then
        return "a backslash"
    end

    for part in (name .. "/"):gmatch "(.-)/" do
        if part == "" then
            return "a part of its name is empty"
        elseif part == "." or part == ".." then
            return "it leads elsewhere"
        elseif #part > PART then
            return "a part of its name is too long"
        end
    end

    local fault = C.lun_ffi_path_fault(name, #name)
    return fault ~= nil and ffi.string(fault) or nil
end

local function sorted(names)
    local list = {}
    for name in pairs(names) do
        list[#list + 1] = name
    end
    table.sort(list)
    return list
end

-- Two names that are one on Windows, or one that is a file and a folder.
local function find_conflict(names)
    local seen = {}

    for _, name in ipairs(names) do
        local low = name:lower()
        if seen[low] then
            return ('"%s" and "%s" are one file'):format(seen[low], name)
        end
        seen[low] = name
    end

    for _, name in ipairs(names) do
        local folder = name:lower():match "^(.*)/"
        while folder do
            if seen[folder] then
                return ('"%s" is a file and a folder'):format(seen[folder])
            end
            folder = folder:match "^(.*)/"
        end
    end
end

-- set: { version, files = { [name] = text } }; nil: it can be written.
function _M.fault(set, o)
    local names, bytes = sorted(set.files), 0

    if not set.version then
        return 'there is no key ".version": nothing is published'
    elseif #set.version > 200 or set.version:find "%c" then
        return '".version" is no line of at most 200 bytes'
    end

    local count = tonumber(set.version:match "^(%d+)$"
                           or set.version:match " (%d+)$")
    if not count then
        return '".version" does not end with the number of files'
    elseif count ~= #names then
        return ("%d of %d files are there"):format(#names, count)
    elseif #names > o.most_files then
        return ("more than %d files"):format(o.most_files)
    end

    for _, name in ipairs(names) do
        local fault = _M.name_fault(name)
        if not fault and #set.files[name] > o.most then
            fault = ("more than %d bytes"):format(o.most)
        end
        if fault then
            return ('"%s": %s'):format(name, fault)
        end
        bytes = bytes + #set.files[name]
    end

    if bytes > o.most_bytes then
        return ("more than %d bytes"):format(o.most_bytes)
    elseif not set.files[o.conf] then
        return ('there is no "%s"'):format(o.conf)
    end
    return find_conflict(names)
end

-- --- files ---

local function write(path, text)
    local folder = path:match "^(.*)/[^/]*$"

    if folder and C.lun_ffi_make_dir(folder) ~= 0 then
        return nil, folder .. " cannot be made"
    end
    if C.lun_ffi_replace_file(path, text, #text,
                              path:find "%.key$" and 1 or 0) ~= 0
    then
        return nil, path .. " cannot be written"
    end
    return true
end

-- Version and names, as DIR.state has them.
local function read_state(o)
    local text = files.read(o.dir .. ".state")
    local version, names = nil, {}

    for line in (text or ""):gmatch "([^\n]*)\n" do
        if not version then
            version = line
        elseif not _M.name_fault(line) then
            names[line] = true
        end
    end
    return version, names
end

function _M.version(o)
    return (read_state(o))
end

local function write_state(path, version, names)
    return write(path, version .. "\n"
                       .. table.concat(sorted(names), "\n") .. "\n")
end

-- --- programs ---

local function program()
    local room = ffi.new("char[4096]")

    if C.lun_ffi_program(room, 4096) ~= 0 then
        return "lunette"
    end
    return ffi.string(room)
end

-- Whether it ends with 0; and what it has said.
local function run(...)
    local process, err = pipe.spawn({ program(), ... }, {
        merge_stderr = true, stdout_read_timeout = SECONDS * 1000,
        wait_timeout = SECONDS * 1000
    })

    if not process then
        return false, err
    end

    local said
    said, err = process:stdout_read_all()
    if not said then
        process:kill(9)
        return false, err
    end
    return process:wait() == true, said
end

-- The first error that -t has found, without where that is for us.
local function complaint(said, o)
    local line = said:match "%[emerg%][^\n]*" or said:match "%[alert%][^\n]*"
                 or said:match "[^\r\n]+" or "it was killed"

    line = line:gsub("^%[%a+%] *%d*#?%d*:? *", ""):gsub("\r", "")
    line = line:gsub('[^ "]*' .. o.dir:gsub("%W", "%%%0") .. "%.next/", "")
    return line:sub(1, 500)
end

-- FILE of -c: as it is, or below the prefix.
local function conf_of(dir, o)
    local start = o.prefix .. "/"

    if dir:sub(1, #start) == start then
        dir = dir:sub(#start + 1)
    end
    return dir .. "/" .. o.conf
end

-- --- taking ---

-- In a folder of its own; nil: it is good.
local function test(set, o)
    local aside = o.dir .. ".next"

    -- What a look before has left there is not this set's.
    for name in pairs(select(2, read_state { dir = aside })) do
        remove(aside .. "/" .. name)
    end

    local ok, err = write_state(aside .. ".state", set.version, set.files)
    for _, name in ipairs(sorted(set.files)) do
        if ok then
            ok, err = write(aside .. "/" .. name, set.files[name])
        end
    end

    local fault = not ok and err or nil
    if ok then
        local good, said = run("-t", "-q", "-p", o.prefix, "-c",
                               conf_of(aside, o))
        fault = not good and complaint(said, o) or nil
    end

    for name in pairs(set.files) do
        remove(aside .. "/" .. name)
    end
    remove(aside .. ".state")
    return fault
end

-- Each that differs, with what it was: nil, it was not there.
local function differences(set, o)
    local list = {}

    for _, name in ipairs(sorted(set.files)) do
        local before = files.read(o.dir .. "/" .. name)
        if before ~= set.files[name] then
            list[#list + 1] = { name = name, before = before }
        end
    end

    local version, names = read_state(o)
    for _, name in ipairs(sorted(names)) do
        if not set.files[name] then
            list[#list + 1] = { name = name, gone = true,
                                before = files.read(o.dir .. "/" .. name) }
        end
    end
    return list, version ~= set.version
end

local function put_back(list, last, o)
    for i = last, 1, -1 do
        local path = o.dir .. "/" .. list[i].name
        if list[i].before then
            write(path, list[i].before)
        else
            remove(path)
        end
    end
end

local function replace(set, list, o)
    for i, one in ipairs(list) do
        local path, ok, err = o.dir .. "/" .. one.name, true, nil

        if one.gone then
            remove(path)
        else
            ok, err = write(path, set.files[one.name])
        end
        if not ok then
            put_back(list, i, o)
            return nil, err
        end
    end
    return write_state(o.dir .. ".state", set.version, set.files)
end

-- "same", "written", or "unheard": there is no server that could reload. Or
-- nil, and why DIR stays as it was.
function _M.apply(set, o)
    local fault = _M.fault(set, o)
    if fault then
        return nil, fault
    end

    local list, is_new = differences(set, o)
    if #list == 0 then
        if is_new then
            local ok, err = write_state(o.dir .. ".state", set.version,
                                        set.files)
            if not ok then
                return nil, err
            end
        end
        return "same"
    end

    fault = test(set, o)
    if fault then
        return nil, fault
    end

    local ok, err = replace(set, list, o)
    if not ok then
        return nil, err
    end

    return run("-p", o.prefix, "-c", conf_of(o.dir, o), "-s", "reload")
           and "written" or "unheard"
end

return _M
