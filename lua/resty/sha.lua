-- sha.lua -- what the SHA family shares: a version.
--
-- SPDX-License-Identifier: BSD-2-Clause

return { _VERSION = "0.16" }
