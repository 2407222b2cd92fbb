# Turns the comments of a public header into those that Doxygen reads; line numbers stay. The header's first block is about the
# file, one right above a declaration about that, one behind a member or an enumerator about what it stands behind. A comment
# with an empty line below it is a heading, and stays what it is.
function put_block(mark,    k) {
  for (k = 1; k <= count; k++) {
    if (mark != "") sub(/\/\//, mark, block[k])
    if (k == 1 && about_file) sub(/\/\/\//, "/// @file\n///", block[k])
    print block[k]
  }
  count = 0
  about_file = 0
}
BEGIN { about_file = 1 }
/^ *\/\// { block[++count] = $0; next }
{
  put_block(about_file || $0 !~ /^ *$/ ? "///" : "")
  if ($0 !~ /^#/) sub(/ \/\/ /, " ///< ")
  print
}
END { put_block("") }
