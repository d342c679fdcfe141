import { rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defineConfig } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import manifest from './package.json' with { type: 'json' }
import project from './tsconfig.json' with { type: 'json' }
import { withWrittenTypes } from './written-types.ts'

/**
 * Rolls the declarations that tsc has written up to one file for each entry of package.json, and what several of them need
 * to files that they share. What they need of zod and hono comes along, so a user's compiler needs neither package.
 */
const { outDir } = project.compilerOptions
const emitted = join(import.meta.dirname, outDir, 'src')
const names = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry.import.types.match(/([\w-]+)\.d\.ts$/)![1]!],
)

export default defineConfig({
  input: Object.fromEntries(names.map((name) => [name, join(emitted, `${name}.d.ts`)])),
  external: [...Object.keys(manifest.peerDependenciesMeta), /^node:/],
  output: { dir: join(outDir, 'rolled-up'), chunkFileNames: 'shared-[name].d.ts' },
  checks: { pluginTimings: false },
  plugins: [
    { name: 'write out types', transform: (text, id) => withWrittenTypes(text, relative(emitted, id)) },
    dts({ dtsInput: true, emitDtsOnly: true, resolver: 'oxc' }),
    // The roll-up puts a property's comment at the end of the line before, where no compiler or editor looks for it.
    {
      name: 'comments above what they describe',
      renderChunk: (code) => code.replaceAll(/(?<=[;{]) +(?=\/\*\*)/g, '\n'),
    },
    // zod writes `@ts-expect-error` on the line before such a type; the roll-up puts it on the type's own line, too
    // late.
    {
      name: 'state variance unchecked',
      renderChunk: (code) => code.replaceAll(/^(?=.*\/\*\* @ts-ignore)/gm, '// @ts-ignore\n'),
    },
    // Without an import of the module that it adds to, the compiler ignores `declare module 'vitest'`.
    {
      name: 'import what is declared further',
      renderChunk: (code) =>
        code.replace(/^(?=[\s\S]*^declare module ('[\w-]+'))/m, (_, module) => `import ${module};\n`),
    },
    // The code is CommonJS, and so are its declarations: by the ending .cts a compiler knows it. An ES module passes on their names.
    {
      name: 'declarations of CommonJS',
      writeBundle(_, files) {
        for (const file of Object.values(files)) {
          if (file.type !== 'chunk') continue
          const isModule = file.name === 'vitest'
          const folder = isModule ? './cjs/' : './'
          const code = file.code.replaceAll(/(?<=from ['"])\.\/([\w.-]+\.)js(?=['"])/g, `${folder}$1cjs`)
          if (isModule) writeFileSync('dist/vitest.d.ts', code)
          else writeFileSync(join('dist/cjs', file.fileName.replace(/ts$/, 'cts')), code)
          if (file.isEntry && !isModule)
            writeFileSync(join('dist', file.fileName), `export * from './cjs/${file.name}.cjs'\n`)
        }
      },
    },
    {
      name: 'remove what was rolled up',
      closeBundle: () => rmSync(outDir, { recursive: true, force: true }),
    },
  ],
})
