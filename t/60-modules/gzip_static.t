__DATA__


=== a file that was compressed before
--- config
    gzip_static on;
    location /a { types { text/css txt; } }
--- user_files eval
[["a.txt", "hello"], ["a.txt.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00", "202601021530.00"]]
--- request
GET /a.txt
--- more_headers
Accept-Encoding: gzip
--- response_headers
Content-Encoding: gzip
Content-Type: text/css
Content-Length: 29
Last-Modified: Fri, 02 Jan 2026 15:30:00 GMT
ETag: "6957e478-1d"
Accept-Ranges: bytes
!Vary
--- response_body eval
"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00"



=== not for who does not take it, and not what is not there
--- config
    gzip_static on;
--- user_files eval
[["a.txt", "hello"], ["a.txt.gz", "packed"], ["b.txt", "plain"]]
--- request eval
["GET /a.txt", "GET /b.txt", "GET /c.txt"]
--- more_headers eval
["", "Accept-Encoding: gzip", "Accept-Encoding: gzip"]
--- response_headers eval
["!Content-Encoding", "!Content-Encoding", "!Content-Encoding"]
--- error_code eval
[200, 200, 404]



=== Vary tells caches of files that have both
--- config
    gzip_static on; gzip_vary on;
--- user_files eval
[["a.txt", "hello"], ["a.txt.gz", "packed"], ["b.txt", "plain"]]
--- request eval
["GET /a.txt", "GET /a.txt", "GET /b.txt"]
--- more_headers eval
["", "Accept-Encoding: gzip", "Accept-Encoding: gzip"]
--- response_headers eval
["Vary: Accept-Encoding", "Vary: Accept-Encoding", "!Vary"]
--- response_body eval
["hello", "packed", "plain"]



=== always, whoever asks; with gunzip for who does not take it
--- config
    location /a { gzip_static always; }
    location /b { gzip_static always; gunzip on; }
--- user_files eval
[["a.txt.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00"], ["b.txt.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00"]]
--- request eval
["GET /a.txt", "GET /b.txt"]
--- response_headers eval
["Content-Encoding: gzip", "!Content-Encoding"]
--- response_body eval
["\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00", "hello hello hello\n"]



=== its charset is said, but not made so
--- http_config
    charset_map one two { 68 69; }
--- config
    charset two; gzip_static always; types { text/html txt; }
    location /b { source_charset one; }
--- user_files eval
[["a.txt.gz", "hh"], ["b.txt.gz", "hh"]]
--- request eval
["GET /a.txt", "GET /b.txt"]
--- response_headers eval
["Content-Type: text/html; charset=two", "Content-Type: text/html"]
--- response_body eval
["hh", "hh"]



=== a HEAD, a condition
--- config
    gzip_static on;
--- user_files eval
[["a.txt.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00", "202601021530.00"]]
--- request eval
["HEAD /a.txt", "GET /a.txt"]
--- more_headers eval
["Accept-Encoding: gzip", "Accept-Encoding: gzip\r\nIf-None-Match: \"6957e478-1d\""]
--- error_code eval
[200, 304]
--- response_headers eval
["Content-Length: 29", "ETag: \"6957e478-1d\""]



=== a folder of that name is none
--- config
    gzip_static on;
--- user_files eval
[["a.txt", "hello"], ["a.txt.gz/b", "x"]]
--- request
GET /a.txt
--- more_headers
Accept-Encoding: gzip
--- response_body chomp
hello



=== another location's files, by alias
--- config
    location /x/ { alias html/y/; gzip_static on; }
--- user_files eval
[["y/a.txt.gz", "packed"]]
--- request
GET /x/a.txt
--- more_headers
Accept-Encoding: gzip
--- response_headers
Content-Encoding: gzip
--- response_body chomp
packed



=== a name that can be no file is refused as always
--- config
    gzip_static always;
--- request
GET /a%00b
--- error_code: 400



=== a part of it, but of no text that is made from it
--- config
    gzip_static always;
    location /g { gunzip on; }
--- user_files eval
my $z = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x90\x5c\x00\x3b\x7c\x8a\xdf\x12\x00\x00\x00";
[["a.txt.gz", $z], ["g.txt.gz", $z]]
--- request eval
["GET /a.txt", "GET /g.txt"]
--- more_headers
Range: bytes=0-1
--- error_code eval
[206, 200]
--- response_headers eval
["Content-Range: bytes 0-1/29", "!Content-Range"]
--- response_body eval
["\x1f\x8b", "hello hello hello\n"]
