/** What the report of `paysim shadow` shows of the differences and of both answers. */
import { Code, DataTable, Section, StatusBadge } from './blocks.tsx'
import { JsonView } from './json-text.tsx'
import type { MendableDifference, RealService, ShadowedExchange } from './real-service.ts'

type PartProps = { differences: readonly MendableDifference[]; notes: readonly string[] }

/** The differences, each with the profile key that would mend it below. */
export function WhereTheyPart({ differences, notes }: PartProps) {
  return (
    <>
      {differences.length === 0 && <span class="chip good">the same</span>}
      <ul>
        {differences.map(({ sentence, mendedBy }) => (
          <li>
            {sentence}
            {mendedBy && (
              <>
                <br />
                <code class="soft">{keyText(mendedBy)}</code>
              </>
            )}
          </li>
        ))}
        {notes.map((note) => (
          <li class="soft">{note}</li>
        ))}
      </ul>
    </>
  )
}

const keyText = ({ key, value }: { key: string; value: unknown }) => `${key}: ${JSON.stringify(value)}`

/** The profile of the service, as learned so far. */
export function LearnedKeys({ list }: { list: RealService }) {
  const { keys, remarks } = list.learned()
  return (
    <Section title="What a profile would say" count={keys.length}>
      <Code label="Keys of a profile">{keys.map((key) => `${keyText(key)}\n`)}</Code>
      {remarks.length > 0 && (
        <>
          <p class="soft">No key says this, or what was seen does not agree:</p>
          <ul>
            {remarks.map((remark) => (
              <li>{remark}</li>
            ))}
          </ul>
        </>
      )}
    </Section>
  )
}

export function BothAnswers({ exchange }: { exchange: ShadowedExchange }) {
  const { number, body, theirs, ours, ids, bodiesForgotten } = exchange
  return (
    <>
      {bodiesForgotten && <p class="soft">The bodies are forgotten: newer ones took their room.</p>}
      {ids.length > 0 && (
        <Section title="Ids that stand for one another">
          <DataTable
            name={`Ids of request ${number}`}
            columns={[
              { label: 'there', cell: ({ theirs }) => <code>{theirs}</code>, class: 'long' },
              { label: 'here', cell: ({ ours }) => <code>{ours}</code>, class: 'long' },
            ]}
            rows={ids}
          />
        </Section>
      )}
      {body !== undefined && (
        <Section title="Request">
          <JsonView text={body} label={`Body of request ${number}`} />
        </Section>
      )}
      <div class="columns even">
        <Section title="Answer there" aside={<StatusBadge status={theirs.status} />}>
          <JsonView text={theirs.body} label={`Answer to request ${number} there`} />
        </Section>
        <Section title="Answer here" aside={<StatusBadge status={ours.status} />}>
          <JsonView text={ours.body} label={`Answer to request ${number} here`} />
        </Section>
      </div>
    </>
  )
}
