-- lunette/spec/perl/scope.lua -- where Perl's variables live
--
-- A chain of scopes; names carry their sigil ("$x", "@list"). The outermost
-- one is the package: `our`, undeclared and qualified names are there.
--
-- SPDX-License-Identifier: BSD-2-Clause

local value = require "lunette.spec.perl.value"

local setmetatable = setmetatable

local Scope = {}
Scope.__index = Scope

local _M = {}

function _M.new()
    local scope = setmetatable({ vars = {}, declared = {} }, Scope)

    scope.root = scope
    scope.functions = {}
    scope.steps = 0
    return scope
end

function Scope:child()
    return setmetatable({ vars = {}, declared = {}, up = self,
                          root = self.root }, Scope)
end

-- $::x and $main::x are the package's $x.
local function plain(name)
    return (name:gsub("^(.)::", "%1"):gsub("^(.)main::", "%1"))
end

-- The scope that has the name, or nil.
function Scope:find(name)
    local at = self

    if name:find("::", 1, true) then
        name, at = plain(name), self.root
    end
    while at do
        if at.declared[name] then
            return at, name
        end
        at = at.up
    end
    return nil, name
end

function Scope:declare(name, initial)
    name = plain(name)
    self.declared[name] = true
    self.vars[name] = initial
end

function Scope:set(name, new)
    local at, known = self:find(name)

    at = at or self.root
    at.declared[known] = true
    at.vars[known] = new
end

-- A scalar's value. A name nobody declared is a mistake, or something of
-- Perl's harness that we don't have: better to say so than to use "".
function Scope:scalar(name)
    local at, known = self:find("$" .. name)

    -- $TEST_NGINX_* inside an eval is replaced afterwards, as in any text.
    if not at and (name:find("^TEST_NGINX_") or name:find("^ServerPort")) then
        return "$" .. name
    end
    if not at then
        value.fail("unknown Perl variable $" .. name)
    end
    return at.vars[known]
end

-- An array or hash object, made when a new name is written to.
function Scope:container(sigil, name, make)
    local at, known = self:find(sigil .. name)

    if at then
        return at.vars[known]
    end
    if not make then
        value.fail("unknown Perl variable " .. sigil .. name)
    end
    local new = sigil == "@" and value.array() or value.hash()
    self:set(known, new)
    return new
end

return _M
