-- SPDX-License-Identifier: GPL-2.0
--
-- CRC-32C (Castagnoli, reflected), which protects a packet if no encryption does.

local band, bxor, rshift = bit32.band, bit32.bxor, bit32.rshift

local POLYNOMIAL = 0x82f63b78
-- string.byte() returns so many values at a time; Lua has a limit of some thousands
local BLOCK = 64

local bytes = {}
for i = 0, 255 do
	local crc = i
	for _ = 1, 8 do
		crc = bxor(rshift(crc, 1), band(crc, 1) == 1 and POLYNOMIAL or 0)
	end
	bytes[i] = crc
end

local crc32c = {}

-- The state before the first byte
crc32c.START = 0xffffffff

-- The state after the bytes of a string
function crc32c.add(crc, data)
	for at = 1, #data, BLOCK do
		local block = { data:byte(at, at + BLOCK - 1) }
		for i = 1, #block do
			crc = bxor(rshift(crc, 8), bytes[band(bxor(crc, block[i]), 0xff)])
		end
	end
	return crc
end

function crc32c.finish(crc)
	return bxor(crc, 0xffffffff)
end

return crc32c
