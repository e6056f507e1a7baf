"""What scripts/bench.sh runs once the programs are built; see there. Rows and bars are those of the design."""

import argparse
import json
import os
import pathlib
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

import large_store
import latency
import machine
import memory
import peer_servers
import realtime
import topology
from throwaway import Failure

# What wrk does in a round. The peer of "replay" is nginx in "fresh": the same bytes up, the same bytes down.
LOADS = ["report", "fresh", "replay", "record"]
# Servers that take part in these loads without a bar, to be seen beside; not in a quick run.
BESIDE = {"haproxy": ["report", "fresh"], "node": ["report", "fresh"]}
# id: what, load, the peer's load, the peer, the first bar (times the peer's rate)
RATIOS = {
    "P1": ("report GET sent upstream, 1 KB", "report", "report", "nginx", 0.55),
    "P1.go": ("report GET sent upstream, 1 KB", "report", "report", "go", 1.9),
    "P2": ("60 KB evaluation claimed, signed, forwarded, stored; peer merely proxies", "fresh", "fresh", "nginx", 0.30),
    "P2.go": ("60 KB evaluation claimed, signed, forwarded, stored; peer merely proxies", "fresh", "fresh", "go", 0.75),
    "P3a": ("replay, 60 KB uploaded and hashed; peer proxies it", "replay", "fresh", "nginx", 1.2),
    "P3b": ("GET /v1/records/{id}, 24 KB; peer proxies 24 KB", "record", "record", "nginx", 1.5),
}
MEMORY = {
    "P5.idle": ("resident memory, idle after the start", 36),
    "P5.connections": ("resident memory that 5,000 idle connections add", 5),
    "P5.uploads": ("peak of resident memory under 64 concurrent uploads of 50 MB by 8 clients", 160),
}
REALTIME = ["P6"]
LATENCY = ["P4.tmpfs.p50", "P4.tmpfs.p99", "P4.disk.p50", "P4.disk.p99"]
# --quick makes these, in under 50 s on a finished build.
QUICK = [*RATIOS, "P5.idle"]
ROUNDS = 3


def say(text=""):
    print(text, file=sys.stderr, flush=True)


class Parser(argparse.ArgumentParser):
    """Ends with the exit code that all our programs have for a wrong command line."""

    def error(self, message):
        say(f"bench.sh: {message} (--help explains)")
        sys.exit(64)


def parse(arguments):
    parser = Parser(prog="bench.sh", description="Benchmarks beside nginx and a Go ReverseProxy.")
    parser.add_argument("--quick", action="store_true", help="the rows with a figure per second, 3 rounds of 1 s instead of 5 s")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="write the rows (stdout without FILE)")
    parser.add_argument("--state", metavar="DIR", help="where the gateway's state lies (default: $TMPDIR or /tmp)")
    parser.add_argument("rows", nargs="*", metavar="P1", help="rows to measure (default: all)")
    parser.add_argument("--binaries", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--peers", required=True, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    known = [*RATIOS, *LATENCY, *MEMORY, *REALTIME, *large_store.ROWS]
    # `--json P1` means the row, not a file of that name.
    if options.json in known or (options.json or "").rstrip("ab") in ("P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8"):
        options.rows.insert(0, options.json)
        options.json = "-"
    default = QUICK if options.quick else known
    chosen = [
        row for row in known if (row in default if not options.rows else any(row.startswith(n) for n in options.rows))
    ]
    for name in options.rows:
        if not any(row.startswith(name) for row in known):
            parser.error(f"unknown row {name}; there are {', '.join(known)}")
    return options, chosen


def plan(rows, is_quick):
    """The (server, load) pairs that the rows need, once each."""
    pairs = []
    for row in rows:
        if row in RATIOS:
            _, load, peer_load, peer, _ = RATIOS[row]
            pairs += [("speechgate", load), (peer, peer_load)]
    if not is_quick:
        loads = {load for _, load in pairs}
        pairs += [(server, load) for server, those in BESIDE.items() for load in those if load in loads]
    return list(dict.fromkeys(pairs))


def measure(run, pairs, seconds):
    """The samples of interleaved rounds; each round begins with another server."""
    samples = {pair: [] for pair in pairs}
    order = [name for name in ["speechgate", "nginx", "go", *BESIDE] if any(name == server for server, _ in pairs)]
    for server in order:  # unmeasured: opens the connections to the platform, warms caches
        load = next((load for name, load in pairs if name == server), None)
        if load:
            run.measure(server, load, 1)
    for number in range(ROUNDS):
        first = number % len(order)
        turn = order[first:] + order[:first]
        for load in LOADS:
            for server in turn:
                if (server, load) in samples:
                    sample = run.measure(server, load, seconds)
                    samples[server, load].append(sample)
                    rate, cpu = sample["rate"], sample["cpu"]
                    say(f"  round {number + 1}  {load:7} {server:11} {rate:9.0f}/s {cpu:8.1f} µs CPU")
    return samples


def figures(samples):
    def median(key):
        return statistics.median(one[key] for one in samples)

    return {
        "requestsPerSecond": round(median("rate")),
        "cpuMicrosecondsPerRequest": round(median("cpu"), 1),
        "p50Microseconds": round(median("p50")),
        "p99Microseconds": round(median("p99")),
    }


def ratio_rows(chosen, samples, where):
    rows = []
    for row in chosen:
        if row not in RATIOS:
            continue
        what, load, peer_load, peer, bar = RATIOS[row]
        if load == "fresh":
            what += f"; state on {where}"
        ours, theirs = samples["speechgate", load], samples[peer, peer_load]
        # Round by round, since a machine's speed drifts more between rounds than within one.
        value = statistics.median(a["rate"] / b["rate"] for a, b in zip(ours, theirs))
        peers = {"speechgate": figures(ours), peer: figures(theirs)}
        if row in ("P1", "P2"):
            peers |= {name: figures(samples[name, load]) for name in BESIDE if (name, load) in samples}
        rows.append(make_row(row, what, round(value, 3), f"of {peer}'s rate", bar, value >= bar, peers))
    return rows


def memory_rows(chosen, run, idle):
    rows = []
    for row in chosen:
        if row not in MEMORY:
            continue
        what, bar = MEMORY[row]
        peers = {}
        if row == "P5.idle":
            value = idle["speechgate"] / 1e6
            peers = {name: {"megabytes": round(size / 1e6, 1)} for name, size in idle.items()}
        else:
            value = memory.connections(run) if row == "P5.connections" else memory.uploads(run)
        if value is None:
            rows.append(make_row(row, f"{what}: not run, too little disk is free", None, "MB", bar, False, peers))
        else:
            rows.append(make_row(row, what, round(value, 1), "MB", bar, value <= bar, peers))
    return rows


def make_row(row, what, value, unit, bar, met, peers):
    return {"id": row, "what": what, "value": value, "unit": unit, "bar": bar, "met": met, "peers": peers}


def table(rows):
    """The rows for a person: the ratio and its bar, then rate and CPU per request of both sides."""
    lines = [f"{'row':14} {'value':>7}  {'bar':>5}  {'':7} {'speechgate':>24}  {'peers':>31}"]
    for row in rows:
        cells = []
        for name, peer in row["peers"].items():
            label = "" if name == "speechgate" else f"{name} "
            if "megabytes" in peer:
                cells.append(f"{label}{peer['megabytes']} MB")
            elif "requestsPerSecond" not in peer:
                cells.append(f"{label or 'through '}" + " ".join(f"{k} {v / 1000:.2f} ms" for k, v in peer.items()))
            else:
                cells.append(f"{label}{peer['requestsPerSecond']}/s {peer['cpuMicrosecondsPerRequest']} µs CPU")
        met = "met" if row["met"] else "not met"
        ours, theirs = (cells or [""])[0], "  ".join(cells[1:])
        value = "not run" if row["value"] is None else row["value"]
        lines.append(f"{row['id']:14} {value:>7}  {row['bar']:5}  {met:7} {ours:>24}  {theirs:>31}")
    return "\n".join(lines)


def description():
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{os.cpu_count()} cores, {model}, Linux {platform.release()}"


def main(arguments):
    options, chosen = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    directory = pathlib.Path(tempfile.mkdtemp(prefix="speechgate-bench.", dir=options.state))
    directory.chmod(0o755)  # nginx's workers look for their temporary folders in it
    loops = os.cpu_count() or 1
    run = topology.Topology(pathlib.Path(options.binaries), pathlib.Path(options.peers), directory, loops)
    try:
        peer_servers.build(run.peers)
        where = machine.file_system(directory)
        say(f"{description()}; {loops} loops, nginx workers and GOMAXPROCS; {topology.CONNECTIONS} connections")
        say(f"state in {directory} ({where}, fdatasync of 4 KiB {machine.sync_micros(directory):.0f} µs)")
        pairs = plan(chosen, options.quick)
        # Idle memory is shown beside the peers that it always was.
        run.start(dict.fromkeys(["nginx", "go", *(name for name, _ in pairs if name != "speechgate")]))
        idle = run.idle_memory() if "P5.idle" in chosen else {}
        # Before any load: what a load leaves behind is not an idle connection's.
        rows = memory_rows([row for row in chosen if row != "P5.uploads"], run, idle)
        if pairs:
            run.prepare()
        samples = measure(run, pairs, 1 if options.quick else 5) if pairs else {}
        rows += ratio_rows(chosen, samples, where)
        rows += latency.rows(run, chosen)
        rows += realtime.rows(run, chosen)
        for row in large_store.rows(run, chosen, 1 if options.quick else 5):
            rows.append(row | {"peers": {name: figures(those) for name, those in row["peers"].items()}})
        rows += memory_rows([row for row in chosen if row == "P5.uploads"], run, idle)
        rows.sort(key=lambda row: chosen.index(row["id"]))
    except (Failure, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        say(f"bench.sh: {error if isinstance(error, Failure) else f'{type(error).__name__}: {error}'}")
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        run.close()
        shutil.rmtree(directory, ignore_errors=True)
    text = json.dumps(rows, ensure_ascii=False)
    if options.json == "-":
        print(text)
    elif options.json:
        pathlib.Path(options.json).write_text(text + "\n")
    print(table(rows), file=sys.stderr if options.json == "-" else sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
