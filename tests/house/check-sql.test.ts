import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { needs } from '#tests/support/programs.ts'
import { createDatabase } from '#tests/support/server.ts'
import { checkStatements } from '../../scripts/check-sql/check.ts'
import { readStatements } from '../../scripts/check-sql/read-statements.ts'

/** Tests `npm run sql`: statements that don't match the schema are found without running them. */

const FILE = join(import.meta.dirname, '../fixtures/statements.ts')
/** The error of each invalid statement. */
const WRONG: Record<string, string> = {
  wrongColumn: 'column "titel" does not exist (at: titel = \'\')',
  wrongColumnInFragment: 'column "nmae" does not exist (at: nmae = $1)',
  wrongColumnInChoice: 'column "age" does not exist (at: age)',
  nullTypedAsPresent: 'folder may be null, but its type is string',
  nullByOuterJoin: 'message_id may be null, but its type is string',
  nullByAggregate: 'newest may be null, but its type is string',
  nullByWriting: 'folder may be null, but its type is string',
  nullBySubquery: 'title may be null, but its type is string',
  nullByUnion: 'folder may be null, but its type is string',
  wrongType: 'chats is string, but its type is number',
  missingColumn: "the row type has title, but the statement doesn't return it",
  noRowType: 'has no row type, but returns id',
  unreadTable: 'table is not a string literal',
}

/** Errors by the name of the statement. */
const found = new Map<string, string[]>()

beforeAll(async () => {
  const database = await createDatabase()
  const program = readStatements([FILE], 'tsconfig.json')
  const problems = database ? await checkStatements(program, database.url) : []
  await database?.drop()
  const unread = program.unread.map(({ place, reason }) => ({ place, sentence: reason }))
  for (const { place, sentence } of [...unread, ...problems]) {
    const name = nameAt(Number(place.split(':').at(-1)))
    found.set(name, [...(found.get(name) ?? []), sentence])
  }
})

test('finds each invalid statement and no others', needs('PostgreSQL'), () => {
  const wanted = Object.entries(WRONG).map(([name, sentence]): [string, string[]] => [name, [sentence]])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
})

const lines = readFileSync(FILE, 'utf8').split('\n')

/** Returns the name of the statement whose template is on this line. */
const nameAt = (line: number): string =>
  lines
    .slice(0, line)
    .findLast((text) => text.startsWith('export const'))
    ?.split(' ')[2] ?? ''
