#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of an autograder: installs the compiler and the
# sandbox, and grades the starter once, so that what does not work here fails now and for no student.
# The grader itself came with this file. Base images: Ubuntu 22.04 or 24.04.
set -euo pipefail
root=${WARPGRADE_AUTOGRADER_ROOT:-/autograder}
source=$root/source
export DEBIAN_FRONTEND=noninteractive

apt-get update
apt-get install -y --no-install-recommends ca-certificates wget g++ make binutils bubblewrap
if grep -qs '^toolchain: *clang\b' "$source/course/assignments/$(cat "$source/assignment")/assignment.yaml"; then
  apt-get install -y --no-install-recommends clang
elif ! command -v nvcc >/dev/null && [ ! -x /usr/local/cuda/bin/nvcc ]; then
  # shellcheck disable=SC1091
  . /etc/os-release
  # NVIDIA's repository, and of the CUDA Toolkit no more than compiles a kernel: some 300 MB.
  repository=$ID${VERSION_ID//./}
  wget -qO /tmp/cuda-keyring.deb \
    "https://developer.download.nvidia.com/compute/cuda/repos/$repository/x86_64/cuda-keyring_1.1-1_all.deb"
  dpkg -i /tmp/cuda-keyring.deb
  rm /tmp/cuda-keyring.deb
  apt-get update
  apt-get install -y --no-install-recommends cuda-nvcc-13-0 cuda-cudart-dev-13-0
fi
apt-get clean
rm -rf /var/lib/apt/lists/*

# Hidden cases are in there: for root alone. Students' code runs as other users (docs/gradescope.md).
chmod -R go= "$source"

export LD_LIBRARY_PATH=$source/lib
"$source/bin/grade" --version || {
  echo "setup: the grader was built for a newer system than this image: choose a newer base image in Gradescope"
  exit 1
}
cd "$source/course"
status=0
"$source/bin/grade" --assignment "$(cat "$source/assignment")" --device sim || status=$?
if [ $status -gt 1 ]; then
  echo "setup: grading the starter failed, see above"
  exit 1
fi
"$source/bin/grade" doctor || true
