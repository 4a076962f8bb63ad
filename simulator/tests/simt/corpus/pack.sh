#!/bin/sh
# pack.sh FOLDER: makes results.zst of what corpus_hardware wrote into FOLDER: for each file "name bytes", a line
# end, and its bytes.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
for file in device.txt *.out; do
  printf '%s %d\n' "$file" "$(wc -c <"$file")"
  cat "$file"
done >"$here/results"
zstd -q -f --rm --ultra -22 "$here/results" -o "$here/results.zst"
