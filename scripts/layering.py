#!/usr/bin/env python3
"""Who includes whom.

Reads every #include in the tree and holds it against the order of rooms in scripts/rooms.txt:

- src/ROOM includes itself, rooms with a lower number, and public headers of rooms with a lower or equal number;
- include/cleave/ROOM.h is public and includes only public headers, in the same order; cleave.h includes them all;
- app/ and examples/ see include/cleave, and what lies in their own directory;
- test/ and bench/ may look anywhere.

`layering.py` checks the tree it lies in, `layering.py --self-test` checks that each of these can fail.
"""

import re
import sys
import tempfile
from pathlib import Path

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def read_rooms(root):
    lines = (root / "scripts/rooms.txt").read_text().splitlines()
    return {room: int(number) for room, number in (line.split() for line in lines if line and line[0] != "#")}


def resolve(root, path, bracket, name):
    """The file of the tree that an #include means, or None for a system header."""
    near = [path.parent] if bracket == '"' else []
    for directory in near + [root / "src", root / "include"]:
        file = (directory / name).resolve()
        if file.is_file() and file.is_relative_to(root):
            return file.relative_to(root)
    return None


def judge(rooms, source, target):
    """Why `source` must not include `target`, both relative to the root; None when it may."""
    top = source.parts[0]
    public = target.parts[0] == "include"
    if top in ("app", "examples"):
        return None if public or target.parent == source.parent else f"{top}/ sees only include/cleave"
    if top == "include" and not public:
        return "a public header includes only public headers"
    if not public and target.parts[0] != "src":
        return f"the library does not include {target.parts[0]}/"

    here = source.stem if top == "include" else source.parts[1]
    there = target.stem if public else target.parts[1]
    if here == "cleave":
        return None
    if there == "cleave":
        return "cleave.h is every room at once; include the rooms that are meant"
    for room in (here, there):
        if room not in rooms:
            return f"scripts/rooms.txt has no room '{room}'"
    if here == there or rooms[there] < rooms[here] or (public and rooms[there] == rooms[here]):
        return None
    return f"{here} ({rooms[here]}) must not know {there} ({rooms[there]})"


def check(root):
    root = root.resolve()
    rooms = read_rooms(root)
    complaints = []
    for top in ("include", "src", "app", "examples"):
        for path in sorted((root / top).rglob("*.[ch]")):
            source = path.relative_to(root)
            text = path.read_text()
            for match in INCLUDE.finditer(text):
                bracket, name = match.groups()
                target = resolve(root, path, bracket, name)
                if target:
                    why = judge(rooms, source, target)
                elif bracket == '"' or name.startswith("cleave/"):
                    why = "there is no such file"
                else:
                    why = None
                if why:
                    line = text.count("\n", 0, match.start()) + 1
                    complaints.append(f"{source}:{line}: includes {name}: {why}")

    umbrella = root / "include/cleave/cleave.h"
    included = umbrella.read_text() if umbrella.is_file() else ""
    for header in sorted((root / "include/cleave").glob("*.h")):
        if header != umbrella and f"cleave/{header.name}" not in included:
            complaints.append(f"include/cleave/cleave.h: does not include cleave/{header.name}")
    return complaints


def self_test():
    rooms = "# a comment\nbase 0\nmap 1\nrule 3\nmesh 3\n"
    public = {f"include/cleave/{room}.h": "" for room in ("base", "map", "rule", "mesh")}
    public["include/cleave/cleave.h"] = "".join(f'#include "cleave/{r}.h"\n' for r in ("base", "map", "rule", "mesh"))
    private = {f"src/{room}/{room}.h": "" for room in ("base", "map", "rule", "mesh")}
    cases = [  # file, its text, what the complaint says (None: no complaint)
        ("src/map/a.c", '#include "map/map.h"\n#include "map.h"\n#include "base/base.h"\n#include <stdio.h>', None),
        ("src/mesh/a.c", '#include "cleave/rule.h"\n#include <cleave/mesh.h>', None),
        ("app/cli/a.c", '#include "cleave/cleave.h"\n#include <cleave/map.h>\n#include "a.h"', None),
        ("test/test_a.c", '#include "map/map.h"', None),
        ("src/base/a.c", '#include "map/map.h"', "a.c:1: includes map/map.h: base (0) must not know map (1)"),
        ("src/base/a.c", '\n\n #  include "../map/map.h"', "a.c:3: includes ../map/map.h: base (0) must not know map"),
        ("src/base/a.c", '#include "cleave/map.h"', "base (0) must not know map (1)"),
        ("src/base/a.c", "#include <cleave/map.h>", "base (0) must not know map (1)"),
        ("src/mesh/a.c", '#include "rule/rule.h"', "mesh (3) must not know rule (3)"),
        ("src/map/a.c", '#include "cleave/cleave.h"', "every room at once"),
        ("src/map/a.c", '#include "../../test/support/a.h"', "does not include test/"),
        ("src/map/a.c", '#include "map/gone.h"', "there is no such file"),
        ("src/new/a.c", '#include "base/base.h"', "no room 'new'"),
        ("include/cleave/base.h", '#include "cleave/map.h"', "base (0) must not know map (1)"),
        ("include/cleave/map.h", '#include "map/map.h"', "only public headers"),
        ("include/cleave/cleave.h", "", "does not include cleave/base.h"),
        ("app/cli/a.c", '#include "map/map.h"', "app/ sees only include/cleave"),
        ("examples/a.c", '#include "../src/map/map.h"', "examples/ sees only include/cleave"),
    ]
    for file, text, expected in cases:
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            extra = {"scripts/rooms.txt": rooms, "app/cli/a.h": "", "test/support/a.h": ""}
            for name, content in {**public, **private, **extra, file: text}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            complaints = check(root)
        if (expected is None) != (not complaints) or (expected and expected not in complaints[0]):
            sys.exit(f"layering self-test: {file} with {text!r}: expected {expected!r}, got {complaints}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    complaints = check(Path(__file__).resolve().parent.parent)
    if complaints:
        sys.exit("\n".join(complaints))


if __name__ == "__main__":
    main()
