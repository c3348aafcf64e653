-- SPDX-License-Identifier: GPL-2.0
--
-- The security header (TSS) of UE 1.0: 12 bytes, 16 with a source identifier. What
-- follows is encrypted but for bytes that the two ends agree to leave readable, so
-- nothing of it is taken apart. At the end are 16 bytes of integrity check.

local function new(f, e)
	local ICV = 16
	local tss = {}

	function tss.dissect(r, tree, words)
		local ssi = r:bits(0, 1, 2, 1) == 1
		local len = ssi and 16 or 12

		tree = tree:add(r.tvb(0, math.min(len, r.have)), "Transport security")
		for _, field in ipairs { f.tss_type, f.tss_sp, f.tss_reserved, f.tss_an,
					 f.tss_sdi } do
			r:show(tree, field, 0, 4)
		end
		if ssi then
			r:show(tree, f.tss_ssi, 4, 4)
		end
		r:show(tree, f.tss_epoch, len - 8, 2)
		r:show(tree, f.tss_tsc, len - 6, 6)
		local sdi = r:bits(0, 4, 0, 24)
		words[#words + 1] = sdi and string.format("SDI=0x%06x", sdi)
		if r.len < len + ICV then
			return e.short, "Shorter than its security header and check value"
		end
		r:rest(tree, f.tss_encrypted, len, r.len - ICV - len)
		r:show(tree, f.tss_icv, r.len - ICV, ICV)
	end

	return tss
end

return { new = new }
