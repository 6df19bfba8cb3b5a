-- The accounts of the push service: the name is a whole address, project number and domain.

local new_sasl = require "util.sasl".new;
local accounts = module:get_option("ccs_accounts");
local domain = "@gcm.googleapis.com";

local provider = {};

function provider.test_password(username, password) return accounts[username .. domain] == password; end
function provider.get_password(username) return accounts[username .. domain]; end
function provider.user_exists(username) return accounts[username .. domain] ~= nil; end
function provider.set_password() return nil, "Not supported"; end
function provider.create_user() return nil, "Not supported"; end
function provider.delete_user() return nil, "Not supported"; end
function provider.users() return pairs({}); end

function provider.get_sasl_handler()
	return new_sasl(module.host, {
		-- The part before the domain is the user of this server.
		nodeprep = function(name)
			return name:sub(-#domain) == domain and name:sub(1, -#domain - 1) or nil;
		end;
		plain_test = function(_, username, password) return provider.test_password(username, password), true; end;
	});
end

module:provides("auth", provider);
