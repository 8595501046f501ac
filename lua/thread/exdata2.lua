-- exdata2.lua -- thread.exdata2: the second pointer of a coroutine.
--
-- SPDX-License-Identifier: BSD-2-Clause

return require("lunette.exdata")()
