"""What scripts/sandbox.sh runs once the programs are built; see there."""

import argparse
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import throwaway
from throwaway import Failure


class Interrupted(Exception):
    """SIGINT, SIGTERM or SIGHUP: the orderly end of a sandbox."""


def say(text):
    print(f"sandbox.sh: {text}", file=sys.stderr, flush=True)


def interrupt(*_):
    raise Interrupted


def handle_signals(handler):
    # Set explicitly: a shell starts background jobs with SIGINT ignored, and `kill -INT` should work there too.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def check_port_is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise Failure(f"port {port} cannot be used: {error.strerror}") from None


class Sandbox:
    """The simulator, the gateway and the directory that holds all they write."""

    def __init__(self, binaries, port):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="speechgate-sandbox."))
        self.binaries = pathlib.Path(binaries)
        self.port = port
        self.simulator = None
        self.gateway = None

    def start(self):
        """Starts both and returns the members of the sandbox line."""
        platform = self._start_simulator()
        self.gateway = throwaway.Gateway(self.binaries, self.directory, platform, port=self.port)
        self.gateway.start()
        client = self.gateway.add_client("sandbox")
        return {
            "gateway": self.gateway.url,
            "ops": self.gateway.operations_url,
            "simulator": platform["http"],
            "apiKey": client["apiKey"],
            "appKey": client.get("appKey"),
            "secretKey": client.get("secretKey"),
            "config": str(self.gateway.configuration),
            "stateDir": str(self.directory),
            "pids": {"gateway": self.gateway.process.pid, "simulator": self.simulator.pid},
        }

    def _start_simulator(self):
        log, output = self.directory / "simulator.log", self.directory / "simulator.json"
        self.simulator = throwaway.start(
            [self.binaries / "speechsim", "--listen", "127.0.0.1:0"], log=log, output=output
        )

        def first_line():
            text = output.read_text()
            return text.partition("\n")[0] if "\n" in text else None

        platform = json.loads(throwaway.wait_for("speechsim", first_line, self.simulator, log))
        platform["http"] = platform["http"].rstrip("/")
        return platform

    def run(self):
        """Stays until interrupted. A process that dies is told of, and ends nothing: a test may have killed it."""
        alive = {"speechgate": self.gateway.process, "speechsim": self.simulator}
        while True:
            for name, process in list(alive.items()):
                if process.poll() is not None:
                    say(f"{name} (pid {process.pid}) ended with {process.returncode}; the sandbox goes on without it")
                    del alive[name]
            time.sleep(0.2)

    def close(self):
        """Ends what was started, by pid, and removes the directory."""
        if self.gateway:
            self.gateway.stop()
        throwaway.stop(self.simulator)
        shutil.rmtree(self.directory, ignore_errors=True)


class Parser(argparse.ArgumentParser):
    """Ends with the exit code that all our programs have for a wrong command line."""

    def error(self, message):
        say(f"{message} (--help explains)")
        sys.exit(64)


def main():
    parser = Parser(prog="sandbox.sh", description="Runs speechgate beside its platform simulator.")
    parser.add_argument("--port", type=int, help="the gateway's port (default: any free one)")
    parser.add_argument("--binaries", required=True, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    handle_signals(interrupt)
    sandbox = Sandbox(arguments.binaries, arguments.port)
    try:
        if arguments.port:
            check_port_is_free(arguments.port)
        line = sandbox.start()
        print(json.dumps(line), flush=True)
        say(f"ready; logs are in {sandbox.directory}; Ctrl-C ends it")
        sandbox.run()
    except Interrupted:
        return 0
    except (Failure, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        say(error if isinstance(error, Failure) else f"{type(error).__name__}: {error}")
        return 1
    finally:
        handle_signals(signal.SIG_IGN)
        sandbox.close()


if __name__ == "__main__":
    sys.exit(main())
