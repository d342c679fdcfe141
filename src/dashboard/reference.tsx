/** What there is to know: staging's magic values, every endpoint, and what the spec leaves open. */
import type { Decision } from '../contract/decisions.ts'
import { OPERATIONS } from '../operations/table.ts'
import type { MagicValue } from '../staging/rules.ts'
import { Section } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { View } from './view.ts'

export type ReferenceProps = { view: View; magic: readonly MagicValue[]; decisions: readonly Decision[] }

export function ReferencePage({ view, magic, decisions }: ReferenceProps) {
  return (
    <DashboardFrame view={view} title="Reference">
      <h1>Reference</h1>
      <p class="soft">
        Documents: <a href="/openapi.json">the contract under /v1</a>,{' '}
        <a href="/_sim/openapi.json">the tester's side</a>.
      </p>
      <Section title="Magic values">
        <p class="soft">What a buyer can type on the hosted page to get a known outcome.</p>
        <table class="list" aria-label="Magic values">
          <thead>
            <tr>
              <th scope="col">what</th>
              <th scope="col">type this</th>
              <th scope="col">where</th>
              <th scope="col">and then</th>
            </tr>
          </thead>
          <tbody>
            {magic.map(({ what, value, where, why }) => (
              <tr>
                <td data-label="what">{what}</td>
                <td data-label="type this">
                  <code>{value}</code>
                </td>
                <td data-label="where">{where}</td>
                <td class="long" data-label="and then">
                  {why}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
      <Section title="Endpoints" count={OPERATIONS.length}>
        <table class="list" aria-label="Endpoints">
          <thead>
            <tr>
              <th scope="col">request</th>
              <th scope="col">operation</th>
              <th scope="col">what it does</th>
              <th scope="col">Idempotency-Key</th>
              <th scope="col">refuses with</th>
            </tr>
          </thead>
          <tbody>
            {OPERATIONS.map(({ id, method, path, summary, idempotent, refusals }) => (
              <tr>
                <td class="long" data-label="request">
                  <code>
                    {method} {path}
                  </code>
                </td>
                <td data-label="operation">
                  <a href={view.links.page('requests', { op: id })}>{id}</a>
                </td>
                <td class="long" data-label="what it does">
                  {summary}
                </td>
                <td data-label="Idempotency-Key">
                  {idempotent ? 'honored' : <span class="soft">ignored</span>}
                </td>
                <td data-label="refuses with">{refusals.join(', ') || <span class="soft">–</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
      <Section title="What the spec leaves open, and what was chosen" count={decisions.length}>
        <p class="soft">Who knows the real service finds the wrong guess here.</p>
        <table class="list" aria-label="Decisions">
          <thead>
            <tr>
              <th scope="col">no.</th>
              <th scope="col">about</th>
              <th scope="col">choice</th>
              <th scope="col">mark</th>
              <th scope="col">spec</th>
            </tr>
          </thead>
          <tbody>
            {decisions.map(({ id, topic, choice, mark, spec }) => (
              <tr id={id}>
                <td data-label="no.">{id}</td>
                <td data-label="about">{topic}</td>
                <td class="long" data-label="choice">
                  {choice}
                </td>
                <td data-label="mark">{mark}</td>
                <td data-label="spec">{spec}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Section>
    </DashboardFrame>
  )
}
