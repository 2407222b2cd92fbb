"""Opens everything that a run left with other people's programs: check_run.py DIRECTORY

The series by VTK and meshio, the VTKHDF file by h5py (check_vtkhdf.py) against the same frames, the tables by csv, run.json
by json.
"""

import csv
import glob
import json
import sys
import xml.etree.ElementTree

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

import check_vtkhdf

POINT_FIELDS = {"displacement": 3, "velocity": 3, "held": 1}
CELL_FIELDS = {"stress": 6, "von_mises": 1, "strain": 6, "energy": 1, "region": 1, "model": 1}


def check_grid(grid):
    for data, fields in ((grid.GetPointData(), POINT_FIELDS), (grid.GetCellData(), CELL_FIELDS)):
        found = {data.GetArrayName(k): data.GetArray(k) for k in range(data.GetNumberOfArrays())}
        assert {name: a.GetNumberOfComponents() for name, a in found.items()} == fields, found.keys()
        for name, values in found.items():
            assert np.isfinite(vtk_to_numpy(values)).all(), name


def check_meshio(path, grid):
    """meshio has no polyhedra of mixed shapes; the frames of this run have none."""
    mesh = meshio.read(path)
    assert np.array_equal(mesh.points, vtk_to_numpy(grid.GetPoints().GetData()))
    assert sum(len(block.data) for block in mesh.cells) == grid.GetNumberOfCells()
    assert set(mesh.point_data) == set(POINT_FIELDS) and set(mesh.cell_data) == set(CELL_FIELDS)


def check_series(directory):
    frames = xml.etree.ElementTree.parse(f"{directory}/beam.pvd").getroot().find("Collection").findall("DataSet")
    paths = [f"{directory}/{frame.get('file')}" for frame in frames]
    times = [float(frame.get("timestep")) for frame in frames]
    assert sorted(paths) == sorted(glob.glob(f"{directory}/*.vtu")) and len(paths) > 5
    assert times == sorted(times) and times[0] == 0
    cells = set()
    for path in paths:
        grid = check_vtkhdf.vtu_grid(path)
        check_grid(grid)
        check_meshio(path, grid)
        cells.add((grid.GetNumberOfPoints(), grid.GetNumberOfCells()))
    assert len(cells) == 3, f"a cut and a removal make three topologies, not {cells}"
    last = check_vtkhdf.vtu_grid(paths[-1])
    displacement = vtk_to_numpy(last.GetPointData().GetArray("displacement"))
    held = vtk_to_numpy(last.GetPointData().GetArray("held"))
    assert displacement[:, 2].min() < -1e-5 and (displacement[held == 7] == 0).all()
    assert set(vtk_to_numpy(last.GetCellData().GetArray("region"))) == {3, 7}
    assert vtk_to_numpy(last.GetCellData().GetArray("von_mises")).max() > 0
    return paths, times


def read_table(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    values = np.array(rows[1:], dtype=float)
    return {name: values[:, k] for k, name in enumerate(rows[0])}


def check_tables(directory, run):
    energies = read_table(f"{directory}/energies.csv")
    assert len(energies["time"]) == run["steps"] + 1
    assert np.allclose(np.diff(energies["time"]), run["step"], rtol=1e-9)
    parts = energies["kinetic"] + energies["elastic"] + energies["gravitational"]
    assert np.allclose(parts, energies["total"], rtol=1e-12, atol=1e-15)
    assert energies["kinetic"].max() > 0 and energies["elastic"].max() > 0
    probes = read_table(f"{directory}/probes.csv")
    assert len(probes) == 1 + 2 * 12
    assert probes["tip.dz"][-1] < 0 and (probes["base.dz"] == 0).all()
    assert (probes["tip.fz"] == 0).all() and probes["base.fz"][-1] < 0


def main():
    directory = sys.argv[1]
    with open(f"{directory}/run.json") as file:
        run = json.load(file)
    assert run["state"] == "finished" and run["title"] == 'A "beam"' and run["resumed"] == 0
    assert run["bodies"][0]["name"] == "beam" and run["started"] <= run["ended"]
    paths, times = check_series(directory)
    assert run["frames"] == len(paths)
    check_tables(directory, run)
    sys.argv = ["check_vtkhdf.py", f"{directory}/beam.vtkhdf", *paths]
    check_vtkhdf.main()
    with check_vtkhdf.h5py.File(f"{directory}/beam.vtkhdf", "r") as file:
        assert list(file["VTKHDF/Steps/Values"]) == times


if __name__ == "__main__":
    main()
