/**
 * Failures as annotations, which GitHub Actions shows beside the lines of a pull request. It reads them from the output:
 * `::error file=…,line=…,title=…::message`.
 */
import { readFile } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { SourceFile } from '../../sandbox/scenario-file/source-file.ts'
import { lineOfStep } from '../../sandbox/scenario-file/step-lines.ts'
import { sentenceOfUnfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
import type { FileResult } from './result.ts'
import { differenceLine } from './show-result.ts'
import type { ProcessVariables } from './variables.ts'

/** None where it does not run there. */
export async function annotationsFor(files: readonly FileResult[], env: ProcessVariables): Promise<string[]> {
  if (env.GITHUB_ACTIONS !== 'true') return []
  const folder = env.GITHUB_WORKSPACE ?? '.'
  const failed = files.filter(({ outcome }) => outcome === 'failed')
  return (await Promise.all(failed.map((one) => annotationsOf(one, folder)))).flat()
}

async function annotationsOf(result: FileResult, folder: string): Promise<string[]> {
  const { file, name, steps, unfired, reason = '' } = result
  const source = await sourceOf(file)
  const path = relative(folder, file).split(sep).join('/')
  const annotate = (line: number, message: string) =>
    `::error file=${property(path)},line=${line},title=${property(name)}::${data(message)}`
  const found = [
    ...steps
      .filter(({ outcome }) => outcome === 'failed')
      .map((step) => {
        const why = [step.reason ?? [], step.differences.map(differenceLine)].flat(2)
        return annotate(
          (source && lineOfStep(source, step.place)) ?? 1,
          [`step ${step.place}, ${step.label}`, ...why].join('\n'),
        )
      }),
    ...unfired.map((one) => annotate(1, sentenceOfUnfired(one))),
  ]
  return found.length > 0 ? found : [annotate(1, reason)]
}

/** Undefined for what cannot be read, also since it was played. */
const sourceOf = (file: string): Promise<SourceFile | undefined> =>
  readFile(file, 'utf8')
    .then((text) => new SourceFile(text, file))
    .catch(() => undefined)

const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
