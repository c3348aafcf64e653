# SPDX-License-Identifier: GPL-2.0
# What each counter counts, of the table in uet-counters.rst, as initializers in C

function end_row()
{
	if (name)
		printf "\t{ \"%s\", \"%s\" },\n", name, text
}

/^counter  / { inside = 1; next }
inside && /^===/ && name { exit }
!inside || /^===/ { next }
/^[A-Z]/ { end_row(); name = $1; text = ""; $1 = "" }
{
	gsub(/``/, "")
	gsub(/^ +/, "")
	text = text (text ? " " : "") $0
}
END { end_row() }
