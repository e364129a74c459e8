import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { destructiveStatements } from '#tests/support/migration-faults.ts'

/*
 * Checks that migrations only expand the schema, so that the previous release runs on it (docs/releases.md). A statement
 * that removes something must name the release that stopped using it.
 */

/** The number of migrations of release 0.1.0. No earlier release exists, so these need not be compatible. */
const MIGRATIONS_AT_0_1_0 = 39

const MIGRATIONS = globSync('server/database/migrations/*.sql').sort()
const RELEASED = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(
  ([, version = '']) => version,
)

test('migrations after release 0.1.0 remove nothing that the previous release uses', () => {
  expect(MIGRATIONS.length).toBeGreaterThanOrEqual(MIGRATIONS_AT_0_1_0)
  const faults = MIGRATIONS.slice(MIGRATIONS_AT_0_1_0).flatMap((file) =>
    destructiveStatements(readFileSync(file, 'utf8'), RELEASED).map((fault) => `${file}: ${fault}`),
  )
  expect(faults).toEqual([])
})

test.each([
  ['ALTER TABLE a DROP COLUMN b', 'drops column a.b'],
  ['DROP TABLE a', 'drops table'],
  ['DROP FUNCTION a()', 'drops function'],
  ['ALTER TABLE a RENAME TO b', 'renames to b'],
  ['ALTER TABLE a RENAME COLUMN b TO c', 'renames to c'],
  ["ALTER TYPE a RENAME VALUE 'b' TO 'c'", 'renames the value b'],
  ['ALTER TABLE a ALTER COLUMN b SET DATA TYPE bigint', 'changes the type of a.b'],
  ['ALTER TABLE a ALTER COLUMN b SET NOT NULL', 'sets a.b not null without a default'],
  ['ALTER TABLE a ADD COLUMN b text NOT NULL', 'adds a.b not null without a default'],
  ['ALTER TABLE a ALTER COLUMN b DROP DEFAULT', 'drops the default of a.b'],
  ['TRUNCATE a', 'truncates a table'],
  ['-- contract: unused since 9.9.9\nDROP TABLE a', 'drops table: 9.9.9 is not a released version'],
  ['-- contract: unused since 0.1.0\nDROP TABLE a;\nDROP TABLE b', 'drops table'],
])('refuses %s', (statement, fault) => {
  expect(destructiveStatements(statement, ['0.1.0'])).toEqual([fault])
})

test.each([
  'ALTER TABLE a ADD COLUMN b text',
  "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT ''",
  'ALTER TABLE a ALTER COLUMN b SET DEFAULT 1;--> statement-breakpoint\nALTER TABLE a ALTER COLUMN b SET NOT NULL',
  'CREATE TABLE a (b text NOT NULL);--> statement-breakpoint\nALTER TABLE a ADD COLUMN c text NOT NULL',
  'DROP INDEX a',
  '-- The table of § 3.\n-- contract: unused since 0.1.0\nDROP TABLE a',
])('accepts %s', (statement) => {
  expect(destructiveStatements(statement, ['0.1.0'])).toEqual([])
})
