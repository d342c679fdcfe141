import { useSandbox } from 'paysim/vitest'
import { test } from 'vitest'

useSandbox({ fixture: 'dmo' })

test('it does not begin', () => {})
