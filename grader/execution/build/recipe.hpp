// The shell commands in the sandbox of a build.
#pragma once

#include <cstdint>

namespace warpgrade::build {

/// The exit statuses of a build, in addition to the shell's own.
enum Status {
  compiled = 0,
  compile_failed = 10,
  merge_failed = 11,
  objcopy_failed = 12,
  link_failed = 13,
  results_lost = 14,  // no room for them outside
};

/// Where results are left, in the working directory: build/ is gone when the sandbox ends.
inline constexpr const char *results = "made";
/// Bytes of the list of headers that a file includes; a typical one has 0.2 MB.
inline constexpr std::uint64_t most_headers = std::uint64_t{4} << 20;

// Everything that runs in the sandbox, in one start of it. $1 is the stem of the course's file name, $2 the
// mangled entry, $3 how many bytes of headers are listed; all come from the course or from us. The exit
// status says which step failed.
//   ld -r merges COMDAT groups, so that objcopy can make every symbol but the entry local: a student's own
//   main, cudaMalloc or operator new then stays inside.
//   The worker keeps its lines (and with them its symbols), so that a message can name the line of a call.
//   muldefs: objcopy leaves unique symbols (STB_GNU_UNIQUE, static members of library templates) global, and
//   std::to_string in the student's file then meets the worker library's. Either definition will do.
//   Linking a static program takes ld longer than clang takes for the host's part, so the worker library and
//   the system's are linked beforehand, and gold links the rest where there is one. What needs more of the
//   system's libraries is linked with all of them, and what there is to say of a link that fails, ld says.
//   What it says goes to made/: build/ may be full.
// A rule that has the object before it has the device code, clang's, runs $(AFTER_HOST) meanwhile.
// However it ends, what is to be seen outside is moved there. list_headers and try_first are functions that the
// front end writes; the latter fails if the file has to be compiled as the Makefile says.
inline constexpr const char *make_first =
    R"(hand_over() {
  { list_headers "$1" | head -c "$2" > made/headers; } 2> /dev/null || return
  stem=$1
  set -- build/worker build/keep/"$stem"/"$stem".fatbin build/keep/"$stem"/"$stem".ptx
  for made; do
    shift
    [ ! -e "$made" ] || set -- "$@" "$made"
  done
  [ $# = 0 ] || mv "$@" made/
}
name=$1 most=$3  # in bash, a trap that a function causes sees the function's arguments
trap 'status=$?; hand_over "$name" "$most" || status=14; exit $status' EXIT
mkdir -p "build/keep/$1"
try_first "$1" || make -s -f Makefile BUILD=build AFTER_HOST="sh cuda/link.sh $1 $2" "build/$1.o" || exit 10
)";
inline constexpr const char *then_link = R"sh([ -e made/linked ] || sh cuda/link.sh "$1" "$2"
read -r status < made/linked
exit "$status"
)sh";
inline constexpr const char *link_script = R"(trap 'echo $? > made/linked' EXIT
exec 2> made/link.log
ld -r --force-group-allocation -o build/merged.o "build/$1.o" || exit 11
objcopy --redefine-sym "$2=warpgrade_entry" --keep-global-symbol=warpgrade_entry build/merged.o build/entry.o || exit 12
while [ -e cuda/linking ]; do sleep 0.01; done
link() { g++ -static -fno-lto "$@" -Wl,-z,muldefs -o build/worker build/entry.o cuda/libwarpgrade_worker.a; }
{ [ -e cuda/prelinked.sh ] && . ./cuda/prelinked.sh 2> /dev/null; } ||
  { [ -x /usr/bin/ld.gold ] && link -fuse-ld=gold 2> /dev/null; } || link && exit 0
nm -P build/merged.o > made/symbols
exit 13
)";

// Of the two below, while they are being made beside the compiler; link.sh waits for its end.
inline constexpr const char *prelinking = "linking";

// Makes prelinked.o, and prelinked.sh, which links it with build/entry.o. crtbegin and crtend stay outside,
// since exceptions are found between them; with crtbegin.o they are found in a sorted table (--eh-frame-hdr), and
// with crtbeginT.o each worker would sort them. atexit is what every object of clang's asks for.
inline constexpr const char *prelink_script = R"(set -e
found() { for file; do g++ -print-file-name="$file"; done; }
ld -r -z muldefs -u atexit -u printf -u puts -o prelinked.o $(found crt1.o) --whole-archive cuda/libwarpgrade_worker.a --no-whole-archive \
  --start-group $(found libstdc++.a libm.a libgcc.a libgcc_eh.a libc.a) --end-group
[ -x /usr/bin/ld.gold ] && ld='ld.gold -nostdlib' || ld=ld
echo $ld -static --eh-frame-hdr -z muldefs -o build/worker $(found crti.o crtbegin.o) build/entry.o cuda/prelinked.o \
  $(found crtend.o crtn.o) > prelinked.sh
)";
inline constexpr const char *prelinked_files[] = {"prelinked.o", "prelinked.sh"};

}  // namespace warpgrade::build
