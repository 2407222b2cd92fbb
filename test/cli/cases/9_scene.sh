# `run` and `scene`: scenes checked, explained and run; docs/scenes.md, its files and its commands.

scenes=$root/../../examples

# ---- help

scene_helps() { # words
  ok help "$@"
  ! grep -qE '^.{121}' out || fail 'has long lines'
  mv out help.txt
  ok "$@" --help
  cmp out help.txt || fail '--help differs from help'
}
it 'help run' scene_helps run
for half in check explain keys schema; do it "help scene $half" scene_helps scene $half; done

# ---- check, explain, keys, schema

all_scenes() {
  ok scene check "$scenes"/*.yaml
  [ "$(grep -c 'nothing to complain about' out)" = "$(ls "$scenes"/*.yaml | wc -l)" ] || fail 'does not check all'
}
it 'every scene is good' all_scenes

pictured() {
  local scene picture
  for scene in "$scenes"/*.yaml; do
    grep -qF "(${scene##*/})" "$scenes/README.md" || fail "examples/README.md has no ${scene##*/}"
  done
  for picture in $(grep -o '\.\./docs/pictures/[a-z_]*\.png' "$scenes/README.md"); do
    [ -s "$scenes/$picture" ] || fail "there is no $picture"
  done
}
it 'every scene is listed, and its picture is there' pictured

explains() { # scene
  ok scene explain "$1"
  for word in 'mass ' 'model ' 'forces ' 'particles ' 'method ' 'frames ' 'Not given, and so'; do prints "$word"; done
}
for scene in "$scenes"/*.yaml; do it "explains ${scene##*/}" explains "$scene"; done

lame() { ok scene explain "$scenes/01_cantilever.yaml" && prints 'mu = E/(2(1 + nu)) = 3.84615e+06 Pa' && prints 'mass      4000 kg'; }
it 'explains constants' lame

levels() {
  ok scene explain "$scenes/25_coarse_again.yaml"
  prints 'at 0.05 s: adapt near 0.016 m to (0, 0.02, 0.03), to level 1, a path of 2 points: (0, 0, 0) at 0 s to (0.14, 0, 0) m at 0.4 s'
  ok scene explain "$scenes/21_random_refinement.yaml" && prints 'refine sphere of radius 0.006 m about (0.05, 0.02, 0.02), to level 2'
}
it 'explains levels' levels

schema() {
  ok scene schema
  mv out scene.schema.json
  python3 "$root/schema.py" scene.schema.json "$scenes"/*.yaml || fail 'the schema and the scenes disagree'
}
it 'the schema takes the scenes and refuses wrong ones' schema

refuses() { # sentence, text of the scene
  printf '%b' "$2" >wrong.yaml
  cleave 1 scene check wrong.yaml
  says "$1"
  cleave 1 run wrong.yaml --out never
  says "$1"
  [ ! -e never ] || fail 'writes something'
}
it 'a wrong key' refuses "wrong.yaml:2:8: unknown key 'gird', did you mean 'grid'?" 'cleave: 1\nmesh: {gird: hex}\nuntil: 1\n'
it 'a missing mesh' refuses "wrong.yaml:2:7: this mesh cannot be used: none.msh: No such file or directory" \
  'cleave: 1\nmesh: none.msh\nuntil: 1\n'
it 'missing rules' refuses "wrong.yaml:3:16: none.rule: No such file or directory" \
  'cleave: 1\nmesh: {grid: hex}\nmodel: {rules: none.rule}\nuntil: 1\n'
echo 'force bad on e:edge { energy 1 +; }' >unsound.rule
unsound="the rules are not sound: unsound.rule:1:33: a value is expected, not ';' (a value is a name, a number, a call or something in brackets); 'cleave rule check' shows all findings"
it 'unsound rules' refuses "wrong.yaml:3:16: $unsound" \
  'cleave: 1\nmesh: {grid: hex}\nmodel: {rules: unsound.rule}\nuntil: 1\n'
it 'unsound rules of an event' refuses "wrong.yaml:4:43: $unsound" \
  'cleave: 1\nmesh: {grid: hex}\nuntil: 1\nevents: [{at: 0, apply: {rule: cut, file: unsound.rule}}]\n'
it 'a solid that cannot be' refuses "wrong.yaml:3:21: 'poisson' must be below 0.5 in a solid, not 0.6" \
  'cleave: 1\nmesh: {grid: hex}\nmaterial: {poisson: 0.6}\nuntil: 1\n'
it 'a solid in a plane' refuses "wrong.yaml:3:8: 'plane' is for surfaces, and this body is a solid" \
  'cleave: 1\nmesh: {grid: hex}\nplane: true\nuntil: 1\n'
it 'an empty region' refuses "wrong.yaml:3:11: this region holds none of the body's 8 cells" \
  'cleave: 1\nmesh: {grid: hex, cells: [2, 2, 2]}\nregions: [{box: [[5, 5, 5], [6, 6, 6]]}]\nuntil: 1\n'
it 'an empty probe' refuses "wrong.yaml:4:22: this zone holds none of the body's 8 particles, which lie from (0, 0, 0) to (1, 1, 1)" \
  'cleave: 1\nmesh: {grid: hex}\nuntil: 1\noutput: {probes: {a: {box: [[5, 5, 5], [6, 6, 6]]}}}\n'
it 'a region that is not there' refuses "wrong.yaml:3:6: the mesh has no region 'ground'; it has no named regions" \
  'cleave: 1\nmesh: {grid: hex}\nfix: ground\nuntil: 1\n'
it 'a tag that is not there' refuses 'wrong.yaml:3:7: no element of the mesh has the tag 7' \
  'cleave: 1\nmesh: {grid: hex}\nfix: [7]\nuntil: 1\n'
it 'a path that is over at once' refuses "wrong.yaml:4:62: 'path' is over when it begins: give it a key at a later time" \
  'cleave: 1\nmesh: {grid: hex}\nuntil: 1\nevents: [{at: 0, knife: {edge: [[0, 0, 0], [1, 0, 0]], path: [[0, [0, 0, 0]]]}}]\n'
it 'a blade whose path is over at once' refuses "wrong.yaml:4:70: 'path' is over when it begins: give it a key at a later time" \
  'cleave: 1\nmesh: {grid: hex}\nuntil: 1\nevents: [{at: 0, slice: {blade: {edge: [[0, 0, 0], [1, 0, 0]], path: [[0, [0, 0, 0]]]}}}]\n'
it 'a normal too short to be one' refuses "wrong.yaml:4:58: 'normal' has no length; it must point somewhere" \
  'cleave: 1\nmesh: {grid: hex}\nuntil: 1\nevents: [{at: 0, cut: {plane: {point: [0, 0, 0], normal: [1e-200, 0, 0]}}}]\n'
printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' >line.obj
it 'a surface without area' refuses \
  "wrong.yaml:4:33: line.obj cannot cut: it has no triangle and no quadrangle with an area" \
  'cleave: 1\nmesh: {grid: hex}\nuntil: 1\nevents: [{at: 0, cut: {surface: line.obj}}]\n'
it 'a level beyond all numbers' refuses "wrong.yaml:4:64: 'level' must be at most 4294967295, not '99999999999'" \
  'cleave: 1\nmesh: {grid: hex}\nuntil: 1\nevents: [{at: 0, coarsen: {box: [[0, 0, 0], [1, 1, 1]], level: 99999999999}}]\n'

# ---- run

cat >tiny.yaml <<'END'
cleave: 1
title: Tiny
mesh: {grid: hex, cells: [2, 1, 1]}
fix: [{box: [[0, 0, 0], [0, 1, 1]]}]
solver: {method: implicit-euler, step: 10 ms}
until: 0.1
output: {probes: {tip: {nearest: [1, 1, 1]}}}
END

runs() {
  rm -rf out.d && ok run tiny.yaml --out out.d
  prints 'tiny.yaml: finished'
  prints 'steps          10 of 0.01 s, to t = 0.1 s'
  for word in forces solving output energy 'largest strain' residual; do prints "$word"; done
  for file in run.json energies.csv probes.csv checkpoint.h5 body.pvd; do [ -s out.d/$file ] || fail "no $file"; done
}
it 'runs' runs

runs_json() {
  rm -rf out.d && ok run tiny.yaml --out out.d --json --steps 3 --threads 2
  [ "$(./json out steps)" = 3 ] && [ "$(./json out ended)" = finished ] || fail 'is no such object'
  for path in seconds.forces energies.last.elastic largest_strain real_time_factor; do ./json out $path || fail "no $path"; done
}
it 'runs, and says so in JSON' runs_json


foreign() {
  rm -rf mine && mkdir mine && echo precious >mine/thesis.txt
  cleave 1 run tiny.yaml --out mine
  says 'mine: holds files that are no run of Cleave; choose another directory with --out, or empty it'
  [ "$(ls mine)" = thesis.txt ] || fail 'writes all the same'
}
it 'leaves a directory alone that is no run' foreign

nothing_to_resume() {
  rm -rf nothing && cleave 1 run tiny.yaml --resume --out nothing
  says 'nothing: holds no run to go on with; leave --resume out to start one'
}
it 'nothing to resume' nothing_to_resume

it 'steps and time' misuse '--steps and --until both say when to end; give one of them' run tiny.yaml --steps 1 --until 1
it 'no steps' misuse "N must be a whole number from 1 to 4294967295, not '0'" run tiny.yaml --steps 0
it 'more threads than anybody has' misuse "N must be a whole number from 1 to 1024, not '4000000000'" \
  run tiny.yaml --threads 4000000000
it 'no time' misuse "T must be a time above 0 in seconds, such as 2.5, not '-1'" run tiny.yaml --until -1

warns() {
  sed 's/solver:.*/solver: {method: rk4, step: 0.5}/' tiny.yaml >large.yaml
  rm -rf out.d && "$program" run large.yaml --steps 1 --out out.d >out 2>err
  mentions "large.yaml: warning: a step of 0.5 s is too large for body 'body' with this method; it is stable up to "
}
it 'warns of a large step' warns

finer_needs_less() {
  sed 's/solver:.*/solver: {method: rk4, step: 17 ms}/' tiny.yaml >finer.yaml
  echo 'events: [{at: 0.01, refine: {region: all, level: 2}}]' >>finer.yaml
  rm -rf out.d && cleave 0 run finer.yaml --steps 4 --out out.d
  [ "$(grep -c warning err)" = 1 ] && mentions "too large for body 'body' with this method; it is stable up to " || fail 'does not say so once'
  mentions "take less, or 'step: auto'" && prints 'UNSTABLE       the step was too large'
}
it 'warns of a step that becomes too large when cells are refined' finer_needs_less

finer_is_divided() {
  sed 's/solver:.*/solver: {method: rk4, step: auto}/' tiny.yaml >open.yaml
  echo 'events: [{at: 0.01, refine: {region: all, level: 2}}]' >>open.yaml
  rm -rf out.d && cleave 0 run open.yaml --steps 4 --out out.d
  ! grep -q warning err && prints 'divided        3 steps into 2 parts, of 0.00833 s at least' || fail 'does not divide them'
}
it 'divides a step that was left open when cells are refined' finer_is_divided

finds_nothing() {
  cat tiny.yaml - >vain.yaml <<'END'
events:
  - {at: 0.02, gravity: [0, 0, 0]}
  - {at: 0.03, remove: {box: [[5, 5, 5], [6, 6, 6]]}}
END
  rm -rf out.d && cleave 0 run vain.yaml --out out.d
  says "vain.yaml:10:5: warning: body 'body', action 'remove' at 0.03 s finds nothing to do: the zone holds the centre of no cell; make it larger"
  prints 'events         2, 1 found nothing to do'
  rm -rf out.d && cleave 0 run vain.yaml --out out.d --json && [ "$(./json out events_in_vain)" = 1 ] || fail 'not counted'
}
it 'an event that finds nothing to do is told with its place, and the run goes on' finds_nothing

is_never_due() {
  cat tiny.yaml - >late.yaml <<'END'
events:
  - {at: 0.09, gravity: [0, 0, 0]}
  - {at: 0.1, remove: {box: [[0, 0, 0], [1, 1, 1]]}}
END
  warning="late.yaml:10:5: warning: the event at 0.1 s is never due: the last step begins at 0.09 s; let it come earlier, or 'until' later"
  cleave 0 scene check late.yaml && says "$warning"
  rm -rf out.d && cleave 0 run late.yaml --steps 2 --out out.d && says "$warning"
  rm -rf out.d && cleave 0 run late.yaml --until 0.11 --out out.d
  ! grep -q warning err || fail 'it is due'
}
it 'an event behind the last step is told' is_never_due

fails_on_its_way() {
  cat tiny.yaml - >failing.yaml <<'END'
events:
  - {at: 0.02, gravity: [0, 0, 0]}
  - {at: 0.03, fix: {box: [[5, 5, 5], [6, 6, 6]]}}
END
  rm -rf out.d && cleave 1 run failing.yaml --out out.d
  mentions "failing.yaml:10:5: body 'body', action 'fix' at 0.03 s: "
  [ -s out.d/checkpoint.h5 ] || fail 'no checkpoint'
}
it 'an event that fails on its way is told with its place' fails_on_its_way

interrupted() { # signal, status
  sed 's/until:.*/until: 1e6/' tiny.yaml >long.yaml
  rm -rf out.d
  "$program" run long.yaml --out out.d >out 2>err &
  local child=$! status tries=0
  until [ -s out.d/energies.csv ] && [ "$(wc -l <out.d/energies.csv)" -gt 3 ]; do
    tries=$((tries + 1))
    [ $tries -lt 400 ] || { kill -KILL $child; fail 'does not begin'; }
    sleep 0.05
  done
  kill "-$1" $child
  wait $child
  status=$?
  [ $status = "$2" ] || fail "ends with $status"
  prints 'long.yaml: interrupted'
  grep -q interrupted out.d/run.json || fail 'run.json does not say so'
  [ -s out.d/checkpoint.h5 ] || fail 'no checkpoint'
  local done
  done=$(sed -n 's/^steps *\([0-9,]*\) of.*/\1/p' out | tr -d ,)
  ok run long.yaml --out out.d --resume --steps $((done + 2)) --json
  [ "$(./json out steps)" = 2 ] || fail 'does not go on where it was'
}
it 'Ctrl-C ends cleanly, and it can go on' interrupted INT 130
it 'SIGTERM, too' interrupted TERM 143
