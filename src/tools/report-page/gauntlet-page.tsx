/** The details of each trouble in `paysim gauntlet --report html=FILE`. */

import { basename } from 'node:path'
import { counted } from '../../spec/contract/counted.ts'
import { tookText } from '../../spec/contract/duration.ts'
import { htmlReport } from '../checks/page.tsx'
import { type GauntletOutcome, gauntletReport, outputOf } from '../gauntlet/report.ts'
import type { TroubleFile } from '../gauntlet/trouble-file.ts'
import type { TroubleResult } from '../gauntlet/verdict.ts'

export const gauntletPage = (outcome: GauntletOutcome): string =>
  htmlReport(gauntletReport(outcome), (_, { index }) => {
    const result = outcome.results[index]!
    return <TroubleDetails result={result} file={outcome.files.get(result.trouble.name)} />
  })

function TroubleDetails({ result, file }: { result: TroubleResult; file: TroubleFile | undefined }) {
  const { trouble, reasons, notes, fired, tookMs, trail } = result
  const output = reasons.length > 0 ? outputOf(result) : ''
  return (
    <>
      <p class="soft">
        {trouble.sentence}
        {fired > 0 && `; it acted ${counted(fired, 'time')}, in ${tookText(tookMs)}`}.
      </p>
      {[...reasons, ...notes].map((text) => (
        <p class="reason">{text}</p>
      ))}
      {trail && (
        <>
          <h3>What happened</h3>
          <ol class="trail">
            {trail.timeline.map(({ at, id, text }) => (
              <li>
                <time datetime={at}>{at.slice(11, 23)}</time> <span>{text}</span> <code>{id}</code>
              </li>
            ))}
          </ol>
          <details>
            <summary>Journal</summary>
            <pre>{trail.journal}</pre>
          </details>
        </>
      )}
      {file && !file.path && <p class="soft">No scenario of this run: {file.differs}.</p>}
      {file?.path && (
        <details>
          <summary>{basename(file.path)}: plays it without the program</summary>
          {file.differs !== undefined && <p class="reason">It differs: {file.differs}</p>}
          <pre>{file.yaml}</pre>
        </details>
      )}
      {output !== '' && (
        <details>
          <summary>Output</summary>
          <pre>{output}</pre>
        </details>
      )}
    </>
  )
}
