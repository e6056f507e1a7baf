"""P7 and P8: a gateway whose store holds a million records of 1 KB."""

import json
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

import seed_store
import throwaway
from throwaway import Failure

RECORDS = 1_000_000
# The database is 2 GB; rounds and the log come on top.
ROOM = 4 << 30
STARTS = 5
ROUNDS = 3
ROWS = {
    "P7": ("start to ready with 1,000,000 records", "ms", 100),
    "P8": ("P2 with 1,000,000 records of 1 KB in the store, against an empty one", "of P2's rate", 0.8),
}


def rows(run, chosen, seconds):
    """The rows that are wanted."""
    wanted = [row for row in ROWS if row in chosen]
    if not wanted:
        return []
    if shutil.disk_usage(run.directory).free < ROOM:
        return [row(name, None, {}, "too little disk is free") for name in wanted]
    with tempfile.TemporaryDirectory(prefix="large.", dir=run.directory) as directory:
        gateway = run.start_gateway(pathlib.Path(directory) / "gateway")
        try:
            key = gateway.add_client("bench")["apiKey"]
            gateway.stop()
            seed_store.seed(gateway.directory, "bench", RECORDS)
            made = []
            if "P7" in wanted:
                times = [start(gateway) for _ in range(STARTS)]
                made.append(row("P7", round(statistics.median(times), 1), {}))
            if "P8" in wanted:
                gateway.start()
                made.append(row("P8", *compare(run, gateway, key, seconds)))
            return made
        finally:
            gateway.stop()


def start(gateway):
    """Milliseconds from the start of the process to the line that says that it serves."""
    began = time.monotonic()
    with open(gateway.log, "ab") as log:
        process = subprocess.Popen(
            [str(gateway.program), "serve", "--config", str(gateway.configuration)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, preexec_fn=throwaway.end_with_parent,
        )  # fmt: skip
    line = process.stdout.readline()
    taken = (time.monotonic() - began) * 1000
    process.send_signal(signal.SIGTERM)
    process.wait(10)
    process.stdout.close()
    if not line or "gateway" not in json.loads(line):
        raise Failure(f"speechgate did not start:\n{throwaway.last_lines(gateway.log)}")
    return taken


def compare(run, gateway, key, seconds):
    """The ratio of the two rates, round by round, and the figures of both."""
    run.prepare()
    run.add_server("speechgate-large", gateway, key)
    samples = {"speechgate": [], "speechgate-large": []}
    names = list(samples)
    for name in names:
        run.measure(name, "fresh", 1)
    for number in range(ROUNDS):
        for name in names if number % 2 else reversed(names):
            samples[name].append(run.measure(name, "fresh", seconds))
    value = statistics.median(
        large["rate"] / empty["rate"] for empty, large in zip(samples["speechgate"], samples["speechgate-large"])
    )
    return round(value, 3), samples


def row(name, value, samples, note=None):
    what, unit, bar = ROWS[name]
    met = value is not None and (value <= bar if name == "P7" else value >= bar)
    what = f"{what}: not run, {note}" if note else what
    return {"id": name, "what": what, "value": value, "unit": unit, "bar": bar, "met": met, "peers": samples}
