import { expect, test } from 'vitest'
import { createDatabase } from '#tests/support/server.ts'
import type { Row } from './row.ts'
import { ROOT, startStage } from './stage.ts'

/** A server process starts first, and the machine may be busy. */
const TIMEOUT_MS = 120_000

/** Runs the part of a row that belongs to each commit; another seed is another part. */
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
