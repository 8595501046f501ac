-- weave.lua -- directives.md of what the tables and the pages beside them say.
--
--     lunette run -I conf/manual conf/manual/weave.lua TABLES PAGE...
--
-- SPDX-License-Identifier: BSD-2-Clause

local pages = require "pages"

local list = {}

for i = 2, #arg do
    list[#list + 1] = pages.read(arg[i])
end

io.write(table.concat(pages.weave(list, pages.tables(arg[1])), "\n"), "\n")
