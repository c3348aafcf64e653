-- SPDX-License-Identifier: GPL-2.0
--
-- Shows the note that conversation.lua made of a packet. Everything here is generated:
-- none of it is on the wire.

local function new(f, e, reader)
	local analysis = {}
	local derived = reader.derived
	-- A message of 4 GiB has millions of packets; its first and its last one name these.
	local FRAMES_SHOWN = 200

	-- Packets of two interfaces may stand in the wrong order: then it is negative.
	local function seconds(time)
		local sign = time < 0 and -1 or 1
		local ns = math.floor(math.abs(time) * 1e9 + 0.5)

		return NSTime(sign * math.floor(ns / 1e9), sign * (ns % 1e9))
	end

	local function show_pdc(tree, note)
		local pdc = note.pdc

		tree = tree:add("PDC " .. pdc.stream .. ", " .. note.state):set_generated()
		derived(tree, f.pdc_stream, pdc.stream)
		derived(tree, f.pdc_state, note.state)
		derived(tree, f.pdc_mode, pdc.mode)
		derived(tree, f.pdc_direction, note.side - 1)
		derived(tree, f.pdc_first_frame, pdc.first)
		derived(tree, f.pds_start_psn, pdc.start_psn)
		derived(tree, f.analysis_relative_psn, note.relative_psn or nil)
		derived(tree, f.analysis_relative_cack, note.relative_cack or nil)
		derived(tree, f.analysis_packets_in_flight, note.forward[1])
		derived(tree, f.analysis_bytes_in_flight, UInt64(note.forward[2]))
		if note.back then
			derived(tree, f.analysis_return_packets_in_flight, note.back[1])
			derived(tree, f.analysis_return_bytes_in_flight, UInt64(note.back[2]))
		end
		if note.reused then
			tree:add_proto_expert_info(e.reuse)
		end
	end

	local function show_links(tree, note)
		local rec, tx = note.rec, note.tx

		if rec then
			derived(tree, f.analysis_response_in, rec.response_in)
			derived(tree, f.analysis_acked_in, rec.acked_in)
			derived(tree, f.analysis_sacked_in, rec.sacked_in)
			derived(tree, f.analysis_nacked_in, tx.nacked_in)
			derived(tree, f.analysis_retransmitted_in, tx.again_in)
		end
		derived(tree, f.analysis_request_in, note.request)
		derived(tree, f.analysis_time, note.took and seconds(note.took))
		derived(tree, f.analysis_asks_for, note.asks_for)
		derived(tree, f.msg_request_in, note.wants or nil)
	end

	local function show_again(tree, note)
		if note.retransmission then
			derived(tree, f.analysis_retransmission, true)
				:add_proto_expert_info(e.retransmission)
			derived(tree, f.analysis_retransmission_of, note.previous)
		elseif note.duplicate then
			derived(tree, f.analysis_duplicate, true)
				:add_proto_expert_info(e.duplicate)
			derived(tree, f.analysis_duplicate_of, note.previous)
		end
		derived(tree, f.analysis_since_previous, note.since and seconds(note.since))
	end

	local function show_message(tree, note, frame)
		local m = note.msg

		tree = tree:add("Message " .. m.stream .. ", " .. note.msg_bytes .. " of " ..
				m.total .. " bytes"):set_generated()
		derived(tree, f.msg_stream, m.stream)
		derived(tree, f.msg_first_frame, m.first)
		derived(tree, f.msg_frames, note.msg_frames)
		derived(tree, f.msg_bytes, UInt64(note.msg_bytes))
		derived(tree, f.msg_total, UInt64(m.total))
		derived(tree, f.msg_time, seconds(note.msg_time))
		derived(tree, f.msg_complete_in, m.done)
		if m.failed then
			tree:add_proto_expert_info(e.msg_error)
		end
		if frame == m.first or note.msg_done then
			for i = 1, math.min(#m.frames, FRAMES_SHOWN) do
				derived(tree, f.msg_frame, m.frames[i])
			end
		end
	end

	function analysis.show(tree, note, frame)
		if note.pdc then
			show_pdc(tree, note)
		end
		show_links(tree, note)
		show_again(tree, note)
		if note.msg then
			show_message(tree, note, frame)
		end
	end

	return analysis
end

return { new = new }
