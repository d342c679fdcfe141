/** The keys of a profile that a run has touched: no other value of the others could change it. */
import { ID_PREFIXES } from '../../spec/contract/ids.ts'
import { PROFILE_KEYS, type ProfileKey } from '../../spec/contract/profile.ts'
import type { SandboxControl } from '../../tester/control/control.ts'

/** The keys whose value is in what a baseline run has sent and received. */
export function touchedIn(shop: SandboxControl): string[] {
  const requests = shop.requests().map(({ id }) => JSON.stringify(shop.request(id)))
  const events = shop.deliveries().length === 0 ? [] : [JSON.stringify(shop.events()), 'webhook-']
  const traffic = [...requests, ...events].join('\n').replaceAll('\\', '').toLowerCase()
  return PROFILE_KEYS.filter((row) => isTouched(row, traffic)).map(({ key }) => key)
}

/** Sections without words of their own whose effect each run shows. */
const ALWAYS = ['ids', 'timestamps', 'requests', 'answers']

function isTouched({ path: [section = '', kind = ''], fallback }: ProfileKey, traffic: string): boolean {
  const prefix = ID_PREFIXES[kind as keyof typeof ID_PREFIXES]
  if (prefix !== undefined && !traffic.includes(`"${prefix}`)) return false
  if (typeof fallback !== 'string')
    return ALWAYS.includes(section) || (section === 'add' && prefix !== undefined)
  const pieces = fallback
    .toLowerCase()
    .split(/\{\w+\}/)
    .filter(Boolean)
  return pieces.length > 0 && pieces.every((piece) => traffic.includes(piece))
}
