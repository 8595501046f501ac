-- `lunette import`: XML that means ill, words, what is said and what is closed.
--
-- SPDX-License-Identifier: BSD-2-Clause

local emit = require "lunette.import.emit"
local import = require "lunette.import"
local programs = require "lunette.import.programs"
local xml = require "lunette.xml"

local function site_of(name, text)
    local all, err = import.sites(name, text, {})

    return all and all[1], err
end

local function text_of(name, text)
    local site = assert(site_of(name, text))

    return table.concat(emit.http_lines(site), "\n") .. "\n"
           .. table.concat(emit.server_lines(site), "\n"), site
end

local function config(inside)
    return text_of("web.config", "<configuration><system.webServer>" .. inside
                                 .. "</system.webServer></configuration>")
end

describe("XML", function ()
    it("is elements, attributes and texts", function ()
        local root = assert(xml.parse([=[
<?xml version="1.0"?><!-- a > b --><a x="1" y='&lt;&#65;&#x42;"'>t&amp;u
<b/><![CDATA[<c>]]></a>]=] .. "\n"))

        assert.equal("a", root.name)
        assert.equal('<AB"', root.attr.y)
        assert.same({ "x", "y" }, root.order)
        assert.equal("b", root[1].name)
        assert.equal(2, root[1].line)
        assert.equal("t&u\n<c>", table.concat(root.text))
    end)

    it("may be UTF-16", function ()
        local text = "\255\254" .. ("<a x='1'/>"):gsub(".", "%0\0")

        assert.equal("1", assert(xml.parse(text)).attr.x)
        assert.equal("1", assert(xml.parse(
            "\254\255" .. ("<a x='1'/>"):gsub(".", "\0%0"))).attr.x)
    end)

    it("declares nothing, and names no other file", function ()
        for _, text in ipairs {
            '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
            '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
            "<a>&b;</a>", "<a x='&b;'/>", "<a>&#0;</a>", "<a>&#x110000;</a>",
            "<a>&#xd800;</a>",
        } do
            local root, err = xml.parse(text)

            assert.is_nil(root, text)
            assert.is_string(err)
        end
    end)

    it("has an end to its depth, size and number", function ()
        assert.is_nil(xml.parse(("<a>"):rep(65) .. ("</a>"):rep(65)))
        assert.is_table(xml.parse(("<a>"):rep(64) .. ("</a>"):rep(64)))
        assert.is_nil(xml.parse("<a>" .. ("<b/>"):rep(200001) .. "</a>"))
        assert.is_nil(xml.parse("<a>" .. (" "):rep(8388609) .. "</a>"))
    end)

    it("is whole", function ()
        local text = "<a x='1'><b y=\"2\">t</b><!-- c --></a>"

        for n = 0, #text - 1 do
            assert.is_nil(xml.parse(text:sub(1, n)), n)
        end
        for _, bad in ipairs { "<a></b>", "<a/><b/>", "<a x=1/>", "x<a/>",
                               "<a x='1' x='2'/>", "<a x='<'/>", "<a/>x" } do
            assert.is_nil(xml.parse(bad), bad)
        end
    end)

    it("ends with any bytes", function ()
        local seed = 4711

        for _ = 1, 2000 do
            local bytes = {}

            for i = 1, 40 do
                seed = (seed * 1103515245 + 12345) % 2147483648
                local n = math.floor(seed / 65536) % 24

                bytes[i] = ("<>/a=\"' &;!-[]?x#1\n\0\255\254CD"):sub(n + 1,
                                                                    n + 1)
            end
            xml.parse(table.concat(bytes))
            site_of(".htaccess", table.concat(bytes))
        end
    end)
end)

describe("an import", function ()
    it("lets nothing end a line or a directive", function ()
        local text = config('<httpProtocol><customHeaders><add name="X" value='
            .. '"a&quot;; root /;&#10;deny all;#${x}"/></customHeaders>'
            .. '</httpProtocol><rewrite><rules><rule name="a&#10;root /;">'
            .. '<match url="x&quot; {"/><action type="Rewrite" url='
            .. '"y; root /etc"/></rule></rules></rewrite>')

        assert.truthy(text:find('add_header X "a\\"; root /; deny all;'
                                .. '#${import_dollar}{x}" always;', 1, true))
        assert.truthy(text:find('# rule "a root /;"', 1, true))
        assert.truthy(text:find('"x\\" {"', 1, true))
        assert.truthy(text:find('rewrite ^ "/y; root /etc";', 1, true))
        assert.is_nil(text:find("\nroot"))
    end)

    it("says what it does not know", function ()
        local text, site = config('<moon phase="full"/><staticContent '
                                  .. 'wax="on"/>')

        assert.truthy(text:find("not translated: configuration/system.web"
                                .. "Server/moon, line 1", 1, true))
        assert.truthy(text:find('wax="on"', 1, true))
        assert.equal(2, #site.notes)
        assert.equal(0, #site.loud)
    end)

    it("closes what it can't protect", function ()
        for _, inside in ipairs {
            "<security><moonSecurity/></security>",
            "<security><authentication><iisClientCertificateMapping"
            .. "Authentication enabled='true'/></authentication></security>",
            "<security><ipSecurity><add domainName='x'/></ipSecurity>"
            .. "</security>",
            "<security><ipSecurity><add ipAddress='1.2.3.4' subnetMask="
            .. "'255.0.255.0'/></ipSecurity></security>",
            "<security><access sslFlags='Ssl, SslRequireCert'/></security>",
            "<security><authorization><add accessType='Allow' roles='x'/>"
            .. "</authorization></security>",
            "<security><requestFiltering><filteringRules><filteringRule/>"
            .. "</filteringRules></requestFiltering></security>",
            "<rewrite><rules><rule name='x'><match url='.*'/><conditions>"
            .. "<add input='{MOON}' pattern='x'/></conditions><action type="
            .. "'AbortRequest'/></rule></rules></rewrite>",
        } do
            local text, site = config(inside)

            assert.truthy(text:find("\ndeny all;", 1, true), inside)
            assert.is_nil(text:find("\nallow", 1, true), inside)
            assert.equal(1, #site.loud, inside)
        end
        for _, text in ipairs { "Require group x", "AuthType Digest\n",
                                "SSLRequireSSL", "SecRuleEngine On",
                                "<Limit PUT>\nDeny from all\n</Limit>",
                                "Allow from example.com",
                                "RewriteCond %{TIME_HOUR} >1\n"
                                .. "RewriteRule ^ - [F]" } do
            local made, site = text_of(".htaccess", text)

            assert.truthy(("\n" .. made):find("\ndeny all;", 1, true), text)
            assert.truthy(#site.loud > 0, text)
        end
    end)

    it("translates programs", function ()
        local text = config([[<aspNetCore processPath="dotnet"
            arguments=".\My.App.dll --port %ASPNETCORE_PORT%"
            hostingModel="inprocess"><environmentVariables>
            <environmentVariable name="A" value="b c"/>
            </environmentVariables></aspNetCore>]])

        assert.truthy(text:find('program dotnet My.App.dll --port %PORT% '
                                .. '"env=A=b c";', 1, true))
        assert.truthy(text:find("proxy_pass http://import_app_1;", 1, true))
        assert.truthy(text:find("hostingModel=inprocess", 1, true))

        text = config([[<handlers><add name="iisnode" path="server.js"
            verb="*" modules="iisnode"/></handlers>]])
        assert.truthy(text:find("program node server.js;", 1, true))
        assert.truthy(text:find("location = /server.js {", 1, true))

        assert.same({ "a b", 'c"d', "e\\f", "" },
                    programs.words_of([["a b" c\"d e\f ""]]))
    end)

    it("makes a server of each site", function ()
        local file = io.open "t/import/iis.host.config"
        local all = assert(import.sites("applicationHost.config",
                                        file:read "*a", {}))
        local text = import.configuration(all, "x")

        file:close()
        assert.equal(2, #all)
        for _, line in ipairs { "root C:/inetpub/wwwroot;", "listen 18480;",
                                "listen 18443 ssl;", "root C:/two;",
                                "server_name www.example.com;",
                                "listen 127.0.0.1:18480;",
                                "alias D:/pictures/;",
                                "ssl_reject_handshake on;" } do
            assert.truthy(text:find(line, 1, true), line)
        end
        assert.equal(0, #all[2].loud)
        assert.truthy(text:find("auth_negotiate on;", 1, true))
        assert.is_nil(all[1].closed)
    end)

    it("is of files that are none", function ()
        for _, text in ipairs { "<a/>", "<configuration>", "<!DOCTYPE x>" } do
            assert.is_nil(site_of("web.config", text), text)
        end
        assert.is_nil(site_of(".htaccess", "<IfModule a>\n"))
        assert.is_nil(site_of(".htaccess", "</IfModule>\n"))
        assert.is_nil(site_of(".htaccess", ("<IfModule a>\n"):rep(21)))
    end)
end)
