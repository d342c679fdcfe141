/** The Chromium that comes with the development packages, unpacked once. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

/** Inside the package, so that another version of it is unpacked anew. */
const PACKAGE = join(import.meta.dirname, '../../node_modules/@sparticuz/chromium')
const KEPT = join(PACKAGE, 'unpacked')

export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(KEPT)) await unpack()
  return chromium.launch({
    executablePath: join(KEPT, 'chromium'),
    args: ['--headless=shell', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    // Its libraries, and its fonts beside those that the machine may have.
    env: { ...process.env, LD_LIBRARY_PATH: join(KEPT, 'al2023/lib'), XDG_DATA_HOME: KEPT },
  })
}

/**
 * The package unpacks into the system's folder for temporary files and takes a half-written browser there for a whole
 * one. So a process of its own unpacks into a new folder, which gets its name when it is complete.
 */
async function unpack(): Promise<void> {
  const folder = await mkdtemp(join(PACKAGE, 'unpacking-'))
  const script = "import('@sparticuz/chromium').then(({ default: packed }) => packed.executablePath())"
  await promisify(execFile)(process.execPath, ['--eval', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs20.x' },
  })
  await rename(folder, KEPT).catch(() => rm(folder, { recursive: true }))
}
