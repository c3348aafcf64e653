-- SPDX-License-Identifier: GPL-2.0
--
-- Messages of a PDC, UE 1.0 3.4: which packets belong to one, and when it is complete. A
-- message is known by its id within one direction of a PDC; small and medium requests
-- have none and are a message each.

local function new()
	local messages = {}
	local count = 0
	local READ, MSG_ERROR = 0x02, 0x0f

	function messages.reset()
		count = 0
	end

	local function open(frame, time, s)
		count = count + 1
		return {
			stream = count - 1, first = frame, time = time, opcode = s.opcode,
			read = s.opcode == READ, total = s.request_length,
			bytes = 0, frames = {}, offsets = {},
		}
	end

	-- Ids are used again. A packet with the id of a message belongs to another one if
	-- that is complete, or has its first packet or this place already.
	local function other(m, s)
		if s.opcode == MSG_ERROR then
			return m.failed
		end
		return m.done or m.failed or m.opcode ~= s.opcode or
			m.total ~= s.request_length or (s.som and m.som) or
			m.wanted_at and m.wanted_at[s.message_offset or 0]
	end

	local function complete(m, frame)
		if m.som and m.bytes >= m.total and not m.done then
			m.done = frame
		end
	end

	-- A piece counts once, also if it comes by another packet. It may have been cut the
	-- first time.
	local function take(m, offset, len)
		local had = m.offsets[offset] or 0

		if len > had then
			m.offsets[offset] = len
			m.bytes = m.bytes + len - had
		end
	end

	-- A request that is no retransmission. half: its direction of the PDC.
	function messages.request(half, frame, time, s, len)
		local m = s.msg_id and half.msgs[s.msg_id]

		if not s.request_length then
			return nil
		end
		if not m or other(m, s) then
			m = open(frame, time, s)
			m.wanted_at = {}
			if s.msg_id then
				half.msgs[s.msg_id] = m
			end
		end
		m.frames[#m.frames + 1] = frame
		if s.opcode == MSG_ERROR then
			m.failed = frame
			return m
		end
		m.som = m.som or s.som
		m.wanted_at[s.message_offset or 0] = true
		if not m.read then
			take(m, s.message_offset or 0, len)
			-- The values of a compare-and-swap are in a header.
			if s.cswap then
				m.bytes = m.total
			end
			complete(m, frame)
		end
		return m
	end

	-- A packet that is sent again
	function messages.again(m, frame, s, len)
		if s.request and not m.read then
			take(m, s.message_offset or 0, len)
			complete(m, frame)
		end
	end

	-- Data that was read. half: the direction of the requests; rec: the request that the
	-- response names, if it does.
	function messages.read_data(half, frame, s, len, rec)
		local m = s.read_msg_id and half.msgs[s.read_msg_id] or rec and rec.msg

		if not m then
			return nil
		end
		m.frames[#m.frames + 1] = frame
		if m.read then
			take(m, s.message_offset or 0, len)
			complete(m, frame)
		end
		return m
	end

	return messages
end

return { new = new }
