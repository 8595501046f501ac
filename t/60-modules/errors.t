# What a configuration may not say: modules refuse it, in nginx's words.

__DATA__


=== a limit of requests names a zone
--- config
    limit_req burst=1;
--- must_die
--- error_log
"limit_req" must have "zone" parameter



=== whose parameters are known
--- http_config
    limit_req_zone $uri zone=z:1m rate=1r/s;
--- config
    limit_req zone=z brust=1;
--- must_die
--- error_log
invalid parameter "brust=1"



=== a burst is a number
--- http_config
    limit_req_zone $uri zone=z:1m rate=1r/s;
--- config
    limit_req zone=z burst=x;
--- must_die
--- error_log
invalid burst value "burst=x"



=== a delay is a number
--- http_config
    limit_req_zone $uri zone=z:1m rate=1r/s;
--- config
    limit_req zone=z delay=0;
--- must_die
--- error_log
invalid delay value "delay=0"



=== a zone of requests has a name
--- http_config
    limit_req_zone $uri rate=1r/s rate=2r/s;
--- config
--- must_die
--- error_log
"limit_req_zone" must have "zone" parameter



=== and a size
--- http_config
    limit_req_zone $uri zone=z rate=1r/s;
--- config
--- must_die
--- error_log
invalid zone size "zone=z"



=== that is a size
--- http_config
    limit_req_zone $uri zone=z:x rate=1r/s;
--- config
--- must_die
--- error_log
invalid zone size "zone=z:x"



=== and not too small
--- http_config
    limit_req_zone $uri zone=z:1k rate=1r/s;
--- config
--- must_die
--- error_log
is too small



=== whose rate is a rate
--- http_config
    limit_req_zone $uri zone=z:1m rate=xr/s;
--- config
--- must_die
--- error_log
invalid rate "rate=xr/s"



=== above nothing
--- http_config
    limit_req_zone $uri zone=z:1m rate=0r/s;
--- config
--- must_die
--- error_log
invalid rate "rate=0r/s"



=== without other parameters
--- http_config
    limit_req_zone $uri zone=z:1m rite=1r/s;
--- config
--- must_die
--- error_log
invalid parameter "rite=1r/s"



=== one zone, one key
--- http_config
    limit_req_zone $uri zone=z:1m rate=1r/s; limit_req_zone $host zone=z:1m rate=1r/s;
--- config
--- must_die
--- error_log
limit_req_zone "z" is already bound to key "$uri"



=== a limit of connections is said once
--- http_config
    limit_conn_zone $uri zone=z:1m;
--- config
    limit_conn z 1; limit_conn z 2;
--- must_die
--- error_log
"limit_conn" directive is duplicate



=== and is a number
--- http_config
    limit_conn_zone $uri zone=z:1m;
--- config
    limit_conn z 0;
--- must_die
--- error_log
invalid number of connections "0"



=== of at most sixteen bits
--- http_config
    limit_conn_zone $uri zone=z:1m;
--- config
    limit_conn z 65536;
--- must_die
--- error_log
connection limit must be less 65536



=== a geo has two words a line
--- http_config
    geo $x { a b c; }
--- config
--- must_die
--- error_log
invalid number of the geo parameters



=== an address
--- http_config
    geo $x { a b; }
--- config
--- must_die
--- error_log
invalid network "a"



=== to delete as well
--- http_config
    geo $x { delete a; }
--- config
--- must_die
--- error_log
invalid network "a"



=== ranges come first
--- http_config
    geo $x { 1.1.1.1 a; ranges; }
--- config
--- must_die
--- error_log
the "ranges" directive must be the first directive inside "geo" block



=== a range has two ends
--- http_config
    geo $x { ranges; 1.1.1.1 a; }
--- config
--- must_die
--- error_log
invalid range "1.1.1.1"



=== in their order
--- http_config
    geo $x { ranges; 1.1.1.2-1.1.1.1 a; }
--- config
--- must_die
--- error_log
invalid range "1.1.1.2-1.1.1.1"



=== of addresses
--- http_config
    geo $x { ranges; 1.1.1.1-x a; }
--- config
--- must_die
--- error_log
invalid range "1.1.1.1-x"



=== overlapping ranges
--- http_config
    geo $x { ranges; 1.1.1.1-1.1.1.9 a; 1.1.1.5-1.1.1.12 b; }
--- config
--- must_die
--- error_log
range "1.1.1.5-1.1.1.12" overlaps "1.1.1.1-1.1.1.9"



=== a geo of no variable
--- http_config
    geo x { default 1; }
--- config
--- must_die
--- error_log
invalid variable name "x"



=== a map of no variable
--- http_config
    map $uri x { default 1; }
--- config
--- must_die
--- error_log
invalid variable name "x"



=== a map has two words a line
--- http_config
    map $uri $x { a b c; }
--- config
--- must_die
--- error_log
invalid number of the map parameters



=== no key twice
--- http_config
    map $uri $x { a b; a c; }
--- config
--- must_die
--- error_log
conflicting parameter "a"



=== no default twice
--- http_config
    map $uri $x { default b; default c; }
--- config
--- must_die
--- error_log
duplicate default map parameter



=== no wildcard twice
--- http_config
    map $uri $x { hostnames; *.a b; *.a c; }
--- config
--- must_die
--- error_log
conflicting parameter "*.a"



=== at the end neither
--- http_config
    map $uri $x { hostnames; a.* b; a.* c; }
--- config
--- must_die
--- error_log
conflicting parameter "a.*"



=== no hostname that is none
--- http_config
    map $uri $x { hostnames; a.*.b c; }
--- config
--- must_die
--- error_log
invalid hostname or wildcard "a.*.b"



=== shares have a percent sign
--- http_config
    split_clients $uri $x { 50 a; * b; }
--- config
--- must_die
--- error_log
invalid percent value "50"



=== no more than a hundred
--- http_config
    split_clients $uri $x { 101% a; }
--- config
--- must_die
--- error_log
percent total is greater than 100%



=== in sum
--- http_config
    split_clients $uri $x { 60% a; 41% b; }
--- config
--- must_die
--- error_log
percent total is greater than 100%



=== nor nothing
--- http_config
    split_clients $uri $x { 0% a; }
--- config
--- must_die
--- error_log
invalid percent value "0%"



=== with two digits behind the point
--- http_config
    split_clients $uri $x { 1.234% a; }
--- config
--- must_die
--- error_log
invalid percent value "1.234%"



=== and one word behind
--- http_config
    split_clients $uri $x { 1% a b; }
--- config
--- must_die
--- error_log
invalid number of the split_clients parameters



=== a status to return has three digits
--- config
    location /t { return 1000; }
--- must_die
--- error_log
invalid return code "1000"



=== a return without a status is an address
--- config
    location /t { return text; }
--- must_die
--- error_log
invalid return code "text"



=== a rewrite goes somewhere
--- config
    location /t { rewrite a ""; }
--- must_die
--- error_log
empty replacement



=== with a known flag
--- config
    location /t { rewrite a b c; }
--- must_die
--- error_log
invalid parameter "c"



=== if has parentheses
--- config
    location /t { if $uri { return 200; } }
--- must_die
--- error_log
invalid condition "$uri"



=== two of them
--- config
    location /t { if ($uri { return 200; } }
--- must_die
--- error_log
invalid condition "$uri"



=== and something inside
--- config
    location /t { if () { return 200; } }
--- must_die
--- error_log
invalid condition ")"



=== no operator alone
--- config
    location /t { if ($uri =) { return 200; } }
--- must_die
--- error_log
invalid condition "$uri"



=== no pattern of two words
--- config
    location /t { if ($uri ~ a b) { return 200; } }
--- must_die
--- error_log
invalid condition "$uri"



=== no other operator
--- config
    location /t { if ($uri > a) { return 200; } }
--- must_die
--- error_log
unexpected ">" in condition



=== no text alone
--- config
    location /t { if (uri) { return 200; } }
--- must_die
--- error_log
invalid condition "uri"



=== no test of files that is none
--- config
    location /t { if (-g /x) { return 200; } }
--- must_die
--- error_log
invalid condition "-g"



=== a time of the day is not counted from the last change
--- config
    location /t { expires modified @1h; }
--- must_die
--- error_log
daily time cannot be used with "modified" parameter



=== expires has one word before
--- config
    location /t { expires always 1h; }
--- must_die
--- error_log
invalid value



=== a time of the day ends
--- config
    location /t { expires @25h; }
--- must_die
--- error_log
daily time value must be less than 24 hours



=== expires is a time
--- config
    location /t { expires x; }
--- must_die
--- error_log
invalid value



=== referers are no empty names
--- config
    valid_referers "";
--- must_die
--- error_log
invalid referer ""



=== nor names that are none
--- config
    valid_referers a.*.b;
--- must_die
--- error_log
invalid hostname or wildcard "a.*.b"



=== a buffer of a log has a size
--- config
    access_log logs/a.log combined buffer=0;
--- must_die
--- error_log
invalid buffer size "0"



=== and a time
--- config
    access_log logs/a.log combined buffer=1k flush=0;
--- must_die
--- error_log
invalid flush time "0"



=== a level
--- config
    access_log logs/a.log combined gzip=10;
--- must_die
--- error_log
invalid compression level "10"



=== known words
--- config
    access_log logs/a.log combined grip;
--- must_die
--- error_log
invalid parameter "grip"



=== a format
--- config
    access_log logs/a.log none;
--- must_die
--- error_log
unknown log format "none"



=== no two buffers of one file
--- config
    access_log logs/a.log combined buffer=1k; access_log logs/a.log combined buffer=2k;
--- must_die
--- error_log
access_log "logs/a.log" already defined with conflicting parameters



=== no variables
--- config
    access_log logs/$uri.log combined buffer=1k;
--- must_die
--- error_log
buffered logs cannot have variables in name



=== nothing beside off
--- config
    access_log off combined;
--- must_die
--- error_log
invalid parameter "combined"



=== flush is for buffers
--- config
    access_log logs/a.log combined flush=1s;
--- must_die
--- error_log
no buffer is defined for access_log "logs/a.log"



=== charsets are two
--- http_config
    charset_map a a { 80 80; }
--- config
--- must_die
--- error_log
"charset_map" between the same charsets "a" and "a"



=== each line of a map of bytes has two words
--- http_config
    charset_map a b { 80 80 80; }
--- config
--- must_die
--- error_log
invalid parameters number



=== bytes
--- http_config
    charset_map a b { 100 80; }
--- config
--- must_die
--- error_log
invalid value "100"



=== on both sides
--- http_config
    charset_map a b { 80 100; }
--- config
--- must_die
--- error_log
invalid value "100"



=== a byte has two digits in utf-8
--- http_config
    charset_map a utf-8 { 80 808; }
--- config
--- must_die
--- error_log
invalid value "808"



=== a userid service is a number
--- config
    userid_service x;
--- must_die
--- error_log
invalid number



=== its cookie lasts a time
--- config
    userid_expires x;
--- must_die
--- error_log
invalid value



=== a mark is a letter
--- config
    userid_mark ab;
--- must_die
--- error_log
"userid_mark" directive value must be "off" or a single letter, digit or "="



=== a port of an upstream is one
--- config
    location /t { proxy_pass http://a:70000; }
--- must_die
--- error_log
invalid port in upstream "a:70000"



=== no host is none
--- config
    location /t { proxy_pass http://:80; }
--- must_die
--- error_log
no host in upstream ":80"



=== hash takes a key
--- http_config
    upstream u { hash; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid number of arguments in "hash" directive



=== and one word
--- http_config
    upstream u { hash $uri x; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "x"



=== random knows two
--- http_config
    upstream u { random one; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "one"



=== and how to choose
--- http_config
    upstream u { random two x; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid parameter "x"



=== keepalive is not said twice
--- http_config
    upstream u { server 127.0.0.1; keepalive 1; keepalive 2; }
--- config
--- must_die
--- error_log
"keepalive" directive is duplicate



=== a zone of an upstream has a size
--- http_config
    upstream u { zone z 1k; server 127.0.0.1; }
--- config
--- must_die
--- error_log
zone "z" is too small



=== or one that is read
--- http_config
    upstream u { zone z x; server 127.0.0.1; }
--- config
--- must_die
--- error_log
invalid zone size "x"



=== slices have a size
--- config
    slice x;
--- must_die
--- error_log
"slice" directive invalid value



=== a real ip comes from an address
--- config
    set_real_ip_from x;
--- must_die
--- error_log
host not found in set_real_ip_from "x"



=== an allowed address is one
--- config
    allow x;
--- must_die
--- error_log
invalid parameter "x"



=== mirrors are off alone
--- config
    location /t { mirror /a; mirror off; }
--- must_die
--- error_log
"mirror" directive is duplicate



