#!/bin/sh
# Compiles the CUDA part of the corpus to PTX, once: tests compile nothing. compute_80 unless a file says
# otherwise on its second line. The PTX keeps the corpus header; results on a GPU must be made anew afterwards.
set -e
cd "$(dirname "$0")"
for file in ${@:-*.cu}; do
  name=${file%.cu}
  arch=$(sed -n 's,^// nvcc -arch=,,p' "$file")
  nvcc -std=c++20 -arch="${arch:-compute_80}" -ptx --diag-suppress 177 "$file" -o "$name.ptx.tmp"
  { head -1 "$file"; sed -e 's,^[ \t]*,,' -e 's,[ \t]*$,,' -e '\,^//,d' -e '/^$/d' "$name.ptx.tmp"; } >"$name.ptx"
  rm "$name.ptx.tmp"
done
