=== a page of the blog
--- request
GET /blog/2026/hello/?x=1
--- response_body
/blog/index.php x=1 /blog/2026/hello/?x=1



=== what is not the blog's
--- request
GET /elsewhere
--- error_code: 404
