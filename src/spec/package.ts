/**
 * Reads paysim's package.json: it is in the nearest folder above that has one, whether this file runs in src
 * or in dist.
 */
import { existsSync, readFileSync } from 'node:fs'

const nearestPackage = (folder: URL): URL =>
  existsSync(new URL('package.json', folder)) ? folder : nearestPackage(new URL('../', folder))

export const PACKAGE_ROOT = nearestPackage(new URL('./', import.meta.url))

export const { version: VERSION } = JSON.parse(
  readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'),
) as { version: string }
