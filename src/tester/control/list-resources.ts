/** The lists of /v1, as a tester reads them. */
import type { OperationId } from '../../spec/contract/endpoints.ts'
import type { SandboxControl } from './control.ts'

export type ResourceRow = { id: string } & Readonly<Record<string, unknown>>

interface ListAnswer {
  data: ResourceRow[]
  nextCursor: string | null
}

export function listResources(
  control: SandboxControl,
  operation: OperationId,
  parameters: Readonly<Record<string, string>> = {},
): ListAnswer {
  return JSON.parse(control.read(operation, parameters)) as ListAnswer
}
