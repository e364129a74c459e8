import { expect, test } from 'vitest'
import { seriousFindings } from '#tests/support/axe.ts'
import { borrowBrowser, describeInBrowser } from '#tests/support/browser.ts'

const SCREEN = '<html lang="en"><title>Screen</title><main><h1>Books</h1><button>Buy</button></main></html>'

describeInBrowser('a check of a screen whose form is known', () => {
  test.each([
    ['an element that is new', 'document.querySelector("main").append(new Image())', /^image-alt: /],
    [
      'a button that has lost its text',
      'document.querySelector("button").textContent = ""',
      /^button-name: /,
    ],
    ['text in a new colour', 'document.querySelector("h1").style.color = "#eee"', /^color-contrast: /],
  ])('finds %s', async (_, change, finding) => {
    const { newContext, giveBack } = await borrowBrowser()
    const page = await (await newContext()).newPage()
    const known = new Set<number>()
    await page.setContent(SCREEN)
    expect(await seriousFindings(page, known)).toEqual([])
    await page.evaluate(change)
    expect(await seriousFindings(page, known)).toEqual([expect.stringMatching(finding)])
    // Faulty elements do not become known.
    expect(await seriousFindings(page, known)).toEqual([expect.stringMatching(finding)])
    await giveBack()
  })
})
