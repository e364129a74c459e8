import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
/** Folders whose packages tests use as clients. */
const FOLDERS = ['tests/clients', 'tests/more-clients', '.']

/** Returns the row that a client must have in the table of docs/clients.md, with the version that the tests install. */
export const rowOf = (name: string, api: string, features: readonly unknown[]): string =>
  `| ${name} | ${versionOf(name)} | ${api} | ${features.filter(Boolean).join(', ')} |`

/** Returns a client's row in docs/clients.md. */
export const documentedRow = (name: string): string | undefined =>
  readFileSync(join(ROOT, 'docs/clients.md'), 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${name} | `))

function versionOf(name: string): string | undefined {
  for (const folder of FOLDERS) {
    const { dependencies, devDependencies } = JSON.parse(
      readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
    )
    const version = { ...devDependencies, ...dependencies }[name]
    if (version !== undefined) return version
  }
  return undefined
}
