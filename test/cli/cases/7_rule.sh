# `rule`: checking, drawing, explaining and applying rules.

# ---- help

family() {
  ok "$@"
  for half in check show explain compile apply; do prints "cleave rule $half FILE..."; done
}
it 'help rule' family help rule
it 'rule --help' family rule --help
it 'rule -h' family rule -h

rule_helps() { # second word
  ok help rule "$1"
  [ "$(head -n 1 out | cut -d ' ' -f 1-3)" = "cleave rule $1" ] || fail 'does not begin with how it is called'
  ! grep -qE '^.{121}' out || fail 'has long lines'
  mv out help.txt
  ok rule "$1" --help
  cmp out help.txt || fail '--help differs from help'
}
for half in check show explain compile apply; do it "help rule $half" rule_helps $half; done

it 'half a command' misuse "'rule' is half a command; 'cleave help rule' lists the other halves" rule
it 'a wrong half' misuse "there is no command 'rule chek'; did you mean 'rule check'?" rule chek x.rule
it 'help with a word too many' misuse "'x' is one word too many for help" help info x
it 'rule check without a file' misuse 'rule check needs FILE' rule check
it 'rule show without a name' misuse 'rule show needs NAME' rule show topology.rule
it 'rule apply without an output' misuse 'rule apply needs --output FILE' rule apply topology.rule unsew3 tet.vtk

# ---- check

sound() {
  ok rule check topology.rule more.rule
  [ "$(cat out)" = '6 rules, 2 scripts, 1 embedding: checked, nothing to complain about' ] || fail 'says something else'
}
it 'sound rules' sound

unsound() {
  cleave 1 rule check topology.rule wrong.rule
  grep -q '^wrong.rule:1:[0-9]*: error\[I\]: ' err || fail 'no finding'
  grep -q '^  1 | rule del(a:<0,1,3>) { left { a; } right { } }$' err || fail 'no line'
  grep -qE '^    \| +\^' err || fail 'no caret'
  [ ! -s out ] || fail 'prints something'
}
it 'unsound rules' unsound

missing() { cleave 1 rule check no_such.rule && says 'no_such.rule: No such file or directory'; }
it 'a file that is not there' missing
unreadable() { cleave 1 rule check directory.msh && says 'directory.msh: Is a directory'; }
it 'a directory' unreadable
empty() { : >empty.rule && ok rule check empty.rule && prints 'nothing is declared'; }
it 'an empty file' empty
large() {
  head -c 17M /dev/zero >large.rule
  cleave 1 rule check large.rule
  says 'large.rule: this is too large for a file of rules; is it one?'
  rm large.rule
}
it 'a file that is too large' large

# ---- show

drawn() {
  ok rule show topology.rule triangulate -o triangulate.svg
  prints "triangulate.svg: drew 'triangulate'"
  head -n 1 triangulate.svg | grep -q '^<svg ' || fail 'is no picture'
  [ "$(tail -n 1 triangulate.svg)" = '</svg>' ] || fail 'has no end'
  ok rule show topology.rule triangulate
  cmp out triangulate.svg || fail 'standard output differs'
}
it 'a picture' drawn
unknown() { cleave 1 rule show topology.rule unsew && says "cleave: there is no rule 'unsew'; did you mean 'unsew3'?"; }
it 'a picture of nothing' unknown
undrawn() {
  echo old >kept.svg
  cleave 1 rule show topology.rule position -o kept.svg
  says "cleave: there is no picture of 'position' (embed); name a rule or a force"
  [ "$(cat kept.svg)" = old ] || fail 'harms the old file'
}
it 'a picture of an embedding' undrawn
unwritten() { cleave 1 rule show topology.rule sew3 -o no/such/place.svg && says 'no/such/place.svg: No such file or directory'; }
it 'a picture that cannot be written' unwritten
full_picture() { cleave 1 rule show topology.rule sew3 -o /dev/full && says '/dev/full: No space left on device'; }
it 'a picture that does not fit' full_picture

# ---- explain

explained() {
  ok rule explain topology.rule unsew3
  prints 'for maps of dimension 3'
  grep -qE '^  vertex +may split' out || fail 'says nothing of vertices'
  grep -qE '^  position +on vertex: may split' out || fail 'says nothing of values'
}
it 'an explanation' explained

# ---- compile

mkdir -p cache
compiled() {
  ok rule compile laws.rule --cache cache
  prints '2 laws and rules, '
  prints '2 compiled now'
  prints 'cache/'
  [ -n "$(ls cache)" ] || fail 'keeps nothing'
  ok rule compile laws.rule --cache cache
  prints 'found in the cache'
}
! command -v cc >/dev/null || it 'a law is compiled, once' compiled
not_kept() {
  mkdir -p everybodys && chmod 777 everybodys
  cleave 1 rule compile laws.rule --cache everybodys
  prints '2 compiled now'
  mentions 'compiled, and not kept'
  [ -z "$(ls everybodys)" ] || fail 'keeps code where everybody may change it'
}
! command -v cc >/dev/null || it 'a cache that everybody may write' not_kept
shipped() { ok rule compile fem --cache cache && prints 'compiled with the library' && prints_not 'interpreted'; }
# Builds for debugging leave the library's forces to the machine's compiler.
"$program" rule explain springs stretch | grep -q '^ *code  *compiled$' && it 'the library is compiled already' shipped
anew() {
  ok rule compile external --anew --cache cache_anew
  prints 'compiled now'
  prints_not 'compiled with the library'
  ok rule compile external --anew --cache cache_anew
  prints 'found in the cache'
  prints_not 'compiled now'
}
! command -v cc >/dev/null || it 'the library, compiled anew' anew
no_compiler() {
  cleave 1 rule compile laws.rule --cache empty_cache --compiler none
  mentions 'laws.rule'
  mentions 'interpreted'
}
it 'no compiler' no_compiler
it 'an unknown instruction set' misuse "there is no instruction set 'mmx'; use sse2, avx2 or avx512" \
  rule compile laws.rule --instructions mmx
nothing_to_compile() { echo 'param a = 1;' >a.rule && ok rule compile a.rule && prints 'there are no forces and no rules'; }
rules_too() { ok rule compile topology.rule --cache cache && prints 'laws and rules' && prints_not 'interpreted'; }
! command -v cc >/dev/null || it 'rules are compiled too' rules_too
it 'nothing to compile' nothing_to_compile

# ---- apply

everywhere() {
  ok grid tri 2 2 -o plate.vtu
  ok rule apply topology.rule triangulate plate.vtu -o finer.vtu
  prints "'triangulate' was applied 8 times"
  prints 'vertices      17, before 9'
  prints 'faces         24, before 8'
  describes finer.vtu cells.faces 24 cells.vertices 17 components 1
}
it 'everywhere' everywhere

at_facet() {
  ok rule apply topology.rule unsew3 two_tets.vtk --at facet:0:1 -o parted.vtu
  prints "'unsew3' was applied 1 time"
  prints 'components    2, before 1'
  describes parted.vtu cells.vertices 8 components 2
}
it 'at a facet' at_facet

with_params() {
  ok grid hex 4 2 2 -o block.vtu
  ok rule apply surgery cut block.vtu --params 'blade_point=0.6,0,0 blade_up=1,0,0 blade_slack=1e-9' -o halves.vtu
  prints "'cut' was applied 4 times"
  prints 'components    2, before 1'
  ok rule apply surgery cut_in_box block.vtu --params 'box_least=0.2,0,0 box_greatest=0.3,1,1' -o slit.vtu
  prints "'cut_in_box' was applied 4 times"
}
it 'with values for parameters' with_params

in_rounds() {
  ok grid tet5 4 2 2 -o block.vtu
  split() { ok rule apply surgery split_crossed block.vtu --at all:edge "$@" --params 'blade_point=0.55,0,0 blade_up=1,0.2,0.1 blade_quality=0.01' -o split.vtu; }
  split
  prints "'split_crossed' was applied 7 times; at 157 places it was refused"
  split --rounds 2
  prints "'split_crossed' was applied 11 times; at 160 places it was refused"
  split --rounds 50
  prints "'split_crossed' was applied 21 times; at 164 places it was refused"
  ok rule apply surgery cut split.vtu --params 'blade_point=0.55,0,0 blade_up=1,0.2,0.1 blade_slack=1e-9' -o halves.vtu
  prints 'components    2, before 1'
}
it 'in rounds' in_rounds
it 'rounds at one place' misuse "--rounds go over all places; 'cell:0' is one" \
  rule apply topology.rule unsew3 tet.vtk --at cell:0 --rounds 2 -o a.vtu
it 'no rounds' misuse "N must be a whole number from 1 to 1000, not '0'" \
  rule apply topology.rule unsew3 tet.vtk --rounds 0 -o a.vtu
it 'too many rounds' misuse "N must be a whole number from 1 to 1000, not '1001'" rule apply topology.rule unsew3 tet.vtk --rounds 1001 -o a.vtu

first_by_rank() {
  ok grid hex 4 1 1 -o block.vtu
  printf 'use body;\nrule far(a:<0,1>) rank mean(v:<1> in a) v.pos[0] {\n  left { a -3- b:<0,1>; }\n  right { a -3- a; b -3- b; }\n}\n' >far.rule
  ok rule apply far.rule far block.vtu --most 1 -o parted.vtu
  prints "'far' was applied 1 time"
  ok rule apply surgery pierce parted.vtu --at cell:3 -o rest.vtu
  describes rest.vtu cells.volumes 3 components 1
  ok rule apply far.rule far block.vtu --most 2 --rounds 9 -o parted.vtu
  prints 'components    3, before 1'
}
it 'at the places that come first' first_by_rank
it 'the first of a rule without a rank' misuse "'unsew3' does not say which places come first: write rank VALUE behind its guards" \
  rule apply topology.rule unsew3 tet.vtk --most 2 -o a.vtu
it 'the first of one place' misuse "--most is for all places; 'cell:0' is one" \
  rule apply topology.rule unsew3 tet.vtk --at cell:0 --most 2 -o a.vtu

wrong_params() { # words, what is said
  ok grid hex 2 1 1 -o block.vtu
  cleave 1 rule apply surgery cut block.vtu --params "$1" -o no.vtu
  says "$2"
  [ ! -e no.vtu ] || fail 'writes a file'
}
how='cleave: write a parameter and its values as NAME=V or NAME=V,V,V'
it 'a parameter without a value' wrong_params 'blade_point' "$how"
it 'a parameter without a name' wrong_params '=1,0,0' "$how"
it 'a parameter that ends in a comma' wrong_params 'blade_point=1,0,' "$how"
it 'a parameter that is no number' wrong_params 'blade_point=1,x,0' "$how"
it 'too many values for a parameter' wrong_params 'blade_point=1,2,3,4,5,6,7,8,9,10' "$how"
it 'values of another number' wrong_params 'blade_point=1,0' "cleave: the rules have no param 'blade_point' of 2 numbers"
it 'a parameter that is not there' wrong_params 'blade_pint=1' "cleave: the rules have no param 'blade_pint' of 1 number; did you mean 'blade_point'?"

at_cell() { ok rule apply topology.rule remove_volume two_tets.vtk --at cell:1 -o one.vtu && describes one.vtu cells.volumes 1 cells.vertices 4; }
it 'at a cell' at_cell

at_vertex() { ok rule apply topology.rule insert_vertex tet.vtk --at vertex:3 -o longer.vtu && describes longer.vtu cells.vertices 5; }
it 'at a vertex' at_vertex

no_facet() {
  ok rule apply topology.rule unsew3 two_tets.vtk --at facet:0:1 -o parted.vtk
  cleave 2 rule apply topology.rule unsew3 parted.vtk --at facet:0:1 -o no.vtk
  says 'cleave: elements 0 and 1 of parted.vtk have no facet in common'
  [ ! -e no.vtk ] || fail 'writes something'
}
it 'a facet that is none' no_facet

script_path() {
  ok rule apply topology.rule open two_tets.vtk --at path:facet:0:1 -o opened.vtu
  describes opened.vtu components 2
}
it 'a script with a path' script_path
script_all() {
  ok rule apply topology.rule halve tet.vtk --at all:face -o halves.vtu
  prints "'halve' was applied 4 times"
}
it 'a script everywhere' script_all
it 'a script without a place' misuse \
  "'halve' is a script; say what it goes over, such as --at all:face or --at cell:0" rule apply topology.rule halve tet.vtk -o a.vtu

refused() {
  rm -f a.vtu
  cleave 1 rule apply topology.rule unsew3 tet.vtk -o a.vtu
  mentions 'tet.vtk: nothing was changed: '
  [ ! -e a.vtu ] || fail 'writes something'
}
it 'a rule that matches nowhere' refused
it 'two hooks everywhere' misuse "'sew3' has 2 hooks; say where they are: --at DART,DART" \
  rule apply topology.rule sew3 apart.vtk -o a.vtu
refined_by_script() { # options
  ok rule apply topology refine_tet tet.vtk "$@" -o eight.vtu && describes eight.vtu cells.volumes 8
}
it 'a script at level 0, everywhere' refined_by_script --at all:cell
it 'a script at level 0, somewhere' refined_by_script --at cell:0
it 'a script at a level that is given' refined_by_script --at all:cell --level 0

open_body() {
  cleave 1 rule apply topology dual tet.vtk -o a.vtu
  mentions "rule 'dual' would leave a cell open where the body ends or is parted"
  mentions 'it is for bodies without a boundary'
}
it 'a rule for closed bodies' open_body

body_ends() {
  cleave 1 rule apply topology unsew3 tet.vtk -o a.vtu
  mentions "rule 'unsew3' does not match: the body ends there, and 'a -3- b' wants a neighbour"
}
it 'a rule that wants neighbours' body_ends

extruded() { # rule, mesh, a count of `info` and what it is
  ok rule apply topology "$1" "$2" -o extruded.vtu && describes extruded.vtu "${@:3}"
  ok check extruded.vtu
}
it 'prisms on faces' extruded extrude tet.vtk cells.volumes 5 cells.vertices 16
it 'quadrangles on edges' extruded extrude_edge plate.vtu cells.faces 16

it 'one place for two hooks' misuse "'sew3' has no place for 'b'; give it behind --at, after a comma" \
  rule apply topology.rule sew3 tet.vtk --at cell:0 -o a.vtu
it 'two places for one hook' misuse "'unsew3' takes fewer places than the 2 behind --at" \
  rule apply topology.rule unsew3 tet.vtk --at cell:0,cell:0 -o a.vtu
it 'a level that is not taken' misuse "'unsew3' takes no level" \
  rule apply topology.rule unsew3 tet.vtk --at cell:0 --level 1 -o a.vtu
it 'no place' misuse "'here' is no place; write a dart, cell:N, vertex:N, facet:N:N, path:D+D or all" \
  rule apply topology.rule unsew3 tet.vtk --at here -o a.vtu
it 'no such cell' misuse 'element 1 of tet.vtk is no cell; elements are counted from 0' \
  rule apply topology.rule unsew3 tet.vtk --at cell:1 -o a.vtu
it 'no such vertex' misuse 'point 9 of tet.vtk is no corner of a cell; points are counted from 0' \
  rule apply topology.rule unsew3 tet.vtk --at vertex:9 -o a.vtu
it 'no such dart' misuse 'there is no dart 5 in the map of tet.vtk' \
  rule apply topology.rule unsew3 tet.vtk --at 5 -o a.vtu
it 'no such orbit' misuse "there is no orbit 'faces'; did you mean 'face'?" \
  rule apply topology.rule halve tet.vtk --at all:faces -o a.vtu
no_rule() { cleave 1 rule apply topology.rule position tet.vtk -o a.vtu && says "cleave: 'position' is no rule (it is declared as embed)"; }
it 'what is no rule' no_rule
regions_stay() {
  ok rule apply topology.rule triangulate regions.msh -o kept_regions.msh
  describes kept_regions.msh regions.0.name skin
  ok rule apply topology.rule triangulate regions.msh -o kept_regions.vtu
  prints 'regions.msh: note: 2 fields were left behind'
}
it 'names of regions stay' regions_stay

# ---- the grammar for editors is JSON, and its expressions compile where there is something to compile them

grammar=$root/../../editors/cleave-rules
is_json() {
  [ "$(./json "$grammar/syntaxes/cleave-rule.tmLanguage.json" scopeName)" = source.cleave-rule ] || fail 'no grammar'
  [ "$(./json "$grammar/package.json" contributes.languages.0.extensions.0)" = .rule ] || fail 'no extension'
  [ "$(./json "$grammar/language-configuration.json" comments.lineComment)" = '#' ] || fail 'no configuration'
}
it 'the grammar is JSON' is_json
compiles() {
  python3 - "$grammar/syntaxes/cleave-rule.tmLanguage.json" <<'END_OF_SCRIPT' || fail 'an expression does not compile'
import json, re, sys
count = 0
def walk(node):
    global count
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if key in ("match", "begin", "end"):
            # Oniguruma looks back over alternatives of different width; Python does not.
            re.compile(value.replace(r"(?<=[:\s(,]|^)", ""))
            count += 1
        elif isinstance(value, (dict, list)):
            walk(value)
walk(json.load(open(sys.argv[1])))
sys.exit(count < 30)
END_OF_SCRIPT
}
! command -v python3 >/dev/null || it 'the expressions of the grammar compile' compiles
