# Texts for clients to keep: set_encrypt_session, set_decrypt_session.

__DATA__


=== the bytes are the known module's
--- config
    location /t {
        encrypted_session_key "abcdefghijklmnopqrstuvwxyz123456";
        encrypted_session_expires 0;
        set_encrypt_session $a abc;
        set_decrypt_session $b $a;
        set_encode_base32 $a;
        echo "$a $b";
    }
    location /iv {
        encrypted_session_key "abcdefghijklmnopqrstuvwxyz123456";
        encrypted_session_iv "12345678";
        encrypted_session_expires 0;
        set_encrypt_session $a abc;
        set_encode_base32 $a;
        echo "$a";
    }
--- request eval
["GET /t", "GET /iv"]
--- response_body eval
["ktrp3n437q42laejppc9d4bg0jpv0ejie106ooo65od9lf5huhs0==== abc\n",
"ktrp3n437q42laejppc9d4bg0hul4pmqhc8tn2laae40aakqfoh0====\n"]



=== what was changed, or is none, is nothing
--- config
    encrypted_session_key "abcdefghijklmnopqrstuvwxyz123456";
    encrypted_session_iv "12345678";
    location /t {
        set_decode_base32 $a $arg_a;
        set_decrypt_session $b $a;
        echo "[$b]";
    }
--- request eval
["GET /t?a=3trp3n437q42laejppc9d4bg0hul4pmqhc8tn2laae40aakqfoh0====",
"GET /t?a=ktrp3n437q42laejppc9d4bg0hul4pmqhc8tn2laae40aakqfo00====",
"GET /t?a=ktrp3n437q42laejppc9d4bg0g", "GET /t", "GET /t?a=zz",
"GET /t?a=ktrp3n437q42laejppc9d4bg0hul4pmqhc8tn2laae40aakqfoh0===="]
--- response_body eval
["[]\n", "[]\n", "[]\n", "[]\n", "[]\n", "[abc]\n"]



=== it expires
--- config
    encrypted_session_key "abcdefghijklmnopqrstuvwxyz123456";
    encrypted_session_expires 1s;
    location /keep {
        content_by_lua_block {
            local sealed = ndk.set_var.set_encrypt_session("mine")
            ngx.say(ndk.set_var.set_decrypt_session(sealed))
            local till = ngx.time() + 1
            while ngx.time() < till do
                ngx.sleep(0.1)
            end
            ngx.say("[", ndk.set_var.set_decrypt_session(sealed), "]")
        }
    }
--- request
GET /keep
--- response_body
mine
[]
--- error_log
encrypted_session: session expired



=== an inner block may have a key of its own
--- config
    encrypted_session_key "abcdefghijklmnopqrstuvwxyz123456";
    location /t {
        set_encrypt_session $a "secret";
        echo_exec /other;
    }
    location /other {
        encrypted_session_key "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456";
        set_decrypt_session $b $a;
        echo "[$b]";
    }
--- response_body
[]



=== without a key
--- config
    location /t {
        set_encrypt_session $a abc;
        echo no;
    }
--- error_code: 500
--- error_log
encrypted_session: a key is required by the encrypted_session_key directive



=== a key of another length
--- config
    encrypted_session_key "abc";
--- must_die
--- error_log
encrypted_session_key: the key must be of 32 bytes long



=== a beginning that is too long
--- config
    encrypted_session_iv "01234567890123456";
--- must_die
--- error_log
encrypted_session_iv: the init vector must NOT be longer than 16 bytes
