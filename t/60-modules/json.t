__DATA__


=== members, elements, and the text of whole parts
--- http_config
    json_set $name $arg_d user.name;
    json_set $age $arg_d user.age;
    json_set $user $arg_d user;
    json_set $two $arg_d tags[1];
    json_set $deep $arg_d rows[1][0];
--- config
    location = /t { return 200 "[$name][$age][$user][$two][$deep]"; }
--- request eval
['GET /t?d={"user":{"name":"ann","age":-4.50e+1},"tags":["a","b"]}', 'GET /t?d={"rows":[[1],[true,null]],"tags":["a"]}', 'GET /t?d=[]', 'GET /t']
--- response_body eval
['[ann][-4.50e+1][{"name":"ann","age":-4.50e+1}][b][]', '[][][][][true]', '[][][][][]', '[][][][][]']



=== names that are quoted, an array at the top, and a string alone
--- http_config
    json_set $a $arg_d '["a.b"]';
    json_set $b $arg_d '[0]["x\u0041"].c[2]';
    json_set $c $arg_d '[""]';
--- config
    location = /t { return 200 "[$a][$b][$c]"; }
--- request eval
['GET /t?d={"a.b":1,"":"e"}', 'GET /t?d=[{"xA":{"c":[0,0,"z"]}}]', 'GET /t?d="a.b"']
--- response_body eval
['[1][][e]', '[][z][]', '[][][]']



=== what strings say, and names that are written with escapes
--- http_config
    json_set $s $request_body s;
    client_body_early_read on;
--- config
    location = /t { return 200 "[$s]"; }
--- request eval
["POST /t\n{\"\\u0073\": \"a\\/b\\u00e9\\ud83d\\ude00\"}"]
--- response_body eval
"[a/b\x{c3}\x{a9}\x{f0}\x{9f}\x{98}\x{80}]"



=== a document that is wrong anywhere has no parts
--- http_config
    json_set $a $arg_d a;
--- config
    location = /t { return 200 "[$a]"; }
--- request eval
['GET /t?d={"a":1', 'GET /t?d={"a":1}x', 'GET /t?d={"a":01}', 'GET /t?d={"a":1,}', 'GET /t?d={"a":"\ud800"}', 'GET /t?d={a:1}', 'GET /t?d={"a":tru}', 'GET /t?d={"a":1.}', 'GET /t?d={"a":1}']
--- response_body eval
["[]", "[]", "[]", "[]", "[]", "[]", "[]", "[]", "[1]"]



=== of two members that have one name the last counts
--- http_config
    json_set $a $arg_d a;
    json_set $b $arg_d a.b;
--- config
    location = /t { return 200 "[$a][$b]"; }
--- request eval
['GET /t?d={"a":{"b":1},"a":{"c":2}}', 'GET /t?d={"a":1,"a":{"b":"x"}}']
--- response_body eval
['[{"c":2}][]', '[{"b":"x"}][x]']



=== 32 is as deep as a document may be
--- http_config
    json_set $a $arg_d [0];
--- config
    location = /t { if ($a) { return 200 "yes"; } return 200 "no"; }
--- request eval
["GET /t?d=" . ("[" x 32) . ("]" x 32), "GET /t?d=" . ("[" x 33) . ("]" x 33)]
--- response_body eval
["yes", "no"]



=== json_max_depth, behind what it is for
--- http_config
    json_set $a $arg_d a;
    json_max_depth 1;
--- config
    location = /t { return 200 "[$a]"; }
--- request eval
['GET /t?d={"a":1}', 'GET /t?d={"a":[]}']
--- response_body eval
["[1]", "[]"]



=== a variable that is set since keeps that
--- http_config
    json_set $a $arg_d a;
    json_set $b $arg_d b;
--- config
    location = /t { set $b mine; return 200 "[$a][$b]"; }
--- request
GET /t?d={"a":1,"b":2}
--- response_body: [1][mine]



=== a location by what a body says
--- http_config
    client_body_early_read on;
    json_set $method $request_body method;
    map $method $is_sum { sum 1; }
--- config
    location /rpc { return 200 "other"; }
    location $is_sum { return 200 "sum"; }
--- request eval
["POST /rpc\n{\"method\":\"sum\"}", "POST /rpc\n{\"method\":\"max\"}", "GET /rpc"]
--- response_body eval
["sum", "other", "other"]



=== a path that is none
--- http_config
    json_set $a $arg_d a..b;
--- config
--- must_die
--- error_log
invalid JSON path "a..b"



=== a source that is no variable
--- http_config
    json_set $a arg_d a;
--- config
--- must_die
--- error_log
invalid variable name "arg_d"



=== a depth out of range
--- http_config
    json_max_depth 257;
--- config
--- must_die
--- error_log
value must be between 1 and 256
