#!/usr/bin/env bash
# Clients and checks that others wrote: the MCP inspector over stdio, the conformance runner over HTTP.
# usage: bench/host/official.sh [DIRECTORY for what npm installs]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
tools="${1:-$(mktemp -d)}"
python="${PYTHON:-python}"
port="${PORT:-18711}"
mkdir -p "$tools/home" "$tools/project"

# the runner needs node 22, which npm has as a package
npm install --silent --prefix "$tools/node" node@22 >&2
export PATH="$tools/node/node_modules/node/bin:$PATH" HOME="$tools/home"
npm install --silent --prefix "$tools/npm" \
  @modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/conformance@0.1.16 >&2

export PYTHONPATH="$here/compat"
cd "$tools/project"
inspector=("$tools/npm/node_modules/.bin/mcp-inspector" --cli --format json -q -e "PYTHONPATH=$PYTHONPATH")
serve=("$python" -m toolroll serve --root .)
echo "== inspector: tools/list --strict"
"${inspector[@]}" --method tools/list --strict -- "${serve[@]}" >listing.json
echo "== inspector: tools/call"
"${inspector[@]}" --method tools/call --tool-name test_simple_text -- "${serve[@]}"

echo "== conformance runner"
"${serve[@]}" --packs compat --http "127.0.0.1:$port" 2>serve.log &
host=$!
trap 'kill "$host" 2>/dev/null || true' EXIT
until "$python" -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/healthz')" 2>/dev/null
do kill -0 "$host"; done
runner=("$(command -v node)" "$tools/npm/node_modules/@modelcontextprotocol/conformance/dist/index.js")
"${runner[@]}" server --url "http://127.0.0.1:$port/mcp" -o results \
  --expected-failures "$here/compat/expected-failures.yml" | sed -n '/=== SUMMARY/,$p'
"${runner[@]}" server --url "http://127.0.0.1:$port/mcp" -o results --scenario json-schema-2020-12
