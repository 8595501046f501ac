-- lunette/import/sites.lua -- applicationHost.config of IIS: sites, where they
-- listen, where their files are
--
-- SPDX-License-Identifier: BSD-2-Clause

local emit = require "lunette.import.emit"
local files = require "lunette.files"
local tree = require "lunette.import.tree"
local web_config = require "lunette.import.web_config"
local xml = require "lunette.xml"

local find, gsub, lower, match = string.find, string.gsub, string.lower,
                                 string.match
local ipairs = ipairs
local attr, child, each = tree.attr, tree.child, tree.each

local _M = {}

-- %SystemDrive%\inetpub\wwwroot as C:/inetpub/wwwroot.
local function folder_of(text)
    text = gsub(text, "%%(%w+)%%", function (name)
        return lower(name) == "systemdrive" and "C:"
               or (lower(name) == "windir" or lower(name) == "systemroot")
                  and "C:/Windows" or nil
    end)
    return (gsub(text, "\\", "/"))
end


-- "*:443:www.example.com" of a binding.
local function binding(site, node)
    local protocol = attr(node, "protocol") or ""
    local info = attr(node, "bindingInformation") or ""
    local ip, port, host = match(info, "^(.-):(%d+):(.*)$")

    attr(node, "sslFlags")
    attr(node, "certificateHash")
    attr(node, "certificateStoreName")
    if protocol ~= "http" and protocol ~= "https" or not port
       or not find(ip, "^[%*%d%.%x:%[%]]*$")
    then
        emit.note(site, site.server, "the binding " .. protocol .. " " .. info
                  .. " of line " .. node.line)
        return
    end

    local address = (ip == "*" or ip == "") and port or ip .. ":" .. port

    if not site.has[address] then
        site.has[address] = true
        site.listens[#site.listens + 1] = address
            .. (protocol == "https" and " ssl" or "")
    end
    if find(host, "^[%w%-%.%*]+$") and not site.has[lower(host)] then
        site.has[lower(host)] = true
        site.names[#site.names + 1] = host
    end
    if protocol == "https" and not site.tls then
        site.tls = true
        emit.say(site.first, "Nobody is served over TLS until it is said with "
                 .. "which certificate; in IIS' place:")
        emit.say(site.first, "    ssl_certificate store:LocalMachine/MY?"
                 .. "subject=" .. (find(host, "^[%w%-%.%*]+$") and host
                                   or "NAME") .. ";")
        site.first[#site.first + 1] = "ssl_reject_handshake on;"
    end
end


-- The site's own web.config, if it is on this machine.
local function own_config(site)
    local path = site.root .. "/web.config"
    local text = files.read(path)
    local root, err

    if not text then
        emit.say(site.server, "There is no " .. path .. " here.")
        return
    end
    root, err = xml.parse(text)
    if root and root.name == "configuration" then
        web_config.import(site, root)
    else
        emit.close(site, site.server, path .. ": " .. (err or "is none"))
    end
end


local function folders(site, app, path)
    for dir in each(app, "virtualDirectory") do
        local at = attr(dir, "path") or "/"
        local folder = folder_of(attr(dir, "physicalPath") or "")

        attr(dir, "userName")
        attr(dir, "password")
        if path == "/" and at == "/" then
            site.root = folder
        else
            local full = gsub(path .. at, "//+", "/")
            local loc = emit.location(site, "location ^~ "
                        .. emit.quote(gsub(full, "/+$", "") .. "/"))

            if path ~= "/" then
                emit.note(site, loc, "the application " .. path
                          .. " has a web.config of its own")
            end
            emit.add(loc, "alias",
                     emit.literal(site, gsub(folder, "/+$", "") .. "/"))
        end
    end
end


-- What of the whole machine, or of a site, stands in `location`.
local function locations_of(host, name, site)
    for loc in each(host, "location") do
        local path = attr(loc, "path") or ""
        local mine = lower(path) == lower(name)
        local rest = lower(path:sub(1, #name + 1)) == lower(name) .. "/"
                     and path:sub(#name + 2)

        attr(loc, "overrideMode")
        attr(loc, "inheritInChildApplications")
        if mine then
            web_config.scope(site, loc, site.server, true)
        elseif rest then
            local to = emit.location(site, "location ^~ "
                                     .. emit.quote("/" .. rest .. "/"))

            to.scope = true
            web_config.scope(site, loc, to, false)
        end
    end
end


-- A site for each of the file; nil: it has none. make(): an empty one.
function _M.import(host, make)
    local all, out = child(host, "system.applicationHost"), {}

    for sites in each(all, "sites") do
        for node in each(sites, "site") do
            local site = make()
            local name = attr(node, "name") or ""

            attr(node, "id")
            attr(node, "serverAutoStart")
            site.root = "html"
            site.has = {}
            emit.say(site.first, 'The site "' .. name .. '".')
            for bindings in each(node, "bindings") do
                for b in each(bindings, "binding") do
                    binding(site, b)
                end
            end
            for app in each(node, "application") do
                local path = attr(app, "path") or "/"

                attr(app, "applicationPool")
                attr(app, "preloadEnabled")
                folders(site, app, path)
            end
            locations_of(host, name, site)
            own_config(site)
            tree.use_all(node)
            if #site.listens == 0 then
                site.listens[1] = "80"
            end
            out[#out + 1] = site
        end
    end
    return #out > 0 and out or nil
end


return _M
