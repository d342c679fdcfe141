/**
 * Faults for one request: the header `X-Sim` takes the words of a behavior's `do`, as in `delay=2s` or `fault=reset;
 * at=after-commit`. Several faults are separated by commas.
 */
import { type OperationId, whyNothingCommits } from '../../spec/contract/endpoints.ts'
import { malformedXSim } from '../../spec/contract/errors.ts'
import { quoted } from '../../spec/contract/shortened.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { Do } from '../scenario-file/do.ts'
import { readBySchema } from '../scenario-file/explain-issues.ts'
import { problemSentence } from '../scenario-file/file-problem.ts'
import { FAULTS } from './faults/registry.ts'

/** The faults that act on a request. The others act on refunds, deliveries, buyers and stubs, so they need a behavior. */
const REQUEST_FAULTS = Object.entries(FAULTS)
  .filter(([verb, { actsOn }]) => actsOn === 'request' && verb !== 'forward')
  .map(([verb]) => verb)

/** The value in the header may be short for an object: each function returns its form in a file. */
const SHORT_FORMS: Record<string, (value: string) => unknown> = {
  respond: plain,
  rateLimit: (word) => (word === 'exhausted' ? { exhausted: true } : { limit: plain(word) }),
}

/** `operation`: the operation of the request; null for a stub. */
export function readXSim(header: string, operation: OperationId | null): Do[] {
  const faults = header.split(',').map(readOne)
  if (operation !== null && faults.some((words) => 'at' in words && words.at === 'after-commit')) {
    const why = whyNothingCommits([operation])
    if (why !== undefined) throw malformedXSim(`at ${why}`)
  }
  return faults
}

function readOne(text: string): Do {
  const words = text.split(';').map((word) => {
    const [name = '', ...value] = word.split('=')
    return [name.trim(), value.join('=').trim()] as const
  })
  const fault = words[0]![0]
  if (!REQUEST_FAULTS.includes(fault)) {
    throw malformedXSim(
      `must start with ${REQUEST_FAULTS.join(', ')}, as in delay=2s, not ${quoted(fault)}${didYouMean(fault, REQUEST_FAULTS)}`,
    )
  }
  const written = Object.fromEntries(
    words.map(([name, value]) => [
      name,
      name === fault ? (SHORT_FORMS[fault] ?? String)(value) : plain(value),
    ]),
  )
  // By the rules and messages of files.
  const { data, problems } = readBySchema(Do, written)
  if (data) return data
  throw malformedXSim(problemSentence(problems[0]!))
}

function plain(value: string): unknown {
  return value === 'true' ? true : /^\d+$/.test(value) ? Number(value) : value
}
