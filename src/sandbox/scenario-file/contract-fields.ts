/** The names of all the service's fields, in bodies, responses and events. */
import { ErrorBody } from '../../spec/contract/errors.ts'
import { pageEnd } from '../../spec/contract/pages.ts'
import { FIELDS } from '../../spec/contract/profile-kinds.ts'

export const CONTRACT_FIELDS: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS).flat(),
  ...Object.keys(pageEnd),
  ...Object.keys(ErrorBody.shape),
])
