# SPDX-License-Identifier: GPL-2.0
"""Sockets of the Ultra Ethernet Transport (AF_UET), by way of libuet.

    import uet

    with uet.Socket(local="any/100") as server:
        message = server.recv_message()
        server.send(message.data, message.sender)

Addresses are uet.Address, or text as libuet_resolve(3) reads it.  What fails raises
OSError; failures of messages that were on their way are uet.Report, from
Socket.reports().  A socket has a fileno() for select, selectors and asyncio;
uet.aio.AsyncSocket has coroutines.  Receives and sends that are posted ahead have a
uet.Queue, which tells what became of them.
"""

from ._lib import AF_UET, library_version
from .address import Address, Local, Service, resolve, services
from .completion import Completion, Queue
from .report import Report
from .sock import Message, Socket

__version__ = "0.2.0"
__all__ = ["AF_UET", "Address", "Completion", "Local", "Message", "Queue", "Report", "Service",
           "Socket", "library_version", "resolve", "services"]
