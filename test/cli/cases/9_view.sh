# cleave view before it serves anything, and replays; test/view does the rest.

it 'view: no such scene' complains 'nowhere.yaml: No such file or directory' view nowhere.yaml --no-open
it 'view: a port too far' misuse "N must be a whole number from 1 to 65535, not '65536'" view small.yaml --port 65536
it 'view: a speed nobody can stand' misuse '--speed goes from 0 to 1000' view small.yaml --no-open --speed -1
it 'view: a directory without frames' complains \
  ".: no frames here; 'cleave run' writes BODY.pvd and its .vtu files" view . --no-open
it 'view: an address of others' complains \
  'cleave: cannot listen at 192.0.2.1, port 0: this machine has no such address, or another program has the port' \
  view small.yaml --no-open --listen 192.0.2.1

it 'replay: nothing there' complains 'nowhere.replay: No such file or directory' run nowhere.replay
printf 'hello\n' >wrong.replay
it 'replay: something else' complains 'wrong.replay:1: it is no replay of this version' run wrong.replay
{
  printf 'cleave-replay 1\nscene %d small.yaml\n' "$(wc -c <small.yaml)"
  cat small.yaml
  printf '\n1 1 {"do": "set", "name": "gravity", "value": 1}\n'
} >half.replay
it 'replay: half of it' complains \
  "half.replay: its last line must be 'end TICK HASH': it was not written to its end" run half.replay
printf 'end 2 0123456789abcdef\n' >>half.replay
replay_differs() {
  cleave 1 run half.replay
  mentions 'and was recorded with 0123456789abcdef'
}
it 'replay: other bits' replay_differs
replay_same() {
  sed "s/0123456789abcdef/$(sed -n 's/.*of hash \([0-9a-f]*\),.*/\1/p' err)/" half.replay >same.replay
  ok run same.replay && prints 'same.replay: 2 steps, hash '
}
replay_again() { cleave 1 run half.replay && replay_same; }
it 'replay: the same bits' replay_again
sed 's/"gravity"/"mood"/' half.replay >refused.replay
replay_refused() {
  cleave 1 run refused.replay
  mentions 'refused.replay:9: there is no setting of this name'
}
it 'replay: what cannot be done has a place' replay_refused
