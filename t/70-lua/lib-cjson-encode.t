# The bounds of cjson's settings, and what its encoder makes just below and
# just above them.

__DATA__


=== depths
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson.safe").new()
            ngx.say(cjson.encode_max_depth(2), cjson.decode_max_depth(2))
            ngx.say(cjson.encode({ {} }), " ", cjson.encode({ a = { 1 } }))
            ngx.say(cjson.encode({ { {} } }))
            ngx.say(cjson.encode({ a = { 1, { 1 } } }))
            ngx.say(#cjson.decode("[[1],[2],{}]"), cjson.decode("[{},[{}]]"))
            ngx.say(cjson.decode('{"a":{"b":{}}}'))
            cjson.decode_max_depth(1)
            cjson.encode_max_depth(1)
            ngx.say(#cjson.decode("[1]"), cjson.encode({ 1 }))
            ngx.say(cjson.encode(1), cjson.encode({ {} }))
        }
    }
--- response_body
22
[{}] {"a":[1]}
nilCannot serialise, excessive nesting (3)
nilCannot serialise, excessive nesting (3)
3nilFound too many nested data structures (3) at character 6
nilFound too many nested data structures (3) at character 11
1[1]
1nilCannot serialise, excessive nesting (2)



=== sparse arrays are told from others by ratio and size
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson.safe").new()
            local function try(count, max)
                local t = {}
                for i = 1, count - 1 do t[i] = i end
                t[max] = "m"
                local text = cjson.encode(t)
                ngx.print(count, "/", max, text and text:sub(1, 1) or "-", " ")
            end
            local function some()
                try(1, 10) try(1, 11) try(5, 10) try(5, 11) try(6, 12)
                try(6, 13)
                ngx.say()
            end
            some()
            ngx.say(cjson.encode_sparse_array(nil, 3)) some()
            ngx.say(cjson.encode_sparse_array(nil, nil, 11)) some()
            ngx.say(cjson.encode_sparse_array("on", 1, 0)) some() try(3, 3)
            ngx.say(cjson.encode_sparse_array(false, 0, 0)) some()
            ngx.say(cjson.encode({ [2 ^ 31] = 1 }))
        }
    }
--- response_body
1/10[ 1/11- 5/10[ 5/11- 6/12[ 6/13- 
false310
1/10[ 1/11- 5/10[ 5/11[ 6/12[ 6/13[ 
false311
1/10[ 1/11[ 5/10[ 5/11[ 6/12[ 6/13[ 
true10
1/10{ 1/11{ 5/10{ 5/11{ 6/12{ 6/13{ 
3/3[ false00
1/10[ 1/11[ 5/10[ 5/11[ 6/12[ 6/13[ 
nilCannot serialise table: excessively sparse array



=== which tables are arrays
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson.safe").new()
            cjson.encode_sort_keys(true)
            for _, t in ipairs { { [0] = 1 }, { [1] = 1 }, { [2] = 2 },
                                 { 1, a = 2 }, { [1.5] = 1, 1 }, { [-1] = 1 },
                                 { [-1 / 0] = 1 }, { [1 / 0] = 1 },
                                 { [0.5] = 1 }, { 1, [true] = 1 } }
            do
                ngx.say(cjson.encode(t))
            end
            cjson.encode_invalid_numbers(true)
            ngx.say(cjson.encode({ [-1 / 0] = 0 }))
            cjson.encode_invalid_numbers("null")
            ngx.say(cjson.encode({ [-1 / 0] = 0 }))
        }
    }
--- response_body
{"0":1}
[1]
[null,2]
{"1":1,"a":2}
{"1":1,"1.5":1}
{"-1":1}
nilCannot serialise number: must not be NaN or Inf
nilCannot serialise table: excessively sparse array
{"0.5":1}
nilCannot serialise boolean: table key must be a number or string
{"-inf":0}
{"null":0}



=== where whole numbers get an exponent
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            local function some(...)
                ngx.say(table.concat({ ... }, " ", 1, 1), " ", (cjson.encode { select(2, ...) }))
            end
            some(14, 99999999999999, 1e14, -99999999999999, -1e14, 0, -0.0, 1, -1)
            for _, n in ipairs { 1, 2, 15, 16 } do
                cjson.encode_number_precision(n)
                some(n, 10 ^ n - 1, 10 ^ n, 1 - 10 ^ n, -10 ^ n, 0.5, 2 ^ 53)
            end
        }
    }
--- response_body
14 [99999999999999,1e+14,-99999999999999,-1e+14,0,-0,1,-1]
1 [9,1e+01,-9,-1e+01,0.5,9e+15]
2 [99,1e+02,-99,-1e+02,0.5,9e+15]
15 [999999999999999,1e+15,-999999999999999,-1e+15,0.5,9.00719925474099e+15]
16 [1e+16,1e+16,-1e+16,-1e+16,0.5,9007199254740992]



=== settings say what they are, and refuse what they can't be
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            for _, call in ipairs {
                { "encode_max_depth" }, { "encode_max_depth", 0 },
                { "encode_max_depth", 1 }, { "decode_max_depth", 2147483647 },
                { "decode_max_depth", 2147483648 }, { "decode_max_depth", "9" },
                { "encode_number_precision" }, { "encode_number_precision", 0 },
                { "encode_number_precision", 1, 2 },
                { "encode_keep_buffer" }, { "encode_keep_buffer", "off" },
                { "encode_keep_buffer", "null" }, { "encode_keep_buffer", true },
                { "encode_invalid_numbers" }, { "encode_invalid_numbers", "null" },
                { "encode_invalid_numbers" }, { "encode_invalid_numbers", "on" },
                { "encode_invalid_numbers", "x" }, { "decode_invalid_numbers" },
                { "encode_sparse_array", true, -1 }, { "encode_sparse_array", nil, 0 },
                { "encode_sparse_array", nil, nil, -1 },
                { "encode_sparse_array", nil, nil, nil, nil },
                { "encode_empty_table_as_object" }, { "decode_allow_comment" },
                { "decode_array_with_array_mt" }, { "encode_sort_keys", "on" },
                { "encode_escape_forward_slash" }, { "encode_indent" },
                { "encode_indent", 1, 2 }, { "encode_skip_unsupported_value_types" },
            } do
                ngx.say(call[1], " ", select(2, pcall(cjson[call[1]], unpack(call, 2, #call))))
            end
        }
    }
--- response_body
encode_max_depth 1000
encode_max_depth bad argument #1 to '?' (expected integer between 1 and 2147483647)
encode_max_depth 1
decode_max_depth 2147483647
decode_max_depth bad argument #1 to '?' (expected integer between 1 and 2147483647)
decode_max_depth bad argument #1 to '?' (number expected, got string)
encode_number_precision 14
encode_number_precision bad argument #1 to '?' (expected integer between 1 and 16)
encode_number_precision bad argument #2 to '?' (found too many arguments)
encode_keep_buffer true
encode_keep_buffer false
encode_keep_buffer bad argument #1 to '?' (invalid option 'null')
encode_keep_buffer true
encode_invalid_numbers false
encode_invalid_numbers null
encode_invalid_numbers null
encode_invalid_numbers true
encode_invalid_numbers bad argument #1 to '?' (invalid option 'x')
decode_invalid_numbers true
encode_sparse_array bad argument #2 to '?' (expected integer between 0 and 2147483647)
encode_sparse_array true010
encode_sparse_array bad argument #3 to '?' (expected integer between 0 and 2147483647)
encode_sparse_array true010
encode_empty_table_as_object true
decode_allow_comment false
decode_array_with_array_mt false
encode_sort_keys true
encode_escape_forward_slash true
encode_indent 
encode_indent bad argument #2 to '?' (found too many arguments)
encode_skip_unsupported_value_types false



=== texts that are longer than what is kept
--- config
    location = /t {
        content_by_lua_block {
            local wrong = 0
            for n = 0, 2300 do
                local cjson = require("cjson").new()
                cjson.encode_keep_buffer(n % 2 == 0)
                local text = ("\0a/"):rep(n / 3) .. ("\1"):rep(n % 3)
                local back = cjson.decode(cjson.encode({ text, ("x"):rep(n) }))
                if back[1] ~= text or #back[2] ~= n then wrong = wrong + 1 end
            end
            local long = ("x"):rep(1048577) .. "\n"
            for _ = 1, 3 do
                local cjson = require "cjson"
                ngx.print(cjson.decode(cjson.encode(long)) == long, cjson.encode(1))
            end
            ngx.say(wrong)
        }
    }
--- response_body
true1true1true10



=== indented, with nothing inside
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            cjson.encode_indent(" ")
            cjson.encode_sort_keys(true)
            cjson.encode_skip_unsupported_value_types(true)
            ngx.say(cjson.encode({ a = {}, b = { print }, c = { { 1 }, 2 },
                                   d = print, e = { x = { y = 1 }, z = print } }))
            cjson.encode_sort_keys(false)
            ngx.say(cjson.encode({ x = { y = print } }), cjson.encode({ 1, 2 }))
        }
    }
--- response_body
{
 "a": {},
 "b": [],
 "c": [
  [
   1
  ],
  2
 ],
 "e": {
  "x": {
   "y": 1
  }
 }
}
{
 "x": {}
}[
 1,
 2
]



=== values that JSON has not are refused, or passed over
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson.safe").new()
            local odd = { print, coroutine.create(print), io.stdout, 1LL,
                          require("ffi").new("int[1]"),
                          (select(2, ngx.thread.spawn(function () end))) }
            for i = 1, 5 do ngx.say(select(2, cjson.encode(odd[i]))) end
            cjson.encode_skip_unsupported_value_types(true)
            for i = 1, 5 do
                ngx.print(cjson.encode({ odd[i] }), cjson.encode({ 1, odd[i], 2 }),
                          cjson.encode({ a = odd[i] }), " ")
            end
            ngx.say(cjson.encode({ cjson.null, cjson.empty_array, {}, "x", 1,
                                   true, false }))
            ngx.say(cjson.encode({ a = cjson.null }), cjson.encode({ a = false }))
        }
    }
--- response_body
Cannot serialise function: type not supported
Cannot serialise thread: type not supported
Cannot serialise userdata: type not supported
Cannot serialise cdata: type not supported
Cannot serialise cdata: type not supported
[][1,2]{} [][1,2]{} [][1,2]{} [][1,2]{} [][1,2]{} [null,[],{},"x",1,true,false]
{"a":null}{"a":false}



=== keys are sorted as text
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson").new()
            cjson.encode_sort_keys(true)
            ngx.say(cjson.encode({ b = 1, ba = 2, a = 3, ab = 4, [""] = 5,
                                   [3] = 6, [20] = 7, [-1] = 8, [2.5] = 9,
                                   ["~"] = 10, B = 11, ["\255"] = 12 }))
            ngx.say(cjson.encode({ x = { b = { 1 }, a = {} }, [9] = "y" }))
            ngx.say(pcall(cjson.encode, { [print] = 1 }))
            ngx.say(cjson.encode({}), cjson.encode({ a = {} }))
        }
    }
--- response_body eval
qq({"":5,"-1":8,"2.5":9,"20":7,"3":6,"B":11,"a":3,"ab":4,"b":1,"ba":2,"~":10,"\xff":12}\n)
. qq({"9":"y","x":{"a":{},"b":[1]}}\n)
. qq(falseCannot serialise function: table key must be a number or string\n)
. qq({}{"a":{}}\n)



=== comments, where they are allowed
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require("cjson.safe").new()
            cjson.decode_allow_comment(true)
            for _, text in ipairs { "//\n1", "1//", "1//\n", "/**/1", "/***/1",
                                    "/*/1", "/* **/1/*x*/ ", "1 /", "/1", "1 /*",
                                    "1 /**", '"/**/"', "[1/**/,/*,*/2]//]",
                                    "//1", "/*\n*///\n\n 1" }
            do
                local v, err = cjson.decode(text)
                ngx.say(type(v) == "table" and #v or v, " ", err)
            end
        }
    }
--- response_body
1 nil
1 nil
1 nil
1 nil
1 nil
nil Expected value but found unclosed multi-line comment at character 1
1 nil
nil Expected the end but found invalid token at character 3
nil Expected value but found invalid token at character 1
nil Expected the end but found unclosed multi-line comment at character 3
nil Expected the end but found unclosed multi-line comment at character 3
/**/ nil
2 nil
nil Expected value but found T_END at character 4
1 nil



=== numbers with some decimals are what printf says of them
--- config
    location = /t {
        content_by_lua_block {
            local cjson = require "cjson"
            local seed, wrong, near = 4711, {}, { 1, 1 - 2^-53, 1 + 2^-52 }
            local function random(n)
                seed = (seed * 16807) % 2147483647
                return seed % n
            end
            for _, precision in ipairs { 14, 15, 16, 5, 1 } do
                local format = "%." .. precision .. "g"
                cjson.encode_number_precision(precision)
                for i = 1, 4000 do
                    local n = random(10 ^ (1 + i % 9)) / 10 ^ (i % 6)
                    n = (i % 2 == 0 and n or -n) * near[1 + i % 3]
                    local text = format:format(n)
                    if cjson.encode(n) ~= text and n ~= 0 then
                        wrong[#wrong + 1] = text .. " " .. cjson.encode(n)
                    end
                end
            end
            cjson.encode_number_precision(14)
            ngx.say(#wrong, " ", wrong[1])
            ngx.say(cjson.encode { 0.5, -12.25, 0.0001, 0.00001, 99999999.9999,
                                   1e9 + 0.1, 0.99999999999999989, -0.5 })
        }
    }
--- response_body
0 nil
[0.5,-12.25,0.0001,1e-05,99999999.9999,1000000000.1,1,-0.5]
