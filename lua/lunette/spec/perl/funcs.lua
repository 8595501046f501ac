-- lunette/spec/perl/funcs.lua -- Perl's functions, those that specs call
--
-- Plain ones get their arguments as one list. Special ones get the node,
-- because they need a place (push, shift) or must not evaluate (defined):
-- places.lua has them.
-- The runner adds its own (repeat_each, ...) to the scope's `functions`.
--
-- SPDX-License-Identifier: BSD-2-Clause

local value = require "lunette.spec.perl.value"
local places = require "lunette.spec.perl.places"
local io = require "lunette.spec.io"
local pack = require "lunette.spec.perl.pack"
local regex = require "lunette.spec.regex"

local text, number, bool = value.text, value.number, value.bool
local type = type

local PLAIN = {}
local SPECIAL = places.special

-- eval.lua's readings, once it has installed us.
local eval

local _M = {}

-- --- texts ---

local function each_of_one(fn)
    return function (args)
        return fn(text(args[1]))
    end
end

PLAIN.length = function (args)
    return args[1] ~= nil and #text(args[1]) or nil
end
PLAIN.uc = each_of_one(string.upper)
PLAIN.lc = each_of_one(string.lower)
PLAIN.fc = PLAIN.lc
PLAIN.ucfirst = each_of_one(function (s)
    return (s:gsub("^%l", string.upper))
end)
PLAIN.lcfirst = each_of_one(function (s)
    return (s:gsub("^%u", string.lower))
end)
PLAIN.ord = each_of_one(function (s) return s:byte() or 0 end)
PLAIN.hex = each_of_one(function (s)
    return tonumber((s:gsub("^0[xX]", "")), 16) or 0
end)
PLAIN.oct = each_of_one(function (s)
    local digits = s:match("^0[xX](%x+)")
    return digits and tonumber(digits, 16) or tonumber(s, 8) or 0
end)
PLAIN.quotemeta = each_of_one(function (s)
    return (s:gsub("[^%w_\128-\255]", "\\%0"))
end)
PLAIN.uri_escape = each_of_one(function (s)
    return (s:gsub("[^%w%-_.!~*'()]", function (c)
        return ("%%%02X"):format(c:byte())
    end))
end)
PLAIN.uri_unescape = each_of_one(function (s)
    return (s:gsub("%%(%x%x)", function (h)
        return string.char(tonumber(h, 16))
    end))
end)
PLAIN.md5_hex = each_of_one(function (s) return ngx.md5(s) end)
PLAIN.decode_base64 = each_of_one(function (s) return ngx.decode_base64(s) end)

-- MIME::Base64 breaks lines at 76 and ends with a newline, or as told.
PLAIN.encode_base64 = function (args)
    local eol = args.n > 1 and text(args[2]) or "\n"
    local out = ngx.encode_base64(text(args[1]))

    return (out:gsub(("."):rep(76), "%0" .. eol):gsub("([^\n])$", "%1" .. eol))
end

PLAIN.chr = function (args)
    local n = number(args[1])

    if n < 256 then
        return string.char(n)
    end
    value.fail("chr above 255")
end

PLAIN.join = function (args)
    local out = {}

    for i = 2, args.n do
        out[#out + 1] = text(args[i])
    end
    return table.concat(out, text(args[1]))
end

PLAIN.index = function (args)
    local at = text(args[1]):find(text(args[2]), number(args[3]) + 1, true)
    return at and at - 1 or -1
end

PLAIN.rindex = function (args)
    local s, what, last = text(args[1]), text(args[2]), -1

    for at = 1, #s do
        if s:sub(at, at + #what - 1) == what then
            last = at - 1
        end
    end
    return last
end

PLAIN.substr = function (args)
    local s, from = text(args[1]), number(args[2])
    local size = args.n > 2 and number(args[3]) or #s

    if args.n > 3 then
        value.fail("substr with a replacement")
    end
    from = from < 0 and math.max(#s + from, 0) or from
    return size < 0 and s:sub(from + 1, size - 1)
           or s:sub(from + 1, from + size)
end

-- Lua's format understands Perl's conversions but for %v and positions.
PLAIN.sprintf = function (args)
    local at = 1

    return (text(args[1]):gsub("%%([-+ #0]*)(%*?%d*)(%.?%d*)([%a%%])",
        function (flags, width, precision, letter)
            if letter == "%" then
                return "%"
            end
            if width == "*" then
                at = at + 1
                width = text(args[at])
            end
            at = at + 1
            local spec = "%" .. flags .. width .. precision
            if letter == "s" then
                return (spec .. "s"):format(text(args[at]))
            elseif letter == "c" then
                return string.char(number(args[at]))
            elseif letter == "d" or letter == "i" or letter == "u" then
                return (spec .. ".0f"):format(math.floor(number(args[at])))
            elseif ("xXoeEfgG"):find(letter, 1, true) then
                return (spec .. letter):format(number(args[at]))
            end
            value.fail("sprintf has no %" .. letter)
        end))
end

PLAIN.reverse = function (args, want_list)
    if not want_list then
        return PLAIN.join({ n = args.n + 1, "", unpack(args, 1, args.n) })
               :reverse()
    end
    local out = { kind = "list", n = 0 }
    for i = args.n, 1, -1 do
        value.push(out, args[i])
    end
    return out
end

PLAIN.split = function (args)
    local re, s = args[1], text(args[2])
    local out, at = { kind = "list", n = 0 }, 1

    if not regex.is(re) then
        re = text(re) == " " and regex.new("\\s+")
             or regex.new(PLAIN.quotemeta({ re, n = 1 }))
        s = args[1] == " " and s:gsub("^%s+", "") or s
    end
    while at <= #s do
        local m, from, to = re:exec(s, at)
        if not m or (number(args[3]) > 0 and out.n + 1 >= number(args[3])) then
            break
        end
        if to < from then
            from, to = from + 1, from
        end
        if from > #s then
            break
        end
        value.push(out, s:sub(at, from - 1))
        at = to + 1
    end
    value.push(out, s:sub(at))
    while out.n > 0 and out[out.n] == "" do
        out[out.n], out.n = nil, out.n - 1
    end
    return out
end

-- --- numbers ---

local function each_number(fn)
    return function (args)
        return fn(number(args[1]))
    end
end

PLAIN.int = each_number(function (n)
    return n < 0 and math.ceil(n) or math.floor(n)
end)
PLAIN.abs = each_number(math.abs)
PLAIN.sqrt = each_number(math.sqrt)
PLAIN.log = each_number(math.log)
PLAIN.exp = each_number(math.exp)
PLAIN.rand = each_number(function (n)
    return math.random() * (n == 0 and 1 or n)
end)
PLAIN.time = function () return os.time() end
PLAIN.srand = function () return 0 end

-- --- the rest ---

PLAIN.pack = pack.pack
PLAIN.unpack = pack.unpack
PLAIN.wantarray = function () return 1 end
PLAIN.print = function () return 1 end
PLAIN.printf = PLAIN.print
PLAIN.warn = PLAIN.print
PLAIN.bless = function (args) return args[1] end
PLAIN.undef = function () return nil end

PLAIN.die = function (args)
    value.fail("die: " .. PLAIN.join({ n = args.n + 1, "",
                                       unpack(args, 1, args.n) }))
end

local KINDS = { array = "ARRAY", hash = "HASH", code = "CODE",
                regex = "Regexp", ref = "SCALAR" }

PLAIN.ref = function (args)
    return type(args[1]) == "table" and KINDS[args[1].kind] or ""
end

-- -e and its like: whether there is such a file or folder.
for letter in ("efrwx"):gmatch(".") do
    PLAIN["-" .. letter] = function (args)
        return bool(io.size(text(args[1])))
    end
end

PLAIN["-d"] = function (args)
    return bool(io.list(text(args[1])))
end

PLAIN["-s"] = function (args)
    return io.size(text(args[1])) or ""
end

-- --- calling ---

-- Those whose only argument may be left out: it is $_ then.
local TOPIC = { length = true, uc = true, lc = true, ord = true, chr = true,
                hex = true, oct = true, int = true, quotemeta = true }

-- A value, or a list (kind "list").
function _M.call(node, env, want_list)
    local name = node.name
    local own = env.root.functions[name]
    local special = SPECIAL[name]

    if own then
        return own(eval.flat(node.args, env), env)
    end
    if special then
        return special(node, env, want_list)
    end
    local plain = PLAIN[name] or PLAIN[name:match("[%w_]+$")]
    if not plain then
        value.fail("unknown Perl function or word " .. name)
    end
    local args = eval.flat(node.args, env)
    if args.n == 0 and TOPIC[name] then
        value.push(args, env:scalar("_"))
    end
    return plain(args, want_list)
end

-- \&name and \&CORE::uc
function _M.reference(name, env)
    local short = name:match("[%w_]+$")
    local fn = env.root.functions[name] or PLAIN[short]

    if not fn then
        value.fail("unknown Perl function " .. name)
    end
    return value.code(fn)
end

function _M.install(with)
    eval = with
    places.install(with, PLAIN.split)
end

return _M
