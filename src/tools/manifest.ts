/** The package.json of a folder. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isObject, parsedJson } from '../spec/contract/parsed-json.ts'
import { UsageError } from '../spec/options/read.ts'
import { readTextFile } from '../spec/text-file.ts'

/** Empty if the file does not exist. */
export function readManifest(folder: string): Record<string, unknown> {
  const path = join(folder, 'package.json')
  if (!existsSync(path)) return {}
  const manifest = parsedJson(readTextFile(path))
  if (!isObject(manifest)) throw new UsageError(`${relative('.', path)} is not a JSON object.`)
  return manifest
}
