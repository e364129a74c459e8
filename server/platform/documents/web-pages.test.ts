import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { createDocuments } from './documents.ts'

/** Tests the extraction of web pages. */

const documents = createDocuments()
afterAll(() => documents.close())

const URL_OF_PAGE = 'https://farm.example/bees/winter.html'
const HTML = 'text/html'
const read = (page: string | Buffer, contentType = HTML) =>
  documents.readPage({ bytes: Buffer.from(page), contentType, url: URL_OF_PAGE })
const fixture = (name: string) => readFileSync(`tests/fixtures/web/${name}`)

describe('a web page', () => {
  test('is converted to Markdown with its metadata', async () => {
    const { text, ...said } = await read(fixture('article.html'))
    expect(`${text}\n`).toBe(fixture('article.md').toString())
    expect(said).toEqual({
      title: 'Keeping bees in cold places',
      description: 'How hives get through a long winter.',
      canonical: 'https://farm.example/bees/winter',
      links: [
        'https://farm.example/',
        'https://farm.example/shop?utm_source=menu',
        'https://farm.example/about',
        'https://farm.example/honey?utm_medium=text',
        'http://elsewhere.example/',
      ],
      isIndexable: true,
      isFollowable: true,
      refresh: null,
      isCut: false,
    })
  })

  test('with nested tables and unclosed elements is read', async () => {
    const { text, title } = await read(fixture('old-layout.html'))
    expect(title).toBe('Trains of the old line')
    expect(text).toContain(
      'The line was opened in 1887 & closed in 1961\n\nIt had four stations\nand one tunnel',
    )
    expect(text).toContain('| Station | Height |\n| --- | --- |\n| Upper Mill | 410 m |\n| Pass | 903 m |')
    expect(text).toContain('- steam until 1940\n- then diesel')
  })

  test.each([
    ['plain words', 'plain words'],
    ['<p>one<p>two', 'one\n\ntwo'],
    ['<title>T</title><div>a</p></div></b>after', 'aafter'],
    ['<html><head><title>T</title></head>words', 'words'],
    ['<body><nav><a href="/a">Only</a> <a href="/b">links</a></nav>', '[Only](https://farm.example/a)'],
    ['<body><p>a<svg><text>drawn</text></svg><iframe src="/x">no</iframe> b', 'a b'],
    ['<body><p>&lt;script&gt; &nbsp;is a word', '<script>'],
    ['<body><a href="data:text/html,x">data</a> <a href="vbscript:x">old</a>', 'data old'],
    ['<body><a href="/card"><h3>Card</h3><p>words</p></a>', '### [Card](https://farm.example/card)\n\nwords'],
    ['<body><p>\ud800 half</p>', '\ufffd half'],
    ['<body><pre>```\nfence</pre>', '````\n```\nfence\n````'],
    ['', ''],
  ])('%j is read', async (html, words) => {
    const { text } = await read(html)
    expect(text).toContain(words)
    expect(text).not.toMatch(/javascript:|data:text|<svg|<iframe/)
  })

  test.each([
    ['<meta name="robots" content="noindex">', false, true],
    ['<meta name="ROBOTS" content="NOINDEX, NOFOLLOW">', false, false],
    ['<meta name="parley" content="none">', false, false],
    ['<meta name="googlebot" content="noindex">', true, true],
    ['<meta name="robots" content="index, follow, max-snippet:-1">', true, true],
  ])('with %s is obeyed', async (meta, isIndexable, isFollowable) => {
    expect(await read(`<html><head>${meta}</head><body><p>a</p></body></html>`)).toMatchObject({
      isIndexable,
      isFollowable,
    })
  })

  test('resolves links against its base and skips nofollow', async () => {
    const { links } = await read(
      '<head><base href="/b/"></head><body><a href="x#1">x</a><a href="x#2">x</a><a rel="nofollow" href="n">n</a><a href="http://[">?</a>',
    )
    expect(links).toEqual(['https://farm.example/b/x'])
  })

  test.each([
    [
      'ISO-8859-1 declared by the server',
      Buffer.from('<p>Gr\u00fc\u00dfe', 'latin1'),
      `${HTML}; charset="ISO-8859-1"`,
      'Grüße',
    ],
    [
      'ISO-8859-1 declared by the page',
      Buffer.from('<meta charset=iso-8859-1><p>Gr\u00fc\u00dfe', 'latin1'),
      HTML,
      'Grüße',
    ],
    ['undeclared Windows-1252', Buffer.from([0x3c, 0x70, 0x3e, 0x80, 0xfc]), HTML, '€ü'],
    [
      'Shift_JIS declared by the page',
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><p>'),
        Buffer.from([0x93, 0x8c, 0x8b, 0x9e]),
      ]),
      HTML,
      '東京',
    ],
    [
      'UTF-16 with a byte order mark',
      Buffer.from('\ufeff<p>東京', 'utf16le'),
      `${HTML}; charset=latin1`,
      '東京',
    ],
    ['an unknown encoding', Buffer.from('<p>東京'), `${HTML}; charset=klingon`, '東京'],
  ])('is decoded: %s', async (_what, bytes, contentType, words) => {
    expect((await read(bytes, contentType)).text).toBe(words)
  })

  test.each(['text/plain; charset=utf-8', 'text/markdown'])(
    'of type %s is kept unchanged',
    async (contentType) => {
      expect(await read('# Title\r\n\n<b>x</b>', contentType)).toMatchObject({
        text: '# Title\n\n<b>x</b>',
        links: [],
      })
    },
  )

  test('from a file starts with its title', async () => {
    const { text } = await documents.extractText({
      path: 'tests/fixtures/web/article.html',
      contentType: HTML,
    })
    expect(text).toMatch(/^# Keeping bees in cold places\n\nA hive of 20,000 bees/)
  })
})
