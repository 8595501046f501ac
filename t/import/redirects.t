=== the name with www
--- request
GET /a%20b?x=1
--- more_headers
Host: example.com
--- error_code: 301
--- response_headers
Location: https://www.example.com/a%20b?x=1



=== a map
--- request eval
["GET /old", "GET /two"]
--- error_code eval
[302, 302]
--- response_headers eval
["Location: /new/place", "Location: /second?x=1&y=2"]



=== what is not in the map, and is not lower
--- request
GET /Some/Page?Q=1
--- error_code: 301
--- response_headers
Location: /some/page?Q=1



=== no header is made of a path
--- request
GET /A%0d%0aSet-Cookie:%20b=c
--- error_code: 301
--- response_headers
Location: /a%0D%0Aset-cookie:%20b=c
Set-Cookie:



=== two rules, one after the other
--- request
GET /product/17/moon-stone?z=1
--- response_body
seventeen



=== a robot
--- request
GET /
--- more_headers
User-Agent: x evilbot
--- error_code: 403



=== other redirects; an outbound rule changes the last
--- request eval
["GET /form?x=1", "GET /what/a/b?x=1"]
--- error_code eval
[303, 307]
--- response_headers eval
["Location: /thanks", "Location: /there/what/a?all=a&x=1"]



=== a header by an outbound rule
--- request
GET /style.css
--- more_headers
X-Secure: on
--- response_headers
Strict-Transport-Security: max-age=31536000



=== and without its condition
--- request
GET /style.css
--- response_headers
Strict-Transport-Security:
