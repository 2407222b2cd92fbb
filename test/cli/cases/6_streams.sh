# Where the words go: a full disk, a closed pipe, a closed stream, a terminal.

full() { # arguments
  "$program" "$@" >/dev/full 2>err
  [ $? = 1 ] || fail 'does not end with 1'
  says 'cleave: cannot write to standard output: No space left on device'
}
it 'a report that does not fit' full info tet.vtk
it 'help that does not fit' full help
it 'a version that does not fit' full --version

usage_wins() {
  "$program" info >/dev/full 2>err
  [ $? = 2 ] || fail 'does not end with 2'
}
it 'a usage error stays one' usage_wins

# `true` is gone before the program, which sleeps, begins to write.
pipe() {
  { sleep 0.2; "$program" info tet.vtk 2>err; echo $? >status; } | true
  [ "$(cat status)" = 1 ] || fail "ended with $(cat status)"
  [ ! -s err ] || fail 'complains'
}
it 'a closed pipe' pipe

# The mesh must not be written into by a report that has lost its stream.
closed() {
  "$program" grid hex 1 1 1 -o closed.vtk >&- 2>err
  [ $? = 1 ] || fail 'does not end with 1'
  says 'cleave: cannot write to standard output: Bad file descriptor'
  ok grid hex 1 1 1 -o open.vtk
  cmp open.vtk closed.vtk || fail 'the mesh is damaged'
}
it 'closed standard output' closed

deaf() {
  "$program" info no_such.vtk 2>&-
  [ $? = 1 ] || fail 'does not end with 1'
}
it 'closed standard error' deaf

# A large file is announced, to a terminal only. It is a hole in the disk, refused as soon as it is read.
announced() {
  truncate -s 65M large.vtk
  script -qec "'$program' check large.vtk" /dev/null >out
  prints 'cleave: large.vtk: reading (after 0.0 s)'
  cleave 1 check large.vtk
  [ "$(wc -l <err)" = 1 ] || fail 'announces it elsewhere too'
  rm large.vtk
}
it 'stages of long work' announced
