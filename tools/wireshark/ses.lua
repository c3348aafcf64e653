-- SPDX-License-Identifier: GPL-2.0
--
-- The semantic sublayer, UE 1.0 3.4: shows requests, their extension headers and
-- responses, and says how much payload belongs to them. What makes an operation
-- malformed is decided as in net/uet/core/wire/hdr_parse.c.
--
-- ses.dissect() returns a table: off (end of the headers), want (bytes of payload, if
-- the headers tell), request or response, and by these the members of struct
-- uet_ses_req or uet_ses_rsp.

local function new(names, f, e, reader)
	local ses = {}

	local STD, MEDIUM = 3, 2
	local length_of = { 20, 32, 44, 12, 20, 12 }
	local EXTENSION = { ATOMIC = 4, CSWAP = 36, RENDEZVOUS = 24 }
	local MSG_ERROR = 0x0f

	-- What follows the headers of a request
	local kind_of = {
		[0] = "none", "data", "read", "atomic", "atomic", "data", "rendezvous", "data",
		"data", "data", "rendezvous", "data", "none", "atomic", "atomic", "none",
	}
	-- What the key of a request is: 0x0c has restart tokens there
	local uses_memory = { [0x01] = true, [0x02] = true, [0x03] = true, [0x04] = true }
	local deferrable = { [0x08] = true, [0x0b] = true }
	-- Operations that UE 1.0 defines and a SMALL header, or a MEDIUM one, does not carry
	local not_medium = {
		[0x06] = true, [0x08] = true, [0x0a] = true, [0x0b] = true, [0x0c] = true,
		[0x0f] = true,
	}
	local not_small = {
		[0x05] = true, [0x07] = true, [0x09] = true, [0x0d] = true, [0x0e] = true,
	}
	local RTR = 0x0c

	local function uint64(r, off)
		return r:has(off, 8) and r.tvb(off, 8):uint64() or nil
	end

	local function odd_bits(r, item, off, lsb, width)
		if item and r:bits(off, 1, lsb, width) ~= 0 then
			item:add_proto_expert_info(e.bits)
		end
	end

	local function tokens(r, tree, off)
		r:show(tree, f.ses_initiator_token, off, 4)
		r:show(tree, f.ses_target_token, off + 4, 4)
	end

	-- Of a deferrable send these bytes name the message that is to begin again; RTR, which
	-- asks for that, has a buffer offset and the names in its key.
	local function buffer_offset(r, tree, off, s)
		if s.next_hdr == STD and deferrable[s.opcode] then
			tokens(r, tree, off)
		else
			r:show(tree, f.ses_buffer_offset, off, 8)
		end
	end

	local function key(r, tree, off, s)
		if s.opcode == RTR then
			tokens(r, tree, off)
		elseif uses_memory[s.opcode] then
			local item = r:show(tree, f.ses_memory_key, off, 8)
			if item then
				r:show(item, f.ses_memory_key_idempotent, off, 1)
				r:show(item, f.ses_memory_key_optimized, off, 1)
			end
		else
			r:show(tree, f.ses_match_bits, off, 8)
		end
	end

	local function standard(r, tree, off, s)
		buffer_offset(r, tree, off + 12, s)
		r:show(tree, f.ses_initiator, off + 20, 4)
		key(r, tree, off + 24, s)
		-- Only the first packet of a message has header data, the others say what they
		-- are a part of.
		if s.som then
			r:show(tree, f.ses_header_data, off + 32, 8)
		else
			r:show(tree, f.ses_payload_length, off + 34, 2)
			s.payload_length = r:bits(off + 34, 2, 0, 14)
			r:show(tree, f.ses_message_offset, off + 36, 4)
			s.message_offset = r:uint(off + 36, 4)
		end
		r:show(tree, f.ses_request_length, off + 40, 4)
		s.request_length = r:uint(off + 40, 4)
	end

	local function medium(r, tree, off, s)
		if s.hd then
			r:show(tree, f.ses_header_data, off + 12, 8)
		else
			r:show(tree, f.ses_buffer_offset, off + 12, 8)
		end
		r:show(tree, f.ses_initiator, off + 20, 4)
		key(r, tree, off + 24, s)
	end

	local function atomic(r, tree, off, s)
		local op = r:uint(off, 1)

		s.cswap = op and op >= 0x0d and op <= 0x13
		s.ext_len = s.cswap and EXTENSION.CSWAP or EXTENSION.ATOMIC
		r:show(tree, f.ses_amo_opcode, off, 1)
		r:show(tree, f.ses_amo_type, off + 1, 1)
		local item = r:show(tree, f.ses_amo_semantic, off + 2, 1)
		if item then
			r:show(item, f.ses_amo_semantic_cacheable, off + 2, 1)
			r:show(item, f.ses_amo_semantic_cpu_coherent, off + 2, 1)
		end
		r:show(tree, f.ses_reserved, off + 3, 1)
		if s.cswap then
			r:show(tree, f.ses_compare, off + 4, 16)
			r:show(tree, f.ses_swap, off + 20, 16)
		end
		s.words[#s.words + 1] = op and names.amo_op[op]
	end

	local function rendezvous(r, tree, off, s)
		s.ext_len = EXTENSION.RENDEZVOUS
		r:show(tree, f.ses_eager_length, off, 4)
		s.eager_length = r:uint(off, 4)
		r:show(tree, f.ses_rdv_generation, off + 4, 4)
		r:show(tree, f.ses_rdv_pid_on_fep, off + 4, 4)
		r:show(tree, f.ses_rdv_resource_index, off + 4, 4)
		r:show(tree, f.ses_read_offset, off + 8, 8)
		r:show(tree, f.ses_read_memory_key, off + 16, 8)
	end

	local function payload_wanted(s)
		local first = s.som and s.eom and s.request_length

		if s.kind == "read" or s.cswap or s.opcode == MSG_ERROR then
			return 0
		elseif s.kind == "atomic" then
			return s.request_length
		elseif s.kind == "rendezvous" and s.som then
			return s.eom and s.eager_length or nil
		elseif s.kind == "any" and s.som then
			return nil
		end
		-- That includes NO_OP: probes of a path have payload, see net/uet/core/wire/ping.h
		return s.som and first or s.payload_length
	end

	local function request(r, tree, off, s)
		local flags = r:bits(off + 1, 1, 0, 6)
		local function has(bit)
			return flags and bit32.btest(flags, bit)
		end

		s.request = true
		s.kind = kind_of[s.opcode] or "any"
		s.som, s.eom, s.hd = has(0x01), has(0x02), has(0x04)
		odd_bits(r, r:show(tree, f.ses_opcode, off, 1), off, 6, 2)
		r:show(tree, f.ses_version, off + 1, 1)
		for _, field in ipairs { f.ses_flags_dc, f.ses_flags_ie, f.ses_flags_rel,
					 f.ses_flags_hd, f.ses_flags_eom, f.ses_flags_som } do
			r:show(tree, field, off + 1, 1)
		end
		if s.next_hdr == STD then
			r:show(tree, f.ses_msg_id, off + 2, 2)
			s.msg_id = r:uint(off + 2, 2)
		else
			s.request_length = r:bits(off + 2, 2, 0, 14)
			local item = s.request_length and
				tree:add(f.ses_request_length, r.tvb(off + 2, 2), s.request_length)
			odd_bits(r, item, off + 2, 6, 2)
		end
		r:show(tree, f.ses_ri_generation, off + 4, 1)
		r:show(tree, f.ses_job_id, off + 5, 3)
		odd_bits(r, r:show(tree, f.ses_pid_on_fep, off + 8, 2), off + 8, 4, 4)
		odd_bits(r, r:show(tree, f.ses_resource_index, off + 10, 2), off + 10, 4, 4)
		if s.next_hdr == STD then
			standard(r, tree, off, s)
		elseif s.next_hdr == MEDIUM then
			medium(r, tree, off, s)
		else
			r:show(tree, f.ses_buffer_offset, off + 12, 8)
		end
		local name = names.ses_op[s.opcode] or string.format("op 0x%02x", s.opcode)
		s.words[#s.words + 1] = name
		s.words[#s.words + 1] = s.msg_id and "msg=" .. s.msg_id
		s.words[#s.words + 1] = s.message_offset and "off=" .. s.message_offset
		s.words[#s.words + 1] = s.request_length and "of=" .. s.request_length
		if s.som or s.eom then
			s.words[#s.words + 1] = s.som and s.eom and "SOM EOM" or
						s.som and "SOM" or "EOM"
		end
		s.off = off + length_of[s.next_hdr]
		if s.kind == "atomic" then
			atomic(r, tree, s.off, s)
		elseif s.kind == "rendezvous" then
			rendezvous(r, tree, s.off, s)
		end
		s.ext_off = s.off
		s.off = s.off + (s.ext_len or 0)
		s.want = payload_wanted(s)
	end

	local function response(r, tree, off, s)
		s.response = true
		r:show(tree, f.ses_list, off, 1)
		r:show(tree, f.ses_rsp_opcode, off, 1)
		r:show(tree, f.ses_version, off + 1, 1)
		local item = r:show(tree, f.ses_return_code, off + 1, 1)
		s.code = r:bits(off + 1, 1, 0, 6)
		if s.next_hdr == 4 then
			r:show(tree, f.ses_msg_id, off + 2, 2)
			s.msg_id = r:uint(off + 2, 2)
			r:show(tree, f.ses_ri_generation, off + 4, 1)
		elseif s.next_hdr == 5 then
			r:show(tree, f.ses_response_msg_id, off + 2, 2)
			r:show(tree, f.ses_reserved, off + 4, 1)
		else
			odd_bits(r, r:show(tree, f.ses_payload_length, off + 2, 2), off + 2, 6, 2)
			s.payload_length = r:bits(off + 2, 2, 0, 14)
			r:show(tree, f.ses_reserved, off + 4, 1)
		end
		r:show(tree, f.ses_job_id, off + 5, 3)
		if s.next_hdr == 4 then
			r:show(tree, f.ses_modified_length, off + 8, 4)
			s.modified_length = r:uint(off + 8, 4)
		elseif s.next_hdr == 5 then
			r:show(tree, f.ses_read_request_msg_id, off + 8, 2)
			s.read_msg_id = r:uint(off + 8, 2)
			odd_bits(r, r:show(tree, f.ses_payload_length, off + 10, 2), off + 10, 6, 2)
			s.payload_length = r:bits(off + 10, 2, 0, 14)
			r:show(tree, f.ses_modified_length, off + 12, 4)
			s.modified_length = r:uint(off + 12, 4)
			r:show(tree, f.ses_message_offset, off + 16, 4)
			s.message_offset = r:uint(off + 16, 4)
		else
			r:show(tree, f.ses_original_request_psn, off + 8, 4)
			s.original_psn = r:uint(off + 8, 4)
		end
		s.off = off + length_of[s.next_hdr]
		s.want = s.next_hdr == 4 and 0 or s.payload_length
		local code = s.code and (names.rc[s.code] or string.format("rc 0x%02x", s.code))
		if s.code and s.code > 1 then
			item:add_proto_expert_info(e.rc, "Response: " .. code)
		end
		s.words[#s.words + 1] = names.rsp_op[s.opcode] and
					names.rsp_op[s.opcode] ~= "DEFAULT" and
					names.rsp_op[s.opcode] or nil
		s.words[#s.words + 1] = code
		local id = s.msg_id or s.read_msg_id
		s.words[#s.words + 1] = id and "msg=" .. id
		s.words[#s.words + 1] = s.message_offset and "off=" .. s.message_offset
	end

	-- The header that next_hdr names, at an offset. If it has none of its bytes or is
	-- not complete, error and why say so.
	function ses.dissect(r, tree, off, next_hdr, words)
		local is_request = next_hdr <= STD
		local len = length_of[next_hdr]
		local s = { next_hdr = next_hdr, words = words, off = off + len }

		s.opcode = r:bits(off, 1, 0, 6)
		if not s.opcode then
			s.error, s.why = e.short, "Without its SES header"
			return s
		end
		local text = is_request and "Request, " or "Response, "
		local known = is_request and names.ses_op or names.rsp_op
		tree = tree:add(r.tvb(off, math.min(len, r.have - off)), text ..
				(known[s.opcode] or "reserved opcode"))
		if is_request then
			request(r, tree, off, s)
		else
			response(r, tree, off, s)
		end
		tree:set_len(math.min(s.off, r.have) - off)
		if r.len < off + len then
			s.error, s.why = e.short, "Shorter than its SES header"
		elseif (r:bits(off + 1, 1, 6, 2) or 0) ~= 0 then
			s.error, s.why = e.code, "SES version other than 0"
		elseif not is_request and s.opcode > 3 then
			s.error, s.why = e.code, "Reserved opcode of a response"
		elseif r.len < s.off then
			s.error, s.why = e.violation, "Shorter than its extension header"
		end
		return s
	end

	local text = {
		offset = "Offset and payload length beyond the length of the request",
		length = "Payload length differs from what follows the headers",
		short = "A message of one packet with less payload than its length",
		payload = "Payload after an operation that carries none",
		single = "Not both SOM and EOM where messages are one packet",
		form = "An operation that its header does not carry",
	}

	local function beyond(offset, length, total)
		return offset + length > total and text.offset or nil
	end

	local function check_data(s, present)
		if s.som and s.eom then
			return s.kind == "data" and present < s.request_length and
				text.short or nil
		elseif s.som then
			return present > s.request_length and text.length or nil
		end
		return s.payload_length ~= present and text.length or
			beyond(s.message_offset, s.payload_length, s.request_length)
	end

	local function check_no_data(s, present)
		if present > 0 then
			return text.payload
		elseif s.som then
			return nil
		end
		return s.kind == "none" and s.payload_length > 0 and text.length or
			beyond(s.message_offset, s.payload_length, s.request_length)
	end

	local function check_request(s, present)
		local single = s.som and s.eom

		if s.next_hdr ~= STD and not single then
			return text.single
		elseif s.next_hdr ~= STD and (not_medium[s.opcode] or
					      s.next_hdr ~= MEDIUM and not_small[s.opcode]) then
			return text.form
		elseif s.kind == "data" or s.kind == "rendezvous" then
			return check_data(s, present)
		elseif s.kind == "read" or s.kind == "none" then
			return check_no_data(s, present)
		elseif s.kind == "atomic" then
			return not single and text.single or
				s.cswap and present > 0 and text.payload or
				not s.cswap and present < s.request_length and text.short or nil
		end
	end

	-- What is wrong with an operation that has so many bytes behind its headers, or nil
	function ses.violation(s, present)
		local found

		if s.request then
			return check_request(s, present)
		end
		if s.next_hdr == 5 then
			found = beyond(s.message_offset, s.payload_length, s.modified_length)
		end
		if s.next_hdr >= 5 and s.payload_length ~= present then
			found = text.length
		end
		return found
	end

	-- How many of the bytes behind the headers are payload of the message
	function ses.payload(s, present)
		local most

		if s.response then
			most = s.next_hdr == 4 and 0 or s.payload_length
		elseif s.kind == "read" or s.cswap then
			most = 0
		elseif s.kind ~= "any" and (s.som or s.kind == "atomic") then
			most = s.request_length
		end
		return math.min(present, most or present)
	end

	return ses
end

return { new = new }
