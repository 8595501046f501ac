-- sha1.lua -- SHA1 of what comes in parts.
--
-- SPDX-License-Identifier: BSD-2-Clause

return require("lunette.digest").module_of("sha1")
