__DATA__


=== what a variable has
--- user_files
>>> t
X<!--#echo var="arg_a" -->X<!--# echo var='arg_b' default="none" -->X<!--#echo var="arg_b" -->X
--- config
    ssi on; default_type text/html;
--- request
GET /t?a=1
--- response_body
X1XnoneX(none)X
--- response_headers
!Last-Modified
!Content-Length
!Accept-Ranges



=== how a value is written
--- config
    ssi on; default_type text/html;
--- user_files eval
[["t", '<!--#set var="v" value="<$arg_a & \"b\">" -->' .
 '<!--#echo var="v" -->|<!--#echo var="v" encoding="none" -->|' .
 '<!--#echo var="v" encoding="url" -->|' .
 '<!--#echo var="v" encoding="entity" -->']]
--- request
GET /t?a=1
--- response_body chomp
&lt;1 &amp; &quot;b&quot;&gt;|<1 & "b">|%3C1%20&%20%22b%22%3E|&lt;1 &amp; &quot;b&quot;&gt;



=== other locations speak in their place
--- config
    ssi on; default_type text/html;
    location = /slow { echo_sleep 0.05; echo -n slow; }
--- user_files eval
[["t", 'a<!--#include virtual="/slow" -->b' .
 '<!--#include virtual="/in?x=y" -->c<!--#include file="in" -->d'],
 ["in", '[<!--#echo var="arg_x" --><!--#include virtual="/slow" -->]']]
--- response_body chomp
aslowb[yslow]c[(none)slow]d



=== what is waited for holds what follows
--- config
    ssi on; default_type text/html;
    location = /slow { echo_sleep 0.05; echo -n slow; }
--- user_files eval
[["t", 'x<!--#include virtual="/in" -->x<!--#include virtual="/2" -->x'],
 ["in", "FIRST"],
 ["2", '<!--#include virtual="/slow" wait="yes"-->xSECOND']]
--- response_body chomp
xFIRSTxslowxSECONDx



=== an answer may become a variable
--- config
    ssi on; default_type text/html;
    location = /slow { echo_sleep 0.05; echo -n "a<b$arg_x"; }
--- user_files eval
[["t", '<!--#include virtual="/slow?x=1" set="one" -->' .
 '<!--#if expr="$one = a<b1" -->yes <!--#endif -->' .
 '<!--#echo var="one" -->']]
--- response_body chomp
yes a&lt;b1



=== a block stands in for what is empty or fails
--- config
    ssi on; default_type text/html;
    location = /empty { return 200 ""; }
    location = /bad { return 500; }
    location = /good { return 200 "good"; }
--- user_files eval
[["t", '<!--#block name="b" --><i><!--#echo var="x" -->' .
 '<!--#if expr="$x" -->no<!--#endif --></i>' .
 '<!--#endblock -->1<!--#include virtual="/empty" stub="b" -->2' .
 '<!--#include virtual="/bad" stub="b" -->3' .
 '<!--#include virtual="/good" stub="b" -->4']]
--- response_body chomp
1<i></i>2<i></i>3good4



=== if, elif, else, one inside the other
--- config
    ssi on; default_type text/html;
--- user_files eval
[["t", '<!--#if expr="$arg_a" -->A<!--#if expr="$arg_b" -->B' .
 '<!--#else -->b<!--#endif -->' .
 '<!--#elif expr="$arg_c" -->C<!--#else -->' .
 'a<!--#if expr="$arg_b = /^(\w)(?<n>\w)/" --><!--#echo var="1" -->' .
 '-<!--#echo var="n" --><!--#endif --><!--#endif -->.']]
--- pipelined_requests eval
["GET /t?a=1&b=1", "GET /t?a=1", "GET /t?c=1&b=1", "GET /t?b=xyz",
 "GET /t?b=x"]
--- response_body eval
["AB.", "Ab.", "C.", "ax-y.", "a."]



=== what is not equal
--- config
    ssi on; default_type text/html;
--- user_files eval
[["t", '<!--#if expr="$arg_a != 1" -->not 1<!--#endif -->,' .
 '<!--#if expr="$arg_a != /2/" -->no 2<!--#endif -->,' .
 '<!--#if expr="x$arg_a = x${arg_a}" -->same<!--#endif -->']]
--- request
GET /t?a=12
--- response_body chomp
not 1,,same



=== a command that is wrong says so, or what it is told, or nothing
--- config
    ssi on; default_type text/html;
    location = /silent { ssi on; ssi_silent_errors on; default_type text/html; }
--- user_files eval
[["t", '<!--#nonsense -->|<!--#config errmsg="oops" -->' .
 '<!--#echo vra="x" -->|<!--#include virtual="/../x" -->|' .
 '<!--#if expr="$x = /(/" --><!--#endif -->'],
 ["silent", 'a<!--#nonsense -->b']]
--- pipelined_requests eval
["GET /t", "GET /silent"]
--- response_body eval
["[an error occurred while processing the directive]|oops|oops|oops", "ab"]
--- error_log eval
[qr/invalid SSI command: "nonsense"/,
qr/invalid parameter name: "vra" in "echo" SSI command/,
qr/unsafe URI "\/\.\.\/x" was detected/]



=== what is no command is text, and a command without end is nothing
--- config
    ssi on; default_type text/html;
--- user_files eval
[["t", '<<!-<!--<!-- # --><!-- echo --><!--#echo var="x']]
--- response_body chomp
<<!-<!--<!-- # --><!-- echo -->



=== commands that come in pieces
--- config
    location = /t {
        ssi on; default_type text/html;
        content_by_lua_block {
            local page = 'a<!--#echo var="arg_x" default="--> \\" it" -->b'
            for i = 1, #page do
                ngx.print(page:sub(i, i))
                ngx.flush(true)
            end
        }
    }
--- response_body chomp
a--> " itb



=== only of the types that are asked for
--- config
    location /a { ssi on; default_type text/plain; }
    location /b { ssi on; ssi_types text/plain; default_type text/plain; }
--- user_files eval
[["a", '<!--#echo var="uri" -->'], ["b", '<!--#echo var="uri" -->']]
--- pipelined_requests eval
["GET /a", "GET /b"]
--- response_body eval
['<!--#echo var="uri" -->', "/b"]



=== a date as it is wanted
--- config
    ssi on; default_type text/html;
--- user_files eval
[["t", '<!--#config timefmt="%Y %Z" --><!--#echo var="DATE_GMT" -->|' .
 '<!--#config timefmt="%s" --><!--#echo var="date_local" -->']]
--- response_body_like: ^20\d\d GMT\|\d{10,}$



=== a date has its day of the year
--- config
    ssi on; default_type text/html;
    location = /t {
        content_by_lua_block {
            local before = os.date("!%j %U")
            local said = ngx.location.capture("/date").body
            ngx.say(said == before or said == os.date("!%j %U") or said)
        }
    }
--- user_files eval
[["date", '<!--#config timefmt="%j %U" --><!--#echo var="date_gmt" -->']]
--- request
GET /t
--- response_body
true



=== a value may be too long
--- config
    ssi on; ssi_value_length 5; default_type text/html;
--- user_files eval
[["t", '<!--#config errmsg="no" --><!--#echo var="abcdef" -->']]
--- response_body chomp
no
--- error_log: too long "abcdef..." value of "var" parameter in "echo" SSI command



=== a value that doubles ends somewhere
--- config
    ssi on; default_type text/html;
--- user_files eval
[["t", '<!--#config errmsg="E" --><!--#set var="a" value="0123456789abcdef" -->'
 . ('<!--#set var="a" value="$a$a" -->' x 18) . 'ok']]
--- request
GET /t
--- response_body: EEok
--- error_log
too long value in SSI command: "$a$a"



=== a page that includes itself twice comes to an end
--- config
    location = /t { ssi on; default_type text/html; }
--- user_files eval
[["t", '<!--#include virtual="/t" --><!--#include virtual="/t" -->']]
--- request
GET /t
--- response_body_like: ^(\[an error occurred while processing the directive\])+$
--- error_log: too many SSI inclusions: "/t"
--- timeout: 60



=== an answer that is set and has no end
--- config
    ssi on; default_type text/html; subrequest_output_buffer_size 64;
    location = /t { }
    location = /far { proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/big; }
    location = /big { ssi off; }
--- user_files eval
[["t", 'a<!--#include virtual="/far" set="x" -->b'],
 ["big", "0123456789" x 1000000]]
--- request
GET /t
--- ignore_response
--- error_log: too big subrequest response:



=== a date in a format of its own
--- config
    location = /t { ssi on; default_type text/html; }
--- user_files eval
[["t", '<!--#config timefmt="%Q %! %E|%Z %z|%%" -->'
 . '<!--#echo var="date_gmt" -->']]
--- request
GET /t
--- response_body chomp
%Q %! %E|GMT +0000|%



=== from another server, with a page that includes itself
--- config
    location = /t { ssi on; proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/page; }
    location = /page {
        default_type text/html;
        return 200 'x<!--#include virtual="/t" -->y';
    }
--- response_body_like: ^x+\[an error.*\]y+$
--- error_log: subrequests cycle while processing "/t"



=== the end waits for an answer that is waited for
--- config
    ssi on; default_type text/html;
    location = /slow { echo_sleep 0.05; echo -n slow; }
--- user_files eval
[["t", 'a<!--#include virtual="/slow" wait="yes" -->']]
--- response_body chomp
aslow



=== a page that a script captures
--- config
    location = /t {
        content_by_lua_block {
            ngx.say(ngx.location.capture("/page").body)
        }
    }
    location = /page { ssi on; default_type text/html; }
    location = /slow { echo_sleep 0.05; echo -n slow; }
--- user_files eval
[["page", 'a<!--#include virtual="/slow" wait="yes" -->b' .
 '<!--#include virtual="/slow" -->c']]
--- response_body
aslowbslowc



=== an answer that is too large to be a variable
--- config
    ssi on; default_type text/html;
    location = /big { subrequest_output_buffer_size 5; return 200 "123456"; }
--- user_files eval
[["t", 'a<!--#include virtual="/big" set="x" -->b']]
--- raw_request eval
"GET /t HTTP/1.0\r\n\r\n"
--- ignore_response
--- error_log: too big subrequest response



=== a part that comes compressed is no part as it is
--- config
    ssi on; gunzip on; default_type text/html;
    location = /z {
        gunzip off; ssi off; gzip on; gzip_min_length 1; default_type text/html;
        return 200 "hello hello hello hello";
    }
    location = /in {
        proxy_set_header Accept-Encoding gzip;
        proxy_http_version 1.1;
        proxy_pass http://127.0.0.1:$TEST_NGINX_SERVER_PORT/z;
    }
--- user_files eval
[["t", 'a <!--#include virtual="/in" --> b']]
--- more_headers
Accept-Encoding: gzip
--- response_body chomp
a hello hello hello hello b



=== a dollar that is none, and a command without end
--- config
    ssi on; default_type text/html;
--- user_files eval
[["t", '<!--#set var="a" value="\\$x \\"$arg_b\\" \\y" --><!--#echo var="a" encoding="none" -->.<!--#echo var="a"']]
--- request
GET /t?b=c
--- response_body chomp
$x "c" \y.



=== what a page includes is waited for where its client took all before it
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 sndbuf=16k;
        root html;
        location = /page { ssi on; ssi_types *; }
        location = /slow { content_by_lua_block { ngx.sleep(0.3) ngx.print("slow") } }
        location = /fast { return 200 "fast"; }
    }
--- config
    location = /t { content_by_lua_block {
        local frames = require "lunette.spec.frames"
        local function ask(left)
            local sock = ngx.socket.tcp()
            assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
            sock:send("GET /page HTTP/1.0\r\n\r\n")
            ngx.sleep(0.2)
            if left then sock:receive(left) sock:close() return end
            return sock:receive("*a")
        end
        ask(2100000)
        ngx.say(frames.await(1, 1))
        local body = ask():match("\r\n\r\n(.*)")
        ngx.say(#body, " ", (body:gsub("x+", "x")))
    } }
--- user_files eval
">>> page\n" . ("x" x 2100000) . '[<!--# include virtual="/slow" -->]' . ("x" x 2100000) . '[<!--# include virtual="/fast" --><!--# include virtual="/slow" -->]'
--- response_body
1 1
4200016 x[slow]x[fastslow]
--- timeout: 60



=== an answer by HTTP/2 has not ended before what it includes
--- http2
--- config
    location = /t {
        ssi on;
        ssi_types *;
        addition_types *;
        add_after_body /slow;
        content_by_lua_block {
            local large = ("x"):rep(5000)
            ngx.print(large, '[<!--# include virtual="/slow" -->]', large,
                      '[<!--# include virtual="/fast" --><!--# include virtual="/slow" -->]')
        }
    }
    location = /slow { content_by_lua_block { ngx.sleep(0.1) ngx.print("slow") } }
    location = /fast { return 200 "fast"; }
--- response_body_like: ^x{5000}\[slow\]x{5000}\[fastslow\]slow$



=== also while its handler works on
--- http_config
    server {
        listen $TEST_NGINX_RAND_PORT_1 sndbuf=16k;
        location = /page { ssi on; ssi_types *; content_by_lua_block {
            local large = ("x"):rep(2100000)
            ngx.print(large, '[<!--# include virtual="/slow" wait="yes" -->]',
                      large, '[<!--# include virtual="/slow" set="a" --><!--# echo var="a" -->]')
            ngx.flush()
            ngx.sleep(1)
        } }
        location = /slow { content_by_lua_block { ngx.sleep(0.1) ngx.print("slow") } }
    }
--- config
    location = /t { content_by_lua_block {
        local sock = ngx.socket.tcp()
        assert(sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1))
        sock:send("GET /page HTTP/1.0\r\n\r\n")
        ngx.sleep(0.2)
        local body = sock:receive("*a"):match("\r\n\r\n(.*)")
        ngx.say(#body, " ", (body:gsub("x+", "x")))
    } }
--- response_body
4200012 x[slow]x[slow]
--- timeout: 60



=== an encoding counts from where it is named, and an unknown one does not
--- user_files eval
[["t", '<!--#echo var="arg_a" -->|<!--#echo var="arg_a" encoding="none" -->|<!--#echo var="arg_a" -->|' .
 '<!--#echo var="arg_a" encoding="odd" -->|<!--#echo var="arg_a" encoding="url" -->']]
--- config
    default_type text/html;
    ssi on;
--- request
GET /t?a=<+'"=/
--- response_body: &lt;+'&quot;=/|<+'"=/|<+'"=/|<+'"=/|%3C+%27%22=/
--- error_log
unknown encoding "odd" in the "echo" command



=== a variable's name has no case
--- config
    default_type text/html;
    ssi on;
--- user_files
>>> t
<!--#set var="A" value="1" --><!--#echo var="a" -->
--- response_body
1



=== what is said twice, what is nowhere, what ends nothing
--- config
    default_type text/html;
    ssi on;
    ssi_silent_errors on;
--- user_files
>>> t
<!--#echo var="a" var="b" --><!--#include virtual="/x" stub="none" --><!--#endblock --><!--#endif --><!--#echo --><!--#include wait="yes" -->
--- response_body eval
"\n"
--- error_log
duplicate "var" parameter in "echo" SSI command
"stub"="none" for "include" not found
invalid context of SSI command: "endif"
mandatory "var" parameter is absent in "echo" SSI command
no parameter in "include" SSI command
