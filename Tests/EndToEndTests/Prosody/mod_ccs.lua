-- The push service's manners on an XMPP server that is not ours: every message of the client is answered with an ack, one
-- without "to" and "message_id" with an error stanza. What was said stands in the file `ccs_log`, one line each. When
-- the file `ccs_drain` appears, the clients are told that their connection will be drained.

local json = require "util.json";
local st = require "util.stanza";
local namespace = "google:mobile:data";

local log_file = module:get_option_string("ccs_log");
local drain_file = module:get_option_string("ccs_drain");

local function note(text)
	local file = io.open(log_file, "a");
	if not file then return; end
	file:write(text, "\n");
	file:close();
end

local function told(content)
	return st.message({ from = module.host }):tag("gcm", { xmlns = namespace }):text(json.encode(content)):up();
end

local function heard(event)
	local origin, stanza = event.origin, event.stanza;
	local gcm = stanza:get_child("gcm", namespace);
	if not gcm then return; end
	local message = json.decode(gcm:get_text() or "");
	if type(message) ~= "table" then
		note("bad");
		origin.send(st.error_reply(stanza, "modify", "bad-request", "InvalidJson"));
		return true;
	end
	-- The client's own acks are not answered.
	if message.message_type then
		note("from client: " .. message.message_type);
		return true;
	end
	if type(message.to) ~= "string" or type(message.message_id) ~= "string" then
		note("bad");
		origin.send(st.error_reply(stanza, "modify", "bad-request", "InvalidJson : MissingRequiredField"));
		return true;
	end
	note("message " .. message.message_id .. " to " .. message.to .. " " .. gcm:get_text());
	origin.send(told({ message_type = "ack", from = message.to, message_id = message.message_id }));
	return true;
end

for _, name in ipairs({ "bare", "full", "host", "self" }) do
	module:hook("pre-message/" .. name, heard, 1000);
	module:hook("message/" .. name, heard, 1000);
end

local function look()
	local file = io.open(drain_file);
	if file then
		file:close();
		os.remove(drain_file);
		for _, session in pairs(prosody.full_sessions) do
			session.send(told({ message_type = "control", control_type = "CONNECTION_DRAINING" }));
			note("draining");
		end
	end
	return 0.1;
end
module:add_timer(0.1, look);
