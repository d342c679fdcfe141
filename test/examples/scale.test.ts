/** The manifests of examples/scale, without a cluster: every field is checked by types generated from Kubernetes's API document. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { folder } from '../given.ts'
import { readEnvironment } from './environment.ts'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, 'examples/scale', name), 'utf8')

interface Manifest {
  apiVersion: string
  kind: string
}

interface Backend {
  backend: { service: { port: { name: string } } }
}

const manifests = (text: string) => parseAllDocuments(text).map((document) => document.toJSON() as Manifest)

/** Compiles the manifests as literals of their types, so that an unknown or missing field is an error. */
function mistakes(text: string): string {
  const place = folder()
  const lines = manifests(text).flatMap((manifest, at) => {
    const module = manifest.apiVersion.includes('/') ? manifest.apiVersion : `core/${manifest.apiVersion}`
    const type = `import('${join(root, 'node_modules/kubernetes-types', module.replace('.k8s.io', ''))}.d.ts').${manifest.kind}`
    return [`export const manifest${at}: ${type} = ${JSON.stringify(manifest)}`]
  })
  const file = join(place, 'manifests.ts')
  writeFileSync(file, lines.join('\n'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const checking = ['--noEmit', '--strict', '--ignoreConfig', '--skipLibCheck', '--types', '']
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--allowImportingTsExtensions']
    execFileSync(process.execPath, [tsc, ...checking, ...modules, file], { cwd: place })
    return ''
  } catch (cause) {
    return String((cause as { stdout: Buffer }).stdout)
  }
}

test('kubernetes.yaml has only fields that Kubernetes knows', () => {
  const text = read('kubernetes.yaml')
  expect(manifests(text).map(({ kind }) => kind)).toEqual([
    'StatefulSet',
    'Service',
    'PodDisruptionBudget',
    'Ingress',
    'ConfigMap',
  ])
  expect(mistakes(text)).toBe('')
  expect(mistakes(text.replace('volumeClaimTemplates', 'volumeClaimTemplate'))).toContain(
    'volumeClaimTemplate',
  )
  expect(mistakes(text.replace('readOnlyRootFilesystem', 'readonlyRootFilesystem'))).toContain(
    'readonlyRootFilesystem',
  )
  expect(mistakes(text.replace('failureThreshold: 60', 'failureThreshold: sixty'))).toContain(
    "'string' is not assignable to type 'number'",
  )
})

test('both manifests use valid variables of paysim, and give each process its own volume', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, { image: string; environment?: Record<string, string>; volumes: string[] }>
    volumes: object
  }
  const processes = Object.entries(services).filter(([name]) => name.startsWith('paysim-'))
  expect(processes).toHaveLength(3)
  for (const [name, { environment, volumes }] of processes) {
    readEnvironment(environment!)
    expect(volumes).toEqual([`${name}:/data`])
    expect(read('haproxy.cfg')).toContain(`server ${name} ${name}:4100`)
    expect(read('nginx.conf')).toContain(`server ${name}:4100`)
  }
  expect(Object.keys(volumes)).toEqual(processes.map(([name]) => name))
  const [set] = manifests(read('kubernetes.yaml')) as unknown as [
    { spec: { template: { spec: { containers: [{ env: { name: string; value: string }[] }] } } } },
  ]
  const { env } = set.spec.template.spec.containers[0]
  readEnvironment(Object.fromEntries(env.map(({ name, value }) => [name, value])))
})

test('in both environments, the Ingress leads to a port of the pods', () => {
  const [set, service, , ingress] = manifests(read('kubernetes.yaml')) as unknown as [
    { spec: { template: { spec: { containers: [{ ports: { name: string; containerPort: number }[] }] } } } },
    { spec: { ports: { name: string; targetPort: string }[] } },
    unknown,
    { spec: { rules: { host: string; http: { paths: [Backend] } }[] } },
  ]
  const led = ingress.spec.rules.map(({ host, http }) => {
    const { name } = http.paths[0].backend.service.port
    const { targetPort } = service.spec.ports.find((port) => port.name === name)!
    const { ports } = set.spec.template.spec.containers[0]
    return [host, ports.find((port) => port.name === targetPort)!.containerPort]
  })
  expect(led).toEqual([
    ['paysim.example.com', 4100],
    ['paysim-production.example.com', 4101],
  ])
})

test('the Ingress routes by the rule of nginx.conf', () => {
  const rule = (text: string) =>
    [...text.matchAll(/~\^\S+(?= \$)/g)].map(([pattern]) => pattern.replaceAll(/\?<\w+>/g, ''))
  const [ingress] = rule(read('kubernetes.yaml')).slice(0, 1)
  expect(rule(read('nginx.conf'))).toContain(ingress)
  expect(rule(read('kubernetes.yaml'))).toEqual(rule(read('nginx.conf')))
})
