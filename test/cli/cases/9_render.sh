# cleave render and cleave film: pictures of meshes, runs and scenes.

is_png() { [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] || fail "$1 is no PNG"; }

cat >small.yaml <<'END'
cleave: 1
mesh: {grid: hex, cells: [3, 1, 1], size: [3, 1, 1]}
fix: [{box: [[0, 0, 0], [0, 1, 1]]}]
solver: {method: implicit-euler, step: 10 ms}
until: 0.1
END
cleave 0 grid hex 2 2 2 -o cube.vtu
cleave 0 run small.yaml --out small

render_mesh() { ok render cube.vtu -o cube.png && prints 'cube.png: drawn' && is_png cube.png; }
it 'render draws a mesh' render_mesh

render_run() { ok render small -o small.png --color von-mises --camera front && is_png small.png; }
it 'render draws the last frame of a run' render_run

render_time() {
  ok render small --time 0 -o first.png && ok render small -o last.png && is_png first.png
  ! cmp -s first.png last.png || fail 'both moments look alike'
}
it 'render --time' render_time

render_scene() { ok render small.yaml --time 0.02 -o scene.png --clip 1.5,0,0 1,0,0 --shrink 0.1 && is_png scene.png; }
it 'render simulates a scene' render_scene

complains() { # sentence, arguments
  cleave 1 "${@:2}"
  says "$1"
}
it 'render: no such field' complains \
  "there is no field 'heat' to colour by; there are: displacement, velocity, held, stress, von_mises, strain, energy, model, region" \
  render small -o a.png --color heat
it 'render: nothing there' complains 'nowhere.vtu: No such file or directory' render nowhere.vtu -o a.png
it 'render: a directory without frames' complains \
  ".: no frames here; 'cleave run' writes BODY.pvd and its .vtu files" render . -o a.png
it 'render: unknown ending' misuse "a picture is a .png file, which 'a.jpg' is not" render cube.vtu -o a.jpg
it 'render: a camera nobody knows' misuse "--camera is front, back, left, right, top, bottom or X,Y,Z, not 'above'" \
  render cube.vtu -o a.png --camera above
it 'render: half a camera' misuse "FROM must be three numbers X,Y,Z, such as 0,-1,0.5, not '1,2'" \
  render cube.vtu -o a.png --camera 1,2
it 'render: a range of nothing' misuse '--range needs --color: it says what its colours span' \
  render cube.vtu -o a.png --range 0 1
it 'film: unknown ending' misuse "a film is an .mp4 or a .gif file, which 'a.avi' is not" film small -o a.avi

film_gif() { ok film small -o small.gif --size 64 48 && prints 'small.gif: ' && head -c 3 small.gif | grep -q GIF; }
film_missing() { complains \
  'films are put together by ffmpeg, which is not on the PATH: apt-get install ffmpeg' film small -o small.gif; }
film_scene() { ok film small.yaml -o scene.gif --size 64 48 --rate 20 && prints 'scene.gif: 3 frames'; }
if command -v ffmpeg >/dev/null; then it 'film makes a film' film_gif && it 'film of a scene' film_scene; else it 'film needs ffmpeg' film_missing; fi

# What stands in for ffmpeg fails, or does nothing: both are told, and no film is left behind.
broken_ffmpeg() { # what it does, sentence
  mkdir -p broken && printf '#!/bin/sh\n%s\n' "$1" >broken/ffmpeg && chmod +x broken/ffmpeg
  PATH=$PWD/broken:$PATH complains "$2" film small -o broken.gif --size 64 48
  [ ! -e broken.gif ] || fail 'a film was left behind'
}
it 'film: ffmpeg fails' broken_ffmpeg 'echo "no such codec" >&2; exit 1' 'cleave: ffmpeg failed with status 1'
it 'film: ffmpeg does nothing' broken_ffmpeg 'exit 0' \
  'ffmpeg ended well, and made no film: is what is called so on the PATH the real one?'
if command -v ffmpeg >/dev/null; then
  it 'film: nowhere to write' complains 'nowhere/a.gif: cannot be written: No such file or directory' \
    film small -o nowhere/a.gif --size 64 48
fi
