#!/usr/bin/env python3
"""Examples and what is said about them: test/examples/run.py CLEAVE EXAMPLES DIRECTORY

Every numbered example and the scene of its name are one simulation: the program (from the directory EXAMPLES) and
`cleave run` must end in the same bits, and neither may be without the other. Blocks of the documentation that name an
example or a scene must be in it word for word. Works in DIRECTORY, which is emptied first.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
cleave, examples, work = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
PAIRS = 10
wrong = []


def output_of(directory, *command):
    directory.mkdir(parents=True)
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode:
        wrong.append(f"{' '.join(map(str, command))}: ended with {done.returncode}: {done.stdout}{done.stderr}")
        return None
    return done.stdout


def compare(number):
    sources = sorted(path.stem for path in root.glob(f"examples/{number:02}_*.c"))
    scenes = sorted(path.stem for path in root.glob(f"examples/{number:02}_*.yaml"))
    if len(sources) != 1 or sources != scenes:
        wrong.append(f"{number:02}: the examples {sources} and the scenes {scenes} must be one pair")
        return
    name = sources[0]
    program = output_of(work / name / "example", examples / name)
    scene = output_of(work / name / "scene", cleave, "run", root / "examples" / f"{name}.yaml", "--out", "out", "--json")
    if program is None or scene is None:
        return
    ours = re.search(r"hash ([0-9a-f]{16})$", program.strip())
    theirs = json.loads(scene)["hash"]
    if not ours or ours.group(1) != theirs:
        wrong.append(f"{name}: the scene ends in the state {theirs}, the example says: {program.strip()}")
    else:
        print(f"{name}: {theirs}")


def check_page(page):
    blocks = re.findall(r"<!-- (examples/\S+) -->\n```\w+\n(.*?)```", page.read_text(), re.DOTALL)
    for source, block in blocks:
        text = (root / source).read_text()
        if block not in text:
            wrong.append(f"{page.relative_to(root)}: a block is not what {source} says:\n{block}")
        if page.name == "README.md" and block != text:
            wrong.append(f"README.md: has only a part of {source}")
    return len(blocks)


shutil.rmtree(work, ignore_errors=True)
for pair in range(1, PAIRS + 1):
    compare(pair)
blocks = sum(check_page(page) for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))])
print(f"{blocks} blocks of the documentation")
if not blocks:
    wrong.append("no block of the documentation names its file")
print("\n".join(wrong))
sys.exit(bool(wrong))
