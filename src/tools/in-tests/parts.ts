/**
 * What `useSandbox` loads from paysim. It is CommonJS in the package, loaded at first use, while the Vitest module is an ES
 * module.
 */
export { sentenceOfUnfired } from '../../sandbox/scenario-file/unfired-sentence.ts'
export { hasNothingToJudge, summaryText, wrongTexts } from '../../tester/audit/show.ts'
export { connect } from '../../tester/control/client.ts'
export { readFixture } from '../../tester/control/fixture.ts'
export { runOfThisProcess, sandboxOfRun } from '../gauntlet/run-folder.ts'
export { simulatorOfTests } from './simulator-of-tests.ts'
