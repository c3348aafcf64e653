-- SPDX-License-Identifier: GPL-2.0
--
-- Wireshark dissector of the Ultra Ethernet Transport, UE 1.0: UDP port 4793 and native
-- IP. For Wireshark 4.0 and later.
--
--	tshark -X lua_script:tools/wireshark/uet.lua -r FILE
--
-- This file has what is around the headers: encapsulation, trailer, trimming, settings.
-- Its parts are beside it: pds.lua, ses.lua and tss.lua show headers, fields.lua has the
-- names for filters, conversation.lua compares packets. A part by itself has no effect,
-- so that the folder may be copied to one for plugins, where Wireshark loads each file.

local here = debug.getinfo(1, "S").source:gsub("^@", ""):match("^(.*[/\\])") or ""

local function part(name)
	return assert(loadfile(here .. name .. ".lua"))()
end

local names = part("names")
local reader = part("reader")
local crc32c = part("crc32c")
local f, all_fields, e = part("fields").new(names)
local pds = part("pds").new(names, f, e, reader)
local ses = part("ses").new(names, f, e, reader)
local runs = part("runs")
local tss = part("tss").new(f, e)
local conversation = part("conversation").new(part("messages").new())
local analysis = part("analysis").new(f, e, reader)

local uet = Proto("uet", "Ultra Ethernet Transport")
-- The same without UDP. It has no fields: the filter "uet" finds both.
local uet_ip = Proto("uet_ip", "Ultra Ethernet Transport over IP")

uet.fields = all_fields
local experts = {}
for _, expert_info in pairs(e) do
	experts[#experts + 1] = expert_info
end
uet.experts = experts

local PROTECT = { none = 0, crc = 1, auto = 2 }
local TYPE_TSS = 1
-- nominal_pktsize is so much more than what a packet has from the UDP header on,
-- UE 1.0 3.6.12
local NOMINAL_ADD = 40
local UDP_HEADER, ENTROPY_HEADER, CRC = 8, 4, 4
local DSCP_OFF = 64

local prefs = uet.prefs
prefs.udp_port = Pref.range("UDP ports", "4793", "Destination ports, UE 1.0 3.5.10", 65535)
prefs.ip_proto = Pref.range("IP protocols", "253-254",
	"Protocols of the encapsulation without UDP; none is assigned yet", 255)
prefs.data_protect = Pref.enum("Trailer", PROTECT.auto,
	"Whether packets end with a CRC-32C, which no header tells. " ..
	"auto: by the lengths in the headers, where they tell it, else by trying", {
	{ "none", "none", PROTECT.none }, { "crc", "crc", PROTECT.crc },
	{ "auto", "auto", PROTECT.auto } }, false)
prefs.dscp_trimmed = Pref.uint("DSCP of trimmed packets", DSCP_OFF,
	"As the setting of the same name; " .. DSCP_OFF .. ": none. " ..
	"With UDP a trimmed packet shows by its lengths, too")
prefs.dscp_trimmed_lasthop = Pref.uint("DSCP of packets trimmed on the last hop", DSCP_OFF,
	"As the setting of the same name; " .. DSCP_OFF .. ": none")
prefs.analyze = Pref.bool("Follow PDCs and messages", true,
	"Compare packets: answers, retransmissions, bytes in flight. Takes memory")

local headers = { ip = Field.new("ip"), ipv6 = Field.new("ipv6"), udp = Field.new("udp") }

-- The innermost header of a kind, as bytes
local function last_header(kind, len)
	local found = { headers[kind]() }
	local info = found[#found]

	if not info or not info.range or info.range:len() < len then
		return nil
	end
	return info.range:range(0, len):bytes():raw(), info.offset
end

-- An address as bytes, from its text; "" if that is a name
local function address_bytes(text)
	local v4 = { text:match("^(%d+)%.(%d+)%.(%d+)%.(%d+)$") }

	if #v4 == 4 then
		return string.char(v4[1], v4[2], v4[3], v4[4])
	elseif not text:match("^[%x:]*:[%x:]*$") then
		return ""
	end
	local function words(part)
		return (part:gsub("(%x+):?", function(word)
			local value = tonumber(word, 16)
			return string.char(bit32.band(bit32.rshift(value, 8), 0xff),
					   bit32.band(value, 0xff))
		end))
	end
	local left, right = text:match("^(.*)::(.*)$")
	left, right = words(left or text), words(right or "")
	return left .. ("\0"):rep(16 - #left - #right) .. right
end

-- Addresses and DSCP of the IP header that stands nearest before the packet. Wireshark
-- keeps headers of other protocols only while it shows a packet, not when it reads the
-- capture for the first time: then the addresses must do.
local function network(pinfo)
	local v4, at4 = last_header("ip", 20)
	local v6, at6 = last_header("ipv6", 40)

	if v6 and (not v4 or at6 > at4) then
		local first, second = v6:byte(1, 2)
		local class = bit32.band(first, 0x0f) * 16 + bit32.rshift(second, 4)
		return v6:sub(9, 24), v6:sub(25, 40), bit32.rshift(class, 2)
	elseif v4 then
		return v4:sub(13, 16), v4:sub(17, 20), bit32.rshift(v4:byte(2), 2)
	end
	return address_bytes(tostring(pinfo.net_src)), address_bytes(tostring(pinfo.net_dst))
end

local function be16(value)
	return string.char(bit32.rshift(value, 8), bit32.band(value, 0xff))
end

-- The trailer covers addresses and all that follows the IP header, see
-- net/uet/link/crc.c. The checksum of UDP counts as on the wire, or as the 0 that was
-- there when the CRC was made.
local function crc_of(r, net, before)
	local function over(header)
		local crc = crc32c.add(crc32c.START, net.src .. net.dst .. header)

		return crc32c.finish(crc32c.add(crc, r.tvb:raw(0, r.len - CRC)))
	end

	local crc = over(before)
	local found = r.tvb(r.len - CRC, CRC):uint()
	if crc ~= found and #before == UDP_HEADER and before:sub(7) ~= "\0\0" then
		local other = over(before:sub(1, 6) .. "\0\0")
		if other == found then
			return other, true
		end
	end
	return crc, crc == found
end

-- Sets r.len to where the trailer begins. want: bytes that should follow the headers,
-- which end at off; nil if they do not tell. short: that was found already.
local function find_trailer(r, tree, net, off, want, short)
	local rest = r.len - off
	local mode = prefs.data_protect

	if mode == PROTECT.none or rest < CRC then
		if mode == PROTECT.crc and not net.cut and not short then
			tree:add_proto_expert_info(e.short, "No room for a CRC")
		end
		return
	end
	-- Without addresses there is no CRC to compare.
	local whole = r.have == r.len and not net.trimmed and #net.src > 0
	if not whole and mode == PROTECT.auto and rest ~= (want or -1) + CRC or
	   net.trimmed then
		return
	elseif mode == PROTECT.auto and rest == want then
		return
	end
	local at = r.len - CRC
	local calculated, good
	if whole then
		calculated, good = crc_of(r, net, net.before)
		if mode == PROTECT.auto and not good and rest ~= (want or -1) + CRC then
			return
		end
	end
	local item = r:show(tree, f.crc, at, CRC)
	r.len, r.have = at, math.min(r.have, at)
	if not whole then
		reader.derived(tree, f.crc_status, 2)
		return
	end
	reader.derived(tree, f.crc_calculated, calculated)
	reader.derived(tree, f.crc_status, good and 1 or 0)
	if not good then
		item:add_proto_expert_info(e.crc,
			string.format("The CRC is wrong, 0x%08x would be right", calculated))
	end
end

-- A request without SYN that names PDCID 0, which nobody has, finds out about a path. Its
-- NO_OP has payload, so that packets of each size are tried; see net/uet/core/wire/ping.h.
local function is_path_probe(p, s)
	return p.kind == "req" and not p.syn and p.dpdcid == 0 and s.opcode == 0 and
		s.request
end

-- What follows the headers. Returns the bytes of payload.
local function dissect_payload(r, tree, p, s, cut)
	local off = s and s.off or p.len
	local present = math.max(r.len - off, 0)
	local len = 0

	if s and not cut then
		local why = not s.error and not (is_path_probe(p, s) and
						 present == s.request_length) and
			ses.violation(s, present)
		if why then
			tree:add_proto_expert_info(e.violation, why)
		end
	end
	if s and not s.error then
		local missing = cut and r.have < s.off
		len = missing and 0 or ses.payload(s, present)
	end
	reader.derived(tree, f.payload_len, len)
	r:rest(tree, s and s.kind == "atomic" and f.ses_operand or f.payload, off, len)
	local surplus = r:rest(tree, f.surplus, off + len, present - len)
	if surplus then
		surplus:add_proto_expert_info(e.surplus)
	end
	return len
end

local notes

function uet.init()
	conversation.reset()
	notes = {}
end

local function follow(r, pinfo, tree, p, s, net, payload)
	local frame, at = pinfo.number, r.tvb:offset()
	local here_notes = notes[frame]

	if not here_notes then
		here_notes = {}
		notes[frame] = here_notes
	end
	if not here_notes[at] then
		p.frame, p.time = frame, pinfo.rel_ts
		p.src, p.dst = tostring(pinfo.net_src), tostring(pinfo.net_dst)
		-- Not net.transport: whether a packet was trimmed is not known at its first time.
		-- What it had before counts when it is sent again.
		p.size = net.wire + NOMINAL_ADD
		local lacks = s and (s.error or r.have < s.off or payload < (s.want or 0))
		p.ses = not lacks and s or nil
		p.payload = payload
		here_notes[at] = conversation.see(p)
	end
	analysis.show(tree, here_notes[at], frame)
end

local function dissect_headers(r, pinfo, tree, net, words)
	if r:bits(0, 1, 3, 5) == TYPE_TSS then
		words[1] = "TSS"
		local why, text = tss.dissect(r, tree, words)
		if why and not net.cut then
			tree:add_proto_expert_info(why, text)
		end
		return
	end

	local p = pds.dissect(r, tree)
	for _, word in ipairs(p.words) do
		words[#words + 1] = word
	end
	if p.error and not (p.error == e.short and net.cut) then
		tree:add_proto_expert_info(p.error, p.why)
	end
	if p.error then
		r:rest(tree, f.payload, p.len or 2, r.len - (p.len or 2))
		return
	end
	local s
	if p.next_hdr and p.next_hdr > 0 then
		s = ses.dissect(r, tree, p.len, p.next_hdr, words)
		if s.error and not (s.error == e.short and net.cut) then
			tree:add_proto_expert_info(s.error, s.why)
		end
	end
	local want = s and s.want or not s and 0 or nil
	find_trailer(r, tree, net, s and s.off or p.len, want, s and s.error == e.short)
	local payload = dissect_payload(r, tree, p, s, net.cut)
	if payload > 0 then
		words[#words + 1] = "Len=" .. payload
	end
	if prefs.analyze and not pinfo.in_error_pkt then
		follow(r, pinfo, tree, p, s, net, payload)
	end
	if net.trimmed then
		table.insert(words, 1, "[trimmed]")
	end
end

-- Sizes that both ends compute alike, and whether a switch has cut the packet. It changes
-- the length of IP, not that of UDP, UE 1.0 3.6.12.
local function measure(r, pinfo, net, native)
	local missing = 0
	local udp = not native and last_header("udp", UDP_HEADER)

	if not native then
		net.wire = UDP_HEADER + r.len
		net.before = udp or be16(pinfo.src_port) .. be16(pinfo.dst_port) ..
			be16(net.wire) .. "\0\0"
		net.transport = net.before:byte(5) * 256 + net.before:byte(6)
		missing = net.transport - net.wire
	else
		net.wire = r.len
		net.before = r.have >= ENTROPY_HEADER and r.tvb:raw(0, ENTROPY_HEADER) or ""
		net.transport = r.len
	end
	-- A fragment, or what an ICMP error quotes, is shorter as well.
	local piece = pinfo.fragmented or pinfo.in_error_pkt
	net.trimmed = not piece and missing > 0 or
		net.dscp == prefs.dscp_trimmed or net.dscp == prefs.dscp_trimmed_lasthop
	net.cut = net.trimmed or missing > 0 or r.have < r.len or piece
end

local function show_packet(r, pinfo, tree, net, native)
	local words = {}

	tree = tree:add(uet, r.tvb(), "Ultra Ethernet Transport")
	reader.derived(tree, f.native, native)
	if native then
		r:show(tree, f.entropy, 0, 2)
		r:show(tree, f.entropy_reserved, 2, 2)
		if r.len < ENTROPY_HEADER and not net.cut then
			tree:add_proto_expert_info(e.short, "Shorter than its entropy header")
		end
	else
		reader.derived(tree, f.entropy, pinfo.src_port)
	end
	reader.derived(tree, f.transport_pktsize, net.transport)
	reader.derived(tree, f.nominal_pktsize, net.transport + NOMINAL_ADD)
	if net.trimmed then
		reader.derived(tree, f.trimmed, true):add_proto_expert_info(e.trimmed)
	elseif net.cut then
		tree:add_proto_expert_info(e.cut)
	end
	if r.have > (native and ENTROPY_HEADER or 0) then
		if native then
			r.tvb = r.tvb(ENTROPY_HEADER):tvb()
			r.have, r.len = r.have - ENTROPY_HEADER, r.len - ENTROPY_HEADER
		end
		dissect_headers(r, pinfo, tree, net, words)
	elseif not net.cut and not (native and r.len < ENTROPY_HEADER) then
		tree:add_proto_expert_info(e.short, "Empty")
	end
	local info = table.concat(words, " ")
	tree:append_text(", " .. info)
	return info
end

local function dissect(tvb, pinfo, tree, native)
	local r = reader.new(tvb)
	local net = {}

	pinfo.cols.protocol = "UET"
	net.src, net.dst, net.dscp = network(pinfo)
	measure(r, pinfo, net, native)
	local size = not native and not net.cut and runs.size(tvb)
	if not size then
		pinfo.cols.info:set(show_packet(r, pinfo, tree, net, native))
		return tvb:len()
	end
	local infos = {}
	for at = 0, tvb:len() - 1, size do
		r = reader.new(tvb(at, math.min(size, tvb:len() - at)):tvb())
		net.wire = UDP_HEADER + r.len
		net.transport = net.wire
		infos[#infos + 1] = show_packet(r, pinfo, tree, net, native)
	end
	pinfo.cols.info:set(#infos .. " packets: " .. infos[1])
	return tvb:len()
end

-- The port of the sender is an entropy value: what only that has in common with UET is
-- another protocol's.
function uet.dissector(tvb, pinfo, tree)
	if pinfo.dst_port ~= pinfo.match_uint then
		return 0
	end
	return dissect(tvb, pinfo, tree, false)
end

function uet_ip.dissector(tvb, pinfo, tree)
	return dissect(tvb, pinfo, tree, true)
end

local tables = { udp_port = DissectorTable.get("udp.port"),
		 ip_proto = DissectorTable.get("ip.proto") }
local dissectors = { udp_port = uet, ip_proto = uet_ip }
local registered = {}

local function register()
	for what, dissector_table in pairs(tables) do
		if registered[what] ~= prefs[what] then
			if registered[what] and registered[what] ~= "" then
				dissector_table:remove(registered[what], dissectors[what])
			end
			registered[what] = prefs[what]
			if registered[what] ~= "" then
				dissector_table:add(registered[what], dissectors[what])
			end
		end
	end
end

uet.prefs_changed = register
register()
