import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#database/new-id.ts'
import { createMessageIndex } from '#parts/chat/index-messages-system.ts'
import type { Person } from '#tests/support/client.ts'
import { expectSound } from '#tests/support/kb-invariants.ts'
import { type Librarian, librarian, textSource } from '#tests/support/knowledge.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/**
 * The searches of knowledge bases and of chats find words in other spellings: with particles, without accents or vowel
 * points, in other widths, and with characters that readers do not see. An index of an older release is renewed.
 */

let server: TestServer
let library: Librarian
let person: Person
/** Two knowledge bases, because one has at most 100 sources. */
let kbs: string[]

/** Groups of spellings: each finds all others of its group. */
const GROUPS: Record<string, string[]> = {
  'Korean particles': [
    '환불은',
    '환불을',
    '환불이',
    '환불',
    '환불에서는',
    '환불까지',
    '환불로',
    '환불입니다',
    '환불합니다',
  ],
  'a longer Korean noun': ['배송비가', '배송비는', '배송비', '배송비도', '배송비와'],
  'a Korean noun that ends like a particle': ['고양이', '고양이를', '고양이는', '고양이에게'],
  'a Korean place': ['서울로', '서울에서', '서울', '서울까지'],
  'a Turkish name': ['İstanbul', 'istanbul', 'ISTANBUL', 'İSTANBUL', 'ıstanbul'],
  'Turkish letters': ['ışıklı', 'IŞIKLI', 'isikli', 'Isikli'],
  'Turkish accents': ['çalışma', 'calisma', 'ÇALIŞMA'],
  Vietnamese: ['đường', 'duong', 'ĐƯỜNG', 'dường'],
  'a Vietnamese word': ['chuyển', 'chuyen', 'chuyê\u0309n'],
  French: ['généraliser', 'generaliser', 'GÉNÉRALISER', 'ge\u0301ne\u0301raliser'],
  'a French ligature': ['œuvres', 'oeuvres', 'Œuvres'],
  Portuguese: ['devolução', 'devolucao', 'DEVOLUÇÃO'],
  Spanish: ['garantía', 'garantia'],
  Polish: ['zażółć', 'zazolc'],
  Czech: ['příliš', 'prilis'],
  Romanian: ['înțelegere', 'intelegere', 'înţelegere'],
  Hungarian: ['visszatérítés', 'visszaterites'],
  Swedish: ['återbetalning', 'aterbetalning'],
  Danish: ['smørrebrød', 'smorrebrod'],
  Icelandic: ['þjónusta', 'thjonusta'],
  'German sharp s': ['Maßnahme', 'Massnahme', 'MASSNAHME', 'MAẞNAHME'],
  'German umlauts': ['Rückgabe', 'Ruckgabe', 'RÜCKGABE'],
  'soft hyphens': ['Versand\u00adkosten\u00adpauschale', 'Versandkostenpauschale'],
  'word joiners': ['pass\u2060word\ufeffless', 'passwordless'],
  'zero-width spaces': ['super\u200bmarket\u200bchain', 'supermarketchain'],
  'Persian joiners': ['می\u200cخواهم', 'میخواهم'],
  'Hindi joiners': ['क्\u200dषमायाचना', 'क्षमायाचना'],
  'full-width letters': ['ＲＥＦＵＮＤＡＢＬＥ', 'refundable', 'Ｒｅｆｕｎｄａｂｌｅ'],
  'half-width kana': ['ｷｬﾝｾﾙﾎﾟﾘｼｰ', 'キャンセルポリシー'],
  'decomposed kana': ['か\u3099んは\u3099る', 'がんばる'],
  'Latin ligatures': ['eﬃcacious', 'efficacious'],
  'Arabic vowel points': ['مُسْتَشْفَى', 'مستشفى'],
  'Arabic alef': ['إسترجاع', 'استرجاع', 'أسترجاع'],
  'Arabic tatweel': ['ضمـــانات', 'ضمانات'],
  'Persian letters': ['کتابخانه', 'كتابخانه'],
  'Hebrew niqqud': ['הַחְזָרָה', 'החזרה'],
  'Greek accents': ['επιστροφή', 'επιστροφη', 'ΕΠΙΣΤΡΟΦΉ'],
  'Russian yo': ['учёный', 'ученый'],
  'Russian stress': ['возвра\u0301т', 'возврат'],
  'skin tones': ['👍🏽', '👍', '👍🏿'],
  'variation selectors': ['❤️', '❤'],
  'a flag': ['🇩🇪'],
  'joined emoji': ['👩🏽‍💻', '👩‍💻'],
  'a keycap': ['7️⃣7️⃣7️⃣', '777'],
  Thai: ['คืนสินค้า'],
  Chinese: ['退款政策'],
  Japanese: ['返品規約'],
}
const ROWS = Object.entries(GROUPS).flatMap(([what, spellings], group) =>
  spellings.map((asked, at) => ({ what, asked, spellings, name: `text ${group}-${at}`, group })),
)
const namesOf = (group: number): string[] => ROWS.filter((row) => row.group === group).map(({ name }) => name)

beforeAll(async () => {
  server = await startTestServer()
  person = await server.signUp()
  library = librarian(server, person)
  // A word of its own, because near-duplicates are dropped from results.
  const sourcesFor = (half: number) =>
    ROWS.filter(({ group }) => group % 2 === half).map(({ name, asked }) =>
      textSource(name, `${asked} ${name.replace(/\W/g, 'x')}`),
    )
  kbs = [await library.create({ sources: sourcesFor(0) }), await library.create({ sources: sourcesFor(1) })]
  const chat = await newChat()
  for (const { asked } of ROWS) await addMessage(chat, asked)
  for (const kb of kbs) await library.settle(kb)
  await indexed()
}, 240_000)
afterAll(() => server.stop())

const kbOf = (group: number) => kbs[group % kbs.length] as string
const sql = () => server.server.services.database.sql

async function newChat(): Promise<string> {
  const { body } = await server.call('POST', `/api/chat?org_id=${person.organizationId}`, {
    token: person.token,
    body: { title: 'Spellings' },
  })
  return body.id
}

async function addMessage(chatId: string, content: string): Promise<void> {
  await sql()`
    insert into chat_messages (id, organization_id, user_id, chat_id, role, content, status)
    values (${newId()}, ${person.organizationId}, ${person.userId}, ${chatId}, 'user', ${content}, 'complete')`
}

/** Waits until all messages are indexed, and no entry is outdated. */
async function indexed(): Promise<void> {
  const index = createMessageIndex(server.server.services)
  for (;;) {
    await index.sweep()
    const [left] = await sql()`
      select from chat_messages m left join chat_words w on w.id = m.id and w.words is not null and w.version > 0
      where w.id is null limit 1`
    if (!left) return
    await sleep(20)
  }
}

/** Returns the names of the documents that share words with a question. */
async function findDocuments(kb: string, query: string): Promise<string[]> {
  const { body, text, status } = await library.call(
    'POST',
    'search',
    { kb_id: kb },
    { query, limit: 50, explain: true },
  )
  if (status !== 200) throw new Error(text)
  return (body.results as { document_name: string; explanation: { lexical: unknown } }[])
    .filter(({ explanation }) => explanation.lexical !== null)
    .map(({ document_name: name }) => name)
}

interface Hit {
  snippet: string
  highlights: { start: number; end: number }[]
}

async function findMessages(q: string): Promise<Hit[]> {
  const asked = new URLSearchParams({ org_id: person.organizationId, q, limit: '100' })
  const { body } = await server.call('GET', `/api/chat/search?${asked}`, { token: person.token })
  return body.data
}

describe('a knowledge base', () => {
  test.each(ROWS)('finds $what: $asked finds all of $spellings', async ({ asked, group }) => {
    expect(await findDocuments(kbOf(group), asked)).toEqual(expect.arrayContaining(namesOf(group)))
  })

  test('ranks the same accents first', async () => {
    const rowOf = (word: string) => ROWS.find(({ asked }) => asked === word) as (typeof ROWS)[number]
    const found = await findDocuments(kbOf(rowOf('đường').group), 'đường')
    expect(found.indexOf(rowOf('đường').name)).toBeLessThan(found.indexOf(rowOf('dường').name))
  })
})

describe('a search of chats', () => {
  test.each(ROWS)('finds $what: $asked finds all of $spellings', async ({ asked, spellings }) => {
    const hits = await findMessages(asked)
    expect(hits.map(({ snippet }) => snippet)).toEqual(expect.arrayContaining(spellings))
    for (const { highlights } of hits) expect(highlights.length).toBeGreaterThan(0)
  })

  test('of a quoted Korean phrase respects its particles', async () => {
    const found = (await findMessages('"환불을"')).map(({ snippet }) => snippet)
    expect(found).toEqual(['환불을'])
  })
})

describe('an index of an older release', () => {
  test('of a knowledge base still answers, and is renewed without another embedding', async () => {
    const { name, group } = ROWS.find(({ asked }) => asked === 'đường') as (typeof ROWS)[number]
    const kb = kbOf(group)
    await sql()`delete from kb_postings where kb_id = ${kb} and term = any(${['환불', 'duong', 'istanbul']})`
    await sql()`update kb_documents set words_version = 0 where kb_id = ${kb}`
    await expect
      .poll(
        async () => (await sql()`select from kb_documents where kb_id = ${kb} and words_version = 0`).count,
        {
          timeout: 60_000,
        },
      )
      .toBe(0)
    expect(await findDocuments(kb, 'duong')).toContain(name)
    await expect.poll(() => expectSound(sql(), kb).then(() => true)).toBe(true)
    expect(await library.settle(kb)).toMatchObject({ status: 'ready' })
  })

  test('of chats still answers, and is renewed', async () => {
    await sql()`
      update chat_words set version = 0, words = (
        select string_agg(quote_literal(word) || ':1', ' ')::tsvector from (
          select lexeme as word from unnest(words) where lexeme !~ 'duong$' limit 100) as kept)
      where user_id = ${person.userId} and words::text like '%đường%'`
    expect((await findMessages('đường')).map(({ snippet }) => snippet)).toContain('đường')
    await indexed()
    expect((await findMessages('duong')).map(({ snippet }) => snippet)).toContain('đường')
  })
})
