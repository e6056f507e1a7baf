"""P5: what the gateway's memory grows by under idle connections and under large uploads."""

import pathlib
import resource
import shutil
import socket
import threading
import time

import machine
import payloads
from throwaway import Failure

IDLE_CONNECTIONS = 5000
UPLOADS, CLIENTS = 64, 8
UPLOAD_BYTES = 50 << 20
PIECE = bytes(1 << 20)
# What 64 uploads need in the state directory, and room beside.
DISK_NEEDED = 8 << 30


def connections(run):
    """Megabytes that 5,000 idle connections add, each of which has been used once."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = IDLE_CONNECTIONS + 256
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise Failure(f"{wanted} file descriptors are needed, the hard limit is {hard}: raise it with ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    server = run.servers["speechgate"]
    before = machine.resident_bytes(server.pids)
    request = b"GET /v1/echo HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    sockets = []
    try:
        for _ in range(IDLE_CONNECTIONS):
            one = socket.create_connection(("127.0.0.1", server.port), timeout=10)
            sockets.append(one)
            one.sendall(request)
            if not one.recv(65536).startswith(b"HTTP/1.1 200"):
                raise Failure("an idle connection's first request was not answered with 200")
        time.sleep(1)
        return (machine.resident_bytes(server.pids) - before) / 1e6
    finally:
        for one in sockets:
            one.close()


def uploads(run):
    """The gateway's peak in megabytes while 64 uploads of 50 MB run; None where the disk is too small."""
    if shutil.disk_usage(run.directory).free < DISK_NEEDED:
        return None
    server = run.servers["speechgate"]
    keys = [run.gateway.add_client(f"upload-{number}")["apiKey"] for number in range(CLIENTS)]
    for pid in server.pids:
        pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")  # the peak starts over
    failures = []
    # All send their first piece before any sends its last: they really are 64 at a time.
    barrier = threading.Barrier(UPLOADS, timeout=120)
    threads = [
        threading.Thread(target=upload, args=(server.port, keys[n % CLIENTS], n, barrier, failures))
        for n in range(UPLOADS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise Failure(f"{len(failures)} of {UPLOADS} uploads failed; the first one: {failures[0]}")
    return machine.peak_bytes(server.pids) / 1e6


def upload(port, key, number, barrier, failures):
    front, back = payloads.form_around_audio()
    length = UPLOAD_BYTES - (64 << 10)
    head = payloads.head("POST /api/v1/evaluate HTTP/1.1", key, f"upload-{number}", length)
    missing = length - len(front) - len(back)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=120) as one:
            one.sendall(head + front)
            while missing > len(PIECE):
                one.sendall(PIECE)
                missing -= len(PIECE)
            barrier.wait()
            one.sendall(PIECE[:missing] + back)
            status = one.recv(65536).split(b"\r\n", 1)[0]
        if b" 200 " not in status + b" ":
            failures.append(status)
    except (OSError, threading.BrokenBarrierError) as error:
        barrier.abort()
        failures.append(error)
