/**
 * Runs npm scripts in parallel, because none of them keeps two cores busy alone. Prints the output of each when it ends.
 * `node at-once.mjs SCRIPT…` fails if one of them fails.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'

async function run(script) {
  const child = spawn(`npm run ${script} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, [code]] = await Promise.all([buffer(child.stdout), once(child, 'close')])
  process.stdout.write(said)
  if (code !== 0) {
    console.error(`npm run ${script} failed: exit code ${code}`)
    process.exitCode = 1
  }
}

await Promise.all(process.argv.slice(2).map(run))
