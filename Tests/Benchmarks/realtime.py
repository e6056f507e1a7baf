"""P6: what the gateway adds to the way of each frame of a thousand realtime sessions that speak at the pace of speech."""

import json
import pathlib
import resource
import shutil
import subprocess
import tempfile
import time
import urllib.request

import machine
import payloads
import peer_servers
import throwaway
from throwaway import Failure

SESSIONS, SECONDS, CLIENTS, BROKEN = 1000, 60, 8, 5
BAR = 20
# The audio of all sessions lies in the spool, which may take half of the disk.
DISK_NEEDED = 2 * SESSIONS * SECONDS * 32_000
WHAT = (
    f"p99 that is added to the way of a frame, {SESSIONS} realtime sessions of {SECONDS} s by {CLIENTS} clients, replay on, "
    f"{BROKEN} % broken once; direct and nginx without breaks"
)


def rows(run, chosen):
    """The row `P6`, if it is wanted."""
    if "P6" not in chosen:
        return []
    if shutil.disk_usage(run.directory).free < DISK_NEEDED:
        return [row(None, f"{WHAT}: not run, too little disk is free", {})]
    allow_descriptors(4 * SESSIONS + 256)
    with tempfile.TemporaryDirectory(prefix="speechgate-bench.", dir=run.directory) as directory:
        measured = measure(run, pathlib.Path(directory))
    added = {name: (one["p99"] - measured["direct"]["p99"]) / 1000 for name, one in measured.items()}
    peers = {name: measured[name] for name in ("speechgate", "direct", "nginx")}
    what = f"{WHAT}; nginx adds {added['nginx']:.2f} ms; state on {machine.file_system(run.directory)}"
    return [row(round(added["speechgate"], 2), what, peers)]


def row(value, what, peers):
    return {
        "id": "P6", "what": what, "value": value, "unit": "ms", "bar": BAR,
        "met": value is not None and value <= BAR, "peers": peers,
    }  # fmt: skip


def allow_descriptors(wanted):
    """Raises the limit for this process and what it starts: a session is two sockets and a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise Failure(f"{wanted} file descriptors are needed, the hard limit is {hard}: raise it with ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def measure(run, directory):
    """The same sessions against the platform itself, through nginx, and through a gateway with fresh state."""
    (port,) = throwaway.free_ports(1)
    (directory / "evaluation.json").write_bytes(payloads.evaluation())
    log = directory / "listener.log"
    command = [run.peers / "listener", "-listen", f"127.0.0.1:{port}", "-evaluation", directory / "evaluation.json"]
    listener = throwaway.start(command, log)
    nginx = gateway = None
    try:
        throwaway.wait_for("the realtime platform", lambda: heard(port), listener, log)
        place = Place(directory, port, run.loops)
        nginx = peer_servers.start("nginx", place)
        platform = {"http": f"http://127.0.0.1:{port}", "appKey": "bench", "secretKey": "not-checked-here"}
        state = directory / "gateway"
        state.mkdir(mode=0o700)
        account = {"concurrency": SESSIONS + 100}
        gateway = throwaway.Gateway(
            run.binaries, state, platform, account=account, loops=run.loops, log={"level": "notice"}
        )
        gateway.start()
        keys = [gateway.add_client(f"bench-{number}")["apiKey"] for number in range(CLIENTS)]
        process = gateway.process
        return {
            "direct": speak(run, port, port, "direct", None),
            "nginx": speak(run, nginx.port, port, "nginx", nginx.pids),
            "speechgate": speak(run, gateway.port, port, "speechgate", [process.pid], keys=keys, broken=BROKEN),
        }
    except Failure as failure:
        if gateway:
            raise Failure(f"{failure}\n{throwaway.last_lines(gateway.log)}") from None
        raise
    finally:
        if gateway:
            gateway.stop()
        if nginx:
            throwaway.stop(nginx.process)
        throwaway.stop(listener)


class Place:
    """What a peer needs to know of where it is started."""

    def __init__(self, directory, platform_port, loops):
        self.directory, self.platform_port, self.loops = directory, platform_port, loops


def heard(port):
    """What the platform has measured since it was asked last."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/__latency", timeout=30) as answer:
            return json.loads(answer.read())
    except OSError:
        return None


def speak(run, port, platform_port, name, pids, keys=(), broken=0):
    """One run of the load; microseconds from when each frame was due to its first arrival, and CPU of the relay."""
    cpu = machine.cpu_seconds(pids) if pids else 0
    command = [
        run.peers / "speakers", "-address", f"127.0.0.1:{port}", "-sessions", SESSIONS, "-seconds", SECONDS,
        "-broken", broken, "-keys", ",".join(keys), "-prefix", name,
    ]  # fmt: skip
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=SECONDS + 180)
    if done.returncode != 0:
        raise Failure(f"the speakers failed: {done.stderr}")
    result = json.loads(done.stdout)
    time.sleep(0.5)
    listened = heard(platform_port)
    records = SESSIONS * SECONDS * 50
    if result["results"] < SESSIONS or listened["mistakes"] or listened["records"] < records:
        raise Failure(f"{name}: {result}; the platform heard {listened}")
    if listened["evaluations"] != SESSIONS or listened["breaks"] != SESSIONS * broken // 100:
        raise Failure(f"{name}: {SESSIONS} sessions with {broken} % broken, but the platform counted {listened}")
    figures = {"p50": listened["p50"], "p99": listened["p99"], "p999": listened["p999"]}
    if pids:
        # Times are told in microseconds: those of a frame here.
        figures["cpu"] = round((machine.cpu_seconds(pids) - cpu) * 1e6 / records, 1)
    return figures
