/** The parts of docs/object.md that are generated from the source: each method with its signature, and each option of a sandbox. */
import { readdirSync, readFileSync } from 'node:fs'
import type { z } from 'zod'
import { TESTER_ACTS } from '../../src/spec/contract/resources/by-tester.ts'
import { DEFINITIONS } from '../../src/spec/contract/resources/index.ts'
import { metaOf } from '../../src/spec/options/option.ts'
import { SANDBOX_OPTIONS } from '../../src/spec/options/sandbox.ts'
import { commentsIn } from '../../src/tester/control/route.ts'
import { SANDBOX_VERBS } from '../../src/tester/control/sandbox-verbs.ts'
import { table } from './table.ts'

/** The types of the methods, as declared in the rows of the verbs. Keys are verb names such as `clock.advance`. */
function signatures(): Map<string, string> {
  const folder = new URL('../../src/tester/control/', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('-verbs.ts'))
  const found = files.flatMap((name) => {
    let group = ''
    const lines = readFileSync(new URL(name, folder), 'utf8').matchAll(
      /^( {2,4})(\w+): (?:(\{)$|(?:verb|adapted|methodOnly)<(.*)>\(\)\()/gm,
    )
    return [...lines].flatMap(([, indent, word, opening, type]) => {
      if (opening && indent!.length === 2) group = `${word}.`
      return opening ? [] : [[`${indent!.length === 2 ? '' : group}${word}`, type!] as const]
    })
  })
  const acts = TESTER_ACTS.map(({ verb, kind, of, options, move }) => {
    const id = options.meta()?.id
    if (!move && id === undefined) throw new Error(`the options of ${verb} need .meta({ id })`)
    const given = move ? '' : `, options?: ${id}`
    return [verb, `(${of}Id: string${given}) => ${DEFINITIONS[kind].Shown.meta()!.id}`] as const
  })
  return new Map<string, string>([...found, ...acts])
}

export function methods(): string {
  const typeOf = signatures()
  return table(
    ['Method', ''],
    [...commentsIn(SANDBOX_VERBS)].map(([name, comment]) => {
      const type = typeOf.get(name)
      if (type === undefined) throw new Error(`the type of ${name} was not found`)
      return [`\`${name}${type.replace(' => ', ': ').replaceAll(/z\.input<typeof (\w+)>/g, '$1')}\``, comment]
    }),
  )
}

/** The options of `useSandbox`. */
export const options = () =>
  table(
    ['Option', ''],
    [
      ...Object.entries(SANDBOX_OPTIONS).map(([name, schema]) => {
        const { help, inCode } = metaOf(schema as z.ZodType)!
        return [`\`${name}\``, [help, inCode].filter(Boolean).join('. ')]
      }),
      ['`from`', 'the sandbox, or the snapshot of one, that it is a copy of'],
      [
        '`url`, `adminToken`',
        'a running paysim in which the sandboxes are created, and its token. All methods then return promises',
      ],
    ],
  )
