#!/usr/bin/env python3
"""Which functions edits run: writes cmake/hand.ld.

Runs build/release/bench_hand under valgrind and looks what is done inside its edits. A function counts that executes
more than a few lines of code in one of them; what it calls counts by itself. Functions of both go to one piece, those
of either to pieces of their own. What is not in the library (the C library, laws that were compiled) stays where it is.

    make hand
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bench_hand"
LIBRARY = ROOT / "build/release/libcleave.a"
EDITS = 4 * 24  # of each sort
FEW = 6  # instructions an edit: who looks whether it has anything to do
SUFFIX = re.compile(r"\.(part|isra|constprop|cold)(\.\d+)*|'\d+")


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def library_functions():
    """Names of functions in the library, without what the compiler adds to them."""
    names = set()
    for line in run("nm", str(LIBRARY)).splitlines():
        words = line.split()
        if len(words) == 3 and words[1] in "tT":
            names.add(SUFFIX.sub("", words[2]))
    return {name for name in names if not name.startswith("rule_kernel_")}


def functions_inside(outer, known):
    """Those that run inside a function of the program, and how many instructions they execute themselves."""
    with tempfile.TemporaryDirectory() as directory:
        counts = Path(directory) / "counts"
        run("valgrind", "--tool=callgrind", f"--toggle-collect={outer}", f"--callgrind-out-file={counts}", str(PROGRAM))
        report = run("callgrind_annotate", "--threshold=100", str(counts))
    executed = {}
    for line in report.splitlines():
        found = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+\S*?:(\S+)", line)
        if not found:
            continue
        name = SUFFIX.sub("", found[2])
        if name in known:
            executed[name] = executed.get(name, 0) + int(found[1].replace(",", ""))
    return {name for name, count in executed.items() if count > FEW * EDITS}


def write_script(pieces):
    lines = ["/* Written by scripts/hand.py: which functions of the library lie side by side (cmake/hand.cmake). */", "", "SECTIONS", "{"]
    for piece, names in pieces.items():
        lines.append(f"  {piece} : {{")
        lines += [f"    *(.text.{name} .text.{name}.*)" for name in sorted(names)]
        lines.append("  }")
    lines.append("}")
    (ROOT / "cmake/hand.ld").write_text("\n".join(lines) + "\n")


def main():
    known = library_functions()
    removing, refining = (functions_inside(outer, known) for outer in ("hand_remove", "hand_refine"))
    if not removing or not refining:
        sys.exit("hand.py: bench_hand ran nothing that is in the library")
    both = removing & refining
    write_script({"clv_edits": both, "clv_losses": removing - both, "clv_growths": refining - both})
    print(f"cmake/hand.ld: {len(both)} functions of both, {len(removing - both)} of removing, {len(refining - both)} of refining")


main()
