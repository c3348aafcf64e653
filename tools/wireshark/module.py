# SPDX-License-Identifier: GPL-2.0
"""What the module itself says of the wire format: names and values of its enums, and its
examples of packets with what its parser makes of them."""

import os
import re

TREE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../..")


def _read(path):
    with open(os.path.join(TREE, path), encoding="utf-8") as f:
        return re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)


def enums():
    """{enum: {name: value}} of wire.h and wire_ses.h"""
    found = {}
    for path in ("wire.h", "wire_ses.h"):
        text = _read("net/uet/core/wire/" + path)
        for name, body in re.findall(r"^enum (\w+) \{\n(.*?)^\};", text, re.S | re.M):
            found[name] = {n: int(v, 0) for n, v in
                           re.findall(r"^\t(\w+) = (\w+),", body, re.M)}
    return found


def errors():
    """Names of enum uet_parse_err, by value"""
    body = re.search(r"^enum uet_parse_err \{(.*?)\};",
                     _read("net/uet/core/wire/hdr_parse.h"), re.S | re.M).group(1)
    return re.findall(r"UET_PERR_\w+", body)


def _constants():
    values = {"EX_SRC": 0x0a01, "EX_DST": 0x0b02}
    for members in enums().values():
        values.update(members)
    for path in ("wire.h", "wire_ses.h"):
        for name, value in re.findall(r"^#define\s+(\w+)\s+(0x[0-9a-f]+|\d+)U?\s",
                                      _read("net/uet/core/wire/" + path), re.M):
            values[name] = int(value, 0)
    text = _read("net/uet/core/wire/hdr_parse.h")
    body = re.search(r"^enum uet_violation \{(.*?)\};", text, re.S | re.M).group(1)
    for number, name in enumerate(re.findall(r"UET_VIOL_\w+", body)):
        values[name] = number
    return values


def _members(text, values):
    """{"psn": 1, "ack.cack_psn": 2, ...} of a designated initializer"""
    found, path, at = {}, [], 0
    token = re.compile(r"\s*(?:\.(\w+)\s*=\s*(\{)?|(\})|([^.{},]+)|,)")
    name = None
    while at < len(text):
        m = token.match(text, at)
        if not m:
            break
        at = m.end()
        if m.group(1):
            name = m.group(1)
            if m.group(2):
                path.append(name)
        elif m.group(3):
            if not path:
                break
            path.pop()
        elif m.group(4) and m.group(4).strip():
            words = re.sub(r"(0x[0-9a-fA-F]+|\d+)[UL]*\b", r"\1", m.group(4))
            value = eval(f"({words})", {"__builtins__": {}}, values)  # constants of this tree
            found[".".join([*path, name])] = value
    return found


def examples():
    """(name, bytes, payload bytes that are not in it, members of struct uet_pkt)"""
    values = _constants()
    text = _read("net/uet/tests/hdr_examples.h")
    for part in re.split(r"^\t\.name = ", text, flags=re.M)[1:]:
        name = re.match(r'"(.*?)"', part).group(1)
        data = bytes(int(b, 0) for b in re.search(
            r"\.bytes = \{(.*?)\}", part, re.S).group(1).replace(",", " ").split())
        extra = re.search(r"\.extra = (\w+)", part)
        body = part[part.index(".pkt = {") + len(".pkt = {"):]
        yield name, data, int(extra.group(1), 0) if extra else 0, _members(body, values)
