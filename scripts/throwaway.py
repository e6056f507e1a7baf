"""A gateway with throwaway state, for the sandbox and the benchmarks: secrets, configuration, start, client, stop."""

import ctypes
import json
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

SCOPES = ["evaluate", "tts", "report", "realtime", "records", "erase", "tokens", "usage"]


class Failure(Exception):
    """Something that the person who ran the script must read; the message says what and where to look."""


def free_ports(count):
    """Ports that nobody listens on now. Held together until all are found, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_parent():
    """Runs in the child before exec: the kernel ends it when the script is killed without a chance to clean up."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def start(command, log, output=None, environment=None):
    """Starts a process in a session of its own, so that a Ctrl-C reaches us alone and we stop things in order."""
    with open(log, "ab") as errors, open(output or os.devnull, "ab") as out:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            start_new_session=True,
            preexec_fn=end_with_parent,
            env={**os.environ, **(environment or {})},
        )


def stop(process, patience=10):
    """SIGTERM, time to finish, then SIGKILL. A process that has ended already is fine."""
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def last_lines(path, count=20):
    """The end of a log file, or a word about its absence."""
    try:
        lines = pathlib.Path(path).read_text(errors="replace").splitlines()
    except OSError:
        return f"({path} is missing)"
    return "\n".join(lines[-count:]) or f"({path} is empty)"


def wait_for(what, ready, process, log, seconds=20):
    """Polls `ready` until it returns a value; fails when the process ends or the time is up."""
    deadline = time.monotonic() + seconds
    while True:
        value = ready()
        if value:
            return value
        ended = process.poll() is not None
        if ended or time.monotonic() > deadline:
            fate = f"ended with exit code {process.returncode}" if ended else f"was not ready after {seconds} s"
            raise Failure(f"{what} {fate}; the last lines of {log}:\n{last_lines(log)}")
        time.sleep(0.02)


def status_of(url):
    """The HTTP status that answers a GET, or None when nobody answers."""
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


class Gateway:
    """One `speechgate serve` on loopback; everything it needs lies in `directory`.

    `account` holds further members of the account, `settings` of the configuration.
    """

    def __init__(self, binaries, directory, platform, port=None, account=None, **settings):
        self.program = pathlib.Path(binaries) / "speechgate"
        self.directory = pathlib.Path(directory)
        self.log = self.directory / "gateway.log"
        self.configuration = self.directory / "speechgate.json5"
        found = free_ports(2)
        self.port, self.operations_port = port or found[0], found[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.operations_url = f"http://127.0.0.1:{self.operations_port}"
        self.process = None
        self._write_secrets(platform)
        self._write_configuration(platform, account or {}, settings)

    def _write_secrets(self, platform):
        values = {
            "master": secrets.token_hex(32),
            "upstream-key": secrets.token_hex(32),
            "platform-secret": platform["secretKey"],
        }
        folder = self.directory / "secrets"
        folder.mkdir(mode=0o700)
        for name, value in values.items():
            descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(value + "\n")

    def _write_configuration(self, platform, members, settings):
        def secret(name):
            return {"file": str(self.directory / "secrets" / name)}

        account = {
            "name": "main", "appKey": platform["appKey"], "secretKey": secret("platform-secret"), **members
        }  # fmt: skip
        configuration = {
            "listen": [f"127.0.0.1:{self.port}"],
            "operations": {"listen": f"127.0.0.1:{self.operations_port}"},
            "stateDirectory": str(self.directory),
            "echo": True,
            "drain": "5s",
            "secrets": {"master": secret("master"), "upstreamKey": secret("upstream-key")},
            "yugu": {"baseURL": platform["http"], "accounts": [account]},
            **settings,
        }
        self.configuration.write_text(json.dumps(configuration, indent=2) + "\n")

    def start(self):
        """Starts the daemon and returns when `/readyz` says 200."""
        self.process = start([self.program, "serve", "--config", self.configuration], self.log)
        wait_for(
            "speechgate", lambda: status_of(f"{self.operations_url}/readyz") == 200, self.process, self.log
        )

    def add_client(self, name):
        """Makes a client with every scope through the command line; returns what the command printed."""
        command = [self.program, "client", "add", name, "--scopes", ",".join(SCOPES), "--signing"]
        command += ["--config", self.configuration]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=30)
        if done.returncode != 0:
            raise Failure(f"'speechgate client add {name}' ended with {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def stop(self):
        """Lets it drain and ends it."""
        stop(self.process)
