// The topological rules that the language was designed with, and their inverses.

#ifndef CLEAVE_TEST_SUPPORT_RULE_EXAMPLES_H
#define CLEAVE_TEST_SUPPORT_RULE_EXAMPLES_H

static const char rule_examples[] =
    "rule sew2(a:<0>, b:<0>) where side(a)!=side(b) { left{a-2-a; b-2-b;} right{a-2-b;} }\n"
    "rule unsew2(a:<0>) { left { a-2-b:<0>; } right { a-2-a; b-2-b; } }\n"
    "rule sew3(a:<0,1>, b:<0,1>) where side(a)!=side(b) { left{a-3-a; b-3-b;} right{a-3-b;} }\n"
    "rule unsew3(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }\n"
    "rule insert_vertex(a:<0,2,3>) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); } }\n"
    "rule triangulate(a:<0,1,3>) { left{a;} right { a:<0,_,3> -1- b:<_,2,3> -0- c:<1,2,3>; c := mean(v:<1> in a); } }\n"
    "rule split_face(a:<3>, b:<3>) where b in <0,1>(a), side(a)!=side(b), b!=a@0, b!=a@1, b!=a@1@0@1 {\n"
    "  left { a-1-c:<3>; b-1-d:<3>; }\n"
    "  right { a-1-x:<3>-0-y:<3>-1-b; c-1-u:<3>-0-v:<3>-1-d; x-2-u; y-2-v; } }\n"
    "rule wall(a:<0>) { left { a-2-b:<0>; } right { a-2-x:<0>-3-y:<0>-2-b; x-1-x; y-1-y; } }\n"
    "rule join(a:<3>, b:<3>) where side(a)!=side(b) { left{a-1-a; b-1-b;} right{a-1-b;} }\n"
    "script split_volume(path) { for d in path { wall(d); } for d,e in cyclic(path) { join(d@0@2, e@2); } }\n"
    "rule loop(a:<0^k,1,3|(0^k 1)^3>, k) { left { a:<_,1,3> -0^(k+1)- b:<1,_,3>; }\n"
    "  right { a -0^(k+1)- b:<_,_,3> -1- c:<_,0,3> -2- d:<1,0,3>; } }\n"
    "rule quad4(a:<0^k,1,3|(0^k 1)^4>, k) { left { a:<_,1,3> -0^(k+1)- b:<1,_,3>; }\n"
    "  right { a -0^(k+1)- b:<_,_,3> -1- c:<2,_,3> -0- d:<2,1,3>; } }\n"
    "rule cut_corner(a:<1,2>) { left { a -0- b:<_,2> -1- c:<0,_> -2- d:<0,_>; }\n"
    "  right { a -0- b -1- c -2- e:<0,1> -3- f:<0,1> -2- d; } }\n"
    "rule octa4(a:<1,2|(12)^4>) { left { a -0- b:<_,2> -1- c:<0,_> -2- d:<0,_> -1- e:<_,2> -0- f:<1,2>; }\n"
    "  right { a:<1,_> -0- b:<_,_> -1- c -2- d -1- e:<_,_> -0- f:<1,_>;\n"
    "    a -2- n:<_,3> -0- q:<_,3> -1- r:<_,3> -0- s:<_,3> -1- t:<2,3> -0- u:<2,3> -1- n; b-2-q; e-2-r; f-2-s; } }\n"
    "rule hex8(a:<0^k,1,2|(0^k 1)^4,(12)^3>, k) {\n"
    "  left { a:<_,1,2> -0^(k+1)- b:<_,_,2> -1- c:<2,_,_> -0- d:<2,1,_>; }\n"
    "  right { a -0^(k+1)- b -1- c:<_,_,_> -0- d:<_,1,_>;\n"
    "    c -2- e:<3,_,1> -0- f:<3,_,_> -1- g:<3,2,_> -0- h:<3,2,1>; d-2-f; } }\n"
    "rule catmull(a:<0,1,2,3>) { left{a;} right{a:<_,1,2,3>-0-b:<_,_,2,3>-1-c:<2,_,_,3>-0-d:<2,1,_,3>;} }\n"
    "rule extrude(a:<0,1>) { left{a-3-a;} right { c-3-c; d-3-d; e-3-e; f-3-f; h-3-h;\n"
    "  a-3-b:<0,1>-2-c:<0,_>-1-d:<_,2>-0-e:<_,2>-1-f:<0,_>-2-h:<0,1>; } }\n"
    "rule remove_volume(a:<0,1,2>) { left { a -3?- b:<0,1,_>; } right { b-3-b; } }\n"
    "rule dual(a:<0,1,2,3>) { left{a;} right{a:<3,2,1,0>;} }\n"
    "rule dual2(a:<0,1,2>) { left{a-3-a;} right{a:<2,1,0>-3-a;} }\n"
    "rule unocta4 = inverse octa4 | (23)^4;\n"
    "rule unloop = inverse loop | (10)^3;\n"
    "rule unquad4 = inverse quad4 | (21)^4,(23)^2;\n"
    "rule unhex8 = inverse hex8 | (32)^4,(21)^3;\n"
    "rule uncut_corner = inverse cut_corner;\n"
    "rule remove_vertex = inverse insert_vertex | (12)^2;\n"
    "rule untriangulate = inverse triangulate | (23)^2;\n"
    "rule unsew3_again = inverse sew3;\n"
    "rule unextrude = inverse extrude;\n";

#endif
