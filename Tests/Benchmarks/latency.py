"""P4: what the gateway adds to the latency of an evaluation at 500 requests a second, open loop."""

import json
import pathlib
import statistics
import subprocess
import tempfile

import machine
import payloads
import throwaway
from throwaway import Failure

RATE = 500
ROUNDS = 3
SECONDS = 5


def rows(run, chosen):
    """The rows `P4.tmpfs.*` and `P4.disk.*` that are wanted."""
    made = []
    for place, base in places(run.directory).items():
        names = [row for row in chosen if row.startswith(f"P4.{place}")]
        if not names:
            continue
        if base is None:
            made += [row(name, None, "ms", limit(name, 0), f"no {place} here", {}) for name in names]
            continue
        with tempfile.TemporaryDirectory(prefix="speechgate-bench.", dir=base) as directory:
            sync = machine.sync_micros(pathlib.Path(directory)) / 1000
            direct, through = measure(run, pathlib.Path(directory))
        for name in names:
            key = name.rpartition(".")[2]
            added = [(b[key] - a[key]) / 1000 for a, b in zip(direct, through)]
            peers = {
                "direct": {key: statistics.median(one[key] for one in direct)},
                "speechgate": {key: statistics.median(one[key] for one in through)},
            }
            what = f"{key} of the latency added to an evaluation, {RATE}/s open loop, state on {place}"
            made.append(row(name, round(statistics.median(added), 3), "ms", limit(name, sync), what, peers))
    return made


def places(directory):
    """A directory on tmpfs and one on a disk; None where there is none."""
    own, memory = directory, pathlib.Path("/dev/shm")
    is_memory = machine.file_system(own) == "tmpfs"
    has_memory = memory.is_dir() and machine.file_system(memory) == "tmpfs"
    return {"tmpfs": memory if has_memory else own if is_memory else None, "disk": None if is_memory else own}


def limit(name, sync):
    """The first bar in milliseconds: on a disk the median may take two of its synchronous writes longer."""
    return {
        "P4.tmpfs.p50": 0.6, "P4.tmpfs.p99": 3, "P4.disk.p50": round(0.6 + 2 * sync, 3), "P4.disk.p99": 5
    }[name]  # fmt: skip


def row(name, value, unit, bar, what, peers):
    return {
        "id": name, "what": what, "value": value, "unit": unit, "bar": bar,
        "met": value is not None and value <= bar, "peers": peers,
    }  # fmt: skip


def measure(run, directory):
    """Rounds of the same load against the platform itself and against a gateway with fresh state, in turn."""
    gateway = run.start_gateway(directory / "gateway")
    try:
        head = payloads.head(
            "POST /api/v1/evaluate HTTP/1.1", gateway.add_client("bench")["apiKey"], "@KEY@", payloads.UPLOAD_BYTES
        )
        (directory / "head").write_bytes(head)
        (directory / "body").write_bytes(payloads.upload())
        generate(run, directory, gateway.port, "warm", 1)
        direct, through = [], []
        for number in range(ROUNDS):
            direct.append(generate(run, directory, run.platform_port, f"direct-{number}", SECONDS))
            through.append(generate(run, directory, gateway.port, f"open-{number}", SECONDS))
        return direct, through
    finally:
        gateway.stop()


def generate(run, directory, port, prefix, seconds):
    """One run of the generator; microseconds from when each request was due."""
    command = [
        run.peers / "openloop", "-address", f"127.0.0.1:{port}", "-rate", RATE, "-seconds", seconds,
        "-head", directory / "head", "-body", directory / "body", "-prefix", prefix,
    ]  # fmt: skip
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=seconds + 60)
    if done.returncode != 0:
        raise Failure(f"the open-loop generator failed: {done.stderr}")
    result = json.loads(done.stdout)
    if result["failed"]:
        where = throwaway.last_lines(directory / "gateway" / "gateway.log")
        raise Failure(f"{result['failed']} of {result['requests']} failed ({result['firstFailure']})\n{where}")
    return result
