-- sha224.lua -- SHA224 of what comes in parts.
--
-- SPDX-License-Identifier: BSD-2-Clause

return require("lunette.digest").module_of("sha224")
