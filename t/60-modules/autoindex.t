__DATA__


=== folders first, names in order, hidden ones not at all
--- config
    location /l/ { autoindex on; }
--- user_files
>>> l/b.txt 202601021530.00
12345
>>> l/a.txt 202601021530.00
>>> l/z/x
>>> l/.hidden
--- request
GET /l/
--- response_headers
Content-Type: text/html
--- response_body_like: (?s)Index of /l/.*<a href="../">../</a>\n<a href="z/">z/</a>.*<a href="a.txt">a.txt</a> +02-Jan-2026 15:30 +0\n<a href="b.txt">b.txt</a> +02-Jan-2026 15:30 +6\n
--- response_body_unlike: hidden



=== off is the default
--- config
--- user_files
>>> l/a
--- request
GET /l/
--- error_code: 403



=== an index file comes first
--- config
    location /l/ { autoindex on; }
--- user_files
>>> l/index.html
index
--- request
GET /l/
--- response_body
index



=== names are escaped for links and for pages
--- config
    location /l/ { autoindex on; }
--- user_files eval
[["l/a b&c.txt", ""]]
--- request
GET /l/
--- response_body_like: <a href="a%20b%26c.txt">a b&amp;c.txt</a>



=== sizes in round numbers
--- config
    location /l/ { autoindex on; autoindex_exact_size off; }
--- user_files eval
[["l/a", "x" x 20480], ["l/b", "x" x 100]]
--- request
GET /l/
--- response_body_like: (?s)>a</a>.* 20K\n.*>b</a>.* 100\n



=== a folder that is not there
--- config
    location /l/ { autoindex on; }
--- request
GET /l/
--- error_code: 404
