__DATA__


=== a hash of what is asked for, and of a secret
--- config
    location = /t {
        secure_link $arg_md5,$arg_expires;
        secure_link_md5 "$secure_link_expires$uri secret";
        return 200 "[$secure_link][$secure_link_expires]";
    }
--- request eval
["GET /t?md5=k9ajKY4OCtfugbqGD6yP_A&expires=4102444800", "GET /t?md5=AZxRsG9Ol2GPb8T5ihV95g&expires=1", "GET /t?md5=cwODVW3WE-sMQOcS_5ovtA", "GET /t?md5=k9ajKY4OCtfugbqGD6yP_A&expires=4102444801", "GET /t?md5=k9ajKY4OCtfugbqGD6yP_A&expires=x", "GET /t", "GET /t?md5=cwODVW3WE-sMQOcS_5ovtAAAAAAAAA", "GET /t?md5=%25%25"]
--- response_body eval
["[1][4102444800]", "[0][1]", "[][]", "[][4102444801]", "[][]", "[][]", "[][]", "[][]"]



=== without a time it does not expire
--- config
    location = /t {
        secure_link $arg_md5;
        secure_link_md5 "$uri secret";
        return 200 "[$secure_link][$secure_link_expires]";
    }
--- request eval
["GET /t?md5=cwODVW3WE-sMQOcS_5ovtA", "GET /t?md5=cwODVW3WE-sMQOcS_5ovtA==", "GET /t?md5=AZxRsG9Ol2GPb8T5ihV95g"]
--- response_body eval
["[1][]", "[1][]", "[][]"]



=== a hash in the path
--- config
    location /p/ { secure_link_secret word; return 200 "[$secure_link]"; }
--- request eval
["GET /p/73e4a9897e80d4699cfe9089f1c3280b/a/b.html", "GET /p/73E4A9897E80D4699CFE9089F1C3280B/a/b.html", "GET /p/73e4a9897e80d4699cfe9089f1c3280b/a/c.html", "GET /p/73e4a9897e80d4699cfe9089f1c3280b", "GET /p/abc/a/b.html"]
--- response_body eval
["[a/b.html]", "[a/b.html]", "[]", "[]", "[]"]



=== nothing said: nothing is valid
--- config
    location = /t { return 200 "[$secure_link]"; }
    location = /u { secure_link $arg_md5; return 200 "[$secure_link]"; }
--- request eval
["GET /t", "GET /u?md5=a"]
--- response_body eval
["[]", "[]"]



=== both forms at once
--- config
    location = /t { secure_link $arg_a; secure_link_secret word; }
--- must_die
--- error_log
"secure_link_secret" cannot be mixed with "secure_link" and "secure_link_md5" in



=== a location may have the other form
--- config
    secure_link $arg_h;
    secure_link_md5 "a$uri";
    location /p/ { secure_link_secret word; return 200 "[$secure_link]"; }
--- request
GET /p/8b1a9953c4611296a827abf8c47804d7/x
--- response_body chomp
[]



=== and the other way round
--- config
    location /in/ {
        secure_link_secret word;
        location = /in/t {
            secure_link $arg_h;
            secure_link_md5 word;
            return 200 "[$secure_link]";
        }
    }
--- request
GET /in/t?h=xH0YcGfGz5UyRfEotf3mKg
--- response_body chomp
[1]



=== the word of old links may be said further out
--- config
    secure_link_secret word;
    location /p/ { return 200 "[$secure_link]"; }
    location /q/ { secure_link_secret other; return 200 "[$secure_link]"; }
--- request eval
["GET /p/29245bdc2d04a9e0e729927ed0f84e26/link", "GET /q/29245bdc2d04a9e0e729927ed0f84e26/link"]
--- response_body eval
["[link]", "[]"]
