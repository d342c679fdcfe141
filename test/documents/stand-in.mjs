/**
 * A stand-in for npm, npx and docker in the shell examples of the documents. It runs the real `paysim` installed next to them,
 * and checks for the other commands that the script, package, variable or file exists.
 * SERVING is the address of a running paysim.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const [, , name, ...args] = process.argv

await { npx, npm, docker }[name](args)

function refuse(why) {
  console.error(`${[name, ...args].join(' ')}: ${why}`)
  process.exit(1)
}

function npx([command, ...rest]) {
  // test/long/documents-script.test.ts runs the tests of the pages.
  if (['vitest', 'mocha', 'jest'].includes(command)) return
  if (command !== 'paysim') refuse('only npx paysim and runners of tests are known here')
  if (!existsSync('node_modules/.bin/paysim')) refuse('paysim is not installed here')
  return paysim(rest)
}

async function paysim([command, ...rest]) {
  const asked = [join(root, 'dist/main.js'), command, ...rest]
  if (command === 'start') return untilItSpeaks([...asked, '--port', '0'])
  if (command === 'listen') return untilItSpeaks([...asked, '--target', process.env.SERVING])
  if (['record', 'audit'].includes(command) && !rest.includes('--target'))
    asked.push('--target', process.env.SERVING)
  // A single trouble is enough.
  if (command === 'gauntlet') asked.splice(2, 0, '--only', 'refund-never', '--jobs', '1')
  // A few bundled scenarios are enough; test/scenarios/library.test.ts runs them all.
  if (command === 'run' && rest.at(-1) === '--bundled') asked.push('--filter', 'key-reused')
  // test/fidelity runs the whole tour.
  if (command === 'fidelity') return
  if (command === 'grade') await listening(new URL(rest[0]))
  // Another process would have to start Node again.
  process.argv = [process.execPath, ...asked]
  await import(asked[0])
}

/** The command runs until it is stopped, so stop it after its first output. */
async function untilItSpeaks(asked) {
  const child = spawn(process.execPath, asked, { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.once('data', (text) => {
    process.stdout.write(text)
    child.kill('SIGTERM')
  })
  const [code] = await once(child, 'close')
  process.exit(code)
}

/** Retries immediately until it is let in. */
async function listening({ hostname, port }) {
  for (;;) {
    const socket = connect(Number(port), hostname)
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
  }
}

async function npm([command, ...rest]) {
  // The test runner has set its name, or calm.
  if (command === 'test' && process.env.PAYSIM_API_KEY) return pay()
  const packages = rest.filter((word) => !word.startsWith('-'))
  const known = [manifest.name, ...Object.keys(manifest.devDependencies)]
  const script = command === 'run' ? rest[0] : command
  if (command === 'pkg') return
  if (['install', 'ci', 'pack'].includes(command)) {
    const unknown = packages.filter(
      (word) =>
        !known.includes(word) &&
        ![`./vendor/paysim-${manifest.version}.tgz`, '../paysim', 'vendor'].includes(word),
    )
    if (unknown.length > 0) refuse(`${unknown} is not a package of this checkout`)
  } else if (!(script in manifest.scripts)) refuse('there is no such script')
}

/** The tests for `paysim gauntlet -- npm test` and `paysim exec -- npm test`. */
async function pay() {
  const { PAYSIM_URL, PAYSIM_API_KEY } = process.env
  const headers = {
    'x-api-key': PAYSIM_API_KEY,
    'content-type': 'application/json',
    'idempotency-key': crypto.randomUUID(),
  }
  const post = async (path, body) => {
    const answer = await fetch(`${PAYSIM_URL}/v1/checkouts${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) process.exitCode = 1
    return answer.json()
  }
  const urls = { successUrl: 'https://shop.example/ok', cancelUrl: 'https://shop.example/no' }
  const { id } = await post('', { orderId: 'o-1', externalId: 'ada', amount: 100, ...urls })
  await post(`/${id}/confirm`, {})
  await post(`/${id}/refunds`, { amount: 25 })
}

function docker(words) {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  const port = /^EXPOSE (\d+)/m.exec(dockerfile)[1]
  const variables = process.env.VARIABLES.split(' ')
  const value = (flag) => words.flatMap((word, at) => (word === flag ? [words[at + 1]] : []))
  if (!['build', 'run', 'compose'].includes(words[0])) refuse('this command of docker is not known here')
  for (const mapping of value('-p'))
    if (mapping.split(':').at(-1) !== port) refuse(`the image exposes ${port}`)
  for (const setting of value('-e')) {
    const variable = setting.split('=')[0]
    if (!variables.includes(variable)) refuse(`paysim reads no ${variable}`)
  }
  for (const file of value('-f')) if (!existsSync(join(root, file))) refuse(`there is no ${file}`)
}
