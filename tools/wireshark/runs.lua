-- SPDX-License-Identifier: GPL-2.0
--
-- Runs: a capture on a host that leaves segmentation to a device has several packets of
-- UET behind one UDP header, each with headers of its own and all but the last one as
-- long as the first; see net/uet/core/wire/hdr_run.h. No header tells how long that is.

local runs = {}

local RUD_REQ, ROD_REQ, STD = 2, 3, 3
local HEADERS, TWO32 = 12 + 44, 4294967296

-- Type and next header without flags
local function kind(tvb, at)
	return bit32.band(tvb(at, 2):uint(), 0xff80)
end

local function followed(tvb, size)
	return size + HEADERS <= tvb:len() and kind(tvb, size) == kind(tvb, 0) and
		tvb(size + 4, 4):uint() == (tvb(4, 4):uint() + 1) % TWO32 and
		tvb(size + 8, 4):uint() == tvb(8, 4):uint() and
		tvb(size + 12, 1):uint() == tvb(12, 1):uint() and
		tvb(size + 14, 10):raw() == tvb(14, 10):raw()
end

-- The length of each packet of a run, or nil if it is one packet
function runs.size(tvb)
	local len = tvb:len()

	-- The second one has a header, too.
	if len < 2 * HEADERS then
		return nil
	end
	local type_, next_hdr = math.floor(tvb(0, 1):uint() / 8), tvb(0, 2):bitfield(5, 4)
	local flags = tvb(13, 1):uint()
	if type_ ~= RUD_REQ and type_ ~= ROD_REQ or next_hdr ~= STD or
	   bit32.btest(tvb(1, 1):uint(), 0x04) or bit32.btest(flags, 0x02) then
		return nil
	end
	if not bit32.btest(flags, 0x01) then
		local size = HEADERS + tvb(HEADERS - 10, 2):bitfield(2, 14)
		return size > HEADERS and followed(tvb, size) and size or nil
	end
	-- The first packet of a message does not say how much it carries. The next one has
	-- the next PSN, and the same PDCIDs behind it.
	local psn = (tvb(4, 4):uint() + 1) % TWO32
	local bytes = string.char(math.floor(psn / 16777216), bit32.extract(psn, 16, 8),
				  bit32.extract(psn, 8, 8), bit32.extract(psn, 0, 8)) ..
		tvb(8, 4):raw()
	local raw = tvb:raw(0, len)
	local at = raw:find(bytes, HEADERS + 5, true)
	while at do
		if followed(tvb, at - 5) then
			return at - 5
		end
		at = raw:find(bytes, at + 1, true)
	end
	return nil
end

return runs
