__DATA__


=== the longest network counts
--- http_config
    geo $arg_a $x {
        default d; 10.0.0.0/8 ten; 10.1.0.0/16 one; 10.1.2.3 host;
        2001:db8::/32 six; 2001:db8::1 one6;
    }
--- config
    location = /t { return 200 $x; }
--- request eval
["GET /t?a=10.9.9.9", "GET /t?a=10.1.9.9", "GET /t?a=10.1.2.3", "GET /t?a=11.1.1.1", "GET /t?a=2001:db8::2", "GET /t?a=2001:db8:0::1", "GET /t?a=::1", "GET /t?a=::ffff:10.1.9.9", "GET /t?a=what", "GET /t"]
--- response_body eval
["ten", "one", "host", "d", "six", "one6", "d", "one", "d", "d"]



=== of the client, whom realip may have named
--- http_config
    set_real_ip_from 127.0.0.1;
    geo $x { 127.0.0.0/8 here; 192.0.2.0/24 there; }
--- config
    location = /t { return 200 "[$x]"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- more_headers eval
["A: b", "X-Real-IP: 192.0.2.9", "X-Real-IP: 10.0.0.1"]
--- response_body eval
["[here]", "[there]", "[]"]



=== what is no address is the last of all
--- http_config
    geo $arg_a $x { default d; 255.255.255.255/32 last; }
--- config
    location = /t { return 200 $x; }
--- request
GET /t?a=nobody
--- response_body: last



=== a proxy says who the client is
--- http_config
    geo $x { proxy 127.0.0.1; default d; 192.0.2.0/24 there; 10.0.0.0/8 ten; }
    geo $y { proxy 127.0.0.1; proxy 192.0.2.0/24; proxy_recursive; default d; 192.0.2.0/24 there; 10.0.0.0/8 ten; }
--- config
    location = /t { return 200 "$x $y"; }
--- request eval
["GET /t", "GET /t", "GET /t"]
--- more_headers eval
["X-Forwarded-For: 10.0.0.1, 192.0.2.1", "A: b", "X-Forwarded-For: 10.0.0.1"]
--- response_body eval
["there ten", "d d", "ten ten"]



=== ranges, one within another
--- http_config
    geo $arg_a $x {
        ranges; default d;
        10.0.0.0-10.0.0.255 whole; 10.0.0.10-10.0.0.19 part;
        10.0.0.0-10.0.0.4 begin; 10.0.0.250-10.0.0.255 end;
        9.0.0.0-9.255.255.255 before;
        11.0.0.0-11.0.0.1 gone; delete 11.0.0.0-11.0.0.1;
    }
--- config
    location = /t { return 200 $x; }
--- request eval
["GET /t?a=10.0.0.9", "GET /t?a=10.0.0.10", "GET /t?a=10.0.0.19", "GET /t?a=10.0.0.20", "GET /t?a=10.0.0.4", "GET /t?a=10.0.0.5", "GET /t?a=10.0.0.249", "GET /t?a=10.0.0.250", "GET /t?a=10.0.1.0", "GET /t?a=9.1.1.1", "GET /t?a=11.0.0.0", "GET /t?a=::1"]
--- response_body eval
["whole", "part", "part", "whole", "begin", "whole", "whole", "end", "d", "before", "d", "d"]



=== lines may come from a file, and be taken back
--- http_config
    geo $arg_a $x {
        include $TEST_NGINX_HTML_DIR/geo.conf;
        delete 10.0.0.0/8;
        default d;
    }
--- config
    location = /t { return 200 $x; }
--- user_files
>>> geo.conf
10.0.0.0/8 ten;
11.0.0.0/8 eleven;
--- request eval
["GET /t?a=10.0.0.1", "GET /t?a=11.0.0.1"]
--- response_body eval
["d", "eleven"]



=== warnings: twice, nothing to delete, bits without a meaning
--- http_config
    geo $arg_a $x { 10.0.0.0/8 a; 10.0.0.0/8 b; delete 12.0.0.0/8; 13.0.0.1/8 c; }
--- config
    location = /t { return 200 $x; }
--- request
GET /t?a=10.0.0.1
--- response_body: b
--- error_log
duplicate network "10.0.0.0/8", value: "b", old value: "a" in
no network "12.0.0.0/8" to delete in
low address bits of 13.0.0.1/8 are meaningless in



=== a network that is none
--- http_config
    geo $x { 10.0.0.0/33 a; }
--- config
--- must_die
--- error_log
invalid network "10.0.0.0/33" in



=== a range that is none
--- http_config
    geo $x { ranges; 10.0.0.9-10.0.0.1 a; }
--- config
--- must_die
--- error_log
invalid range "10.0.0.9-10.0.0.1" in



=== ranges that overlap
--- http_config
    geo $x { ranges; 10.0.0.0-10.0.0.9 a; 10.0.0.5-10.0.0.20 b; }
--- config
--- must_die
--- error_log
range "10.0.0.5-10.0.0.20" overlaps "10.0.0.0-10.0.0.9" in



=== ranges that come late
--- http_config
    geo $x { 10.0.0.0/8 a; ranges; }
--- config
--- must_die
--- error_log
the "ranges" directive must be the first directive inside "geo" block in



=== a client of a socket in the file system is the last of all
--- skip_windows: no unix sockets in Wine
--- http_config
    geo $x { default other; 255.255.255.255 last; }
    server { listen unix:$TEST_NGINX_HTML_DIR/g.sock; return 200 $x; }
--- config
    location = /t { proxy_pass http://unix:$TEST_NGINX_HTML_DIR/g.sock; }
--- response_body: last



=== ranges that are said twice are warned of
--- http_config
    geo $arg_a $x { ranges; default a; default b; 1.1.1.1-1.1.1.2 c; 1.1.1.1-1.1.1.2 d; delete 9.9.9.9-9.9.9.9; }
--- config
    location = /t { return 200 $x; }
--- request eval
["GET /t?a=1.1.1.1", "GET /t?a=2.2.2.2"]
--- response_body eval
["d", "b"]



=== a volatile one is looked up again
--- http_config
    geo $arg_ip $once { 192.0.2.1 a; 192.0.2.2 b; }
    geo $arg_ip $anew { volatile; 192.0.2.1 a; 192.0.2.2 b; }
--- config
    location = /t {
        set $before "$once$anew";
        set $args ip=192.0.2.2;
        return 200 "$before $once$anew";
    }
--- request
GET /t?ip=192.0.2.1
--- response_body chomp
aa ab
