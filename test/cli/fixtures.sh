# Small meshes, written by hand. Sourced by run.sh.

# A text VTK file from lines "x y z", the line "cells" and lines "TYPE corner corner ...".
# Types: 3 line, 5 triangle, 7 polygon, 9 quadrangle, 10 tetrahedron, 12 hexahedron, 24 tetrahedron of second order,
# 42 polyhedron, whose corners are a stream: faces, and the corners of each face with their number before them.
vtk() { # file
  awk '
    $1 == "cells" { in_cells = 1; next }
    !in_cells { points = points $0 "\n"; point_count++; next }
    {
      type = $1
      sub(/^[0-9]+ /, "")
      cells = cells NF " " $0 "\n"
      types = types type "\n"
      count++
      size += NF + 1
    }
    END {
      printf "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\n"
      printf "POINTS %d double\n%sCELLS %d %d\n%sCELL_TYPES %d\n%s", point_count, points, count, size, cells, count, types
    }' >"$1"
}

# Four corners, a point over the first triangle and one below it.
tet_points='0 0 0
1 0 0
0 1 0
0 0 1
0 0 -1
1 1 1'

vtk tet.vtk <<END
0 0 0
1 0 0
0 1 0
0 0 1
cells
10 0 1 2 3
END

vtk two_tets.vtk <<END
$tet_points
cells
10 0 1 2 3
10 0 2 1 4
END

# The second one has its corners the wrong way round, as many files do.
vtk inverted.vtk <<END
$tet_points
cells
10 0 1 2 3
10 0 1 2 4
END

vtk three_on_a_face.vtk <<END
$tet_points
cells
10 0 1 2 3
10 0 2 1 4
10 0 1 2 5
END

vtk repeated_corner.vtk <<END
$tet_points
cells
10 0 1 2 3
10 0 1 1 4
END

vtk missing_point.vtk <<END
$tet_points
cells
10 0 1 2 3
10 0 2 1 17
END

vtk three_on_an_edge.vtk <<END
$tet_points
cells
5 0 1 2
5 1 0 3
5 0 1 4
END

# In a plane, the second one runs clockwise.
vtk clockwise.vtk <<END
0 0 0
1 0 0
1 1 0
0 1 0
cells
5 0 1 2
5 0 3 2
END

vtk flat.vtk <<END
0 0 0
1 0 0
0 1 0
1 1 0
cells
10 0 1 2 3
END

# Two tetrahedra that share one point only.
vtk touching.vtk <<END
0 0 0
1 0 0
0 1 0
0 0 1
-1 0 0
0 -1 0
0 0 -1
cells
10 0 1 2 3
10 0 5 4 6
END

# Two tetrahedra side by side with points of their own.
vtk apart.vtk <<END
0 0 0
1 0 0
0 1 0
0 0 1
0 0 0
0 1 0
1 0 0
0 0 -1
cells
10 0 1 2 3
10 4 5 6 7
END

# A hexahedron twisted until it is inverted at a corner, though its volume is positive.
vtk twisted.vtk <<END
0 0 0
1 0 0
0.2 0.2 0
0 1 0
0 0 1
1 0 1
1 1 1
0 1 1
cells
12 0 1 2 3 4 5 6 7
END

vtk second_order.vtk <<END
0 0 0
1 0 0
0 1 0
0 0 1
0.5 0 0
0.5 0.5 0
0 0.5 0
0 0 0.5
0.5 0 0.5
0 0.5 0.5
cells
24 0 1 2 3 4 5 6 7 8 9
END

# The surface of the unit cube.
vtk cube_surface.vtk <<END
0 0 0
1 0 0
1 1 0
0 1 0
0 0 1
1 0 1
1 1 1
0 1 1
cells
9 0 3 2 1
9 4 5 6 7
9 0 1 5 4
9 1 2 6 5
9 2 3 7 6
9 3 0 4 7
END

# A ring of six quadrangles, closed after half a turn.
awk 'BEGIN {
  for (i = 0; i < 6; i++) {
    angle = i * atan2(0, -1) / 3
    for (side = -0.5; side <= 0.5; side++) {
      radius = 2 + side * cos(angle / 2)
      print radius * cos(angle), radius * sin(angle), side * sin(angle / 2)
    }
  }
  print "cells"
  for (i = 0; i < 5; i++) print 9, 2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2
  print 9, 10, 11, 0, 1
}' | vtk moebius.vtk

vtk polygons.vtk <<END
0 0 0
2 0 0
3 1 0
2 2 0
0 2 0
-1 1 0
4 0 0
cells
7 0 1 2 3 4 5
5 1 6 2
END

# A prism over a pentagon, as a polyhedron, one of its faces listed the other way round; and a pyramid on it.
vtk polyhedron.vtk <<END
0 0 0
2 0 0
2 1 0
1 2 0
0 1 0
0 0 1
2 0 1
2 1 1
1 2 1
0 1 1
1 0.5 -1
cells
42 7 5 0 1 2 3 4 5 5 6 7 8 9 4 0 1 6 5 4 1 2 7 6 4 2 3 8 7 4 3 4 9 8 4 4 0 5 9
42 6 5 0 1 2 3 4 3 0 1 10 3 1 2 10 3 2 3 10 3 3 4 10 3 4 0 10
END

vtk lines.vtk <<END
0 0 0
1 0 0
cells
3 0 1
END

vtk points.vtk <<END
0 0 0
1 0 0
cells
END

# A square of two triangles with its rim as lines, two regions with names, one of them used, and a field on each place.
cat >regions.msh <<'END'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
1 7 "rim"
2 1 "skin"
2 9 "never used"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 9 9 9
$EndNodes
$Elements
4
1 1 2 7 7 1 2
2 1 2 7 7 2 3
3 2 2 1 1 1 2 3
4 2 2 2 2 1 3 4
$EndElements
$NodeData
1
"heat"
1
0
3
0
1
5
1 20
2 21
3 22
4 23
5 24
$EndNodeData
$ElementData
1
"a \ and 	tab"
1
0
3
0
3
4
1 0 0 0
2 0 0 0
3 1 0 0
4 0 1 0
$EndElementData
END

printf '# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0\n' >short.vtk
printf '$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 1 zero 0\n$EndNodes\n' >word.msh
printf '<VTKFile type="UnstructuredGrid">\n<UnstructuredGrid>\n</VTKFile>\n' >unclosed.vtu
printf 'solid cube\n' >other.msh
: >empty.vtk
mkdir directory.msh

# Rules, and rules that are wrong.
cat >topology.rule <<'END_OF_RULES'
embed position:vec3[m] on vertex blend merge mean split copy;
rule sew3(a:<0,1>, b:<0,1>) where side(a)!=side(b) { left { a-3-a; b-3-b; } right { a-3-b; } }
rule unsew3(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }
rule triangulate(a:<0,1,3>) {
  left { a; }
  right { a:<0,_,3> -1- b:<_,2,3> -0- c:<1,2,3>; c := mean(v:<1> in a); }
}
rule insert_vertex(a:<0,2,3>) { left { a; } right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); } }
rule remove_volume(a:<0,1,2>) { left { a -3?- b:<0,1,_>; } right { b-3-b; } }
script open(path) { for d in path { unsew3(d); } }
script halve(f) { for e:<0> in <0,1>(f) { insert_vertex(e); } }
END_OF_RULES
cat >wrong.rule <<'END_OF_RULES'
rule del(a:<0,1,3>) { left { a; } right { } }
END_OF_RULES
cat >more.rule <<'END_OF_RULES'
rule sew2(a:<0>, b:<0>) where side(a)!=side(b) { left { a-2-a; b-2-b; } right { a-2-b; } }
END_OF_RULES
cat >laws.rule <<'END_OF_RULES'
embed pos:vec3[m] on vertex blend merge mean split copy;
embed rest:vec3[m] on vertex blend merge mean split copy;
param k:real[N/m] = 7;
force spring on e:edge { let l = norm(e.pos - e@0.pos); energy 0.5*k*(l - rest(l))^2; psd clamp; }
END_OF_RULES
