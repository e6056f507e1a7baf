"""Drives realtime sessions with a WebSocket implementation that nobody here wrote (websockets, from PyPI).

Reads one JSON object from standard input:

    {"url": "ws://127.0.0.1:8790", "path": "/api/v1/ws/evaluate",
     "authorityFile": "…",                                  with wss://: whose certificates are good; always on 127.0.0.1
     "sign": {"appKey": "…", "secretKey": "…"},             or "token": "…", or "bearer": "…"
     "sessions": [{"query": {…}, "readDelay": 0, "after": 0, "steps": [{"do": "text", …}, …]}, …]}

All sessions run side by side, each in an order of its own. Steps:

    {"do": "text", "text": "…"}              a text frame
    {"do": "audio", "seconds": 3, "seed": 1, "frame": 640, "pace": 0, "base64": false, "from": 0, "to": 96000}
                                             a recording, cut into frames; pace 1 is real time, 0 as fast as it goes
    {"do": "binary", "size": 200000}         one frame of zeros
    {"do": "await", "what": "started", "within": 20}   connected, started, pong, progress, result, error, close; outcome is
                                             any of the last three
    {"do": "ping"}  {"do": "sleep", "seconds": 1}  {"do": "close", "code": 1000}
    {"do": "kill"}                           the connection is reset without a word

Writes one JSON array with what each session saw: {"status", "body", "frames", "closeCode", "closeReason", "audioSha256",
"audioBytes", "seconds", "failure"}. A frame is the JSON object that came.
"""

import asyncio
import base64
import functools
import hashlib
import hmac
import json
import math
import random
import socket
import ssl
import struct
import sys
import time
import urllib.parse

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

RATE = 16000


@functools.lru_cache(maxsize=None)
def recording(seconds, seed):
    """16-bit samples at 16 kHz: bursts of a tone with pauses between them, the same for the same seed."""
    source = random.Random(seed)
    frequency = source.uniform(120, 320)
    samples = bytearray()
    for index in range(int(seconds * RATE)):
        is_burst = index % 6400 < 4000
        value = 8000 * math.sin(2 * math.pi * frequency * index / RATE) + source.randint(-40, 40) if is_burst else 0
        samples += struct.pack("<h", int(value))
    return bytes(samples)


def signed(parameters, keys):
    """The query with appKey, timestamp, nonce and the signature over all of it but what is meant for the simulator."""
    parameters = {
        **parameters, "appKey": keys["appKey"], "timestamp": str(int(time.time())), "nonce": random.randbytes(8).hex()
    }  # fmt: skip
    text = "&".join(f"{name}={parameters[name]}" for name in sorted(parameters) if name != "simFault")
    digest = hmac.new(keys["secretKey"].encode(), text.encode(), hashlib.sha256).digest()
    return {**parameters, "signature": base64.b64encode(digest).decode()}


class Session:
    def __init__(self, plan, one):
        self.plan, self.one = plan, one
        self.seen = {"status": None, "frames": [], "closeCode": None, "closeReason": None, "failure": None}
        self.hash = hashlib.sha256()
        self.audio_bytes = 0
        self.news = asyncio.Condition()
        self.looked = 0
        self.is_closed = False

    async def run(self):
        await asyncio.sleep(self.one.get("after", 0))
        self.began = time.monotonic()
        query = {**self.plan.get("query", {}), **self.one.get("query", {})}
        headers = {**self.plan.get("headers", {}), **self.one.get("headers", {})}
        if "sign" in self.plan:
            query = signed(query, self.plan["sign"])
        if "token" in self.plan:
            query["token"] = self.plan["token"]
        if "bearer" in self.plan:
            headers["Authorization"] = "Bearer " + self.plan["bearer"]
        tls = {}
        if "authorityFile" in self.plan:
            tls = {"ssl": ssl.create_default_context(cafile=self.plan["authorityFile"]), "host": "127.0.0.1"}
        path = self.one.get("path", self.plan.get("path"))
        url = self.plan["url"] + path + "?" + urllib.parse.urlencode(query, quote_via=urllib.parse.quote, safe="")
        try:
            # No pings of its own, and a short queue, so that a reader that waits makes the other side wait.
            self.socket = await connect(
                url, additional_headers=headers, compression=None, ping_interval=None, max_queue=4, max_size=8 << 20,
                open_timeout=20, close_timeout=5, proxy=None, **tls,
            )  # fmt: skip
        except InvalidStatus as error:
            self.seen["status"] = error.response.status_code
            self.seen["body"] = bytes(error.response.body or b"").decode(errors="replace")
            return self.finish()
        except (OSError, InvalidHandshake, TimeoutError) as error:
            self.seen["failure"] = f"{type(error).__name__}: {error}"
            return self.finish()
        self.seen["status"] = 101
        reader = asyncio.create_task(self.read())
        try:
            for step in self.one["steps"]:
                await getattr(self, step["do"])(**{name: value for name, value in step.items() if name != "do"})
        except ConnectionClosed:
            pass  # the reader notes how
        except TimeoutError as error:
            self.seen["failure"] = str(error)
        if not self.is_closed:
            await self.socket.close()
        await asyncio.wait([reader], timeout=10)
        reader.cancel()
        return self.finish()

    def finish(self):
        self.seen["audioSha256"] = self.hash.hexdigest()
        self.seen["audioBytes"] = self.audio_bytes
        self.seen["seconds"] = round(time.monotonic() - self.began, 3)
        return self.seen

    async def read(self):
        delay = self.one.get("readDelay", 0)
        try:
            while True:
                if delay:
                    await asyncio.sleep(delay)
                message = await self.socket.recv()
                frame = json.loads(message)
                async with self.news:
                    self.seen["frames"].append(frame)
                    self.news.notify_all()
        except ConnectionClosed:
            pass
        except ValueError as error:
            self.seen["failure"] = f"not JSON: {error}"
        async with self.news:
            self.is_closed = True
            self.seen["closeCode"] = self.socket.close_code
            self.seen["closeReason"] = self.socket.close_reason
            self.news.notify_all()

    # Steps.

    async def text(self, text):
        await self.socket.send(text)

    async def audio(self, seconds, seed=0, frame=640, pace=0, base64=False, **cut):
        samples = recording(seconds, seed)[cut.get("from", 0) : cut.get("to")]
        began = time.monotonic()
        for start in range(0, len(samples), frame):
            piece = samples[start : start + frame]
            if pace:
                due = began + start / (2 * RATE) / pace
                await asyncio.sleep(max(0, due - time.monotonic()))
            self.hash.update(piece)
            self.audio_bytes += len(piece)
            if base64:
                await self.socket.send(json.dumps({"cmd": "audio", "data": encoded(piece)}))
            else:
                await self.socket.send(piece)

    async def binary(self, size):
        await self.socket.send(bytes(size))

    async def ping(self):
        waiter = await self.socket.ping()
        await asyncio.wait_for(waiter, 10)

    async def sleep(self, seconds):
        await asyncio.sleep(seconds)

    async def close(self, code=1000):
        await self.socket.close(code)

    async def kill(self):
        linger = struct.pack("ii", 1, 0)  # nothing more is sent, and the other side reads a reset
        self.socket.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.socket.transport.abort()

    async def await_(self, what, within=30):
        def found():
            for frame in self.seen["frames"][self.looked :]:
                self.looked += 1
                if kind(frame) == what or (what == "outcome" and kind(frame) in ("result", "error")):
                    return True
            return self.is_closed

        try:
            async with self.news:
                await asyncio.wait_for(self.news.wait_for(found), within)
        except TimeoutError:
            raise TimeoutError(f"no {what} within {within} s") from None

    def __getattr__(self, name):
        # "await" is a word of the language.
        if name == "await":
            return self.await_
        raise AttributeError(name)


def encoded(piece):
    return base64.b64encode(piece).decode()


def kind(frame):
    """What a frame is, as a client of the platform tells (contract yugu, sections 10.1 to 10.4)."""
    if frame.get("event") in ("connected", "started", "pong", "error", "result"):
        return frame["event"]
    if frame.get("eof") == 1:
        return "result"
    return "progress" if "eof" in frame else "unknown"


async def main():
    plan = json.load(sys.stdin)
    # Made before anything is sent: a session must not keep the others waiting.
    for one in plan["sessions"]:
        for step in one["steps"]:
            if step["do"] == "audio":
                recording(step["seconds"], step.get("seed", 0))
    sessions = [Session(plan, one).run() for one in plan["sessions"]]
    json.dump(await asyncio.gather(*sessions), sys.stdout, ensure_ascii=False)


asyncio.run(main())
