/** The last run of the gauntlet, beside the simulator that it was not run against: what to mend, then each trouble. */
import { tookText } from '../../spec/contract/duration.ts'
import { DataTable, Empty, Section, TimeCell } from './blocks.tsx'
import { DashboardFrame } from './frame.tsx'
import type { GauntletRun } from './last-gauntlet.ts'
import { pageRoute } from './page-request.ts'
import { unknownPage } from './sentence-pages.tsx'

export const lastGauntletPage = pageRoute({
  path: '/gauntlet',
  load: async ({ c, dashboard: { gauntlet } }) => (gauntlet ? { run: await gauntlet() } : unknownPage(c)),
  view: (view, { run }) => (
    <DashboardFrame
      view={view}
      title="Gauntlet"
      {...(typeof run !== 'string' && { heading: run.title, above: <Of run={run} /> })}
    >
      {typeof run === 'string' ? (
        <Empty title="There is no report to show">
          <p>{run}</p>
        </Empty>
      ) : (
        <Run run={run} />
      )}
    </DashboardFrame>
  ),
})

const Of = ({ run: { endedAt } }: { run: GauntletRun }) => (
  <>
    paysim gauntlet, <TimeCell at={endedAt} date /> UTC
  </>
)

function Run({ run: { about, causes, troubles } }: { run: GauntletRun }) {
  return (
    <>
      <p>{about}</p>
      {causes.length > 0 && (
        <Section title="What to mend" count={causes.length}>
          <ol class="findings">
            {causes.map(({ what, where, todo, isMoney }) => (
              <li>
                <p>
                  {isMoney && <span class="chip bad">money wrong</span>} <b>{what}</b>, {where}
                </p>
                {todo !== '' && <p class="soft">{todo}</p>}
              </li>
            ))}
          </ol>
        </Section>
      )}
      <Section title="Troubles" count={troubles.length}>
        <DataTable
          name="Troubles"
          columns={[
            {
              label: 'verdict',
              cell: ({ verdict, isBad }) => <span class={`chip ${toneOf(verdict, isBad)}`}>{verdict}</span>,
              class: 'whole',
            },
            { label: 'trouble', cell: ({ name }) => <code>{name}</code>, class: 'whole' },
            { label: 'what came', cell: ({ sentence }) => sentence, class: 'long' },
            {
              label: 'why',
              cell: ({ why }) => why,
              class: ({ why }) => (why === '' ? 'none' : 'long'),
            },
            { label: 'took', cell: ({ ms }) => (ms > 0 ? tookText(ms) : ''), class: 'number' },
          ]}
          rows={troubles}
        />
      </Section>
    </>
  )
}

function toneOf(verdict: string, isBad: boolean): 'good' | 'bad' | 'wait' | 'over' {
  if (isBad) return verdict === 'money wrong' ? 'bad' : 'wait'
  return verdict === 'survived' ? 'good' : 'over'
}
