import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * `npm run clients`: installs the packages of tests/clients, unless they are current. They are installed separately,
 * because only tests need them, and they would be a fifth of everything that a checkout installs.
 */
const folder = join(import.meta.dirname, '../tests/clients')
const stamp = join(folder, 'node_modules/.installed-from')
const lock = createHash('sha256')
  .update(readFileSync(join(folder, 'package-lock.json')))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
  const isWindows = process.platform === 'win32'
  execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit', shell: isWindows })
  writeFileSync(stamp, lock)
}
