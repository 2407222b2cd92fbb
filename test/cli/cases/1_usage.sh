# The command line: commands, options, numbers, help.

# ---- help and version

overview() {
  ok "$@"
  for command in grid mesh info check convert formats plot "rule check" "rule apply" help; do prints "  $command "; done
}
it 'help lists the commands' overview help
it '--help does too' overview --help
it '-h does too' overview -h

helps() { # command
  ok help "$1"
  [ "$(head -n 1 out | cut -d ' ' -f 1,2)" = "cleave $1" ] || fail 'does not begin with how it is called'
  prints '--help'
  [ "$(wc -l <out)" -gt 4 ] || fail 'is too short'
  ! grep -qE '^.{121}' out || fail 'has long lines'
  mv out help.txt
  ok "$1" --help
  cmp out help.txt || fail '--help differs from help'
  ok "$1" -h
  cmp out help.txt || fail '-h differs from help'
  ok --help "$1"
  cmp out help.txt || fail 'cleave --help COMMAND differs from help'
}
for command in grid mesh info check convert formats plot run render film view help; do it "help $command" helps $command; done

help_wins() { ok grid nonsense --help && prints 'cleave grid KIND'; }
it '--help needs nothing else' help_wins

version() { ok "$1" && grep -qxE 'cleave [0-9]+\.[0-9]+\.[0-9]+' out || fail 'no version'; }
it '--version' version --version
it '-V' version -V

nothing() { cleave 2 && mentions 'Commands:' && { [ ! -s out ] || fail 'prints something'; }; }
it 'nothing at all shows the commands' nothing

# ---- words

it 'unknown command, near one' misuse "there is no command 'inof'; did you mean 'info'?" inof
it 'unknown command, beginning of one' misuse "there is no command 'conv'; did you mean 'convert'?" conv
it 'unknown command, wrong case' misuse "there is no command 'INFO'; did you mean 'info'?" INFO
it 'unknown command, near none' misuse "there is no command 'simulate'" simulate
it 'unknown command of help' misuse "there is no command 'chek'; did you mean 'check'?" help chek
it 'option before the command' misuse \
  "'--json' comes before any command; write 'cleave COMMAND' first, its options behind it" --json info tet.vtk
it 'grid without a kind' misuse 'grid needs KIND' grid
it 'grid without NY' misuse 'grid needs NY' grid hex 4
it 'info without a file' misuse 'info needs FILE' info
it 'check without a file' misuse 'check needs FILE' check
it 'convert without a second file' misuse 'convert needs OUT' convert tet.vtk
it 'info with two files' misuse "'b' is one word too many for info" info a b
it 'formats with a word' misuse "'x' is one word too many for formats" formats x
it 'an empty name' misuse 'FILE is empty; is a variable of the shell not set?' info ''
it 'standard input' misuse "'-' is no FILE; name a file" info -
it 'standard output' misuse "'-' is no OUT; name a file" convert tet.vtk -

usage_line() { misuse 'convert needs IN' convert && mentions 'usage: cleave convert IN OUT [--format FORMAT]'; }
it 'a usage error shows the usage' usage_line

# ---- options

it 'unknown option, near one' misuse "info has no option '--jsn'; did you mean '--json'?" info tet.vtk --jsn
it 'unknown option, beginning of one' misuse "grid has no option '--out'; did you mean '--output'?" grid --out=x.vtk
it 'unknown option, near none' misuse "info has no option '--frobnicate'" info tet.vtk --frobnicate
it 'unknown letter' misuse "info has no option '-x'" info -x tet.vtk
it 'a flag with a value' misuse '--json takes no value' info tet.vtk --json=yes
it 'an option given twice' misuse '--output is given twice' grid hex 1 1 1 -o a.vtk --output b.vtk
it 'an option without its value' misuse '-o needs FILE' grid hex 1 1 1 -o
it 'an empty value' misuse 'FILE is empty; is a variable of the shell not set?' grid hex 1 1 1 --output=
it 'an option instead of a value' misuse "-o needs FILE, and '--size' is an option" grid hex 1 1 1 -o --size 1 1 1
it 'too few values' misuse "--size needs X Y Z, and '-o' is an option" grid hex 1 1 1 --size 1 1 -o a.vtk
it 'too few values at the end' misuse '--size needs X Y Z' grid hex 1 1 1 -o a.vtk --size 1 1
it 'no output' misuse 'grid needs --output FILE' grid hex 1 1 1

writes() { # arguments that write a 2 x 1 grid to written.vtk
  rm -f written.vtk
  ok grid "$@"
  prints 'written.vtk: wrote 6 points, 2 elements (2 quad)'
  [ -s written.vtk ] || fail 'writes no file'
}
it '-o FILE' writes quad 2 1 -o written.vtk
it '-oFILE' writes quad 2 1 -owritten.vtk
it '--output FILE' writes quad 2 1 --output written.vtk
it '--output=FILE' writes quad 2 1 --output=written.vtk
it 'options first' writes -o written.vtk quad 2 1
it 'options in between' writes quad -o written.vtk 2 --size 1 1 1 1
it 'words behind --' writes -o written.vtk -- quad 2 1
it 'a value joined to an option of three' writes quad 2 1 -o written.vtk --size=1 1 1

dashed() { cleave 1 info -- -file.vtk && says '-file.vtk: No such file or directory'; }
it 'a name that begins with a dash' dashed

# ---- numbers

for number in 0 -4 4x 0x4 4.0 1e3 ' 4' + '٣' 4294967296 99999999999999999999; do
  it "NX is no '$number'" misuse "NX must be a whole number from 1 to 4294967295, not '$number'" \
    grid hex "$number" 1 1 -o a.vtk
done
it 'NZ is checked' misuse "NZ must be a whole number from 1 to 4294967295, not '0'" grid hex 1 1 0 -o a.vtk
it 'NZ of a flat grid is checked' misuse "NZ must be a whole number from 0 to 4294967295, not 'z'" grid tri 1 1 z -o a.vtk
it 'NZ is needed' misuse "a grid of kind 'hex' needs NZ" grid hex 1 1 -o a.vtk
for number in 0 -1 1m 0x1p3 inf nan 1e999 1e-999 . '1 2' 1,5; do
  it "Y is no '$number'" misuse "Y must be a length above 0, such as 2.5, not '$number'" \
    grid hex 1 1 1 --size 1 "$number" 1 -o a.vtk
done
it 'unknown kind, near one' misuse "there is no grid of kind 'hexa'; did you mean 'hex'?" grid hexa 1 1 1 -o a.vtk
it 'unknown kind, near none' misuse "there is no grid of kind 'dodecahedron'; 'cleave help grid' lists them" \
  grid dodecahedron 1 1 1 -o a.vtk

too_many() { cleave 2 grid hex 100000 100000 100000 -o a.vtk && mentions 'use fewer cells' && { [ ! -e a.vtk ] || fail 'writes something'; }; }
it 'more cells than can be numbered' too_many

# ---- formats

formats() {
  ok formats
  for format in msh1 msh2 msh2-binary msh4 msh4-binary vtk vtk-binary vtk5 vtk5-binary vtu vtu-ascii vtu-raw-zlib medit medit-binary \
    tetgen tetgen-surface abaqus obj stl stl-binary ply ply-binary; do
    grep -qE "^$format +[A-Z]" out || fail "does not list $format with what it is"
  done
}
it 'formats lists the formats' formats
it 'unknown format, near one' misuse "there is no format 'vtk-binar'; did you mean 'vtk-binary'?" \
  convert tet.vtk a.vtk --format vtk-binar
it 'unknown format, near none' misuse "there is no format 'collada'; 'cleave formats' lists them" \
  grid hex 1 1 1 -o a.dae --format collada
it 'a format that is not that of the ending' misuse 'format msh2 in a file called .vtu could not be read again; call it .msh' \
  convert tet.vtk a.vtu --format msh2
