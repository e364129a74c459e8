import type { Frame, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeInBrowser } from '#tests/support/browser.ts'
import { ask, openChat, startWidgetStage, type WidgetStage } from '#tests/support/widget-stage.ts'

describeInBrowser('a reply in Markdown', () => {
  let stage: WidgetStage
  let page: Page
  let chat: Frame
  const asked: string[] = []
  beforeAll(async () => {
    stage = await startWidgetStage()
    page = await stage.visit(await stage.deploy())
    page.on('request', (request) => asked.push(request.url()))
    chat = await openChat(page)
  })
  afterAll(() => stage.stop())

  /** Returns the HTML elements of a text. */
  async function show(markdown: string): Promise<string> {
    await ask(chat, `say: ${markdown}`)
    return chat.locator('.reply').last().innerHTML()
  }

  test('shows headings, lists, tables, quotes and code', async () => {
    expect(await show('# One\n\n### Three')).toBe('<h3>One</h3><h5>Three</h5>')
    expect(await show('3. three\n4. **four**\n   - *deep* ~~gone~~')).toBe(
      '<ol start="3"><li>three</li><li><strong>four</strong><ul><li><em>deep</em> <del>gone</del></li></ul></li></ol>',
    )
    expect(await show('- [x] done\n- [ ] not')).toBe(
      '<ul><li class="task">☑ done</li><li class="task">☐ not</li></ul>',
    )
    expect(await show('| a | b |\n|---|--:|\n| 1 | `2` |')).toBe(
      '<div class="table" tabindex="0"><table><thead><tr><th>a</th><th class="align-right">b</th></tr></thead>' +
        '<tbody><tr><td>1</td><td class="align-right"><code>2</code></td></tr></tbody></table></div>',
    )
    expect(await show('> a  \n> b\n\n---')).toBe('<blockquote><p>a<br>b</p></blockquote><hr>')
    expect(await show('```js\nif (a < b) go()\n```')).toContain('<code>if (a &lt; b) go()</code>')
  })

  test('shows characters literally, and tags as written', async () => {
    const tags = '<b>bold</b> <img src=x onerror=alert(1)> <script>alert(2)</script>'
    expect(await show(tags)).toBe(
      '<p>&lt;b&gt;bold&lt;/b&gt; &lt;img src=x onerror=alert(1)&gt; &lt;script&gt;alert(2)&lt;/script&gt;</p>',
    )
    expect(await show('1 &lt; 2 &amp;&amp; &#x1F600; &#0; \\* &unknown; "quoted"')).toBe(
      '<p>1 &lt; 2 &amp;&amp; 😀 \ufffd * &amp;unknown; "quoted"</p>',
    )
  })

  test('links only to the web and to mail', async () => {
    expect(await show('[web](https://example.com/a?b) www.example.com me@example.com')).toBe(
      '<p><a href="https://example.com/a?b" title="https://example.com/a?b" target="_blank" rel="noopener noreferrer">web</a> ' +
        '<a href="http://www.example.com" title="http://www.example.com" target="_blank" rel="noopener noreferrer">www.example.com</a> ' +
        '<a href="mailto:me@example.com" title="mailto:me@example.com" target="_blank" rel="noopener noreferrer">me@example.com</a></p>',
    )
    for (const address of [
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      '/api',
      '//evil.example',
      'data:text/html,x',
    ])
      expect(await show(`[here](${address})`)).toBe('<p>here</p>')
  })

  test('loads no images and shows links instead', async () => {
    asked.length = 0
    const address = `${stage.site.url}/pixel.png?secret`
    const shown = await show(`![the *pixel*](${address}) and ![](${address})\n\n<img src="${address}">`)
    expect(await chat.locator('.reply').last().locator('img').count()).toBe(0)
    expect(await chat.locator('.reply').last().locator('a').allInnerTexts()).toEqual(['the *pixel*', address])
    expect(shown).toContain('&lt;img')
    expect(asked.map((url) => new URL(url).pathname)).toEqual(['/api/agent_deploy/chat'])
  })

  test('limits nesting, and wraps text without spaces', async () => {
    expect(await show(`${'>'.repeat(3_000)} deep`)).toContain('deep')
    expect(await show(`${'*a '.repeat(1_000)}`)).toContain('a')
    await show('x'.repeat(2_000))
    expect(await chat.evaluate('document.querySelector(".log").scrollWidth <= innerWidth')).toBe(true)
  })

  test('offers to copy code', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await show('```\none\ntwo\n```')
    await chat.locator('.copy').last().click()
    await chat.waitForSelector('.copy >> text=Copied')
    expect(await chat.evaluate('navigator.clipboard.readText()').catch(() => 'refused')).toMatch(
      /^(one\ntwo|refused)$/,
    )
  })
})
