# docs/rules.md: its commands, in order, on the files that its named blocks are. A text behind them is what they print.

rm -rf docs && mkdir docs
awk '
  /^```/ && !inside {
    inside = 1
    kind = substr($1, 4)
    file = ""
    if (kind == "rule" && $0 !~ / wrong /) {
      for (i = 2; i <= NF; i++) if ($i ~ /\.rule$/) file = "docs/" $i
      if (file != "" && $0 !~ / \+/) printf "" >file
    }
    if (kind == "sh") { block++; file = "docs/commands." block }
    if (kind == "text" && last == "sh") file = "docs/expected." block
    next
  }
  /^```$/ { inside = 0; last = kind; if (file != "") close(file); next }
  inside && file != "" { print >>file }
' "$root/../../docs/rules.md"

run_block() { # number
  local number=$1
  cd docs || fail 'no blocks'
  follow "commands.$number"
  [ ! -e "expected.$number" ] || diff "expected.$number" out || fail 'prints something else'
}
for number in $(ls docs | sed -n 's/^commands\.//p' | sort -n); do
  it "docs/rules.md, commands $number" run_block "$number"
done
