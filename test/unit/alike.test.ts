/** Different ids that two services generated for the same resource. */
import { expect, it } from 'vitest'
import { Alike } from '../../src/tester/alike/alike.ts'

it.each([
  ['pay-2gC5pjIHNENAoUjn', 'chk_00000HuK0NsvLnt'],
  ['6cecc866-c4b8-4444-bdfe-bafac4dc5368', 'chk_00000HuK0NsvLnt'],
])('the generated id %s is paired at its first place, and with only one other id', (theirs, ours) => {
  const alike = new Alike()
  expect(alike.otherPrefix(ours, theirs, '$.id')).toBeDefined()
  expect(alike.agree(`/v1/checkouts/${ours}`, `/v1/checkouts/${theirs}`, '$.url')).toBe(true)
  expect(alike.agree(ours, theirs.replace(/.$/, '0'), '$.id')).toBe(false)
})
