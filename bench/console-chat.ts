import { newId } from '../server/database/new-id.ts'
import type { Person } from '../tests/support/client.ts'
import { startProvider } from '../tests/support/provider/index.ts'
import { mixed } from './markdown-texts.ts'
import { startMeasuredConsole } from './measured-console.ts'
import { describeCosts, longestTaskDuring, readCosts, SLOWDOWN, slowDown } from './page-costs.ts'

/*
 * `node bench/console-chat.ts`: measures the browser's cost of the chat screen, over a real server:
 * - a reply that streams at 100 tokens per second, with the CPU throttled to a quarter
 * - opening a chat of 2,000 messages, and scrolling through it
 *
 * Times of scripting and tasks are those of the page's main thread.
 */

const GAP_MS = 10
const TOKENS = 2_000
const MESSAGES = 2_000
const OPENINGS = 5
const SCROLL_STEPS = 150
const SCROLL_PIXELS = 900

/** Milliseconds from the click on the first chat of the list until its newest message is displayed. */
const OPEN = `async (wanted) => {
  const begin = performance.now()
  document.querySelector('nav[aria-label="Your chats"] a').click()
  while (!document.querySelector('[role=log]')?.textContent.includes(wanted))
    await new Promise((resolve) => requestAnimationFrame(resolve))
  return performance.now() - begin
}`

const provider = await startProvider({ record: false })
const { stage, sql, stop } = await startMeasuredConsole()
try {
  const person = await stage.server.signUp()
  await writing(person)
  await opening(person)
  for (const problem of stage.problems) console.log(`page error: ${problem}`)
} finally {
  await stop()
  await provider.close()
}

/** Streams a reply in a chat with earlier messages. */
async function writing(person: Person): Promise<void> {
  const model = `emu-gap${GAP_MS}`
  await stage.server.addModel(person, {
    provider: 'openai-compatible',
    version: model,
    config: { model, base_url: `${provider.url}/v1`, api_key: 'key' },
  })
  const chatId = await fill(person, 40)
  const page = await stage.open(`/chats/${chatId}?org_id=${person.organizationId}`, person)
  await page.getByRole('textbox', { name: 'Message' }).fill(`say: ${textOf(TOKENS)}`)
  const devtools = await slowDown(page)
  let costs = ''
  const longest = await longestTaskDuring(stage.browser, page, async () => {
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('button', { name: 'Stop reply' }).waitFor()
    await page.getByText('Thinking…').waitFor({ state: 'detached' })
    const begin = performance.now()
    const before = await readCosts(devtools)
    await page.waitForTimeout((TOKENS * GAP_MS) / 2)
    costs = describeCosts(before, await readCosts(devtools), (performance.now() - begin) / GAP_MS)
    await page.getByRole('button', { name: 'Send' }).waitFor({ timeout: 60_000 })
  })
  console.log(
    `reply at 100 tokens/s: ${costs}; longest task from sending to the end ${longest.toFixed(0)} ms`,
  )
  await page.context().close()
}

/** Opens a long chat from the list and scrolls to its beginning. */
async function opening(person: Person): Promise<void> {
  const other = await fill(person, 2)
  await fill(person, MESSAGES)
  const at = (id: string): string => `/chats/${id}?org_id=${person.organizationId}`
  const page = await stage.open(at(other), person)
  await page.getByText('Message 0001').waitFor()
  const times: number[] = []
  for (let round = 0; round < OPENINGS; round++) {
    await page.goto(at(other))
    await page.getByText('Message 0001').first().waitFor()
    const link = page.getByRole('navigation', { name: 'Your chats' }).getByRole('link').first()
    await link.waitFor()
    times.push(Number(await page.evaluate(`(${OPEN})('Message ${MESSAGES - 1}')`)))
  }
  console.log(`opening a chat of ${MESSAGES} messages: ${times.map((time) => time.toFixed(0)).join(', ')} ms`)
  await slowDown(page)
  await page.getByRole('log').hover()
  const longest = await longestTaskDuring(stage.browser, page, async () => {
    for (let step = 0; step < SCROLL_STEPS; step++) {
      await page.mouse.wheel(0, -SCROLL_PIXELS)
      await page.waitForTimeout(50)
    }
  })
  const first = await page
    .getByRole('log')
    .getByText(/^Message \d+/)
    .first()
    .textContent()
  console.log(
    `scrolling ${SCROLL_STEPS * SCROLL_PIXELS} pixels up at ${SLOWDOWN}x: longest task ${longest.toFixed(0)} ms; ` +
      `reached ${first?.slice(0, 12)}`,
  )
  await page.context().close()
}

/** Creates a chat of questions and of answers in Markdown. */
async function fill(person: Person, count: number): Promise<string> {
  const chatId = newId()
  const ids = Array.from({ length: count }, () => newId())
  const text = textOf(120)
  await sql`insert into chats ${sql({
    id: chatId,
    organization_id: person.organizationId,
    user_id: person.userId,
    title: `Of ${count} messages`,
    status: 'ACTIVE',
    leaf_message_id: ids.at(-1) ?? null,
    message_count: count / 2,
  })}`
  const rows = ids.map((id, index) => ({
    id,
    organization_id: person.organizationId,
    user_id: person.userId,
    chat_id: chatId,
    parent_message_id: ids[index - 1] ?? null,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${String(index).padStart(4, '0')}\n\n${index % 2 === 0 ? 'Please explain.' : text}`,
    status: 'complete',
  }))
  for (let begin = 0; begin < rows.length; begin += 500)
    await sql`insert into chat_messages ${sql(rows.slice(begin, begin + 500))}`
  return chatId
}

/** Returns this many words of headings, lists, code, tables and formulas. */
function textOf(words: number): string {
  const whole = mixed(words * 3)
  let end = 0
  for (let word = 0; word < words && end >= 0; word++) end = whole.indexOf(' ', end + 1)
  return end < 0 ? whole : whole.slice(0, end)
}
