import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from './compile.ts'

/** Relative imports of TypeScript modules, which TypeScript leaves in declarations as they are. */
const IMPORT = /((?:from |import\()['"]\.[^'"]+)\.ts(['"])/g

/** Writes a folder that `npm pack` packs: the client as JavaScript with type declarations. */
export async function stageClient(root: string, folder: string, name: string): Promise<void> {
  const source = join(root, 'packages/client')
  const { private: _, devDependencies: __, exports, ...manifest } = readManifest(source)
  await compile(source, folder, Object.values(exports), Object.keys(manifest.dependencies))
  declare(source, join(folder, 'src'))
  const files = Object.entries(exports).map(([path, file]) => {
    const module = file.replace(/\.ts$/, '')
    return [path, { types: `${module}.d.ts`, default: `${module}.js` }] as const
  })
  const released = { ...manifest, name, exports: Object.fromEntries(files) }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(released, null, 2)}\n`)
  const readme = readFileSync(join(source, 'README.md'), 'utf8')
  writeFileSync(join(folder, 'README.md'), readme.replaceAll(String(manifest['name']), name))
}

/** Writes the type declarations of all modules. */
function declare(source: string, outDir: string): void {
  execFileSync(process.execPath, [join(source, 'generate.ts')], { stdio: 'inherit' })
  const tsc = join(source, '../../node_modules/typescript/bin/tsc')
  const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', outDir]
  execFileSync(process.execPath, [tsc, '-p', source, ...options, '--rootDir', join(source, 'src')], {
    stdio: 'inherit',
  })
  for (const path of globSync('**/*.d.ts', { cwd: outDir })) {
    const file = join(outDir, path)
    if (path.endsWith('.test.d.ts')) rmSync(file)
    else writeFileSync(file, readFileSync(file, 'utf8').replace(IMPORT, '$1.js$2'))
  }
}

interface Manifest {
  exports: Record<string, string>
  dependencies: Record<string, string>
  [field: string]: unknown
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
