import { chmodSync, writeFileSync } from 'node:fs'
import { defineConfig, type OutputChunk } from 'rolldown'
import { minifySync } from 'rolldown/utils'
import manifest from './package.json' with { type: 'json' }
import { SANDBOX_ADDRESSES, SIMULATOR_ADDRESSES } from './src/tester/control/addresses.ts'
import { textImports } from './text-imports.ts'

/**
 * package.json alone says what the package offers. The code is CommonJS, in dist/cjs: a test runner that compiles `import()` to
 * `require` needs it, it starts faster than ES modules, and a part of it can be loaded by a synchronous call. Each file of dist that
 * package.json names passes on the exports of the one there, made of src/NAME.ts.
 */
const nameOf = (file: string) => file.match(/(\w[\w-]*)\.c?js$/)![1]!
const entries = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry !== 'string' && 'require' in entry ? [nameOf(entry.import.default)] : [],
)

/** Vitest itself is an ES module, and so is what imports it; the rest of `paysim/vitest` is this file. */
const PARTS_OF_TESTS = 'tools/in-tests/parts'

const inputOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name.split('/').at(-1)!, `src/${name}.ts`]))

/** A client loads where a verb is, and neither zod nor the server, which its row needs: 15 MB and 175 ms. */
const addressesAsJson = {
  name: 'addresses as JSON',
  load: (id: string) =>
    id.replaceAll('\\', '/').endsWith('/src/tester/control/addresses.ts')
      ? Object.entries({ SANDBOX_ADDRESSES, SIMULATOR_ADDRESSES })
          .map(([name, verbs]) => `export const ${name} = ${JSON.stringify(verbs)}\n`)
          .join('')
      : null,
}

/** Drops the 120 kB JSON Schema validator of the MCP SDK: paysim validates the arguments of its tools itself. */
const mcpWithoutValidator = {
  name: 'MCP without a validator',
  load: (id: string) =>
    id.replaceAll('\\', '/').endsWith('@modelcontextprotocol/server/dist/shimsNode.mjs')
      ? "export { default as process } from 'node:process'\nexport class DefaultJsonSchemaValidator {}"
      : null,
}

const shared = {
  platform: 'node' as const,
  transform: { target: 'node20.19' },
  // What is written in JavaScript goes into the bundle: loaded as hundreds of small files it takes half as long again
  // to start. What stays outside is native, or is the caller's own and has to be the same copy.
  external: ['vitest', 'testcontainers'],
  // No warning where one program imports a file at once and another by import(): it is a chunk of its own, so `paysim start` still
  // loads it only when it is asked for.
  checks: { ineffectiveDynamicImport: false },
}

// Names and line ends stay, so that a stack trace in a bug report can be read. It starts as fast, and is a third
// larger.
const minify = { compress: true, mangle: false, codegen: { removeWhitespace: false } } as const
/** Only licenses; they are in the source. */
const comments = { legal: true, annotation: false, jsdoc: false } as const

/**
 * Each chunk has these files and all that they import, without what is in a chunk above it. Otherwise a start loads 63 files, most
 * of them small: it takes 12 % more CPU time, and an import of `paysim` 27 % more. The first two are all that `paysim health` needs.
 */
const CHUNKS = {
  client: ['src/control-client.ts'],
  basics: [
    'src/spec/node-http.ts',
    'src/spec/package.ts',
    'src/tools/commands/terminal.ts',
    'src/service/webhooks/sign.ts',
    'src/spec/contract/connection-error.ts',
  ],
  zod: ['node_modules/zod/'],
  hono: ['node_modules/hono/'],
  adapter: ['node_modules/@hono/'],
  mcp: ['node_modules/@modelcontextprotocol/server/'],
  options: [
    'src/spec/options/simulator.ts',
    'src/tools/options/output-files.ts',
    // The server reads its table when it loads; without this line it would load all of `behaviors` for it.
    'src/spec/contract/connection-fault.ts',
  ],
  requests: ['src/sandbox/scenario-file/requests.ts', 'src/spec/contract/resources/by-tester.ts'],
  behaviors: ['src/sandbox/scenario-file/read-behaviors.ts'],
  server: ['src/server/simulator/server.ts'],
}
const groups = Object.entries(CHUNKS).map(([name, files]) => ({
  name,
  test: (id: string) => files.some((file) => id.replaceAll('\\', '/').includes(`/${file}`)),
}))

type OutputFiles = Record<string, OutputChunk | { type: 'asset' }>
const isOfPackage = (id: string) => /node_modules|^\0/.test(id)

/** Nobody reads a stack trace of it, and a third of its size remains. */
const minifyPackages = {
  name: 'minify packages',
  generateBundle(_: unknown, files: OutputFiles) {
    for (const file of Object.values(files))
      if (file.type === 'chunk' && file.moduleIds.every(isOfPackage))
        file.code = minifySync(file.fileName, file.code, { compress: true, mangle: true }).code
  },
}

/** A chunk loads another one where it first uses it, as a test file that creates no simulator needs no server. */
const loadAtFirstUse = {
  name: 'load at first use',
  renderChunk(code: string) {
    const names: string[] = []
    const declared = code.replaceAll(
      /(?:^const |, )require_(\w+) = (require\("\.\/[^"]+"\))(?=[,;]);?/gm,
      (_, name, load) => {
        names.push(name)
        return `let loaded_${name};\nconst load_${name} = () => loaded_${name} ??= ${load};\n`
      },
    )
    const used = new RegExp(`\\brequire_(${names.join('|')})\\b(?=[.,)])`, 'g')
    return names.length === 0 ? null : declared.replaceAll(used, '(load_$1())')
  },
}

const command = nameOf(manifest.bin.paysim)

/** The files that package.json names. */
const entryFiles = {
  name: 'entry files',
  writeBundle(_: unknown, files: OutputFiles) {
    for (const file of Object.values(files)) {
      if (file.type !== 'chunk' || !entries.includes(file.name)) continue
      const names = `{ ${file.exports.join(', ')} }`
      const from = `./cjs/${file.fileName}`
      writeFileSync(`dist/${file.name}.js`, `import paysim from '${from}'\nexport const ${names} = paysim\n`)
    }
    // Node 22 and later keep the compiled code in the system's temporary folder: a start takes 10 % less CPU time.
    writeFileSync(
      manifest.bin.paysim,
      `#!/usr/bin/env node
import module from 'node:module'
module.enableCompileCache?.()
await module.createRequire(import.meta.url)('./cjs/${command}.cjs').main()
`,
    )
    chmodSync(manifest.bin.paysim, 0o755)
  },
}

export default defineConfig([
  {
    ...shared,
    input: inputOf(['vitest']),
    makeAbsoluteExternalsRelative: false,
    output: { dir: 'dist', cleanDir: true, minify, comments },
    plugins: [
      {
        name: 'parts of tests',
        transform: (code: string) =>
          code.replace("import * as paysim from './parts.ts'", "import paysim from './cjs/parts.cjs'"),
      },
    ],
    external: [...shared.external, './cjs/parts.cjs'],
  },
  {
    ...shared,
    input: inputOf([...entries, command, PARTS_OF_TESTS]),
    output: {
      dir: 'dist/cjs',
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      minify,
      comments,
      codeSplitting: { groups },
    },
    plugins: [textImports, addressesAsJson, mcpWithoutValidator, loadAtFirstUse, minifyPackages, entryFiles],
  },
])
