#!/usr/bin/env bash
# Compiles the static libraries that Debian does not have, {fmt}, TBB, and isl for shared libraries, from
# Debian's source packages of the versions that are installed: static_libraries.sh FOLDER. The folder becomes a
# prefix for CMake. Nothing is done if it has these versions already.
set -euo pipefail
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
jobs=$(nproc)

fail() { printf 'static_libraries: %s\n' "$*" >&2; exit 1; }

versions=$(dpkg-query -W -f='${source:Package}=${source:Version}\n' libfmt-dev libtbb-dev libisl-dev) ||
  fail "libfmt-dev, libtbb-dev and libisl-dev must be installed"
if [ "$(cat "$folder/versions" 2>/dev/null)" = "$versions" ]; then
  exit 0
fi

# The sources come from where this machine gets its packages, with lists of their own: nothing of the
# system's changes, and no rights are needed.
apt=$folder/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$folder/sources"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
apt-get indextargets --format "deb-src [signed-by=$keys] \$(REPO_URI) \$(RELEASE) \$(COMPONENT)" \
  'Created-By: Packages' | sort -u >"$apt/sources.list"
[ -s "$apt/sources.list" ] || fail "apt has no list of packages; run apt-get update"
options=(-qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
         -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=$(id -un)")
apt-get "${options[@]}" update || fail "could not fetch the lists of source packages"

# compile NAME=VERSION COMMAND…: fetches a source package, and has a command configure, compile and install it.
compile() {
  local package=$1 name=${1%%=*}
  local log="$folder/sources/$name.log"
  shift
  rm -rf "$folder/sources/${name:?}"*
  (cd "$folder/sources" && apt-get "${options[@]}" source "$package" >/dev/null) ||
    fail "could not fetch the source package $package"
  # Without the folder in file names, so that the same sources give the same bytes anywhere.
  flags="-O2 -fPIC -ffile-prefix-map=$folder/sources/="
  (tree=$(echo "$folder/sources/$name"-*/) && "$@") >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; fail "could not compile $package"; }
}

with_cmake() {
  cmake -S "$tree" -B "$folder/sources/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$flags" \
    -DCMAKE_CXX_FLAGS_RELEASE=-DNDEBUG -DCMAKE_CXX_VISIBILITY_PRESET=hidden -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_INSTALL_PREFIX="$folder" -DCMAKE_INSTALL_LIBDIR=lib -Wno-dev "$@" &&
    cmake --build "$folder/sources/$name" -j "$jobs" &&
    cmake --install "$folder/sources/$name"
}

# isl: Debian's static libraries of it and of GMP are for programs alone; it does without GMP.
with_make() {
  mkdir -p "$folder/lib" &&
    cd "$tree" &&
    ./configure -q --disable-shared --with-pic --with-int=imath-32 CFLAGS="$flags -DNDEBUG" &&
    make gitversion.h &&
    make -j "$jobs" libisl.la &&
    cp .libs/libisl.a "$folder/lib/"
}

for package in $versions; do
  case "$package" in
    fmtlib=*) compile "$package" with_cmake -DFMT_TEST=OFF -DFMT_DOC=OFF ;;
    onetbb=*) compile "$package" with_cmake -DTBB_TEST=OFF -DTBBMALLOC_BUILD=OFF -DTBB_STRICT=OFF \
                -DTBB_ENABLE_IPO=OFF -DTBB_DISABLE_HWLOC_AUTOMATIC_SEARCH=ON ;;
    isl=*) compile "$package" with_make ;;
  esac
done
printf '%s\n' "$versions" >"$folder/versions"
