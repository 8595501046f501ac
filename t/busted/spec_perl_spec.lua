-- Perl expressions as specs have them.
--
-- SPDX-License-Identifier: BSD-2-Clause

local perl = require "lunette.spec.perl"
local regex = require "lunette.spec.regex"

local function world()
    return perl.world({ FOO = "bar", PORT = "1984" }, function () end)
end

local function eval(text)
    return perl.eval(text, world())
end

-- Arrays as plain Lua ones, for comparison.
local function plain(value)
    if type(value) ~= "table" or value.kind ~= "array" then
        return value
    end
    local out = {}
    for i = 1, value.n do
        out[i] = plain(value[i])
    end
    return out
end

local function equal(expected, text)
    assert.same(expected, plain(eval(text)))
end

describe("a Perl literal", function ()

    it("in double quotes has escapes", function ()
        equal("a\r\n\t\0\"$@\\", [["a\r\n\t\0\"\$\@\\"]])
        equal("ABC\255", [["\x41\x{42}\103\xff"]])
        equal("\226\130\172", [["\x{20ac}"]])
    end)

    it("in single quotes has none", function ()
        equal("a\\n$x'\\", [['a\n$x\'\\']])
        equal("a\\/b\\)}", [['a\/b\)' . q{\}}]])
    end)

    it("may have any delimiter", function ()
        equal("a{b}", "q{a{b}}")
        equal("a)b", "q<a)b>")
        equal("x bar", "qq!x $ENV{FOO}!")
        equal({ "a", "b" }, "[qw(a b)]")
    end)

    it("interpolates variables and expressions", function ()
        equal("v=7, 7x, 3", [[my $v = 7; "v=$v, ${v}x, @{[ 1 + 2 ]}"]])
        equal("b-2", [[my @a = ("a", "b"); my $h = { k => [1, 2] };
                       "$a[1]-$h->{k}[1]"]])
        equal("bar:1984", [["$ENV{FOO}:$ENV{PORT}"]])
    end)

    it("may be a here-document", function ()
        equal("raw $x\n.", "<<'END' . '.'\nraw $x\nEND\n")
        equal("bar\n", "<<\"END\"\n$ENV{FOO}\nEND\n")
        equal("a\n  b\n", "<<~END\n    a\n      b\n    END\n")
    end)

    it("may be a number", function ()
        equal("255", "0xff")
        equal("1000", "1_000")
        equal("0.5", ".5")
        equal("100000000000", "1e11")
    end)

    it("may be a list or a hash", function ()
        equal({ "a", { "b", "3" } }, "['a', ['b', 1 + 2]]")
        assert.equal("1", eval("{ value => 'x', delay_before => 1 }")
                          .map.delay_before)
    end)

    it("over several lines keeps them", function ()
        equal("POST /t\nabc", "\"POST /t\nabc\"")
    end)
end)

describe("a Perl pattern", function ()

    it("keeps its source and flags", function ()
        local re = eval([[qr/a\/b "x" \d+ $/is]])

        assert.is_true(regex.is(re))
        assert.equal([[a\/b "x" \d+ $]], re.source)
        assert.equal("is", re.flags)
    end)

    it("may have brackets and interpolate", function ()
        assert.equal("bar a{2}[0-9]", eval("qr{$ENV{FOO} a{2}[0-9]}").source)
        assert.equal("^(?:a|b$)", eval("qr/^(?:a|b$)/").source)
        assert.equal("1\\.2", eval([[my $v = "1.2"; qr/\Q$v\E/]]).source)
    end)

    it("matches, captures and replaces", function ()
        equal("lo", [["hello" =~ /l(l)(o)/ ? "$1$2" : "no"]])
        equal("a-b-", [[my $x = "aXbX"; $x =~ s/X/-/g; $x]])
        equal({ "1", "22" }, [[my @n = "a1b22" =~ /(\d+)/g; [@n] ]])
        equal("HELLO", [[my $x = "hello"; $x =~ tr/a-z/A-Z/; $x]])
    end)
end)

describe("Perl code", function ()

    it("joins and repeats", function ()
        equal("GET /" .. ("a"):rep(5) .. "\n", [["GET /" . "a" x 5 . "\n"]])
        equal({ "x", "x" }, "[('x') x 2]")
        equal("1,2,3", "join ',', 1..3")
        equal("k0=v\nk1=v", [[CORE::join("\n", map { "k$_=v" } 0..1)]])
        equal("3", "length 'abc'")
    end)

    it("loops", function ()
        equal("1;2;3;", [[my $s = ''; for my $i (1..3) { $s .= "$i;" } $s]])
        equal("0;1;", [[my ($s, $i) = ('', 0);
                        while (1) { last if $i >= 2; $s .= $i++ . ";"; } $s]])
        equal("aaa", [[my $s; for (my $i = 0; $i < 3; $i++) { $s .= 'a' } $s]])
    end)

    it("decides", function ()
        equal("yes", "my $x = 5; if ($x > 3) { 'yes' } else { 'no' }")
        equal("1", "!defined $ENV{NOT_THERE}")
        equal("b", "my $x = ''; $x || 'b'")
        equal("bar", "$ENV{FOO} //= 'z'; $ENV{FOO}")
    end)

    it("calls subs", function ()
        equal("hello, you", "sub hi { my ($n) = @_; return \"hello, $n\" } "
                            .. "hi('you')")
        assert.equal("got x", perl.call(
            eval([[sub { my $q = shift; return "got $q" }]]), "x"))
        assert.equal("ABC", perl.call(eval([[\&CORE::uc]]), "abc"))
    end)

    it("has the usual functions", function ()
        equal("007|1.50|ff", "sprintf('%03d|%.2f|%x', 7, 1.5, 255)")
        equal("\0\1\0\0\0\2\3", "pack('nNC', 1, 2, 3)")
        equal("bcd", "substr('abcdef', 1, 3)")
        equal("a%20b", "use URI::Escape; uri_escape('a b')")
        equal({ "a", "b" }, "[split /,/, 'a,b']")
        equal("cba", "scalar reverse 'abc'")
    end)

    it("that is unknown is an error that names it", function ()
        assert.has_error(function () eval("Foo::bar(1)") end,
                         "Perl: unknown Perl function or word Foo::bar")
        assert.has_error(function () eval([["$nowhere"]]) end,
                         "Perl: unknown Perl variable $nowhere")
        assert.has_error(function () eval("`ls`") end,
                         "Perl: cannot run a command near \"ls`\"")
        assert.has_error(function () eval("my $x = ;") end)
    end)

    it("that never ends is stopped", function ()
        assert.has_error(function () eval("while (1) { 1 }") end,
                         "Perl: a loop that does not end")
    end)
end)

describe("a preamble", function ()

    it("runs what it can and tells of the rest", function ()
        local w = world()
        local notes = perl.preamble([[
use Test::Nginx::Socket;
my $pwd = "/x";
unknown_thing(1);
our $HttpConfig = <<"_EOC_";
    path "$pwd/?.lua";
_EOC_
1;
]], w)

        assert.equal("    path \"/x/?.lua\";\n",
                     perl.eval("$::HttpConfig", w))
        assert.equal(1, #notes)
        assert.truthy(notes[1]:find("unknown_thing", 1, true))
    end)
end)
