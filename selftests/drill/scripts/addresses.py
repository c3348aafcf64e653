# SPDX-License-Identifier: GPL-2.0
"""Endpoints: job, PIDonFEP, resource index, initiator (UE 1.0 3.4)."""
from drill import CLEAR, INDEX, PID, ack, p, request, rule, same

RESPONSE = 1
JOB = 0x00abcd


def refused(pdc, n, rc, **fields):
    pdc.inject(request(n, **fields))
    return pdc.expect(ack(n, rc=rc, rsp_op=RESPONSE, req=CLEAR))


@rule("3.4", "A message goes to the endpoint {JobID, PIDonFEP, RI}")
def endpoint(d):
    socks = {(pid, ri): d.socket(f"{pid}/{ri}") for pid, ri in
             ((310, 0), (310, 5), (311, 0))}
    pdc = d.open()
    for n, (pid, ri) in enumerate(socks, 1):
        pdc.inject(request(n, pid=pid, index=ri, data=b"%d/%d" % (pid, ri), ar=True))
        pdc.expect(ack(n, cack=n, rc=p.RC_OK))
    for (pid, ri), sock in socks.items():
        same("delivered", sock.recv_message().data, b"%d/%d" % (pid, ri))


@rule("3.4", "A PIDonFEP that nothing has is answered BAD_PID; the PDC opens and goes on")
def bad_pid(d):
    pdc = d.pdc()
    pdc.inject(request(0, syn=True, pid=3000))
    pdc.remote = pdc.expect(ack(0, cack=-1, rc=p.RC_BAD_PID, rsp_op=RESPONSE,
                                req=CLEAR)).spdcid
    pdc.inject(request(1, ar=True, clear=0))
    pdc.expect(ack(1, cack=1, rc=p.RC_OK))


@rule("3.4", "An RI that the PIDonFEP does not have is answered BAD_INDEX")
def bad_index(d):
    pdc = d.open()
    refused(pdc, 1, p.RC_BAD_INDEX, index=77)


@rule("3.4", "A job that no endpoint is in is answered BAD_JOB_ID, with that job")
def bad_job(d):
    pdc = d.open()
    same("job", refused(pdc, 1, p.RC_BAD_JOB_ID, job=0x123456).job, 0x123456)


@rule("3.4", "With REL a PIDonFEP is that of the job: the same number in two jobs is two "
      "endpoints")
def jobs(d):
    none = d.socket(312)
    job = d.socket(312, job=JOB)
    pdc = d.open()
    for n, number in (1, JOB), (2, 0):
        pdc.inject(request(n, pid=312, job=number, data=b"%d" % number, ar=True))
        pdc.expect(ack(n, cack=n, rc=p.RC_OK, job=number))
    same("delivered", job.recv_message().data, b"%d" % JOB)
    same("delivered", none.recv_message().data, b"0")


@rule("3.4", "JobID 0 is no job")
def no_job(d):
    sock = d.send()
    pdc = d.opened()
    pdc.expect(request(0, job=0))
    pdc.inject(ack(0))
    d.delivered(sock)


@rule("3.4", "Requests have the job of their socket, and so do answers to them")
def job_sent(d):
    sock = d.socket(100, job=JOB, notify=True)
    d.send(sock=sock, to=f"uet://{d.bracketed(d.own)}/{JOB}/{PID}/{INDEX}")
    pdc = d.opened()
    pdc.expect(request(0, job=JOB, rel=True))
    pdc.inject(ack(0, job=JOB))
    d.delivered(sock)


@rule("3.4", "PIDonFEP and RI have 12 bits")
def widths(d):
    sock = d.send(to=d.here(4095, 4095))
    pdc = d.opened()
    pdc.expect(request(0, pid=4095, index=4095))
    pdc.inject(ack(0))
    d.delivered(sock)
    ours = d.open()
    mine = d.socket("4095/4095")
    ours.inject(request(1, pid=4095, index=4095, ar=True))
    ours.expect(ack(1, cack=1, rc=p.RC_OK))
    same("delivered", mine.recv_message().data, b"data")


@rule("3.4", "The initiator names the sending process: PIDonFEP and RI as the module makes "
      "it, so that a receiver can reply")
def initiator(d):
    sock = d.send(local="105/3")
    pdc = d.opened()
    pdc.expect(request(0, initiator=105 << 12 | 3))
    pdc.inject(ack(0))
    d.delivered(sock)
    ours = d.open()
    d.messages()
    ours.inject(request(1, initiator=123 << 12 | 45, ar=True))
    ours.expect(ack(1))
    ours.inject(request(2, initiator=0x12345678, ar=True))
    ours.expect(ack(2))
    known, foreign = d.messages()
    same("sender", (known.sender.pid, known.sender.ri), (123, 45))
    same("sender", (foreign.sender.pid, foreign.sender.initiator), (0, 0x12345678))


@rule("3.4", "REL 0: a PIDonFEP is absolute on its endpoint; the receiver is told")
def absolute(d):
    pdc = d.open()
    d.messages()
    for n, rel in (1, True), (2, False):
        pdc.inject(request(n, rel=rel, ar=True))
        pdc.expect(ack(n, cack=n, rc=p.RC_OK))
    same("absolute", [m.sender.absolute for m in d.messages()], [False, True])


@rule("3.4", "A host that is not trusted may not use a job")
def untrusted(d):
    sock = d.socket(313, job=JOB)
    pdc = d.open()
    d.setting(trust_jobs=0)
    refused(pdc, 1, p.RC_BAD_JOB_ID, pid=313, job=JOB)
    d.setting(trust_jobs=1)
    pdc.inject(request(2, pid=313, job=JOB, ar=True))
    pdc.expect(ack(2, rc=p.RC_OK))
    same("delivered", sock.recv_message().data, b"data")


@rule("3.4", "The fabric address is the destination address of the packet: an endpoint that "
      "is bound to another one does not get it")
@rule("3.4", "A PIDonFEP of another fabric address is unknown: BAD_PID")
def fabric_address(d):
    elsewhere = d.socket(314, addr="127.0.0.1" if d.host.family == 4 else "::1")
    pdc = d.open()
    refused(pdc, 1, p.RC_BAD_PID, pid=314)
    here = d.socket(314)
    pdc.inject(request(2, pid=314, ar=True))
    pdc.expect(ack(2, rc=p.RC_OK))
    same("delivered", here.recv_message().data, b"data")
    elsewhere.settimeout(0)
    try:
        raise AssertionError(f"{elsewhere.recv()} was delivered")
    except BlockingIOError:
        pass
