#!/usr/bin/env bash
# Puts PostgreSQL 17 with pgvector into a folder of its own, from the packages of Debian 13 (trixie). The system's apt
# and dpkg are only read, never changed, so this works on Debian 12 (which has no pgvector) and without root.
#
#   scripts/get-postgres.sh .cache/postgres
#
# Does nothing where the folder holds a working server already. The programs are then in
# FOLDER/usr/lib/postgresql/17/bin and find their libraries wherever the folder is moved to.
set -euo pipefail

readonly version=17
readonly programs=(postgres initdb pg_ctl psql pg_dump pg_restore pg_isready pgbench)
readonly extensions=(
  vector pg_trgm pgcrypto plpgsql dict_snowball unaccent btree_gin amcheck pg_stat_statements libpqwalreceiver
)

main() {
  if [[ $# -ne 1 ]]; then
    echo "usage: $0 FOLDER" >&2
    exit 2
  fi
  local folder=$1
  if works "$folder"; then return; fi
  if [[ -n $(ls -A "$folder" 2>/dev/null) && ! -d $folder/usr/lib/postgresql ]]; then
    fail "$folder holds something else"
  fi
  workspace=$(mktemp -d)
  trap 'rm -rf "$workspace"' EXIT
  download "$workspace/apt"
  unpack "$workspace/apt" "$workspace/root"
  assemble "$workspace/root" "$workspace/postgres"
  works "$workspace/postgres" || fail "the server that was put together does not start"
  publish "$workspace/postgres" "$folder"
}

# The server and the extension that Debian 12 lacks are there, and the server's libraries load.
works() {
  [[ -f $1/usr/lib/postgresql/$version/lib/vector.so ]] &&
    "$1/usr/lib/postgresql/$version/bin/postgres" --version >/dev/null 2>&1
}

# Lets apt fetch the packages and all that they need, in folders of its own that pretend nothing is installed.
download() {
  local apt=$1 mirror
  mirror=$(debian_mirror)
  mkdir -p "$apt"/{etc/{sources.list.d,preferences.d,apt.conf.d,trusted.gpg.d},lists/partial,archives/partial}
  touch "$apt/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >"$apt/etc/sources.list"
  local options=(
    -qq -o Dir::Etc="$apt/etc" -o Dir::State="$apt" -o Dir::State::status="$apt/status"
    -o Dir::State::lists="$apt/lists" -o Dir::Cache="$apt" -o Dir::Cache::archives="$apt/archives"
    -o APT::Install-Recommends=false -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none
    -o Acquire::Retries=3
  )
  quietly apt-get "${options[@]}" update
  quietly apt-get "${options[@]}" -y --download-only install \
    "postgresql-$version" "postgresql-$version-pgvector" "postgresql-client-$version"
}

# The mirror that this machine uses already, in either of the formats of apt's sources.
debian_mirror() {
  find /etc/apt -name '*.list' -o -name '*.sources' | sort | xargs awk '
    /^deb |^URIs:/ { for (i = 2; i <= NF; i++) if ($i ~ /\/debian\/?$/) { print $i; found = 1; exit } }
    END { exit !found }
  ' || fail "no Debian mirror in the sources of apt"
}

# Unpacks the packages side by side, without running what they would run when installed.
unpack() {
  local apt=$1 root=$2 directory package
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64}
  for directory in bin sbin lib lib64; do ln -s "usr/$directory" "$root/$directory"; done
  for package in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar --extract --directory "$root" --keep-directory-symlink --no-same-owner
  done
}

# Takes what a server needs out of the unpacked packages: programs, extensions, shared files, and every library that
# they load, the loader included, since that of an older Debian cannot load them.
assemble() {
  local root=$1 target=$2 name file
  local home=usr/lib/postgresql/$version libraries loader
  libraries=$root/usr/lib/$(uname -m)-linux-gnu
  loader=$(find "$root/usr/" -name 'ld-linux-*.so.*' | head -n 1)
  mkdir -p "$target/lib" "$target/$home"/{bin,lib} "$target/usr/share/postgresql"
  cp -a "$root/usr/share/postgresql/$version" "$target/usr/share/postgresql/"
  cp -a "$root/usr/share/zoneinfo" "$target/usr/share/"
  cp -L "$loader" "$target/lib/ld.so"
  for name in "${extensions[@]}"; do cp "$root/$home/lib/$name.so" "$target/$home/lib/"; done
  for name in "${programs[@]}"; do
    cp "$root/$home/bin/$name" "$target/$home/bin/$name.real"
    write_launcher "$target/$home/bin/$name"
  done
  for file in "$target/$home"/bin/*.real "$target/$home"/lib/*.so; do
    "$loader" --library-path "$libraries" --list "$file"
  done | awk -v from="$libraries/" 'index($3, from) == 1 { print $3 }' | sort -u | xargs cp -L -t "$target/lib"
  # A server does not run as root, so every user may read it.
  chmod -R a+rX "$target"
}

# A program that starts its binary with the loader and the libraries beside it, and under the name that PostgreSQL's
# programs use to find each other.
write_launcher() {
  cat >"$1" <<'LAUNCHER'
#!/bin/sh
program=$(readlink -f "$0")
root=$(dirname "$program")/../../../../..
exec "$root/lib/ld.so" --argv0 "$program" --library-path "$root/lib" "$program.real" "$@"
LAUNCHER
  chmod 755 "$1"
}

# Moves the finished server into place in one step, so that a run that was cut short leaves nothing half done.
publish() {
  local finished=$1 folder=$2
  mkdir -p "$(dirname "$folder")"
  rm -rf "$folder" "$folder.new"
  cp -a "$finished" "$folder.new"
  chmod 755 "$folder.new"
  mv "$folder.new" "$folder"
}

# Runs a command and shows what it said only when it failed.
quietly() {
  local log=$workspace/log
  "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    fail "$1 failed"
  }
}

fail() {
  echo "get-postgres: $*" >&2
  exit 1
}

main "$@"
