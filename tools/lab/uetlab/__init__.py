# SPDX-License-Identifier: GPL-2.0
"""The fabric laboratory: experiments on the real module in exact virtual time."""
