__DATA__


=== an exact location beats a prefix of the same name
--- config
    location /a { return 200 "prefix"; }
    location = /a { return 200 "exact"; }
--- request eval
["GET /a", "GET /ab"]
--- response_body eval
["exact", "prefix"]



=== the longest prefix wins, whatever its place
--- config
    location /a/b/ { return 200 "long"; }
    location /a/ { return 200 "short"; }
    location /a/b/c/d { return 200 "longest"; }
--- request eval
["GET /a/x", "GET /a/b/x", "GET /a/b/c/d", "GET /a/b/c"]
--- response_body eval
["short", "long", "longest", "long"]



=== prefixes are text, not components
--- config
    location /img { return 200 "img"; }
    location /images { return 200 "images"; }
--- request eval
["GET /imgx", "GET /images/1", "GET /imag"]
--- error_code eval
[200, 200, 404]
--- response_body_like eval
["^img\$", "^images\$", "404"]



=== a regex beats a prefix
--- config
    location /a/ { return 200 "prefix"; }
    location ~ \.php$ { return 200 "regex"; }
--- request eval
["GET /a/b", "GET /a/b.php"]
--- response_body eval
["prefix", "regex"]



=== a prefix with ^~ is not overruled by a regex
--- config
    location ^~ /a/ { return 200 "prefix"; }
    location ~ \.php$ { return 200 "regex"; }
--- request eval
["GET /a/b.php", "GET /b.php"]
--- response_body eval
["prefix", "regex"]



=== only the longest prefix may say ^~
--- config
    location ^~ /a/ { return 200 "short"; }
    location /a/b/ { return 200 "long"; }
    location ~ \.php$ { return 200 "regex"; }
--- request
GET /a/b/c.php
--- response_body: regex



=== regexes are tried in the order of the text
--- config
    location ~ ^/a { return 200 "first"; }
    location ~ ^/ab { return 200 "second"; }
--- request
GET /abc
--- response_body: first



=== a regex with ~* ignores case
--- config
    location ~* \.GIF$ { return 200 "gif"; }
    location /x { return 200 "x"; }
--- request eval
["GET /x/a.gif", "GET /x/a.GIF"]
--- response_body eval
["gif", "gif"]



=== case matters for a regex with ~
--- config
    location ~ \.GIF$ { return 200 "gif"; }
    location /x { return 200 "x"; }
--- request eval
["GET /x/a.gif", "GET /x/a.GIF"]
--- response_body eval
["x", "gif"]
--- skip_windows: paths ignore case there, and so do locations



=== locations ignore case where the file system does
--- config
    location /Abc/ { return 200 "prefix"; }
    location = /Exact { return 200 "exact"; }
    location ~ \.gif$ { return 200 "regex"; }
--- request eval
["GET /aBC/x", "GET /eXACT", "GET /x.GIF"]
--- response_body eval
["prefix", "exact", "regex"]
--- skip_linux: case matters there



=== groups of a regex are $1 and more
--- config
    location ~ ^/(\w+)/(\d+)$ { return 200 "$2-$1-$3."; }
--- request
GET /abc/42
--- response_body: 42-abc-.



=== a named group is a variable
--- config
    location ~ ^/(?<name>\w+)/(?<id>\d+)$ { return 200 "$id $name $1"; }
--- request
GET /abc/42
--- response_body: 42 abc abc



=== the modifier may stand without a space
--- config
    location =/a { return 200 "exact"; }
    location ~^/b\d { return 200 "regex"; }
    location ~*^/c\d { return 200 "caseless"; }
    location ^~/d { return 200 "final"; }
--- request eval
["GET /a", "GET /b1", "GET /C1", "GET /d1"]
--- response_body eval
["exact", "regex", "caseless", "final"]



=== inner locations are searched within their outer one
--- config
    location /a/ {
        location /a/b/ { return 200 "inner"; }
        location = /a/c { return 200 "exact"; }
        return 200 "outer";
    }
--- request eval
["GET /a/x", "GET /a/b/x", "GET /a/c"]
--- response_body eval
["outer", "inner", "exact"]



=== a regex inside is asked before those outside
--- config
    location /a/ {
        location ~ \.php$ { return 200 "inside"; }
        return 200 "prefix";
    }
    location ~ \.php$ { return 200 "outside"; }
--- request eval
["GET /a/x.php", "GET /b/x.php"]
--- response_body eval
["inside", "outside"]



=== a regex outside overrules a prefix inside
--- config
    location /a/ {
        location /a/b/ { return 200 "inside"; }
        return 200 "prefix";
    }
    location ~ \.php$ { return 200 "outside"; }
--- request eval
["GET /a/b/x", "GET /a/b/x.php"]
--- response_body eval
["inside", "outside"]



=== ^~ of the outer location keeps inner regexes only
--- config
    location ^~ /a/ {
        location ~ \.txt$ { return 200 "inside"; }
        return 200 "prefix";
    }
    location ~ \. { return 200 "outside"; }
--- request eval
["GET /a/x.txt", "GET /a/x.php"]
--- response_body eval
["inside", "prefix"]



=== locations are matched against the decoded and normalised path
--- config
    location /a/b { return 200 "$uri"; }
--- request eval
["GET /%61/%62", "GET /a/./x/../b", "GET //a///b?/c"]
--- response_body eval
["/a/b", "/a/b", "/a/b"]



=== the query takes no part
--- config
    location ~ x$ { return 200 "regex"; }
    location /a { return 200 "prefix $args"; }
--- request
GET /a?x
--- response_body: prefix x



=== a named location is reached from inside only
--- config
    location /a { error_page 418 = @tea; return 418; }
    location @tea { return 200 "tea"; }
--- request eval
["GET /a", "GET /\@tea"]
--- error_code eval
[200, 404]
--- response_body_like eval
["^tea\$", "404"]



=== an internal location does not exist for clients
--- config
    location /a { rewrite ^ /secret last; }
    location /secret { internal; return 200 "secret"; }
--- request eval
["GET /a", "GET /secret"]
--- error_code eval
[200, 404]
--- response_body_like eval
["^secret\$", "404"]



=== hundreds of locations of one level are all found
--- config eval
join("", map { "location /loc$_/ { return 200 $_; }\n" } 1..300)
--- request eval
["GET /loc1/", "GET /loc27/x", "GET /loc270/", "GET /loc300/y", "GET /loc301/"]
--- error_code eval
[200, 200, 200, 200, 404]
--- response_body_like eval
["^1\$", "^27\$", "^270\$", "^300\$", "404"]



=== a predicate is tried behind prefixes and patterns, in the order of the text
--- config
    location $arg_a { return 200 "a"; }
    location $arg_b { return 200 "b"; }
    location /p { return 200 "prefix"; }
    location = /exact { return 200 "exact"; }
    location ^~ /final/ { return 200 "final"; }
    location ~ \.php$ { return 200 "regex"; }
--- request eval
["GET /p?a=1&b=1", "GET /p?b=1", "GET /p?a=0&b=00", "GET /p?a=", "GET /exact?a=1", "GET /final/?a=1", "GET /x.php?a=1"]
--- response_body eval
["a", "b", "b", "prefix", "exact", "final", "regex"]



=== predicates stand in locations and hold some
--- config
    location /in/ {
        location $arg_a {
            location /in/deep/ { return 200 "deep"; }
            location ~ \.png$ { return 200 "png"; }
            location $arg_b { return 200 "both"; }
            return 200 "a";
        }
        return 200 "in";
    }
    location ~ \.php$ { location $arg_a { return 200 "php a"; } return 200 "php"; }
    location /x { return 200 "out"; }
--- request eval
["GET /in/x", "GET /in/x?a=1", "GET /in/deep/x?a=1", "GET /in/x.png?a=1", "GET /in/x?a=1&b=1", "GET /x?a=1", "GET /x.php?a=1", "GET /in/x.php", "GET /in/x.php?a=1"]
--- response_body eval
["in", "a", "deep", "png", "both", "out", "php a", "php", "a"]



=== an outer predicate takes what inner prefixes have not decided
--- config
    location /in/ { location /in/deep/ { return 200 "deep"; } location = /in/exact { return 200 "exact"; } }
    location $arg_a { return 200 "a"; }
--- request eval
["GET /in/deep/x?a=1", "GET /in/exact?a=1", "GET /in/deep/x"]
--- response_body eval
["a", "exact", "deep"]



=== a predicate is asked again when the uri has changed
--- config
    location $arg_a { rewrite ^ /next? last; }
    location /next { return 200 "next[$arg_a]"; }
--- request
GET /next?a=1
--- response_body: next[]



=== an alias in a predicate's location is the whole path
--- user_files
>>> one.txt
one
--- config
    location $arg_a { alias html/one.txt; }
--- request
GET /any/where?a=1
--- response_body
one



=== a predicate's variable has to be there
--- config
    location $nobody { return 200; }
--- must_die
--- error_log
unknown "nobody" variable



=== a predicate without a name
--- config
    location $ { return 200; }
--- must_die
--- error_log
invalid variable name "$"



=== a predicate inside of an exact location
--- config
    location = /x { location $arg_a { } }
--- must_die
--- error_log
location "$arg_a" cannot be inside the exact location "/x"



=== proxy_pass with a uri in a predicate's location
--- config
    location $arg_a { proxy_pass http://127.0.0.1:1/x; }
--- must_die
--- error_log
"proxy_pass" cannot have URI part in location given by regular expression
