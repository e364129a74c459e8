import { parseExactJson } from '#database/exact-json.ts'
import { cleanTitle } from '#parts/chat/clean-title.ts'
import { findTerms, parseQuery } from '#parts/chat/search-query.ts'
import { readRobots } from '#platform/crawler/robots.ts'
import { readSitemaps } from '#platform/crawler/sitemaps.ts'
import type { Visitor } from '#platform/crawler/visit.ts'
import { cleanText as cleanDocument } from '#platform/documents/bounded-text.ts'
import { joinBrokenWords } from '#platform/documents/join-broken-words.ts'
import { decodePage } from '#platform/documents/page-encoding.ts'
import { readRobotsDirectives } from '#platform/documents/robots-directives.ts'
import { splitText } from '#platform/documents/split-text.ts'
import { prefers } from '#platform/http/accept.ts'
import { readCookie } from '#platform/http/cookies.ts'
import { parseJsonBody } from '#platform/http/json-body.ts'
import { isBlank } from '#platform/http/visible-text.ts'
import { cleanText } from '#platform/mcp/clean-text.ts'
import { readCallArguments } from '#platform/models/call-arguments.ts'
import { loadTokenCounter } from '#platform/models/count-tokens.ts'
import {
  PASSAGES_PREFACE,
  readPassages,
  readToolOutput,
  withoutAttachments,
  withoutTags,
} from '#platform/models/prompt-elements.ts'
import { StreamBody } from '#platform/models/stream-body.ts'
import { splitThoughts, ThinkTags, withoutThoughts } from '#platform/models/think-tags.ts'
import { languageOf } from '#platform/retrieval/languages.ts'
import { variantOf } from '#platform/retrieval/word-variants.ts'
import { listWords } from '#platform/retrieval/words.ts'
import { maskOf } from '#platform/secrets/mask-secrets.ts'
import { attempt, type GrowthRow, inPieces, repeated, testGrowth } from '#tests/support/growth.ts'

/* Functions that read text of tenants, providers or websites on the event loop, with inputs of their own. */

const FOREVER = new AbortController().signal

const count = await loadTokenCounter()
const secrets = [
  'aaaaaaaaab',
  'aaaa',
  'ab'.repeat(100),
  ...Array.from({ length: 50 }, (_, index) => `secret-${index}`),
]
const mask = maskOf(secrets)
const query = parseQuery(`${'a '.repeat(60)}"b a a a a a a a a a a"`)

/** A website whose files all have this content. */
const visitorOf = (content: string): Visitor => ({
  get: async (url) => ({
    url,
    status: 200,
    headers: {},
    contentType: 'text/plain',
    etag: null,
    lastModified: null,
    body: Buffer.from(content),
  }),
})

const ROWS: GrowthRow[] = [
  {
    what: 'a number with many digits',
    run: (text) => parseExactJson(`[1.${text}1]`),
    inputs: [
      ['', '0'],
      ['1', '0'],
      ['', '1'],
      ['', '0,1.'],
    ],
  },
  {
    what: 'masking secrets',
    run: mask.text,
    inputs: [
      ['', 'a'],
      ['', 'ab'],
      ['', 'secret-'],
      ['', 'c2VjcmV0LT'],
    ],
  },
  {
    what: 'masking as many secrets as the text has words',
    run: (text) => {
      const words = text.split(' ').map((word, index) => `${word}${index}`)
      return maskOf(words).text(words.join(' '))
    },
    inputs: [
      ['', 'secret '],
      ['', 'aaaa '],
    ],
  },
  {
    what: 'counting tokens',
    run: count,
    inputs: ['/\r\n', '<|/\r\n', '\r\n/', 'A', 'aB', '\n ', '.', '漢', 'e\u0301', 'ʰ', '1', "'s", '😀'].map(
      (unit): [string, string] => ['', unit],
    ),
  },
  {
    what: 'reading passages',
    run: readPassages,
    inputs: [
      '<passage number="1" document="a">\n',
      '<passage number="1" document="a" headings="',
      '<passage number="1',
      '\n</passage',
    ].map((unit): [string, string] => [`\n\n${PASSAGES_PREFACE}`, unit]),
  },
  {
    what: 'removing attachments',
    run: withoutAttachments,
    inputs: [
      '<attachment name=',
      '<attachment name=\n</attachment',
      '<mcp_server>\n',
      '<next_page>\n.\n',
    ].map((unit): [string, string] => ['', unit]),
  },
  {
    what: 'escaping tags',
    run: withoutTags,
    inputs: ['<', '< ', '<\u200b/ ', '< / ', '</'].flatMap((unit): [string, string][] => [
      ['', unit],
      [unit, ' '],
    ]),
  },
  {
    what: 'reading the output of a tool',
    run: readToolOutput,
    inputs: [
      ['<tool_output>\n', '\n</tool_output>'],
      ['<tool_output>\n', '\n</tool_output> '],
    ],
  },
  {
    what: 'finding searched words',
    run: (text) => [...findTerms(text, query)].length,
    inputs: [
      ['', 'a '],
      ['', 'b a a a a a a a a a c '],
      ['', 'c '],
    ],
  },
  {
    what: 'cleaning a document',
    run: cleanDocument,
    inputs: repeated('\u00ad', '\u00ad\n', '\u00ad ', '\r'),
  },
  {
    what: 'joining broken words',
    run: joinBrokenWords,
    inputs: [
      ...repeated('a', '-', 'a-', 'a-\n', 'ab-\nab', 'a-b ', 'a- ', '\u00ad\n'),
      ['-', 'a'],
      ['a-\n', 'a'],
    ],
  },
  { what: 'cleaning a title', run: cleanTitle, inputs: repeated('[', '{"title":', '"', '#', '<think>', ' ') },
  {
    what: 'splitting thoughts',
    run: splitThoughts,
    inputs: repeated('<think>', '</think>', '<', '[THINK]', ' '),
  },
  {
    what: 'separating thoughts that arrive in pieces',
    run(text) {
      const tags = new ThinkTags({ text() {}, reasoning() {} })
      for (const piece of inPieces(text)) tags.text(piece)
      tags.end()
    },
    inputs: [
      ...repeated(' ', '<', '[', '<think>', '<think></think>', '<|channel|>', '<|', 'assistant'),
      ['<think>', 'a'],
      ['<think>', ' '],
      ['<think>', '</thin'],
      ['<|channel|>', 'a'],
      ['<|channel|>analysis<|message|>', '<'],
      ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
    ],
  },
  {
    what: 'reading a streamed body that arrives in pieces',
    run: attempt((text) => {
      const body = new StreamBody(true, () => {})
      for (const piece of inPieces(text)) body.feed(Buffer.from(piece))
      body.end()
    }),
    inputs: [...repeated(' ', 'data: a', 'data: a\n', '\n', ':', '\r'), ['[', '{},'], ['{"', 'a']],
  },
  {
    what: 'splitting a document',
    run: (text) => splitText(text, { kind: 'markdown' }),
    inputs: repeated(
      'a',
      'a ',
      '#',
      '# a\n',
      '- ',
      '- a\n',
      '|',
      '| a |\n',
      '```\n',
      '> ',
      '\n',
      '. ',
      '漢',
      '😀',
    ),
  },
  {
    what: 'reading robots.txt',
    run: (text) => readRobots('http://site.example', visitorOf(text), FOREVER).catch(() => {}),
    inputs: repeated(
      'Disallow: /a\n',
      'User-agent: *\n',
      'Disallow: /*a\n',
      '#',
      '\r',
      ' ',
      'a:',
      'Sitemap: a\n',
    ),
  },
  {
    what: 'reading sitemaps',
    run: (text) => readSitemaps(['http://site.example/map'], visitorOf(text), 10_000, FOREVER),
    inputs: [
      ...repeated('<loc>', '<loc>a', '</loc>', '<', '<loc>http://site.example/a</loc>', '<loc ', '&', ' '),
      ...repeated(
        '<loc><![CDATA[',
        '<loc><![CDATA[a]]>',
        '<!--',
        '<!-- -->',
        '<?',
        'http://site.example/a\n',
      ),
    ],
  },
  {
    what: 'decoding a page',
    run: (text) => decodePage(Buffer.from(text), 'text/html'),
    inputs: repeated(
      '<meta ',
      '<meta charset=',
      '<meta a="',
      '<!--',
      '<script>',
      '<title',
      '<',
      ' ',
      'é',
      '\ufffd',
    ),
  },
  {
    what: 'removing thoughts',
    run: withoutThoughts,
    inputs: repeated('<think>', '</think>', '<', '[THINK]', ' '),
  },
  {
    what: 'reading the arguments of a call',
    run: attempt(readCallArguments),
    inputs: repeated('[', '{"a":', '`', '"', ' '),
  },
  { what: 'cleaning the text of a server', run: cleanText, inputs: repeated('\u202e', ' ', '\r\n', 'a') },
  {
    what: 'reading the Accept header',
    run: (text) => prefers('text/event-stream', text),
    inputs: repeated(',', ';q=', '*/*;', ' '),
  },
  {
    what: 'reading cookies',
    run: (text) => readCookie(text, 'a'),
    inputs: repeated(';', 'a=', ' ', 'b=1; '),
  },
  { what: 'finding visible characters', run: isBlank, inputs: repeated(' ', '\u200b', 'a') },
  {
    what: 'reading directives for robots',
    run: readRobotsDirectives,
    inputs: repeated(',', 'noindex,', ':', ' '),
  },
  {
    what: 'listing words and their other forms',
    run: (text) => listWords(text).map(variantOf),
    inputs: repeated(
      ...[
        'a',
        'a ',
        "'",
        '漢',
        'e\u0301',
        '-',
        'a\u00ad',
        'a\u200b',
        '\u200b',
        'a\u200b ',
        '\u2060',
        '👍🏽',
        '🇩',
      ],
      ...['é', 'é ', '환', '환불은 ', '하'],
    ),
  },
  { what: 'detecting the language', run: languageOf, inputs: repeated('a', 'the ', '漢', '-') },
  {
    what: 'parsing a body',
    run: attempt((text: string) => parseJsonBody(Buffer.from(text), { valuesMax: 1_000_000 })),
    inputs: repeated('[', '0,', '{"a":', '"', '\\\\', ' '),
  },
]

testGrowth(ROWS)
