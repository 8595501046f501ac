=== a robot
--- request
GET /style.css
--- more_headers
User-Agent: Evil Bot
--- error_code: 403



=== https
--- request
GET /a/b?c=1
--- more_headers
Host: example.com
--- error_code: 301
--- response_headers
Location: https://example.com/a/b?c=1



=== a chain
--- request
GET /a/17?x=1
--- response_body
seventeen



=== one that is passed over
--- request eval
["GET /skip.txt", "GET /other"]
--- error_code eval
[404, 410]
