import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './stage.ts'

export interface RowResult {
  name: string
  cases: number
  failures: number
  /** Number of broken copies that the row was tested on. */
  breaks: number
}

const FILE = join(ROOT, 'docs/security.md')
const BEGIN = '<!-- attacks: written by npm run test:attacks -- --write-docs -->'
const END = '<!-- /attacks -->'

/** Writes the results of all rows into docs/security.md, between the two marker comments. */
export function writeDocs(results: readonly RowResult[]): void {
  const text = readFileSync(FILE, 'utf8')
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error(`${FILE} has no marks for the table of attacks`)
  const cases = results.reduce((sum, row) => sum + row.cases, 0)
  const failures = results.reduce((sum, row) => sum + row.failures, 0)
  const breaks = results.reduce((sum, row) => sum + row.breaks, 0)
  const rows = [...results, { name: '**all**', cases, failures, breaks }].map(
    (row) => `| ${row.name} | ${row.cases.toLocaleString('en')} | ${row.failures} | ${row.breaks} |`,
  )
  const table = ['| Row | Cases | Failures | Broken copies |', '|---|--:|--:|--:|', ...rows].join('\n')
  writeFileSync(FILE, `${text.slice(0, begin)}${BEGIN}\n\n${table}\n\n${text.slice(end)}`)
}
