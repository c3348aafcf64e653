-- SPDX-License-Identifier: GPL-2.0
--
-- All fields and expert infos, so all names that a filter can use. What a packet has on
-- the wire is uet.*, uet.pds.*, uet.ses.*, uet.tss.*; what was found out by looking at
-- other packets is uet.pdc.*, uet.msg.* and uet.analysis.*.

local function new(names)
	local f, all = {}, {}

	-- Each key is the name in a filter without "uet.", with "_" for the dots.
	local function add(key, make, abbr, ...)
		f[key] = make("uet." .. abbr, ...)
		all[#all + 1] = f[key]
	end

	local function uint(bits, abbr, name, strings, mask, base_)
		add(abbr:gsub("%.", "_"), ProtoField["uint" .. bits], abbr, name,
		    base_ or base.DEC, strings, mask)
	end

	local function hex(bits, abbr, name, strings, mask)
		uint(bits, abbr, name, strings, mask, base.HEX)
	end

	local function int(bits, abbr, name)
		add(abbr:gsub("%.", "_"), ProtoField["int" .. bits], abbr, name, base.DEC)
	end

	-- A flag that is generated has no mask, and then no width either.
	local function flag(bits, abbr, name, mask)
		add(abbr:gsub("%.", "_"), ProtoField.bool, abbr, name, mask and bits or base.NONE,
		    nil, mask)
	end

	local function plain(kind, abbr, name, ...)
		add(abbr:gsub("%.", "_"), ProtoField[kind], abbr, name, ...)
	end

	-- Encapsulation, UE 1.0 3.5.10
	uint(16, "entropy", "Entropy value")
	hex(16, "entropy_reserved", "Reserved")
	flag(8, "native", "Without UDP")
	uint(32, "transport_pktsize", "Size from the UDP or entropy header on")
	uint(32, "nominal_pktsize", "Size that congestion control counts")
	flag(8, "trimmed", "Trimmed by a switch")
	plain("bytes", "payload", "Payload")
	uint(32, "payload_len", "Bytes of payload")
	plain("bytes", "surplus", "Bytes that belong to nothing")
	hex(32, "crc", "CRC-32C")
	hex(32, "crc.calculated", "Calculated CRC-32C")
	uint(8, "crc.status", "Status of the CRC", { [0] = "bad", "good", "unverified" })

	-- Security: only the header is readable
	uint(32, "tss.type", "Type", names.pds_type, 0xf8000000)
	flag(32, "tss.sp", "Source identifier present", 0x04000000)
	flag(32, "tss.reserved", "Reserved", 0x02000000)
	uint(32, "tss.an", "Association number", nil, 0x01000000)
	hex(32, "tss.sdi", "Secure domain", nil, 0x00ffffff)
	hex(32, "tss.ssi", "Source identifier")
	uint(16, "tss.epoch", "Epoch")
	plain("uint64", "tss.tsc", "Time stamp counter", base.DEC)
	plain("bytes", "tss.encrypted", "Encrypted or authenticated data")
	plain("bytes", "tss.icv", "Integrity check value")

	-- PDS, UE 1.0 3.5
	uint(16, "pds.type", "Type", names.pds_type, 0xf800)
	uint(16, "pds.next_hdr", "Next header", names.next_hdr, 0x0780)
	uint(16, "pds.ctl_type", "Control type", names.ctl_type, 0x0780)
	hex(16, "pds.flags", "Flags", nil, 0x007f)
	flag(16, "pds.flags.ecn", "The packet came with a congestion mark (m)", 0x0020)
	flag(16, "pds.flags.isrod", "The PDC is ROD", 0x0020)
	flag(16, "pds.flags.retx", "Retransmission, or answer to one", 0x0010)
	flag(16, "pds.flags.ar", "Acknowledge at once", 0x0008)
	flag(16, "pds.flags.probe", "Answers a PROBE (p)", 0x0008)
	flag(16, "pds.flags.nt", "Names a packet of RUDI", 0x0008)
	flag(16, "pds.flags.syn", "Opens the PDC", 0x0004)
	uint(16, "pds.flags.req", "Asks the source for", names.ack_req, 0x0006)
	hex(16, "pds.flags.reserved", "Reserved")
	hex(16, "pds.reserved", "Reserved")

	int(16, "pds.clear_psn_offset", "CLEAR_PSN offset")
	uint(32, "pds.clear_psn", "CLEAR_PSN")
	uint(32, "pds.psn", "PSN")
	hex(16, "pds.spdcid", "PDCID of the sender")
	hex(16, "pds.dpdcid", "PDCID of the receiver")
	flag(16, "pds.use_rsv_pdc", "Take a reserved PDC", 0x8000)
	hex(16, "pds.pdc_info_reserved", "Reserved", nil, 0x7000)
	uint(16, "pds.psn_offset", "PSN offset", nil, 0x0fff)
	uint(32, "pds.start_psn", "Start_PSN")
	uint(8, "pds.ccc_id", "Congestion control context")
	uint(24, "pds.credit_target", "Credit target in 256 bytes")
	plain("uint64", "pds.credit_target_bytes", "Credit target in bytes", base.DEC)

	int(16, "pds.ack_psn_offset", "ACK_PSN offset")
	uint(32, "pds.ack_psn", "ACK_PSN")
	hex(16, "pds.probe_opaque", "Opaque value of the probe")
	uint(32, "pds.cack_psn", "CACK_PSN")
	uint(8, "pds.cc_type", "Kind of congestion control state", names.cc_type, 0xf0)
	uint(8, "pds.ccx_type", "Kind of extended state", names.ccx_type, 0xf0)
	hex(8, "pds.cc_flags", "Flags of the state", nil, 0x0f)
	uint(8, "pds.mpr", "Maximum PSN range in 128 PSNs")
	uint(32, "pds.mp_range", "Maximum PSN range")
	int(16, "pds.sack_psn_offset", "SACK offset")
	uint(32, "pds.sack_base", "SACK base")
	plain("uint64", "pds.sack_bitmap", "SACK bitmap", base.HEX)
	uint(32, "pds.sack_psn", "Received PSN")
	uint(16, "pds.service_time", "Service time in 128 ns")
	uint(32, "pds.service_time_ns", "Service time in nanoseconds")
	flag(8, "pds.rc", "Restore the window", 0x80)
	uint(8, "pds.rcvr_cwnd_pend", "Penalty of the receiver", nil, 0x7f)
	uint(24, "pds.rcvd_bytes", "Received data in 256 bytes")
	plain("uint64", "pds.rcvd_bytes_total", "Received data in bytes, at most", base.DEC)
	uint(16, "pds.ooo_count", "Packets received out of order")
	uint(24, "pds.credit", "Credit in 256 bytes")
	plain("uint64", "pds.credit_bytes", "Credit in bytes", base.DEC)
	hex(24, "pds.credit_reserved", "Reserved")
	plain("bytes", "pds.cc_state", "State of an unknown kind")

	uint(8, "pds.nack_code", "NACK code", names.nack_code, nil, base.HEX)
	uint(8, "pds.nack_class", "Class", names.nack_class)
	uint(8, "pds.vendor_code", "Vendor code", nil, nil, base.HEX)
	uint(32, "pds.nack_psn", "PSN of the refused packet")
	uint(32, "pds.nack_pkt_id", "Packet id of the refused packet", nil, nil, base.HEX)
	uint(32, "pds.nack_payload", "Payload of the NACK", nil, nil, base.HEX)
	uint(32, "pds.new_start_psn", "PSN to start at")
	uint(8, "pds.nccx_type", "Kind of extended state", nil, 0xf0)
	plain("bytes", "pds.nccx_state", "Extended state, from the low half of its first byte")
	plain("bytes", "pds.ccx_state", "Extended state")

	uint(32, "pds.cp_psn", "PSN, or 0 in a packet that has none")
	uint(32, "pds.cp_payload", "Payload of the control packet", nil, nil, base.HEX)
	uint(32, "pds.ack_req_psn", "PSN whose acknowledgment is wanted")
	uint(32, "pds.ack_req_msg_id", "Message id of that packet", nil, 0x0000ffff)
	uint(32, "pds.clear_req_psn", "PSN whose clear is wanted")
	uint(32, "pds.probe_base", "PSN where the SACK of the answer is to start")
	uint(32, "pds.pkt_id", "Packet id", nil, nil, base.HEX)

	-- SES, UE 1.0 3.4
	hex(8, "ses.reserved", "Reserved")
	uint(8, "ses.opcode", "Opcode", names.ses_op, 0x3f)
	uint(8, "ses.version", "Version", nil, 0xc0)
	flag(8, "ses.flags.dc", "Delivery complete (DC)", 0x20)
	flag(8, "ses.flags.ie", "Initiator error (IE)", 0x10)
	flag(8, "ses.flags.rel", "Relative addressing (REL)", 0x08)
	flag(8, "ses.flags.hd", "Header data (HD)", 0x04)
	flag(8, "ses.flags.eom", "End of message (EOM)", 0x02)
	flag(8, "ses.flags.som", "Start of message (SOM)", 0x01)
	uint(16, "ses.msg_id", "Message id")
	uint(32, "ses.request_length", "Request length")
	uint(8, "ses.ri_generation", "Generation of the resource index")
	hex(24, "ses.job_id", "JobID")
	uint(16, "ses.pid_on_fep", "PIDonFEP", nil, 0x0fff)
	uint(16, "ses.resource_index", "Resource index", nil, 0x0fff)
	plain("uint64", "ses.buffer_offset", "Buffer offset", base.HEX)
	hex(32, "ses.initiator_token", "Restart token of the initiator")
	hex(32, "ses.target_token", "Restart token of the target")
	hex(32, "ses.initiator", "Initiator id")
	plain("uint64", "ses.memory_key", "Memory key", base.HEX)
	flag(8, "ses.memory_key.idempotent", "Safe for idempotent operations", 0x80)
	flag(8, "ses.memory_key.optimized", "Optimized", 0x40)
	plain("uint64", "ses.match_bits", "Match bits", base.HEX)
	plain("uint64", "ses.header_data", "Header data", base.HEX)
	uint(16, "ses.payload_length", "Payload length", nil, 0x3fff)
	uint(32, "ses.message_offset", "Message offset")

	uint(8, "ses.amo_opcode", "Atomic operation", names.amo_op, nil, base.HEX)
	uint(8, "ses.amo_type", "Data type", names.amo_type, nil, base.HEX)
	hex(8, "ses.amo_semantic", "Semantic control")
	flag(8, "ses.amo_semantic.cacheable", "Cacheable", 0x01)
	flag(8, "ses.amo_semantic.cpu_coherent", "Coherent with the CPU", 0x02)
	plain("bytes", "ses.compare", "Compare value")
	plain("bytes", "ses.swap", "Swap value")
	plain("bytes", "ses.operand", "Operand")

	uint(32, "ses.eager_length", "Bytes sent as payload")
	uint(32, "ses.rdv_generation", "Generation of the buffer", nil, 0xff000000)
	uint(32, "ses.rdv_pid_on_fep", "PIDonFEP of the buffer", nil, 0x00fff000)
	uint(32, "ses.rdv_resource_index", "Resource index of the buffer", nil, 0x00000fff)
	plain("uint64", "ses.read_offset", "Offset to read at", base.HEX)
	plain("uint64", "ses.read_memory_key", "Memory key to read by", base.HEX)

	uint(8, "ses.list", "List", names.rsp_list, 0xc0)
	uint(8, "ses.rsp_opcode", "Opcode", names.rsp_op, 0x3f)
	uint(8, "ses.return_code", "Return code", names.rc, 0x3f)
	uint(32, "ses.modified_length", "Modified length")
	uint(16, "ses.response_msg_id", "Message id of the response")
	uint(16, "ses.read_request_msg_id", "Message id of the request")
	uint(32, "ses.original_request_psn", "PSN of the request")

	-- What is known of the PDC, UE 1.0 3.5.8
	uint(32, "pdc.stream", "PDC number in this capture")
	plain("string", "pdc.state", "State after this packet")
	plain("string", "pdc.mode", "Mode")
	uint(8, "pdc.direction", "Direction", { [0] = "forward", "return" })
	plain("framenum", "pdc.first_frame", "First packet of the PDC", base.NONE)

	plain("framenum", "analysis.request_in", "Answers the packet in", base.NONE,
	      frametype.REQUEST)
	plain("framenum", "analysis.response_in", "Answered in", base.NONE,
	      frametype.RESPONSE)
	plain("framenum", "analysis.acked_in", "Acknowledged by CACK in", base.NONE,
	      frametype.ACK)
	plain("framenum", "analysis.sacked_in", "Received, by SACK in", base.NONE,
	      frametype.ACK)
	plain("framenum", "analysis.nacked_in", "Refused in", base.NONE)
	plain("framenum", "analysis.retransmitted_in", "Sent again in", base.NONE,
	      frametype.RETRANS_NEXT)
	plain("framenum", "analysis.retransmission_of", "Retransmission of", base.NONE,
	      frametype.RETRANS_PREV)
	plain("framenum", "analysis.duplicate_of", "Duplicate of", base.NONE)
	plain("framenum", "analysis.asks_for", "Asks for the answer to", base.NONE)
	flag(8, "analysis.retransmission", "Retransmission")
	flag(8, "analysis.duplicate", "Duplicate")
	plain("relative_time", "analysis.time", "Time since the request")
	plain("relative_time", "analysis.since_previous", "Time since it was sent before")
	int(32, "analysis.relative_psn", "PSN from the start of the PDC")
	int(32, "analysis.relative_cack", "CACK_PSN from the start of the PDC")
	uint(32, "analysis.packets_in_flight", "Packets in flight")
	plain("uint64", "analysis.bytes_in_flight", "Bytes in flight", base.DEC)
	uint(32, "analysis.return_packets_in_flight", "Packets in flight, return direction")
	plain("uint64", "analysis.return_bytes_in_flight",
	      "Bytes in flight, return direction", base.DEC)

	uint(32, "msg.stream", "Message number in this capture")
	plain("framenum", "msg.first_frame", "First packet of the message", base.NONE)
	plain("framenum", "msg.frame", "Packet of the message", base.NONE)
	uint(32, "msg.frames", "Packets so far")
	plain("uint64", "msg.bytes", "Bytes so far", base.DEC)
	plain("uint64", "msg.total", "Bytes of the message", base.DEC)
	plain("framenum", "msg.complete_in", "Complete in", base.NONE)
	plain("framenum", "msg.request_in", "Data wanted in", base.NONE, frametype.REQUEST)
	plain("relative_time", "msg.time", "Time since its first packet")

	local e = {
		short = ProtoExpert.new("uet.short", "Shorter than its headers",
			expert.group.MALFORMED, expert.severity.ERROR),
		code = ProtoExpert.new("uet.reserved_code", "Code point that is not defined here",
			expert.group.MALFORMED, expert.severity.ERROR),
		violation = ProtoExpert.new("uet.violation", "Malformed operation",
			expert.group.MALFORMED, expert.severity.WARN),
		surplus = ProtoExpert.new("uet.surplus_bytes", "Bytes that belong to nothing",
			expert.group.PROTOCOL, expert.severity.WARN),
		bits = ProtoExpert.new("uet.reserved_bits", "Reserved bits are set",
			expert.group.PROTOCOL, expert.severity.NOTE),
		crc = ProtoExpert.new("uet.crc.bad", "The CRC is wrong",
			expert.group.CHECKSUM, expert.severity.ERROR),
		cut = ProtoExpert.new("uet.cut", "The capture has only a part of the packet",
			expert.group.UNDECODED, expert.severity.NOTE),
		trimmed = ProtoExpert.new("uet.trimmed_packet", "A switch has trimmed the packet",
			expert.group.SEQUENCE, expert.severity.WARN),
		retransmission = ProtoExpert.new("uet.retransmission", "Retransmission",
			expert.group.SEQUENCE, expert.severity.NOTE),
		duplicate = ProtoExpert.new("uet.duplicate", "Seen before, not marked as sent again",
			expert.group.SEQUENCE, expert.severity.NOTE),
		nack = ProtoExpert.new("uet.nack", "Packet refused",
			expert.group.RESPONSE_CODE, expert.severity.NOTE),
		nack_error = ProtoExpert.new("uet.nack.error", "Packet refused, error",
			expert.group.RESPONSE_CODE, expert.severity.WARN),
		nack_fatal = ProtoExpert.new("uet.nack.fatal", "Packet refused, the PDC ends",
			expert.group.RESPONSE_CODE, expert.severity.ERROR),
		rc = ProtoExpert.new("uet.failed", "The response is an error",
			expert.group.RESPONSE_CODE, expert.severity.WARN),
		msg_error = ProtoExpert.new("uet.msg_error", "The initiator gives the message up",
			expert.group.SEQUENCE, expert.severity.WARN),
		reuse = ProtoExpert.new("uet.pdc.reused", "The PDCID belonged to another PDC before",
			expert.group.SEQUENCE, expert.severity.NOTE),
	}

	return f, all, e
end

return { new = new }
