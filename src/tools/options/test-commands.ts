/** The commands that test a client. */
import { z } from 'zod'
import { grouped, option } from '../../spec/options/option.ts'
import { nonEmptyText, oneWordOf, wholeNumber } from '../../spec/options/values.ts'
import { command } from './command-row.ts'
import {
  addressWithPort,
  file,
  flag,
  ignoredRules,
  jobs,
  plainText,
  reports,
  runningSandbox,
  testSuite,
  time,
  VARIABLES_NOTE,
} from './kinds.ts'

/** The languages of `paysim init`; in a project with several, the first match is used. */
export const LANGUAGES = ['javascript', 'python', 'go', 'java'] as const
export const LANGUAGE_NAMES = `${LANGUAGES.slice(0, -1).join(', ')} or ${LANGUAGES.at(-1)}`

const TEST = 'Test your client'

export const TEST_COMMANDS = {
  init: command({
    group: TEST,
    summary:
      'add paysim.yaml, a scenario, a test and a CI job to the project in this folder, without overwriting files',
    options: {
      language: option(oneWordOf(LANGUAGES), {
        help: `the language of the test: ${LANGUAGE_NAMES}`,
        placeholder: 'NAME',
        shownDefault: 'detected from package.json, pyproject.toml, requirements.txt, go.mod or pom.xml',
      }),
    },
    examples: [
      ['paysim init', 'in the folder of package.json, pyproject.toml, requirements.txt, go.mod or pom.xml'],
      ['paysim init --language python', 'if there are several of them'],
    ],
  }),
  exec: command({
    group: TEST,
    summary: 'run your tests once in their own sandbox, and report what would break in production',
    options: {
      ...testSuite('exec'),
      audit: ignoredRules(),
      timeout: time('stop the tests if they take longer, such as 2m', '10m'),
      reports: reports(),
    },
    examples: [
      ['paysim exec -- npm test', 'runs the tests once and prints the audit'],
      ['paysim exec --ignore "C7=legacy importer" -- pytest', 'ignores one rule, with a reason'],
    ],
    note: VARIABLES_NOTE,
  }),
  gauntlet: command({
    group: TEST,
    summary: 'run your tests once per trouble, and report whether they and the money survive it',
    options: {
      ...grouped('Which troubles', {
        only: option(z.array(z.string()), {
          help: 'only troubles whose name contains one of these, separated by commas',
          placeholder: 'NAMES',
          repeatable: true,
          shownDefault: 'all',
        }),
        trouble: option(z.array(nonEmptyText('a file')), {
          help: 'only the behaviors of a scenario file, such as TROUBLE.yaml; with --only or --quick, next to those troubles',
          placeholder: 'FILE',
          repeatable: true,
          isPath: true,
          reads: 'a file',
          fallback: [],
        }),
        quick: flag('only one trouble of each kind that the tests can meet'),
        depth: option(wholeNumber(1, 2), {
          help: '2: also run pairs of failures, chosen by what the single failures showed',
          placeholder: 'N',
          fallback: 1,
        }),
        failed: flag(
          'only the troubles that failed in the last run, read from the file of --report json=FILE',
        ),
      }),
      ...grouped('Runs', {
        ...testSuite('gauntlet'),
        app: plainText(
          'the app under test, such as "node server.js", to start it for each run, and to kill and restart it',
          'COMMAND',
        ),
        ready: option(addressWithPort, {
          help: 'a URL at which the app of --app responds when it is ready; {port} as in --webhook-url',
          placeholder: 'URL',
          shownDefault: 'it listens at the webhook URL',
        }),
        jobs: jobs('three for each core, at most 8; 1 for a fixed webhook URL'),
        timeout: time(
          'stop a run that takes longer, such as 2m',
          'as long as the trouble can account for, at least 30s',
        ),
        confirm: flag('repeat a failed run to confirm it', {
          helpOfNo: 'report failures without repeating them',
          shownDefault: 'if it took at most 15 s',
        }),
        budget: time('start no run after this long, such as 5m', 'none'),
      }),
      ...grouped('Verdict', {
        audit: ignoredRules(),
        baseline: file('accept the failures listed in this file, unless they got worse'),
        updateBaseline: flag('write the current failures to the baseline, and accept them'),
      }),
      ...grouped('Output', { reports: reports() }),
    },
    examples: [
      ['paysim gauntlet --quick -- npm test', 'one trouble of each kind, for each change'],
      ['paysim gauntlet --report html=gauntlet.html -- pytest', 'all troubles, with an HTML report'],
    ],
    note: VARIABLES_NOTE,
  }),
  audit: command({
    group: TEST,
    summary: 'report what the platform did at a running paysim that would break in production',
    options: {
      ...runningSandbox(),
      audit: ignoredRules(),
      idle: flag('exit with 0 even if no request was received'),
      reports: reports(),
    },
    examples: [
      ['paysim audit', 'judges the sandbox default'],
      ['paysim audit --sandbox shop --report junit=audit.xml', 'judges another sandbox, for CI'],
    ],
  }),
  explain: command({
    group: TEST,
    summary: 'print what happened to an order at a running paysim, and what went wrong',
    options: {
      about: option(z.string(), {
        help: 'an order, a checkout or any other id, or an Idempotency-Key; default: every order charged or refunded twice',
        argument: '[ORDER]',
      }),
      ...runningSandbox(),
    },
    examples: [
      ['paysim explain order-3', 'the story of one order'],
      ['paysim explain', 'all orders that were charged or refunded twice'],
    ],
  }),
}
