#!/usr/bin/python3
"""Other programs as judges of the file formats: test/judge/judge.py CLEAVE DIRECTORY

meshio (package python3-meshio) reads what Cleave writes, and Cleave reads what meshio writes; points and elements must
be the same. Where gmsh, tetgen and CalculiX (ccx) are installed they read Cleave's files too, and those that are not are
named. Without meshio the test counts as skipped (status 77).
"""

import os
import shutil
import subprocess
import sys

try:
    import meshio
    import numpy as np
except ImportError as reason:
    print(f"skipped: {reason}; install python3-meshio")
    sys.exit(77)

CLEAVE, DIRECTORY = os.path.abspath(sys.argv[1]), sys.argv[2]
KINDS = {"triangle", "quad", "tetra", "pyramid", "wedge", "hexahedron", "line"}


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def cleave(*arguments):
    return run(CLEAVE, *arguments)


def cells(mesh):
    """The elements of each kind, in order."""
    found = {}
    for block in mesh.cells:
        if block.type in KINDS and len(block.data):
            found.setdefault(block.type, []).append(np.asarray(block.data, dtype=np.int64))
    return {kind: np.concatenate(blocks) for kind, blocks in found.items()}


def padded(points):
    """meshio gives points of the plane two coordinates."""
    points = np.asarray(points, dtype=float)
    return np.hstack([points, np.zeros((len(points), 3 - points.shape[1]))])


def same(a, b, exact=True):
    if exact:
        assert np.array_equal(padded(a.points), padded(b.points)), "points differ"
        left, right = cells(a), cells(b)
        assert left.keys() == right.keys(), f"{sorted(left)} and {sorted(right)}"
        for kind in left:
            assert np.array_equal(left[kind], right[kind]), f"{kind} elements differ"
    else:  # numbers of points are free
        left, right = (padded(m.points)[cells(m)["triangle"]] for m in (a, b))
        assert np.allclose(left, right, rtol=1e-6, atol=1e-7), "triangles differ"


# Each: a grid, its number of cells, the format, the name of the file, whether points keep their numbers.
SOLID, FLAT = ["2", "3", "2"], ["3", "2"]
CASES = [
    ("mixed", SOLID, "medit", "x.mesh", True),
    ("mixed", SOLID, "medit-binary", "x.meshb", True),
    ("tet6", SOLID, "tetgen", "x.node", True),
    ("tet6", SOLID, "abaqus", "x.inp", True),  # no mixture: meshio's Abaqus files have no pyramids
    ("prism", SOLID, "abaqus", "x.inp", True),
    ("hex", SOLID, "abaqus", "x.inp", True),
    ("mixed2", FLAT, "obj", "x.obj", True),
    ("tri", FLAT, "stl", "x.stl", False),
    ("tri", FLAT, "stl-binary", "x.stl", False),
    ("mixed2", FLAT, "ply", "x.ply", True),
    ("mixed2", FLAT, "ply-binary", "x.ply", True),
    ("mixed2", FLAT, "medit", "x.mesh", True),
]

# What meshio wants to be told besides the name.
WRITING = {
    "stl": {"binary": False}, "stl-binary": {"binary": True}, "ply": {"binary": False}, "ply-binary": {"binary": True},
}


def reference(kind, counts):
    cleave("grid", kind, *counts, "--size", "1", "2", "0.3", "-o", "reference.msh", "--format", "msh2")
    return meshio.read("reference.msh")


def meshio_reads(kind, counts, form, name, exact):
    expected = reference(kind, counts)
    cleave("convert", "reference.msh", name, "--format", form)
    same(expected, meshio.read(name), exact)


def meshio_writes(kind, counts, form, name, exact):
    expected = reference(kind, counts)
    plain = meshio.Mesh(expected.points, [(block.type, block.data) for block in expected.cells])
    meshio.write(name, plain, **WRITING.get(form, {}))
    cleave("convert", name, "back.msh", "--format", "msh2")
    same(expected, meshio.read("back.msh"), exact)


def regions():
    """References of elements and vertices, sets of elements and of nodes."""
    triangles = np.array([[0, 1, 2], [0, 2, 3], [1, 2, 3]])
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.5]])
    mesh = meshio.Mesh(points, [("triangle", triangles)], point_data={"medit:ref": np.array([0, 5, 6, 0])},
                       cell_data={"medit:ref": [np.array([7, 8, 7])]})
    for name in ("refs.mesh", "refs.meshb"):
        meshio.write(name, mesh)
        cleave("convert", name, "back.mesh")
        back = meshio.read("back.mesh")
        assert list(back.cell_data["medit:ref"][0]) == [7, 8, 7], back.cell_data
        assert list(back.point_data["medit:ref"]) == [0, 5, 6, 0], back.point_data
    cleave("convert", "refs.mesh", "refs.inp")
    sets = meshio.read("refs.inp").cell_sets
    assert {name.lower() for name in sets} == {"region-7", "region-8"}, sets
    mesh = meshio.Mesh(points, [("triangle", triangles)], point_data={"heat": np.array([0.5, 1, 2, 3])})
    for binary in (False, True):
        meshio.write("heat.ply", mesh, binary=binary)
        cleave("convert", "heat.ply", "back.vtu")
        assert list(meshio.read("back.vtu").point_data["heat"]) == [0.5, 1, 2, 3]


GEOMETRY = """SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Physical Volume("block", 7) = {1};
Physical Surface("skin", 8) = {1, 2, 3, 4, 5, 6};
Mesh.MeshSizeMin = 0.4;
Mesh.MeshSizeMax = 0.4;
"""


def gmsh():
    for kind, counts, form, name, _ in CASES:
        if name.endswith((".mesh", ".stl")) and kind != "mixed":
            reference(kind, counts)
            cleave("convert", "reference.msh", name, "--format", form)
            said = run("gmsh", "-nt", "1", "-save", "-o", "gmsh.msh", "-format", "msh41", name)
            assert "Error" not in said, said
            cleave("check", "gmsh.msh")
    with open("block.geo", "w") as geometry:
        geometry.write(GEOMETRY)
    for ending in ("mesh", "inp"):
        run("gmsh", "-nt", "1", "-3", "-o", f"block.{ending}", "block.geo")
        said = cleave("info", f"block.{ending}")
        assert "volume        1\n" in said, said
    assert "block" in cleave("info", "block.inp"), "the set of elements is lost"
    run("gmsh", "-nt", "1", "-2", "-o", "block.stl", "block.geo")
    said = cleave("info", "block.stl")
    assert "boundary      none" in said or "boundary      0" in said, said


def tetgen():
    with open("cube.obj", "w") as cube:
        cube.write("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                   "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n")
    cleave("convert", "cube.obj", "cube.smesh")
    run("tetgen", "-pq", "cube.smesh")
    cleave("check", "cube.1.ele")
    said = cleave("info", "cube.1.node")
    assert "volume        1\n" in said, said


def calculix():
    """A block under tension: every kind of element that CalculiX knows, and its sections by the sets."""
    for kind in ("tet6", "hex", "prism"):
        cleave("grid", kind, "2", "2", "2", "-o", "block.inp")
        with open("block.inp") as mesh, open("job.inp", "w") as job:
            text = mesh.read()
            job.write(text.replace("*ELEMENT, ", "*ELEMENT, ELSET=EALL, "))
            job.write("*NSET, NSET=LOW\n1, 2, 3, 4, 5, 6, 7, 8, 9\n*NSET, NSET=HIGH\n19, 20, 21, 22, 23, 24, 25, 26, 27\n"
                      "*MATERIAL, NAME=M\n*ELASTIC\n1000., 0.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n*STEP\n*STATIC\n"
                      "*BOUNDARY\nLOW, 1, 3\nHIGH, 3, 3, 0.5\n*NODE PRINT, NSET=HIGH\nU\n*END STEP\n")
        said = run("ccx", "job")
        assert "Job finished" in said, said
        rows = [line.split() for line in open("job.dat") if len(line.split()) == 4]
        assert len(rows) == 9 and all(abs(float(row[3]) - 0.5) < 1e-9 for row in rows), rows


def main():
    shutil.rmtree(DIRECTORY, ignore_errors=True)
    os.makedirs(DIRECTORY)
    os.chdir(DIRECTORY)
    trials = [(f"meshio reads {form} of {kind}", meshio_reads, (kind, counts, form, name, exact))
              for kind, counts, form, name, exact in CASES]
    trials += [(f"meshio writes {form} of {kind}", meshio_writes, (kind, counts, form, name, exact))
               for kind, counts, form, name, exact in CASES]
    trials.append(("regions and fields", regions, ()))
    for program, trial in (("gmsh", gmsh), ("tetgen", tetgen), ("ccx", calculix)):
        if shutil.which(program):
            trials.append((program, trial, ()))
        else:
            print(f"skipped: {program} is not installed")
    failed = 0
    for name, trial, arguments in trials:
        try:
            trial(*arguments)
        except Exception as reason:  # whatever it is, the other trials go on
            failed += 1
            print(f"FAILED: {name}: {type(reason).__name__}: {reason}")
    print(f"{len(trials) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
