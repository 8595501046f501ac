# Locations ignore case where the file system does.

__DATA__


=== a denied folder is denied in any case
--- config
    location /secret/ {
        deny all;
    }
    location = /exact {
        return 204;
    }
    location ~ \.inc$ {
        return 410;
    }
--- user_files
>>> secret/file
file
>>> a.inc
code
--- skip_linux: case matters
--- pipelined_requests eval
["GET /secret/file", "GET /SECRET/file", "GET /Secret/FILE",
 "GET /sEcReT%5Cfile", "GET /EXACT", "GET /a.INC", "GET /A.inc"]
--- error_code eval
[403, 403, 403, 403, 204, 410, 410]



=== a folder with a dot behind it is neither that folder nor a file
--- config
    location /directory/ {
        return 204;
    }
--- user_files
>>> directory/file
file
--- skip_linux: any name with dots is one of its own
--- pipelined_requests eval
["GET /directory/", "GET /Directory/", "GET /directory./",
 "GET /directory./file", "GET /directory.%2ffile", "GET /directory../",
 "GET /directory../file", "GET /directory%20/", "GET /x/../DIRECTORY/"]
--- error_code eval
[204, 204, 404, 404, 404, 404, 404, 404, 204]



=== two dots are a folder up only when they stand alone
--- config
    location = / {
        return 201;
    }
    location /d {
        return 202;
    }
    location /directory/ {
        return 204;
    }
--- pipelined_requests eval
["GET /directory/..", "GET /directory../", "GET /directory./",
 "GET /directory/../directory/", "GET /directory/...", "GET /.."]
--- error_code eval
[201, 202, 202, 204, 204, 400]
--- more_headers
Connection: keep-alive



=== files are served in any case
--- config
--- user_files
>>> Folder/File.TXT
text
--- skip_linux: case matters
--- pipelined_requests eval
["GET /Folder/File.TXT", "GET /folder/file.txt", "GET /FOLDER/FILE.TXT"]
--- error_code eval
[200, 200, 200]
