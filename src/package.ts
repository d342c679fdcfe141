/** The package that this is a part of: its root is one folder above this file, in src and in dist alike. */
import { readFileSync } from 'node:fs'

export const PACKAGE_ROOT = new URL('../', import.meta.url)

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'),
) as { version: string }
