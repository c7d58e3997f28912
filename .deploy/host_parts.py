"""What host.py asks of the machine: ports, processes that end with it, and a visit to a page."""

import ctypes
import signal
import socket
import sys

LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def follow():
    """Make a new process end when host.py does, however that ends (Linux: when the thread does that starts it)."""
    if LIBC:
        LIBC.prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def free_port():
    """A loopback port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def claim(address, port):
    """Say so where the proxy cannot have its port; nginx would try for seconds."""
    name = address.strip("[]")
    try:
        socket.create_server((name, port), family=socket.AF_INET6 if ":" in name else socket.AF_INET).close()
    except OSError as error:
        raise RuntimeError(f"the lab cannot have port {port}: {error.strerror}") from error


def draw(port, page):
    """Visit a page as a browser does, and wait until it is drawn."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.sync.client import connect

    ask = BackMsg()
    ask.rerun_script.page_name = page
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], max_size=None, open_timeout=30) as server:
        server.send(ask.SerializeToString())
        while ForwardMsg.FromString(server.recv(timeout=60)).WhichOneof("type") != "script_finished":
            pass
