import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { importArchive } from '#tests/support/archives.ts'
import type { Person } from '#tests/support/client.ts'
import { makeZip, type ZipPart } from '#tests/support/hostile-files.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * Archives that are invalid, incomplete or malicious: each is refused with an error sentence and leaves nothing
 * behind.
 */

let server: TestServer
let person: Person
let untouched: string
beforeAll(async () => {
  server = await startTestServer()
  person = await server.signUp()
  untouched = await countRows()
})
afterAll(() => server.stop())

const [formerUser, modelId, chatId, fileId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
const moment = '2026-01-31T12:00:00.000Z'
const times = { created_at: moment, updated_at: moment }
const role = (name: string, more: object = {}) => ({
  id: randomUUID(),
  name,
  description: '',
  hierarchy_level: 5,
  is_system_role: false,
  permissions: ['chats:read'],
  ...times,
  ...more,
})
const model = {
  id: modelId,
  name: 'M',
  provider: 'demo',
  version: 'parley-demo',
  is_active: true,
  config: {},
  ...times,
}
const chat = (more: object = {}) => ({
  id: chatId,
  user_id: formerUser,
  title: 'T',
  status: 'ACTIVE',
  settings: {},
  is_conversation: false,
  pinned: false,
  folder: null,
  model_id: null,
  agent_id: null,
  deployment_id: null,
  leaf_message_id: null,
  last_message_at: null,
  ...times,
  ...more,
})
const file = (size: number) => ({
  id: fileId,
  user_id: formerUser,
  chat_id: null,
  source: 'user',
  filename: 'note.txt',
  size,
})

/** Returns the parts of an export: rows by concept, further parts, and changes of the manifest. */
function partsOf(
  rows: Record<string, object[] | string>,
  more: ZipPart[] = [],
  manifest: Record<string, unknown> = {},
): ZipPart[] {
  const all = { members: [{ user_id: formerUser, email: person.email }], ...rows }
  const lines = Object.entries(all).map(([concept, some]) => ({
    name: `${concept}.jsonl`,
    content: typeof some === 'string' ? some : some.map((row) => `${JSON.stringify(row)}\n`).join(''),
  }))
  const counts = Object.fromEntries(
    lines.map(({ name, content }) => [name.slice(0, -'.jsonl'.length), content.split('\n').length - 1]),
  )
  const said = {
    format: 'parley-export',
    version: 1,
    organization: { id: randomUUID(), name: `Imported ${randomUUID()}` },
    counts,
    ...manifest,
  }
  return [...lines, ...more, { name: 'manifest.json', content: JSON.stringify(said) }]
}

/** Counts the rows of each table, except tables that change without an import. */
async function countRows(): Promise<string> {
  const { sql } = server.server.services.database
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' 
      and table_name not in ('server_instances', 'chat_words_walk', 'mcp_servers') order by 1`
  const counts: string[] = []
  for (const { name } of tables)
    counts.push(`${name} ${(await sql`select count(*)::int as n from ${sql(name)}`)[0]?.['n']}`)
  return counts.join('\n')
}

const send = async (bytes: Uint8Array) => {
  const { status, body } = await importArchive(server, person, bytes)
  return [status, body.code, body.detail]
}

const expectNothing = () => expect.poll(countRows).toBe(untouched)
afterEach(expectNothing)

describe('archives that are refused before anything is stored', () => {
  const some = { roles: [role('one')] }
  const refusals: [what: string, make: () => Uint8Array, code: string, sentence: RegExp][] = [
    ['a file that is not a zip', () => Buffer.from('not a zip at all'), 'import.damaged', /cannot be read/],
    ['an empty file', () => Buffer.alloc(0), 'import.damaged', /cannot be read/],
    ['a truncated zip', () => makeZip(partsOf(some)).subarray(0, 300), 'import.damaged', /cannot be read/],
    [
      'a foreign entry',
      () => makeZip(partsOf(some, [{ name: 'word/document.xml', content: '' }])),
      'import.damaged',
      /"word\/document.xml" is not part of a Parley export/,
    ],
    [
      'a path upward',
      () => makeZip(partsOf(some, [{ name: '../../etc/passwd', content: '' }])),
      'import.damaged',
      /cannot be read|not part of any export/,
    ],
    [
      'an absolute path',
      () => makeZip(partsOf(some, [{ name: '/etc/passwd', content: '' }])),
      'import.damaged',
      /cannot be read|not part of any export/,
    ],
    [
      'a duplicate name',
      () => makeZip(partsOf(some, [{ name: 'roles.jsonl', content: '' }])),
      'import.damaged',
      /contains "roles.jsonl" more than once/,
    ],
    [
      'an encrypted entry',
      () => makeZip(partsOf(some, [{ name: `files/${fileId}`, content: 'x', flags: 1 }])),
      'import.damaged',
      /is encrypted/,
    ],
    [
      'an entry with another checksum',
      () => makeZip(partsOf({}).map((part) => ({ ...part, checksum: 1 }))),
      'import.damaged',
      /checksum/,
    ],
    [
      'a directory with too small a size',
      () =>
        makeZip(partsOf(some).map((part) => (part.name === 'roles.jsonl' ? { ...part, claims: 1 } : part))),
      'import.damaged',
      /cannot be read/,
    ],
    [
      'a bomb',
      () => makeZip(partsOf({ audit: `${' '.repeat(20_000_000)}\n` })),
      'import.too_large',
      /more than 250 times its compressed size/,
    ],
    [
      'a bomb whose stated size exceeds the limit',
      () => makeZip(partsOf(some, [{ name: `files/${fileId}`, content: 'x', claims: 0xfffffff0 }])),
      'import.too_large',
      /times its compressed size/,
    ],
    [
      'an endless line',
      () =>
        makeZip(
          partsOf({
            roles: Buffer.alloc(17 * 1024 * 1024)
              .fill('0123456789abcdefghij')
              .toString(),
          }),
        ),
      'import.too_large',
      /times its compressed size|A line of roles.jsonl/,
    ],
    [
      'too many entries',
      () => {
        const zip = makeZip(partsOf(some))
        zip.writeUInt16LE(50_001, zip.length - 12) // the number of entries in the end record
        return zip
      },
      'import.too_large',
      /more than 50000 files/,
    ],
    [
      'no manifest',
      () => makeZip(partsOf(some).slice(0, -1)),
      'import.incomplete',
      /manifest.json is missing because the file was cut off/,
    ],
    [
      'a manifest that is not JSON',
      () => makeZip([{ name: 'manifest.json', content: '{' }]),
      'import.invalid',
      /manifest.json: The JSON is not valid JSON/,
    ],
    [
      'another format',
      () => makeZip(partsOf(some, [], { format: 'zip' })),
      'import.invalid',
      /manifest.json: format/,
    ],
    [
      'another version',
      () => makeZip(partsOf(some, [], { version: 2 })),
      'import.damaged',
      /version 2, but this server reads version 1/,
    ],
    [
      'the export of a person',
      () => makeZip(partsOf(some, [], { user: {}, organization: undefined })),
      'import.damaged',
      /This is the export of a user/,
    ],
    [
      'wrong counts',
      () => makeZip(partsOf(some, [], { counts: { members: 1, roles: 2 } })),
      'import.incomplete',
      /roles.jsonl has 1 lines, but manifest.json says 2/,
    ],
    [
      'a truncated line',
      () => makeZip(partsOf({ roles: JSON.stringify(role('one')) })),
      'import.incomplete',
      /ends in the middle of a line/,
    ],
    [
      'a line that is not JSON',
      () => makeZip(partsOf({ roles: `${JSON.stringify(role('one'))}\n{"a":\n` })),
      'import.invalid',
      /roles.jsonl, line 2: The JSON is not valid JSON/,
    ],
    [
      'a line with too much nesting',
      () => makeZip(partsOf({ audit: `${'['.repeat(100)}${']'.repeat(100)}\n` })),
      'import.invalid',
      /audit.jsonl, line 1: The JSON is nested deeper/,
    ],
    [
      'a line with too many values',
      () => makeZip(partsOf({ audit: `[${'0,'.repeat(500_000)}0]\n` })),
      'import.invalid',
      /audit.jsonl, line 1: The JSON has more than 500000 values/,
    ],
    [
      'a line that is not UTF-8',
      () => makeZip([{ name: 'roles.jsonl', content: Buffer.from([0xff, 0x0a]) }, ...partsOf({})]),
      'import.invalid',
      /roles.jsonl, line 1: The JSON is not valid UTF-8/,
    ],
    [
      'NUL',
      () => makeZip(partsOf({ roles: [role('a\0b')] })),
      'import.invalid',
      /roles.jsonl, line 1: name must not contain the NUL character/,
    ],
    [
      'unpaired surrogate',
      () => makeZip(partsOf({ roles: `${JSON.stringify(role('x')).replace('"x"', '"\\ud800"')}\n` })),
      'import.invalid',
      /surrogate/,
    ],
    [
      'a row without a required field',
      () => makeZip(partsOf({ roles: [role('one'), { id: randomUUID(), ...times }] })),
      'import.invalid',
      /roles.jsonl, line 2: \w+ is required/,
    ],
    [
      'an invalid id',
      () => makeZip(partsOf({ chats: [chat({ id: "'; drop table chats; --" })] })),
      'import.invalid',
      /chats.jsonl, line 1: id/,
    ],
    [
      'a name that is too long',
      () => makeZip(partsOf({ roles: [role('x'.repeat(61))] })),
      'import.invalid',
      /roles.jsonl, line 1: name/,
    ],
  ]
  test.each(refusals)('%s', async (_what, make, code, sentence) => {
    expect(await send(make())).toEqual([400, code, expect.stringMatching(sentence)])
  })
})

describe('archives that leave nothing behind after a partial import', () => {
  const stored = () => ({ roles: [role('one')], models: [model], chats: [chat()] })
  const failures: [what: string, make: () => Uint8Array, code: string][] = [
    ['a duplicate id', () => makeZip(partsOf({ ...stored(), chats: [chat(), chat()] })), 'import.invalid'],
    [
      "a role that has a system role's name",
      () => makeZip(partsOf({ roles: [role('Owner')] })),
      'import.invalid',
    ],
    [
      'a file of another size',
      () =>
        makeZip(partsOf({ ...stored(), files: [file(5)] }, [{ name: `files/${fileId}`, content: 'four' }])),
      'import.invalid',
    ],
    [
      'a file with another checksum',
      () =>
        makeZip(
          partsOf({ ...stored(), files: [file(4)] }, [
            { name: `files/${fileId}`, content: 'four', checksum: 1 },
          ]),
        ),
      'import.damaged',
    ],
  ]
  test.each(failures)('%s', async (_what, make, code) => {
    expect(await send(make())).toEqual([400, code, expect.any(String)])
  })

  test('a process that dies', async () => {
    const { sql } = server.server.services.database
    const bytes = makeZip(
      partsOf({ ...stored(), files: [file(4)] }, [{ name: `files/${fileId}`, content: 'four' }]),
    )
    const { status, body } = await importArchive(server, person, bytes)
    expect([status, body.imported]).toEqual([201, { roles: 1, models: 1, chats: 1, files: 1 }])
    // The state before the last transaction, with the id of a process that no longer exists.
    await sql`update organizations set importing_by = ${randomUUID()} where id = ${body.organization.id}`
    await expect
      .poll(async () => (await sql`select from organizations where id = ${body.organization.id}`).count, {
        timeout: 60_000,
      })
      .toBe(0)
  })
})
