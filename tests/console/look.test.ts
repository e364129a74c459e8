import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import type { Person } from '#tests/support/client.ts'
import { type ConsoleStage, sharedConsoleStage } from '#tests/support/console-stage.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/** The look of the console: its typeface, its icons, avatars, the code editor, and counts with their nouns. */

const FONT_BYTES_MAX = 50_000
const EDITOR_LINES_MIN = 20

describeInBrowser('the look', () => {
  let stage: ConsoleStage
  let ada: Person

  beforeAll(async () => {
    stage = await sharedConsoleStage()
    ada = await stage.server.signUp()
  }, 120_000)
  afterAll(() => stage?.stop())

  test('has a small typeface of its own, which the server caches forever', async () => {
    const page = await stage.open('about:blank', undefined, {})
    const arriving = page.waitForResponse((response) => response.url().endsWith('.woff2'))
    await page.goto('/sign_in')
    const font = await arriving
    expect((await font.body()).length).toBeLessThan(FONT_BYTES_MAX)
    expect(font.headers()).toMatchObject({
      'content-type': 'font/woff2',
      'cache-control': expect.stringContaining('immutable'),
    })
    await expect
      .poll(() => page.evaluate(`document.fonts.check('15px "Inter Variable"', 'Parley')`))
      .toBe(true)
  })

  test('can be installed as an app', async () => {
    const page = await stage.open('/sign_in')
    const browser = await page.context().newCDPSession(page)
    const { errors, data } = await browser.send('Page.getAppManifest')
    expect(errors).toEqual([])
    const { icons, ...manifest } = JSON.parse(data ?? '{}')
    expect(manifest).toMatchObject({ name: 'Parley', display: 'standalone', start_url: '/' })
    for (const { src, sizes } of icons) {
      const size = await page.evaluate(
        `new Promise((resolve, reject) => {
          const image = new Image()
          image.onload = () => resolve(image.naturalWidth + 'x' + image.naturalHeight)
          image.onerror = reject
          image.src = ${JSON.stringify(src)}
        })`,
      )
      expect([src, size]).toEqual([src, sizes])
    }
    const { installabilityErrors } = await browser.send('Page.getInstallabilityErrors')
    // Pages in private windows, as in these tests, cannot be installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  })

  test('the code editor shows at least 20 lines', async () => {
    const toolId = await toolsmith(stage.server, ada).make()
    const page = await stage.open(`/tools/${toolId}`, ada)
    const line = page.locator('.cm-line').first()
    await line.waitFor()
    const editor = await page.locator('.cm-scroller').boundingBox()
    const { height } = (await line.boundingBox()) ?? { height: Number.POSITIVE_INFINITY }
    expect((editor?.height ?? 0) / height).toBeGreaterThanOrEqual(EDITOR_LINES_MIN)
  })

  test('shows the logos of providers and servers, as files that are cached forever', async () => {
    for (const [path, list, names] of [
      ['/', 'Providers', ['openai', 'anthropic', 'google', 'deepseek', 'ollama', 'openai-compatible']],
      ['/connections?tab=catalogue', 'Servers', ['github', 'linear', 'notion', 'sentry', 'slack']],
    ] as const) {
      const page = await stage.open('about:blank', ada, {})
      const types: Record<string, string | undefined> = {}
      page.on('response', (response) => {
        const [, name] = /\/logos-\w+\/([\w-]+)\.svg$/.exec(response.url()) ?? []
        const { 'cache-control': caching, 'content-type': type } = response.headers()
        if (name) types[name] = `${type} ${caching?.includes('immutable')}`
      })
      await page.goto(path)
      await page.getByRole('list', { name: list }).waitFor()
      await page.waitForLoadState('networkidle')
      for (const name of names) expect([name, types[name]]).toEqual([name, 'image/svg+xml true'])
      const broken = `[...document.images].filter(({ complete, naturalWidth }) => complete && naturalWidth === 0).length`
      expect(await page.evaluate(broken)).toBe(0)
    }
  })

  test('one passage is not “1 passages”', async () => {
    const library = librarian(stage.server, ada)
    const kbId = await library.create({ sources: [textSource('Hours', 'We open at nine.')] })
    await library.settle(kbId)
    const page = await stage.open(`/knowledge/${kbId}/search?q=open`, ada)
    await page.getByText('1 passage found').waitFor()
  })

  test('no page reported an error', () => {
    expect(stage.problems).toEqual([])
  })
})
