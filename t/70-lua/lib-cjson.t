# JSON for Lua, with the interface of lua-cjson and what OpenResty has added.

__DATA__


=== what goes there and back
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            ngx.say(cjson.encode({ 1, "a", true, false, cjson.null,
                                   { b = "c" }, 0.5, -3, 1e300 }))
            local v = cjson.decode([[ {"a": [1, 2.5, -1e3, "x\u00e9\ud83d\ude00\n\/"],
                                       "b": {"c": null}} ]])
            ngx.say(v.a[1], v.a[2], v.a[3], v.a[4], " ",
                    v.b.c == cjson.null, " ", v.b.c == ngx.null)
            ngx.say(cjson.encode("\0\31\127/\"\\\b\f\n\r\té"))
            ngx.say(cjson.encode({ [1.5] = 1 }), cjson.encode({}),
                    cjson.encode(nil), cjson.encode(-0.0))
        }
    }
--- response_body eval
qq([1,"a",true,false,null,{"b":"c"},0.5,-3,1e+300]\n)
. "12.5-1000x\x{c3}\x{a9}\x{f0}\x{9f}\x{98}\x{80}\n/ true true\n"
. qq("\\u0000\\u001f\\u007f\\/\\"\\\\\\b\\f\\n\\r\\t\x{c3}\x{a9}"\n)
. qq({"1.5":1}{}null-0\n)



=== what is wrong is said, with its place
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson.safe"
            for _, text in ipairs { "", "[1", "{1", '{"a"', '{"a":1', "[1 2]",
                                    "nul", '"a', '"\\x"', '"\\u12"',
                                    '"\\ud800"', "-", "[1]x", "[1,]", "a\0" } do
                ngx.say(select(2, cjson.decode(text)))
            end
        }
    }
--- response_body
Expected value but found T_END at character 1
Expected comma or array end but found T_END at character 3
Expected object key string but found T_NUMBER at character 2
Expected colon but found T_END at character 5
Expected comma or object end but found T_END at character 7
Expected comma or array end but found T_NUMBER at character 4
Expected value but found invalid token at character 1
Expected value but found unexpected end of string at character 3
Expected value but found invalid escape code at character 2
Expected value but found invalid unicode escape code at character 2
Expected value but found invalid unicode escape code at character 2
Expected value but found invalid number at character 1
Expected the end but found invalid token at character 4
Expected value but found T_ARR_END at character 4
JSON parser does not support UTF-16 or UTF-32



=== values that JSON has not
--- config
    location = /t {
        content_by_lua_block {
            local cjson, safe = require "cjson", require "cjson.safe"
            ngx.say(pcall(cjson.encode, print))
            ngx.say(safe.encode({ [true] = 1 }))
            ngx.say(safe.encode(0/0))
            ngx.say(safe.encode({ [100] = 1 }))
            ngx.say(pcall(safe.encode))
            ngx.say(pcall(cjson.decode, "1", "2"))
            ngx.say(pcall(cjson.decode, {}))
            local deep = {}
            deep[1] = deep
            ngx.say(safe.encode(deep))
            ngx.say(safe.decode(("["):rep(100000)))
        }
    }
--- response_body
falseCannot serialise function: type not supported
nilCannot serialise boolean: table key must be a number or string
nilCannot serialise number: must not be NaN or Inf
nilCannot serialise table: excessively sparse array
falsebad argument #1 to '?' (expected 1 argument)
falsebad argument #1 to '?' (expected 1 argument)
falsebad argument #1 to '?' (string expected, got table)
nilCannot serialise, excessive nesting (1001)
nilFound too many nested data structures (1001) at character 1001



=== depths that are allowed end before the stack does
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson.safe").new()
            cjson.decode_max_depth(2147483647)
            cjson.encode_max_depth(2147483647)
            local _, err = cjson.decode(("["):rep(1000000))
            ngx.say((err:gsub("%d+", "N")))
            local deep = {}
            deep[1] = deep
            _, err = cjson.encode(deep)
            ngx.say((err:gsub("%d+", "N")))
        }
    }
--- response_body
Found too many nested data structures (N) at character N
Cannot serialise, excessive nesting (N)



=== empty arrays, four ways
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            ngx.say(cjson.encode({ cjson.empty_array, {} }))
            ngx.say(cjson.encode(setmetatable({}, cjson.empty_array_mt)),
                    cjson.encode(setmetatable({ a = 1 }, cjson.empty_array_mt)))
            ngx.say(cjson.encode(setmetatable({}, cjson.array_mt)),
                    cjson.encode(setmetatable({ 1, nil, 3, x = 4 },
                                              cjson.array_mt)))
            cjson.encode_empty_table_as_object(false)
            ngx.say(cjson.encode({}), cjson.encode({ a = {} }))
            ngx.say(require("cjson").encode({}))
        }
    }
--- response_body
[[],{}]
[]{"a":1}
[][1,null,3]
[]{"a":[]}
{}



=== arrays keep being arrays
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            ngx.say(cjson.encode(cjson.decode('{"a":[],"b":[1]}').a))
            cjson.decode_array_with_array_mt(true)
            local v = cjson.decode('{"a":[],"b":[1]}')
            ngx.say(cjson.encode(v.a), " ",
                    getmetatable(v.b) == require("cjson").array_mt, " ",
                    getmetatable(v))
        }
    }
--- response_body
{}
[] true nil



=== null may be nil
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            ngx.say(cjson.decode_json_null(), " ", cjson.decode_json_null(false))
            local v = cjson.decode('{"a":null,"b":[null,1,null]}')
            ngx.say((next(v)), " ", v.a, " ", v.b[1], " ", v.b[2], " ",
                    cjson.decode("null"))
            cjson.decode_json_null("on")
            ngx.say(cjson.decode("null") == cjson.null)
        }
    }
--- response_body
true false
b nil nil 1 nil
true



=== slashes, indents, sorted keys
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            ngx.say(cjson.encode_escape_forward_slash(false),
                    cjson.encode("a/b"))
            cjson.encode_sort_keys(true)
            ngx.say(cjson.encode({ b = 1, a = 2, aa = 3, [10] = 4, [9] = 5 }))
            ngx.say("[", cjson.encode_indent("  "), "]")
            ngx.say(cjson.encode({ z = { 1, { } }, a = cjson.empty_array }))
            cjson.encode_indent("")
            ngx.say(cjson.encode({ 1, 2 }))
        }
    }
--- response_body
false"a/b"
{"10":4,"9":5,"a":2,"aa":3,"b":1}
[  ]
{
  "a": [],
  "z": [
    1,
    {}
  ]
}
[1,2]



=== values that are passed over, comments too
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            cjson.encode_skip_unsupported_value_types(true)
            ngx.say(cjson.encode({ a = print, b = { 1, print, 2 } }))
            ngx.say(cjson.encode({ print }), cjson.encode({ x = print }))
            ngx.say((pcall(cjson.decode, "// a\n1")))
            cjson.decode_allow_comment(true)
            ngx.say(cjson.decode("/* a */ [1, // b\n 2 /**/] // c")[2])
            ngx.say(pcall(cjson.decode, "[1] /* c"))
        }
    }
--- response_body
{"b":[1,2]}
[]{}
false
2
falseExpected the end but found unclosed multi-line comment at character 5



=== numbers: as exact as is asked for, and invalid ones
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            ngx.say(cjson.encode(0.1), cjson.encode({ 1/3, 123456789012345 }))
            cjson.encode_number_precision(16)
            ngx.say(cjson.encode({ 1/3, 123456789012345, 2^53 }))
            cjson.encode_number_precision(1)
            ngx.say(cjson.encode({ 9, 10, -15, 0.26 }))
            ngx.say(pcall(cjson.encode_number_precision, 17))
            ngx.say(pcall(cjson.encode_number_precision, 0/0))
            ngx.say(cjson.decode("1e400"), " ", cjson.decode("-1e-400"), " ",
                    cjson.decode("0e99999999999"), " ", cjson.decode("0x1F"))
            cjson.decode_invalid_numbers(false)
            for _, text in ipairs { "0x1F", "01", "inf", "+1" } do
                ngx.say(select(2, pcall(cjson.decode, text)))
            end
            cjson.encode_invalid_numbers("null")
            ngx.say(cjson.encode({ 0/0, 1/0 }))
            cjson.encode_invalid_numbers(true)
            ngx.say(cjson.encode({ 0/0, 1/0, -1/0 }))
        }
    }
--- response_body
0.1[0.33333333333333,1.2345678901234e+14]
[0.3333333333333333,123456789012345,9007199254740992]
[9,1e+01,-2e+01,0.3]
falsebad argument #1 to '?' (expected integer between 1 and 16)
falsebad argument #1 to '?' (expected integer between 1 and 16)
inf 0 0 31
Expected value but found invalid number at character 1
Expected value but found invalid number at character 1
Expected value but found invalid token at character 1
Expected value but found invalid token at character 1
[null,null]
[nan,inf,-inf]



=== every number comes back as it was
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            local wrong = 0
            math.randomseed(1)
            for i = 1, 2000 do
                local text = string.format("%.17g",
                    (math.random() - 0.5) * 10 ^ math.random(-300, 300))
                if cjson.decode(text) ~= tonumber(text) then
                    wrong = wrong + 1
                end
            end
            ngx.say(wrong)
        }
    }
--- response_body
0



=== a locale does not show in numbers
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            local was = os.setlocale(nil, "numeric")
            for _, name in ipairs { "de_DE.UTF-8", "de_DE", "German" } do
                if os.setlocale(name, "numeric") then break end
            end
            local text, v = cjson.encode(0.5), cjson.decode("0.123456789012345678")
            os.setlocale(was, "numeric")
            ngx.say(text, " ", v > 0.12)
        }
    }
--- response_body
0.5 true



=== tables of functions do not share their settings
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            local own, safe = cjson.new(), require("cjson.safe").new()
            own.encode_max_depth(1)
            ngx.say(cjson.encode_max_depth(), own.encode_max_depth(),
                    safe.encode_max_depth())
            ngx.say(safe.decode("["))
            ngx.say((pcall(own.decode, "[")))
            ngx.say(cjson._NAME, " ", cjson.encode_sparse_array())
            own.encode_sparse_array(true)
            ngx.say(own.encode({ [100] = 1 }))
        }
    }
--- response_body
100011000
nilExpected value but found T_END at character 2
false
cjson false210
{"100":1}



=== a library of the user's comes first
--- http_config
    lua_package_path "$TEST_NGINX_HTML_DIR/?.lua;;";
--- user_files
>>> cjson.lua
return { encode = function() return "the user's" end }
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(require("cjson").encode(1))
            ngx.say(require("cjson.safe").encode(1))
        }
    }
--- response_body
the user's
1



=== objects and lists that are not as large as those before them
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            local parts, sizes = {}, { 1, 20, 0, 2, 300, 1, 0, 17 }
            for i, size in ipairs(sizes) do
                local fields, items = {}, {}
                for n = 1, size do
                    fields[n] = '"k' .. n .. '":' .. n
                    items[n] = n
                end
                parts[i] = "{" .. table.concat(fields, ",") .. "},["
                           .. table.concat(items, ",") .. "]"
            end
            local all = cjson.decode("[" .. table.concat(parts, ",") .. "]")
            for i, size in ipairs(sizes) do
                local object, list, n = all[2 * i - 1], all[2 * i], 0
                for key, value in pairs(object) do
                    n = n + 1
                    assert(key == "k" .. value and list[value] == value)
                end
                ngx.print(n == size and #list == size, " ")
            end
        }
    }
--- response_body chomp
true true true true true true true true 



=== empty ones behind a large one take no room for what is not there
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            local fields = {}
            for i = 1, 16 do fields[i] = '"' .. i .. '":1' end
            local object = "{" .. table.concat(fields, ",") .. "}"
            local array = "[" .. ("1,"):rep(15) .. "1]"

            for _, try in ipairs { { object, ",{}" }, { array, ",[]" } } do
                local text = "[" .. try[1] .. try[2]:rep(20000) .. "]"
                collectgarbage()
                collectgarbage("stop")
                local before = collectgarbage("count")
                local all = cjson.decode(text)
                local kb = collectgarbage("count") - before
                collectgarbage("restart")
                ngx.say(#all, " ", kb < 20000 * 120 / 1024 or kb)
            end
        }
    }
--- response_body
20001 true
20001 true
