=== who may come in
--- request
GET /style.css
--- response_body
css



=== what asks for names is closed, whatever asks
--- request eval
["GET /admin/a.txt", "GET /members/a.txt", "GET /inside/a.txt", "GET /files/a.txt"]
--- error_code eval
[403, 403, 403, 403]



=== a redirect of one file
--- request
GET /moved.html
--- error_code: 301
--- response_headers
Location: /style.css
