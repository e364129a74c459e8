import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connectDatabase } from '#database/connect.ts'
import { DATABASE_FOLDER } from '#database/embedded.ts'
import { packTemplate } from '#database/template.ts'
import { buildWidget } from '../../widget/build.ts'
import { compile } from './compile.ts'

/** Files that are compiled, or that only developers read. All others are read at run time: migrations, pages, seeds. */
const NOT_READ = /\.(?:ts|tsx)$|README\.md$|\/meta\/\d+_snapshot\.json$/
const IN_SANDBOX = /^server\/platform\/sandbox\/inside\//

/**
 * Packages that are installed beside the server, because they contain programs or files that are found by path. All
 * others are compiled into the server: of 290 MB of packages it uses 20.
 */
const SEPARATE = ['@electric-sql/pglite', '@electric-sql/pglite-pgvector', 'file-type']

interface Manifest {
  name?: string
  version: string
  description: string
  license: string
  type: string
  engines: Record<string, string>
  bin: Record<string, string>
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

/**
 * Writes a folder that `npm pack` packs: the server as JavaScript, and the console and the widget as built. The
 * packages that npm installs with it, also indirect ones, have the versions of this checkout's package-lock.json.
 */
export async function stageServer(root: string, folder: string, name: string): Promise<void> {
  const { dependencies, optionalDependencies, ...manifest } = readManifest(root)
  await compile(root, folder, ['server/cli.ts'], [...SEPARATE, ...Object.keys(optionalDependencies)])
  for (const path of globSync('server/**/*.*', { cwd: root }))
    if (!NOT_READ.test(path) || IN_SANDBOX.test(path)) copy(path, root, folder)
  copy('README.md', root, folder)
  await writeTemplate(join(folder, 'server/database/template.zst'))
  requireStartedPrograms(folder)
  execFileSync(process.execPath, [join(root, 'console/build.ts')], { stdio: 'inherit' })
  copy('console/dist', root, folder)
  mkdirSync(join(folder, 'widget'), { recursive: true })
  writeFileSync(join(folder, 'widget/built.json'), JSON.stringify(await buildWidget()))
  writeManifest(root, folder, {
    ...{ ...manifest, name },
    dependencies: Object.fromEntries(SEPARATE.map((one) => [one, dependencies[one] ?? ''])),
    optionalDependencies,
  })
}

/** Writes the template of the embedded database, so that a first start creates no database. */
async function writeTemplate(file: string): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-template-'))
  const database = await connectDatabase({ databaseUrl: null, dataDir })
  await database.close()
  packTemplate(join(dataDir, DATABASE_FOLDER), file)
  rmSync(dataDir, { recursive: true })
}

function copy(path: string, from: string, to: string): void {
  mkdirSync(dirname(join(to, path)), { recursive: true })
  cpSync(join(from, path), join(to, path), { recursive: true })
}

/** Throws an Error if a module reads or starts a file that is not in the folder. */
function requireStartedPrograms(folder: string): void {
  for (const path of globSync('server/**/*.js', { cwd: folder })) {
    const code = readFileSync(join(folder, path), 'utf8')
    for (const [, target = ''] of code.matchAll(/new URL\("(\.[^"]+)", import\.meta\.url\)/g))
      if (!existsSync(join(folder, dirname(path), target)))
        throw new Error(`${path} needs ${target}, which the release does not contain`)
  }
}

/** Writes package.json, and the lockfile that npm reads from a package. */
function writeManifest(root: string, folder: string, manifest: Manifest): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copy('package-lock.json', root, folder)
  copy('.npmrc', root, folder)
  execFileSync('npm', ['install', '--package-lock-only', '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  })
  renameSync(join(folder, 'package-lock.json'), join(folder, 'npm-shrinkwrap.json'))
}

function readManifest(root: string): Manifest {
  const { version, description, license, type, engines, bin, dependencies, optionalDependencies } =
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return { version, description, license, type, engines, bin, dependencies, optionalDependencies }
}
