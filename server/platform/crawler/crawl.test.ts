import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { failureOf, prepareCrawls } from '#tests/support/crawling.ts'
import { type Answer, page, redirectTo, robots, send } from '#tests/support/website.ts'
import { CrawlError } from './crawl.ts'

/** Tests which pages of a website are read. */

const { website, at, read, pathsOf } = prepareCrawls()
const sitemap = (...paths: string[]) =>
  send(
    'application/xml',
    `<urlset>${paths.map((path) => `<url><loc>${at(path)}</loc></url>`).join('')}</urlset>`,
  )

describe('a website', () => {
  test('is one page by default', async () => {
    website.pages = { '/': send('text/html', page('Home', '/a'), { etag: '"7"', 'last-modified': 'Mon' }) }
    const pages = await read({ url: at('/?utm_source=x#top') })
    expect(pages).toEqual([
      {
        url: at('/'),
        title: 'Home',
        markdown: expect.stringContaining('Words of Home.'),
        contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        etag: '"7"',
        lastModified: 'Mon',
      },
    ])
    expect(website.asked).toEqual(['/robots.txt', '/'])
  })

  test('is read breadth first up to a depth, each page once', async () => {
    website.pages = {
      '/': page(
        'Home',
        '/a',
        '/b/',
        'http://other.example/',
        at('/c', 'www.site.example'),
        'mailto:x@y.example',
      ),
      '/a': page('A', '/', '/a#part', '/deep', '/b?fbclid=1'),
      '/b/': page('B', '/deeper'),
      '/c': page('C'),
      '/deep': page('Deep', '/too-deep'),
      '/deeper': page('Deeper'),
      '/too-deep': page('Too deep'),
    }
    const pages = await read({ maxPages: 100, maxDepth: 2 })
    expect(pages.map((found) => 'title' in found && found.title)).toEqual([
      'Home',
      'A',
      'B',
      'C',
      'Deep',
      'Deeper',
    ])
    // robots.txt is requested more than once, because www.site.example has its own robots.txt.
    const askedFor = website.asked.filter((path) => path !== '/robots.txt')
    expect(new Set(askedFor).size).toBe(askedFor.length)
  })

  test('has at most the requested number of pages, including failed ones', async () => {
    website.pages = {
      '/': page('Home', '/gone', '/a', '/b', '/c'),
      '/a': page('A'),
      '/b': page('B'),
      '/c': page('C'),
    }
    const pages = await read({ maxPages: 3, maxDepth: 1 })
    expect(pages.slice(1)).toEqual([
      { url: at('/gone'), error: `${new URL(at('/')).host} responded with status 404. Check the URL.` },
      expect.objectContaining({ title: 'A' }),
    ])
    expect(website.asked).not.toContain('/c')
  })

  test('is deduplicated by canonical URL and content', async () => {
    website.pages = {
      '/': page('Home', '/print', '/same', '/foreign', '/b'),
      '/print': `<head><link rel="canonical" href="/article"></head>${page('Article')}`,
      '/same': page('Article'),
      '/foreign': `<head><link rel="canonical" href="http://other.example/x"></head>${page('Foreign')}`,
      '/b': `<head><link rel="canonical" href="/article"></head>${page('Another')}`,
    }
    expect(pathsOf(await read({ maxPages: 10, maxDepth: 1 }))).toEqual(['/', '/article', '/foreign'])
  })

  test('is completed from its sitemaps if links lead to too few pages', async () => {
    website.pages = {
      '/robots.txt': robots(`Sitemap: ${at('/index.xml')}\nSitemap: http://other.example/sitemap.xml`),
      '/index.xml': send(
        'application/xml',
        `<sitemapindex><sitemap><loc>${at('/1.xml')}</loc></sitemap><sitemap><loc>${at('/2.xml.gz')}</loc></sitemap></sitemapindex>`,
      ),
      '/1.xml': sitemap('/a', '/b'),
      '/2.xml.gz': send(
        'application/gzip',
        gzipSync(`<urlset><url><loc> ${at('/c?x=1&amp;y=2')} </loc></url></urlset>`),
      ),
      '/': page('Home', '/a'),
      '/a': page('A', '/not-followed'),
      '/b': page('B'),
      '/c': page('C'),
    }
    expect(pathsOf(await read({ maxPages: 10 }))).toEqual(['/', '/a', '/b', '/c?x=1&y=2'])
  })

  test('skips other file types and keeps text files unchanged', async () => {
    website.pages = {
      '/': page('Home', '/x.pdf', '/x.png', '/note.md', '/empty'),
      '/x.pdf': send('application/pdf', '%PDF-'),
      '/x.png': send('image/png', 'x'),
      '/note.md': send('text/markdown', '# Note\n\n*words*'),
      '/empty': '<script>draw()</script>',
    }
    const [, note, empty] = await read({ maxPages: 10, maxDepth: 1 })
    expect(note).toMatchObject({ markdown: '# Note\n\n*words*', title: at('/note.md') })
    expect(empty).toEqual({
      url: at('/empty'),
      error: 'This page contains no text. Text that scripts add to a page is not read.',
    })
  })

  test('that redirects is read at its new address', async () => {
    website.pages = {
      '/': redirectTo(at('/home', 'www.site.example')),
      '/home': page('Home', '/a', at('/b')),
      '/a': page('A'),
      '/b': page('B'),
    }
    const pages = await read({ maxPages: 5, maxDepth: 1 })
    expect(pages.map(({ url }) => url)).toEqual([
      at('/home', 'www.site.example'),
      at('/a', 'www.site.example'),
      at('/b'),
    ])
  })
})

describe('a page is not read', () => {
  test('if robots.txt disallows it, also behind a redirect', async () => {
    website.pages = {
      '/robots.txt': robots(
        'User-agent: other\nDisallow: /\n\nUser-agent: parley\nDisallow: /private\nDisallow: /*.cgi',
      ),
      '/': page('Home', '/private/a', '/x.cgi', '/way', '/a'),
      '/way': redirectTo('/private/b'),
      '/a': page('A'),
    }
    expect(pathsOf(await read({ maxPages: 10, maxDepth: 1 }))).toEqual(['/', '/a'])
    expect(website.asked.filter((path) => path.startsWith('/private') || path === '/x.cgi')).toEqual([])
  })

  test('if its meta tag or header disallows it', async () => {
    website.pages = {
      '/': page('Home', '/noindex', '/nofollow', '/header'),
      '/noindex': `<head><meta name="robots" content="noindex"></head>${page('N', '/behind')}`,
      '/nofollow': `<head><meta name="robots" content="nofollow"></head>${page('F', '/hidden')}`,
      '/header': send('text/html', page('H'), { 'x-robots-tag': 'noindex' }),
      '/behind': page('Behind'),
    }
    expect(pathsOf(await read({ maxPages: 10, maxDepth: 2 }))).toEqual(['/', '/nofollow', '/behind'])
    expect(website.asked).not.toContain('/hidden')
  })

  test.each<[string, Record<string, Answer>, RegExp]>([
    [
      'robots.txt',
      { '/robots.txt': robots('User-agent: *\nDisallow: /') },
      /does not allow reading this page/,
    ],
    [
      'a robots.txt with status 503',
      { '/robots.txt': send('text/plain', '', {}, 503) },
      /status 503 for robots.txt/,
    ],
    [
      'a robots.txt of wildcards',
      { '/robots.txt': robots(`User-agent: *\n${`Disallow: /${'*a'.repeat(1_000)}\n`.repeat(50)}`) },
      /too complex/,
    ],
    [
      'a noindex tag',
      { '/': `<meta name="robots" content="noindex">${page('Home')}` },
      /asks not to be indexed/,
    ],
  ])('even if it is the first one: %s', async (_what, more, sentence) => {
    website.pages = { '/': page('Home'), ...more }
    const failure = await failureOf(read())
    expect(failure).toBeInstanceOf(CrawlError)
    expect(failure?.message).toMatch(sentence)
  })

  test('a URL is not fetched if its comparison with the wildcards would take too long', async () => {
    const long = `/${'a'.repeat(1_000)}`
    website.pages = {
      '/robots.txt': robots(`User-agent: *\n${`Disallow: /${'*a'.repeat(400)}*b\n`.repeat(10)}`),
      '/': page('Home', '/short', long),
      '/short': page('Short'),
      [long]: page('Long'),
    }
    expect(pathsOf(await read({ maxPages: 10, maxDepth: 1 }))).toEqual(['/', '/short'])
  })

  test('a robots.txt of 10 MB is obeyed up to the size limit', async () => {
    const rules = `User-agent: *\nDisallow: /a\n${'# nothing\n'.repeat(1_000_000)}Disallow: /b\n`
    website.pages = {
      '/robots.txt': robots(rules),
      '/': page('Home', '/a', '/b'),
      '/a': page('A'),
      '/b': page('B'),
    }
    expect(pathsOf(await read({ maxPages: 10, maxDepth: 1 }))).toEqual(['/', '/b'])
  })
})
