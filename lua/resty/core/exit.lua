-- exit.lua -- a name of lua-resty-core's: all of it is in resty.core.control.
--
-- SPDX-License-Identifier: BSD-2-Clause

return { version = require("lunette.base").version }
