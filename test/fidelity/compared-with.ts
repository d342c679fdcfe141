/** Keys learned in addition to the service's secret profile. */
import type { SimulatorOptions } from '../../src/index.ts'
import { changedKeys, type ProfileChanges } from '../../src/spec/contract/profile.ts'

/** Header names are case-insensitive. */
const comparable = (key: string, value: unknown) =>
  JSON.stringify(/header/i.test(key) && typeof value === 'string' ? value.toLowerCase() : value)

export function comparedWith(secret: SimulatorOptions['profile'] & object, profile: ProfileChanges) {
  const learned = changedKeys(profile)
  const wanted = new Map(changedKeys(secret).map(({ key, value }) => [key, comparable(key, value)]))
  const isRight = ({ key, value }: { key: string; value: unknown }) =>
    wanted.get(key) === comparable(key, value)
  return {
    right: learned.filter(isRight).map(({ key }) => key),
    wrong: learned.filter((row) => !isRight(row)).map(({ key, value }) => `${key}: ${JSON.stringify(value)}`),
    unknown: [...wanted.keys()].filter((key) => !learned.some((row) => row.key === key)),
  }
}
