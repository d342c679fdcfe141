/** The server as an object, for tests and tools in its process. */
import type { Sandboxes } from '../../tester/control/control.ts'
import { sandboxesAt } from './sandboxes-at.ts'
import type { ServedAddress, SimulatorServer } from './server.ts'

/** One environment at its address. A plain name means a sandbox of this environment. */
export interface Address extends Sandboxes, ServedAddress {}

/** Staging at its address, and production at another one. Two simulators share nothing. */
export interface Simulator extends Address {
  /** A simulation of production: its own address, keys and secrets. No money moves, and no message leaves the machine. */
  readonly production: Address
  /** Answers the requests in flight, then closes the sockets and the databases. */
  close(): Promise<void>
}

export function simulatorOf({ at, registry, close }: SimulatorServer): Simulator {
  let production: Address | undefined
  return {
    ...sandboxesAt('staging', registry),
    ...at('staging'),
    get production() {
      production ??= { ...sandboxesAt('production', registry), ...at('production') }
      return production
    },
    close,
  }
}
