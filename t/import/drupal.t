=== a page
--- request
GET /node/1
--- response_body
/index.php  /node/1
--- response_headers
X-Content-Type-Options: nosniff



=== what is nobody's
--- request eval
["GET /x.inc", "GET /composer.json", "GET /a.module~", "GET /favicon.ico"]
--- error_code eval
[403, 403, 200, 404]
--- user_files
>>> x.inc
secret
>>> composer.json
secret
>>> index.php
<?php echo $_SERVER["SCRIPT_NAME"];



=== one of two conditions, and what both have captured
--- request
GET /sub/rebuild.php?x=1
--- error_code: 301
--- response_headers
Location: /sub/core/rebuild.php?x=1



=== a file is kept for two weeks
--- request
GET /style.css
--- response_headers
Cache-Control: max-age=1209600
