/** Reads for a tester what a platform can read, without a key, a journal entry or a count in the rate limit. */
import { z } from 'zod'
import { parseInput } from '../../service/door/input.ts'
import { OPERATIONS } from '../../service/operations/table.ts'
import { Unit } from '../../service/operations/unit.ts'
import { READING_IDS } from '../../spec/contract/endpoints.ts'
import { notFound, operationNotFound } from '../../spec/contract/errors.ts'
import { RESOURCES } from '../../spec/contract/event.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import type { SandboxInternals } from './internals.ts'
import type { FoundResource } from './shapes.ts'

/** Any resource by its id, as it is shown under `/v1`. */
export function findAnyResource({ services }: SandboxInternals, id: string): FoundResource {
  // Commits the answered requests first, whose common commit may still be waiting.
  services.store.flush()
  const found = services.find(id)
  if (!found) throw notFound('Resource')
  const schema: z.ZodType = RESOURCES[found.name]
  return { name: found.name, resource: z.encode(schema, services.shown(found)) as FoundResource['resource'] }
}

/** The body, to the byte, that a GET of the table answers, such as `checkouts.list`. */
export function readOperation(
  { services, clock }: SandboxInternals,
  operationId: string,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const operation = OPERATIONS.find(({ id, writes }) => id === operationId && !writes)
  if (!operation) throw operationNotFound(operationId, didYouMean(operationId, READING_IDS))
  const inQuery = Object.entries(parameters).filter(([name]) => !operation.path.includes(`{${name}}`))
  const input = parseInput(operation, parameters, {}, new URLSearchParams(inQuery).toString())
  // Requests that were answered may still wait for their common commit.
  services.store.flush()
  return operation.perform(new Unit(services, clock.now()), input).body
}
