import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findLostUpdates, jsonColumnsOf } from '../../scripts/check-sql/lost-updates.ts'
import { readStatements } from '../../scripts/check-sql/read-statements.ts'

/** Tests that `npm run sql` finds statements that may undo a change of another transaction. */

const FILE = 'tests/fixtures/lost-updates.ts'
const LOST: Record<string, string> = {
  backThroughConstants: 'writes back a value of llm_models that was read without a lock',
  backThroughHelper: 'writes back a value of llm_models that was read without a lock',
  backThroughCallback: 'writes back a value of chats that was read without a lock',
  wholeValue: 'replaces chats.settings without a lock on the row',
  wholeValueOfModel: 'replaces llm_models.config without a lock on the row',
}

test('finds each lost update and no others', () => {
  const schema = globSync('server/database/schema/*.ts').map((file) => readFileSync(file, 'utf8'))
  const program = readStatements([FILE], 'tsconfig.json')
  const lines = readFileSync(FILE, 'utf8').split('\n')
  const nameAt = (line: number): string =>
    lines
      .slice(0, line)
      .findLast((text) => text.startsWith('export async function'))
      ?.match(/function (\w+)/)?.[1] ?? ''
  const found = findLostUpdates(program, jsonColumnsOf(schema)).map(({ place, sentence }) => [
    nameAt(Number(place.split(':').at(-1))),
    sentence,
  ])
  expect(Object.fromEntries(found)).toEqual(LOST)
})
