import { expect, test } from 'vitest'
import { createDatabase } from '#tests/support/server.ts'
import type { Row } from './row.ts'
import { ROOT, startStage } from './stage.ts'

/** Timeout of a row. The test starts a server process, and the machine may be busy. */
const TIMEOUT_MS = 120_000

/** Tests the cases of a row that run per commit. The seed selects the cases. */
export function testRow(row: Row, seed = 1): void {
  test(
    `${row.name}: no attack succeeds`,
    async () => {
      const stage = await startStage({ root: ROOT, createDatabase })
      try {
        const { cases, failures } = await row.run(stage, { seed, cases: row.cases.commit })
        expect(failures).toEqual([])
        expect(cases).toBeGreaterThan(0)
      } finally {
        await stage.stop()
      }
    },
    TIMEOUT_MS,
  )
}
