__DATA__


=== by versions
--- config
    modern_browser msie 5.5;
    modern_browser gecko 1.0;
    modern_browser opera 9.0;
    modern_browser safari 413;
    modern_browser konqueror 3.0;
    location = /t { return 200 "[$modern_browser][$ancient_browser]"; }
--- more_headers eval
["User-Agent: Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)",
 "User-Agent: Mozilla/4.0 (compatible; MSIE 5.01; Windows NT 5.0)",
 "User-Agent: Mozilla/5.0 (X11; U; Linux i686; rv:1.8.1) Gecko/20061010",
 "User-Agent: Mozilla/5.0 (X11; U; Linux i686; rv:0.9.4) Gecko/20011019",
 "User-Agent: Mozilla/5.0 (Macintosh) AppleWebKit/525 (KHTML, like Gecko) Safari/412.7",
 "User-Agent: Mozilla/5.0 (Macintosh) AppleWebKit/412 (KHTML, like Gecko) Safari/420",
 "User-Agent: Opera/9.10", "User-Agent: Mozilla/4.0 (compatible) Opera 8.5",
 "User-Agent: Something else"]
--- request eval
[map { "GET /t" } 1 .. 9]
--- response_body eval
["[1][]", "[][1]", "[1][]", "[][1]", "[][1]", "[1][]", "[1][]", "[][1]", "[][1]"]



=== what is not listed may be modern
--- config
    modern_browser unlisted;
    ancient_browser Links Lynx netscape4;
    modern_browser_value new;
    ancient_browser_value old;
    location = /t { return 200 "[$modern_browser][$ancient_browser]"; }
--- more_headers eval
["User-Agent: Links (0.96; Linux 2.4)", "User-Agent: Lynx/2.8", "",
 "User-Agent: Mozilla/4.0 (X11; I; Linux)", "User-Agent: curl"]
--- request eval
[map { "GET /t" } 1 .. 5]
--- response_body eval
["[][old]", "[][old]", "[new][]", "[][old]", "[new][]"]



=== Opera says that it is others: where it is not listed it is ancient
--- config
    modern_browser unlisted;
    location = /t { return 200 "[$modern_browser][$ancient_browser]"; }
    location = /m { modern_browser unlisted; modern_browser msie 5.5; return 200 "[$modern_browser][$ancient_browser]"; }
--- request eval
["GET /t", "GET /m", "GET /m", "GET /m"]
--- more_headers eval
["User-Agent: Opera/9.10", "User-Agent: Opera/9.10",
 "User-Agent: Mozilla/4.0 (compatible; MSIE 6.0) Opera 9.0",
 "User-Agent: Mozilla/4.0 (compatible; MSIE 6.0)"]
--- response_body eval
["[1][]", "[][1]", "[][1]", "[1][]"]



=== $msie
--- config
    location = /t { return 200 "[$msie]"; }
--- more_headers eval
["User-Agent: Mozilla/4.0 (compatible; MSIE 6.0)",
 "User-Agent: Mozilla/4.0 (compatible; MSIE 6.0) Opera 9", "User-Agent: x"]
--- request eval
["GET /t", "GET /t", "GET /t"]
--- response_body eval
["[1]", "[]", "[]"]



=== a browser that nobody knows
--- config
    modern_browser netscape 4;
--- must_die
--- error_log: unknown browser name "netscape"



=== a version that is none
--- config
    modern_browser msie 5.x;
--- must_die
--- error_log: invalid browser version "5.x"
