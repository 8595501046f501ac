-- base64.lua -- the URL-safe alphabet: encode_base64url, decode_base64url.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base64 = require "resty.core.base64"

local encode, decode = base64.encode, base64.decode
local type = type

local _M = { version = base64.version }

-- Without padding, as RFC 7515 has it.
function _M.encode_base64url(s)
    if type(s) ~= "string" then
        return nil, "must provide a string"
    end
    return encode(s, 1, 0)
end

function _M.decode_base64url(s)
    if type(s) ~= "string" then
        return nil, "must provide a string"
    end
    local text = decode(s, 1, 0)
    if not text then
        return nil, "invalid input"
    end
    return text
end

return _M
