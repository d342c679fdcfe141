import { expect, test } from 'vitest'
import { Secrets } from '../../src/tools/player/secrets.ts'

test('a secret is hidden as it is, and as JSON, XML and HTML write it', () => {
  const secrets = new Secrets()
  secrets.add('sk_one')
  secrets.add('a"b<c&d\n')
  secrets.add(undefined)
  secrets.add('short')
  secrets.add('longer')
  const json = JSON.stringify('a"b<c&d\n')
  expect(secrets.hide(`sk_one, a"b<c&d\n, ${json}, a&quot;b&lt;c&amp;d\n, short, longer, sk_2`)).toBe(
    '••••, ••••, "••••", ••••, short, ••••, sk_2',
  )
})

test('of two that begin alike, both are hidden', () => {
  const secrets = new Secrets()
  secrets.add('whsec_first')
  secrets.add('whsec_second')
  secrets.add('whsec_second_of_two')
  expect(secrets.hide('whsec_second_of_two whsec_second whsec_first whsec_third')).toBe(
    '•••• •••• •••• whsec_third',
  )
})
