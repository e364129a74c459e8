import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Answer = string | ((response: ServerResponse, request: IncomingMessage) => void)

/** A website on loopback. Through createExampleNet, it is reachable under all names that end in .example. */
export interface Website {
  /** Responses by path, with or without the query. A string is sent as HTML. `*` matches all other paths. */
  pages: Record<string, Answer>
  asked: string[]
  at(path: string, host?: string): string
  close(): Promise<void>
}

export async function startWebsite(): Promise<Website> {
  const website = createWebsite()
  await website.open()
  return website
}

/** A website that serves nothing until it is opened. */
export function createWebsite(): Website & { open(): Promise<void> } {
  const server = createServer((request, response) => {
    const url = request.url ?? ''
    website.asked.push(url)
    const { pages } = website
    const answer = pages[url] ?? pages[url.split('?')[0] ?? ''] ?? pages['*']
    if (answer === undefined) response.writeHead(404).end('nothing here')
    else if (typeof answer === 'string') response.writeHead(200, { 'content-type': 'text/html' }).end(answer)
    else answer(response, request)
  })
  const website: ReturnType<typeof createWebsite> = {
    pages: {},
    asked: [],
    at: (path, host = 'site.example') => `http://${host}:${(server.address() as AddressInfo).port}${path}`,
    open: () => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return website
}

export const page = (title: string, ...links: string[]): string =>
  `<html><head><title>${title}</title></head><body><p>Words of ${title}.</p>${links.map((link) => `<p><a href="${link}">to ${link}</a></p>`).join('')}</body></html>`

export const send =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': type, ...headers }).end(body)

export const redirectTo =
  (location: string): Answer =>
  (response) =>
    void response.writeHead(302, { location }).end()

export const robots = (rules: string): Answer => send('text/plain', rules)
