import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

// The browser comes out of node_modules, with the libraries and the font that it needs: a machine with nothing but Node
// runs these tests. It is unpacked beside its archive, so a newer archive never meets an older browser.
const home = join(import.meta.dirname, '../../node_modules/@sparticuz/chromium/unpacked')

export async function launch(): Promise<Browser> {
  if (!existsSync(home)) unpack()
  return chromium.launch({
    executablePath: join(home, 'chromium'),
    // Playwright's own arguments already say no sandbox (root has none) and no traffic in the background. The archive's
    // own recommendations are left out: made for another place, they turn off web security and share one process.
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(home, 'al2023/lib'),
      FONTCONFIG_FILE: join(home, 'fonts.conf'),
    },
  })
}

function unpack(): void {
  // The package unpacks into the temporary folder, and the libraries only where it takes itself to be on AWS Lambda:
  // hence a child with an environment of its own.
  const fresh = mkdtempSync(`${home}-`)
  execFileSync(
    process.execPath,
    ['--eval', "import('@sparticuz/chromium').then((it) => it.default.executablePath())"],
    {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    },
  )
  // Its own fonts.conf looks in /tmp. With this one every machine shows the same letters.
  writeFileSync(
    join(fresh, 'fonts.conf'),
    `<fontconfig><dir>${home}/fonts</dir><cachedir>${home}/fonts-cache</cachedir></fontconfig>`,
  )
  // The rename makes it whole or absent, for test files that start together. Who comes second has nothing to do.
  try {
    renameSync(fresh, home)
  } catch (error) {
    rmSync(fresh, { recursive: true })
    if (!existsSync(home)) throw error
  }
}
