# Stylesheets: libxslt of the system, which Wine has not.

__DATA__


=== stylesheets one after the other, with parameters of all kinds
--- skip_windows: no libxslt is here
--- http_config
    xslt_string_param text "it's <a>";
--- config
    default_type text/xml;
    location /t {
        xslt_stylesheet ../html/first.xslt;
        xslt_stylesheet ../html/last.xslt a='x%3Ay':b=/root/b $arg_more;
        alias html/;
    }
    location /own/ {
        xslt_param b "concat('$arg_b', '!')";
        xslt_stylesheet ../html/last.xslt;
        xslt_last_modified on;
        alias html/;
    }
--- user_files
>>> first.xslt
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/"><root>(<xsl:value-of select="/root/a"/>)<b>B</b></root></xsl:template>
</xsl:stylesheet>
>>> last.xslt
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text" encoding="UTF-8"/>
<xsl:param name="a"/><xsl:param name="b"/><xsl:param name="c"/><xsl:param name="text"/>
<xsl:template match="/"><xsl:value-of select="/root/text()"/>|<xsl:value-of select="$a"/>|<xsl:value-of select="$b"/>|<xsl:value-of select="$c"/>|<xsl:value-of select="$text"/>.</xsl:template>
</xsl:stylesheet>
>>> page
<root><a>data</a></root>
--- request eval
["GET /tpage", "GET /tpage?more=c=1%2B1", "HEAD /tpage", "GET /own/page?b=me"]
--- response_headers eval
["Content-Type: text/xml; charset=UTF-8\nLast-Modified: \nETag: \nContent-Length: 23", "Content-Length: 24",
 "Content-Type: text/xml; charset=UTF-8", "Content-Length: 8"]
--- response_body eval
["(data)|x:y|B||it's <a>.", "(data)|x:y|B|2|it's <a>.", "", "||me!||."]
--- raw_response_headers_unlike eval
[qr/^Last/m, qr/^Last/m, qr/^Last/m, qr/^None/m]


=== a parameter that is none, and a document that is none
--- skip_windows: no libxslt is here
--- config
    default_type text/xml;
    xslt_types application/x;
    location /t { xslt_stylesheet ../html/as_is.xslt $arg_more; alias html/; }
    location /plain { default_type text/plain; xslt_stylesheet ../html/as_is.xslt; return 200 "<"; }
--- user_files
>>> as_is.xslt
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:template match="/"><html><xsl:value-of select="."/></html></xsl:template>
</xsl:stylesheet>
>>> good
<a>text</a>
>>> bad
<a>text
>>> empty
--- request eval
["GET /tgood?more=x", "GET /tbad", "GET /tempty", "GET /tgood", "GET /plain"]
--- error_code eval
[500, 500, 500, 200, 200]
--- response_body_like eval
["500 Internal", "500 Internal", "500 Internal", "^<html>text</html>\n\$", "^<\$"]
--- response_headers eval
["Content-Type: text/html", "Content-Type: text/html", "Content-Type: text/html", "Content-Type: text/html", "Content-Type: text/plain"]


=== what is wrong is in the log
--- skip_windows: no libxslt is here
--- config
    location /t { default_type text/xml; xslt_stylesheet ../html/as_is.xslt; return 200 "<a>text"; }
--- user_files
>>> as_is.xslt
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"></xsl:stylesheet>
--- error_code: 500
--- error_log
libxml2 error: "
not well formed XML document


=== entities are ours, and those of files only where that is allowed
--- skip_windows: no libxslt is here
--- config
    default_type text/xml;
    xml_entities ../html/entities.dtd;
    location /no/ { xslt_stylesheet ../html/as_is.xslt; alias html/; }
    set $file "<!DOCTYPE a [<!ENTITY f SYSTEM '$document_root/secret'>]><a>&f;</a>";
    location /no/file { xslt_stylesheet ../html/as_is.xslt; return 200 $file; }
    location /yes/file { xml_external_entities on; xslt_stylesheet ../html/as_is.xslt; return 200 $file; }
--- user_files eval
[["as_is.xslt", '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/">[<xsl:value-of select="."/>]</xsl:template>
</xsl:stylesheet>'],
 ["entities.dtd", '<!ENTITY ours "from us">'],
 ["none", '<!DOCTYPE a><a>&ours;</a>'],
 ["named", "<?xml version='1.0'?><!-- <!DOCTYPE b> -->\n" . '<!DOCTYPE a PUBLIC "p" "http://127.0.0.1/x"><a>&ours;</a>'],
 ["inner", '<!DOCTYPE a SYSTEM "x" [<!ENTITY own "of mine">]><a>&ours; &own;</a>'],
 ["secret", "the secret"]]
--- request eval
["GET /no/none", "GET /no/named", "GET /no/inner", "GET /no/file", "GET /yes/file"]
--- response_body eval
["[from us]", "[from us]", "[from us of mine]", "[]", "[the secret]"]


=== more than one xsl:output: each attribute counts where it was said last
--- skip_windows: no libxslt is here
--- config
    location /t { default_type text/xml; xslt_stylesheet ../html/two.xslt; return 200 "<a>b</a>"; }
--- user_files
>>> two.xslt
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="xml" encoding="UTF-8"/><xsl:output method="text"/>
<xsl:template match="/"><xsl:value-of select="/a"/></xsl:template>
</xsl:stylesheet>
--- response_headers
Content-Type: text/xml; charset=UTF-8
--- response_body chomp
b


=== a stylesheet that is none
--- skip_windows: no libxslt is here
--- config
    location /t { xslt_stylesheet nowhere.xslt; }
--- must_die
--- error_log eval
qr/\[emerg\] .*xsltParseStylesheetFile\(".*nowhere.xslt"\) failed in/


=== a DTD that is none
--- skip_windows: no libxslt is here
--- config
    xml_entities ../html/bad.dtd;
--- user_files
>>> bad.dtd
<!ENTITY
--- must_die
--- error_log eval
qr/\[emerg\] .*xmlParseDTD\(\) ".*bad.dtd" failed in/


=== where the library is not there, it is said so
--- skip_linux: it is there
--- config
    location /t { xslt_stylesheet any.xslt; }
--- must_die
--- error_log
"xslt_stylesheet" is not possible: the library libxslt is not here
