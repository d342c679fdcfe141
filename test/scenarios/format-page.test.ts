/** docs/scenarios.md: every example passes as written, and every step, command and matcher has an example. */
import { describe, expect, test } from 'vitest'
import { isMap, parse, parseDocument, visit } from 'yaml'
import { scenarioJsonSchema } from '../../src/sandbox/scenario-file/format.ts'
import { Matcher } from '../../src/sandbox/scenario-file/matcher-schema.ts'
import { blocksOf } from '../documents/blocks.ts'
import { play } from './playing.ts'

const [SETUPS, ...EXAMPLES] = blocksOf('docs/scenarios.md').filter(({ language }) => language === 'yaml')
const PARTS = EXAMPLES.map(({ line, code }) => [line, code] as const)

describe('the example passes', () => {
  test.each(PARTS)('of line %i', async (_, code) => {
    const files = { 'setups.yaml': SETUPS!.code, 'it.yaml': code }
    const { code: exit, out, err } = await play(files)
    expect({ exit, err, shown: exit === 0 ? '' : out }).toEqual({ exit: 0, err: '', shown: '' })
  })
})

interface Form {
  required: string[]
  properties: Record<string, { anyOf: Form[] }>
}

test('every step, every command and every matcher has an example', () => {
  const { definitions } = scenarioJsonSchema() as { definitions: { Step: { anyOf: Form[] } } }
  const forms = definitions.Step.anyOf
  const sim = forms.find(({ properties }) => 'sim' in properties)!.properties.sim!.anyOf
  const wordOf = ({ required }: Form) => required[0]!
  const commands = sim.map((form) => `sim: ${wordOf(form)}`)
  const used = new Set<string>()
  for (const [, code] of PARTS) {
    visit(parseDocument(code), {
      Pair: (_, { key, value }) => {
        used.add(String(key))
        // Its first key is the verb, which may also be a key elsewhere.
        if (String(key) === 'sim' && isMap(value)) used.add(`sim: ${value.items[0]?.key}`)
      },
    })
  }
  const others = ['cases', 'setups', 'until', 'meanwhile', ...Object.keys(Matcher.shape)]
  const wanted = [...forms.map(wordOf), ...commands, ...others]
  expect(wanted.filter((word) => !used.has(word))).toEqual([])
})

test('every connection fault has an example', () => {
  const { definitions } = scenarioJsonSchema() as { definitions: { Do: { anyOf: Fault[] } } }
  const known = definitions.Do.anyOf.flatMap(({ properties }) => properties.fault?.anyOf[0].enum ?? [])
  const shown = PARTS.flatMap(([, code]) => (parse(code).behaviors ?? []) as { do: { fault?: string } }[])
  expect(known).toContain('reset')
  expect(known.filter((fault) => !shown.some((behavior) => behavior.do.fault === fault))).toEqual([])
})

interface Fault {
  properties: { fault?: { anyOf: [{ enum: string[] }] } }
}
