# What cjson makes of every form of number, string and mistake: `texts` is
# decoded line by line. The settings are lib-cjson.t's.

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("config", <<'_EOC_');
location = /t {
    content_by_lua_block {
        local cjson = require("cjson").new()
        local file = io.open("$TEST_NGINX_HTML_DIR/texts", "rb")
        for line in file:lines() do
            local setting, rest = line:match("^(%S+)=off (.*)$")
            if setting then cjson[setting](false) end
            local ok, v = pcall(cjson.decode, rest or line)
            if type(v) == "number" then
                v = v ~= v and "nan" or ("%.17g"):format(v)
            elseif ok and type(v) == "string" then
                v = v:gsub("[^ -~]", function (c)
                    return ("%%%02x"):format(c:byte())
                end)
            end
            ngx.say(rest or line, "  ", tostring(v))
        end
        file:close()
    }
}
_EOC_
});

__DATA__


=== whole numbers, fractions, exponents
--- user_files
>>> texts
0
-0
1.
-.5
1e5
1E+5
1e-5
1e22
1e23
1e-22
1e-23
9007199254740991
9007199254740993
90071992547409930
-9007199254740993
123456789012345678901234567890
0.1
0.30000000000000004
--- response_body
0  0
-0  -0
1.  1
-.5  -0.5
1e5  100000
1E+5  100000
1e-5  1.0000000000000001e-05
1e22  1e+22
1e23  9.9999999999999992e+22
1e-22  1e-22
1e-23  9.9999999999999996e-24
9007199254740991  9007199254740991
9007199254740993  9007199254740992
90071992547409930  90071992547409936
-9007199254740993  -9007199254740992
123456789012345678901234567890  1.2345678901234568e+29
0.1  0.10000000000000001
0.30000000000000004  0.30000000000000004



=== numbers too large and too small
--- user_files
>>> texts
1e9999999999
-1e9999999
0e9999999
0.0e99999
1e-99999
-1e-99999
1e5000
1e5001
1e-5001
0.00000000000001e5000
--- response_body
1e9999999999  inf
-1e9999999  -inf
0e9999999  0
0.0e99999  0
1e-99999  0
-1e-99999  -0
1e5000  inf
1e5001  inf
1e-5001  0
0.00000000000001e5000  inf



=== numbers that JSON has not
--- user_files
>>> texts
0x10p2
0x.8
0x1.8p-1
0x1P+2
-0x10
0xAbCdEf
nan
-nan
NaN
inf
-inf
INF
Infinity
-Infinity
+5
+inf
012
-012
00
--- response_body
0x10p2  64
0x.8  0.5
0x1.8p-1  0.75
0x1P+2  4
-0x10  -16
0xAbCdEf  11259375
nan  nan
-nan  nan
NaN  nan
inf  inf
-inf  -inf
INF  inf
Infinity  inf
-Infinity  -inf
+5  5
+inf  inf
012  12
-012  -12
00  0



=== what is none of them, or more
--- user_files
>>> texts
.5
-.
1.5.2
1e
1e+
-1e-
0x1p
0x
0xg
infinit
+
-
0x1.2.3
1.2e3.4
--- response_body
.5  Expected value but found invalid token at character 1
-.  Expected value but found invalid number at character 1
1.5.2  Expected the end but found invalid token at character 4
1e  Expected the end but found invalid token at character 2
1e+  Expected the end but found invalid token at character 2
-1e-  Expected the end but found invalid token at character 3
0x1p  Expected the end but found invalid token at character 4
0x  Expected the end but found invalid token at character 2
0xg  Expected the end but found invalid token at character 2
infinit  Expected the end but found invalid token at character 4
+  Expected value but found invalid number at character 1
-  Expected value but found invalid number at character 1
0x1.2.3  Expected the end but found invalid token at character 6
1.2e3.4  Expected the end but found invalid token at character 6



=== words
--- user_files
>>> texts
true
false
null
truex
tru
fals
nulll
--- response_body
true  true
false  false
null  userdata: NULL
truex  Expected the end but found invalid token at character 5
tru  Expected value but found invalid token at character 1
fals  Expected value but found invalid token at character 1
nulll  Expected the end but found invalid token at character 5



=== characters by their numbers
--- user_files
>>> texts
"\u0000\u007f\u0080\u07ff\u0800\uffff"
"\ud800\udc00\udbff\udfff"
"\udc00"
"\ud800\ue000"
"\ud800x"
"\ud800\n"
"\uD83D\uDE00"
"\u00fG"
"\u00f/"
"\u00f:"
"\u00f`"
"\u00fa"
"\u00ff"
--- response_body
"\u0000\u007f\u0080\u07ff\u0800\uffff"  %00%7f%c2%80%df%bf%e0%a0%80%ef%bf%bf
"\ud800\udc00\udbff\udfff"  %f0%90%80%80%f4%8f%bf%bf
"\udc00"  Expected value but found invalid unicode escape code at character 2
"\ud800\ue000"  Expected value but found invalid unicode escape code at character 2
"\ud800x"  Expected value but found invalid unicode escape code at character 2
"\ud800\n"  Expected value but found invalid unicode escape code at character 2
"\uD83D\uDE00"  %f0%9f%98%80
"\u00fG"  Expected value but found invalid unicode escape code at character 2
"\u00f/"  Expected value but found invalid unicode escape code at character 2
"\u00f:"  Expected value but found invalid unicode escape code at character 2
"\u00f`"  Expected value but found invalid unicode escape code at character 2
"\u00fa"  %c3%ba
"\u00ff"  %c3%bf



=== structure
--- user_files
>>> texts
[
]
{
}
,
:
[,]
{,}
{"a",}
{"a":}
{"a":1,}
{"a":1 "b":2}
{1:2}
[1}
{"a":1]
"
"a\
/**/1
--- response_body
[  Expected value but found T_END at character 2
]  Expected value but found T_ARR_END at character 1
{  Expected object key string but found T_END at character 2
}  Expected value but found T_OBJ_END at character 1
,  Expected value but found T_COMMA at character 1
:  Expected value but found T_COLON at character 1
[,]  Expected value but found T_COMMA at character 2
{,}  Expected object key string but found T_COMMA at character 2
{"a",}  Expected colon but found T_COMMA at character 5
{"a":}  Expected value but found T_OBJ_END at character 6
{"a":1,}  Expected object key string but found T_OBJ_END at character 8
{"a":1 "b":2}  Expected comma or object end but found T_STRING at character 8
{1:2}  Expected object key string but found T_NUMBER at character 2
[1}  Expected comma or array end but found T_OBJ_END at character 3
{"a":1]  Expected comma or object end but found T_ARR_END at character 7
"  Expected value but found unexpected end of string at character 2
"a\  Expected value but found invalid escape code at character 3
/**/1  Expected value but found invalid token at character 1



=== numbers that JSON has not, where they are refused
--- user_files
>>> texts
decode_invalid_numbers=off 0x1F
-0x1F
01
-01
inf
-inf
nan
-NAN
+1
-0
0
0.5
-0.25
0e1
10
-20
--- response_body
0x1F  Expected value but found invalid number at character 1
-0x1F  Expected value but found invalid number at character 1
01  Expected value but found invalid number at character 1
-01  Expected value but found invalid number at character 1
inf  Expected value but found invalid token at character 1
-inf  Expected value but found invalid number at character 1
nan  Expected value but found invalid token at character 1
-NAN  Expected value but found invalid number at character 1
+1  Expected value but found invalid token at character 1
-0  -0
0  0
0.5  0.5
-0.25  -0.25
0e1  0
10  10
-20  -20
