# Lunette.  `make help` lists what can be made; README.md explains it.
#
# Objects are found by wildcard: a new .c in one of the folders below needs
# no line here.  The first half of this file is what people call; it calls
# itself with SYS set for the second half, which builds for one system:
#
#   SYS=linux       gcc           build/linux
#   SYS=windows     mingw-w64     build/windows
#   SYS=linux-asan  clang with the address and undefined behaviour sanitizers
#   SYS=linux-fuzz  the same with libFuzzer
#   SYS=linux-reach clang; says what a test reaches (t/mutate)
#
# V=1 shows every command.  T=path narrows the tests.  PRODUCT and
# PRODUCT_VERSION change the name that the server gives itself; such a build
# lives in build/$(PRODUCT)-$(SYS).
#
# A warning breaks nobody's build: a compiler that we have not met has others.
# What the tests compile has none (WERROR=-Werror), which .ci/run asks of all.

PRODUCT         ?= lunette
PRODUCT_VERSION ?= 0.1.0
WERROR          ?=
SECONDS         ?= 60

# The cross compiler; empty under MSYS2, where gcc is the one.
CROSS           ?= x86_64-w64-mingw32-

# Of the clangs of Debian 12 and 13, the one that is here.
CLANG           ?= $(notdir $(firstword \
    $(wildcard /usr/bin/clang-14 /usr/bin/clang-19)))

# Wine: no chatter, and no dialogs about components nobody asked for.
export WINEDEBUG        ?= -all
export WINEARCH         ?= win64
export WINEDLLOVERRIDES ?= mscoree,mshtml=

# Where Linux puts a program's heap at random, it lies once in 4,000 starts
# where Windows has its shared page, and Wine gives up without a word.
ifndef WINE
export WINE := $(shell setarch -R true 2> /dev/null && echo setarch -R) wine
endif

MAKEFLAGS += --no-print-directory
export V CROSS WERROR
Q    := $(if $(filter 1,$(V)),,@)
SELF  = $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
OUT  := $(if $(filter lunette,$(PRODUCT)),build/,build/$(PRODUCT)-)

# Where `make install` puts things, by GNU's names; a program for there is
# built apart, in build/installed, since it knows its places.
prefix        ?= /usr/local
exec_prefix   ?= $(prefix)
sbindir       ?= $(exec_prefix)/sbin
bindir        ?= $(exec_prefix)/bin
libdir        ?= $(exec_prefix)/lib
datadir       ?= $(prefix)/share
mandir        ?= $(datadir)/man
sysconfdir    ?= /etc
localstatedir ?= /var
runstatedir   ?= /run
user          ?= nobody
DESTDIR       ?=

ifndef SYS

# ---------------------------------------------------------------------------
# What people call

LINUX   := $(OUT)linux/lunette
WINDOWS := $(OUT)windows/lunette.exe
ASAN    := $(OUT)linux-asan/lunette
DIST    := build/lunette-$(PRODUCT_VERSION)-windows-x64.zip
SITE    := conf/html/manual/index.html
# Pages beside the code, about directives (conf/manual/pages.lua).
ABOUT   := $(sort $(shell find core modules -name '*.md' ! -name README.md))
TABLES  := manual:manual/directives.md variables:manual/variables.md \
    api:manual/api.md topics:manual/topics.md commands:manual/commands.md \
    completion=bash:install/completion.bash \
    completion=zsh:install/completion.zsh \
    completion=powershell:install/completion.ps1
STARTS  := static proxy=http://127.0.0.1:3000 lua php
PAGES   := $(wildcard conf/manual/*.md conf/manual/html/* conf/manual/cookbook/*)
DEB     := build/lunette_$(PRODUCT_VERSION)_$(shell dpkg \
    --print-architecture 2> /dev/null).deb
DEPS    := windows/deps/deps
TAP     := t/tap
COUNTS  := build/tap

# T= names one file (or a folder of specs): the other kinds then have none.
ALL_TOOLS := $(addprefix t/80-windows/,logs prefix service package msi orphans acme acme_kills \
    sync store)
ALL_DEBS  := $(addprefix t/90-packages/,manual negotiate search cookbook \
    reproducible deb \
    examples privilege sbom litmus attacks status_page acme acme_kills \
    import sync promtool store)
SHOWN   := t/exports/check
FOUND   := $(sort $(wildcard t/unit/*.c t/busted/*_spec.lua))
SPECS   := $(if $(T),$(filter-out %.c %.lua $(ALL_TOOLS) $(ALL_DEBS) $(SHOWN),$(T)), \
    $(if $(wildcard t/*.t t/*/*.t),t/))
UNITS   := $(patsubst t/unit/%.c,%,$(filter t/unit/%.c,$(or $(T),$(FOUND))))
TOOLS   := $(wildcard $(if $(T),$(filter $(ALL_TOOLS),$(T)),$(ALL_TOOLS)))
DEBS    := $(wildcard $(if $(T),$(filter $(ALL_DEBS),$(T)),$(ALL_DEBS)))
BUSTED  := $(filter %_spec.lua,$(or $(T),$(FOUND)))
FUZZ    := $(patsubst t/fuzz/%.c,%,$(filter t/fuzz/%.c,$(or $(T), \
    $(wildcard t/fuzz/*.c))))

# Some rooms exist on one side only.
POSIX_ONLY   := $(patsubst t/unit/%.c,%,$(shell \
    grep -ls '^.include "../../core/os/posix/' t/unit/*.c))
WINDOWS_ONLY := $(patsubst t/unit/%.c,%,$(shell \
    grep -ls '^.include "../../windows/' t/unit/*.c))
UNITS_HERE   := $(filter-out $(WINDOWS_ONLY),$(UNITS))
UNITS_THERE  := $(filter-out $(POSIX_ONLY),$(UNITS))

STEPS := all windows unit unit-windows spec spec-windows windows-tools \
    windows-again linux-tools exports busted

.PHONY: $(STEPS) help deps run test style asan leak reload mutate soak bench \
    bench-windows fuzz fuzz-again fuzz-run clean wine dist dist-check unit-asan spec-asan \
    spec-reload install deb manual debian12 debian13 wine10

all:
	+@$(SELF) SYS=linux bin

windows:
	+@$(SELF) SYS=windows bin

help:
	@echo 'make            $(LINUX)'
	@echo 'make windows    $(WINDOWS)'
	@echo 'make deps       the packages and libraries for everything here'
	@echo 'make run        the default site on localhost:8080'
	@echo 'make test       everything on both systems; T=path for a part; or'
	@echo '                unit unit-windows spec spec-windows windows-tools'
	@echo '                linux-tools exports busted'
	@echo 'make style      the rules of the house'
	@echo 'make asan leak reload       the tests in other lives'
	@echo 'make wine10     specs, unit tests and tools on a newer Wine than ours'
	@echo 'make debian12 debian13      the tests in a bare Debian of that release'
	@echo 'make mutate     N=30 random mutants: does a test notice?'
	@echo 'make soak       minutes of killed workers, reloads and many'
	@echo '                connections, on both systems'
	@echo 'make fuzz, make fuzz-run    SECONDS=60 for each target'
	@echo "make dist       $(DIST), and .msi"
	@echo "make install    into prefix=$(prefix), below DESTDIR"
	@echo "make deb        $(DEB)"
	@echo 'make dist-check     both, compiled in two folders: the same bytes?'
	@echo 'make manual     what tables write: conf/manual, completion, examples'
	@echo 'make bench, make bench-windows, make clean'

# Silent and instant when nothing is missing.
deps:
	@$(DEPS) packages
	@$(DEPS) libs linux > /dev/null
	@$(DEPS) libs windows > /dev/null

# A scratch prefix keeps logs and temporary files out of the source tree;
# conf and lua are the source tree's, so an edit and a reload is all it takes.
# The page needs the program alone: the manual is rendered while it is served.
run:
	+@$(SELF) SYS=linux server
	@mkdir -p build/run/logs
	@ln -sfn ../../conf build/run/conf
	@ln -sfn ../../lua build/run/lua
	@echo 'http://localhost:8080/ (Ctrl-C stops it)'
	@($(SELF) $(SITE) > /dev/null &); \
	    exec $(LINUX) -p build/run/ -c conf/nginx.conf -g 'daemon off;'

# Seconds, for what hangs: a slow machine fails nobody.
export TEST_NGINX_TIMEOUT ?= 30

# Each step runs whatever became of those before it.
test asan leak reload: export WERROR := $(or $(WERROR),-Werror)
test asan leak reload: export TAP_SECOND := $(if $(T),0,1)
test asan leak reload:
	@$(TAP) start $(COUNTS)
	+@for step in $(STEPS); do \
	    $(SELF) $$step || $(TAP) broken $(COUNTS) $$step; \
	done
	@$(TAP) sum $(COUNTS)

# $(call tap,NAME,COMMAND,ITEMS): nothing to do if there are no items.
tap = $(if $(strip $(3)),@$(TAP) run $(COUNTS) $(1) "$(2)" $(3),@:)

unit:
	+@$(SELF) SYS=linux units UNITS="$(UNITS_HERE)"
	$(call tap,$@,,$(UNITS_HERE:%=build/linux/unit/%))

unit-windows: wine
	+@$(SELF) SYS=windows units UNITS="$(UNITS_THERE)"
	$(call tap,$@,$(WINE),$(UNITS_THERE:%=build/windows/unit/%.exe))

spec: all
	@$(DEPS) packages test
	$(call tap,$@,$(LINUX) spec,$(SPECS))

spec-windows: all windows wine
	@$(DEPS) packages test
	$(call tap,$@,$(LINUX) spec --server '$(WINE) $(WINDOWS)',$(SPECS))

# Programs that print TAP: what only a whole machine can show.
windows-tools: all windows wine dist
	@$(DEPS) packages test
	$(call tap,$@,,$(TOOLS))

linux-tools: all
	@$(DEPS) packages test manual
	+$(if $(DEBS),@$(MAKE) deb > /dev/null)
	$(call tap,$@,,$(DEBS))

# What either program shows to scripts and C modules.
exports: all windows wine
	@$(DEPS) packages test
	$(call tap,$@,$(SHOWN),$(if $(filter-out $(SHOWN),$(T)),,$(LINUX) $(WINDOWS)))

busted: all
	@$(DEPS) packages test
	$(call tap,$@,$(BUSTED_PATHS) $(LINUX) run /usr/bin/busted -o TAP,$(BUSTED))

# Where Debian keeps busted and what it needs, behind our own Lua side.  The
# spec runner's library is found from other folders, too (t/mutate/cell).
BUSTED_PATHS = LUA_PATH='$(CURDIR)/build/linux/spec/?.lua;lua/?.lua;$\
    /usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua;;' \
    LUA_CPATH='/usr/lib/$(shell gcc -print-multiarch)/lua/5.1/?.so;;'

wine:
	@$(DEPS) packages wine
	@[ -d "$${WINEPREFIX:-$$HOME/.wine}/drive_c/windows" ] || \
	    { echo 'WINE prefix'; wineboot --init > /dev/null 2>&1; }

# What takes minutes: T=t/soak/NAME.lua for one.  What the clients had to say
# is in build/tap/soak.log.
SOAK := $(filter-out %/help.lua,$(filter t/soak/%,$(or $(T), \
    $(wildcard t/soak/*.lua))))
soak: all windows wine
	@$(TAP) start $(COUNTS)
	-$(call tap,soak,ulimit -n $$(ulimit -Hn); 2>> $(COUNTS)/soak.log $(LINUX) run,$(SOAK))
	-$(call tap,soak-windows,ulimit -n $$(ulimit -Hn); SERVER='$(WINE) $(WINDOWS)' \
	    2>> $(COUNTS)/soak.log $(LINUX) run,$(SOAK))
	@$(TAP) sum $(COUNTS)

# The same in another Debian, which t/root makes and keeps in the cache; in it
# the checkout has a build folder of its own.  THERE says what is made.
THERE ?= test STEPS='all unit spec busted'
debian12: RELEASE := bookworm
debian13: RELEASE := trixie
debian12 debian13:
	@t/root -b $(RELEASE) $@ sh -c 'command -v make > /dev/null || { \
	    apt-get update; apt-get install -y make; } > /dev/null'
	@t/root -b $(RELEASE) $@ make $(THERE)

# The same tests on another Windows: Wine 10, in a root of Debian 13 (t/wine10).
# Of it `make test` has what differed: above all when a send is taken.
AGAIN := t/80-windows/ t/50-http/post-action.t t/50-http/worker-connections.t \
    t/60-modules/proxy-upgrade.t t/65-stream/lua-content.t \
    t/65-stream/proxy-ssl.t t/70-lua/flush.t t/70-lua/req-socket-busy.t
AGAIN_UNITS := stream port datagram win_transmit

# $(call again,NAME,SPECS,UNITS,TOOLS)
define again
	+@$(if $(strip $(3)),$(SELF) SYS=windows units UNITS="$(3)",:)
	@t/wine10 || [ $$? = 77 ]
	@t/wine10 true 2> /dev/null || exit 0; t/wine10 sh -c 'bad=0; \
	    [ -z "$(strip $(3))" ] || $(TAP) run $(COUNTS) $(1)-unit wine \
	        $(3:%=build/windows/unit/%.exe) || bad=1; \
	    [ -z "$(strip $(2))" ] || $(TAP) run $(COUNTS) $(1)-spec \
	        "$(LINUX) spec --server \"wine $(WINDOWS)\"" $(2) || bad=1; \
	    [ -z "$(strip $(4))" ] || $(TAP) run $(COUNTS) $(1)-tools "" $(4) || bad=1; \
	    exit $$bad'
endef

wine10: all windows dist
	@$(TAP) start $(COUNTS)
	$(call again,wine10,$(SPECS),$(UNITS_THERE),$(TOOLS))
	@$(TAP) sum $(COUNTS)

windows-again: all windows
	$(call again,$@,$(filter $(or $(T),%),$(AGAIN)),$(filter $(UNITS),$(AGAIN_UNITS)),)

# The same tests in other lives.

asan: export ASAN_OPTIONS = detect_leaks=0:allocator_may_return_null=1
leak: export ASAN_OPTIONS = detect_leaks=1:allocator_may_return_null=1
leak: export LSAN_OPTIONS = suppressions=$(CURDIR)/t/leak.supp:print_suppressions=0
asan leak: export UBSAN_OPTIONS = print_stacktrace=1:halt_on_error=1
asan leak: STEPS := all unit-asan spec-asan
asan: STEPS += fuzz-again
reload: STEPS := all spec-reload

unit-asan:
	@$(DEPS) packages check
	+@$(SELF) SYS=linux-asan units UNITS="$(UNITS_HERE)"
	$(call tap,$@,,$(UNITS_HERE:%=build/linux-asan/unit/%))

spec-asan: all
	@$(DEPS) packages check
	+@$(SELF) SYS=linux-asan bin
	$(call tap,$@,$(LINUX) spec --server $(ASAN),$(SPECS))

spec-reload: all
	@$(DEPS) packages test
	$(call tap,$@,$(LINUX) spec --reload,$(SPECS))

# Whether targets still build, and their seeds still find nothing.
fuzz-again: fuzz
	$(call tap,$@,t/fuzz/again,$(FUZZ:%=build/linux-fuzz/fuzz/%))

fuzz:
	@$(DEPS) packages check
	+@$(SELF) SYS=linux-fuzz fuzzers FUZZ="$(FUZZ)"

# t/fuzz/NAME/ holds seeds; what was found interesting is kept in build/.
fuzz-run: fuzz
	@for name in $(FUZZ); do \
	    mkdir -p build/corpus/$$name; seeds=; \
	    [ ! -d t/fuzz/$$name ] || seeds=t/fuzz/$$name; \
	    echo "FUZZ $$name"; \
	    build/linux-fuzz/fuzz/$$name -max_total_time=$(SECONDS) \
	        -print_final_stats=1 -verbosity=0 \
	        -artifact_prefix=build/corpus/$$name- \
	        build/corpus/$$name $$seeds || exit 1; \
	done

# Random changes of one token each: is there a test that notices?  t/README.md
# says what N, SEED, FILES, AT, JOBS, MAP and ALL are.
mutate: all
	@$(DEPS) packages test check
	@mkdir -p build/mutate
	@TEST_NGINX_TIMEOUT=5 BUSTED="$(BUSTED_PATHS)" \
	    N='$(N)' SEED='$(SEED)' FILES='$(FILES)' AT='$(AT)' \
	    JOBS='$(JOBS)' MAP='$(MAP)' ALL='$(ALL)' \
	    flock -n -E 3 build/mutate/lock \
	    $(LINUX) run -I t/mutate -I build/linux/spec t/mutate/main.lua

bench: all
	@$(DEPS) packages bench
	$(if $(wildcard bench/run),@bench/run,@echo 'no bench/run')
	$(if $(ANCHORS)$(ANCHORS_BUILT),@bench/newest)

# Unpacked and run in a folder with a difficult name by t/80-windows/package.
dist: windows $(SITE)
	@$(DEPS) packages dist
	@windows/package $(WINDOWS) $(PRODUCT_VERSION) $(DIST)
	@windows/msi $(DIST) $(PRODUCT_VERSION) $(DIST:.zip=.msi)

# All of that twice, compiled in two folders: minutes.
dist-check:
	@$(DEPS) packages dist manual
	@$(TAP) start $(COUNTS)
	-$(call tap,$@,,t/90-packages/compiled)
	@$(TAP) sum $(COUNTS)

install:
	+@$(SELF) SYS=linux LAYOUT=installed bin
	@$(foreach v,DESTDIR prefix sbindir bindir libdir datadir mandir sysconfdir \
	    localstatedir runstatedir user,$(v)='$($(v))') \
	    conf/install/install build/installed/lunette

# Installed, upgraded and removed in a fresh Debian by t/90-packages/deb.
deb: $(SITE)
	@$(DEPS) packages dist
	+@$(SELF) SYS=linux LAYOUT=installed prefix=/usr bin
	@conf/install/deb build/installed/lunette $(PRODUCT_VERSION) $(DEB)

# What tables say: pages of the manual, completion, and examples, which are
# what `lunette init` writes.  conf/html/manual is all of the manual as a site.
manual: all
	@for page in $(TABLES); do \
	    from=--$${page%%:*}; to=conf/$${page#*:}; \
	    $(LINUX) help $$(echo $$from | tr = ' ') > build/page && \
	    mv build/page $$to || exit 1; \
	done
	@$(LINUX) run -I conf/manual conf/manual/weave.lua \
	    conf/manual/directives.md $(ABOUT) > build/page && \
	    mv build/page conf/manual/directives.md
	@for start in $(STARTS); do \
	    rm -rf build/start; \
	    $(LINUX) init --$$(echo $$start | tr = ' ') build/start > build/page \
	    && mv build/start/conf/nginx.conf conf/examples/$${start%%=*}.conf \
	    || exit 1; \
	done
	+@$(MAKE) --no-print-directory $(SITE)

$(SITE): conf/manual/render $(PAGES) lua/README.md t/README.md
	@$(DEPS) packages manual
	@conf/manual/render $(@D)

# NGINX_EXE=path puts nginx for Windows beside ours.
bench-windows: all windows wine
	@$(DEPS) packages bench
	+@$(SELF) SYS=windows FULL_LOOKUP=1 bin
	@NGINX_EXE='$(NGINX_EXE)' bench/windows

style:
	@t/style/check

clean:
	rm -rf build

else

# ---------------------------------------------------------------------------
# One system

B := $(if $(LAYOUT),build/$(LAYOUT),$(OUT)$(SYS)$(if $(FULL_LOOKUP),-full-lookup))

# What a callback is given and has no use for needs no excuse.
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes \
    -Wmissing-prototypes -Wno-unused-parameter
NAME := -DLUN_PRODUCT='"$(PRODUCT)"' -DLUN_VERSION='"$(PRODUCT_VERSION)"'

# core/config/default_paths.h
ifdef LAYOUT
text  = -D$(1)='"$(2)"'
NAME += $(call text,LUN_PREFIX,$(datadir)/lunette/) \
    $(call text,LUN_SBIN_PATH,$(sbindir)/lunette) \
    $(call text,LUN_SPEC_PATH,$(libdir)/lunette/spec) \
    $(call text,LUN_CONF_PATH,$(sysconfdir)/lunette/lunette.conf) \
    $(call text,LUN_ERROR_LOG_PATH,$(localstatedir)/log/lunette/error.log) \
    $(call text,LUN_ACCESS_LOG_PATH,$(localstatedir)/log/lunette/access.log) \
    $(call text,LUN_PID_PATH,$(runstatedir)/lunette.pid) \
    $(call text,LUN_TEMP_PATH,$(localstatedir)/lib/lunette/)
endif

# The folders of each floor, the lowest floor first.
HALF      := $(if $(filter windows,$(SYS)),windows windows/service windows/machine,core/os/posix)
FLOORS    := base format os shm log net cache client store config session http stream modules lua run
in_base   := core/base
in_format := core/format
in_os     := core/os $(HALF)
in_shm    := core/shm
in_log    := core/log
in_net    := core/net $(addprefix core/net/,tls dns dial quic)
in_cache  := core/cache
in_client := core/client
in_store  := core/store
in_config := core/config
in_session := core/session core/session/upstream
in_http   := core/http $(addprefix core/http/,accept h1 h2 h3 mux conf text file upstream \
    upstream/h2 upstream/h3 upstream/mux cache)
in_stream := core/stream core/stream/conf
in_modules := modules $(sort $(patsubst %/,%,$(dir \
    $(wildcard $(addprefix modules/,$(addsuffix .c, \
    common/* common/*/* http/* http/*/* http/*/*/* \
    stream/* stream/*/*))))))
in_lua    := modules/lua $(addprefix modules/lua/,conf run look api ffi capi json lib sock ssl tool)
in_run    := core/run core/run/help core/run/tools

GROUPS    := build linux
EXE       :=
POSIX_CFLAGS := -D_GNU_SOURCE -fvisibility=hidden
POSIX_LIBS   := -lm -ldl -lpthread -lcrypt

# What the program shows to C modules and ffi.C: modules/lua/exports.
EXPORTS  := $(B)/exports.list
VERSIONS := $(B)/exports.map

ifeq ($(SYS),linux)
CC       := gcc
AR       := ar
CFLAGS   ?= -O2 -g
CFLAGS_  := $(POSIX_CFLAGS) -fstack-protector-strong
CFLAGS_  += $(if $(findstring -O,$(CFLAGS)),-D_FORTIFY_SOURCE=2)
LDFLAGS_ := -Wl,-z,relro,-z,now
LIBS_    := $(POSIX_LIBS)
endif

ifneq ($(filter linux-asan linux-fuzz,$(SYS)),)
GROUPS   := build linux check
CC       := $(CLANG)
AR       := ar
CFLAGS   ?= -O1 -g
SANITIZE := address,undefined
CFLAGS_  := $(POSIX_CFLAGS) -DLUN_POOL_DEBUG -fno-omit-frame-pointer \
    -fno-sanitize-recover=undefined
LDFLAGS_ :=
LIBS_    := $(POSIX_LIBS)
ifeq ($(SYS),linux-fuzz)
CFLAGS_  += -fsanitize=fuzzer-no-link
endif
CFLAGS_  += -fsanitize=$(SANITIZE)
LDFLAGS_ += -fsanitize=$(SANITIZE)
endif

ifeq ($(SYS),linux-reach)
GROUPS   := build linux check
CC       := $(CLANG)
AR       := ar
CFLAGS   ?= -g
# Addresses of blocks are those of the file: it is not moved.
CFLAGS_  := $(POSIX_CFLAGS) -fno-pie \
    -fsanitize-coverage=bb,no-prune,trace-pc-guard,pc-table
LDFLAGS_ := -no-pie
LIBS_    := $(POSIX_LIBS)
EXTRA    := $(B)/t/mutate/reach.o
endif

ifeq ($(SYS),windows)
GROUPS   := build windows
EXPORTS  := $(B)/exports.def
VERSIONS :=
# What takes names: windows/crt.c takes them in UTF-8, in the program itself.
WRAPPED  := fopen tmpfile remove rename system getenv __imp__popen \
    __imp_LoadLibraryExA __imp_GetModuleFileNameA
CC       := $(CROSS)gcc
AR       := $(CROSS)ar
WINDRES  := $(CROSS)windres
EXE      := .exe
CFLAGS   ?= -O2 -g
CFLAGS_  := -DWINVER=0x0A00 -D_WIN32_WINNT=0x0A00 -DUNICODE -D_UNICODE \
    -D__USE_MINGW_ANSI_STDIO=1 $(if $(FULL_LOOKUP),-DLUN_FULL_LOOKUP=1)
LDFLAGS_ := -static -Wl,--no-insert-timestamp
LIBS_    := -lws2_32 -lmswsock -liphlpapi -ladvapi32 -lbcrypt -luserenv \
    -lcrypt32 -lntdll
endif

# What the third-party libraries need, written by windows/deps/deps; again if
# a recipe changed or the cache has gone.
-include $(B)/deps.mk

DEPS_HAVE := $(wildcard $(DEPS_READY))
$(B)/deps.mk: $(wildcard windows/deps/*) \
    $(if $(filter-out $(DEPS_HAVE),$(DEPS_READY)),again)
	@mkdir -p $(@D)
	@windows/deps/deps packages $(GROUPS)
	@windows/deps/deps libs $(SYS) > $@.new && mv $@.new $@

# What others get is the same wherever it was built.
ifdef LAYOUT
SAME    := -ffile-prefix-map=$(CURDIR)=.
CFLAGS_ += $(SAME)
endif

ALL_CFLAGS := -std=gnu11 $(WARN) -I core -I . $(NAME) $(CFLAGS_) \
    $(DEPS_CFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(EXPORTS:%.list=-Wl,--dynamic-list=%.list) $(LDFLAGS_) \
    $(DEPS_LDFLAGS) $(LDFLAGS)

# LuaJIT goes in whole: C modules and ffi.C look its functions up by name.
ALL_LIBS := -Wl,--whole-archive -lluajit $(DEPS_WHOLE) -Wl,--no-whole-archive \
    $(DEPS_LIBS) $(LIBS_)

objects_of = $(patsubst %.c,$(B)/%.o,$(foreach d,$(in_$(1)),$(wildcard $(d)/*.c)))
MADE_LUA := $(B)/lua_embed.o $(B)/capi_stream.o
MADE_MODULES := $(B)/status_page_text.o
OBJS     := $(foreach f,$(FLOORS),$(call objects_of,$(f))) $(MADE_LUA) \
    $(MADE_MODULES)
OBJS     += $(EXTRA)
ifeq ($(SYS),windows)
OBJS     += $(patsubst %.rc,$(B)/%.o,$(wildcard windows/resources.rc))
endif

LUNETTE  := $(B)/lunette$(EXE)

.PHONY: bin server units fuzzers again FORCE
.SECONDARY:
.DELETE_ON_ERROR:

HELPERS := $(patsubst t/lib/%.c,$(B)/t/%$(EXE),$(wildcard t/lib/*.c)) \
    $(B)/t/http3_client$(EXE)

# The spec runner is no part of the server: its Lua side, and a library that
# asks the system for it, lie in a folder that `lunette spec` looks into.
SPEC_LUA    := $(shell find lua/lunette/spec.lua lua/lunette/spec -name '*.lua')
SPEC_LIB    := $(B)/spec/lunette_spec$(if $(EXE),.dll,.so)
SPEC_RUNNER := $(SPEC_LIB) $(SPEC_LUA:lua/%=$(B)/spec/%)

ifeq ($(SYS),windows)
SPEC_OBJS := $(B)/modules/lua/spec/ffi_spec.o $(B)/base.a $(B)/format.a $(B)/os.a
else
SPEC_OBJS := $(patsubst %.c,$(B)/shared/%.o,$(wildcard modules/lua/spec/*.c \
    $(addsuffix /*.c,$(in_base) $(in_format) $(in_os))))
endif

server: $(LUNETTE)

bin: $(LUNETTE) $(HELPERS) $(SPEC_RUNNER) $(if $(EXE),,$(B)/resty) $(if $(filter lunette,$(PRODUCT)),,$(B)/$(PRODUCT)$(EXE))

$(B)/spec/%.lua: lua/%.lua
	@mkdir -p $(@D)
	$(Q)cp $< $@

# Sanitizers and counters of blocks are not for a library of the tests' own.
$(B)/shared/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@echo 'CC $<'
	$(Q)$(CC) -std=gnu11 $(WARN) $(WERROR) -I core -I . $(NAME) $(POSIX_CFLAGS) \
	    $(SAME) $(DEPS_CFLAGS) -O2 -g -fPIC -MMD -MP -c -o $@ $<

$(SPEC_LIB): $(SPEC_OBJS)
	@mkdir -p $(@D)
	@echo 'LD $@'
	$(Q)$(CC) -shared $(if $(EXE),$(LDFLAGS_)) -o $@ \
	    -Wl,--start-group $^ -Wl,--end-group \
	    $(if $(EXE),,$(DEPS_LDFLAGS) -lz-ng) $(LIBS_)

ifeq ($(wildcard core/run/main.c),)
$(LUNETTE): $(OBJS)
	@echo 'no core/run/main.c: objects only'
else
$(LUNETTE): $(OBJS) $(B)/flags $(EXPORTS) $(VERSIONS)
	@echo 'LD $@'
	$(Q)$(CC) $(ALL_LDFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $(OBJS) \
	    $(VERSIONS:%=-Wl,--version-script=%) $(filter %.def,$(EXPORTS)) \
	    $(ALL_LIBS)
endif

$(EXPORTS) $(VERSIONS): modules/lua/exports modules/lua/exports.awk
	@mkdir -p $(@D)
	$(Q)awk -v target=$(subst .,,$(suffix $@)) \
	    -f modules/lua/exports.awk $< > $@

# `lunette run` by the name that users of OpenResty know.
$(B)/resty: $(LUNETTE)
	$(Q)ln -sf $(<F) $@

# Harnesses look for a program of the name they know.
ifneq ($(PRODUCT),lunette)
$(B)/$(PRODUCT)$(EXE): $(LUNETTE)
	$(Q)ln -f $< $@
endif

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@echo 'CC $<'
	$(Q)$(CC) $(ALL_CFLAGS) $(WERROR) -MMD -MP -c -o $@ $<

# windres would lose the quotes of $(NAME) on the way to its preprocessor.
# "0.1.0" is 0,1,0,0 there.
COMMA := ,
NUMBERS := $(subst .,$(COMMA),$(firstword $(subst -, ,$(PRODUCT_VERSION)))),0
$(B)/%.o: %.rc $(wildcard windows/*.manifest windows/*.ico) $(B)/flags
	@mkdir -p $(@D)
	@echo 'RC $<'
	$(Q)$(CC) -E -P -x c -D RC_INVOKED $(NAME) \
	    -D LUN_VERSION_NUMBERS=$(NUMBERS) $< > $(@:.o=.rc)
	$(Q)$(WINDRES) -I windows -o $@ $(@:.o=.rc)

# Other flags are another build: objects depend on the words themselves.  Which
# warnings are errors is none of these: it makes no other object.
FLAGS := $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(WRAPPED) $(ALL_LIBS)
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || \
	    echo '$(subst ','\'',$(FLAGS))' > $@

# The Lua side, LuaJIT's jit.* and the libraries of others, as one sorted table.
LUA_FILES := $(shell find lua -name '*.lua' ! -path 'lua/lunette/spec*')
$(B)/lua_embed.c: $(LUA_FILES) modules/lua/run/embed.sh $(B)/deps.mk FORCE
	@mkdir -p $(@D)
	$(Q)modules/lua/run/embed.sh lua $(DEPS_LUA) > $@.new
	$(Q)cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# Functions of lua-resty-core's once more, by their names in stream contexts.
CAPI := $(wildcard modules/lua/capi/*.h)
$(B)/capi_stream.c: $(CAPI) modules/lua/capi/stream.awk
	@mkdir -p $(@D)
	$(Q)awk -f modules/lua/capi/stream.awk $(CAPI) > $@

$(B)/capi_stream.o: $(B)/capi_stream.c $(B)/flags
	@echo 'CC $<'
	$(Q)$(CC) $(ALL_CFLAGS) $(WERROR) -MMD -MP -c -o $@ $<

$(B)/lua_embed.o: $(B)/lua_embed.c $(LUA_FILES) $(B)/flags
	@echo 'CC $<'
	$(Q)$(CC) $(ALL_CFLAGS) $(WERROR) -MMD -MP -c -o $@ $<

# The page of status_page, as a text.
PAGE := modules/http/status/page
$(B)/status_page_text.c: $(PAGE).html $(PAGE).awk
	@mkdir -p $(@D)
	$(Q)LC_ALL=C awk -f $(PAGE).awk $(PAGE).html > $@

$(B)/status_page_text.o: $(B)/status_page_text.c $(B)/flags
	@echo 'CC $<'
	$(Q)$(CC) $(ALL_CFLAGS) $(WERROR) -MMD -MP -c -o $@ $<

# Each floor is an archive, for the tests.  (q: two rooms may share a name.)
define archive_rule
$(B)/$(1).a: $(call objects_of,$(1)) $(if $(filter lua,$(1)),$(MADE_LUA)) \
    $(if $(filter modules,$(1)),$(MADE_MODULES))
	@rm -f $$@
	$(Q)$(AR) qcs $$@ $$(filter %.o,$$^)
endef
$(foreach f,$(FLOORS),$(eval $(call archive_rule,$(f))))

# A unit test is linked with the floors up to the highest one whose files it
# includes: no floor may lean on one above it, and none has to wait for one.
# A test of core/os includes a header of it: either side stands behind that.
rooms_of = $(shell sed -n -e 's|^.include "../../\(.*\)/[^/]*\.c".*|\1|p' \
    -e 's|^.include "\(os\)/[^/]*\.h".*|core/\1|p' $(1))
top_of   = $(lastword $(foreach f,$(FLOORS),$\
    $(if $(filter $(call rooms_of,$(1)),$(in_$(f))),$(f))))
upto     = $(firstword $(2)) $(if $(filter-out $(1),$(firstword $(2))),$\
    $(call upto,$(1),$(wordlist 2,99,$(2))))
floors_of = $(call upto,$(or $(call top_of,$(1)),run),$(FLOORS))

# One that brings a port of its own has what else stands beside the system's.
own_port = $(if $(shell grep -l '^.include ".*memory_' $(1)),$\
    -Wl$(COMMA)--allow-multiple-definition)

define unit_rule
$(B)/unit/$(1)$(EXE): t/unit/$(1).c $(B)/flags $(EXPORTS) \
    $(foreach f,$(call floors_of,t/unit/$(1).c),$(B)/$(f).a) $(EXTRA)
	@mkdir -p $$(@D)
	@echo 'CC $$<'
	$(Q)$(CC) $(ALL_CFLAGS) $(WERROR) -MMD -MP -MF $$@.d -MT $$@ $(ALL_LDFLAGS) \
	    -o $$@ $$< $(GROUP) $(call own_port,t/unit/$(1).c) $(EXTRA) \
	    -lluajit $(DEPS_LIBS) $(LIBS_)
endef
GROUP = -Wl,--start-group $$(filter %.a,$$^) -Wl,--end-group
$(foreach u,$(UNITS),$(eval $(call unit_rule,$(u))))
units: $(UNITS:%=$(B)/unit/%$(EXE))

# Programs that specs start; they know the system, and no more of the server.
$(B)/t/%$(EXE): t/lib/%.c $(B)/base.a $(B)/format.a $(B)/os.a $(B)/flags
	@mkdir -p $(@D)
	@echo 'CC $<'
	$(Q)$(CC) $(ALL_CFLAGS) $(WERROR) -MMD -MP -MF $@.d -MT $@ $(ALL_LDFLAGS) -o $@ $< \
	    -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(DEPS_LIBS) \
	    $(LIBS_)

# But a client of HTTP/3 has QUIC's keys and handshakes from it.
HTTP3_CLIENT := $(patsubst %.c,$(B)/%.o,$(wildcard t/lib/http3_client/*.c))
$(B)/t/http3_client$(EXE): $(HTTP3_CLIENT) \
    $(foreach f,$(call upto,net,$(FLOORS)),$(B)/$(f).a)
	@mkdir -p $(@D)
	@echo 'LD $@'
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(HTTP3_CLIENT) \
	    -Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(DEPS_LIBS) \
	    $(LIBS_)

# A fuzz target may lean on every floor; it brings the main of libFuzzer.  One
# of a name with lua_ runs Lua, which looks functions up by their names.
WHOLE = $(if $(filter lua_%,$(1)),-Wl$(COMMA)--whole-archive $(B)/lua.a \
    -lluajit -Wl$(COMMA)--no-whole-archive)
$(B)/fuzz/%: t/fuzz/%.c $(FLOORS:%=$(B)/%.a) $(EXPORTS)
	@mkdir -p $(@D)
	@echo 'CC $<'
	$(Q)$(CC) $(ALL_CFLAGS) $(WERROR) -fsanitize=fuzzer -MMD -MP -MF $@.d -MT $@ \
	    $(ALL_LDFLAGS) -o $@ $< $(call WHOLE,$*) \
	    $(call own_port,t/fuzz/$*.c) -Wl,--start-group \
	    $(filter %.a,$^) -Wl,--end-group -lluajit $(DEPS_LIBS) $(LIBS_)
fuzzers: $(FUZZ:%=$(B)/fuzz/%)

-include $(patsubst %.o,%.d,$(OBJS) $(HTTP3_CLIENT) $(filter %.o,$(SPEC_OBJS))) \
    $(wildcard $(B)/unit/*.d $(B)/fuzz/*.d $(B)/t/*.d)

endif
