__DATA__


=== a default for what is empty
--- config
    location /t {
        set $a 1;
        set_if_empty $a 2;
        set $b "";
        set_if_empty $b "$uri 2";
        set_if_empty $arg_c 3;
        set_if_empty $arg_d 4;
        echo "$a $b $arg_c $arg_d";
    }
--- request
GET /t?c=c
--- response_body
1 /t 2 c 4



=== percents
--- config
    location /t {
        set_unescape_uri $a $arg_a;
        set $b "a b/c+d\"\\'~|$a";
        set_escape_uri $b;
        set_escape_uri $c "";
        echo "$a,$b,$c";
    }
--- request
GET /t?a=hello+w%6frld%21%zz%4z%2
--- response_body
hello world!zz,a%20b%2Fc%2Bd%22%5C'~|hello%20world!zz,



=== texts for SQL
--- config
    location /t {
        set_unescape_uri $a $arg_a;
        set_quote_sql_str $b $a;
        set_quote_pgsql_str $c $a;
        set_quote_sql_str $d "";
        set_quote_pgsql_str $e "";
        echo "$b $c $d $e";
    }
--- request eval
["GET /t?a=%00%08%09%0a%0d%1a%22%24%27%5c%c3%a4", "GET /t?a=%ff'"]
--- response_body eval
["'\\0\\b\\t\\n\\r\\Z\\\"\\\$\\'\\\\\xc3\xa4' E'\\0\\b\\t\\n\\r\\Z\\\"\\\$\\'\\\\\xc3\xa4' '' ''\n",
"'\xff\\'' E'\\\\377\\'' '' ''\n"]



=== texts for JSON
--- config
    location /t {
        set_unescape_uri $a $arg_a;
        set_quote_json_str $a;
        set_quote_json_str $b "a/b";
        set_quote_json_str $c "";
        echo "$a $b $c";
    }
--- request
GET /t?a=%00%08%09%0a%0b%0c%0d%1f%22%5c%c3%a4
--- response_body eval
"\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\\"\\\\\xc3\xa4\" \"a/b\" null\n"



=== base32, its padding and alphabet
--- config
    location /t {
        set_encode_base32 $a "!";
        set_encode_base32 $b "abcde";
        set_decode_base32 $c "44======";
        set_decode_base32 $d $b;
        echo "$a $b $c $d";
    }
    location /standard {
        set_base32_alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZ234567;
        set_base32_padding off;
        set_encode_base32 $a "!";
        set_decode_base32 $b "MFRGGZDF";
        echo "$a $b";
    }
--- request eval
["GET /t", "GET /standard"]
--- response_body eval
["44====== c5h66p35 ! abcde\n", "EE abcde\n"]



=== base32 of a length that nothing has, and up to its padding
--- config
    set_base32_alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZ23456A;
    location /t {
        set_decode_base32 $a "MFR";
        set_decode_base32 $b "MFRGGZ";
        set_decode_base32 $c "M";
        set_decode_base32 $d "MF=GGZDF";
        set_decode_base32 $e "AAAAAAAA";
        set_encode_hex $e;
        echo "[$a] [$b] [$c] [$d] [$e]";
    }
--- response_body
[] [] [] [a] [ffffffffff]



=== an alphabet that is too short
--- config
    set_base32_alphabet abc;
--- must_die
--- error_log
"set_base32_alphabet" directive takes an alphabet of 3 bytes but 32 expected in



=== base64, hex and digests
--- config
    location /t {
        set_encode_base64 $a "?b><d?1";
        set_encode_base64url $b "?b><d?1";
        set_decode_base64 $c $a;
        set_decode_base64url $d $b;
        set_encode_hex $e "ab\n";
        set_decode_hex $f "6A6b";
        set_md5 $g abc;
        set $h abc;
        set_sha1 $h;
        echo "$a $b $c $d $e $f"; echo "$g $h";
    }
--- response_body
P2I+PGQ/MQ== P2I-PGQ_MQ ?b><d?1 ?b><d?1 61620a jk
900150983cd24fb0d6963f7d28e17f72 a9993e364706816aba3e25717850c26c9cd0d89d



=== hmacs
--- config
    location /t {
        set_hmac_sha1 $a key "what is said";
        set_hmac_sha256 $b key "what is said";
        set_encode_hex $a;
        set_encode_hex $b;
        echo $a; echo $b;
    }
--- response_body
0aaa669eb25f3ec02c8a4d3ca8d940b7ae812ea5
12db572e9f564d0e72e0f258a1c8898e78b338c0fe0f27ad6855786182d34fb9



=== what can't be decoded is an error
--- config
    location /t { set_decode_hex $a $arg_a; echo $a; }
--- request eval
["GET /t?a=616", "GET /t?a=6x"]
--- error_code eval
[500, 500]



=== and is said in the log
--- config
    location /t { set_decode_base64 $a "!"; echo $a; }
--- error_code: 500
--- error_log
set_decode_base64: invalid value



=== random numbers
--- config
    location /t {
        set_random $a 6 5;
        set_random $b 0 0;
        set_secure_random_alphanum $c 64;
        set_secure_random_lcalpha $d 1;
        echo "$a $b $c $d";
    }
--- response_body_like: ^[56] 0 [a-zA-Z0-9]{64} [a-z]\n$



=== a number they can't be made of
--- config
    location /t { set_random $a 1 $arg_a; }
--- request
GET /t?a=-1
--- error_code: 500
--- error_log
set_random: bad "to" argument: -1



=== a length that is too much
--- config
    location /t { set_secure_random_lcalpha $a 65; }
--- error_code: 500
--- error_log
bad "length" argument: 65



=== a length in the variable itself, functions of time and chance in Lua
--- config
    location /t {
        set $a 3;
        set_secure_random_lcalpha $a;
        content_by_lua_block {
            local f = ndk.set_var
            ngx.say(ngx.var.a:match("^%l%l%l$") ~= nil, " ",
                    #f.set_secure_random_alphanum(20), " ",
                    f.set_formatted_gmt_time("%%"), " ",
                    f.set_local_today("") == f.set_formatted_local_time("%F"))
            ngx.say((pcall(f.set_secure_random_lcalpha, 65)))
            ngx.say((pcall(f.set_decode_hex, "x")))
        }
    }
--- response_body
true 20 % true
false
false
--- error_log
set_random: bad "length" argument: 65
set_decode_hex: invalid value
--- no_error_log
set_secure_random_lcalpha: invalid value



=== a counter of a variable
--- config
    location /t {
        set $a $arg_a;
        set_rotate $a 3 1;
        echo $a;
    }
--- request eval
["GET /t?a=1", "GET /t?a=3", "GET /t?a=7", "GET /t", "GET /t"]
--- response_body eval
["2\n", "1\n", "1\n", "2\n", "3\n"]



=== what is no number counts as nothing
--- config
    location /t { set $a x; set_rotate $a 1 3; echo $a; }
--- response_body
1
--- error_log
set_rotate: bad current value: "x"



=== a counter's bounds are numbers
--- config
    location /t { set_rotate $a $arg_a 3; echo $a; }
--- request
GET /t?a=-1
--- error_code: 500
--- error_log
set_rotate: bad "from" argument value: "-1"



=== the time, as a format says
--- config
    location /t {
        set_formatted_gmt_time $a "%F %T %Y-%m-%d %H:%M:%S%n%q%";
        set_formatted_gmt_time $b "%a, %d %b %Y %H:%M:%S %Z";
        set_formatted_local_time $c "%s %C%y %j %z";
        set_local_today $d;
        content_by_lua_block {
            local v, now = ngx.var, ngx.time()
            local a = os.date("!%Y-%m-%d %H:%M:%S", now)
            local c = os.date("^%%d+ %Y %j [-+]%%d%%d%%d%%d$", now)
            ngx.say(v.a == a .. " " .. a .. "\n%q%" or v.a)
            ngx.say(math.abs(ngx.parse_http_time(v.b) - now) < 2 or v.b)
            ngx.say(v.c:find(c) == 1 or v.c)
            ngx.say(v.d == os.date("%Y-%m-%d", now) or v.d)
        }
    }
--- response_body
true
true
true
true



=== they stand in servers and their conditions too
--- config
    set_md5 $a abc;
    if ($args) { set_if_empty $b yes; }
    location /t { echo "$a $b"; }
--- request
GET /t?x
--- response_body
900150983cd24fb0d6963f7d28e17f72 yes



=== only variables can be set
--- config
    location /t { set_md5 a abc; }
--- must_die
--- error_log
invalid variable name "a" in



=== a random number is any of them, both ends among them
--- config
    location = /r { set_random $n $arg_a $arg_b; return 200 $n; }
    location = /t {
        content_by_lua_block {
            for _, ends in ipairs { { 0, 1 }, { 2, 0 }, { 5, 5 } } do
                local seen = {}
                for _ = 1, 100 do
                    seen[ngx.location.capture("/r?a=" .. ends[1] .. "&b=" .. ends[2]).body] = true
                end
                local all = {}
                for n in pairs(seen) do all[#all + 1] = n end
                table.sort(all)
                ngx.say(table.concat(all, " "))
            end
        }
    }
--- response_body
0 1
0 1 2
5



=== an upstream by the hash of a text
--- http_config
    upstream_list universe moon sun earth;
--- config
    location /t {
        set $list universe;
        set_hashed_upstream $a universe $arg_id;
        set_hashed_upstream $b $list $arg_id;
        echo "$a $b";
    }
--- request eval
["GET /t", "GET /t?id=hello", "GET /t?id=world", "GET /t?id=larry",
"GET /t?id=audreyt", "GET /t?id=AudreyT"]
--- response_body eval
["moon moon\n", "sun sun\n", "moon moon\n", "earth earth\n", "earth earth\n",
"earth earth\n"]



=== a list of upstreams that is not there
--- config
    location /t {
        set $list none;
        set_hashed_upstream $a $list x;
        echo no;
    }
--- error_code: 500
--- error_log
set_hashed_upstream: upstream list "none" not defined yet



=== a list of upstreams that is not there, by name
--- config
    location /t {
        set_hashed_upstream $a none x;
    }
--- must_die
--- error_log
set_hashed_upstream: upstream list "none" not defined yet



=== two lists of upstreams of one name
--- config
    upstream_list a b c;
    upstream_list a d;
--- must_die
--- error_log
duplicate upstream list "a"
