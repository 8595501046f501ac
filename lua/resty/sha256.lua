-- sha256.lua -- SHA256 of what comes in parts.
--
-- SPDX-License-Identifier: BSD-2-Clause

return require("lunette.digest").module_of("sha256")
