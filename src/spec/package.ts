/** The package that this is a part of: its root is the nearest folder above with a package.json, in src and in dist alike. */
import { existsSync, readFileSync } from 'node:fs'

const nearestPackage = (folder: URL): URL =>
  existsSync(new URL('package.json', folder)) ? folder : nearestPackage(new URL('../', folder))

export const PACKAGE_ROOT = nearestPackage(new URL('./', import.meta.url))

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'),
) as { version: string }
