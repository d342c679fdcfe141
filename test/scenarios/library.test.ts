import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { scenarioJsonSchema } from '../../src/scenarios/format.ts'
import { lint } from '../../src/scenarios/lint.ts'

test('the schema beside the scenarios, by which editors complete them, is the one of today', async () => {
  const kept = JSON.parse(await readFile('scenarios/scenario.schema.json', 'utf8'))
  expect(kept).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())))
})

test('every scenario is without a mistake', async () => {
  const { files, problems } = await lint(['scenarios'])
  expect(problems).toEqual([])
  expect(files.length).toBeGreaterThanOrEqual(30)
})
