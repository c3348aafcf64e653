# SPDX-License-Identifier: GPL-2.0
def write(out, report, names, experiments):
    raise SystemExit("later")
