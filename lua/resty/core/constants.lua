-- constants.lua -- the numbers of the ngx table, and ngx.null.
--
-- SPDX-License-Identifier: BSD-2-Clause

local base = require "lunette.base"

local pairs = pairs

local constants = {
    OK = base.OK,
    ERROR = base.ERROR,
    AGAIN = base.AGAIN,
    DONE = base.DONE,
    DECLINED = base.DECLINED,

    -- Levels of ngx.log.
    -- As in core/base/log.h: LUN_LOG_...
    STDERR = 0, EMERG = 1, ALERT = 2, CRIT = 3, ERR = 4, WARN = 5,
    NOTICE = 6, INFO = 7, DEBUG = 8,

    -- Methods, for ngx.req.set_method and ngx.location.capture.
    -- As in core/http/request.h: LUN_... for HTTP_...
    HTTP_GET = 0x0002, HTTP_HEAD = 0x0004, HTTP_POST = 0x0008,
    HTTP_PUT = 0x0010, HTTP_DELETE = 0x0020, HTTP_MKCOL = 0x0040,
    HTTP_COPY = 0x0080, HTTP_MOVE = 0x0100, HTTP_OPTIONS = 0x0200,
    HTTP_PROPFIND = 0x0400, HTTP_PROPPATCH = 0x0800, HTTP_LOCK = 0x1000,
    HTTP_UNLOCK = 0x2000, HTTP_PATCH = 0x4000, HTTP_TRACE = 0x8000,

    -- Statuses.
    HTTP_CONTINUE = 100,
    HTTP_SWITCHING_PROTOCOLS = 101,
    HTTP_OK = 200,
    HTTP_CREATED = 201,
    HTTP_ACCEPTED = 202,
    HTTP_NO_CONTENT = 204,
    HTTP_PARTIAL_CONTENT = 206,
    HTTP_SPECIAL_RESPONSE = 300,
    HTTP_MOVED_PERMANENTLY = 301,
    HTTP_MOVED_TEMPORARILY = 302,
    HTTP_SEE_OTHER = 303,
    HTTP_NOT_MODIFIED = 304,
    HTTP_TEMPORARY_REDIRECT = 307,
    HTTP_PERMANENT_REDIRECT = 308,
    HTTP_BAD_REQUEST = 400,
    HTTP_UNAUTHORIZED = 401,
    HTTP_PAYMENT_REQUIRED = 402,
    HTTP_FORBIDDEN = 403,
    HTTP_NOT_FOUND = 404,
    HTTP_NOT_ALLOWED = 405,
    HTTP_NOT_ACCEPTABLE = 406,
    HTTP_REQUEST_TIMEOUT = 408,
    HTTP_CONFLICT = 409,
    HTTP_GONE = 410,
    HTTP_UPGRADE_REQUIRED = 426,
    HTTP_TOO_MANY_REQUESTS = 429,
    HTTP_CLOSE = 444,
    HTTP_ILLEGAL = 451,
    HTTP_INTERNAL_SERVER_ERROR = 500,
    HTTP_METHOD_NOT_IMPLEMENTED = 501,
    HTTP_NOT_IMPLEMENTED = 501,
    HTTP_BAD_GATEWAY = 502,
    HTTP_SERVICE_UNAVAILABLE = 503,
    HTTP_GATEWAY_TIMEOUT = 504,
    HTTP_VERSION_NOT_SUPPORTED = 505,
    HTTP_INSUFFICIENT_STORAGE = 507,

    -- The same light userdata as cjson.null. Not cjson's own: loading that
    -- is the user's, whose path may have another one.
    null = require "lunette.null",
}

for name, value in pairs(constants) do
    ngx[name] = value
end

return { version = base.version }
