import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isAllowed, licenseTexts, readLock } from './licenses.ts'

/**
 * `npm run licenses [-- --texts]`: lists the production dependencies by license, and fails if a license is not
 * allowed. `--texts` prints the notices for distribution: each package with its license texts.
 */
const root = join(import.meta.dirname, '..')
const packages = readLock(join(root, 'package-lock.json')).filter((entry) => entry.isProduction)

if (process.argv.includes('--texts')) {
  for (const entry of packages) {
    const folder = join(root, entry.folder)
    if (!existsSync(folder)) continue // for another operating system
    const files = readdirSync(folder).filter((file) => statSync(join(folder, file)).isFile())
    console.log(`${'='.repeat(80)}\n${entry.name} ${entry.version} (${entry.license})\n`)
    for (const text of licenseTexts(root, entry, files)) console.log(`${text}\n`)
  }
} else {
  const byLicense = Map.groupBy(packages, (entry) => entry.license)
  for (const [license, entries] of [...byLicense].sort()) {
    const names = new Set(entries.map((entry) => `${entry.name}@${entry.version}`))
    console.log(`${license} (${names.size}): ${[...names].sort().join(', ')}`)
  }
}

const refused = packages.filter((entry) => !isAllowed(entry.license))
for (const entry of refused) console.error(`Not allowed: ${entry.name}@${entry.version} (${entry.license})`)
process.exitCode = refused.length === 0 ? 0 : 1
