#!/bin/sh
# Wine, a C and C++ compiler for Windows, and a Wine prefix that shows Windows 10: what test/windows and test/engine have
# in common. May be run again at will. Its output is the folder; no display is needed.
# Arguments: further Debian packages. Ends with 75 (EX_TEMPFAIL) where they are missing and may not be installed.
set -eu
cache=${KD_MCP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kd-mcp}/wine

missing=
for package in wine wine64 g++-mingw-w64-x86-64-win32 "$@"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  as_root=
  [ "$(id -u)" = 0 ] || as_root='sudo -n'
  if ! command -v apt-get >/dev/null || ! $as_root true 2>/dev/null; then
    echo "missing Debian packages:$missing (install them, or run this as root)" >&2
    exit 75
  fi
  $as_root apt-get update -qq >&2
  # shellcheck disable=SC2086 # a list of words
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
fi

mkdir -p "$cache"
export WINEPREFIX="$cache/prefix" WINEDEBUG=-all DISPLAY=
# Two that start at the same time make one prefix.
exec 9>"$cache/prefix.lock"
flock 9
if [ ! -f "$WINEPREFIX/windows-10" ]; then
  wineboot --init >/dev/null 2>&1 </dev/null 9>&-
  # Programs of today refuse to start on the Windows that Wine 8 shows unless told otherwise.
  wine reg add 'HKCU\Software\Wine' /v Version /d win10 /f >/dev/null 2>&1 </dev/null 9>&-
  wineserver --wait 9>&-
  touch "$WINEPREFIX/windows-10"
fi
echo "$cache"
