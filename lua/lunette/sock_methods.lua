-- sock_methods.lua -- methods of a client that are those of its socket.
--
-- SPDX-License-Identifier: BSD-2-Clause

local pairs = pairs

-- names: by the client's name for it, the socket's. Without a socket they
-- return nil, "not initialized".
return function(class, names)
    for name, method in pairs(names) do
        class[name] = function(self, ...)
            local sock = self.sock
            if not sock then
                return nil, "not initialized"
            end
            return sock[method](sock, ...)
        end
    end
end
