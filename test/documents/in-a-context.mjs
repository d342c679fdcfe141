/**
 * Runs a CommonJS test file as jest does: in its own context, in which `import()` also links modules. Object, Error and Promise
 * therefore exist twice, and modules of Node and native addons come from outside.
 * `node --experimental-vm-modules --experimental-import-meta-resolve in-a-context.mjs FILE`
 */
import { readFileSync } from 'node:fs'
import { createRequire, isBuiltin } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import vm from 'node:vm'

const file = resolve(process.argv[2])
const tests = []
const language = new Set(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)'))
const ofNode = Object.getOwnPropertyNames(globalThis).filter((name) => !language.has(name))
const context = vm.createContext({ it: (...test) => tests.push(test), Uint8Array, ArrayBuffer })
for (const name of ofNode) Object.defineProperty(context, name, { get: () => globalThis[name] })

const modules = new Map()

async function moduleFor(specifier, from) {
  const found = isBuiltin(specifier) ? specifier : import.meta.resolve(specifier, from)
  if (!modules.has(found)) modules.set(found, isBuiltin(found) ? await outside(found) : inside(found))
  return modules.get(found)
}

const commonJs = new Map()

function required(url) {
  if (!commonJs.has(url)) {
    const module = { exports: {} }
    commonJs.set(url, module)
    const path = fileURLToPath(url)
    const require = createRequire(url)
    const load = (name) =>
      name.endsWith('.cjs') ? required(pathToFileURL(require.resolve(name)).href) : require(name)
    const parameters = ['require', 'module', 'exports', '__filename', '__dirname']
    const run = vm.compileFunction(readFileSync(path, 'utf8'), parameters, { parsingContext: context })
    run(load, module, module.exports, path, dirname(path))
  }
  return commonJs.get(url).exports
}

async function outside(name) {
  const exported = await import(name)
  return new vm.SyntheticModule(
    Object.keys(exported),
    function () {
      for (const [key, value] of Object.entries(exported)) this.setExport(key, value)
    },
    { context },
  )
}

function inside(url) {
  if (url.endsWith('.cjs')) {
    const evaluate = function () {
      this.setExport('default', required(url))
    }
    return new vm.SyntheticModule(['default'], evaluate, { context })
  }
  return new vm.SourceTextModule(readFileSync(new URL(url), 'utf8'), {
    context,
    identifier: url,
    initializeImportMeta(meta) {
      meta.url = url
    },
    importModuleDynamically: (specifier) => evaluated(specifier, url),
  })
}

async function evaluated(specifier, from) {
  const module = await moduleFor(specifier, from)
  if (module.status === 'unlinked') await module.link((name, { identifier }) => moduleFor(name, identifier))
  await module.evaluate()
  return module
}

const url = pathToFileURL(file).href
const body = vm.compileFunction(readFileSync(file, 'utf8'), ['require', 'module'], {
  parsingContext: context,
  importModuleDynamically: (specifier) => evaluated(specifier, url),
})
body(createRequire(url), { exports: {} })
for (const [index, [name, run]] of tests.entries()) {
  await run()
  console.log(`ok ${index + 1} ${name}`)
}
