/** The selected requests as a scenario file. */
import type { Context } from 'hono'
import { counted } from '../../spec/contract/counted.ts'
import { requestNumber } from '../../spec/contract/ids.ts'
import { recordPlayed } from '../../tester/control/record.ts'
import { Notice } from '../blocks.tsx'
import { Empty, Id, Section, Snippet } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import { type PageRequest, pageRoute, routeTo } from './page-request.ts'
import { HEADERS } from './send-page.ts'
import type { View } from './view.ts'

/** Which requests a recording has; `minimal`: only what matters is expected. */
const choiceOf = (c: Context) => ({
  chosen: (c.req.queries('id') ?? []).filter((id) => !Number.isNaN(requestNumber(id))),
  minimal: c.req.query('minimal') !== undefined,
})

const record = ({ c, control, dashboard }: PageRequest) =>
  recordPlayed(control, choiceOf(c), dashboard.whyRecordingFails)

async function load(request: PageRequest) {
  const choice = choiceOf(request.c)
  return { ...choice, recording: choice.chosen.length > 0 ? await record(request) : undefined }
}

export const recordPage = pageRoute({ path: '/record', here: 'requests', load, view })

export const recordFile = routeTo('/record/file', async (request) =>
  request.c.body((await record(request)).yaml, 200, {
    ...HEADERS,
    'Content-Type': 'application/yaml; charset=utf-8',
    'Content-Disposition': 'attachment; filename="session.yaml"',
  }),
)

function view(view: View, { chosen, minimal, recording }: Awaited<ReturnType<typeof load>>) {
  const { links } = view
  const query = (isMinimal: boolean) =>
    [...chosen.map((id) => `id=${encodeURIComponent(id)}`), ...(isMinimal ? ['minimal=true'] : [])].join('&')
  return (
    <DashboardFrame
      view={view}
      title="Record a scenario"
      above={<a href={links.page('requests')}>Requests</a>}
      links={
        recording && (
          <a
            class="knob main"
            href={`${links.page('record/file')}?${query(minimal)}`}
            download="session.yaml"
          >
            Download
          </a>
        )
      }
    >
      {!recording && (
        <Empty title="No request was selected">
          <p>
            Select requests on the page <a href={links.page('requests')}>Requests</a>. They become the steps
            of a scenario file, with captures in place of ids, and the status and shape of each answer
            expected.
          </p>
        </Empty>
      )}
      {recording && (
        <>
          {recording.added.length > 0 && (
            <Notice>
              <p>
                {counted(recording.added.length, 'earlier request')}{' '}
                {recording.added.length === 1 ? 'was' : 'were'} added, because the selected ones depend on{' '}
                {recording.added.length === 1 ? 'it' : 'them'}:
              </p>
              <p class="wrap">
                {recording.added.map((id) => (
                  <Id id={id} links={links} />
                ))}
              </p>
            </Notice>
          )}
          {recording.leftOut.length > 0 && (
            <Notice tone="warn">
              <p>Left out:</p>
              <ul>
                {recording.leftOut.map(({ id, why }) => (
                  <li>
                    <Id id={id} links={links} /> {why}.
                  </li>
                ))}
              </ul>
            </Notice>
          )}
          {recording.why !== undefined && (
            <Notice tone="warn">
              <p>It does not pass when it is played: {recording.why}.</p>
            </Notice>
          )}
          <Section title="The file">
            <p class="soft">
              {recording.recorded && recording.why === undefined && 'It was played, and it passes. '}
              <a href={`${links.page('record')}?${query(!minimal)}`}>
                {minimal ? 'Expect every field of the answers' : 'Expect only what matters'}
              </a>
              {minimal
                ? '.'
                : ': statuses, states, money and captured ids, with the ledger and the webhooks.'}
            </p>
            <Snippet text={recording.yaml} label="Scenario file" />
          </Section>
          <Section title="Run it">
            <p class="soft">It runs in a new sandbox, or against any address.</p>
            <Snippet text="paysim run session.yaml" label="Command to run it" />
          </Section>
        </>
      )}
    </DashboardFrame>
  )
}
