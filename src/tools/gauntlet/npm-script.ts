/**
 * A script of package.json without npm. npm takes 0.2 s of CPU time to start it, in each of some fifty runs: a quarter of the
 * time of a small test suite.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { readTextFile } from '../../spec/text-file.ts'
import { readManifest } from '../manifest.ts'
import { IS_WINDOWS } from '../processes.ts'
import type { SuiteSetup } from './suite.ts'

type Started = Pick<SuiteSetup, 'command' | 'env'>

/** The command and the environment that npm would give it; unchanged if npm does more than to start one script in a shell. */
export function withoutNpm({ command, env }: Started): Started {
  const name = scriptNamed(command)
  const folder = process.cwd()
  if (name === undefined || IS_WINDOWS || hasOtherShell(env, folder)) return { command, env }
  const { scripts = {}, config, name: packageName = '', version = '' } = readManifest(folder)
  const { [name]: script, [`pre${name}`]: before, [`post${name}`]: after } = Object(scripts)
  if (typeof script !== 'string' || (config ?? before ?? after) !== undefined) return { command, env }
  return {
    command: ['sh', '-c', script],
    env: {
      ...env,
      PATH: [...foldersOfPrograms(folder), env.PATH].join(delimiter),
      NODE: process.execPath,
      INIT_CWD: folder,
      npm_lifecycle_event: name,
      npm_lifecycle_script: script,
      npm_package_json: join(folder, 'package.json'),
      npm_package_name: String(packageName),
      npm_package_version: String(version),
    },
  }
}

/** The script that an `npm test` or `npm run NAME` without options and arguments starts. */
function scriptNamed([program, word = '', ...names]: readonly string[]): string | undefined {
  if (program !== 'npm') return undefined
  if (['test', 't', 'tst'].includes(word)) return names.length === 0 ? 'test' : undefined
  return ['run', 'run-script'].includes(word) && names.length === 1 ? names[0] : undefined
}

/** npm's option script-shell. */
const hasOtherShell = ({ npm_config_script_shell }: SuiteSetup['env'], folder: string): boolean =>
  npm_config_script_shell !== undefined ||
  [folder, homedir()]
    .map((of) => join(of, '.npmrc'))
    .some((file) => existsSync(file) && readTextFile(file).includes('script-shell'))

/** Of the folder and of those above it, the nearest first. */
function foldersOfPrograms(folder: string): string[] {
  const above = dirname(folder)
  return [join(folder, 'node_modules', '.bin'), ...(above === folder ? [] : foldersOfPrograms(above))]
}
