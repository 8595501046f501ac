=== a page that is no file
--- request
GET /2026/11/hello-world/?p=2
--- response_body
/index.php p=2 /2026/11/hello-world/?p=2



=== a file
--- request
GET /style.css
--- response_body
css



=== what IIS hides
--- request eval
["GET /web.config", "GET /App_Data/x.txt", "GET /.git/config", "GET /bin/a.dll", "GET /x/global.asax"]
--- error_code eval
[404, 404, 404, 404, 404]



=== a program is run, never shown
--- request
GET /index.php/a/b
--- response_body
/index.php  /index.php/a/b
