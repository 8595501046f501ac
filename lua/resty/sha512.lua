-- sha512.lua -- SHA512 of what comes in parts.
--
-- SPDX-License-Identifier: BSD-2-Clause

return require("lunette.digest").module_of("sha512")
