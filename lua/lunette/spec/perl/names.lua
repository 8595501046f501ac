-- lunette/spec/perl/names.lua -- how Perl's functions take their arguments
--
-- The parser must know, before it sees a function run, whether a word that
-- has no parentheses takes nothing, one operand, or all that follows.
--
-- SPDX-License-Identifier: BSD-2-Clause

local _M = {}

local function set(text)
    local out = {}

    for word in text:gmatch("%S+") do
        out[word] = true
    end
    return out
end

_M.NULLARY = set [[
    time times wantarray cwd getcwd blocks html_dir server_root server_addr
    use_hup no_shuffle no_long_string master_on master_off no_root_location
    check_accum_error_log
]]

_M.UNARY = set [[
    defined ref length uc lc ucfirst lcfirst ord chr hex oct int abs sqrt
    scalar exists delete shift pop quotemeta chomp chop undef keys values
    each lock rand srand log exp sin cos fc uri_escape uri_unescape md5_hex
    sha1_hex require caller
]]

_M.LIST = set [[
    join sprintf pack unpack push unshift splice reverse split print warn die
    substr index rindex map grep sort bless encode_base64 decode_base64
    repeat_each workers log_level timeout worker_connections env_to_nginx
    master_process_enabled add_block_preprocessor run_tests plan skip_all
    add_cleanup_handler add_response_body_check server_port server_name
    eval printf exit sleep local config_preamble worker_connections
]]

function _M.known(name)
    return _M.NULLARY[name] or _M.UNARY[name] or _M.LIST[name]
end

return _M
