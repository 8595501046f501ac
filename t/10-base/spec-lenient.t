use Test::Nginx::Socket 'no_plan';

add_block_preprocessor(sub {
    my ($block) = @_;

    if (defined $block->answer) {
        $block->set_value("config", "return 200 " . $block->answer . ";");
    }
});

run_tests();

__DATA__


=== a file for Test::Nginx may have sections of its own
--- answer: hello
--- response_body: hello
--- response_body2: what its author switched off



=== the status alone is a check there
--- answer: hello



=== a log section may be empty there
--- answer: hello
--- error_log
--- no_error_log



=== a body that is cut off is judged by what came
--- config
    location = /t {
        content_by_lua_block {
            ngx.header.content_length = 9
            ngx.print("hello")
        }
    }
--- response_body: hello



=== what systemtap would see is left unseen
--- stap
F(main) { println("here") }
--- stap_out
here
--- answer: hello
--- response_body: hello
