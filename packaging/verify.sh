#!/usr/bin/env bash
# Makes all packages of the last commit twice, and compares their bytes: verify.sh ROOT FOLDER. The folders, time
# zone, locale, umask and environment differ, and no compiler cache is shared. The packages are left in
# FOLDER. With NPM_MODULES=1 the modules of npm in ROOT are used instead of installed ones.
set -euo pipefail
root=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'verify: %s\n' "$*" >&2; }

[ -z "$(git -C "$root" status --porcelain)" ] || say "changes that are not committed are not in these packages"
date=$(git -C "$root" log -1 --format=%ct)

# round NAME UMASK VARIABLES…: packages in FOLDER/NAME.
round() {
  local name=$1 mask=$2 tree="$work/$1/tacet"
  shift 2
  say "building in $tree"
  mkdir -p "$work/$name/home" "$work/$name/tmp"
  (
    umask "$mask"
    git clone -q --no-hardlinks "$root" "$tree"
    if [ -n "${NPM_MODULES:-}" ]; then
      cp -r "$root/editors/vscode/node_modules" "$tree/editors/vscode/"
    fi
    rm -rf "${folder:?}/$name"
    # A cache of its own lets the two presets of a round share objects, and hides nothing from the other.
    env -i PATH="$PATH" HOME="$work/$name/home" TMPDIR="$work/$name/tmp" CCACHE_DIR="$work/$name/cache" \
      SOURCE_DATE_EPOCH="$date" "$@" "$tree/dev" package "$folder/$name"
  ) </dev/null >"$folder/$name.log" 2>&1 || { tail -n 20 "$folder/$name.log" >&2; exit 1; }
}

round first 022 TZ=UTC LC_ALL=C.UTF-8
round the_second_with_a_longer_path 027 TZ=Asia/Kathmandu LC_ALL=C LANG=de_DE.UTF-8 USER=somebody

cd "$folder"
different=0
for path in first/*; do
  name=$(basename "$path")
  if ! cmp "$path" "the_second_with_a_longer_path/$name" >&2; then
    different=1
  fi
done
if [ "$(ls first)" != "$(ls the_second_with_a_longer_path)" ]; then
  say "the packages have different names"
  different=1
fi
[ "$different" = 0 ] || { say "the packages differ; both are in $folder"; exit 1; }
say "both builds gave the same bytes: $(ls first | wc -l) files"
cat first/SHA256SUMS
