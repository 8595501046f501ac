-- sha384.lua -- SHA384 of what comes in parts.
--
-- SPDX-License-Identifier: BSD-2-Clause

return require("lunette.digest").module_of("sha384")
