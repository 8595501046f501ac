=== nobody without a password
--- request
GET /style.css
--- error_code: 401
--- response_headers
WWW-Authenticate: Basic realm="The "moon""



=== redirects
--- request eval
["GET /old/a?x=1", "GET /x/one%20two.asp", "GET /never", "GET /older"]
--- error_code eval
[301, 301, 410, 401]
--- response_headers eval
["Location: https://example.com/new/a?x=1", "Location: /y/one%20two.html", "", ""]



=== what asked for less than all of it
--- request
GET /open.txt
--- error_code: 403
