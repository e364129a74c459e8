import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ACCEPTED_TYPES } from '#platform/documents/accepted-types.ts'
import { type Answer, type Person, uploadPath } from '#tests/support/client.ts'
import { expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian, said, textSource as text } from '#tests/support/knowledge.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'
import { addMemberWithRole } from '#tests/support/tenants.ts'
import { hashOf, textKindOf } from '../../server/parts/kb/text-kind.ts'

let server: TestServer
let person: Person
let library: Librarian
beforeAll(async () => {
  server = await sharedTestServer()
  person = await server.signUp()
  library = librarian(server, person)
})
afterAll(() => server.stop())

const NOTHING = '00000000-0000-4000-8000-000000000000'
const sql = () => server.server.services.database.sql
const documentsOf = async (kb: string, query: Record<string, string> = {}) =>
  (await library.call('GET', 'list_documents', { kb_id: kb, ...query })).body

async function uploadTo(kb: string, name: string, bytes: string | Buffer, by = person): Promise<Answer> {
  const form = new FormData()
  form.set('file', new Blob([bytes as never]), name)
  const response = await fetch(`${server.url}/api/kb/upload_file?kb_id=${kb}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${by.token}` },
    body: form,
  })
  const said = await response.text()
  return { status: response.status, headers: response.headers, text: said, body: JSON.parse(said) }
}

describe('files', () => {
  test('become documents; a file without text fails with a reason and does not block the others', async () => {
    const kb = await library.create()
    const own = await uploadTo(kb, 'report.pdf', readFileSync('tests/fixtures/report.pdf'))
    expect([own.status, own.body]).toEqual([
      201,
      expect.objectContaining({ filename: 'report.pdf', text_extracted: true }),
    ])
    const table = await uploadTo(kb, 'table.csv', readFileSync('tests/fixtures/table.csv'))
    const broken = await uploadTo(kb, 'broken.pdf', readFileSync('tests/fixtures/truncated.pdf'))
    const picture = await server.upload(person, {
      name: 'picture.png',
      bytes: readFileSync('tests/fixtures/picture.png'),
    })
    const note = await server.upload(person, { name: 'note.md', bytes: '# A note\n\nOn moles.' })
    const upload_ids = [own, table, broken, picture, note].map(({ body }) => body.id)
    await library.add(kb, 'file', { upload_ids })
    expect(await library.settle(kb)).toMatchObject({
      status: 'ready',
      documents: { total: 5, ready: 3, failed: 2, pending: 0 },
    })
    const { documents } = await documentsOf(kb)
    const failed = documents.filter((document: { status: string }) => document.status === 'failed')
    expect(failed.map(({ name }: { name: string }) => name).sort()).toEqual(['broken.pdf', 'picture.png'])
    const reasons = failed.map(({ name, error }: { name: string; error: string }) => [name, error]).sort()
    expect(reasons).toEqual([
      ['broken.pdf', 'This PDF is damaged and could not be read. Repair it and add it again.'],
      ['picture.png', 'No text could be read from this file. Add a file that contains text.'],
    ])
    await expectSound(sql(), kb)
    // The knowledge base has copied the files' content, so an upload can be deleted.
    const path = `/api/chat/delete_upload?org_id=${person.organizationId}&upload_id=${note.body.id}`
    expect((await server.call('DELETE', path, { token: person.token })).status).toBe(200)
    await library.call('POST', 'reindex', { kb_id: kb }, {})
    expect(await library.settle(kb)).toMatchObject({ documents: { ready: 3 } })
  })

  test('of types without text, empty files and unknown knowledge bases are refused', async () => {
    const kb = await library.create()
    const picture = await uploadTo(kb, 'picture.png', readFileSync('tests/fixtures/picture.png'))
    expect(said(picture)).toEqual([415, expect.stringContaining('contain no text')])
    expect((await uploadTo(kb, 'archive.zip', readFileSync('tests/fixtures/archive.zip'))).status).toBe(415)
    expect((await uploadTo(kb, 'empty.txt', '')).status).toBe(400)
    expect((await uploadTo(NOTHING, 'a.txt', 'a')).status).toBe(404)
  })

  test('have the same hash, type and length as other sources with the same text', async () => {
    const said = ['', 'plain', 'Zoë, naïve: \u00a0\u2028', '漢字かな', '🐹👩‍👩‍👧 𝒳', 'é é\n'.repeat(5_000)]
    const given = [...ACCEPTED_TYPES.keys()]
      .slice(0, 7)
      .flatMap((type) => said.map((text) => ({ type, text })))
    const kb = await library.create()
    const ids: string[] = []
    for (const { type, text } of given) {
      const { id } = (await uploadTo(kb, 'note.txt', 'note')).body
      ids.push(id)
      await sql()`update uploads set content_type = ${type} where id = ${id}`
      await sql()`update upload_texts set text = ${text} where upload_id = ${id}`
    }
    await library.add(kb, 'file', { upload_ids: ids.map((id) => id.toUpperCase()) })
    const rows = await sql()`
      select d.key, d.content_hash, d.text_kind, d.text_bytes, d.metadata, t.text
      from kb_documents d join kb_texts t on t.document_id = d.id where d.kb_id = ${kb} order by d.id`
    expect(rows).toEqual(
      given.map(({ type, text }, at) => ({
        key: ids[at],
        content_hash: hashOf(text),
        text_kind: textKindOf(type),
        text_bytes: Buffer.byteLength(text),
        metadata: {},
        text,
      })),
    )
  })

  test('report whether their text was truncated', async () => {
    const kb = await library.create()
    const [whole, cut] = [await uploadTo(kb, 'a.md', 'whole'), await uploadTo(kb, 'b.md', 'cut')]
    await sql()`update upload_texts set is_cut = true where upload_id = ${cut.body.id}`
    await library.add(kb, 'file', { upload_ids: [whole.body.id, cut.body.id] })
    const rows = await sql()`select name, metadata from kb_documents where kb_id = ${kb} order by id`
    expect(rows).toEqual([
      { name: 'a.md', metadata: {} },
      { name: 'b.md', metadata: { is_cut: true } },
    ])
  })

  test('of other users are not found, even by an owner', async () => {
    const colleague = await server.signUp()
    await addMemberWithRole(sql(), person.organizationId, colleague.userId, 'member')
    const path = uploadPath({ ...colleague, organizationId: person.organizationId })
    const form = new FormData()
    form.set('file', new Blob(['secret']), 'secret.txt')
    const headers = { authorization: `Bearer ${colleague.token}` }
    const response = await fetch(server.url + path, { method: 'POST', headers, body: form })
    const { id } = (await response.json()) as { id: string }
    const kb = await library.create()
    const config = { upload_ids: [id] }
    const added = await library.call('POST', 'add_source', { kb_id: kb }, { type: 'file', config })
    expect([response.status, added.status]).toEqual([201, 404])
    expect((await library.call('GET', 'get', { kb_id: kb })).body.sources).toEqual([])
  })
})

describe('documents', () => {
  test('are listed newest first in numbered pages, and searched by literal names', async () => {
    const names = ['100% wool', 'a_b', 'a\\b', 'aXb', 'Zoë']
    const kb = await library.create({ sources: names.map((name) => text(name)) })
    await library.settle(kb)
    const found = async (search: string) =>
      (await documentsOf(kb, { search })).documents.map(({ name }: { name: string }) => name)
    expect(await found('%')).toEqual(['100% wool'])
    expect(await found('_')).toEqual(['a_b'])
    expect(await found('\\')).toEqual(['a\\b'])
    expect(await found('A_B')).toEqual(['a_b'])
    expect(await found(' zoë ')).toEqual(['Zoë'])
    expect((await documentsOf(kb, { search: 'b', limit: '1', page: '2' })).total).toBe(3)
    const page = await documentsOf(kb, { limit: '2', page: '2' })
    expect(page).toMatchObject({ total: 5, page: 2, limit: 2 })
    expect(page.documents.map(({ name }: { name: string }) => name)).toEqual(['a\\b', 'a_b'])
    expect((await documentsOf(kb, { page: '4' })).documents).toEqual([])
    for (const query of [{ page: '0' }, { limit: '101' }, { limit: '0' }])
      expect((await library.call('GET', 'list_documents', { kb_id: kb, ...query } as never)).status).toBe(400)
  })

  test('show their chunks in pages', async () => {
    const content = Array.from({ length: 30 }, (_, at) => `# Part ${at}\n\nIt tells of ${at}.`).join('\n\n')
    const kb = await library.create({ sources: [text('Parts', content)], chunking: { max_tokens: 32 } })
    await library.settle(kb)
    const [{ id, chunk_count: count }] = (await documentsOf(kb)).documents
    const query = { kb_id: kb, document_id: id, limit: '7' }
    const positions: number[] = []
    for (let page = 1; page <= Math.ceil(count / 7); page++) {
      const { body } = await library.call('GET', 'get_document', { ...query, page: String(page) })
      positions.push(...body.chunks.map(({ position }: { position: number }) => position))
    }
    expect(positions).toEqual(Array.from({ length: count }, (_, at) => at))
    const last = await library.call('GET', 'get_document', { ...query, page: String(Math.ceil(count / 7)) })
    const chunk_id = last.body.chunks[0].id
    const held = await library.call('GET', 'get_document', { ...query, chunk_id })
    expect(held.body).toEqual(last.body)
    const gone = await library.call('GET', 'get_document', { ...query, chunk_id: NOTHING, page: '2' })
    expect(gone.body).toMatchObject({ page: 2, chunks: [{ position: 7 }, {}, {}, {}, {}, {}, {}] })
    const foreign = await library.create()
    for (const wrong of [
      { ...query, document_id: NOTHING },
      { ...query, kb_id: foreign },
    ])
      expect(said(await library.call('GET', 'get_document', wrong))).toEqual([
        404,
        expect.stringContaining('Document not found'),
      ])
  })

  test('are deleted individually, or with their source', async () => {
    const kb = await library.create({ sources: [text('One'), text('Two')] })
    const other = await library.create()
    await library.settle(kb)
    const { documents } = await documentsOf(kb)
    const query = { kb_id: kb, document_id: documents[0].id }
    const notFound = [404, expect.stringContaining('Document not found')]
    expect(said(await library.call('DELETE', 'delete_document', { ...query, kb_id: other }))).toEqual(
      notFound,
    )
    expect((await library.call('DELETE', 'delete_document', query)).body).toEqual({
      message: 'Document deleted',
    })
    expect(said(await library.call('DELETE', 'delete_document', query))).toEqual(notFound)
    await expectSound(sql(), kb)
    const source = { kb_id: kb, source_id: documents[1].source_id }
    const foreign = await library.call('DELETE', 'delete_source', { ...source, kb_id: other })
    expect(said(foreign)).toEqual([404, expect.stringContaining('Source not found')])
    expect((await library.call('DELETE', 'delete_source', source)).body).toEqual({
      message: 'Source deleted',
    })
    expect(await documentsOf(kb)).toMatchObject({ documents: [], total: 0 })
    await expectSound(sql(), kb)
  })
})

describe('chunks', () => {
  test('are changed, disabled and enabled', async () => {
    const kb = await library.create({ sources: [text('Otters')] })
    await library.settle(kb)
    const [{ id: document_id }] = (await documentsOf(kb)).documents
    const shown = async () =>
      (await library.call('GET', 'get_document', { kb_id: kb, document_id })).body.chunks[0]
    const query = { kb_id: kb, chunk_id: (await shown()).id }
    const version = async () => (await library.call('GET', 'get', { kb_id: kb })).body.index_version
    let before = await version()
    for (const change of [{ is_enabled: false }, { content: 'Of sea otters.' }, { is_enabled: true }]) {
      const answer = await library.call('PUT', 'update_chunk', query, change)
      expect([answer.status, answer.body]).toEqual([200, expect.objectContaining(change)])
      expect(await shown()).toEqual(answer.body)
      expect(await version()).toBeGreaterThan(before)
      before = await version()
      await expectSound(sql(), kb)
    }
    expect(await shown()).toMatchObject({ is_edited: true, is_enabled: true, tokens: 5 })
    const unchanged = await library.call('PUT', 'update_chunk', query, {})
    expect([unchanged.status, unchanged.body]).toEqual([200, await shown()])
    expect((await library.call('PUT', 'update_chunk', query, { content: ' ' })).status).toBe(400)
    expect((await library.call('PUT', 'update_chunk', query, { content: 'x'.repeat(20_001) })).status).toBe(
      400,
    )
    const foreign = { ...query, kb_id: await library.create() }
    for (const wrong of [foreign, { ...query, chunk_id: NOTHING }])
      expect(said(await library.call('PUT', 'update_chunk', wrong, {}))).toEqual([
        404,
        expect.stringContaining('Chunk not found'),
      ])
  })

  test('leave few segments after many concurrent changes', async () => {
    const kb = await library.create({ sources: [text('Seals')] })
    await library.settle(kb)
    const [{ id: document_id }] = (await documentsOf(kb)).documents
    const { body } = await library.call('GET', 'get_document', { kb_id: kb, document_id })
    const query = { kb_id: kb, chunk_id: body.chunks[0].id }
    for (let round = 0; round < 8; round++) {
      const changes = ['grey', 'ringed', 'hooded'].map((kind) =>
        library.call('PUT', 'update_chunk', query, { content: `Of ${kind} seals, ${round}.` }),
      )
      for (const { status } of await Promise.all(changes)) expect([200, 409]).toContain(status)
    }
    await expectSound(sql(), kb)
    const segments = async () =>
      Number((await sql()`select count(*) from kb_segments where kb_id = ${kb}`)[0]?.['count'])
    await expect.poll(segments).toBeLessThan(16)
    await expectSound(sql(), kb)
  })
})
