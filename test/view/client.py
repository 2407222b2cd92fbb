"""A plain WebSocket client of `cleave view`, with nothing but Python's own library: RFC 6455 by hand, frames of
docs/protocol.md taken apart. What the tests of this directory share."""

import base64
import json
import os
import re
import select
import socket
import struct
import subprocess
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Closed(Exception):
    """The server closed the connection: its code and reason."""

    def __init__(self, code, reason):
        super().__init__(f"closed with {code}: {reason}")
        self.code, self.reason = code, reason


class Body:
    """What a page knows of a body: faces by slot in two layers, points, held points, a field."""

    def __init__(self):
        self.layers = [[], []]
        self.points, self.held, self.field = [], [], None

    def faces(self, layer=0):
        return [f for f in self.layers[layer] if not f[0] == f[1] == f[2]]


class Client:
    def __init__(self, port, path="/ws", origin=None, host=None, protocol="cleave-1", quiet=False):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.bytes, self.bodies, self.time, self.step, self.paused = b"", {}, 0.0, 0, False
        self.hello, self.news, self.frames, self.answers, self.sequence = None, None, 0, {}, 0
        self.whole = self.changed = 0
        lines = [f"GET {path} HTTP/1.1", f"Host: {host or f'127.0.0.1:{port}'}", "Upgrade: websocket",
                 "Connection: Upgrade", "Sec-WebSocket-Version: 13",
                 "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        if origin:
            lines.append(f"Origin: {origin}")
        if protocol:
            lines.append(f"Sec-WebSocket-Protocol: {protocol}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head:
            more = self.socket.recv(65536)
            if not more:
                raise Closed(0, "no handshake")
            head += more
        head, self.bytes = head.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise Closed(0, head.split(b"\r\n")[0].decode())
        if not quiet:
            self.until(lambda: self.hello and self.frames)

    # ---- messages

    def send_raw(self, opcode, payload, final=True):
        mask = os.urandom(4)
        length = len(payload)
        head = bytes([(0x80 if final else 0) | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", length)
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", length)
        whole = mask * (length // 4 + 1)
        masked = (int.from_bytes(payload, "big") ^ int.from_bytes(whole[:length], "big")).to_bytes(length, "big")
        self.socket.sendall(head + mask + masked)

    def tell(self, **command):
        self.send_raw(TEXT, json.dumps(command).encode())

    def ask(self, **command):
        self.sequence += 1
        self.tell(**command, seq=self.sequence)
        wanted = self.sequence
        self.until(lambda: wanted in self.answers)
        return self.answers.pop(wanted)

    def do(self, **command):
        answer = self.ask(**command)
        assert answer["ok"], (command, answer)
        return answer

    def fill(self, size):
        while len(self.bytes) < size:
            more = self.socket.recv(1 << 20)
            if not more:
                raise Closed(0, "the connection broke")
            self.bytes += more

    def receive(self):
        """One message, taken in."""
        self.fill(2)
        opcode, length, at = self.bytes[0] & 15, self.bytes[1] & 127, 2
        final = self.bytes[0] & 128
        if length == 126:
            self.fill(4)
            length, at = struct.unpack(">H", self.bytes[2:4])[0], 4
        elif length == 127:
            self.fill(10)
            length, at = struct.unpack(">Q", self.bytes[2:10])[0], 10
        self.fill(at + length)
        payload, self.bytes = self.bytes[at:at + length], self.bytes[at + length:]
        if opcode in (TEXT, BINARY) or opcode == 0:
            if opcode:
                self.kind, self.parts = opcode, []
            self.parts.append(payload)
            if final:
                self.take(self.kind, b"".join(self.parts))
        elif opcode == PING:
            self.send_raw(PONG, payload)
        elif opcode == CLOSE:
            code = struct.unpack(">H", payload[:2])[0] if len(payload) >= 2 else 0
            raise Closed(code, payload[2:].decode("utf-8", "replace"))

    def take(self, kind, payload):
        if kind == BINARY:
            self.take_frame(payload)
            return
        message = json.loads(payload)
        if "hello" in message:
            self.hello = message
        elif "news" in message:
            self.news = message["news"]
        elif "re" in message:
            self.answers[message["re"]] = message

    def until(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError("it did not happen in time")
            if self.bytes or select.select([self.socket], [], [], 0.1)[0]:
                self.receive()

    def watch(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.bytes or select.select([self.socket], [], [], 0.02)[0]:
                self.receive()

    def next_frames(self, count=2):
        """What is seen after so many more frames."""
        wanted = self.frames + count
        self.until(lambda: self.frames >= wanted)

    def closing(self, seconds=10):
        """The code and reason with which the server closes."""
        try:
            self.until(lambda: False, seconds)
        except Closed as closed:
            return closed.code, closed.reason

    def close(self):
        self.socket.close()

    # ---- frames

    def take_frame(self, data):
        at = 0
        while at < len(data):
            kind, number, size, layer = struct.unpack_from("<4I", data, at)
            content = data[at + 16:at + 16 + size]
            assert size % 4 == 0 and len(content) == size
            self.take_section(kind, self.bodies.setdefault(number, Body()), layer, content)
            at += 16 + size
        assert at == len(data)
        self.frames += 1

    def take_section(self, kind, body, layer, content):
        if kind == 1:
            self.time, low, high, self.frame, flags = struct.unpack("<d4I", content)
            self.step, self.paused = low | high << 32, bool(flags & 1)
        elif kind == 2:
            slots, = struct.unpack_from("<I", content)
            body.layers[layer] = list(struct.iter_unpack("<5I", content[4:]))
            assert len(body.layers[layer]) == slots
            self.whole += 1
        elif kind == 3:
            slots, count = struct.unpack_from("<2I", content)
            faces = body.layers[layer]
            faces += [(0, 0, 0, 0, 0)] * (slots - len(faces))
            del faces[slots:]
            rows = list(struct.iter_unpack("<6I", content[8:]))
            assert len(rows) == count
            for row in rows:
                faces[row[0]] = row[1:]
            self.changed += 1
        elif kind == 4:
            body.points = list(struct.iter_unpack("<3f", content[4:]))
        elif kind == 5:
            where, least, greatest, count = struct.unpack_from("<I2fI", content)
            body.field = (where, least, greatest, struct.unpack_from(f"<{count}f", content, 16))
        elif kind == 6:
            body.held = list(struct.unpack(f"<{len(content) // 4 - 1}I", content[4:]))


class Viewer:
    """The program, and its port."""

    def __init__(self, program, *arguments, cwd=None):
        self.process = subprocess.Popen([program, "view", "--no-open", *arguments], stdout=subprocess.PIPE, text=True,
                                        cwd=cwd)
        self.link = self.process.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/", self.link).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.status = self.process.wait(30)
        self.process.stdout.close()
