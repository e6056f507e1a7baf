"""Restarts the gateway under load the way systemd does: the listening socket stays, the process changes.

    python3 restarts.py PROGRAM CONFIG API_KEY RESTARTS

Clients open a connection for each request and take nothing but 200 for an answer. Prints one JSON line: how many
requests were answered, and what went wrong with the others.
"""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

CLIENTS = 8
FIRST_DESCRIPTOR = 3  # sd_listen_fds(3)


class Gateway:
    def __init__(self, program, config):
        self.program, self.config = program, config
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(1024)
        self.port = self.socket.getsockname()[1]
        self.process = None

    def start(self):
        """Returns when the gateway listens; what comes before waits in the socket's backlog."""
        environment = dict(os.environ, LISTEN_FDS="1", LISTEN_FDNAMES="gateway")
        # The number of the process is known to itself alone.
        command = ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", self.program, "serve", "--config", self.config]
        self.process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(FIRST_DESCRIPTOR,),
            preexec_fn=lambda: os.dup2(self.socket.fileno(), FIRST_DESCRIPTOR),
        )
        if not self.process.stdout.readline():
            raise SystemExit("the gateway did not start")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=90)


class Client(threading.Thread):
    def __init__(self, port, key, ended):
        super().__init__()
        self.port, self.key, self.ended = port, key, ended
        self.answered, self.failures = 0, []

    def run(self):
        while not self.ended.is_set():
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                connection.request("GET", "/v1/records", headers={"Authorization": f"Bearer {self.key}"})
                answer = connection.getresponse()
                answer.read()
                if answer.status == 200:
                    self.answered += 1
                else:
                    self.failures.append(f"status {answer.status}")
                connection.close()
            except Exception as error:  # whatever it is, a client would see it
                self.failures.append(f"{type(error).__name__}: {error}")
            time.sleep(0.002)


def main():
    program, config, key, restarts = sys.argv[1:]
    gateway = Gateway(program, config)
    gateway.start()
    ended = threading.Event()
    clients = [Client(gateway.port, key, ended) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    statuses = []
    for _ in range(int(restarts)):
        time.sleep(0.3)
        statuses.append(gateway.stop())
        gateway.start()
    time.sleep(0.3)
    ended.set()
    for client in clients:
        client.join()
    statuses.append(gateway.stop())
    failures = [failure for client in clients for failure in client.failures]
    print(json.dumps({"answered": sum(c.answered for c in clients), "failures": failures, "statuses": statuses}))


if __name__ == "__main__":
    main()
