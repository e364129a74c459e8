import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { failureOf, prepareCrawls } from '#tests/support/crawling.ts'
import { type Answer, page, redirectTo, robots, send } from '#tests/support/website.ts'
import { FetchError } from '../net/fetch-bounded.ts'
import { createNet, NetError } from '../net/index.ts'
import { crawl } from './crawl.ts'

/** Tests crawls of malicious websites, and respect for the rules of well-behaved websites. */

const { website, net, documents, at, read, pathsOf } = prepareCrawls()

describe('a hostile website', () => {
  test.each<[string, Answer, RegExp]>([
    ['is missing', send('text/html', '', {}, 404), /responded with status 404/],
    ['is a PDF', send('application/pdf', '%PDF-'), /PDF, not a web page. Upload the file/],
    ['is a video', send('video/mp4', 'x'), /returns video\/mp4, not a web page/],
    ['contains no text', '<script>draw()</script>', /contains no text/],
    ['is too large', send('text/html', 'a'.repeat(5_000_001)), /sent a response larger than 5 MB/],
    [
      'is a decompression bomb',
      send('text/html', gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }),
      /larger than 5 MB/,
    ],
    ['redirects in a circle', redirectTo('/'), /redirects more than 5 times/],
    ['redirects to a private address', redirectTo('http://10.0.0.1/'), /not a public address/],
    [
      'redirects to the server itself',
      redirectTo('http://169.254.169.254/latest/meta-data/'),
      /not a public address/,
    ],
  ])('fails if its first page %s', async (_what, answer, sentence) => {
    website.pages = { '/': answer }
    expect((await failureOf(read()))?.message).toMatch(sentence)
  })

  test('at a private address is never requested', async () => {
    const strict = createNet({ allowPrivateNetwork: false })
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
      const begun = crawl(strict, documents, { url: at('/', host) }, new AbortController().signal).next()
      expect(await failureOf(begun)).toBeInstanceOf(NetError)
    }
    expect(website.asked).toEqual([])
    await strict.close()
  })

  test('loses only the pages that fail', async () => {
    website.pages = {
      '/': page('Home', '/cut', '/inside', '/away', '/circle', '/a'),
      '/cut': (response) => {
        response.writeHead(200, { 'content-type': 'text/html', 'content-length': '100' }).write('a')
        setTimeout(() => response.destroy(), 20)
      },
      '/inside': redirectTo('http://10.0.0.1/'),
      '/away': redirectTo('http://other.example/'),
      '/circle': redirectTo('/circle'),
      '/a': page('A'),
    }
    const pages = await read({ maxPages: 10, maxDepth: 1 })
    expect(pathsOf(pages)).toEqual(['/', '/cut', '/inside', '/circle', '/a'])
    expect(pages.filter((found) => 'error' in found)).toHaveLength(3)
  })

  test('cannot trap the crawler with endless URLs of one page or with a cycle', async () => {
    let visits = 0
    website.pages = {
      '/': page('Home', '/again?n=0', '/b'),
      '/again': (response) =>
        void response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(`<p>Same</p><a href="?n=${++visits}"></a>`),
      '/b': page('B', '/c'),
      '/c': page('C', '/b', '/'),
    }
    const pages = await read({ maxPages: 5, maxDepth: 100 })
    expect(pathsOf(pages).toSorted()).toEqual(['/', '/again?n=0', '/b', '/c'])
    expect(website.asked.length).toBeLessThanOrEqual(2 + 4 * 4 + 1)
  })

  test.each<[string, Answer]>([
    ['unpacks to 50 MB', send('application/gzip', gzipSync(Buffer.alloc(50_000_000, '<loc>')))],
    [
      'arrives compressed and unpacks to 50 MB',
      send('text/xml', gzipSync(Buffer.alloc(50_000_000)), { 'content-encoding': 'gzip' }),
    ],
    [
      'lists itself',
      (response) =>
        void response.end(
          `<sitemapindex><loc>${at('/sitemap.xml?')}${website.asked.length}</loc></sitemapindex>`,
        ),
    ],
    ['breaks off', send('text/xml', '<urlset><loc>http://')],
    ['is empty', send('text/xml', '<loc></loc><loc>::</loc>')],
  ])('is read without a sitemap that %s', async (_what, answer) => {
    website.pages = { '/': page('Home'), '/sitemap.xml': answer }
    expect(pathsOf(await read({ maxPages: 5 }))).toEqual(['/'])
    expect(website.asked.length).toBeLessThanOrEqual(22)
  })
})

describe('a polite crawler', () => {
  test('retries once after a short Retry-After', async () => {
    let refusals = 0
    const busy =
      (retryAfter: string): Answer =>
      (response) => {
        if (refusals++ > 0) response.writeHead(200, { 'content-type': 'text/html' }).end(page('Home'))
        else response.writeHead(429, { 'retry-after': retryAfter }).end()
      }
    website.pages = { '/': busy('0') }
    expect(pathsOf(await read())).toEqual(['/'])
    refusals = 0
    website.pages = { '/': busy('31') }
    expect((await failureOf(read()))?.message).toContain('responded with status 429')
  })

  test('sends at most two requests at a time', async () => {
    let underWay = 0
    let most = 0
    const slow: Answer = (response, request) => {
      most = Math.max(most, ++underWay)
      setTimeout(() => {
        underWay--
        response.writeHead(200, { 'content-type': 'text/html' }).end(page(request.url ?? ''))
      }, 250)
    }
    website.pages = { '/': page('Home', '/1', '/2', '/3', '/4', '/5'), '/robots.txt': robots(''), '*': slow }
    expect(await read({ maxPages: 6, maxDepth: 1 })).toHaveLength(6)
    expect(most).toBe(2)
  })

  test('ends with the reason of its abort signal', async () => {
    const aborting = new AbortController()
    const reason = new Error('deleted meanwhile')
    website.pages = {
      '/robots.txt': robots(''),
      '/': page('Home', '/silent'),
      '/silent': () => aborting.abort(reason),
    }
    expect(await failureOf(read({ maxPages: 3, maxDepth: 1 }, aborting.signal))).toBe(reason)
    expect(await failureOf(read({}, aborting.signal))).toBe(reason)
  })

  test('cancels requests when the reader stops', async () => {
    let closed: () => void = () => {}
    const hasClosed = new Promise<void>((resolve) => (closed = resolve))
    website.pages = {
      '/': page('Home', '/a', '/silent'),
      '/a': page('A'),
      '/silent': (_response, request) => void request.socket.on('close', closed),
    }
    const pages = crawl(
      net,
      documents,
      { url: at('/'), maxPages: 3, maxDepth: 1 },
      new AbortController().signal,
    )
    await pages.next()
    await pages.next()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await pages.return(undefined)
    await hasClosed
  })

  test('does not mistake a bug for a failed page', async () => {
    website.pages = { '/': page('Home') }
    const broken = { readPage: () => Promise.reject(new TypeError('a bug')) }
    const begun = crawl(net, broken, { url: at('/') }, new AbortController().signal).next()
    const failure = await failureOf(begun)
    expect(failure).toBeInstanceOf(TypeError)
    expect(failure).not.toBeInstanceOf(FetchError)
  })
})
