/**
 * Trouble for one request, without a file: the header `X-Sim` takes the words of a behavior. `delay=2s`,
 * `fault=reset; at=after-commit`, and several after one another with a comma.
 */
import { malformedXSim } from '../contract/errors.ts'
import type { Do } from '../scenario-file/behavior.ts'
import { explainIssues } from '../scenario-file/explain-issues.ts'
import { Scenario } from '../scenario-file/format.ts'

/** What can happen to a request. The other verbs act on what comes of one, and so need a behavior. */
const VERBS = ['respond', 'delay', 'hold', 'fault', 'rateLimit']

/** The first word of each takes a text; these two take an object, of which a header names the one part that matters. */
const SPELLED_OUT: Record<string, (value: string) => unknown> = {
  respond: (status) => ({ status: plain(status) }),
  rateLimit: (word) => (word === 'exhausted' ? { exhausted: true } : { limit: plain(word) }),
}

export function readXSim(header: string): Do[] {
  return header.split(',').map(readOne)
}

function readOne(text: string): Do {
  const words = text.split(';').map((word) => {
    const [name = '', ...value] = word.split('=')
    return [name.trim(), value.join('=').trim()] as const
  })
  const verb = words[0]![0]
  if (!VERBS.includes(verb)) {
    throw malformedXSim(
      `must begin with one of ${VERBS.join(', ')}, as in delay=2s, not ${JSON.stringify(verb)}`,
    )
  }
  const written = Object.fromEntries(
    words.map(([name, value]) => [name, name === verb ? (SPELLED_OUT[verb] ?? String)(value) : plain(value)]),
  )
  // A file with one behavior: what is right there is right here, and what is wrong is told in the same words.
  const file = { name: 'X-Sim', behaviors: [{ do: written }] }
  const read = Scenario.safeParse(file)
  if (read.success) return read.data.behaviors![0]!.do
  const [complaint] = explainIssues(read.error.issues, file)
  throw malformedXSim(complaint!.message.replace(/^behaviors\[0\]\.do\.?/, '').trimStart())
}

const plain = (value: string): unknown =>
  value === 'true' ? true : /^\d+$/.test(value) ? Number(value) : value
