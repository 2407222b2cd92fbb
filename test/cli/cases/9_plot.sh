# cleave plot: pictures of what runs have written down.

mkdir -p run/deep
printf 'time,kinetic,elastic,total\n0,0,1,1\n0.5,0.25,0.75,1\n1,1,0,1\n' >run/energies.csv
printf 'time,tip.x,tip.y,tip.z\n0,1,0,0\n1,1,0,-0.5\n' >run/probes.csv
cp run/energies.csv run/deep/energies.csv
printf 'time,kinetic\n0,1\n1,zero\n' >wrong.csv
printf 'time,kinetic\n0,1\n1\n' >short.csv

is_svg() { head -c 4 "$1" | grep -q '<svg' && tail -n 1 "$1" | grep -q '^</svg>$' || fail "$1 is no SVG"; }
is_png() { [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] || fail "$1 is no PNG"; }

plot_run() {
  ok plot run
  prints 'run/energies.svg: drawn'
  prints 'run/probes.svg: drawn'
  is_svg run/energies.svg
  is_svg run/probes.svg
  for word in '>run: energies<' '>kinetic<' '>elastic<' '>total<' '>energy (J)<' '>time (s)<'; do
    grep -qF "$word" run/energies.svg || fail "energies.svg lacks $word"
  done
  grep -qF '>position (m)<' run/probes.svg || fail 'no unit of positions'
}
it 'plot draws both files of a run' plot_run

plot_without_probes() { ok plot run/deep/ && prints 'run/deep/energies.svg: drawn' && prints_not probes; }
it 'plot draws energies where there are no probes' plot_without_probes

plot_png() { ok plot run -o some.png && prints 'some.png: drawn' && prints_not probes && is_png some.png; }
it 'plot -o png' plot_png

plot_columns() {
  ok plot run --columns total,kinetic -o some.svg
  grep -qF '>total<' some.svg || fail 'total is missing'
  ! grep -qF '>elastic<' some.svg || fail 'elastic was not asked for'
}
it 'plot --columns' plot_columns

plot_file() { ok plot run --file probes.csv --columns tip.z -o some.svg && grep -qF '>tip.z<' some.svg || fail 'no tip.z'; }
it 'plot --file' plot_file

plot_csv() { ok plot run/energies.csv -o some.svg && is_svg some.svg; }
it 'plot of a CSV file' plot_csv

complains() { # sentence, arguments
  cleave 1 "${@:2}"
  says "$1"
}
it 'plot: no such run' complains 'nowhere: No such file or directory' plot nowhere
it 'plot: a run without numbers' complains 'run/none.csv: No such file or directory' plot run --file none.csv
it 'plot: a word among numbers' complains "wrong.csv:3: 'zero' is no number (in column 'kinetic')" plot wrong.csv
it 'plot: a short line' complains 'short.csv:3: has 1 numbers, but line 1 names 2 columns' plot short.csv
it 'plot: unknown column' complains \
  "run/energies.csv: has no column 'kinteic'; those to draw are kinetic, elastic, total" plot run --columns kinteic
it 'plot: unknown ending' complains 'some.gif: pictures are drawn as .svg or .png; name it so' plot run -o some.gif
it 'plot: no place for it' complains 'no/where.svg: No such file or directory' plot run -o no/where.svg
it 'plot: an empty column' misuse '--columns has a name of no letters; write a,b,c' plot run --columns a,,b
it 'plot: --file of a file' misuse "--file names a file of a run, but 'wrong.csv' is no directory" \
  plot wrong.csv --file probes.csv
