#!/usr/bin/env bash
# Installs PostgreSQL 17 with pgvector, and PgBouncer 1.24, into a folder, from the packages of Debian 13 (trixie). Does
# not modify the system's apt and dpkg, so it works on Debian 12 (which has no pgvector) and without root.
#
#   scripts/get-postgres.sh .cache/postgres
#
# Does nothing if the folder already contains a working server. The programs are in FOLDER/usr/lib/postgresql/17/bin.
# The folder can be moved: the programs find their libraries relative to it.
set -euo pipefail

readonly version=17
readonly programs=(postgres initdb pg_ctl psql pg_dump pg_restore pg_isready pgbench pgbouncer)
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
    fail "$folder is not empty and contains no PostgreSQL"
  fi
  workspace=$(mktemp -d)
  trap 'rm -rf "$workspace"' EXIT
  download "$workspace/apt"
  unpack "$workspace/apt" "$workspace/root"
  assemble "$workspace/root" "$workspace/postgres"
  works "$workspace/postgres" || fail "the assembled server does not start"
  publish "$workspace/postgres" "$folder"
}

# Succeeds if the server and pgvector are installed and the server's libraries load.
works() {
  [[ -f $1/usr/lib/postgresql/$version/lib/vector.so && -x $1/usr/lib/postgresql/$version/bin/pgbouncer ]] &&
    "$1/usr/lib/postgresql/$version/bin/postgres" --version >/dev/null 2>&1
}

# Downloads the packages and all their dependencies with apt, in separate folders in which nothing is installed.
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
    "postgresql-$version" "postgresql-$version-pgvector" "postgresql-client-$version" pgbouncer
}

# Prints the Debian mirror that this machine uses. Reads both formats of apt's sources.
debian_mirror() {
  find /etc/apt -name '*.list' -o -name '*.sources' | sort | xargs awk '
    /^deb |^URIs:/ { for (i = 2; i <= NF; i++) if ($i ~ /\/debian\/?$/) { print $i; found = 1; exit } }
    END { exit !found }
  ' || fail "found no Debian mirror in apt's sources"
}

# Unpacks the packages into one root, without running their install scripts.
unpack() {
  local apt=$1 root=$2 directory package
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64}
  for directory in bin sbin lib lib64; do ln -s "usr/$directory" "$root/$directory"; done
  for package in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar --extract --directory "$root" --keep-directory-symlink --no-same-owner
  done
}

# Copies the files of a server from the unpacked packages: programs, extensions, shared files, and every library that
# they load. Includes the loader, since the loader of an older Debian cannot load these libraries.
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
  cp "$root/usr/sbin/pgbouncer" "$root/$home/bin/"
  for name in "${programs[@]}"; do
    cp "$root/$home/bin/$name" "$target/$home/bin/$name.real"
    write_launcher "$target/$home/bin/$name"
  done
  for file in "$target/$home"/bin/*.real "$target/$home"/lib/*.so; do
    "$loader" --library-path "$libraries" --list "$file"
  done | awk -v from="$libraries/" 'index($3, from) == 1 { print $3 }' | sort -u | xargs cp -L -t "$target/lib"
  # PostgreSQL refuses to run as root, so other users need read access.
  chmod -R a+rX "$target"
}

# Writes a launcher that runs its binary with the copied loader and libraries. It keeps the program's name as argv[0],
# by which PostgreSQL's programs find each other.
write_launcher() {
  cat >"$1" <<'LAUNCHER'
#!/bin/sh
program=$(readlink -f "$0")
root=$(dirname "$program")/../../../../..
exec "$root/lib/ld.so" --argv0 "$program" --library-path "$root/lib" "$program.real" "$@"
LAUNCHER
  chmod 755 "$1"
}

# Moves the finished server into place in one step, so that an interrupted run leaves no incomplete server.
publish() {
  local finished=$1 folder=$2
  mkdir -p "$(dirname "$folder")"
  rm -rf "$folder" "$folder.new"
  cp -a "$finished" "$folder.new"
  chmod 755 "$folder.new"
  mv "$folder.new" "$folder"
}

# Runs a command and shows its output only if it fails.
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
