/** Resources as a tester looks them up: what a platform would be answered, without being a platform's request. */
import { z } from 'zod'
import { notFound, routeNotFound } from '../contract/errors.ts'
import { RESOURCES, type ResourceName } from '../contract/event.ts'
import { parseInput } from '../gate/input.ts'
import { findResource, shown } from '../operations/resources.ts'
import { OPERATIONS } from '../operations/table.ts'
import { Unit } from '../operations/unit.ts'
import type { SandboxInternals } from './internals.ts'

export interface FoundResource {
  name: ResourceName
  resource: { id: string } & Record<string, unknown>
}

/** Any resource by its id, as it is shown under `/v1`. */
export function findAnyResource({ store, services }: SandboxInternals, id: string): FoundResource {
  const found = findResource(store, id)
  if (!found) throw notFound('Resource')
  const schema: z.ZodType = RESOURCES[found.name]
  return { name: found.name, resource: z.encode(schema, shown(services, found)) as FoundResource['resource'] }
}

export interface ReadOptions {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string>>
}

/** What a GET of the table answers, such as `checkouts.list`, to the byte. It is neither counted nor journaled. */
export function readOperation(
  { store, services, clock }: SandboxInternals,
  operationId: string,
  asked: ReadOptions = {},
): string {
  const operation = OPERATIONS.find(({ id, method }) => id === operationId && method === 'GET')
  if (!operation) throw routeNotFound()
  const input = parseInput(operation, asked.params ?? {}, {}, new URLSearchParams(asked.query).toString())
  // What others have just written may still wait for its commit.
  store.flush()
  return operation.perform(new Unit(services, clock.now()), input).body
}
