-- SPDX-License-Identifier: GPL-2.0
--
-- A packet that may end anywhere: cut by the capture, trimmed by a switch, or too short
-- for what it says. Nothing here raises an error. What is not there is not shown, its
-- value is nil, and the first such place is remembered.

local reader = {}
reader.__index = reader

-- have: bytes that can be read. len: bytes that the packet had on the wire.
function reader.new(tvb)
	return setmetatable({ tvb = tvb, have = tvb:len(), len = tvb:reported_len() }, reader)
end

function reader:has(off, len)
	if off + len <= self.have then
		return true
	end
	self.missing = self.missing or off
	return false
end

function reader:uint(off, len)
	return self:has(off, len) and self.tvb(off, len):uint() or nil
end

function reader:s16(off)
	return self:has(off, 2) and self.tvb(off, 2):int() or nil
end

-- Bits of an integer of up to four bytes; lsb counts from the least significant bit
function reader:bits(off, len, lsb, width)
	local value = self:uint(off, len)

	return value and bit32.extract(value, lsb, width)
end

-- Shows a field; returns its item, or nil if it is not there
function reader:show(tree, field, off, len)
	return self:has(off, len) and tree:add(field, self.tvb(off, len)) or nil
end

-- Shows what remains, if it is anything
function reader:rest(tree, field, off, len)
	len = math.min(len, self.have - off)
	return len > 0 and tree:add(field, self.tvb(off, len)) or nil
end

-- Shows a value that is not on the wire itself
function reader.derived(tree, field, value)
	if value == nil then
		return nil
	end
	return tree:add(field, value):set_generated()
end

return reader
