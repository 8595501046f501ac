-- scripts.lua -- what lua_code_cache watch has done.
--
-- SPDX-License-Identifier: BSD-2-Clause

local status = require("lunette.native").scripts_status

local _M = {}

-- Of this worker:
--   generation  1 for the scripts it began with, one more per change taken
--   error       why the last change was not taken; nil if it was
--   changed_at  when a change was last seen, as ngx.now(); nil: never
-- Any phase.
function _M.status()
    local generation, err, changed_at = status()

    return { generation = generation, error = err, changed_at = changed_at }
end

return _M
