=== a route of the application
--- request
GET /orders/17
--- response_body
spa
--- response_headers
Cache-Control: max-age=604800
X-Frame-Options: SAMEORIGIN
Content-Security-Policy: default-src 'self'; img-src * data:



=== what it asks for itself is not there
--- request
GET /api/17
--- error_code: 404
--- response_body
none



=== types of its own
--- request
GET /a.moon
--- response_headers
Content-Type: application/x-moon
--- response_body
moon



=== too long a query, another method, what is refused by its name
--- request eval
["GET /?" . ("a" x 101), "POST /\n1", "GET /x%24MOONy", "GET /?" . ("a" x 100)]
--- error_code eval
[404, 404, 404, 200]
