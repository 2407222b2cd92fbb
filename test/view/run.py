#!/usr/bin/env python3
"""`cleave view` and a plain WebSocket client: run.py PROGRAM DIRECTORY. What the protocol promises, and what hostile clients
may not do. The program runs on the loopback of this machine, a scene of a few hundred tetrahedra in it."""

import http.client
import os
import random
import shutil
import struct
import subprocess
import sys
import time

from client import BINARY, Client, Closed, TEXT, Viewer

SCENE = """cleave: 1
title: A beam
mesh: {grid: tet6, cells: [8, 3, 3], size: [4, 1, 1]}
material: {young: 1 MPa, poisson: 0.3, density: 1000}
model: fem-corotational
fix: [{box: [[0, 0, 0], [0, 1, 1]]}]
solver: {method: implicit-euler, step: 10 ms}
until: 0.2
output: {frames: 50 ms}
"""
BLADE = [[[2.01, -9, -9], [2.01, 9, -9]], [[2.01, -9, 9], [2.01, 9, 9]]]

program, directory = os.path.abspath(sys.argv[1]), sys.argv[2]


def check(truth, *what):
    if not truth:
        raise AssertionError(what)


def tip_of(body):
    used = {corner for face in body.faces() for corner in face[:3]}
    return max(used, key=lambda point: body.points[point][0])


# ---- what one does


def a_body_is_seen_pulled_cut_and_put_back(view):
    client = Client(view.port, origin=f"http://127.0.0.1:{view.port}")
    hello, body = client.hello, client.bodies[0]
    check(hello["hello"] == 1 and hello["kind"] == "scene" and hello["title"] == "A beam", hello)
    check(hello["box"] == [[0, 0, 0], [4, 1, 1]] and "fem-corotational" in hello["models"], hello)
    check(len(body.faces()) == 2 * 2 * (8 * 3 * 2 + 3 * 3) and len(body.held) == 16, len(body.faces()))
    client.until(lambda: client.step > 5)

    tip = tip_of(body)
    x, y, z = body.points[tip]
    client.do(do="grab", body=0, point=tip, at=[x, y, z + 1])
    client.until(lambda: body.points[tip][2] > z + 0.3)
    client.do(do="drop")

    before = len(body.faces())
    client.do(do="look", layer=1, field="von_mises")
    client.until(lambda: len(body.faces(1)) == 4 * 432 and body.field)
    check(body.field[0] == 1 and body.field[2] > 0)
    answer = client.do(do="knife", body=0, blade=BLADE)
    check(answer["facets"] >= 18 and answer["components"] == 2, answer)
    client.do(do="knife-end")
    whole = client.whole
    client.until(lambda: len(body.faces()) == before + 2 * answer["facets"])
    check(sum(face[4] & 1 for face in body.faces()) == 2 * answer["facets"])
    check(client.whole == whole, "a cut comes as what changed")
    moved = list(body.points)
    client.next_frames(10)
    check(body.points[tip] != moved[tip], "the part that was cut off falls")
    client.do(do="undo")
    client.until(lambda: len(body.faces()) == before)
    check(not client.ask(do="undo")["ok"])
    client.until(lambda: client.news and client.news["bodies"][0]["components"] == 1)

    client.do(do="pause")
    client.until(lambda: client.paused)
    step = client.step
    client.do(do="step", count=3)
    client.until(lambda: client.step == step + 3)
    client.do(do="set", name="gravity", value=3)
    client.until(lambda: client.hello["settings"]["gravity"]["value"] == 3)
    client.do(do="model", body=0, name="neo-hookean")
    client.do(do="integrator", body=0, name="newmark")
    client.until(lambda: client.hello["bodies"][0]["integrator"] == "newmark")
    client.do(do="run")
    client.until(lambda: client.step > step + 10)
    client.do(do="reset")
    client.until(lambda: client.step < step)
    client.close()


def two_see_the_same_and_one_comes_back(view):
    one, two = Client(view.port), Client(view.port)
    one.do(do="pause")
    one.do(do="knife", body=0, blade=BLADE)
    count = len(one.bodies[0].faces())
    one.next_frames(1)
    two.until(lambda: two.paused and len(two.bodies[0].faces()) > count)
    one.watch(0.2)
    check(one.bodies[0].points == two.bodies[0].points and one.bodies[0].faces() == two.bodies[0].faces())
    one.close()
    one = Client(view.port)
    check(one.bodies[0].faces() == two.bodies[0].faces() and one.step == two.step)
    one.do(do="undo")
    one.do(do="run")
    one.close()
    two.close()


# ---- what one may not


def closes(view, code, send):
    client = Client(view.port)
    send(client)
    answer = client.closing()
    check(answer and answer[0] == code and (code == 1000 or answer[1]), code, answer)
    client.close()


def what_is_wrong_ends_its_connection(view):
    closes(view, 1003, lambda c: c.send_raw(BINARY, b"\0" * 40))
    closes(view, 1009, lambda c: c.send_raw(TEXT, b"x" * 16385))
    closes(view, 1009, lambda c: [c.send_raw(TEXT if k == 0 else 0, b"x" * 4097, final=False) for k in range(4)])
    for text in (b"", b"hello", b"[]", b"{}", b'{"do": "dance"}', b'{"do": "speed", "factor": 1e400}',
                 b'{"do": "grab", "body": 0}', b'{"do": "pause"', b"\xff\xfe", b"[" * 1000):
        closes(view, 1008, lambda c: c.send_raw(TEXT, text))
    closes(view, 1008, lambda c: [c.tell(do="drop") for _ in range(1001)])


def refused(view, **how):
    try:
        Client(view.port, quiet=True, **how)
    except (Closed, ConnectionError):
        return True
    return False


def listening_at(port):
    """The addresses, as /proc has them, at which somebody listens to this port."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if not os.path.exists(table):
            continue
        with open(table) as file:
            rows = [line.split() for line in file.readlines()[1:]]
        found += [row[1].split(":")[0] for row in rows if row[3] == "0A" and int(row[1].split(":")[1], 16) == port]
    return found


def strangers_are_refused(view):
    check(listening_at(view.port) == ["0100007F"], "127.0.0.1 and nothing else", listening_at(view.port))
    check(refused(view, origin="http://evil.example"))
    check(refused(view, origin="null"))
    check(refused(view, origin=f"http://127.0.0.1:{view.port + 1}"))
    check(refused(view, origin="http://evil.example", host="evil.example"))
    check(refused(view, host="evil.example"))
    check(refused(view, path="/"))
    check(refused(view, path="/ws/../ws2"))
    check(refused(view, protocol=None))
    check(refused(view, protocol="cleave-2"))
    Client(view.port, origin=f"http://localhost:{view.port}", host=f"localhost:{view.port}").close()


def get(port, path, method="GET", host=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, headers={"Host": host} if host else {})
    try:
        answer = connection.getresponse()
    except http.client.RemoteDisconnected:
        return 400, {}, b""
    body = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, body


def the_page_is_served(view):
    status, headers, body = get(view.port, "/")
    check(status == 200 and body, status)
    check("default-src 'none'" in headers["content-security-policy"] and headers["x-content-type-options"] == "nosniff")
    check(get(view.port, "/nothing")[0] == 404)
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/index.html%00"):
        status, _, body = get(view.port, path)
        check(status in (400, 403, 404) and b"root:" not in body, path, status)
    check(get(view.port, "/", host="evil.example")[0] == 403)
    check(get(view.port, "/", method="POST")[0] in (403, 404, 405))


def bad_message(source):
    kind = source.randrange(6)
    if kind == 0:
        return TEXT, bytes(source.randrange(256) for _ in range(source.randrange(200)))
    if kind == 1:
        return BINARY, os.urandom(source.randrange(300))
    if kind == 2:
        return TEXT, b'{"do": "%s"}' % source.choice([b"", b"die", b"knifes", b"__proto__"])
    if kind == 3:
        return TEXT, b'{"do": "knife", "body": %d, "blade": [[[1e400, 0, 0]]]}' % source.randrange(-5, 5)
    if kind == 4:
        return TEXT, b"[" * source.randrange(1, 3000)
    return source.randrange(3, 8), os.urandom(10)  # opcodes that there are not


def ten_thousand_bad_frames_change_nothing(view):
    source = random.Random(6)
    watcher = Client(view.port)
    watcher.do(do="run")
    step, start, sent = watcher.step, time.monotonic(), 0
    while sent < 10000:
        client = Client(view.port, quiet=True)
        try:
            for _ in range(10):
                client.send_raw(*bad_message(source))
                sent += 1
            if source.randrange(4) == 0:  # a head that promises more than ever comes, and no mask
                client.socket.sendall(struct.pack(">BBQ", 0x81, 0x7F, 1 << 62) + os.urandom(50))
        except (ConnectionError, OSError):
            pass
        client.close()
        watcher.watch(0)
    seconds = time.monotonic() - start
    watcher.until(lambda: watcher.step > step + 20)
    check(watcher.do(do="pause")["ok"])
    watcher.do(do="run")
    watcher.close()
    print(f"10,000 bad frames in {seconds:.1f} s; the simulation went on")


def a_slow_page_slows_nobody(view):
    def pace(seconds):
        watcher.next_frames(2)
        frames, begin, start = watcher.frames, watcher.time, time.monotonic()
        watcher.watch(seconds)
        passed = time.monotonic() - start
        return (watcher.frames - frames) / passed, (watcher.time - begin) / passed

    watcher = Client(view.port)
    watcher.do(do="run")
    before = pace(1)
    slow = [Client(view.port, quiet=True) for _ in range(4)]  # which never read
    for client in slow:
        client.tell(do="look", layer=1, field="von_mises")
    time.sleep(0.3)
    after = pace(1)
    check(after[0] > 0.5 * before[0] and after[1] > 0.7 * before[1], before, after)
    for client in slow:
        client.close()
    watcher.close()


def others_need_the_token(scene):
    with Viewer(program, scene, "--listen", "127.0.0.1") as view:
        check("?token=" in view.link, view.link)
        token = view.link.split("?token=")[1]
        check(len(token) == 32)
        check(refused(view))
        check(refused(view, path="/ws?token=" + "0" * 32))
        check(refused(view, path=f"/ws?token={token}", origin="http://evil.example"))
        Client(view.port, path=f"/ws?token={token}", origin=f"http://127.0.0.1:{view.port}").close()


# ---- recordings and results


def a_recording_replays(view):
    client = Client(view.port)
    name = client.do(do="record", on=True)["file"]
    tip = tip_of(client.bodies[0])
    client.do(do="grab", body=0, point=tip, at=[4, 0.5, 1.5])
    client.next_frames(10)
    client.do(do="knife", body=0, blade=BLADE)
    client.next_frames(5)
    client.do(do="undo")
    client.next_frames(5)
    check(client.do(do="record", on=False)["file"] == name)
    client.close()
    path = os.path.join(directory, name)
    again = subprocess.run([program, "run", path], capture_output=True, text=True)
    check(again.returncode == 0 and "the same bits" in again.stdout, again)
    with open(path) as file:
        lines = file.read().splitlines()
    lines[-2] = lines[-2].replace("undo", "reset")  # something else happened
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    again = subprocess.run([program, "run", path], capture_output=True, text=True)
    check(again.returncode == 1 and "hash" in again.stderr, again)


def a_finished_run_is_played(scene):
    run = os.path.join(directory, "finished")
    subprocess.run([program, "run", scene, "--out", run], check=True, capture_output=True)
    with Viewer(program, run, "--paused") as view:
        client = Client(view.port)
        check(client.hello["kind"] == "result" and client.hello["frames"] == 5 and client.paused, client.hello)
        first = list(client.bodies[0].points)
        client.do(do="seek", frame=4)
        client.until(lambda: client.frame == 4)
        check(abs(client.time - 0.2) < 1e-9 and client.bodies[0].points != first)
        check(len(client.bodies[0].faces()) == 2 * 2 * (8 * 3 * 2 + 3 * 3) and len(client.bodies[0].held) == 16)
        check(not client.ask(do="seek", frame=5)["ok"])
        check("finished run" in client.ask(do="knife", body=0, blade=BLADE)["error"])
        client.do(do="look", field="von_mises")
        client.until(lambda: client.bodies[0].field and client.bodies[0].field[2] > 0)
        client.do(do="seek", frame=0)
        client.do(do="run")
        client.until(lambda: client.frame == 4)
        client.until(lambda: client.paused)
        client.close()


def a_recording_moves_with_its_mesh(_):
    here, there = (os.path.join(os.path.abspath(directory), name) for name in ("here", "there"))
    os.makedirs(here)
    scene = os.path.join(here, "cube.yaml")
    subprocess.run([program, "grid", "hex", "2", "2", "2", "-o", os.path.join(here, "cube.vtu")], check=True,
                   capture_output=True)
    with open(scene, "w") as file:
        file.write("cleave: 1\nmesh: cube.vtu\nsolver: {method: implicit-euler, step: 10 ms}\nuntil: 1\n")
    with Viewer(program, scene, "--record", "cube", cwd=here) as view:
        client = Client(view.port)
        name = client.do(do="record", on=True)["file"]
        client.next_frames(3)
        client.do(do="record", on=False)
        client.close()
    os.rename(here, there)
    again = subprocess.run([program, "run", os.path.join(there, name)], capture_output=True, text=True)
    check(again.returncode == 0 and "the same bits" in again.stdout, again)


def main():
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    scene = os.path.join(os.path.abspath(directory), "beam.yaml")
    with open(scene, "w") as file:
        file.write(SCENE)
    with Viewer(program, scene, "--record", "beam", cwd=directory) as view:
        for test in (a_body_is_seen_pulled_cut_and_put_back, two_see_the_same_and_one_comes_back,
                     what_is_wrong_ends_its_connection, strangers_are_refused, the_page_is_served,
                     ten_thousand_bad_frames_change_nothing, a_slow_page_slows_nobody, a_recording_replays):
            test(view)
            check(view.process.poll() is None, "the program died")
            print(f"ok: {test.__name__}")
        Client(view.port)  # which is there to the end
    check(view.status == 0, "it ends without a complaint", view.status)
    for test in (others_need_the_token, a_finished_run_is_played, a_recording_moves_with_its_mesh):
        test(scene)
        print(f"ok: {test.__name__}")


main()
