# What the packages of a release have in common. Sourced; the repository is the current folder.
version=$(sed -n 's/^project(warpgrade VERSION \([0-9.]*\).*/\1/p' grader/CMakeLists.txt)
[ -n "$version" ] || { echo "packaging: grader/CMakeLists.txt does not say which version this is" >&2; exit 1; }
# The time in everything that is packed, so that the same files make the same bytes: that of the last commit.
if [ -z "${SOURCE_DATE_EPOCH:-}" ]; then
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
fi
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
umask 022

# install_into FOLDER PREFIX BUILD [OPTIONS OF cmake --install...]; the log is shown if it fails
install_into() {
  local folder=$1 prefix=$2 build=$3 log
  shift 3
  log=$(mktemp)
  DESTDIR=$folder cmake --install "$build" --strip --prefix "$prefix" "$@" >"$log" 2>&1 ||
    { cat "$log" >&2; rm -f "$log"; echo "packaging: cmake --install failed" >&2; exit 1; }
  rm -f "$log"
}

# Whoever gets the programs also gets the licences of the libraries in them.
add_licences() { # FOLDER: one file for each package
  local name
  mkdir -p "$1"
  for name in $(packaging/make-sbom --libraries); do
    if [ -r "/usr/share/doc/$name/copyright" ]; then
      cp -L --preserve=mode "/usr/share/doc/$name/copyright" "$1/$name"
    else
      echo "packaging: there is no licence of $name in /usr/share/doc; add it by hand before you pass this on" >&2
    fi
  done
}
