/** The proxies of examples/scale on this machine. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../free-port.ts'

export type ProxyName = 'haproxy' | 'nginx'

export interface Process {
  port: number
  productionPort: number
}

/** Checks for the proxy, and installs Debian's package if this user may do so. */
export function isInstalled(proxy: ProxyName): boolean {
  const runs = () => {
    try {
      execFileSync(proxy, ['-v'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  }
  if (runs()) return true
  if (process.getuid?.() !== 0) return false
  try {
    const quietly = { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', proxy], quietly)
  } catch {
    return false
  }
  return runs()
}

/** Free ports for a proxy or a process. */
export const freePorts = async (): Promise<Process> => ({
  port: await freePort(),
  productionPort: await freePort(),
})

/** Resolves once the proxy is ready; the caller must stop it. */
export async function startProxy(
  proxy: ProxyName,
  processes: readonly Process[],
  place: string,
  served?: Process,
): Promise<{ child: ChildProcess; url: string; productionUrl: string; admin: number }> {
  const { port, productionPort } = served ?? (await freePorts())
  const [peers, admin] = [await freePort(), await freePort()]
  const file = join(place, 'proxy.conf')
  const config = configured(proxy, { 1024: peers, 1025: admin }, { port, productionPort }, processes)
  writeFileSync(file, proxy === 'nginx' ? inFolder(config, place) : config)
  const child = spawn(proxy, PROXIES[proxy].args(file), { stdio: ['ignore', 'ignore', 'pipe'] })
  const at = (port: number) => `http://127.0.0.1:${port}`
  const url = at(port)
  try {
    await Promise.race([answering(url), ended(proxy, child)])
  } catch (cause) {
    child.kill('SIGTERM')
    throw cause
  }
  return { child, url, productionUrl: at(productionPort), admin }
}

/** Polls until the proxy responds, because neither proxy reports that it is listening. */
async function answering(url: string): Promise<void> {
  const until = AbortSignal.timeout(60_000)
  for (;;) {
    until.throwIfAborted()
    const response = await fetch(`${url}/healthz`).catch(() => undefined)
    if (response?.ok) return
    await new Promise(setImmediate)
  }
}

async function ended(proxy: ProxyName, child: ChildProcess): Promise<never> {
  // nginx closes its stderr once it is running.
  const said = text(child.stderr!)
  const [code] = (await once(child, 'exit')) as [number | null]
  throw new Error(`${proxy} ended with ${code}: ${await said}`)
}

/** The example configuration, with only the ports replaced by those of this machine. */
function configured(
  proxy: ProxyName,
  ports: Record<string, number>,
  served: Process,
  processes: readonly Process[],
): string {
  const example = readFileSync(`examples/scale/${PROXIES[proxy].example}`, 'utf8')
  return withServers(
    withServers(example, 4100, ({ port }) => port),
    4101,
    ({ productionPort }) => productionPort,
  )
    .replace(/(bind :|listen )4100/, (_, word: string) => listenAt(word, served.port))
    .replace(/(bind :|listen )4101/, (_, word: string) => listenAt(word, served.productionPort))
    .replace('4101 production', `${served.productionPort} production`)
    .replaceAll(/127\.0\.0\.1:(102\d)\b/g, (_, serverPort) => `127.0.0.1:${ports[serverPort]}`)

  function withServers(text: string, port: number, portOf: (member: Process) => number): string {
    const first = text.match(new RegExp(`^.*paysim-0:${port}.*$`, 'm'))![0]
    const lines = processes.map((member, at) =>
      first.replaceAll(`paysim-0:${port}`, `127.0.0.1:${portOf(member)}`).replace('paysim-0', `paysim-${at}`),
    )
    return text
      .replaceAll(new RegExp(`^.*paysim-[12]:${port}.*\\n`, 'gm'), '')
      .replace(first, lines.join('\n'))
  }
}

const listenAt = (word: string, port: number) => `${word.replace(':', '')}127.0.0.1:${port}`

const PROXIES = {
  haproxy: { example: 'haproxy.cfg', args: (file: string) => ['-W', '-db', '-f', file] },
  nginx: { example: 'nginx.conf', args: (file: string) => ['-c', file, '-g', 'daemon off;'] },
}

/** nginx writes its files to the paths of its package, which may belong to root. */
const inFolder = (config: string, place: string): string =>
  `pid ${place}/nginx.pid;\nerror_log ${place}/error.log;\n${config.replace(
    'http {',
    `http {\n  access_log off;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `  ${kind}_temp_path ${place}/${kind};`).join('\n')}`,
  )}`
