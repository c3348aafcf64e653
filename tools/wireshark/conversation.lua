-- SPDX-License-Identifier: GPL-2.0
--
-- What the packets of a capture say about one another: which belong to one PDC, which
-- answers which, what was sent again, what is in flight.
--
-- Packets are looked at once, in the order of the capture. What is found is kept with the
-- frame in a note, and is shown from there whenever the frame is. What a later packet
-- brings (an answer, say) is shown with an earlier one once the whole capture was read:
-- in Wireshark always, in tshark with the option -2.
--
-- A PDC is found by what its two ends call it (UE 1.0 3.5.8): a PDCID belongs to a fabric
-- address, and the two ends need not see the PDCID of the other in the first packets.
-- Side 1 has opened the PDC, or sent the first packet that was captured.

local function new(messages)
	local conversation = {}

	local TWO31, TWO32 = 2147483648, 4294967296
	-- A packet that was overtaken is put in its place among so many others. More do not
	-- fit into the window of any peer: it would only be acknowledged late.
	local OVERTAKEN_MAX = 4096

	local CLOSE_CMD, CLOSE_REQ, ACK_REQ, PROBE = 4, 5, 1, 6
	local INV_DPDCID, FATAL = 0x0e, 3

	local owned, datagrams, streams

	function conversation.reset()
		owned, datagrams, streams = {}, {}, 0
		messages.reset()
	end

	local function delta(a, b)
		local d = (a - b) % TWO32
		return d < TWO31 and d or d - TWO32
	end

	local function name(owner, peer, pdcid)
		return owner .. "|" .. peer .. "|" .. pdcid
	end

	local function half()
		return { sent = {}, order = {}, head = 1, tail = 0, packets = 0, bytes = 0,
			 msgs = {}, probes = {} }
	end

	-- PDCs

	local function learn(pdc, side, pdcid)
		if pdcid and pdcid ~= 0 and not pdc.id[side] then
			pdc.id[side] = pdcid
			owned[name(pdc.addr[side], pdc.addr[3 - side], pdcid)] = pdc
		end
	end

	local function create(pkt, opener, peer, state)
		streams = streams + 1
		return {
			stream = streams - 1, first = pkt.frame, state = state,
			addr = { opener, peer }, id = {}, half = { half(), half() },
		}
	end

	local function open_pdc(pkt)
		local pdc = create(pkt, pkt.src, pkt.dst, "SYN")

		pdc.start_psn = pkt.start_psn
		learn(pdc, 1, pkt.spdcid)
		return pdc
	end

	-- A SYN names its PDC by the PDCID of the source. With another Start_PSN it is not
	-- the PDC that had it before.
	local function find_syn(pkt, note)
		local pdc = owned[name(pkt.src, pkt.dst, pkt.spdcid)]

		if not pdc then
			return open_pdc(pkt)
		elseif not pdc.start_psn and pdc.addr[1] == pkt.src then
			pdc.start_psn = pkt.start_psn
		elseif pdc.start_psn ~= pkt.start_psn then
			note.reused = true
			return open_pdc(pkt)
		end
		return pdc
	end

	-- The side of the PDC that has sent a packet. Addresses do not tell on a loopback.
	local function side_of(pdc, pkt)
		if pdc.addr[1] ~= pdc.addr[2] then
			return pdc.addr[1] == pkt.src and 1 or 2
		elseif pkt.syn or pkt.spdcid == pdc.id[1] then
			return 1
		elseif pkt.spdcid == pdc.id[2] or pkt.dpdcid == pdc.id[1] then
			return 2
		end
		return 1
	end

	local function fits(pdc, pkt)
		local side = side_of(pdc, pkt)
		local mine, other = pdc.id[side], pdc.id[3 - side]

		return (not mine or pkt.spdcid == 0 or mine == pkt.spdcid) and
			(not other or pkt.dpdcid == 0 or other == pkt.dpdcid)
	end

	local function find(pkt, note)
		local mine = owned[name(pkt.src, pkt.dst, pkt.spdcid)]
		local theirs = owned[name(pkt.dst, pkt.src, pkt.dpdcid)]
		local pdc = mine and fits(mine, pkt) and mine or
			theirs and fits(theirs, pkt) and theirs

		if pdc then
			return pdc
		elseif pkt.spdcid == 0 and not theirs then
			return nil
		elseif pkt.kind == "ack" or pkt.kind == "nack" then
			pdc = create(pkt, pkt.dst, pkt.src, "joined")
		else
			-- PDCID 0 belongs to nobody: what names it is a probe of a path, see
			-- net/uet/core/wire/ping.h
			pdc = create(pkt, pkt.src, pkt.dst,
				     pkt.dpdcid == 0 and "path probe" or "joined")
		end
		note.reused = mine ~= nil or nil
		return pdc
	end

	-- What is in flight

	local function close(h, rec)
		if rec.open then
			rec.open = false
			h.packets = h.packets - 1
			h.bytes = h.bytes - rec.size
		end
	end

	local function reopen(h, rec)
		if not rec.open then
			rec.open = true
			h.packets = h.packets + 1
			h.bytes = h.bytes + rec.size
		end
	end

	-- Packets stand in the order of their PSNs, so that CACK takes them from the front.
	local function enqueue(h, rec)
		local at = h.tail + 1
		local last = math.max(h.head, at - OVERTAKEN_MAX)

		while at > last and delta(rec.psn, h.order[at - 1].psn) < 0 do
			h.order[at] = h.order[at - 1]
			at = at - 1
		end
		h.order[at] = rec
		h.tail = h.tail + 1
	end

	local function answered(pdc, rec, frame)
		rec.response_in = rec.response_in or frame
		if rec.ctl == CLOSE_CMD then
			pdc.state = "closed"
		end
	end

	local function cack(pdc, h, psn, frame)
		if h.cack and delta(psn, h.cack) <= 0 then
			return
		end
		h.cack = psn
		while h.head <= h.tail and delta(h.order[h.head].psn, psn) <= 0 do
			local rec = h.order[h.head]
			h.order[h.head] = nil
			h.head = h.head + 1
			close(h, rec)
			rec.acked_in = frame
			answered(pdc, rec, frame)
		end
	end

	-- Packets that have a PSN

	local function transmit(rec, pkt)
		rec.tx[#rec.tx + 1] = { frame = pkt.frame, time = pkt.time, retx = pkt.retx }
		return rec.tx[#rec.tx]
	end

	local function again(rec, pkt, note)
		local before = rec.tx[#rec.tx]

		note.previous, note.since = before.frame, pkt.time - before.time
		note.retransmission, note.duplicate = pkt.retx, not pkt.retx
		if pkt.retx then
			before.again_in = before.again_in or pkt.frame
		end
		note.tx = transmit(rec, pkt)
		note.rec = rec
	end

	local function add_message(pdc, side, rec, pkt)
		local s = pkt.ses

		if not s then
			return
		elseif rec.msg then
			messages.again(rec.msg, pkt.frame, s, pkt.payload)
		elseif s.request then
			rec.msg = messages.request(pdc.half[side], pkt.frame, pkt.time, s,
						   pkt.payload)
		elseif s.want and s.next_hdr >= 5 then
			local h = pdc.half[3 - side]
			rec.msg = messages.read_data(h, pkt.frame, s, pkt.payload,
						     s.original_psn and h.sent[s.original_psn])
		end
	end

	local function sent(pdc, side, pkt, note)
		local h = pdc.half[side]
		local rec = h.sent[pkt.psn]

		if rec then
			again(rec, pkt, note)
			if pkt.retx and not rec.response_in and not rec.sacked_in then
				rec.size = rec.open and rec.size or pkt.size
				reopen(h, rec)
			end
		else
			rec = { psn = pkt.psn, size = pkt.size, ctl = pkt.ctl, tx = {} }
			h.sent[pkt.psn] = rec
			note.rec, note.tx = rec, transmit(rec, pkt)
			note.retransmission = pkt.retx or nil
			-- A probe of a path is answered by no CACK, but in any order.
			if not h.cack or delta(pkt.psn, h.cack) > 0 then
				reopen(h, rec)
				enqueue(h, rec)
			end
		end
		add_message(pdc, side, rec, pkt)
		note.msg = rec.msg
		note.wants = pkt.ses and pkt.ses.response and rec.msg and rec.msg.first
		if pkt.ctl == CLOSE_CMD and pdc.state ~= "closed" then
			pdc.state = "closing"
		elseif pkt.ctl == CLOSE_REQ and pdc.state == "established" then
			pdc.state = "close wanted"
		end
	end

	-- The transmission that was answered: answers repeat the flag retx of what they
	-- answer, UE 1.0 3.6.13.1
	local function transmission(rec, retx)
		if retx then
			return rec.tx[#rec.tx]
		end
		for i = #rec.tx, 1, -1 do
			if not rec.tx[i].retx then
				return rec.tx[i]
			end
		end
		return rec.tx[1]
	end

	local function answers(rec, pkt, note)
		local tx = transmission(rec, pkt.retx)

		note.request, note.took = tx.frame, pkt.time - tx.time
		note.msg = rec.msg
		return tx
	end

	local function established(pdc)
		if pdc.state == "SYN" then
			pdc.state = "established"
		end
	end

	local function ack(pdc, side, pkt, note)
		local h = pdc.half[3 - side]

		established(pdc)
		if pkt.probe then
			local probe = h.probes[pkt.opaque]
			if probe then
				answers(probe, pkt, note)
				probe.response_in = probe.response_in or pkt.frame
			end
		end
		cack(pdc, h, pkt.cack_psn, pkt.frame)
		local rec = pkt.ack_psn and h.sent[pkt.ack_psn]
		if rec then
			answers(rec, pkt, note)
			close(h, rec)
			answered(pdc, rec, pkt.frame)
		end
		for _, psn in ipairs(pkt.sacked or {}) do
			local got = h.sent[psn]
			if got and not got.acked_in then
				close(h, got)
				got.sacked_in = got.sacked_in or pkt.frame
			end
		end
		if pkt.ses and pkt.ses.next_hdr >= 5 then
			local psn = pkt.ses.original_psn
			note.msg = messages.read_data(h, pkt.frame, pkt.ses, pkt.payload,
						      psn and h.sent[psn] or rec) or note.msg
		end
		if pkt.req == 2 and pdc.state == "established" then
			pdc.state = "close wanted"
		end
	end

	local function nack(pdc, side, pkt, note)
		local h = pdc.half[3 - side]
		local rec = h.sent[pkt.psn]

		if pkt.spdcid ~= 0 then
			established(pdc)
		end
		if rec then
			local tx = answers(rec, pkt, note)
			tx.nacked_in = tx.nacked_in or pkt.frame
			close(h, rec)
		end
		if rec and rec.ctl == CLOSE_CMD and pkt.code == INV_DPDCID then
			-- The target has freed the PDC, and its ACK was lost.
			pdc.state = "closed"
		elseif pkt.class == FATAL and pdc.state ~= "closed" and
		       pdc.state ~= "path probe" then
			pdc.state = "error"
		end
	end

	local function control(pdc, side, pkt, note)
		local h = pdc.half[side]

		if pkt.takes_psn then
			sent(pdc, side, pkt, note)
		elseif pkt.ctl == PROBE then
			local probe = h.probes[pkt.opaque]
			if probe and pkt.retx then
				again(probe, pkt, note)
			else
				probe = { psn = pkt.psn, tx = {} }
				h.probes[pkt.opaque] = probe
				note.rec, note.tx = probe, transmit(probe, pkt)
			end
		elseif pkt.ctl == ACK_REQ then
			local rec = h.sent[pkt.psn]
			note.asks_for = rec and rec.tx[#rec.tx].frame
			note.msg = rec and rec.msg
		end
	end

	local function on_pdc(pkt, note)
		local pdc = pkt.syn and find_syn(pkt, note) or find(pkt, note)

		if not pdc then
			return
		end
		local side = side_of(pdc, pkt)
		learn(pdc, side, pkt.spdcid)
		if pkt.dpdcid then
			learn(pdc, 3 - side, pkt.dpdcid)
		end
		pdc.mode = pdc.mode or pkt.mode or pkt.syn and (pkt.isrod and "ROD" or "RUD") or
			nil
		note.pdc, note.side = pdc, side
		if pkt.kind == "req" then
			sent(pdc, side, pkt, note)
		elseif pkt.kind == "ack" then
			ack(pdc, side, pkt, note)
		elseif pkt.kind == "nack" then
			nack(pdc, side, pkt, note)
		else
			control(pdc, side, pkt, note)
		end
		note.state = pdc.state
		note.forward = { pdc.half[1].packets, pdc.half[1].bytes }
		if next(pdc.half[2].sent) then
			note.back = { pdc.half[2].packets, pdc.half[2].bytes }
		end
	end

	-- RUDI has no PDC: a request and its answer share a packet id
	local function datagram(pkt, note)
		local request = pkt.kind == "rudi_req"
		local key = request and name(pkt.src, pkt.dst, pkt.pkt_id) or
			name(pkt.dst, pkt.src, pkt.pkt_id or pkt.psn)
		local rec = datagrams[key]

		if not request then
			if rec then
				local tx = answers(rec, pkt, note)
				if pkt.kind == "nack" then
					tx.nacked_in = tx.nacked_in or pkt.frame
				else
					rec.response_in = rec.response_in or pkt.frame
				end
			end
		elseif rec and (pkt.retx or not rec.response_in) then
			again(rec, pkt, note)
		else
			rec = { tx = {} }
			datagrams[key] = rec
			note.rec, note.tx = rec, transmit(rec, pkt)
			note.retransmission = pkt.retx or nil
		end
	end

	-- What is needed of each kind; a packet that was cut may lack it.
	local needs = {
		req = { "psn", "spdcid" }, ack = { "cack_psn", "spdcid", "dpdcid" },
		nack = { "psn", "code", "spdcid", "dpdcid" }, cp = { "psn", "spdcid" },
		rudi_req = { "pkt_id" }, rudi_rsp = { "pkt_id" },
	}

	-- Looks at a packet for the first time; returns the note of its frame.
	function conversation.see(pkt)
		local note = {}

		if not needs[pkt.kind] then
			return note
		end
		for _, what in ipairs(needs[pkt.kind]) do
			if not pkt[what] then
				return note
			end
		end
		if pkt.kind == "rudi_req" or pkt.kind == "rudi_rsp" or pkt.nt then
			datagram(pkt, note)
		elseif pkt.syn and pkt.start_psn or not pkt.syn and pkt.dpdcid then
			on_pdc(pkt, note)
		end
		if note.pdc and note.pdc.start_psn then
			note.relative_psn = pkt.psn and pkt.kind ~= "cp" and
				delta(pkt.psn, note.pdc.start_psn)
			note.relative_cack = pkt.cack_psn and
				delta(pkt.cack_psn, note.pdc.start_psn)
		end
		local m = note.msg
		if m then
			-- As it was at this packet
			note.msg_frames, note.msg_bytes = #m.frames, m.bytes
			note.msg_done = m.done == pkt.frame
			note.msg_time = pkt.time - m.time
		end
		return note
	end

	conversation.reset()
	return conversation
end

return { new = new }
