-- echo.lua -- says what it was sent, as JSON.
--
-- SPDX-License-Identifier: BSD-2-Clause

local cjson = require "cjson"

local _M = {}

function _M.answer()
    ngx.req.read_body()
    ngx.header.content_type = "application/json"
    ngx.say(cjson.encode {
        method = ngx.req.get_method(),
        uri = ngx.var.uri,
        args = ngx.req.get_uri_args(),
        headers = ngx.req.get_headers(),
        body = ngx.req.get_body_data(),
    })
end

return _M
