-- exdata.lua -- thread.exdata: the pointer of a coroutine, that of its request
-- if it was not given another.
--
-- SPDX-License-Identifier: BSD-2-Clause

return require("lunette.exdata")(require("resty.core.base").get_request)
