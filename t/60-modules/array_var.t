# Variables that hold lists: array_split and its kin; fields of forms.

__DATA__


=== a list of parts, joined again
--- config
    location /t {
        array_split ',' $arg_a to=$list;
        array_join '+' $list;
        array_split '->' $arg_b to=$arrows;
        array_join '(+)' $arrows to=$text;
        echo "[$list] [$text]";
    }
--- request eval
["GET /t?a=x,y,z&b=1->2->3", "GET /t?a=one", "GET /t", "GET /t?a=,,,&b=->"]
--- response_body eval
["[x+y+z] [1(+)2(+)3]\n", "[one] []\n", "[] []\n", "[+++] [(+)]\n"]



=== at most so many items
--- config
    location /t {
        set_unescape_uri $n $arg_n;
        array_split ',' $arg_a $n to=$list;
        array_join '+' $list;
        array_split '' $arg_b $n to=$bytes;
        array_join '+' $bytes;
        echo "$list $bytes";
    }
--- request eval
["GET /t?a=x,y,z&b=abc&n=2", "GET /t?a=x,y,z&b=abc&n=0",
"GET /t?a=x,y,z&b=abc&n=9", "GET /t?a=x,y&b=ab&n=1"]
--- response_body eval
["x+y,z a+bc\n", "x+y+z a+b+c\n", "x+y+z a+b+c\n", "x,y ab\n"]



=== a limit that is no number is an error
--- config
    location /t {
        array_split ',' a,b $arg_n to=$list;
        echo "$list";
    }
--- request
GET /t?n=-1
--- error_code: 500
--- error_log
array_split: invalid max items: "-1"



=== each item as a template says, in place and not
--- config
    location /t {
        array_split ',' $arg_a to=$list;
        array_map '[$array_it]' $list to=$other;
        array_map 'hi' $list to=$third;
        array_join ' ' $list to=$a;
        array_map '<$array_it>' $list;
        array_join ' ' $list;
        array_join ' ' $other;
        array_join '-' $third;
        echo "$a $list $other $third ($array_it)";
    }
--- request
GET /t?a=x,,z
--- response_body
x  z <x> <> <z> [x] [] [z] hi-hi-hi ()



=== each item through a directive that sets a variable
--- config
    location /t {
        array_split ',' $arg_a to=$list;
        array_map_op set_quote_sql_str $list to=$quoted;
        array_map_op set_md5 $list;
        array_join '+' $quoted;
        array_join '+' $list;
        echo "$quoted $list";
    }
--- request
GET /t?a=',b
--- response_body
'\''+'b' 3590cb8af0bbb9e78c343b52b93773c9+92eb5ffee6ae2fec3ad71c777531578f



=== an item that a directive does not take
--- config
    location /t {
        array_split ',' $arg_a to=$list;
        array_map_op set_decode_hex $list;
        echo no;
    }
--- request
GET /t?a=61,xy
--- error_code: 500
--- error_log
array_map_op: invalid value



=== a text is no list, whatever it says
--- config
    location /t {
        array_split ',' a,b to=$list;
        set_unescape_uri $text $arg_a;
        array_join '+' $text;
        echo "$text";
    }
--- request
GET /t?a=%28array%29
--- error_code: 500
--- error_log
array_join: invalid array variable value in the 2nd argument: "(array)"



=== a list has other names, and is the same elsewhere
--- config
    location /t {
        array_split ',' a,b to=$list;
        set $same $list;
        array_map '$array_it$array_it' $same;
        echo_exec /sub;
    }
    location /sub {
        array_join '+' $list to=$text;
        echo "$text";
    }
--- response_body
aa+bb



=== scripts do not change what the lists hang on
--- config
    location = /t {
        array_split ',' a,b to=$list;
        array_join '+' $list to=$text;
        content_by_lua_block {
            local ok = pcall(function() ngx.var["array lists"] = "x" end)
            ngx.exec("/sub", { ok = tostring(ok) })
        }
    }
    location = /sub {
        array_join '-' $list to=$text;
        echo "$arg_ok $text";
    }
--- request
GET /t
--- response_body
false a-b



=== a list of nothing but `to`
--- config
    location /t {
        array_split ',' $arg_a list;
    }
--- must_die
--- error_log
array_split: expecting the "to" option, but got "list"



=== an operation that is none
--- config
    location /t {
        array_map_op set_random $list;
    }
--- must_die
--- error_log
array_map_op: directive "set_random" not found or not using ndk_set_var_value



=== fields of a form
--- config
    location /t {
        set_form_input $one;
        set_form_input $two second;
        set_form_input_multi $all one;
        array_join ' ' $all;
        echo "[$one] [$two] [$all]";
    }
--- more_headers
Content-Type: application/x-www-form-urlencoded; charset=utf-8
--- request eval
["POST /t\none=1&second=b%20c&one=3&third", "PUT /t\n&&One=x",
"POST /t\nsecond=", "POST /t\nones=1&sone=2&one", "GET /t", "POST /t"]
--- response_body eval
["[1] [b%20c] [1 3]\n", "[x] [] [x]\n", "[] [] []\n", "[] [] []\n",
"[] [] []\n", "[] [] []\n"]



=== a form that says that it is none has no fields
--- config
    location /t {
        set_form_input $one;
        echo_read_request_body;
        echo "[$one]";
    }
--- more_headers
Content-Type: text/plain
--- request
POST /t
one=1
--- response_body
[]



=== a form that goes to a file has no fields
--- config
    location /t {
        client_body_in_file_only clean;
        set_form_input $one;
        echo "[$one]";
    }
--- more_headers
Content-Type: application/x-www-form-urlencoded
--- request
POST /t
one=12345678
--- response_body
[]



=== a field is known to an if, and to the server behind it
--- config
    location /t {
        set_form_input $who;
        if ($who = me) {
            set_form_input $what;
            return 200 "$what";
        }
        return 403;
    }
--- more_headers
Content-Type: application/x-www-form-urlencoded
--- request eval
["POST /t\nwho=me&what=that", "POST /t\nwho=you"]
--- error_code eval
[200, 403]
--- response_body_like eval
["^that\$", "403"]



=== a form that comes slowly is waited for
--- config
    location /t {
        set_form_input $one;
        echo "[$one]";
    }
--- raw_request eval
["POST /t HTTP/1.1\r\nHost: a\r\nConnection: close\r
Content-Type: application/x-www-form-urlencoded\r
Content-Length: 7\r\n\r\none", "=123"]
--- raw_request_middle_delay: 0.1
--- response_body
[123]



=== a form that is too large is refused
--- config
    location /t {
        client_max_body_size 4;
        set_form_input $one;
        echo no;
    }
--- more_headers
Content-Type: application/x-www-form-urlencoded
--- request
POST /t
one=1234
--- error_code: 413
--- error_log
client intended to send too large body
