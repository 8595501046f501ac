-- re.lua -- ngx.re's newer functions: split, opt.
--
-- SPDX-License-Identifier: BSD-2-Clause

local ffi = require "ffi"
local base = require "lunette.base"
local regex = require "resty.core.regex"

if regex.no_pcre then
    error("no support for 'ngx.re' module: OpenResty was compiled without "
          .. "PCRE support", 0)
end

local C = ffi.C
local compile, done, failure, step = regex.compile, regex.done, regex.failure,
                                     regex.step
local options, start_of = regex.options, regex.start_of
local to_int, INT_MAX = base.to_int, base.INT_MAX
local error, tostring, type = error, tostring, type
local sub = string.sub
local clear_tab = base.clear_tab

local _M = { version = base.version }

local NO_MATCH = -1
local MIN_STACK = 32768

-- Cuts `subj` at each match; groups of the expression become pieces too. At
-- most `max` pieces without those (nil, 0 or less: no limit, and empty pieces
-- at the end are left out). An empty match at either end cuts nothing.
function _M.split(subj, text, opts, ctx, max, res)
    if type(subj) ~= "string" then
        subj = tostring(subj)
    end

    local len, pos = #subj, ctx and start_of(ctx) or 0
    if res then
        clear_tab(res)
    else
        res = {}
    end
    if pos > 0 and pos >= len then
        return res
    end

    local set = options(opts or "")
    local re, err = set.regexes[text], nil
    if not re then
        re, err = compile(set, text, "split")
        if not re then
            return nil, err
        end
    end

    max = (max and max > 0) and to_int(max, 1, INT_MAX) or nil

    local ov = re.re.ov
    local copied, n, cuts = pos, 0, 1
    while pos < len and (not max or cuts < max) do
        local rc = C.lun_ffi_re_match(re.re, subj, len, pos)
        if rc == NO_MATCH then
            break
        end
        if rc < 0 then
            err = failure()
            break
        end

        local from, to = ov[0], ov[1]
        if from == to and (from == copied or from >= len) then
            pos = step(set, subj, from)
        else
            n, cuts = n + 1, cuts + 1
            res[n] = sub(subj, copied + 1, from)
            for i = 1, re.groups do
                if ov[2 * i] >= 0 then
                    n = n + 1
                    res[n] = sub(subj, ov[2 * i] + 1, ov[2 * i + 1])
                end
            end
            copied, pos = to, to
        end
    end

    done(re)
    if err then
        return nil, err
    end
    if copied < len or (max and n > 0) then
        res[n + 1] = sub(subj, copied + 1)
        return res
    end
    while not max and n > 0 and res[n] == "" do
        res[n] = nil
        n = n - 1
    end
    return res
end

-- How far the stack of JIT-compiled matches may grow.
function _M.opt(option, value)
    if option ~= "jit_stack_size" then
        error("unrecognized option name", 2)
    end
    if type(value) ~= "number" then
        error("bad argument #2 to 'opt' (number expected, got "
              .. type(value) .. ")", 2)
    end
    if regex.has_cached() then
        error("changing jit stack size is not allowed when some regexs have "
              .. "already been compiled and cached", 2)
    end
    if not (value >= MIN_STACK) then
        error("bad jit stack size", 2)
    end
    C.lun_ffi_re_set_stack(to_int(value, MIN_STACK, INT_MAX))
end

return _M
