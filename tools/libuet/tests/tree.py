#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of libuet as it is built and installed: what it exports is what is written,
a stranger's program finds it, its manuals are right, the Python package agrees.

usage: tree.py LIBRARIES     folder with libuet.so.0 and libuet.a

Prints KTAP.
"""

import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile
import traceback

import man

HERE = man.HERE
TREE = os.path.realpath(os.path.join(HERE, "../../.."))
LIBUET = os.path.join(TREE, "tools/libuet")
WIRE = os.path.join(TREE, "net/uet/core/wire")
O = os.path.realpath(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
CC, CXX = os.environ.get("CC", "gcc"), os.environ.get("CXX", "g++")
STRICT = ["-Wall", "-Wextra", "-Werror"]
CASES = []


def case(name):
    def add(function):
        CASES.append((name, function))
        return function
    return add


def run(*argv, env=None, ok=True):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, env={**os.environ, **(env or {})})
    if ok and r.returncode:
        raise AssertionError(f"{' '.join(argv)}:\n{r.stdout}")
    return r.stdout


def same(a, b):
    a, b = set(a), set(b)
    assert a == b, f"only here {sorted(a - b)}, only there {sorted(b - a)}"


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


# --- what is exported --------------------------------------------------------

def header():
    """Functions that libuet.h declares, without those that it defines."""
    with open(f"{LIBUET}/libuet.h") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    inline = set(re.findall(r"static inline \w+ (\w+)\(", text))
    return set(re.findall(r"\b(libuet_\w+)\(", text)) - inline, inline


def exported():
    lines = run("nm", "-D", "--defined-only", f"{O}/libuet.so.0").splitlines()
    return [line.split()[-1] for line in lines if " A " not in line]


@case("exported symbols are those of libuet.h, with a version")
def _():
    same(exported(), {f"{n}@@LIBUET_0" for n in header()[0]})


@case("exported symbols, and functions of the header, have manuals")
def _():
    told = [n for text in man.pages().values() for n in man.names(text)]
    assert len(told) == len(set(told)), "a function has two pages"
    functions, inline = header()
    same([n for n in told if n != "libuet"], functions | inline)


@case("the archive defines no names of others")
def _():
    lines = run("nm", "-g", "--defined-only", f"{O}/libuet.a").splitlines()
    names = {line.split()[2] for line in lines if len(line.split()) == 3}
    same([n for n in names if not n.startswith("libuet__")], header()[0])


@case("nothing prints, exits, or trusts the environment of others")
def _():
    lines = run("nm", "-u", f"{O}/libuet.a").splitlines()
    used = {line.split()[1].split("@")[0] for line in lines
            if line.strip().startswith("U ")}
    bad = re.compile(r"(f|v|vf|__|__f|__v|__vf)?printf(_chk)?|f?put[sc].*|exit|"
                     r"_exit|abort|perror|v?(err|warn)x?|signal|sigaction|"
                     r"getenv|std(out|err)|pthread_create|.*syslog.*|strerror|"
                     r"strtok|gethostby.*|rand(om)?|setenv|fwrite|__assert_fail")
    found = [n for n in used if bad.fullmatch(n)]
    assert not found, found
    assert "secure_getenv" in used


# --- as others find it -------------------------------------------------------

PROGRAM = """
#include <libuet.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	struct sockaddr_uet sa;
	struct libuet_sock how;
	const char *step;
	char text[LIBUET_URI_SIZE];

	memset(&how, 0, sizeof(how));
	how.type = 12345;
	if (libuet_parse("uet://10.0.0.1/1/2/3", NULL, &sa) ||
	    libuet_format(&sa, text, sizeof(text)) < 0 ||
	    strcmp(libuet_version(), LIBUET_VERSION) ||
	    libuet_open(&how, &step) >= 0 || strcmp(step, "socket"))
		return 1;
	puts(text);
	return 0;
}
"""


def installed(root):
    run("make", "-s", "-C", LIBUET, f"O={O}", f"DESTDIR={root}", "PREFIX=/usr",
        "LIBDIR=/usr/lib/somewhere", "PYTHONDIR=/usr/lib/python3/dist-packages",
        "install", "install-python")
    return {"PKG_CONFIG_PATH": f"{root}/usr/lib/somewhere/pkgconfig",
            "PKG_CONFIG_SYSROOT_DIR": root,
            "LD_LIBRARY_PATH": f"{root}/usr/lib/somewhere"}


def flags(env):
    # Nothing but what the package says, so not the headers of this tree
    return run("pkg-config", "--cflags", "--libs", "libuet", env=env).split()


@case("make install: what is there, and where")
def _():
    with tempfile.TemporaryDirectory() as root:
        installed(root)
        files = {os.path.relpath(os.path.join(d, f), root)
                 for d, _, names in os.walk(root) for f in names}
        lib = "usr/lib/somewhere/"
        with open(f"{LIBUET}/libuet.h") as f:
            version = re.search(r'LIBUET_VERSION\s+"(.*)"', f.read())[1]
        pages = {f"usr/share/man/man3/{n}.3" for t in man.pages().values()
                 for n in man.names(t)}
        python = {f"usr/lib/python3/dist-packages/uet/{os.path.basename(p)}"
                  for p in glob.glob(f"{LIBUET}/python/uet/*.py")}
        same(files, {lib + "libuet.a", lib + "libuet.so", lib + "libuet.so.0",
                     lib + f"libuet.so.{version}", lib + "pkgconfig/libuet.pc",
                     "usr/include/uet/libuet.h",
                     "usr/include/uet/linux/uet.h",
                     "usr/include/uet/linux/uet_netlink.h",
                     "usr/share/man/man5/uet-services.5"} | pages | python)


def stranger(compiler, *options):
    with tempfile.TemporaryDirectory() as root:
        env = installed(root)
        source = write(f"{root}/p.c", PROGRAM)
        run(compiler, *STRICT, "-pedantic", *options, source, *flags(env), "-o",
            f"{root}/p")
        assert "libuet.so.0" in run("readelf", "-d", f"{root}/p")
        assert run(f"{root}/p", env=env) == "uet://10.0.0.1/1/2/3\n"


for _standard in "c99", "gnu11", "c2x":
    case(f"a program in {_standard} finds it by pkg-config")(
        lambda s=_standard: stranger(CC, f"-std={s}"))
for _standard in "c++11", "c++20":
    case(f"a program in {_standard} finds it by pkg-config")(
        lambda s=_standard: stranger(CXX, "-x", "c++", f"-std={s}"))


@case("a program with the archive alone")
def _():
    with tempfile.TemporaryDirectory() as root:
        env = installed(root)
        source = write(f"{root}/p.c", PROGRAM)
        cflags = run("pkg-config", "--cflags", "libuet", env=env).split()
        run(CC, *STRICT, *cflags, source, f"{env['LD_LIBRARY_PATH']}/libuet.a",
            "-o", f"{root}/p")
        assert "libuet" not in run("readelf", "-d", f"{root}/p")
        assert run(f"{root}/p") == "uet://10.0.0.1/1/2/3\n"


@case("a program built with a longer structure")
def _():
    with tempfile.TemporaryDirectory() as root:
        source = write(f"{root}/p.c", """
#include <errno.h>
#include <libuet.h>
int main(void)
{
	struct { struct libuet_sock how; long more[4]; } a = { { 0 }, { 0 } };
	const char *step;

	a.more[3] = 1;
	if (libuet_open_sized(&a.how, sizeof(a), &step) != -1 || errno != E2BIG)
		return 1;
	a.more[3] = 0;
	a.how.type = 12345;
	if (libuet_open_sized(&a.how, sizeof(a), NULL) != -1 || errno == E2BIG)
		return 2;
	/* Of one that is shorter, the rest is not looked at */
	a.how.type = 0;
	return libuet_open_sized(&a.how, 0, &step) >= 0 ? 0 : errno == E2BIG;
}
""")
        run(CC, *STRICT, f"-I{LIBUET}", f"-I{TREE}/include/uapi", source,
            f"{O}/libuet.a", "-o", f"{root}/p")
        run(f"{root}/p")


# --- manuals -----------------------------------------------------------------

@case("manuals: functions are declared as in libuet.h")
def _():
    with tempfile.TemporaryDirectory() as root:
        for page, text in man.pages().items():
            told = man.prototypes(text)
            inline = header()[1]
            same([n for n in told if n.startswith("libuet")],
                 [n for n in man.names(text) if n != "libuet"])
            source = write(f"{root}/p.c", "#include <libuet.h>\n" + "\n".join(
                "static inline " + d if n in inline else d
                for n, d in told.items()) + "\n")
            run(CC, "-Wall", "-Werror", f"-I{LIBUET}",
                f"-I{TREE}/include/uapi", "-c", source, "-o", f"{root}/p.o")


@case("manuals: examples are programs that compile and link")
def _():
    n = 0
    with tempfile.TemporaryDirectory() as root:
        env = installed(root)
        for page, text in man.pages().items():
            for program in man.programs(text):
                source = write(f"{root}/p.c", program)
                run(CC, "-std=gnu11", *STRICT, source, *flags(env), "-o",
                    f"{root}/p")
                n += 1
    assert n >= len(man.pages()), f"{n} programs"


@case("manuals: the example of services is read as it is written")
def _():
    text = man.pages("uet-services.5")["uet-services.5"]
    block = re.search(r"^\.Bd -literal.*?\n(.*?)^\.Ed", text, re.S | re.M)[1]
    with tempfile.TemporaryDirectory() as root:
        os.environ["UET_SERVICES"] = write(f"{root}/services", block)
        sys.path.insert(0, f"{LIBUET}/python")
        libc = ctypes.CDLL(None)
        libc.setenv(b"UET_SERVICES", os.environ["UET_SERVICES"].encode(), 1)
        import uet
        found = list(uet.services())
        assert found == [
            uet.Service("echo", 100, 0, None, ("ping",)),
            uet.Service("kv", 200, 1, 7, ("store", "cache"))], found


# --- names of codes ----------------------------------------------------------

def enum(path, prefix):
    with open(os.path.join(WIRE, path)) as f:
        text = f.read()
    found = re.findall(rf"^\t{prefix}(\w+) = (\w+),", text, re.M)
    return {int(v, 0): n for n, v in found}


def library():
    lib = ctypes.CDLL(f"{O}/libuet.so.0")
    for name in "libuet_code_name", "libuet_code_text":
        getattr(lib, name).restype = ctypes.c_char_p
    return lib


@case("codes are called as in the core and in the manual of codes")
def _():
    lib = library()
    with open(f"{TREE}/Documentation/networking/uet-counters.rst") as f:
        manual = re.sub(r"\\\*", "", f.read())
    ses, nack = enum("wire_ses.h", "UET_RC_"), enum("wire.h", "UET_NACK_")
    ses = {v: n for v, n in ses.items() if n != "CODES"}
    nack = {v: n for v, n in nack.items() if not n.startswith("CLASS_")}
    assert len(ses) > 30 and len(nack) > 20
    for source, codes, size in (1, ses, 64), (2, nack, 256):
        for code in range(size + 10):
            name = lib.libuet_code_name(source, code)
            assert (name.decode() if name else None) == codes.get(code), code
            assert bool(name) == bool(lib.libuet_code_text(source, code))
    for code, name in ses.items():
        assert code < 2 or re.search(rf"^{code} +{name}\b", manual, re.M), name
    for code, name in re.findall(r"^(\d+) ([A-Z_]+) +E[A-Z]+:", manual, re.M):
        assert nack[int(code)] == name, name


# --- Python ------------------------------------------------------------------

@case("Python: structures are those of C")
def _():
    from uet import _lib
    structures = {"sockaddr_uet": _lib.Sockaddr, "uet_msg_info": _lib.MsgInfo,
                  "libuet_attrs": _lib.Attrs, "uet_pktinfo": _lib.Pktinfo, "uet_report": _lib.Report,
                  "libuet_service": _lib.Service, "libuet_sock": _lib.Sock,
                  "uet_info": _lib.Info, "libuet_cq": _lib.Cq,
                  "uet_op": _lib.Op, "uet_completion": _lib.Completion}
    lines, expected = [], []
    for c, py in structures.items():
        lines.append(f'printf("%zu\\n", sizeof(struct {c}));')
        expected.append(ctypes.sizeof(py))
        for name, *_ in py._fields_:
            field = f"suet_{name}" if c == "sockaddr_uet" else name
            lines.append(f'printf("%zu\\n", offsetof(struct {c}, {field}));')
            expected.append(getattr(py, name).offset)
    with tempfile.TemporaryDirectory() as root:
        source = write(f"{root}/p.c", "#include <libuet.h>\n#include <stdio.h>\n"
                       "int main(void)\n{\n" + "\n".join(lines)
                       + "\nreturn 0;\n}\n")
        run(CC, f"-I{LIBUET}", f"-I{TREE}/include/uapi", source, "-o",
            f"{root}/p")
        assert [int(n) for n in run(f"{root}/p").split()] == expected


@case("Python: numbers are those of C")
def _():
    from uet import _lib
    with open(f"{LIBUET}/libuet.h") as f:
        h = dict(re.findall(r"#define LIBUET_(\w+)\s+(\w+)", f.read()))
    for name in ("COOKIE", "HEADER_DATA", "TAG", "DELIVERY", "TCLASS",
                 "TIMEOUT", "INFO", "URI_SIZE", "TEXT_SIZE"):
        assert getattr(_lib, name) == int(h[name], 0), name
    from uet import completion
    with open(f"{TREE}/include/uapi/linux/uet.h") as f:
        h = dict(re.findall(r"^(?:#define |\t)UET_((?:DONE|OP)_\w+)[\s=]+(\w+)",
                            f.read(), re.M))
    for name in "RECV", "PEEK", "SENT", "BUFFER", "WATCH", "PEER":
        assert getattr(completion, name) == int(h[f"DONE_{name}"], 0), name
    for name in "TAGGED", "HEADER_DATA", "LAST", "INLINE":
        assert getattr(completion, f"_{name}") == int(h[f"DONE_{name}"], 0), name
    for name, value in completion._RECV_FLAGS.items():
        assert value == int(h[f"OP_{name.upper()}"], 0), name
    for name in "SEND", "TSEND", "RECV", "TRECV":
        assert getattr(completion, f"_{name}") == int(h[f"OP_{name}"], 0), name
    for name in "MULTI", "INLINE", "IMM":
        assert getattr(completion, f"_OP_{name}") == int(h[f"OP_{name}"], 0), name
    assert completion._ANY == int(h["OP_ANY"].rstrip("U"), 0)
    assert completion.INLINE_MAX == int(h["OP_DATA_MAX"], 0)


@case("Python: addresses")
def _():
    import uet
    a = uet.Address("uet://[fe80::1%1]/7/100/5?absolute&initiator=0x1000000")
    assert str(a) == "uet://[fe80::1%lo]/7/100/5?absolute&initiator=0x1000000"
    assert (a.job, a.pid, a.ri, a.scope_id, a.absolute, a.initiator) == \
        (7, 100, 5, 1, True, 0x1000000)
    assert str(a.host) == "fe80::1" and a == uet.Address(str(a))
    b = uet.Address("10.0.0.1/100", base=a)
    assert (str(b.host), b.job) == ("10.0.0.1", 7) and a != b
    assert len({a, b, uet.Address(str(a))}) == 2
    for text, error in ("10.0.0/1", 22), ("10.0.0.1/4096", 34):
        try:
            uet.Address(text)
        except OSError as e:
            assert e.errno == error and e.filename == text, e
        else:
            raise AssertionError(text)
    assert uet.resolve("localhost/9")[0].pid == 9


@case("Python: reports")
def _():
    from uet import _lib, report
    raw = _lib.Report(error=111, type=1, source=1, code=26, cookie=7,
                      cookie_last=7, length=10)
    r = report.from_raw(raw, _lib.Sockaddr())
    assert (r.error, r.name, r.length, r.peer, list(r.cookies), r.ok) == \
        (111, "BAD_PID", 10, None, [7], False)
    assert str(r).startswith("message 7 (10 bytes) failed: Connection refused")
    try:
        r.raise_error()
    except ConnectionRefusedError as e:
        assert e.filename == str(r)
    else:
        raise AssertionError("no error")
    r = report.from_raw(_lib.Report(type=2, cookie=3, cookie_last=5),
                        _lib.Sockaddr(family=25))
    assert r.ok and r.peer and [list(x.cookies) for x in r.expand()] == \
        [[3], [4], [5]]
    r.raise_error()


@case("Python: bytes of all kinds can be sent")
def _():
    import array
    from uet._lib import memory_of
    for data in (b"", b"abc", bytearray(b"abc"), bytearray(), memoryview(b"abcd"),
                 memoryview(b"abcdef")[2:5], array.array("Q", [1, 2])):
        keep, start, size = memory_of(data)
        assert size == memoryview(data).nbytes
        assert not size or ctypes.string_at(start, size) == bytes(data)
        del keep
    room = bytearray(10)
    keep, start, size = memory_of(memoryview(room)[2:], writable=True)
    ctypes.memmove(start, b"1234", 4)
    assert size == 8 and room == b"\0\0" b"1234" + bytes(4)
    try:
        room.append(0)
        raise AssertionError("what somebody writes to may move")
    except BufferError:
        del keep
    room.append(0)
    for fixed in b"abc", memoryview(b"abc"):
        try:
            memory_of(fixed, writable=True)
            raise AssertionError("bytes can be written")
        except TypeError:
            pass


def main():
    os.environ.pop("UET_SERVICES", None)
    # For ctypes.CDLL("libuet.so.0") here, which has been found once then
    ctypes.CDLL(f"{O}/libuet.so.0", ctypes.RTLD_GLOBAL)
    print("KTAP version 1", flush=True)
    failed = 0
    for n, (name, function) in enumerate(CASES, 1):
        try:
            function()
            print(f"ok {n} {name}", flush=True)
        except Exception as e:
            failed += 1
            text = str(e) if isinstance(e, AssertionError) and str(e) else \
                traceback.format_exc()
            print("\n".join(f"# {line}" for line in text.splitlines()))
            print(f"not ok {n} {name}", flush=True)
    print(f"1..{len(CASES)}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
