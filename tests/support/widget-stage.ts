import type { BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { DeploymentConfig } from '#database/schema/agent-deploy.ts'

import { type BorrowedBrowser, borrowBrowser } from './browser.ts'
import { type CompanySite, pageWith, startCompanySite, strictPolicy } from './company-site.ts'
import { type CutProxy, startCutProxy } from './cut-proxy.ts'
import { type Deployment, deploy, update } from './deployments.ts'
import { startProvider } from './provider/index.ts'
import { startTestServer } from './server.ts'

export interface WidgetServer {
  url: string
  /** Creates a deployment for web pages, and returns its id. `model` selects the behavior of the agent's model. */
  deploy(config?: DeploymentConfig, model?: string): Promise<string>
  pause(deploymentId: string): Promise<void>
  stop(): Promise<void>
}

/** Starts the server. `environment` overrides the environment of test servers. */
export async function startWidgetServer(environment: Record<string, string> = {}): Promise<WidgetServer> {
  const provider = await startProvider()
  const server = await startTestServer(environment)
  const made = new Map<string, Deployment>()
  return {
    url: server.url,
    async deploy(config = {}, model = 'emu-n8') {
      const fields = { name: 'Helper', deployment_type: 'widget', config }
      const deployment = await deploy(server, provider, fields, model)
      made.set(deployment.id, deployment)
      return deployment.id
    },
    async pause(deploymentId) {
      const { status, text } = await update(server, made.get(deploymentId) as Deployment, {
        status: 'paused',
      })
      if (status !== 200) throw new Error(text)
    },
    async stop() {
      await server.stop()
      await provider.close()
    },
  }
}

export interface WidgetStage extends Pick<WidgetServer, 'deploy' | 'pause'> {
  /** A proxy between visitors and the server, which tests can cut. */
  line: CutProxy
  site: CompanySite
  newContext: BorrowedBrowser['newContext']
  /** Opens the company's page with the widget of a deployment. By default, the visitor is new. */
  visit(
    deploymentId: string,
    options?: BrowserContextOptions,
    visitor?: BrowserContext,
    html?: string,
  ): Promise<Page>
  stop(): Promise<void>
}

/** Starts a server with deployments, a browser, and a company's website on another origin. */
export async function startWidgetStage(): Promise<WidgetStage> {
  const line = await startCutProxy()
  // Only pages of the server's own origin can request visitor tokens, so BASE_URL must be the proxy's URL.
  const server = await startWidgetServer({ BASE_URL: line.url })
  line.leadTo(server.url)
  const site = await startCompanySite()
  const { newContext, giveBack } = await borrowBrowser()
  return {
    line,
    site,
    newContext,
    deploy: server.deploy,
    pause: server.pause,
    async visit(deploymentId, options, visitor, html) {
      site.page.html = html ?? pageWith(`${line.url}/widget.js?deployment=${deploymentId}`)
      site.page.policy = strictPolicy(line.url)
      const page = await (visitor ?? (await newContext(options))).newPage()
      await page.goto(site.url)
      await page.waitForFunction('window.parley')
      return page
    },
    async stop() {
      await giveBack()
      await site.close()
      await line.close()
      await server.stop()
    },
  }
}

/** Waits until the chat's frame accepts input. Returns the frame. */
export async function chatIn(page: Page): Promise<Frame> {
  const isChat = (frame: Frame): boolean => frame.url().includes('/embed/')
  const frame = page.frames().find(isChat) ?? (await page.waitForEvent('framenavigated', isChat))
  await frame.waitForSelector('textarea')
  return frame
}

/** Opens the chat through the JavaScript API of the widget. */
export async function openChat(page: Page): Promise<Frame> {
  await page.evaluate('parley.open()')
  return chatIn(page)
}

/** Waits for the end of the current reply, and sends a message as a visitor. */
export async function write(chat: Frame, text: string): Promise<void> {
  await chat.fill('textarea', text)
  await chat.waitForSelector('button[type=submit]:enabled')
  await chat.press('textarea', 'Enter')
}

/** Sends a message and waits for its reply. Returns the text of the reply. */
export async function ask(chat: Frame, text: string): Promise<string> {
  await write(chat, text)
  await replied(chat)
  return (await chat.locator('.reply').last().innerText()).trim()
}

export async function replied(chat: Frame): Promise<void> {
  await chat.waitForSelector('button[type=submit]')
  await chat.waitForSelector('.reply[aria-busy=false]')
}

/** Returns the text of each entry in the chat's log, without the greeting of a deployment that has no welcome message. */
export const said = async (chat: Frame): Promise<string[]> =>
  (await chat.locator('.log > :not(.greeting, .starters)').allInnerTexts()).map((text) =>
    text.trim().replace(/\n+/g, '\n'),
  )

export const newestReply = (chat: Frame): Promise<string> => chat.locator('.reply').last().innerText()

/** Waits until a part of the emulated reply is shown. Checks that the reply isn't complete. */
export async function inTheMiddle(chat: Frame, whole: string): Promise<void> {
  await expect.poll(() => newestReply(chat)).toContain('quick brown')
  expect(await newestReply(chat)).not.toBe(whole)
}
