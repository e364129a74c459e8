import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAudited, isExported, type OwnedTable } from '#platform/tables/owned-tables.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Checks that the owner of each table with rows of organizations declares how it is audited, exported and erased. */

let server: TestServer
let tables: [string, OwnedTable][]

beforeAll(async () => {
  server = await sharedTestServer()
  tables = Object.entries(server.server.services.tables)
})
afterAll(() => server.stop())

test('each table with rows of organizations has an owner that declares it', async () => {
  const rows = await server.server.services.database.sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`
  expect(tables.map(([name]) => name).toSorted()).toEqual(rows.map(({ name }) => name).toSorted())
})

test('tables that are erased with their organization have cascading foreign keys', async () => {
  const keys = await server.server.services.database.sql<{ name: string; target: string }[]>`
    select conrelid::regclass::text as name, confrelid::regclass::text as target
    from pg_constraint where contype = 'f' and confdeltype = 'c'`
  const gone = new Set(['organizations'])
  for (let size = 0; size < gone.size; ) {
    size = gone.size
    for (const { name, target } of keys) if (gone.has(target)) gone.add(name)
  }
  const claimed = tables.filter(([, { erasure }]) => erasure === 'cascade' || 'inPiecesBy' in erasure)
  expect(claimed.map(([name]) => name).filter((name) => !gone.has(name))).toEqual([])
})

test('no export contains a column that the audit hides', () => {
  const shown = tables.flatMap(([name, owned]) => {
    const exported = isExported(owned) ? owned.export.columns.split(/\s+/) : []
    const secrets = isAudited(owned) ? owned.audit.secrets : []
    return secrets.filter((secret) => exported.includes(secret)).map((secret) => `${name}.${secret}`)
  })
  expect(shown).toEqual([])
})

test('a table exported within another one names an exported table', () => {
  const exported = new Set(tables.filter(([, owned]) => isExported(owned)).map(([name]) => name))
  const within = tables.flatMap(([, owned]) => {
    const rule = owned.export
    const target = 'within' in rule && rule.within
    return target ? [typeof target === 'string' ? target : target.table] : []
  })
  expect(within.filter((name) => !exported.has(name))).toEqual([])
})

test('no two tables share an export name, or a kind that leads to their organization', () => {
  const names = tables.flatMap(([, owned]) => (isExported(owned) ? [owned.export.name] : []))
  const kinds = tables.flatMap(([, { resource }]) => (resource ? [resource.kind] : []))
  expect([new Set(names).size, new Set(kinds).size]).toEqual([names.length, kinds.length])
})
