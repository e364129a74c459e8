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
  /** Puts an agent on web pages. Answers the deployment's id. `model` says how it behaves. */
  deploy(config?: DeploymentConfig, model?: string): Promise<string>
  pause(deploymentId: string): Promise<void>
  stop(): Promise<void>
}

/** `environment`: what it runs with beside what test servers do. */
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
  /** The server as visitors reach it. */
  line: CutProxy
  site: CompanySite
  newContext: BorrowedBrowser['newContext']
  /** Visits the company's page, which has the widget of a deployment on it: a new visitor, where none is given. */
  visit(
    deploymentId: string,
    options?: BrowserContextOptions,
    visitor?: BrowserContext,
    html?: string,
  ): Promise<Page>
  stop(): Promise<void>
}

/** A server with deployments, a company's site at another origin, a browser. */
export async function startWidgetStage(): Promise<WidgetStage> {
  const line = await startCutProxy()
  // A visitor's token is for pages of the server's own address.
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

/** The frame with the chat, when it can be written in. */
export async function chatIn(page: Page): Promise<Frame> {
  const isChat = (frame: Frame): boolean => frame.url().includes('/embed/')
  const frame = page.frames().find(isChat) ?? (await page.waitForEvent('framenavigated', isChat))
  await frame.waitForSelector('textarea')
  return frame
}

/** Opens the chat from the page's script. */
export async function openChat(page: Page): Promise<Frame> {
  await page.evaluate('parley.open()')
  return chatIn(page)
}

/** Sends a message as a visitor does, once no reply is under way. */
export async function write(chat: Frame, text: string): Promise<void> {
  await chat.fill('textarea', text)
  await chat.waitForSelector('button[type=submit]:enabled')
  await chat.press('textarea', 'Enter')
}

/** Sends a message and waits for the end of the reply. Answers the newest reply's text. */
export async function ask(chat: Frame, text: string): Promise<string> {
  await write(chat, text)
  await replied(chat)
  return (await chat.locator('.reply').last().innerText()).trim()
}

/** The end of the reply that is under way. */
export async function replied(chat: Frame): Promise<void> {
  await chat.waitForSelector('button[type=submit]')
  await chat.waitForSelector('.reply[aria-busy=false]')
}

/** What is in the log, entry by entry. */
export const said = async (chat: Frame): Promise<string[]> =>
  (await chat.locator('.log > *').allInnerTexts()).map((text) => text.trim().replace(/\n+/g, '\n'))

export const newestReply = (chat: Frame): Promise<string> => chat.locator('.reply').last().innerText()

/** Waits until a part of the emulated model's words is there, and sees to it that it is not all of them. */
export async function inTheMiddle(chat: Frame, whole: string): Promise<void> {
  await expect.poll(() => newestReply(chat)).toContain('quick brown')
  expect(await newestReply(chat)).not.toBe(whole)
}
