import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { applyEdit } from './broken-copy.ts'
import { ROWS } from './rows.ts'
import { ROOT } from './stage.ts'

/**
 * Only tests that the edits apply. `npm run test:attacks -- --prove` tests that each row fails on its broken copies.
 */
test.each(ROWS.map((row) => [row.name, row] as const))(
  'the breaks of %s apply to the source',
  (_name, row) => {
    expect(row.brokenBy.length).toBeGreaterThan(0)
    for (const edit of row.brokenBy.flatMap(({ edits }) => edits)) {
      const source = readFileSync(join(ROOT, edit.file), 'utf8')
      expect(applyEdit(source, edit)).not.toBe(source)
    }
  },
)
