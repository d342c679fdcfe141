/** The search of the dashboard. */
import { ApiError } from '../../spec/contract/errors.ts'
import type { SandboxControl } from '../../tester/control/control.ts'
import { FoundPage, foundAddress } from './found-page.tsx'
import { NothingFoundPage } from './nothing-found-page.tsx'
import { contractUnder, type PageRequest, type Reply } from './page-request.ts'

/**
 * A whole id leads to its page, and a key to its timeline. Other texts give a list of what contains them; a
 * single result is opened.
 */
export function searchReply({ c, control, view }: PageRequest): Reply {
  const term = (c.req.query('q') ?? '').trim()
  const { links } = view
  if (term === '') return { to: links.base }
  if (hasPage(control, term)) return { to: links.any(term) }
  if (control.requests({ key: term, limit: 1 }).length > 0)
    return { to: links.page('timeline', { key: term }) }
  const found = control.browse.find(term)
  const [only, ...others] = found.rows.flatMap(({ data }) => data)
  if (only && others.length === 0) return { to: foundAddress(links, only) }
  if (only || found.requests.data.length > 0)
    return { page: <FoundPage view={view} term={term} found={found} /> }
  return { page: <NothingFoundPage view={view} term={term} />, status: 404 }
}

/** Whether a text is the whole id of something that has a page. */
function hasPage(control: SandboxControl, id: string): boolean {
  const kind = contractUnder(control).kindOf(id)
  if (kind === undefined) return false
  const read = {
    request: () => control.request(id),
    event: () => control.read('events.get', { id }),
  }[kind as string]
  try {
    ;(read ?? (() => control.resource(id)))()
    return true
  } catch (cause) {
    if (cause instanceof ApiError && cause.status === 404) return false
    throw cause
  }
}
