-- regex.lua -- ngx.re.match, find, gmatch, sub, gsub.
--
-- C side: ffi_re.c. Nothing here yields, every phase may use it;
-- but a replacement function may do as it likes, so nothing of an expression
-- is read after calling one.
--
-- Compiled expressions are kept per set of options ("jo"), by their text: a
-- match finds its expression by two table reads and makes no string for it.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local bit = require "bit"
local base = require "lunette.base"
local buffer = require "string.buffer"

local C = ffi.C
local ffi_new, ffi_string, ffi_gc = ffi.new, ffi.string, ffi.gc
local ffi_cast = ffi.cast
local new_tab = base.new_tab
local str_ptr = base.get_str_ptr()
local to_int, INT_MAX = base.to_int, base.INT_MAX
local band, bor = bit.band, bit.bor
local max = math.max
local error, setmetatable, tonumber, tostring, type =
    error, setmetatable, tonumber, tostring, type
local byte, sub, find = string.byte, string.sub, string.find

-- In a thread nothing is logged, and no configuration asked.
local apart = base.apart and 1 or 0
local log = base.apart and function () end
            or function (...) return ngx.log(...) end

base.cdef [[
typedef struct {
    void      *regex;
    int32_t    groups;
    int32_t    names;
    int32_t    dfa;
    int32_t    ov[];
} lun_lua_re;

lun_lua_re *lun_ffi_re_new(const char *pattern, size_t len, unsigned flags,
    int apart, char *error, size_t room);
void lun_ffi_re_free(lun_lua_re *re);
int lun_ffi_re_match(lun_lua_re *re, const char *s, size_t len, size_t from);
int lun_ffi_re_error(void);
int lun_ffi_re_name(const lun_lua_re *re, int i, lun_str *name);
int64_t lun_ffi_re_cache_max(void);
void lun_ffi_re_set_stack(int size);
]]

local _M = { version = base.version }

ngx.re = ngx.re or {}

-- As in core/session/regex.h: LUN_REGEX_...
local NO_MATCH = -1

-- As in core/base/log.h: LUN_LOG_...
local WARN, ERR = 5, 4

local CACHE_MAX_APART = 1024

-- Letters and the bits of core/session/regex.h; "o" is ours alone.
local letters = {
    { "i", 0x0001 }, { "a", 0x0002 }, { "m", 0x0004 }, { "s", 0x0008 },
    { "x", 0x0010 }, { "u", 0x0020 }, { "U", 0x0060 }, { "D", 0x0080 },
    { "J", 0x0100 }, { "d", 0x0200 }, { "j", 0x0400 }, { "o", 0 },
}

-- As in core/session/regex.h: LUN_REGEX_...
local UTF, DUPNAMES = 0x0020, 0x0080

-- options -> { flags, once, utf, dup, regexes = { text -> regex } }
local sets, set_count = {}, 0
local MOST_SETS = 256              -- what comes from a client is not kept
local cached, warned = 0, false

local ERROR_ROOM = 4096
local error_room

local function parse_options(opts)
    if type(opts) ~= "string" then
        opts = tostring(opts)
    end
    local bad = find(opts, "[^iamsxuUDJdjo]")
    if bad then
        error("unknown flag \"" .. sub(opts, bad, bad) .. "\" (flags \"" .. opts
              .. "\")", 3)
    end

    local flags = 0
    for i = 1, #letters do
        local letter = letters[i]
        if find(opts, letter[1], 1, true) then
            flags = bor(flags, letter[2])
        end
    end

    local lasts = set_count < MOST_SETS
    local set = { flags = flags,
                  once = lasts and find(opts, "o", 1, true) ~= nil,
                  utf = band(flags, UTF) ~= 0,
                  dup = band(flags, DUPNAMES) ~= 0,
                  regexes = {}, templates = {} }
    if lasts then
        set_count = set_count + 1
        sets[opts] = set
    end
    return set
end

-- name -> group, as a list to walk; false: there are none.
local function names_of(re)
    if re.names == 0 then
        return false
    end
    local names = new_tab(2 * re.names, 0)
    for i = 0, re.names - 1 do
        local group = C.lun_ffi_re_name(re, i, str_ptr)
        names[2 * i + 1] = ffi_string(str_ptr[0].data, str_ptr[0].len)
        names[2 * i + 2] = group
    end
    return names
end

local function may_cache()
    local max = base.apart and CACHE_MAX_APART
                or tonumber(C.lun_ffi_re_cache_max())
    if cached < max then
        cached = cached + 1
        return true
    end
    if not warned then
        warned = true
        log(WARN, "lua exceeding regex cache max entries (", max, ")")
    end
    return false
end

-- { re, groups, names, kept }, or nil and why not. It is freed when Lua has
-- forgotten it, or by done() if it is not kept. What is no text throws at the
-- caller of the API's function.
local function compile(set, text, name)
    if type(text) ~= "string" then
        if type(text) ~= "number" then
            error("bad argument #2 to '" .. name .. "' (string expected, got "
                  .. type(text) .. ")", 3)
        end
        text = tostring(text)
    end
    error_room = error_room or ffi_new("char[?]", ERROR_ROOM)

    local re = C.lun_ffi_re_new(text, #text, set.flags, apart, error_room,
                                ERROR_ROOM)
    if re == nil then
        return nil, ffi_string(error_room)
    end

    local regex = { re = ffi_gc(re, C.lun_ffi_re_free), groups = re.groups,
                    names = names_of(re), kept = set.once and may_cache() }
    if regex.kept then
        set.regexes[text] = regex
    end
    return regex
end

local function done(regex)
    if not regex.kept then
        C.lun_ffi_re_free(ffi_gc(regex.re, nil))
    end
end

local function failure()
    return "pcre_exec() failed: " .. C.lun_ffi_re_error()
end

local function add_names(res, names, dup)
    for i = 1, #names, 2 do
        local name, value = names[i], res[names[i + 1]]
        if not dup then
            res[name] = value
        elseif value then
            local all = res[name]
            if type(all) == "table" then
                all[#all + 1] = value
            else
                res[name] = { value }
            end
        end
    end
end

local function group(subj, ov, i)
    local from = ov[2 * i]
    return from >= 0 and sub(subj, from + 1, ov[2 * i + 1])
end

-- The table of a match: [0] is the whole, false stands for a group without
-- part in it. A loop of few turns would keep the JIT compiler trying to make
-- a trace of it, so that the first groups have none.
local function collect(regex, set, subj, res)
    local ov, groups = regex.re.ov, regex.groups
    res = res or new_tab(groups, regex.names and 5 or 1)
    res[0] = sub(subj, ov[0] + 1, ov[1])
    if groups > 0 then
        res[1] = group(subj, ov, 1)
        if groups > 1 then
            res[2] = group(subj, ov, 2)
            if groups > 2 then
                res[3] = group(subj, ov, 3)
                for i = 4, groups do
                    res[i] = group(subj, ov, i)
                end
            end
        end
    end
    if regex.names then
        if set.dup then
            for i = 1, #regex.names, 2 do
                res[regex.names[i]] = nil
            end
        end
        add_names(res, regex.names, set.dup)
    end
    return res
end

-- ctx.pos, which counts from 1, as C counts; none, or less, is the beginning.
local function start_of(ctx)
    local pos = ctx.pos
    if not pos or not (pos > 0) then
        return 0
    end
    return to_int(pos - 1, 0, INT_MAX)
end
_M.start_of = start_of

function ngx.re.match(subj, text, opts, ctx, res)
    local set = sets[opts or ""] or parse_options(opts or "")
    local regex, err = set.regexes[text], nil
    if not regex then
        regex, err = compile(set, text, "match")
        if not regex then
            return nil, err
        end
    end
    if type(subj) ~= "string" then
        subj = tostring(subj)
    end

    local re = regex.re
    local rc = C.lun_ffi_re_match(re, subj, #subj, ctx and start_of(ctx) or 0)
    if rc > 0 then
        if ctx then
            ctx.pos = re.ov[1] + 1
        end
        res = collect(regex, set, subj, res)
    else
        res = nil
        if rc ~= NO_MATCH then
            err = failure()
        end
    end
    if not regex.kept then
        done(regex)
    end
    if err then
        return nil, err
    end
    return res
end

function ngx.re.find(subj, text, opts, ctx, nth)
    local set = sets[opts or ""] or parse_options(opts or "")
    local regex, err = set.regexes[text], nil
    if not regex then
        regex, err = compile(set, text, "find")
        if not regex then
            return nil, nil, err
        end
    end
    if type(subj) ~= "string" then
        subj = tostring(subj)
    end

    nth = to_int(nth or 0, 0, INT_MAX)
    local from, to
    if nth > regex.groups then
        err = "nth out of bound"
    else
        local re = regex.re
        local rc = C.lun_ffi_re_match(re, subj, #subj,
                                      ctx and start_of(ctx) or 0)
        if rc > 0 then
            if ctx then
                ctx.pos = re.ov[1] + 1
            end
            if re.ov[2 * nth] >= 0 then
                from, to = re.ov[2 * nth] + 1, re.ov[2 * nth + 1]
            end
        elseif rc ~= NO_MATCH then
            err = failure()
        end
    end
    if not regex.kept then
        done(regex)
    end
    if from then
        return from, to
    end
    if err then
        return nil, nil, err
    end
    return nil
end

-- Where to look next after an empty match at `pos`: behind one character.
local function step(set, subj, pos)
    pos = pos + 1
    if set.utf then
        local c = byte(subj, pos + 1)
        while c and c >= 0x80 and c < 0xc0 do
            pos = pos + 1
            c = byte(subj, pos + 1)
        end
    end
    return pos
end

-- What gmatch returns is called as a function; the making of one would not be
-- compiled.
local iterator = {}

function iterator.__call(self)
    local subj, pos = self.subj, self.pos
    if pos > #subj then
        return nil
    end
    local regex, set = self.regex, self.set
    local re = regex.re
    local rc = C.lun_ffi_re_match(re, subj, #subj, pos)
    if rc <= 0 then
        self.pos = #subj + 1
        if rc ~= NO_MATCH then
            return nil, failure()
        end
        return nil
    end
    pos = re.ov[1]
    if re.ov[0] == pos then
        pos = step(set, subj, pos)
    end
    self.pos = pos
    return collect(regex, set, subj)
end

function ngx.re.gmatch(subj, text, opts)
    local set = sets[opts or ""] or parse_options(opts or "")
    local regex, err = set.regexes[text], nil
    if not regex then
        regex, err = compile(set, text, "gmatch")
        if not regex then
            return nil, err
        end
    end
    if type(subj) ~= "string" then
        subj = tostring(subj)
    end

    return setmetatable({ regex = regex, set = set, subj = subj, pos = 0 },
                        iterator)
end

-- A template as a list of texts and numbers of groups; nil: said in the log.
local function parse_template(text)
    local parts, at = {}, 1
    while true do
        local dollar = find(text, "$", at, true)
        if not dollar then
            break
        end
        if dollar > at then
            parts[#parts + 1] = sub(text, at, dollar - 1)
        end

        local _, to, open, name = find(text, "^([{]?)([%w_]*)", dollar + 1)
        if sub(text, dollar + 1, dollar + 1) == "$" then
            parts[#parts + 1], at = "$", dollar + 2
        elseif name == "" then
            log(ERR, "lua script: invalid capturing variable name found in \"",
                text, "\"")
            return nil
        elseif open == "{" and sub(text, to + 1, to + 1) ~= "}" then
            log(ERR, "lua script: the closing bracket in \"", name,
                "\" variable is missing")
            return nil
        else
            local _, last, digits = find(name, "^(%d+)")
            if not digits or (open == "{" and last < #name) then
                log(ERR, "lua script: attempt to use named capturing ",
                    "variable \"", name,
                    "\" (named captures not supported yet)")
                return nil
            end
            parts[#parts + 1] = tonumber(digits)
            at = dollar + 1 + (open == "{" and #name + 2 or last)
        end
    end
    if at <= #text then
        parts[#parts + 1] = sub(text, at)
    end
    return parts
end

-- The last one is kept in any case.
local function template_of(set, text)
    local parts = set.templates[text]
    if parts then
        return parts
    end
    if text == set.last_text then
        return set.last_parts
    end
    parts = parse_template(text)
    set.last_text, set.last_parts = text, parts
    if parts and set.once and may_cache() then
        set.templates[text] = parts
    end
    return parts
end

local function put_part(out, part, re, groups, bytes)
    if type(part) == "string" then
        out:put(part)
    elseif part <= groups then
        local from = re.ov[2 * part]
        if from >= 0 then
            out:putcdata(bytes + from, re.ov[2 * part + 1] - from)
        end
    end
end

-- The first parts without a loop, for collect()'s reason.
local function put_template(out, parts, re, groups, bytes)
    put_part(out, parts[1] or "", re, groups, bytes)
    put_part(out, parts[2] or "", re, groups, bytes)
    put_part(out, parts[3] or "", re, groups, bytes)
    put_part(out, parts[4] or "", re, groups, bytes)
    put_part(out, parts[5] or "", re, groups, bytes)
    for i = 6, #parts do
        put_part(out, parts[i], re, groups, bytes)
    end
end

-- What stands in the place of the match that `regex` has found; false: parts
-- of a template.
local function put_replacement(out, regex, set, subj, replace, parts, bytes)
    if parts then
        put_template(out, parts, regex.re, regex.groups, bytes)
    else
        out:put(tostring(replace(collect(regex, set, subj))))
    end
end

-- All matches behind the one from `from` to `pos`. How many there were, the
-- end of the last one, and what the search for another gave.
local function put_others(out, regex, set, subj, replace, parts, bytes, from,
                          pos)
    local re, len = regex.re, #subj
    local copied, n, rc = pos, 0, NO_MATCH
    if from == pos then
        pos = step(set, subj, pos)
    end

    while pos <= len do
        rc = C.lun_ffi_re_match(re, subj, len, pos)
        if rc <= 0 then
            break
        end

        local to
        from, to = re.ov[0], re.ov[1]
        n = n + 1
        out:putcdata(bytes + copied, from - copied)
        put_replacement(out, regex, set, subj, replace, parts, bytes)
        copied, pos = to, to
        if from == to then
            pos = step(set, subj, pos)
        end
    end
    return n, copied, rc
end

local shared_out = buffer.new(4096)

local function substitute(subj, text, replace, opts, global)
    local set = sets[opts or ""] or parse_options(opts or "")
    local regex, err = set.regexes[text], nil
    if not regex then
        regex, err = compile(set, text, global and "gsub" or "sub")
        if not regex then
            return nil, nil, err
        end
    end
    if type(subj) ~= "string" then
        subj = tostring(subj)
    end

    local is_function, parts = type(replace) == "function", nil
    if not is_function then
        parts = template_of(set, tostring(replace))
        if not parts then
            done(regex)
            return nil, nil, "failed to compile the replacement template"
        end
    end

    -- A function may come back here before we are done.
    local out = is_function and buffer.new() or shared_out:reset()
    local re, len = regex.re, #subj
    local bytes = ffi_cast("const char *", subj)
    local rc, n, copied = C.lun_ffi_re_match(re, subj, len, 0), 0, 0

    -- The first one has no part in a loop: that would keep the JIT compiler
    -- from the caller's.
    if rc > 0 then
        local from, to = re.ov[0], re.ov[1]
        out:putcdata(bytes, from)
        put_replacement(out, regex, set, subj, replace, parts, bytes)
        n, copied = 1, to
        if global then
            n, copied, rc = put_others(out, regex, set, subj, replace, parts,
                                       bytes, from, to)
            n = n + 1
        end
    end
    if rc <= 0 and rc ~= NO_MATCH then
        err = failure()
    end

    done(regex)
    if err then
        return nil, nil, err
    end
    if n == 0 then
        return subj, 0
    end
    out:putcdata(bytes + copied, len - copied)
    return out:get(), n
end

function ngx.re.sub(subj, text, replace, opts)
    return substitute(subj, text, replace, opts, false)
end

function ngx.re.gsub(subj, text, replace, opts)
    return substitute(subj, text, replace, opts, true)
end

-- For ngx.re's split().
_M.options = function (opts)
    return sets[opts] or parse_options(opts)
end
_M.compile, _M.done, _M.failure, _M.step = compile, done, failure, step

-- Whether any expression is kept.
function _M.has_cached()
    return cached > 0
end

-- --- what other libraries know

_M.no_pcre = false

function _M.is_regex_cache_empty()
    return cached == 0
end

-- A compiled expression, whether it is kept, and its flags; nil and why not.
function _M.re_match_compile(text, opts)
    local set = sets[opts or ""] or parse_options(opts or "")
    local regex, err = set.regexes[text], nil
    if not regex then
        regex, err = compile(set, text, "re_match_compile")
        if not regex then
            return nil, err
        end
    end
    return regex, regex.kept, set.flags
end

-- The same for a replacement, which is a function if there is `func`.
function _M.re_sub_compile(text, opts, replace, func)
    local regex, kept, flags = _M.re_match_compile(text, opts)
    if not regex then
        return nil, kept
    end
    if not func
       and not template_of(sets[opts or ""] or parse_options(opts or ""),
                           replace)
    then
        done(regex)
        return nil, "failed to compile the replacement template"
    end
    return regex, kept, flags
end

function _M.collect_captures(regex, _, subj, flags, res)
    return collect(regex, { dup = band(flags, DUPNAMES) ~= 0 }, subj, res)
end

_M.destroy_compiled_regex = done

-- A buffer with room for new_len bytes, of which len are there; its size, the
-- length and the place behind what is there.
function _M.check_buf_size(buf, buf_size, pos, len, new_len, must_alloc)
    if new_len > buf_size then
        local size = max(2 * buf_size, new_len)
        local new_buf = base.get_string_buf(size, must_alloc)
        ffi.copy(new_buf, buf, len)
        return new_buf, size, new_buf + len, new_len
    end
    return buf, buf_size, pos, new_len
end

-- Buffers here grow by themselves.
function _M.set_buf_grow_ratio()
end

return _M
