import { invalidField } from '../../../spec/contract/errors.ts'
import { askStaging } from '../../stubs/ask-staging.ts'
import type { Fault } from './fault.ts'

export const pass: Fault<'pass'> = {
  sentence: 'Asks the real staging, under its key, in place of a `stub`, and hands back what it answers.',
  actsOn: 'request',
  prepare({ pass: address, apiKey }) {
    for (const [name, value] of [
      ['pass', address],
      ['apiKey', apiKey],
    ] as const)
      if (value.includes('${')) throw invalidField(`do.${name}`, `must be written out here, not ${value}`)
    const { origin } = new URL(address)
    return {
      does: `asks ${origin}`,
      async before(matched) {
        return { ...(await askStaging({ address: origin, apiKey }, matched)), stored: false }
      },
    }
  },
}
