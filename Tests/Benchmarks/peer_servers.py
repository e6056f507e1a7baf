"""The peers that proxy to the same platform: nginx, HAProxy, Node and Go, each with as many workers as we have loops."""

import os
import pathlib
import shutil
import subprocess

import throwaway
from machine import process_tree
from throwaway import Failure

HERE = pathlib.Path(__file__).resolve().parent

class Server:
    """Something that wrk is pointed at."""

    def __init__(self, name, process, port):
        self.name, self.process, self.port = name, process, port
        self.pids = process_tree(process.pid)


def program(name):
    """Where a program of the peers is; Debian keeps daemons where a plain user's PATH does not look."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not path:
        raise Failure(f"{name} is missing; scripts/setup.sh --bench installs it")
    return path


def build(directory):
    """Builds the Go programs, without the network; a finished build takes a moment."""
    directory.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOCACHE": str(directory / "go-cache")}
    command = [program("go"), "build", "-o", f"{directory}/", "./..."]
    done = subprocess.run(command, cwd=HERE / "peers", env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"the Go peers do not build:\n{done.stderr}")


def start(name, run):
    """Starts a peer in front of the run's platform and waits until it proxies."""
    (port,) = throwaway.free_ports(1)
    command, environment = COMMANDS[name](run, port)
    log = run.directory / f"{name}.log"
    process = throwaway.start(command, log, environment=environment)
    url = f"http://127.0.0.1:{port}/__count"
    throwaway.wait_for(name, lambda: throwaway.status_of(url) == 200, process, log)
    return Server(name, process, port)


def _configuration(run, file, port):
    """A peer's configuration file with the run's values filled in."""
    text = (HERE / "peers" / file).read_text()
    for key, value in {
        "WORKERS": run.loops, "DIRECTORY": run.directory, "PLATFORM_PORT": run.platform_port, "PORT": port
    }.items():  # fmt: skip
        text = text.replace(f"@{key}@", str(value))
    filled = run.directory / file
    filled.write_text(text)
    return filled


def _nginx(run, port):
    return [program("nginx"), "-e", run.directory / "nginx.log", "-c", _configuration(run, "nginx.conf", port)], None


def _haproxy(run, port):
    return [program("haproxy"), "-db", "-f", _configuration(run, "haproxy.cfg", port)], None


def _node(run, port):
    return [program("node"), HERE / "peers" / "proxy.mjs", port, run.platform_port, run.loops], None


def _go(run, port):
    upstream = f"http://127.0.0.1:{run.platform_port}"
    command = [run.peers / "reverseproxy", "-listen", f"127.0.0.1:{port}", "-upstream", upstream]
    return command, {"GOMAXPROCS": str(run.loops)}


COMMANDS = {"nginx": _nginx, "haproxy": _haproxy, "node": _node, "go": _go}
