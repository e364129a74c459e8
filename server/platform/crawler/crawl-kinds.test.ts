import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { failureOf, prepareCrawls } from '#tests/support/crawling.ts'
import { type Answer, page, redirectTo, robots, send } from '#tests/support/website.ts'

/** Websites that redirect by meta refresh, and sitemaps in all forms of XML. */

const { website, at, read, pathsOf } = prepareCrawls()
const meta = (content: string) => `<meta http-equiv="refresh" content="${content}">`
const refresh = (content: string, body = '') =>
  `<html><head>${meta(content)}</head><body>${body}</body></html>`

describe('a meta refresh', () => {
  test.each<[string, () => Answer]>([
    ['in the page', () => refresh('0; url=/refreshed')],
    ['to an absolute URL', () => refresh(`0; url=${at('/refreshed')}`)],
    ['of a page with text', () => refresh('1;URL=/refreshed', '<p>You will be redirected.</p>')],
    [
      'of a page that is not to be indexed',
      () => refresh('0;/refreshed').replace('<meta', '<meta name="robots" content="noindex"><meta'),
    ],
    ['in a header', () => send('text/html', '<p>Moved</p>', { refresh: '0; url=/refreshed' })],
    [
      'for readers without scripts',
      () =>
        `<html><head><noscript>${meta('0; url=/refreshed')}</noscript></head><body><script>go()</script></body></html>`,
    ],
    ['after a redirect', () => redirectTo('/old')],
    ['after some seconds, without text', () => refresh('30; url=/refreshed')],
  ])('%s is followed, as one page', async (_what, answer) => {
    website.pages = { '/': answer(), '/old': refresh('0; url=/refreshed'), '/refreshed': page('Refreshed') }
    const pages = await read()
    expect(pathsOf(pages)).toEqual(['/refreshed'])
    expect(pages[0]).toMatchObject({ title: 'Refreshed' })
  })

  test('to another website is followed from the first page only', async () => {
    const other = at('/', 'other.example')
    website.pages = {
      '/': refresh(`0; url=${other}b`),
      '/b': page('B', '/c'),
      '/c': refresh(`0;url=${at('/d')}`),
      '/d': page('D'),
    }
    const pages = await read({ maxPages: 5, maxDepth: 2 })
    expect(pages.map(({ url }) => url)).toEqual([`${other}b`])
  })

  test.each([
    ['a private address', 'http://10.0.0.1/', /not a public address/],
    ['the server itself', 'http://169.254.169.254/latest/meta-data/', /not a public address/],
    ['a page that robots.txt forbids', '/private', /does not allow reading/],
  ])('to %s is checked like a redirect', async (_what, target, sentence) => {
    website.pages = {
      '/robots.txt': robots('User-agent: *\nDisallow: /private'),
      '/': refresh(`0; url=${target}`),
      '/private': page('P'),
    }
    expect((await failureOf(read()))?.message).toMatch(sentence)
    expect(website.asked).not.toContain('/private')
  })

  test('in a circle ends', async () => {
    website.pages = { '/': refresh('0; url=/a'), '/a': refresh('0; url=/') }
    expect((await failureOf(read()))?.message).toMatch(/redirects more than 5 times/)
    expect(website.asked.length).toBeLessThanOrEqual(4)
  })

  test('without end ends', async () => {
    website.pages = {
      '/robots.txt': robots(''),
      '*': (response, request) =>
        void response.writeHead(200, { 'content-type': 'text/html' }).end(refresh(`0; url=${request.url}x`)),
    }
    expect((await failureOf(read()))?.message).toMatch(/redirects more than 5 times/)
    expect(website.asked.length).toBeLessThanOrEqual(7)
  })

  test.each([
    ['to the page itself', refresh('0; url=/', '<p>Words of Home.</p>')],
    ['after a minute', refresh('60; url=/other', '<p>Words of Home.</p>')],
    ['without a URL', refresh('5', '<p>Words of Home.</p>')],
    [
      'for readers without scripts',
      `<html><head><noscript>${meta('0; url=/other')}</noscript></head><body><p>Words of Home.</p></body></html>`,
    ],
    ['in a circle with text', refresh('0; url=/circle', '<p>Words of Home.</p>')],
  ])('%s leaves a page with text', async (_what, answer) => {
    website.pages = {
      '/': answer,
      '/circle': refresh('0; url=/', '<p>Words of Home.</p>'),
      '/other': page('Other'),
    }
    const [found] = await read()
    expect(found).toMatchObject({ markdown: expect.stringContaining('Words of Home.') })
  })

  test('of linked pages counts each page once', async () => {
    website.pages = {
      '/': page('Home', '/a', '/b', '/c'),
      '/a': refresh('0; url=/c'),
      '/b': refresh('0; url=/c'),
      '/c': page('C'),
    }
    expect(pathsOf(await read({ maxPages: 10, maxDepth: 1 }))).toEqual(['/', '/c'])
  })
})

describe('a sitemap', () => {
  const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'
  const urlset = (locations: string, attributes = `xmlns="${NAMESPACE}"`) =>
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${attributes}>${locations}</urlset>`
  const A = () => at('/a?x=1&y=2')
  const escaped = () => A().replaceAll('&', '&amp;')
  test.each<[string, () => string | Buffer]>([
    ['plain text', () => urlset(`<url><loc>${escaped()}</loc></url>`)],
    ['CDATA', () => urlset(`<url><loc><![CDATA[${A()}]]></loc></url>`)],
    ['CDATA between line breaks', () => urlset(`<url><loc>\n  <![CDATA[ ${A()} ]]>\n</loc></url>`)],
    [
      'CDATA in two sections',
      () => urlset(`<url><loc><![CDATA[${at('/a')}]]><![CDATA[?x=1&y=2]]></loc></url>`),
    ],
    ['text and CDATA', () => urlset(`<url><loc>${at('/a')}<![CDATA[?x=1&y=2]]></loc></url>`)],
    [
      'a comment',
      () => urlset(`<!-- <url><loc>${at('/no')}</loc></url> --><url><loc><!-- x -->${escaped()}</loc></url>`),
    ],
    ['decimal entities', () => urlset(`<url><loc>${at('/a?x=1&#38;y=2')}</loc></url>`)],
    ['hexadecimal entities', () => urlset(`<url><loc>${at('/a?x=1&#x26;y&#x3D;2')}</loc></url>`)],
    ['an attribute', () => urlset(`<url><loc xml:lang="en">${escaped()}</loc></url>`)],
    ['blanks in the tag', () => urlset(`<url ><loc >${escaped()}</loc ></url >`)],
    [
      'a prefix',
      () => `<sm:urlset xmlns:sm="${NAMESPACE}"><sm:url><sm:loc>${escaped()}</sm:loc></sm:url></sm:urlset>`,
    ],
    [
      'images',
      () =>
        urlset(
          `<url><loc>${escaped()}</loc><image:image><image:loc>${at('/picture')}</image:loc></image:image></url>`,
          `xmlns="${NAMESPACE}" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"`,
        ),
    ],
    ['a byte order mark', () => `\ufeff${urlset(`<url><loc>${escaped()}</loc></url>`)}`],
    ['UTF-16', () => Buffer.from(`\ufeff${urlset(`<url><loc>${escaped()}</loc></url>`)}`, 'utf16le')],
    ['gzip', () => gzipSync(urlset(`<url><loc><![CDATA[${A()}]]></loc></url>`))],
    [
      'a long comment before',
      () =>
        `<?xml version="1.0"?><!--${' '.repeat(5_000)}-->${urlset('').slice(39, -9)}<url><loc>${escaped()}</loc></url></urlset>`,
    ],
    ['lines of text', () => `${at('/a?x=1&y=2')}\r\nnothing\r\n`],
    [
      'a second, broken location',
      () => urlset(`<url><loc>${escaped()}</loc></url><url><loc><![CDATA[${at('/no')}`),
    ],
    [
      'empty locations',
      () => urlset(`<url><loc/></url><url><loc></loc></url><url><loc>${escaped()}</loc></url>`),
    ],
  ])('with %s is read', async (_what, body) => {
    website.pages = {
      '/': page('Home'),
      '/a?x=1&y=2': page('A'),
      '/no': page('No'),
      '/picture': page('Picture'),
      '/sitemap.xml': send('application/xml', body()),
    }
    expect(pathsOf(await read({ maxPages: 10, maxDepth: 1 }))).toEqual(['/', '/a?x=1&y=2'])
  })

  test.each<[string, (location: string) => string]>([
    [
      'CDATA',
      (location) =>
        `<sitemapindex xmlns="${NAMESPACE}"><sitemap><loc><![CDATA[${location}]]></loc></sitemap></sitemapindex>`,
    ],
    [
      'a prefix',
      (location) =>
        `<s:sitemapindex xmlns:s="${NAMESPACE}"><s:sitemap><s:loc>${location}</s:loc></s:sitemap></s:sitemapindex>`,
    ],
    [
      'a long comment',
      (location) =>
        `<!--${' '.repeat(5_000)}--><sitemapindex><sitemap><loc>${location}</loc></sitemap></sitemapindex>`,
    ],
  ])('that is an index with %s is followed', async (_what, index) => {
    website.pages = {
      '/': page('Home'),
      '/a': page('A'),
      '/sitemap.xml': send('application/xml', index(at('/1.xml'))),
      '/1.xml': send('application/xml', urlset(`<url><loc><![CDATA[${at('/a')}]]></loc></url>`)),
    }
    expect(pathsOf(await read({ maxPages: 10 }))).toEqual(['/', '/a'])
  })
})
