/**
 * Whether a database can be used with what its behaviors remember. Another version may have written other values, and a
 * wrong one would only be met in the middle of a request.
 */

import type { Store } from '../../service/store/store.ts'
import { invalidSnapshot } from '../../spec/contract/errors.ts'
import { shortened } from '../../spec/contract/shortened.ts'
import { isRemembered } from './remembered-values.ts'
import { HELD_BACK } from './scripted-deliveries.ts'

export function requireReadableMemory({ behaviorState, events }: Store): void {
  for (const { kind, name, value } of behaviorState.list()) {
    if (!isRemembered(kind, parsed(value))) {
      throw invalidSnapshot(`what its behaviors remember is wrong: ${shortened(kind)}`)
    }
    if (kind === HELD_BACK && !events.find(name)) {
      throw invalidSnapshot('a delivery is held back of an event that is not there')
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
