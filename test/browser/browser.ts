import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

// Chromium, its libraries and its font come from node_modules, so these tests need nothing but Node. It is unpacked next to
// its archive, so that an update of the package also replaces the browser.
const home = join(import.meta.dirname, '../../node_modules/@sparticuz/chromium/unpacked')

export async function launch(): Promise<Browser> {
  if (!existsSync(home)) unpack()
  return chromium.launch({
    executablePath: join(home, 'chromium'),
    // Playwright's default arguments already disable the sandbox (root has none) and background traffic. The arguments that
    // the package recommends are for AWS Lambda: they turn off web security and use a single process.
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(home, 'al2023/lib'),
      FONTCONFIG_FILE: join(home, 'fonts.conf'),
    },
  })
}

function unpack(): void {
  // The package unpacks into the temporary folder, and unpacks the libraries only on AWS Lambda, so a child process gets
  // an environment that looks like Lambda.
  const fresh = mkdtempSync(`${home}-`)
  execFileSync(
    process.execPath,
    ['--eval', "import('@sparticuz/chromium').then((it) => it.default.executablePath())"],
    {
      cwd: import.meta.dirname,
      env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    },
  )
  // The package's fonts.conf looks in /tmp. This one makes every machine render the same glyphs.
  writeFileSync(
    join(fresh, 'fonts.conf'),
    `<fontconfig><dir>${home}/fonts</dir><cachedir>${home}/fonts-cache</cachedir></fontconfig>`,
  )
  // Test files start concurrently, and a rename is atomic. If another one was first, there is nothing left to do.
  try {
    renameSync(fresh, home)
  } catch (error) {
    rmSync(fresh, { recursive: true })
    if (!existsSync(home)) throw error
  }
}
