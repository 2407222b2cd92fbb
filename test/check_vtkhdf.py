"""Holds a VTKHDF series against the same frames as VTU files: check_vtkhdf.py SERIES VTU...

SERIES is taken apart with h5py as the VTKHDF specification (2.0, with 2.5's polyhedra) lays it out; the VTU files are read by
VTK. Every frame must have the same points, cells and fields. With --vtk the series is read by VTK's own reader as well:
that of Debian 12 (9.1) knows no steps and shows the first frame.
"""

import sys

import h5py
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def vtu_grid(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def fields_of(data):
    return {data.GetArrayName(k): vtk_to_numpy(data.GetArray(k)) for k in range(data.GetNumberOfArrays())}


def cells_of(grid):
    """Each cell as its VTK type and its points, or its faces, each as a list of points."""
    cells = []
    for c in range(grid.GetNumberOfCells()):
        kind = grid.GetCellType(c)
        if kind == vtk.VTK_POLYHEDRON:
            stream = vtk.vtkIdList()
            grid.GetFaceStream(c, stream)
            ids = [stream.GetId(k) for k in range(stream.GetNumberOfIds())]
            faces, at = [], 1
            for _ in range(ids[0]):
                faces.append(ids[at + 1 : at + 1 + ids[at]])
                at += 1 + ids[at]
            cells.append((kind, faces))
        else:
            points = grid.GetCell(c).GetPointIds()
            cells.append((kind, [points.GetId(k) for k in range(points.GetNumberOfIds())]))
    return cells


def same(name, one, other):
    one, other = np.asarray(one), np.asarray(other)
    assert one.shape == other.shape, f"{name}: {one.shape} and {other.shape}"
    assert np.array_equal(one, other), f"{name} differs by {np.abs(one - other).max()}"


def series_cells(root, step):
    steps = root["Steps"]
    part = int(steps["PartOffsets"][step])
    assert steps["NumberOfParts"][step] == 1
    first, first_id = int(steps["CellOffsets"][step]), int(steps["ConnectivityIdOffsets"][step])
    count, ids = int(root["NumberOfCells"][part]), int(root["NumberOfConnectivityIds"][part])
    types = root["Types"][first : first + count]
    offsets = root["Offsets"][first + part : first + part + count + 1]
    connectivity = root["Connectivity"][first_id : first_id + ids]
    assert offsets[0] == 0 and offsets[-1] == ids and len(types) == count
    cells = [(int(t), list(connectivity[a:b])) for t, a, b in zip(types, offsets, offsets[1:])]
    if "FaceConnectivity" not in root:
        assert vtk.VTK_POLYHEDRON not in types
        assert list(root.attrs["Version"]) == [2, 0]
        return cells
    assert list(root.attrs["Version"]) == [2, 5]
    first_face = int(steps["FaceOffsetsOffsets"][step])
    first_face_id = int(steps["FaceConnectivityOffsets"][step])
    first_polyhedron_id = int(steps["PolyhedronToFaceIdOffsets"][step])
    faces, face_ids = int(root["NumberOfFaces"][part]), int(root["NumberOfFaceConnectivityIds"][part])
    face_offsets = root["FaceOffsets"][first_face + part : first_face + part + faces + 1]
    face_points = root["FaceConnectivity"][first_face_id : first_face_id + face_ids]
    to_faces_count = int(root["NumberOfPolyhedronToFaceIds"][part])
    to_faces = root["PolyhedronToFaces"][first_polyhedron_id : first_polyhedron_id + to_faces_count]
    to_faces_offsets = root["PolyhedronOffsets"][first + part : first + part + count + 1]
    assert face_offsets[0] == 0 and face_offsets[-1] == face_ids
    assert to_faces_offsets[0] == 0 and to_faces_offsets[-1] == to_faces_count
    for c, (kind, points) in enumerate(cells):
        mine = to_faces[to_faces_offsets[c] : to_faces_offsets[c + 1]]
        if kind != vtk.VTK_POLYHEDRON:
            assert len(mine) == 0
            continue
        lists = [list(face_points[face_offsets[f] : face_offsets[f + 1]]) for f in mine]
        assert set(points) == {p for face in lists for p in face} and len(set(points)) == len(points)
        cells[c] = (kind, lists)
    return cells


def series_field(root, place, name, step, count):
    first = int(root[f"Steps/{place}DataOffsets/{name}"][step])
    return root[f"{place}Data/{name}"][first : first + count]


def check_step(root, step, grid):
    part = int(root["Steps/PartOffsets"][step])
    points = int(root["NumberOfPoints"][part])
    first = int(root["Steps/PointOffsets"][step])
    same("points", root["Points"][first : first + points], vtk_to_numpy(grid.GetPoints().GetData()))
    mine, theirs = series_cells(root, step), cells_of(grid)
    assert mine == theirs, f"cells differ at step {step}: {[p for p in zip(mine, theirs) if p[0] != p[1]][:1]}"
    for place, data in (("Point", grid.GetPointData()), ("Cell", grid.GetCellData())):
        count = points if place == "Point" else int(root["NumberOfCells"][part])
        wanted = fields_of(data)
        assert set(root[f"{place}Data"]) == set(wanted), f"{set(root[f'{place}Data'])} and {set(wanted)}"
        for name, values in wanted.items():
            same(name, series_field(root, place, name, step, count), values)


def check_vtk(path, grid):
    reader = vtk.vtkHDFReader()
    assert reader.CanReadFile(path)
    reader.SetFileName(path)
    reader.Update()
    read = reader.GetOutputDataObject(0)
    same("points", vtk_to_numpy(read.GetPoints().GetData()), vtk_to_numpy(grid.GetPoints().GetData()))
    assert cells_of(read) == cells_of(grid), "cells differ in VTK"
    for mine, theirs in ((read.GetPointData(), grid.GetPointData()), (read.GetCellData(), grid.GetCellData())):
        wanted = fields_of(theirs)
        got = fields_of(mine)
        assert set(got) == set(wanted)
        for name in wanted:
            same(name, got[name], wanted[name])


def main():
    arguments = [a for a in sys.argv[1:] if a != "--vtk"]
    series, frames = arguments[0], arguments[1:]
    with h5py.File(series, "r") as file:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"UnstructuredGrid", root.attrs["Type"]
        steps = root["Steps"]
        assert steps.attrs["NSteps"] == len(frames), f"{steps.attrs['NSteps']} steps, {len(frames)} wanted"
        for step, path in enumerate(frames):
            check_step(root, step, vtu_grid(path))
    if "--vtk" in sys.argv:
        check_vtk(series, vtu_grid(frames[0]))


if __name__ == "__main__":
    main()
