/** The last run of the gauntlet, which `paysim start --gauntlet-report FILE` provides. */

/** The part of the gauntlet's JSON report that the page shows, with the worst first. */
export interface GauntletRun {
  title: string
  about: string
  /** In ISO 8601. */
  endedAt: string
  causes: readonly { what: string; where: string; todo: string; isMoney: boolean }[]
  troubles: readonly {
    name: string
    sentence: string
    verdict: string
    isBad: boolean
    why: string
    ms: number
  }[]
}

/** Reads the last run, or says in a sentence why there is none. */
export type LastGauntlet = () => Promise<GauntletRun | string>
