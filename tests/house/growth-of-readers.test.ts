import { FrontendMessages } from '#database/frontend-messages.ts'
import { patternHolding, patternsHolding } from '#database/like.ts'
import { quote } from '#errors'
import { escapeInvisible } from '#errors/escape-invisible.ts'
import { withTexts } from '#parts/chat/attachments.ts'
import { cutTitle } from '#parts/chat/clean-title.ts'
import { makeSnippet } from '#parts/chat/make-snippet.ts'
import { ReplyEvents, textIn } from '#parts/chat/reply-events.ts'
import { parseQuery } from '#parts/chat/search-query.ts'
import { toVector } from '#parts/chat/words.ts'
import { CitationCheck } from '#parts/kb/check-citations.ts'
import { hashOf } from '#parts/kb/text-kind.ts'
import { findPage } from '#parts/mcp-playground/next-pages.ts'
import { PlaygroundEvents } from '#parts/mcp-playground/playground-events.ts'
import { readRegistration } from '#parts/mcp-server/registration.ts'
import { textResult } from '#parts/mcp-server/results.ts'
import { customArguments } from '#parts/openai/custom-tools.ts'
import { joinVisible } from '#parts/openai/read-content.ts'
import { parseValue } from '#parts/tools/parameter-values.ts'
import { isKey, isRegion } from '#platform/bucket/names.ts'
import { etagOf, parseListing } from '#platform/bucket/parse-listing.ts'
import { readElements } from '#platform/bucket/xml.ts'
import { canonicalUrl, pageKey } from '#platform/crawler/addresses.ts'
import { cleanText as cleanDocument } from '#platform/documents/bounded-text.ts'
import { decodePage } from '#platform/documents/page-encoding.ts'
import { blocksOf } from '#platform/documents/text-blocks.ts'
import { sentencesOf } from '#platform/documents/text-pieces.ts'
import { createTokenSums } from '#platform/documents/token-sums.ts'
import { prefersEvents, qualityFor } from '#platform/http/accept.ts'
import { checkStorable } from '#platform/http/json-body.ts'
import { decodeAnswer, encodeStream } from '#platform/idempotency/stored-requests.ts'
import { formFor } from '#platform/mcp/answer-form.ts'
import { cleanDetails } from '#platform/mcp/authorization-error.ts'
import { onOneLine } from '#platform/mcp/mcp-error.ts'
import { findHeaderFault, hasHeaders } from '#platform/mcp/parameter-headers.ts'
import { ToolList } from '#platform/mcp/read-tools.ts'
import { isLostSession, namesSession, SessionErrorFinder } from '#platform/mcp/session-errors.ts'
import { adaptSchema } from '#platform/mcp/tool-schemas/adapt.ts'
import { readPlainArguments } from '#platform/models/call-arguments.ts'
import { Channels } from '#platform/models/channels.ts'
import { languageOfMessage } from '#platform/models/demo-words.ts'
import { writeAttachment, writeToolOutput } from '#platform/models/prompt-elements.ts'
import { providerCodeIn } from '#platform/models/provider-codes.ts'
import { ReplyText, storable } from '#platform/models/reply-text.ts'
import { TextTemplate } from '#platform/models/text-template.ts'
import { openingOf, withoutFewBlanks } from '#platform/models/thought-marks.ts'
import { writeJson } from '#platform/models/write-json.ts'
import { fnv1a } from '#platform/retrieval/hash.ts'
import { dropNearDuplicates } from '#platform/retrieval/near-duplicates.ts'
import { parseQuery as parseKnowledgeQuery } from '#platform/retrieval/parse-query.ts'
import { countPhrase, countPrefix, toPhrase } from '#platform/retrieval/phrases.ts'
import { mergePostings, readPostings, SegmentBuilder } from '#platform/retrieval/postings.ts'
import { wordsIn } from '#platform/retrieval/words.ts'
import { readParameters } from '#platform/sandbox/inside/read-parameters.ts'
import { readFunctions } from '#platform/sandbox/read-functions.ts'
import { readMessage } from '#platform/sandbox/read-message.ts'
import { encodePart } from '#platform/storage/addresses.ts'
import { EventLog } from '#platform/streams/event-log.ts'
import { type GrowthRow, inPieces, readerRow, testReaders, valueRow } from '#tests/support/growth.ts'
import { decodeEntities } from '../../widget/frame/entities.ts'

/* Functions of the server that read text of others on the event loop, with the openings of all kinds of text. */

const query = parseQuery(`${'a '.repeat(60)}"b a a a a a a a a a a"`)
const nothing = { text() {}, reasoning() {}, refusal() {}, toolCall() {} }
/** Building larger objects takes longer than reading them. */
const MEMBERS = 10_000
const stem = (word: string): string => word

/** Parses a text to JSON lists and objects that grow with it: some have many members, and some are nested. */
const asValue = (text: string): unknown => {
  const list = text.split(' ')
  const members = list.slice(0, MEMBERS).map((word, index) => [`${word}${index}`, { type: word }])
  return { text, list, object: Object.fromEntries(members) }
}
const asSchema = (text: string): object => {
  const names = text.match(/.{1,32}/gsu) ?? []
  return {
    type: 'object',
    description: text.slice(0, 4_000),
    properties: Object.fromEntries(
      names.map((name, index) => [
        `${name}${index}`,
        { anyOf: [{ type: 'string', pattern: name }, { $ref: '#' }] },
      ]),
    ),
  }
}

/** Passes the pieces of a text to a reader. */
const passing = (open: () => (piece: string) => unknown) => (text: string) => {
  const pass = open()
  for (const piece of inPieces(text)) pass(piece)
}

const ROWS: GrowthRow[] = [
  readerRow('splitting messages of PostgreSQL', (text) => new FrontendMessages().add(Buffer.from(text))),
  readerRow('searching for words', (text) => [patternHolding(text), patternsHolding(text)]),
  readerRow('escaping invisible characters', escapeInvisible),
  readerRow('quoting input', quote),
  readerRow('writing attachments', (text) =>
    withTexts(text, [{ filename: text.slice(0, 100), contentType: 'text/plain', text } as never], 100_000),
  ),
  readerRow('cutting a title', cutTitle),
  readerRow('making a snippet', (text) => makeSnippet(text, query)),
  readerRow(
    'appending to a reply',
    passing(() => {
      const events = new ReplyEvents()
      return (piece) => events.addText(piece)
    }),
  ),
  readerRow('reading the text of events', textIn, [
    ['', 'id: 1 2\ndata: {"message":"a"}\n\n'],
    ['id: 1 2\ndata: {"message":"', 'a'],
  ]),
  readerRow('parsing a search of chats', parseQuery, [['', '"a b" -']]),
  readerRow('indexing a message', (text) => toVector('mark', text)),
  readerRow(
    'checking citations in pieces',
    passing(() => {
      const check = new CitationCheck(5)
      return (piece) => check.pass(piece)
    }),
    [
      ['', '[1, '],
      ['[', '1, '],
      ['', '[1]'],
      ['', '`[1'],
    ],
  ),
  readerRow('hashing a text', hashOf),
  valueRow('finding the next page', (text) => findPage(asValue(text))),
  readerRow(
    'appending to a reply of the playground',
    passing(() => {
      const events = new PlaygroundEvents()
      return (piece) => events.addText(piece)
    }),
  ),
  readerRow('reading a registration', (text) =>
    readRegistration({ redirect_uris: [text, ...text.split(' ').slice(0, 10)], client_name: text }),
  ),
  readerRow('answering with text', textResult),
  readerRow('reading the input of a custom tool', customArguments),
  readerRow('joining visible texts', (text) => joinVisible(text.split(' '))),
  readerRow('parsing a value of a tool', (text) =>
    (['str', 'int', 'float', 'bool', 'list', 'dict'] as const).map((type) => parseValue(type, text)),
  ),
  readerRow('parsing a listing of a bucket', (text) => parseListing('host', Buffer.from(text), ''), [
    ['<ListBucketResult>', '<Contents><Key>a</Key></Contents>'],
    ['<ListBucketResult>', '<!--'],
    ['<ListBucketResult><Key>', '&amp;'],
  ]),
  readerRow('reading XML', (text) => [...readElements(text)].length, [
    ['<a>', '<b>'],
    ['<a>', '<b/>'],
    ['<a b="', 'c'],
  ]),
  readerRow('reading an ETag', etagOf),
  readerRow('checking names in a bucket', (text) => [isKey(text), isRegion(text)]),
  readerRow(
    'reading URLs',
    (text) => [canonicalUrl(text, 'http://site.example/'), pageKey(`http://site.example/?${text}`)],
    [
      ['http://site.example/', 'a/../'],
      ['http://site.example/?', 'b&a='],
    ],
  ),
  readerRow('cleaning the text of a document', cleanDocument),
  readerRow('decoding a page', (text) => decodePage(Buffer.from(text), 'text/html'), [
    ['', '<meta '],
    ['', '<meta charset'],
  ]),
  ...(['plain', 'markdown', 'csv'] as const).map((kind) =>
    readerRow(
      `dividing a document into blocks (${kind})`,
      (text) => [...blocksOf(text, kind as never)].length,
      [
        ['"', 'a,\n'],
        ['', '"a""b",'],
        ['a,b\n', '"c\n'],
      ],
    ),
  ),
  readerRow(
    'dividing a text into sentences',
    (text) => [...sentencesOf(text, { start: 0, end: text.length })].length,
  ),
  readerRow('summing tokens', (text) => {
    const sum = createTokenSums(text, (part) => part.length)
    for (let start = 0; start < text.length; start += 1_000) sum({ start, end: start + 1_000 })
  }),
  readerRow('reading the quality of a type', (text) => [
    prefersEvents(text),
    qualityFor('text/event-stream', text),
  ]),
  valueRow('checking that a body can be stored', (text) => checkStorable(asValue(text))),
  readerRow('storing the answer to a repeat', (text) =>
    decodeAnswer(encodeStream(text, { named: true } as never)),
  ),
  readerRow('choosing the form of an answer', (text) => [formFor(text, true), formFor(text, false)]),
  readerRow('cleaning the details of an authorization error', (text) =>
    cleanDetails(text, ['secret', 'aaaa']),
  ),
  readerRow('writing an error on one line', onOneLine),
  valueRow('finding headers in a schema', (text) => [
    findHeaderFault(asSchema(text)),
    hasHeaders(asSchema(text)),
  ]),
  valueRow('reading the tools of a server', (text) =>
    new ToolList(true).add({
      tools: [
        { name: 'a', description: text, inputSchema: asSchema(text.slice(0, 20_000)) },
        ...text
          .split(' ')
          .map((name, index) => ({ name: `${name}${index}`, inputSchema: { type: 'object' } })),
      ],
    }),
  ),
  readerRow(
    'finding an error of a session in pieces',
    passing(() => {
      const finder = new SessionErrorFinder()
      return (piece) => finder.add(Buffer.from(piece))
    }),
  ),
  readerRow('reading an error of a session', (text) => [namesSession(text), isLostSession(text)], [
    ['', 'session '],
    ['', 'not found '],
  ]),
  valueRow('adapting the schema of a tool', (text) => adaptSchema(asSchema(text))),
  readerRow('reading plain arguments', readPlainArguments),
  readerRow(
    'reading channels in pieces',
    passing(() => {
      const channels = new Channels(nothing as never)
      return (piece) => channels.feed(piece)
    }),
    [
      ['<|channel|>', 'a'],
      ['', '<|start|>'],
      ['', '<|channel|>analysis<|message|>a<|end|>'],
    ],
  ),
  readerRow('detecting the language of a message', languageOfMessage),
  readerRow('writing an attachment', (text) => writeAttachment(text.slice(0, 200), text, true)),
  readerRow('writing the output of a tool', writeToolOutput),
  readerRow('finding the code of a provider', providerCodeIn),
  readerRow(
    'passing a reply in pieces',
    passing(() => {
      const reply = new ReplyText(nothing as never)
      return (piece) => reply.text(piece)
    }),
  ),
  readerRow('cleaning the text of a reply', storable),
  readerRow('learning the form of events', (text) => {
    const template = new TextTemplate()
    for (const piece of inPieces(text))
      if (!template.match(`{"a":"${piece}"}`)) template.learn(`{"a":"${piece}"}`, piece)
  }),
  readerRow('finding the beginning of thoughts', (text) => [openingOf(text), withoutFewBlanks(text)]),
  valueRow('writing JSON', (text) => writeJson(asValue(text), 100_000)),
  readerRow('hashing words', fnv1a),
  readerRow(
    'dropping near-duplicates',
    (text) => dropNearDuplicates(text.match(/.{1,200}/gsu) ?? [], String),
    [
      ['', 'a b c d e f g h '],
      ['', 'the same words of each passage '],
    ],
  ),
  readerRow('parsing a search of knowledge', parseKnowledgeQuery, [
    ['', '"a b" '],
    ['', 'a* '],
  ]),
  readerRow('counting phrases', (text) => {
    const words = [...text.split(/(?<=[ \n])/)]
    return [countPhrase(words, words.slice(0, 16)), countPrefix(words, 'a'), toPhrase(words, stem)]
  }),
  readerRow('building and merging postings', (text) => {
    const builder = new SegmentBuilder()
    builder.add(1, text.split(' '), { stem, variant: () => null })
    const bytes = Buffer.from(text.slice(0, text.length - (text.length % 8)), 'latin1')
    return [readPostings(bytes), mergePostings([bytes], () => true)]
  }),
  readerRow('finding words', (text) => [...wordsIn(text)].length),
  readerRow('reading the parameters of a function', (text) => readParameters(`function a(${text}`), [
    ['', 'a = '],
    ['', 'a, '],
  ]),
  readerRow('reading the functions of a tool', (text) =>
    readFunctions(
      text.split(' ').map((name) => ({ name, description: text.slice(0, 1_000), parameters: [] })),
    ),
  ),
  readerRow('reading a message of a sandbox', readMessage, [['{"kind":"printed","text":"', 'a']]),
  readerRow('encoding a part of a URL', encodePart),
  readerRow('appending events of another log', (text) => new EventLog().appendEvents(text), [
    ['', 'event: a\ndata: b\n\n'],
  ]),
  readerRow('decoding character references', decodeEntities, [
    ['', '&amp;'],
    ['', '&#1'],
    ['', '&a'],
  ]),
]

testReaders(ROWS)
