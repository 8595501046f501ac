log_level('warn');

our $HttpConfig = <<'_EOC_';
    map $arg_a $mapped {
        default other;
        x       "the x";
    }
_EOC_

our @Words = qw(one two three);

sub location {
    my ($path, $text) = @_;
    return "location = $path { return 200 '$text'; }\n";
}

add_block_preprocessor(sub {
    my ($block) = @_;

    if (!defined $block->error_log && !defined $block->no_error_log) {
        $block->set_value("no_error_log", "[error]\n[crit]");
    }
    $block->set_value("http_config", $::HttpConfig);
});

run_tests();

__DATA__


=== a preamble's texts, functions and lists are at hand
--- config eval
my $config = "";
for my $word (@::Words) {
    $config .= ::location("/$word", uc $word);
}
$config;
--- request eval
[map { "GET /$_" } @::Words]
--- response_body eval
[map { uc } @::Words]



=== a preprocessor fills in what blocks leave out
--- config
    location = /t { return 200 $mapped; }
--- request
GET /t?a=x
--- response_body chomp
the x



=== texts are repeated, joined and escaped
--- config
    location = /t { return 200 "$http_x_long|$arg_b"; }
--- request eval
"GET /t?b=" . join ",", map { $_ * 2 } 1 .. 4
--- more_headers eval
"X-Long: " . ("ab" x 500)
--- response_body eval
("ab" x 500) . "|2,4,6,8"



=== a list may have a hash with a pause
--- config
    location = /t { return 200 "$content_length"; }
--- request eval
[["POST /t\nab", { value => "cd", delay_before => 0.01 }, "e"]]
--- response_body: 5



=== a loop over an array changes its elements
--- config
    location = /t { return 200 "$arg_a"; }
--- request eval
my @k = ("x1", "y2");
for my $k (@k) {
    if ($k =~ /\d/) {
        $k .= "-$&";
    }
}
"GET /t?a=" . join("+", @k)
--- response_body: x1-1+y2-2
