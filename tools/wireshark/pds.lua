-- SPDX-License-Identifier: GPL-2.0
--
-- The packet delivery sublayer, UE 1.0 3.5: shows its headers, and returns what they say
-- as a table in host order. Not here: what only other packets tell, see conversation.lua.
--
-- Members of the table: type, next_hdr (nil in a CP), ctl, kind ("req", "ack", "nack",
-- "cp", "rudi_req", "rudi_rsp", "uud"), len (of the header), retx, syn, words (for the
-- column Info), and by kind those of struct uet_pkt in net/uet/core/wire/hdr_parse.h.

local function new(names, f, e, reader)
	local derived = reader.derived
	local pds = {}

	local TWO32 = 4294967296
	local NONE, RSP = { [0] = true }, { [4] = true, [5] = true, [6] = true }
	local REQ = { true, true, true }
	-- A request carries data that was read, too, in the return direction
	local REQ_OR_DATA = { true, true, true, [5] = true, [6] = true }
	local NONE_OR_RSP = { [0] = true, [4] = true, [5] = true, [6] = true }
	local CTL_TYPES = 10

	-- Length of the header, next headers that the type carries. ACK_CCX: 24 bytes as
	-- in ACK_CC and 128 bits of state; NACK_CCX: 16 bytes as in NACK, 4 and 124 bits.
	local types = {
		[2] = { kind = "req", len = 12, next_hdr = REQ_OR_DATA, mode = "RUD" },
		[3] = { kind = "req", len = 12, next_hdr = REQ_OR_DATA, mode = "ROD" },
		[4] = { kind = "rudi_req", len = 8, next_hdr = REQ },
		[5] = { kind = "rudi_rsp", len = 8, next_hdr = RSP },
		[6] = { kind = "uud", len = 4, next_hdr = { [2] = true, [3] = true } },
		[7] = { kind = "ack", len = 12, next_hdr = NONE_OR_RSP },
		[8] = { kind = "ack", len = 32, next_hdr = NONE_OR_RSP },
		[9] = { kind = "ack", len = 40, next_hdr = NONE_OR_RSP },
		[10] = { kind = "nack", len = 16, next_hdr = NONE },
		[11] = { kind = "cp", len = 16 },
		[12] = { kind = "nack", len = 32, next_hdr = NONE },
		[13] = { kind = "req", len = 16, next_hdr = REQ_OR_DATA, mode = "RUD" },
		[14] = { kind = "req", len = 16, next_hdr = REQ_OR_DATA, mode = "ROD" },
	}

	-- The flags of each kind, and which of the seven bits it has not
	local flags = {
		req = { f.pds_flags_retx, f.pds_flags_ar, f.pds_flags_syn, reserved = 0x63 },
		ack = { f.pds_flags_ecn, f.pds_flags_retx, f.pds_flags_probe,
			f.pds_flags_req, reserved = 0x41 },
		nack = { f.pds_flags_ecn, f.pds_flags_retx, f.pds_flags_nt, reserved = 0x47 },
		cp = { f.pds_flags_isrod, f.pds_flags_retx, f.pds_flags_ar, f.pds_flags_syn,
		       reserved = 0x43 },
		rudi_req = { f.pds_flags_retx, reserved = 0x6f },
		rudi_rsp = { f.pds_flags_ecn, f.pds_flags_retx, reserved = 0x4f },
		uud = { reserved = 0x7f },
	}

	local function psn_add(psn, offset)
		return psn and offset and (psn + offset) % TWO32
	end

	local function reserved(r, tree, field, off, len)
		local item = r:show(tree, field, off, len)

		if item and r.tvb(off, len):uint() ~= 0 then
			item:add_proto_expert_info(e.bits)
		end
	end

	local function pdcids(r, tree, p)
		r:show(tree, f.pds_spdcid, 8, 2)
		p.spdcid = r:uint(8, 2)
		-- A source that opens a PDC does not know the PDCID of the target yet: the
		-- field says how many packets were sent before, UE 1.0 3.5.8
		if p.syn then
			r:show(tree, f.pds_use_rsv_pdc, 10, 2)
			local item = r:show(tree, f.pds_pdc_info_reserved, 10, 2)
			if item and r:bits(10, 2, 12, 3) ~= 0 then
				item:add_proto_expert_info(e.bits)
			end
			r:show(tree, f.pds_psn_offset, 10, 2)
			local back = r:bits(10, 2, 0, 12)
			p.start_psn = psn_add(p.psn, back and -back)
			derived(tree, f.pds_start_psn, p.start_psn)
		else
			r:show(tree, f.pds_dpdcid, 10, 2)
			p.dpdcid = r:uint(10, 2)
		end
	end

	local function credit_word(r, tree, off)
		r:show(tree, f.pds_ccc_id, off, 1)
		r:show(tree, f.pds_credit_target, off + 1, 3)
		local target = r:uint(off + 1, 3)
		derived(tree, f.pds_credit_target_bytes, target and UInt64(target * 256))
	end

	function pds.req(r, tree, p)
		r:show(tree, f.pds_clear_psn_offset, 2, 2)
		r:show(tree, f.pds_psn, 4, 4)
		p.psn = r:uint(4, 4)
		p.clear_psn = psn_add(p.psn, r:s16(2))
		derived(tree, f.pds_clear_psn, p.clear_psn)
		pdcids(r, tree, p)
		if p.len == 16 then
			credit_word(r, tree, 12)
		end
		p.words[#p.words + 1] = p.psn and "PSN=" .. p.psn
	end

	local function sack(r, tree, p)
		r:show(tree, f.pds_mpr, 13, 1)
		local mpr = r:uint(13, 1)
		-- 0: the sender makes no statement
		if mpr and mpr > 0 then
			derived(tree, f.pds_mp_range, mpr * 128)
		end
		r:show(tree, f.pds_sack_psn_offset, 14, 2)
		p.sack_base = psn_add(p.cack_psn, r:s16(14))
		derived(tree, f.pds_sack_base, p.sack_base)
		local item = r:show(tree, f.pds_sack_bitmap, 16, 8)
		if not item or not p.sack_base then
			return
		end
		p.sacked = {}
		-- Bit 0 is the least significant one. A clear bit says nothing.
		for half = 0, 1 do
			local word = r:uint(20 - 4 * half, 4)
			for i = 0, word ~= 0 and 31 or -1 do
				if bit32.extract(word, i) == 1 then
					local psn = psn_add(p.sack_base, 32 * half + i)
					p.sacked[#p.sacked + 1] = psn
					derived(item, f.pds_sack_psn, psn)
				end
			end
		end
		item:append_text(" (" .. #p.sacked .. " received)")
	end

	-- UE 1.0 3.6.13: of the state of NSCC; unit of bytes is 256, rounded up
	local function nscc_state(r, tree)
		local item = r:show(tree, f.pds_service_time, 24, 2)
		local time = r:uint(24, 2)
		if time == 0 then
			item:append_text(" (not valid)")
		elseif time == 0xffff then
			item:append_text(" (as much or more)")
		elseif time then
			derived(tree, f.pds_service_time_ns, time * 128)
		end
		r:show(tree, f.pds_rc, 26, 1)
		r:show(tree, f.pds_rcvr_cwnd_pend, 26, 1)
		r:show(tree, f.pds_rcvd_bytes, 27, 3)
		local bytes = r:uint(27, 3)
		derived(tree, f.pds_rcvd_bytes_total, bytes and UInt64(bytes * 256))
	end

	local function ooo_count(r, tree)
		local item = r:show(tree, f.pds_ooo_count, 30, 2)
		if item and r:uint(30, 2) == 0xffff then
			item:append_text(" (not valid)")
		end
	end

	local function credit_state(r, tree)
		r:show(tree, f.pds_credit, 24, 3)
		local credit = r:uint(24, 3)
		derived(tree, f.pds_credit_bytes, credit and UInt64(credit * 256))
		reserved(r, tree, f.pds_credit_reserved, 27, 3)
	end

	local function cc_state(r, tree)
		local kind = r:bits(12, 1, 4, 4)

		r:show(tree, f.pds_cc_type, 12, 1)
		r:show(tree, f.pds_cc_flags, 12, 1)
		if kind == 0 then
			nscc_state(r, tree)
			ooo_count(r, tree)
		elseif kind == 1 then
			credit_state(r, tree)
			ooo_count(r, tree)
		else
			r:show(tree, f.pds_cc_state, 24, 8)
		end
	end

	function pds.ack(r, tree, p)
		p.cack_psn = r:uint(4, 4)
		if p.probe then
			r:show(tree, f.pds_probe_opaque, 2, 2)
			p.opaque = r:uint(2, 2)
		else
			r:show(tree, f.pds_ack_psn_offset, 2, 2)
			p.ack_psn = psn_add(p.cack_psn, r:s16(2))
			derived(tree, f.pds_ack_psn, p.ack_psn)
		end
		r:show(tree, f.pds_cack_psn, 4, 4)
		r:show(tree, f.pds_spdcid, 8, 2)
		p.spdcid = r:uint(8, 2)
		r:show(tree, f.pds_dpdcid, 10, 2)
		p.dpdcid = r:uint(10, 2)
		if p.type == 8 then
			sack(r, tree, p)
			cc_state(r, tree)
		elseif p.type == 9 then
			r:show(tree, f.pds_ccx_type, 12, 1)
			r:show(tree, f.pds_cc_flags, 12, 1)
			sack(r, tree, p)
			r:show(tree, f.pds_ccx_state, 24, 16)
		end
		if p.cack_psn then
			p.words[#p.words + 1] = "CACK=" .. p.cack_psn
		end
		if p.ack_psn and p.ack_psn ~= p.cack_psn then
			p.words[#p.words + 1] = "ACK_PSN=" .. p.ack_psn
		end
	end

	local by_class = { [0] = e.nack, e.nack, e.nack_error, e.nack_fatal }

	function pds.nack(r, tree, p)
		local item = r:show(tree, f.pds_nack_code, 2, 1)
		p.code = r:uint(2, 1)
		p.class = names.class_of_nack[p.code] or 0
		derived(tree, f.pds_nack_class, p.class)
		if item then
			local name = names.nack_code[p.code] or string.format("0x%02x", p.code)
			item:add_proto_expert_info(by_class[p.class], "Refused: " .. name)
			p.words[#p.words + 1] = name
		end
		r:show(tree, f.pds_vendor_code, 3, 1)
		r:show(tree, p.nt and f.pds_nack_pkt_id or f.pds_nack_psn, 4, 4)
		p.psn = r:uint(4, 4)
		if p.psn then
			p.words[#p.words + 1] = (p.nt and "pkt_id=" or "PSN=") .. p.psn
		end
		r:show(tree, f.pds_spdcid, 8, 2)
		p.spdcid = r:uint(8, 2)
		r:show(tree, f.pds_dpdcid, 10, 2)
		p.dpdcid = r:uint(10, 2)
		r:show(tree, f.pds_nack_payload, 12, 4)
		if p.code == 0x17 and not p.nt then
			r:show(tree, f.pds_new_start_psn, 12, 4)
		end
		if p.type == 12 then
			r:show(tree, f.pds_nccx_type, 16, 1)
			r:show(tree, f.pds_nccx_state, 16, 16)
		end
	end

	-- The last four bytes of a CP, by its control type
	local cp_payload = {
		[1] = function(r, tree) r:show(tree, f.pds_ack_req_msg_id, 12, 4) end,
		[2] = function(r, tree) r:show(tree, f.pds_clear_psn, 12, 4) end,
		[3] = function(r, tree) r:show(tree, f.pds_clear_req_psn, 12, 4) end,
		[6] = function(r, tree) r:show(tree, f.pds_probe_base, 12, 4) end,
		[7] = function(r, tree)
			r:show(tree, f.pds_credit, 12, 3)
			local credit = r:uint(12, 3)
			derived(tree, f.pds_credit_bytes, credit and UInt64(credit * 256))
		end,
		[8] = function(r, tree) credit_word(r, tree, 12) end,
	}

	-- NOOP, CLOSE_CMD, CLOSE_REQ and NEGOTIATION take a PSN
	local takes_psn = { [0] = true, [4] = true, [5] = true, [9] = true }

	function pds.cp(r, tree, p)
		if p.ctl == 6 then
			r:show(tree, f.pds_probe_opaque, 2, 2)
			p.opaque = r:uint(2, 2)
		else
			reserved(r, tree, f.pds_reserved, 2, 2)
		end
		p.psn = r:uint(4, 4)
		p.takes_psn = takes_psn[p.ctl]
		r:show(tree, p.takes_psn and f.pds_psn or p.ctl == 1 and f.pds_ack_req_psn or
		       f.pds_cp_psn, 4, 4)
		pdcids(r, tree, p)
		r:show(tree, f.pds_cp_payload, 12, 4)
		if cp_payload[p.ctl] then
			cp_payload[p.ctl](r, tree)
		end
		if p.psn and (p.takes_psn or p.ctl == 1) then
			p.words[#p.words + 1] = "PSN=" .. p.psn
		end
	end

	local function rudi(r, tree, p)
		reserved(r, tree, f.pds_reserved, 2, 2)
		r:show(tree, f.pds_pkt_id, 4, 4)
		p.pkt_id = r:uint(4, 4)
		p.words[#p.words + 1] = p.pkt_id and "pkt_id=" .. p.pkt_id
	end

	pds.rudi_req = rudi
	pds.rudi_rsp = rudi

	function pds.uud(r, tree)
		reserved(r, tree, f.pds_reserved, 2, 2)
	end

	-- Bits of the first two bytes that every kind calls its own
	local function show_flags(r, tree, p)
		local item = r:show(tree, f.pds_flags, 0, 2)
		local set = r:bits(0, 2, 0, 7)
		local mine = flags[p.kind]

		for _, field in ipairs(mine) do
			r:show(item, field, 0, 2)
		end
		local odd = bit32.band(set, mine.reserved)
		if odd ~= 0 then
			item:add(f.pds_flags_reserved, r.tvb(0, 2), odd)
				:add_proto_expert_info(e.bits)
		end
		local function has(bit)
			return bit32.btest(set, bit)
		end
		p.retx = has(0x10) and p.kind ~= "uud"
		p.syn = has(0x04) and (p.kind == "req" or p.kind == "cp")
		p.ar = has(0x08) and (p.kind == "req" or p.kind == "cp")
		p.isrod = has(0x20) and p.kind == "cp"
		p.ecn = has(0x20) and (p.kind == "ack" or p.kind == "nack" or
				       p.kind == "rudi_rsp")
		p.probe = has(0x08) and p.kind == "ack"
		p.nt = has(0x08) and p.kind == "nack"
		p.req = p.kind == "ack" and bit32.extract(set, 1, 2) or 0
	end

	local function add_flag_words(p)
		local function word(set, text)
			if set then
				p.words[#p.words + 1] = text
			end
		end

		word(p.syn, "SYN")
		word(p.ar, "AR")
		word(p.retx, "RETX")
		word(p.ecn, "ECN")
		word(p.probe, "PROBE")
		word(p.req == 1, "asks for CLEAR")
		word(p.req == 2, "asks for CLOSE")
	end

	-- Shows the PDS header. Returns the table, whose member error names the expert info
	-- and the text if there is nothing to read behind the prologue.
	function pds.dissect(r, tree)
		local p = { words = {} }

		if not r:has(0, 2) then
			p.error, p.why = e.short, "No room for a type"
			return p
		end
		p.type = r:bits(0, 2, 11, 5)
		p.words[1] = names.pds_type[p.type] or "type " .. p.type
		local info = types[p.type]
		if not info then
			r:show(tree, f.pds_type, 0, 2)
			p.error, p.why = e.code, "Reserved packet type"
			return p
		end
		p.kind, p.len, p.mode = info.kind, info.len, info.mode
		tree = tree:add(r.tvb(0, math.min(p.len, r.have)), "Packet delivery, " ..
				names.pds_type[p.type])
		r:show(tree, f.pds_type, 0, 2)
		local next_hdr = r:bits(0, 2, 7, 4)
		if p.kind == "cp" then
			p.ctl = next_hdr
			r:show(tree, f.pds_ctl_type, 0, 2)
			p.words[1] = "CP " .. (names.ctl_type[p.ctl] or p.ctl)
			if p.ctl >= CTL_TYPES then
				p.error, p.why = e.code, "Reserved control type"
			end
		else
			p.next_hdr = next_hdr
			r:show(tree, f.pds_next_hdr, 0, 2)
			if not info.next_hdr[next_hdr] then
				p.error, p.why = e.code, "A next header that " ..
					names.pds_type[p.type] .. " does not carry"
			end
		end
		show_flags(r, tree, p)
		pds[p.kind](r, tree, p)
		add_flag_words(p)
		if not p.error and r.len < p.len then
			p.error, p.why = e.short, "Shorter than its PDS header"
		end
		return p
	end

	return pds
end

return { new = new }
