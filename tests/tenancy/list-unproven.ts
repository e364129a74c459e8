import { globSync, readFileSync } from 'node:fs'
import { PROVEN_FOLDER } from './proven-folder.ts'
import { tenantTemplates } from './templates.ts'

/*
 * Lists the SQL templates that no test has run, and therefore none has proven, since the last start of the whole
 * suite. Fails if there are any. Run `npm run unproven` after `npm run test:gate`.
 */

const proven = new Set(
  globSync(`${PROVEN_FOLDER}/*.jsonl`).flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as string),
  ),
)
const all = tenantTemplates()
const missing = all.filter(({ name }) => !proven.has(name))
for (const { file, line } of missing) console.error(`${file}:${line} was run by no test`)
console.log(`${all.length - missing.length} of ${all.length} templates are proven`)
process.exitCode = missing.length === 0 && all.length > 0 ? 0 : 1
