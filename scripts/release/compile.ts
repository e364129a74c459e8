import { join, normalize, relative, sep } from 'node:path'
import { build } from 'rolldown'

/** The path of a program that Node starts, such as a worker thread. No import leads to it. */
const PROGRAM = /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g
/** A package that is loaded as CommonJS, because it has many modules. Here, it becomes one file in any case. */
const REQUIRED = /^const (\w+): typeof import\('([^']+)'\) = require\('\2'\)$/gm

/**
 * Compiles TypeScript modules and everything that they import or start to JavaScript: one file for each module of this
 * project in the same folders below `outDir`, with its source map, and one for each package in `vendor`.
 *
 * @param entries paths of modules, relative to `root`
 * @param separate names of packages that stay packages
 */
export async function compile(
  root: string,
  outDir: string,
  entries: string[],
  separate: string[],
): Promise<void> {
  const programs = new Set(entries.map((path) => join(root, path)))
  await build({
    cwd: root,
    input: Object.fromEntries(entries.map((path) => [withoutExtension(normalize(path)), path])),
    platform: 'node',
    tsconfig: false,
    checks: { eval: false },
    preserveEntrySignatures: 'allow-extension',
    external: (id) => separate.includes(packageOf(id)),
    plugins: [
      {
        name: 'required-packages',
        transform: (code, id) =>
          id.includes('node_modules') || !code.includes('= require(')
            ? null
            : { code: code.replace(REQUIRED, "import * as $1 from '$2'"), map: null },
      },
      {
        name: 'programs',
        async transform(code, id) {
          const started = id.includes('node_modules') ? [] : [...code.matchAll(PROGRAM)]
          if (started.length === 0) return null
          for (const [, path = ''] of started) {
            const program = (await this.resolve(`${path}.ts`, id))?.id ?? path
            programs.add(program)
            this.emitFile({ type: 'chunk', id: program, name: fileOf(program) })
          }
          return { code: code.replace(PROGRAM, "new URL('$1.js', import.meta.url)"), map: null }
        },
        generateBundle(_options, bundle) {
          for (const file of Object.keys(bundle)) if (/^vendor\/.*\.map$/.test(file)) delete bundle[file]
        },
      },
    ],
    output: {
      dir: outDir,
      format: 'esm',
      sourcemap: true,
      comments: false,
      entryFileNames: '[name].js',
      // For each module that is imported on demand, Rolldown adds a small file that re-exports the module. The name of
      // this file has no folder.
      chunkFileNames: ({ name }) => (name.includes('/') ? '[name].js' : 'on-demand/[name].js'),
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ debugName: 'files', name: (id) => (programs.has(id) ? null : fileOf(id)) }],
      },
    },
  })

  /** Returns the path of the file that a module becomes part of, without its extension. */
  function fileOf(id: string): string {
    const inPackage = id.split(/[/\\]node_modules[/\\]/).at(-1)
    if (inPackage !== undefined && inPackage !== id) return `vendor/${packageOf(inPackage).replace('/', '-')}`
    return withoutExtension(relative(root, id).replaceAll(sep, '/'))
  }
}

const withoutExtension = (path: string): string => path.replace(/\.tsx?$/, '')

/** Returns `@scope/name` or `name` of an import such as `@scope/name/file`. */
const packageOf = (id: string): string => id.split(/[/\\]/, id.startsWith('@') ? 2 : 1).join('/')
