import fc from 'fast-check'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadText } from '../messages/index.ts'
import { highlighter } from './highlight.ts'
import { Markdown } from './markdown.tsx'
import { formulas } from './prose.tsx'
import { isOwnImage, linkTarget } from './safe-address.ts'

beforeAll(async () => {
  await Promise.all([loadText('rest'), highlighter.load(), formulas.load()])
})

const PASSAGES = [{ document_name: 'One' }, { document_name: 'Two' }]

const draw = (text: string, streaming = false): string =>
  renderToStaticMarkup(<Markdown text={text} streaming={streaming} />)

const cite = (text: string, streaming = false): string =>
  renderToStaticMarkup(
    <Markdown text={text} streaming={streaming} citations={PASSAGES} onCitation={() => {}} />,
  )

/** Returns the content of an HTML string without its tags. */
const wordsOf = (html: string): string => html.replace(/<[^>]*>/g, '')

describe('hostile text', () => {
  test.each([
    ['[x](javascript:alert(1))'],
    ['[x](JaVaScRiPt&colon;alert(1))'],
    ['[x](java&#x09;script:alert(1))'],
    ['[x](<java\tscript:alert(1)>)'],
    ['[x](&#1;javascript:alert(1))'],
    ['[x](data:text/html,<script>alert(1)</script>)'],
    ['[x](data:image/png;base64,AAAA)'],
    ['[x](vbscript:x)'],
    ['[x](blob:https://example.com/1)'],
    ['[x](file:///etc/passwd)'],
    ['<javascript:alert(1)>'],
    ['[x][1]\n\n[1]: javascript:alert(1)'],
    ['[x](#user-content)'],
    ['[x](relative)'],
  ])('%s is not a link', (text) => {
    for (const streaming of [false, true]) expect(draw(text, streaming)).not.toMatch(/<a\b|href|src=/)
  })

  test.each([
    ['<script>alert(1)</script>'],
    ['<img src=x onerror=alert(1)>'],
    ['a <b onmouseover="x()">b</b>'],
    ['<svg/onload=alert(1)>'],
    ['<style>*{display:none}</style>'],
    ['- <iframe src="https://example.com"></iframe>'],
    ['|<u>a</u>|\n|-|\n|<object data=x>|'],
    ['```<script>\n</code><script>\n```'],
    ['$<img src=x>$'],
    ['$\\href{javascript:alert(1)}{x}$ and $\\includegraphics{https://example.com/x}$'],
    ['$\\html@mathml{<b>}{x}$ $\\htmlStyle{color:red}{x}$'],
  ])('%s stays plain text', (text) => {
    for (const streaming of [false, true]) {
      const html = draw(text, streaming)
      expect(html).not.toMatch(/<(script|img|svg|style|iframe|object|u|b)\b/)
      expect(html).not.toMatch(/<[^>]* (on\w+|srcdoc|href)=/)
    }
  })

  test.each([
    ['![a](https://example.com/a.png)', 'a (example.com)'],
    ['![](https://example.com/a.png)', 'Image (example.com)'],
    ['![a](//example.com/a.png)', 'a (example.com)'],
    ['[![a](https://example.com/a.png)](https://example.org)', 'a'],
    ['![a](data:image/svg+xml,<svg>)', 'a'],
    ['![a](javascript:x)', 'a'],
    ['![a][i]\n\n[i]: https://example.com/a.png', 'a (example.com)'],
  ])('%s loads nothing', (text, words) => {
    expect(draw(text)).not.toMatch(/<img|src=/)
    expect(wordsOf(draw(text))).toBe(words)
    expect(draw(text, true)).not.toMatch(/<img|src=/)
  })

  test.each([['/files/a.png'], ['blob:https://here.example/1'], ['data:image/png;base64,AAAA']])(
    '%s is shown as an image',
    (address) => {
      expect(draw(`![a picture](${address})`)).toMatch(/<img src="[^"]+" alt="a picture"/)
    },
  )

  test('a path that browsers resolve to another host is not a link', () => {
    expect(['/\\example.com/a', '//example.com/a', 'a', ''].filter(isOwnImage)).toEqual([])
    expect(['/\\example.com/a', 'a', '#a', ''].map(linkTarget)).toEqual([
      'https://example.com/a',
      null,
      null,
      null,
    ])
  })

  test('a link shows its target and sends no referrer', () => {
    expect(draw('[x](https://exämple.com/a "another title")')).toContain(
      '<a href="https://xn--exmple-cua.com/a" title="https://xn--exmple-cua.com/a" target="_blank" rel="noopener noreferrer nofollow"',
    )
  })

  test('deeply nested text still renders', () => {
    for (const text of ['> '.repeat(3_000), '['.repeat(3_000), '*a '.repeat(1_500), '- '.repeat(500)])
      expect(() => draw(text)).not.toThrow()
  })

  test('no text breaks rendering or becomes an element outside Markdown', () => {
    const part = fc.constantFrom(
      '<a href=x>',
      '![',
      '](',
      'javascript:',
      ')',
      '`',
      '```\n',
      '\n\n',
      '|',
      '|-|\n',
      '- ',
      '$',
      '$$',
      '[1]',
      '[^1]',
      '\\(',
      '\\)',
      '<img src=x>',
      '*',
      '[x]: data:x',
      'é',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 25 }), fc.boolean(), (parts, streaming) => {
        const html = cite(parts.join(''), streaming)
        expect(html).not.toMatch(/<img|<script|href="(?!https?:|mailto:|\/)/)
      }),
      { numRuns: 300 },
    )
  })
})

describe('Markdown', () => {
  test('code shows its language, is highlighted and can be focused', () => {
    const html = draw('```js\nconst a = 1\n```\n\ntext')
    expect(html).toContain('role="group" aria-label="js code"')
    expect(html).toContain('<span class="hljs-keyword">const</span>')
    expect(wordsOf(html)).toBe('jsCopyconst a = 1\ntext')
    expect(draw('```js\nconst a = 1\n', true)).not.toContain('hljs')
    expect(wordsOf(draw('- a\n\n  ```py\n  x = 1\n  ```'))).toContain('pyCopyx = 1')
    expect(wordsOf(draw('```unknown\na\n```'))).toBe('unknownCopya\n')
  })

  test('formulas become MathML, and prices stay text', () => {
    expect(draw('It is $x^2$, so\n\n$$\ny = 1\n\n+ 2\n$$')).toMatch(/<math[\s\S]*<math[^>]*display="block"/)
    expect(draw('$$x^2$$')).toContain('display="block"')
    expect(draw('\\(x\\) and \\[y\\]').match(/<math/g)).toHaveLength(2)
    expect(draw('It costs $5 and $10, or US$ 20 and `$x$`.')).not.toContain('<math')
    expect(wordsOf(draw('It costs $5 and $10'))).toBe('It costs $5 and $10')
    expect(draw('It is $x^2$', true)).not.toContain('<math')
    expect(draw('$\\frac{$')).not.toContain('<math')
  })

  test('a long table or list is one element', () => {
    const table = draw(`| a | b |\n|---|--:|\n${'| 1 | 2 |\n'.repeat(30)}`)
    expect(table.match(/<table/g)).toHaveLength(1)
    expect(table.match(/<th\b/g)).toHaveLength(2)
    expect(table.match(/<td/g)).toHaveLength(60)
    expect(draw('| a |\n|---|\n')).toContain('<th')
    const list = draw(`3. three\n${'1. more\n'.repeat(20)}`)
    expect(list.match(/<ol/g)).toHaveLength(1)
    expect(list).toContain('<ol start="3"')
    expect(list.match(/<li/g)).toHaveLength(21)
  })

  test('tasks have a label for their state', () => {
    expect(draw('- [x] a\n- [ ] b')).toMatch(/aria-label="Done"[\s\S]*aria-label="Not done"/)
  })

  test('links use definitions from other blocks, and footnotes stay text', () => {
    expect(draw('See [it][1].\n\n[1]: https://example.com/1')).toContain('href="https://example.com/1"')
    expect(wordsOf(draw('Text[^1].\n\n[^1]: A note'))).toBe('Text[^1].[^1]: A note')
  })

  test('unfinished Markdown is closed while text streams', () => {
    expect(draw('A **bo', true)).toContain('<strong>bo</strong>')
    expect(wordsOf(draw('A [link](https://exa', true))).toBe('A link')
    expect(wordsOf(draw('20~25 and 30~35, a < b and <tag', true))).toBe(
      '20~25 and 30~35, a &lt; b and &lt;tag',
    )
  })
})

describe('citations', () => {
  test('are buttons if the passage exists, also while text streams', () => {
    for (const streaming of [false, true]) {
      const html = cite('So it is [1][2], and not [3] or [0], `[1]`.', streaming)
      expect(html.match(/<button/g)).toHaveLength(2)
      expect(html).toContain('aria-label="Source 2: Two"')
      expect(html).toContain('[3] or [0]')
    }
    expect(draw('So it is [1]')).not.toContain('<button')
  })

  test('work in tables and lists, but not in links and formulas', () => {
    expect(cite('- a [1]\n- b [2]').match(/<button/g)).toHaveLength(2)
    expect(cite('| a |\n|---|\n| b [2] |').match(/<button/g)).toHaveLength(1)
    expect(cite('[see [1]](https://example.com) $x_[1]$')).not.toContain('<button')
  })
})
