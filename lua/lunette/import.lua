-- lunette/import.lua -- `lunette import`: configurations of IIS and Apache as
-- nginx.conf
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"
local emit = require "lunette.import.emit"
local files = require "lunette.files"
local htaccess = require "lunette.import.htaccess"
local iis_rules = require "lunette.import.iis_rules"
local programs = require "lunette.import.programs"
local sites = require "lunette.import.sites"
local web_config = require "lunette.import.web_config"
local xml = require "lunette.xml"

base.cdef [[
    int lun_ffi_make_dir(const char *path);
]]

local C = require("ffi").C

local sort = table.sort
local find, gsub, match = string.find, string.gsub, string.match
local ipairs, pairs = ipairs, pairs
local stdout, stderr = io.stdout, io.stderr

local _M = {}

local USAGE = [[
usage: lunette import [options] FILE

Makes a configuration of a web.config or an applicationHost.config of IIS, or a
.htaccess of Apache, and writes it to standard output. What is not translated
is said in it, and here. What protected something and is not translated closes
what it protected ("deny all"): the exit status is 2 then.

  -o DIR           writes DIR/conf/nginx.conf and what belongs to it instead;
                   nothing that is there is written over
  --root DIR       the site's files (the folder of FILE)
  --listen ADDR    where it listens (8080)
  --name NAME      its name (localhost)
  --help           this text
]]

local VALUES = { ["-o"] = "dir", ["--root"] = "root", ["--listen"] = "listen",
                 ["--name"] = "name" }

-- The options, or nil and what is wrong.
local function read_options(words)
    local o, i = {}, 1

    while words[i] do
        local word, field = words[i], VALUES[words[i]]

        if field then
            i = i + 1
            o[field] = words[i]
            if not o[field] then
                return nil, word .. " needs a value"
            end
        elseif word == "--help" or word == "-h" then
            o.help = true
        elseif find(word, "^%-.") then
            return nil, 'unknown option "' .. word .. '"'
        elseif o.path then
            return nil, "one file is enough"
        else
            o.path = word
        end
        i = i + 1
    end
    if not o.path and not o.help then
        return nil, "of which file?"
    elseif o.listen and not find(o.listen, "^[%w%.:%[%]%*/_%-]+$")
           or o.name and not find(o.name, "^[%w%.%*_%-]+$")
    then
        return nil, "--listen is an address, --name a name"
    end
    return o
end


local function new_site(counter)
    local site = emit.new_site(counter)

    site.maps, site.needs, site.types = {}, {}, {}
    return site
end


-- What every mime.types has: twice would be a warning.
local standard = { svgz = "image/svg+xml" }

for mime, list in require("lunette.site").shared()["conf/mime.types"]
                  :gmatch "\n%s+(%S+)%s+([%w ]+);"
do
    for ext in list:gmatch "%w+" do
        standard[ext] = mime
    end
end


local function finish(site)
    local names, http = {}, site.http

    iis_rules.finish(site)
    for ext, mime in pairs(site.types) do
        if standard[ext] ~= mime then
            names[#names + 1] = ext
        end
    end
    sort(names)
    if #names > 0 then
        http[#http + 1] = "types {"
        for _, ext in ipairs(names) do
            http[#http + 1] = site.types[ext] .. " " .. ext .. ";"
        end
        http[#http + 1] = "}"
    end
    programs.finish(site)
end


-- How XML begins, in UTF-8 or UTF-16.
local MARKUP = "^[%s\239\187\191\254\255%z]*<%??[%a!%z]"

-- The sites that a text is about; nil and what is wrong. `name` is its file's,
-- `o` has root, listen, name.
function _M.sites(name, text, o)
    local counter = {}
    local site, root, ok, err

    local function make()
        return new_site(counter)
    end

    site = make()
    site.root = o.root or "html"
    site.listens[1] = o.listen or "8080"
    site.names[1] = o.name or "localhost"

    if find(name, "htaccess") or not find(text, MARKUP) then
        ok, err = htaccess.import(site, text)
        if not ok then
            return nil, err
        end
        finish(site)
        return { site }
    end

    root, err = xml.parse(text)
    if not root then
        return nil, err
    elseif root.name ~= "configuration" then
        return nil, "its root is <" .. root.name .. ">, not <configuration>"
    end

    local all = sites.import(root, make)

    if not all then
        web_config.import(site, root)
        all = { site }
    end
    for _, one in ipairs(all) do
        finish(one)
    end
    return all
end


-- The whole configuration of them.
function _M.configuration(all, name)
    return emit.configuration(all, "Made by `lunette import` of " .. name
                              .. ": read it, then try it with `lunette -t`.")
end


-- --- the command -----------------------------------------------------------

local function fail(...)
    stderr:write("lunette import: ", string.format(...), "\n")
    return 1
end


local function report(all)
    local loud, notes = 0, 0

    for _, site in ipairs(all) do
        for _, text in ipairs(site.notes) do
            notes = notes + 1
            stderr:write("not translated: ", text, "\n")
        end
        for _, text in ipairs(site.loud) do
            loud = loud + 1
            stderr:write("SECURITY, not translated, so nobody gets in: ", text,
                         "\n")
        end
    end
    if loud + notes > 0 then
        stderr:write(("%d of %d are about security; each is a comment in the "
                      .. "configuration.\n"):format(loud, loud + notes))
    end
    return loud == 0 and 0 or 2
end


local function write_new(path, text)
    if files.read(path) then
        return nil, "is there"
    end
    return files.write(path, text)
end


local function write_folder(dir, text)
    local site = require "lunette.site"
    local all = site.shared()

    for _, name in ipairs { "", "/conf", "/logs", "/html" } do
        C.lun_ffi_make_dir(dir .. name)
    end
    all["conf/nginx.conf"] = text
    for name, content in pairs(all) do
        local ok, err = write_new(dir .. "/" .. name, content)

        if not ok and (name == "conf/nginx.conf" or err ~= "is there") then
            return nil, dir .. "/" .. name .. ": " .. err
        end
    end
    return true
end


function _M.main(words)
    local o, err = read_options(words)

    if not o then
        return fail("%s (--help)", err)
    elseif o.help then
        stdout:write(USAGE)
        return 0
    end

    local text
    text, err = files.read(o.path)
    if not text then
        return fail("%s", err)
    end

    local path = gsub(o.path, "\\", "/")

    o.root = o.root or match(path, "^(.*)/[^/]*$") or "."
    if not find(o.root, "^/") and not find(o.root, "^%a:") then
        o.root = os.getenv "PWD" and os.getenv "PWD" .. "/" .. o.root
                 or o.root
    end

    local all
    all, err = _M.sites(match(path, "[^/]*$"), text, o)
    if not all then
        return fail("%s: %s", o.path, err)
    end

    local made = _M.configuration(all, match(path, "[^/]*$"))

    if not o.dir then
        stdout:write(made)
    else
        local ok
        ok, err = write_folder(o.dir, made)
        if not ok then
            return fail("%s", err)
        end
    end
    return report(all)
end

return _M
