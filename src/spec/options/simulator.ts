/** The options of the simulator itself, and those of `paysim start` alone. */
import { z } from 'zod'
import type { ProfileChanges } from '../contract/profile.ts'
import type { Written } from '../contract/written.ts'
import { bundledFixtures } from '../package.ts'
import type { Fixture } from './fixture.ts'
import { grouped, option } from './option.ts'
import { DEFAULT_SANDBOX, PRODUCTION_SANDBOX, SANDBOX_OPTIONS, type SandboxOptions } from './sandbox.ts'
import { HttpUrl, nonEmptyText, oneWordOf, SandboxFullName, Switch, wholeNumber } from './values.ts'

export const PORT_MAX = 65_535

const PATH = { placeholder: 'FILE', isPath: true } as const

export const LISTEN_OPTIONS = grouped('Network', {
  port: option(wholeNumber(0, PORT_MAX), {
    help: 'port to listen on; 0 takes a free one',
    inCode: 'Default in code: a free port',
    placeholder: 'PORT',
    fallback: 4100,
  }),
  host: option(nonEmptyText('an address such as 127.0.0.1 or 0.0.0.0'), {
    help: 'address to listen on',
    placeholder: 'HOST',
    fallback: '127.0.0.1',
  }),
  tls: option(Switch, { help: 'serve HTTPS, with a certificate generated at startup', fallback: false }),
  tlsCaOut: option(nonEmptyText('a file'), {
    help: 'write the CA of that certificate to this file, for clients; implies --tls',
    ...PATH,
  }),
  tlsCert: option(nonEmptyText('a file'), {
    help: 'serve HTTPS with the certificate in this file (PEM); with --tls-key',
    ...PATH,
  }),
  tlsKey: option(nonEmptyText('a file'), { help: 'the private key of --tls-cert (PEM)', ...PATH }),
})

export const ListenSettings = z.object(LISTEN_OPTIONS).check(({ value, issues }) => {
  const { tlsCert, tlsKey, tlsCaOut } = value
  const wrong = (name: string, message: string) =>
    issues.push({ code: 'custom', input: undefined, path: [name], message })
  if (tlsCert === undefined && tlsKey !== undefined)
    wrong('tlsCert', 'must be given with tlsKey (--tls-cert, --tls-key)')
  if (tlsCert !== undefined && tlsKey === undefined)
    wrong('tlsKey', 'must be given with tlsCert (--tls-cert, --tls-key)')
  if (tlsCert !== undefined && tlsCaOut !== undefined) {
    wrong('tlsCaOut', 'must not be given with tlsCert: only a certificate that paysim makes has an authority')
  }
})

/** Where and how to listen. */
export type ListenOptions = Written<typeof ListenSettings>

/** A file name; in code and in paysim.yaml also the file's content as an object. */
const fileOrContent = <Content>() =>
  z.union(
    [nonEmptyText('a file'), z.custom<Content>((given) => typeof given === 'object' && given !== null)],
    'must be a file',
  )

export const ProfileFile = fileOrContent<ProfileChanges>()
export const PROFILE = {
  help: "corrections of paysim's assumptions about the service, in the format of paysim profile",
  env: 'PAYSIM_PROFILE',
  reads: 'a file',
  ...PATH,
} as const

/** Files that `paysim start` reads. */
const FILE_OPTIONS = {
  ...grouped('Behavior', {
    scenario: option(nonEmptyText('a file or a folder'), {
      help: "arm the behaviors in this file or folder, and rearm them when a file changes; they apply to staging's default sandbox, or to production's if a file has sandbox: { environment: production }",
      reads: 'a file or folder',
      ...PATH,
    }),
    profile: option(ProfileFile, PROFILE),
  }),
  ...grouped('Initial data', {
    fixture: option(fileOrContent<Fixture>(), {
      help: 'seed data for staging: a file, or demo, which comes with paysim',
      shared: false,
      reads: 'a file',
      bundled: bundledFixtures,
      ...PATH,
    }),
  }),
}

const PublicUrl = HttpUrl.transform((url) => url.replace(/\/+$/, ''))

/** Only for `paysim start`: code passes the address to `listen` instead. */
export const PRODUCTION_LISTEN_OPTIONS = grouped('Production', {
  productionPort: option(wholeNumber(0, PORT_MAX), {
    help: "port of production's address; 0 takes a free one",
    placeholder: 'PORT',
    fallback: 4101,
  }),
})

export const SIMULATOR_OPTIONS = {
  ...grouped('Network', {
    publicUrl: option(PublicUrl.clone(), {
      help: 'base of the URLs in responses, such as checkoutUrl',
      inCode: 'Default: the origin of the request',
      placeholder: 'URL',
      shownDefault: 'from the request',
    }),
    adminToken: option(nonEmptyText('a token'), {
      help: 'the bearer token that /_sim and the dashboard require',
      placeholder: 'TOKEN',
      secret: true,
    }),
  }),
  ...grouped('Production', {
    production: option(Switch, {
      help: 'also simulate production, on a second port, with keys such as sk_live_default',
      shownDefault: 'off',
    }),
    productionPublicUrl: option(PublicUrl, {
      help: 'base of the URLs in responses of production',
      inCode: 'Default: the origin of the request',
      placeholder: 'URL',
      shownDefault: 'from the request',
    }),
    productionSandbox: option(z.strictObject(PRODUCTION_SANDBOX), {
      help: 'the sandbox `default` of production: key, secret, webhook, rate limit and clock of its own',
      flag: 'production',
      shared: false,
    }),
  }),
  ...grouped('Storage and logs', {
    // server/simulator/data-folder.ts describes the files in the folder and how a start treats them.
    data: option(nonEmptyText('a folder'), {
      help: 'store each sandbox as an SQLite file in this folder',
      inCode: 'Default: in memory',
      placeholder: 'FOLDER',
      isPath: true,
      shownDefault: 'in memory',
    }),
    durability: option(oneWordOf(['commit', 'process']), {
      help: 'commit: on disk before the response; process: survives a crash of paysim, not of the machine',
      placeholder: 'WHEN',
      fallback: 'commit',
    }),
    memory: option(wholeNumber(1, 1_000_000), {
      help: 'megabytes for the recorded requests and snapshots of all sandboxes; the oldest are dropped first',
      placeholder: 'MB',
      fallback: 512,
    }),
    log: option(oneWordOf(['pretty', 'json', 'silent']), {
      help: 'pretty, json or silent',
      placeholder: 'FORMAT',
      // No fallback: in code there is no log.
      shownDefault: 'pretty on a terminal, else json',
    }),
  }),
  ...grouped('Initial data', {
    sandboxes: option(
      z
        .array(SandboxFullName, 'must be a list of names')
        .refine(
          (names) => new Set([DEFAULT_SANDBOX, ...names]).size === names.length + 1,
          `must be names that differ from each other and from "${DEFAULT_SANDBOX}"`,
        )
        .readonly(),
      {
        help: 'an additional sandbox, with the key sk_staging_NAME; production.NAME has sk_live_NAME',
        flag: 'sandbox',
        placeholder: 'NAME',
        env: 'PAYSIM_SANDBOXES',
        repeatable: true,
        fallback: [],
      },
    ),
  }),
}

export const SimulatorSettings = z.object(SIMULATOR_OPTIONS)
export type OptionsAroundSandboxes = Written<typeof SimulatorSettings>

/**
 * The options of the simulator and of its sandboxes. A sandbox option applies to every sandbox without its own value, unless only
 * one sandbox can have it, such as an API key or a seed: then it applies to the sandbox `default`.
 */
export interface SimulatorOptions extends SandboxOptions, OptionsAroundSandboxes {}

export type LogFormat = NonNullable<SimulatorOptions['log']>

/** Everything that `paysim start` takes, in the order of the help text. */
export const START_OPTIONS = {
  ...LISTEN_OPTIONS,
  ...SANDBOX_OPTIONS,
  ...SIMULATOR_OPTIONS,
  ...PRODUCTION_LISTEN_OPTIONS,
  ...FILE_OPTIONS,
}
