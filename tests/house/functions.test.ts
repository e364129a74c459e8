import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/** Checks that server/database/functions equals the functions that the migrations create. */

const FOLDER = 'server/database/functions'
let server: TestServer

beforeAll(async () => {
  server = await sharedTestServer()
})
afterAll(() => server.stop())

test('each function of the database has a file that also contains its triggers', async () => {
  const functions = await server.server.services.database.sql<
    { name: string; definition: string; triggers: string[] }[]
  >`
    select p.proname as name, pg_get_functiondef(p.oid) as definition,
      array(select pg_get_triggerdef(t.oid, true) from pg_trigger t
        where t.tgfoid = p.oid and not t.tgisinternal order by t.tgname) as triggers
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`
  const inDatabase = functions.map(({ name, definition, triggers }): [string, string] => [
    name,
    `${[definition.trimEnd(), ...triggers].join(';\n\n')};\n`,
  ])
  expect(filesOf(FOLDER)).toEqual(Object.fromEntries(inDatabase))
})

/** Returns the file texts by name, without the comment at the beginning of each. */
const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    globSync(`${folder}/*.sql`).map((file) => [
      basename(file, '.sql'),
      readFileSync(file, 'utf8').replace(/^(--.*\n)+/, ''),
    ]),
  )
