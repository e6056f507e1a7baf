"""The processes of a benchmark run: the platform, the gateway, its peers, the load generator."""

import json
import os
import pathlib
import subprocess
import time
import urllib.request

import payloads
import peer_servers
import throwaway
from machine import cpu_seconds, resident_bytes
from peer_servers import Server, program
from throwaway import Failure

HERE = pathlib.Path(__file__).resolve().parent
CONNECTIONS = 64


class Topology:
    """Starts everything on loopback and measures one load at a time."""

    def __init__(self, binaries, peers, directory, loops):
        self.binaries, self.peers, self.directory, self.loops = binaries, peers, directory, loops
        self.servers = {}
        self.gateway = None
        self.platform = None
        self.platform_port = None
        self.gateways = {}
        self.api_key = None
        self.record_id = None
        self.serial = 0

    def start(self, peers):
        """Starts the platform, the gateway and the named peers."""
        self._start_platform()
        self.gateway = self.start_gateway(self.directory / "gateway")
        self._add_gateway("speechgate", self.gateway)
        for name in peers:
            self.servers[name] = peer_servers.start(name, self)

    def start_gateway(self, state):
        """A gateway in front of the platform, with its state in a new directory."""
        platform = {
            "http": f"http://127.0.0.1:{self.platform_port}", "appKey": "bench", "secretKey": "not-checked-here"
        }  # fmt: skip
        state.mkdir(mode=0o700)
        # No line per request, as for the peers, whose access logs are off.
        quiet = {"level": "notice"}
        gateway = throwaway.Gateway(self.binaries, state, platform, loops=self.loops, log=quiet)
        gateway.start()
        return gateway

    def _add_gateway(self, name, gateway):
        self.gateways[name] = gateway
        self.servers[name] = Server(name, gateway.process, gateway.port)

    def add_server(self, name, gateway, api_key):
        """Lets another gateway take part in the load `fresh`."""
        self._add_gateway(name, gateway)
        line = "POST /api/v1/evaluate HTTP/1.1"
        head = payloads.head(line, api_key, "@KEY@", payloads.UPLOAD_BYTES)
        (self.directory / f"head-fresh-{name}").write_bytes(head)

    def _start_platform(self):
        (self.directory / "evaluation.json").write_bytes(payloads.evaluation())
        (self.directory / "report.json").write_bytes(payloads.report())
        (self.platform_port,) = throwaway.free_ports(1)
        command = [
            self.peers / "platform", "-listen", f"127.0.0.1:{self.platform_port}",
            "-evaluation", self.directory / "evaluation.json", "-report", self.directory / "report.json",
        ]  # fmt: skip
        log = self.directory / "platform.log"
        self.platform = throwaway.start(command, log)
        url = f"http://127.0.0.1:{self.platform_port}/__count"
        throwaway.wait_for("the platform", lambda: throwaway.status_of(url) == 200, self.platform, log)

    def idle_memory(self):
        """Resident bytes per server, a second after the start and before any load."""
        time.sleep(1)
        return {name: resident_bytes(server.pids) for name, server in self.servers.items()}

    def prepare(self):
        """Makes a client, a record that it owns, and the 64 answered keys of P3a; once."""
        if self.api_key:
            return
        self.api_key = self.gateway.add_client("bench")["apiKey"]
        content = payloads.upload()
        (self.directory / "upload").write_bytes(content)
        for number in range(64):
            answer = self._evaluate(content, f"answered-{number}")
        self.record_id = json.loads(answer)["recordId"]
        self._write_head("fresh", "POST /api/v1/evaluate HTTP/1.1", len(content))
        self._write_head("report", f"GET /api/v1/report/{self.record_id} HTTP/1.1")
        self._write_head("record", f"GET /v1/records/{self.record_id} HTTP/1.1")

    def _write_head(self, name, line, content_length=None):
        head = payloads.head(line, self.api_key, "@KEY@", content_length)
        (self.directory / f"head-{name}").write_bytes(head)

    def _evaluate(self, content, key):
        request = urllib.request.Request(f"{self.gateway.url}/api/v1/evaluate", data=content, method="POST")
        request.add_header("Authorization", f"Bearer {self.api_key}")
        request.add_header("Content-Type", f"multipart/form-data; boundary={payloads.BOUNDARY}")
        request.add_header("Idempotency-Key", key)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.read()
        except OSError as error:
            raise Failure(f"the gateway did not evaluate: {error}\n{throwaway.last_lines(self.gateway.log)}") from None

    def evaluations(self):
        """How many evaluations the platform has made."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.platform_port}/__count", timeout=5) as answer:
            return int(answer.read())

    def measure(self, server_name, load, seconds):
        """One round of wrk; returns rate, CPU per request and latencies, and fails when an answer was not a 2xx."""
        mode, head = {
            "fresh": ("fresh", "head-fresh"), "replay": ("replay", "head-fresh"),
            "report": ("get", "head-report"), "record": ("get", "head-record"),
        }[load]  # fmt: skip
        if (self.directory / f"{head}-{server_name}").exists():
            head = f"{head}-{server_name}"
        self.serial += 1
        prefix = "answered" if mode == "replay" else f"round-{self.serial}"
        server = self.servers[server_name]
        before, cpu = self.evaluations(), cpu_seconds(server.pids)
        command = [
            program("wrk"), f"-t{min(2, os.cpu_count() or 1)}", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s",
            HERE / "load.lua", f"http://127.0.0.1:{server.port}/", "--",
            mode, self.directory / head, self.directory / "upload", prefix,
        ]  # fmt: skip
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, timeout=seconds + 30
        )
        result = next((line[7:] for line in done.stdout.splitlines() if line.startswith("RESULT ")), None)
        if done.returncode != 0 or result is None:
            raise Failure(f"wrk failed against {server_name}: {done.stdout}{done.stderr}")
        result = json.loads(result)
        time.sleep(0.05)  # requests in flight when wrk left are still being finished
        if server.process.poll() is not None:
            ended = f"{server_name} ended with {server.process.returncode} under load"
            raise Failure(f"{ended}\n{self._last_lines(server_name)}")
        cpu = cpu_seconds(server.pids) - cpu
        made = self.evaluations() - before
        self._check(server_name, load, result, made)
        return {
            "rate": result["requests"] / (result["micros"] / 1e6),
            "cpu": cpu * 1e6 / max(1, result["requests"]),
            "p50": result["p50"],
            "p99": result["p99"],
        }

    def _check(self, server_name, load, result, made):
        # A fast answer that is the wrong one must not count: the platform says what really reached it.
        what = f"{load} against {server_name}"
        # Go's proxy drops a connection now and then; that says nothing about the other thousands of requests.
        dropped = 0 if server_name in self.gateways else result["requests"] // 1000
        if result["status"] or result["socket"] > dropped or not result["requests"]:
            raise Failure(f"{what}: errors in the run: {result}\n{self._last_lines(server_name)}")
        if load == "fresh" and made < result["requests"]:
            raise Failure(f"{what}: {result['requests']} answers, but only {made} evaluations at the platform")
        if load != "fresh" and server_name in self.gateways and made:
            raise Failure(f"{what}: {made} evaluations at the platform where none was due")

    def _last_lines(self, server_name):
        known = self.gateways.get(server_name)
        log = known.log if known else self.directory / f"{server_name}.log"
        return throwaway.last_lines(log)

    def close(self):
        """Ends what was started, by pid; the gateway first, so that it still has a platform while it drains."""
        if self.gateway:
            self.gateway.stop()
        for server in self.servers.values():
            throwaway.stop(server.process)
        throwaway.stop(self.platform)
