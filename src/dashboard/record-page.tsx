/** A session as a scenario: what was chosen, as a file that can be played anywhere. */
import { Notice } from '../pages/blocks.tsx'
import type { Recording } from '../recorder/session.ts'
import { Empty, Id, Section, Snippet } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { View } from './view.ts'
import { counted } from './words.ts'

export interface RecordPageProps {
  view: View
  ids: readonly string[]
  /** Left out when nothing was chosen. */
  recording: Recording | undefined
}

export function RecordPage({ view, ids, recording }: RecordPageProps) {
  const { links } = view
  return (
    <DashboardFrame view={view} title="A session as a scenario">
      <header class="title">
        <div>
          <p class="soft">
            <a href={links.page('requests')}>Requests</a>
          </p>
          <h1>A session as a scenario</h1>
        </div>
        {recording && (
          <a
            class="knob main"
            href={`${links.page('record/file')}?${ids.map((id) => `id=${encodeURIComponent(id)}`).join('&')}`}
            download="session.yaml"
          >
            Download
          </a>
        )}
      </header>
      {!recording && (
        <Empty title="No request was chosen">
          <p>
            Choose some in <a href={links.page('requests')}>Requests</a>, and they become a file of steps that
            passes when it is played: with captures in place of ids, and the status and shape of each answer
            expected.
          </p>
        </Empty>
      )}
      {recording && (
        <>
          {recording.added.length > 0 && (
            <Notice>
              <p>
                {counted(recording.added.length, 'earlier request')} came along, because the chosen ones rely
                on {recording.added.length === 1 ? 'it' : 'them'}:
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
          <Section title="The file">
            <Snippet text={recording.yaml} label="Scenario file" />
          </Section>
          <Section title="Play it">
            <p class="soft">In a fresh sandbox of its own, or against any other address.</p>
            <Snippet text="paysim run session.yaml" label="How to play it" />
          </Section>
        </>
      )}
    </DashboardFrame>
  )
}
