/** Behaviors: the armed ones, the library, an editor, and the requests waiting at gates. */

import { counted } from '../../spec/contract/counted.ts'
import { groupBy } from '../../spec/grouping.ts'
import type { HeldRequest } from '../../tester/control/shapes.ts'
import { Field } from '../form.tsx'
import { Action, Hidden, Id, Section } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { BehaviorExample } from './library.ts'
import { routeTo } from './page-request.ts'
import type { View } from './view.ts'

const FIRST_BEHAVIOR = `name: The refund is committed, but the response is lost
behaviors:
  - id: lose-first-answer
    when: { call: "POST /v1/checkouts/{id}/refunds" }
    times: 1
    do: { fault: reset, at: after-commit }
`

export const behaviorsPage = routeTo('/behaviors', async ({ c, control, dashboard, view }) => {
  const library = await dashboard.library()
  const chosen = library.find(({ file }) => file === c.req.query('file'))
  const behaviors = control.behaviors()
  const held = control.held()
  const page = (
    <DashboardFrame view={view} title="Behaviors" isLive>
      {behaviors.length > 0 && (
        <p>
          <a href="#armed">{counted(behaviors.length, 'behavior')} armed</a>
        </p>
      )}
      <div class="columns">
        <div class="stack">
          <Library view={view} library={library} />
          <Editor view={view} example={chosen?.yaml ?? FIRST_BEHAVIOR} />
        </div>
        <div class="aside">
          <Section title="Armed" id="armed" count={behaviors.length}>
            {behaviors.length === 0 ? (
              <p class="soft">
                None. A behavior makes the service misbehave: respond late, lose a response after the commit,
                refuse a request, or deliver a webhook twice.
              </p>
            ) : (
              <>
                <ol class="items armed">
                  {behaviors.map(({ id, explained, matched, fired, left, lastMiss }) => (
                    <li>
                      <div>
                        <b>{id}</b>
                        <p class="soft">{explained}</p>
                        {lastMiss !== null && (
                          <p class="soft small">Why it did not act the last time: {lastMiss}</p>
                        )}
                      </div>
                      <span class="soft">
                        matched {matched}, fired {fired}
                        {left !== null && `, ${left} left`}
                      </span>
                      <Action view={view} action="disarm" fields={{ id }} label="Disarm" about={id} />
                    </li>
                  ))}
                </ol>
                <Action view={view} action="disarm" label="Disarm all" />
              </>
            )}
          </Section>
          {held.length > 0 && <Gates view={view} held={held} />}
        </div>
      </div>
    </DashboardFrame>
  )
  return { page }
})

const Gates = ({ view, held }: { view: View; held: readonly HeldRequest[] }) => (
  <Section title="Requests waiting at a gate" count={held.length}>
    <ul class="items">
      {[...groupBy(held, ({ gate }) => gate)].map(([gate, waiting]) => (
        <li>
          <div>
            <b>{gate}</b>
            <p class="wrap">
              {waiting.map(({ request }) => (
                <Id id={request} links={view.links} />
              ))}
            </p>
          </div>
          <Action view={view} action="release" fields={{ name: gate }} label="Release" look="main" />
        </li>
      ))}
    </ul>
  </Section>
)

function Editor({ view: { links, notice }, view, example }: { view: View; example: string }) {
  const typed = notice?.typed?.yaml
  const yaml = typed ?? example
  const rows = Math.min(30, yaml.split('\n').length + 2)
  return (
    <Section title="Write a behavior" id="editor">
      <form class="editor" method="post" action={links.page('do/arm')}>
        <Hidden view={view} />
        <Field
          name="yaml"
          label="Behaviors as YAML"
          rows={rows}
          value={yaml}
          problem={typed && notice?.text}
          autofocus={typed !== undefined}
          required
        />
        <div class="wrap">
          <button class="knob main" type="submit">
            Add to the armed behaviors
          </button>
          <button class="knob" type="submit" formaction={links.page('do/replaceBehaviors')}>
            Replace the armed behaviors
          </button>
        </div>
      </form>
    </Section>
  )
}

function Library({ view, library }: { view: View; library: readonly BehaviorExample[] }) {
  return (
    <Section title="Library" count={library.length} id="library">
      <ul class="items">
        {library.map(({ file, name, why }) => (
          <li>
            <div>
              <b>{name}</b> <code class="soft small">{file}</code>
              {why && <p class="soft">{why}</p>}
            </div>
            <Action view={view} action="arm" fields={{ file }} label="Arm" about={name} />
            <a
              class="knob bare"
              href={`${view.links.page('behaviors', { file })}#editor`}
              aria-label={`Edit: ${name}`}
            >
              Edit
            </a>
          </li>
        ))}
      </ul>
    </Section>
  )
}
