=== another server
--- request
GET /api/a%20b/%0dX:%20y?z=1
--- response_body
/v1/a%20b/%0DX:%20y?z=1



=== a path of ours is nobody's
--- request
GET /import-proxy-1/x
--- error_code: 404



=== nobody says by a path which server is asked
--- request
GET /to/127.0.0.1:3000/x
--- error_code: 404
