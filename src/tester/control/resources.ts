/** The resources of a sandbox as /v1 shows them, read without a key and without being journaled. */
import { z } from 'zod'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { parseInput } from '../../service/door/request.ts'
import { operationsUnder } from '../../service/operations/table.ts'
import { type Resource, Unit } from '../../service/operations/unit.ts'
import { READING_IDS } from '../../spec/contract/endpoints.ts'
import { notFound, operationNotFound } from '../../spec/contract/errors.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import type { FoundResource } from './shapes.ts'

export type ResourceRow = { id: string } & Readonly<Record<string, unknown>>

export const shownResource = ({ contract, services }: Sandbox, found: Resource) =>
  z.encode(contract.shownOf(found.name), services.shown(found)) as FoundResource['resource']

/** Any resource by its id. */
export function findAnyResource(internals: Sandbox, id: string): FoundResource {
  const { services } = internals
  // Commits answered requests first, because their shared commit may still be pending.
  services.store.flush()
  const found = services.find(id)
  if (!found) throw notFound('Resource')
  return { name: found.name, resource: shownResource(internals, found) } as FoundResource
}

/**
 * The body, byte for byte, that a GET of the table returns, such as `checkouts.list`: without a key, a journal entry or a count
 * in the rate limit.
 */
export function readOperation(
  { contract, services, clock }: Sandbox,
  operationId: string,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const operation = operationsUnder(contract.inOwnWords).find(
    ({ id, writes }) => id === operationId && !writes,
  )
  if (!operation) throw operationNotFound(operationId, didYouMean(operationId, READING_IDS))
  const inQuery = Object.entries(parameters).filter(([name]) => !operation.path.includes(`{${name}}`))
  const input = parseInput(operation, parameters, {}, new URLSearchParams(inQuery).toString())
  // Answered requests may still wait for their shared commit.
  services.store.flush()
  return operation.perform(new Unit(services, clock.now()), input).body
}
