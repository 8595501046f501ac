-- http_connect.lua -- how resty.http connects, for those who call it by itself:
-- connect(client, options).
--
-- SPDX-License-Identifier: BSD-2-Clause

return require("lunette.http_connect").open
