import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian, textSource as text } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'
import { page, startWebsite, type Website } from '#tests/support/website.ts'

/** Ingestion while the database fails, and after processes have died during it. */

let server: TestServer
let library: Librarian
let website: Website
beforeAll(async () => {
  server = await startTestServer()
  website = await startWebsite()
  library = librarian(server, await server.signUp())
})
afterAll(async () => {
  await server.stop()
  await website.close()
})

const sql = () => server.server.services.database.sql

test.concurrent('work that an outage of the database interrupted continues afterwards', async () => {
  website.pages['/'] = page('Home')
  const { promise, resolve } = Promise.withResolvers<void>()
  const said: string[] = []
  server.server.services.log.error = ((_about: unknown, words: string) => void said.push(words)) as never
  website.pages['/late'] = (response) => void promise.then(() => response.end(page('Late')))
  const kb = await library.create({
    sources: [{ type: 'web', config: { url: website.at('/late', '127.0.0.1') } }, text('Here')],
  })
  await expect.poll(() => website.asked).toContain('/late')
  await library.call('POST', 'reindex', { kb_id: kb }, {})
  await sql().unsafe(`
    create function be_away() returns trigger language plpgsql as $$
    begin
      if new.kb_id = '${kb}' and new.status <> 'processing' then raise 'the database is away'; end if;
      return new;
    end $$`)
  for (const table of ['kb_documents', 'kb_sources'])
    await sql().unsafe(
      `create trigger away before update on ${table} for each row execute function be_away()`,
    )
  resolve()
  // All attempts to store the result have failed.
  await expect
    .poll(() => said.filter((words) => words === 'the end of a source reading could not be stored'))
    .toHaveLength(5)
  for (const table of ['kb_documents', 'kb_sources']) await sql().unsafe(`drop trigger away on ${table}`)
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { total: 2, ready: 2 } })
  await expectSound(sql(), kb)
})

test.concurrent('work claimed by dead processes is claimed again', async () => {
  const kb = await library.create({ sources: [text('One'), text('Two')] })
  await library.settle(kb)
  website.pages['/dead'] = page('Dead')
  await library.add(kb, 'web', { url: website.at('/dead', '127.0.0.1') })
  await library.settle(kb)
  await sql()`update kb_documents set status = 'processing', claimed_by = ${crypto.randomUUID()} where kb_id = ${kb}`
  await sql()`
    update kb_sources set status = 'reading', claimed_by = ${crypto.randomUUID()}, next_reading_at = now()
    where kb_id = ${kb} and type = 'web'`
  expect(await library.settle(kb)).toMatchObject({ status: 'ready', documents: { total: 3, ready: 3 } })
  await expectSound(sql(), kb)
})

test.concurrent('a document that the database refuses fails; the others become ready', async () => {
  const kb = await library.create()
  await sql().unsafe(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.kb_id = '${kb}' and new.content like '%Poison%' then raise 'no'; end if;
      return new;
    end $$;
    create trigger refuses before insert on kb_chunks for each row execute function refuse()`)
  for (const name of ['One', 'Poison', 'Two']) await library.add(kb, 'text', text(name).config)
  const tried = () => sql()`
    select name from kb_documents where kb_id = ${kb} and (status = 'ready' or failures > 0) order by name`
  await expect.poll(tried).toHaveLength(3)
  await sql()`
    update kb_documents set not_before = null, failures = case name when 'Poison' then 4 else failures end
    where kb_id = ${kb} and status = 'pending'`
  expect(await library.settle(kb)).toMatchObject({ status: 'partial', documents: { ready: 2, failed: 1 } })
  const { body } = await library.call('GET', 'list_documents', { kb_id: kb, search: 'Poison' })
  expect(body.documents[0].error).toContain('Something went wrong')
  await expectSound(sql(), kb)
})
