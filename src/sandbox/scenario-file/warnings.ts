/** Warnings about a file that can be played: an expected field that the service does not have. */
import { contractOf } from '../../spec/contract/contract.ts'
import { isEndpoint } from '../../spec/contract/endpoints.ts'
import { isObject } from '../../spec/contract/parsed-json.ts'
import type { ProfileChanges } from '../../spec/contract/profile.ts'
import { didYouMean } from '../../spec/contract/suggest.ts'
import { CONTRACT_FIELDS } from './contract-fields.ts'
import type { FileProblem } from './file-problem.ts'
import { isMatcher } from './matcher.ts'

/**
 * Finds expected fields that the service with this profile does not have. With `absent`, `none`, `not` or `exactly: 0` such an
 * expectation would always pass. Stubs and the tester's API have other fields, and a map has any.
 */
export function warningsIn(content: unknown, profile?: ProfileChanges): FileProblem[] {
  const added = Object.values(contractOf(profile).added).flat()
  const maps = added.flatMap(({ name, type }) => (type === 'map' ? [name] : []))
  const known = new Set([...CONTRACT_FIELDS, ...added.map(({ name }) => name)])
  return fieldsBelow(content, [])

  function fieldsBelow(value: unknown, path: PropertyKey[]): FileProblem[] {
    if (Array.isArray(value)) return value.flatMap((item, index) => fieldsBelow(item, [...path, index]))
    if (!isObject(value)) return []
    return Object.entries(value).flatMap(([name, part]) => {
      const at = [...path, name]
      if (!isObject(part)) return fieldsBelow(part, at)
      if (name === 'expect' || name === 'until')
        return isServiceCall(value.call) ? fieldsIn(part.json, [...at, 'json']) : []
      if (name === 'webhook') return fieldsIn(part.data, [...at, 'data'])
      if (name === 'requests' || name === 'when')
        return part.stub === undefined ? fieldsIn(part.json, [...at, 'json']) : []
      return fieldsBelow(part, at)
    })
  }

  function fieldsIn(expected: unknown, path: PropertyKey[]): FileProblem[] {
    if (Array.isArray(expected)) return expected.flatMap((item, index) => fieldsIn(item, [...path, index]))
    if (!isObject(expected)) return []
    const areFields = !isMatcher(expected)
    return Object.entries(expected).flatMap(([name, value]): FileProblem[] => {
      const at = [...path, name]
      if (!areFields) return name === 'sorted' ? [] : fieldsIn(value, at)
      if (known.has(name)) return maps.includes(name) ? [] : fieldsIn(value, at)
      return [{ path: at, of: 'key', predicate: `is not a field of the service${didYouMean(name, known)}` }]
    })
  }
}

const isServiceCall = (call: unknown): boolean =>
  typeof call === 'string' && isEndpoint(call.replaceAll(/\$\{[^{}]*\}/g, '{}'))
