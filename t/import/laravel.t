=== the front controller
--- request
GET /users/1?a=b
--- response_body
/index.php a=b /users/1?a=b



=== a slash at the end
--- request
GET /users/1/?a=b
--- error_code: 301
--- response_headers
Location: /users/1?a=b



=== no header is made of a path
--- request
GET /users%0dX/
--- error_code: 301
--- response_headers
Location: /users%0DX



=== the folder itself, and a file
--- request eval
["GET /", "GET /style.css"]
--- response_body eval
["/index.php  /\n", "css\n"]
