/**
 * The install instructions of the README: from a checkout before the first release, from npm and an image registry
 * afterwards. Both forms exist only here, and a marker in the README selects one. The release workflow writes the
 * published form: `PUBLISHED_IMAGE=ghcr.io/owner/paysim npm run readme:update`.
 */

import manifest from '../../package.json' with { type: 'json' }

/** The file name that `npm pack` chooses. */
export const TARBALL = `paysim-${manifest.version}.tgz`

/** The form and, once published, the image: `<!-- install: published ghcr.io/owner/paysim -->`. */
const SECTION = /<!-- install: (checkout|published (\S+)) -->\n[\s\S]*?<!-- \/install -->/

const sh = (...lines: string[]) => ['```sh', ...lines, '```'].join('\n')

const checkout =
  () => `paysim needs Node 20.19 or newer. It is not published yet, and a package of that name on npm is not ours. In a clone of this repository,
this serves until Ctrl+C, after a minute or two:

${sh('npm ci && npm start')}

Docker serves it without Node:

${sh('docker build -t paysim . && docker run -p 4100:4100 paysim')}

In your project next to that clone, after its \`npm ci\` (without a package.json, use \`--global\` instead of \`--save-dev\`, and \`paysim\`
instead of \`npx paysim\`):

${sh('mkdir -p vendor && npm pack ../paysim --pack-destination vendor', `npm install --save-dev ./vendor/${TARBALL}`, 'npx paysim start')}

Commit \`vendor\` (with \`git add --force vendor\` if .gitignore lists \`*.tgz\`), because \`npm ci\` in CI installs paysim from there.`

const published = (
  image: string,
) => `It needs Node 20.19 or newer. In a project of yours it serves until Ctrl+C (without a package.json write \`--global\`, not
\`--save-dev\`, and \`paysim\`, not \`npx paysim\`):

${sh('npm install --save-dev paysim', 'npx paysim start')}

Or in Docker, which needs no Node:

${sh(`docker run -p 4100:4100 ${image}`)}`

/** Returns the README with its install section in the form of its marker, or published as `image`. */
export function withInstallLines(readme: string, image?: string): string {
  const [, form, named] = SECTION.exec(readme) ?? []
  if (form === undefined) throw new Error('README.md has no section <!-- install: checkout -->')
  const from = image ?? named!
  const text = from ? published(from) : checkout()
  return readme.replace(
    SECTION,
    `<!-- install: ${from ? `published ${from}` : 'checkout'} -->\n${text}\n<!-- /install -->`,
  )
}
