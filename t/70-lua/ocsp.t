no_root_location();

add_block_preprocessor(sub {
    my $block = shift;

    $block->set_value("http_config", <<'_EOC_');
lua_package_path "$TEST_NGINX_CERT_DIR/?.lua;;";
    ssl_certificate $TEST_NGINX_CERT_DIR/server.crt;
    ssl_certificate_key $TEST_NGINX_CERT_DIR/server.key;
    init_by_lua_block {
        function text_of(name)
            local f = assert(io.open("$TEST_NGINX_CERT_DIR/" .. name, "rb"))
            local text = f:read("*a")
            f:close()
            return text
        end
        function chain_of(name)
            return assert(require("ngx.ssl").cert_pem_to_der(text_of(name)))
        end
    }
_EOC_
});

__DATA__


=== whom to ask
--- config
    location = /t {
        content_by_lua_block {
            local ocsp = require "ngx.ocsp"
            local get = ocsp.get_ocsp_responder_from_der_chain
            local chain = chain_of("stapled.crt")
            ngx.say(get(chain))
            ngx.say(get(chain, 4))
            ngx.say(get(chain_of("server.crt")))
            ngx.say(get(chain .. "x"))
            ngx.say(get("x"))
            ngx.say(get(chain:sub(1, 4 + chain:byte(3) * 256 + chain:byte(4))))
            ngx.say(get(chain:sub(1, 4 + chain:byte(3) * 256 + chain:byte(4))
                        .. chain_of("ca.crt")))
        }
    }
--- response_body
http://ocsp.test/ask
httptruncated
nil
http://ocsp.test/ask
nild2i_X509_bio() failed
nilno issuer certificate in chain
nilissuer certificate not next to leaf



=== what to ask
--- config
    location = /t {
        content_by_lua_block {
            local ocsp = require "ngx.ocsp"
            local chain = chain_of("stapled.crt")
            local question = ocsp.create_ocsp_request(chain)
            ngx.say(#question, " ", question:byte(1) == 0x30)
            ngx.say(ocsp.create_ocsp_request(chain, 10))
            ngx.say(ocsp.create_ocsp_request(chain_of("server.crt")))
        }
    }
--- response_body
69 true
niloutput buffer too small: 69 > 10
nilno issuer certificate in chain



=== whether an answer is good
--- config
    location = /t {
        content_by_lua_block {
            local ocsp = require "ngx.ocsp"
            local chain = chain_of("stapled.crt")
            local good = text_of("stapled.ocsp")
            ngx.say(ocsp.validate_ocsp_response(good, chain))
            ngx.say(ocsp.validate_ocsp_response(text_of("revoked.ocsp"), chain))
            ngx.say(ocsp.validate_ocsp_response(text_of("revoked.ocsp"), chain, 11))
            ngx.say(ocsp.validate_ocsp_response(good, chain:sub(1, -2)))
            ngx.say(ocsp.validate_ocsp_response(good:sub(1, -2) .. "x", chain))
            ngx.say(ocsp.validate_ocsp_response(text_of("delegated.ocsp"), chain))
            ngx.say(ocsp.validate_ocsp_response(text_of("impostor.ocsp"), chain))
            ngx.say(ocsp.validate_ocsp_response("\48\3\10\1\3", chain))
            ngx.say(ocsp.validate_ocsp_response("x", chain))
            ngx.say(ocsp.validate_ocsp_response("x", chain, 0))

            -- As lua-resty-core calls it.
            local ffi = require "ffi"
            local room, size = ffi.new("unsigned char[9]"), ffi.new("size_t[1]", 9)
            local next_at = ffi.new("long[1]")
            ngx.say(ffi.C.ngx_http_lua_ffi_ssl_validate_ocsp_response(good, #good,
                        chain, #chain, room, size, next_at),
                    " ", next_at[0] == 4905732444 or ffi.os == "Windows")
        }
    }
--- response_body
true4905732444
nilcertificate status "revoked" in the OCSP response
nilcertificate
nild2i_X509_bio() failed
nilOCSP_basic_verify() failed
true4905733024
nilOCSP_basic_verify() failed
nilOCSP response not successful (3: trylater)
nild2i_OCSP_RESPONSE() failed
nil
0 true



=== a client that asks gets the answer
--- config
    listen $TEST_NGINX_RAND_PORT_1 ssl;
    ssl_certificate_by_lua_block {
        local ssl, ocsp = require "ngx.ssl", require "ngx.ocsp"
        assert(ssl.clear_certs())
        assert(ssl.set_der_cert(chain_of("stapled.crt")))
        assert(ssl.set_priv_key(ssl.parse_pem_priv_key(text_of("stapled.key"))))
        local ok, why = ocsp.set_ocsp_status_resp(text_of("stapled.ocsp"))
        ngx.log(ngx.WARN, "stapled: ", ok, " ", why, ";")
    }
    location = /t {
        content_by_lua_block {
            for _, wants in ipairs({ false, true }) do
                local sock = ngx.socket.tcp()
                sock:connect("127.0.0.1", $TEST_NGINX_RAND_PORT_1)
                ngx.say((sock:sslhandshake(false, "stapled.test", false, wants)))
                sock:close()
            end
            ngx.say(require("ngx.ocsp").set_ocsp_status_resp("x"))
        }
    }
--- response_body
true
true
nilbad request
--- grep_error_log eval: qr/stapled: .*?;/
--- grep_error_log_out
stapled: true no status req;
stapled: true nil;
