import { describe, expect, test } from 'vitest'
import { makeBook } from '#tests/support/office-files.ts'
import { readAs } from '#tests/support/read-as.ts'

describe('an EPUB', () => {
  const page = (body: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>${body}</body></html>`
  test.each<[what: string, chapters: string[], options: Parameters<typeof makeBook>[1], expected: string]>([
    [
      'with chapters',
      [page('<h1>One</h1><p>First text.</p>'), page('<h1>Two</h1><p>Second text.</p>')],
      {},
      '# One\n\nFirst text.\n\n\n# Two\n\nSecond text.',
    ],
    [
      'with a title and authors',
      [page('<p>Text.</p>')],
      { metadata: '<dc:title>Book</dc:title><dc:creator>Ada</dc:creator><dc:creator>Bo</dc:creator>' },
      '# Book\n\nAda, Bo\n\nText.',
    ],
    [
      'with a table and HTML entities',
      [page('<table><tr><th>a</th><th>b</th></tr><tr><td>1&nbsp;x</td><td>2</td></tr></table>')],
      {},
      '| a | b |\n| --- | --- |\n| 1 x | 2 |',
    ],
    [
      'with empty elements',
      [
        page('<script src="x"/><a id="p1"/><div/><p>Text<br/>goes on.</p>').replace(
          '<title>t</title>',
          '<title/>',
        ),
      ],
      {},
      'Text\ngoes on.',
    ],
    ['with scripts', [page('<script>alert(1)</script><p>Text.</p>')], {}, 'Text.'],
    ['that is not well-formed', ['<html><body><p>one<p>two</body></html>'], {}, 'one\n\ntwo'],
    [
      'with obfuscated fonts',
      [page('<p>Text.</p>')],
      {
        parts: [
          {
            name: 'META-INF/encryption.xml',
            content:
              '<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/font.otf"/></CipherData></EncryptedData></encryption>',
          },
        ],
      },
      'Text.',
    ],
  ])('%s', async (_what, chapters, options, expected) => {
    expect(await readAs(makeBook(chapters, options), 'epub')).toBe(expected)
  })

  test('that is protected is encrypted', async () => {
    const parts = [
      {
        name: 'META-INF/encryption.xml',
        content:
          '<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/text/c0.xhtml"/></CipherData></EncryptedData></encryption>',
      },
    ]
    await expect(readAs(makeBook(['xx'], { parts }), 'epub')).rejects.toThrow('This e-book is encrypted.')
  })
})
