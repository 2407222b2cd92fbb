# docs/scenes.md and docs/surgery.md: their files, their commands, what they print.

blocks() { # page
  rm -rf "$1" && mkdir "$1"
  awk -v to="$1" '
    /^```/ && !inside {
      inside = 1
      kind = substr($1, 4)
      file = ""
      if (kind == "yaml" && $3 == "wrong") { block++; file = to "/wrong." block }
      if ((kind == "yaml" || kind == "rule" || kind == "stl") && $3 == "") file = to "/" $2
      if (kind == "sh") { block++; file = to "/commands." block }
      if (kind == "text") file = to "/expected." block
      next
    }
    /^```$/ { inside = 0; if (file != "") close(file); next }
    inside && file != "" { print >>file }
  ' "$root/../../docs/$1.md"
}

page_block() { # page, number
  local page=$1 number=$2
  cd "$page" || fail 'no blocks'
  follow "commands.$number"
  [ ! -e "expected.$number" ] || diff "expected.$number" out || fail 'prints something else'
}

page_wrong() { # page, number
  cd "$1" || fail 'no blocks'
  cp "wrong.$2" wrong.yaml
  cleave 1 scene check wrong.yaml
  diff "expected.$2" err || fail 'says something else'
}

page_runs() { # page
  cd "$1" || fail 'no blocks'
  for scene in *.yaml; do
    [ "$scene" != wrong.yaml ] || continue
    ok run "$scene" --out "out.${scene%.yaml}"
  done
}

for page in scenes surgery; do
  blocks "$page"
  for number in $(ls "$page" | sed -n 's/^commands\.//p' | sort -n); do
    it "docs/$page.md, commands $number" page_block "$page" "$number"
  done
  for number in $(ls "$page" | sed -n 's/^wrong\.//p'); do
    it "docs/$page.md, wrong scene $number" page_wrong "$page" "$number"
  done
  it "docs/$page.md, every scene runs" page_runs "$page"
done
