import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { stageClient } from './release/stage-client.ts'
import { stageServer } from './release/stage-server.ts'

/*
 * `npm run release`: compiles Parley and its client to JavaScript, and packs each into a file of `release/` that npm
 * installs: `npx ./release/parley-server-0.1.0.tgz start`. Prints the size of each file.
 */

/** The names on npm. `parley` belongs to another project. */
const NAMES = { server: 'parley-server', client: 'parley-client' }

const root = join(import.meta.dirname, '..')
const stage = join(root, '.cache/release')
const output = join(root, 'release')

rmSync(stage, { recursive: true, force: true })
rmSync(output, { recursive: true, force: true })
mkdirSync(output)
await stageServer(root, join(stage, 'server'), NAMES.server)
await stageClient(root, join(stage, 'client'), NAMES.client)
for (const name of ['server', 'client']) {
  const folder = join(stage, name)
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const isWindows = process.platform === 'win32'
  execFileSync('npm', ['pack', '--silent', '--pack-destination', output], { cwd: folder, shell: isWindows })
}
for (const file of readdirSync(output))
  console.log(`release/${file}: ${(statSync(join(output, file)).size / 1e6).toFixed(1)} MB`)
