import type { FastifyInstance } from 'fastify'
import type { Config } from '#config'
import { readSavedMail, type SavedMail } from './saved-mail.ts'

const SHOWN_MAX = 50

/**
 * Serves a page with the newest saved emails. The emails contain sign-in links, so the page is for development only
 * (DEV_MAIL).
 */
export function registerDevMail(http: FastifyInstance, { dataDir }: Pick<Config, 'dataDir'>): void {
  http.get('/dev/mail', async (_request, reply) => {
    const mails = await readSavedMail(dataDir, SHOWN_MAX)
    return reply
      .type('text/html; charset=utf-8')
      .header('Cache-Control', 'no-store')
      .header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(page(mails))
  })
}

const page = (mails: SavedMail[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Mail</title>
<style>body { font: 15px system-ui; max-width: 44rem; margin: 2rem auto } pre { white-space: pre-wrap }</style>
<h1>Mail</h1>
${mails.length === 0 ? '<p>No emails yet.</p>' : mails.map(article).join('\n')}
</html>`

const article = ({ date, to, subject, text }: SavedMail): string => `<article>
<h2>${escapeHtml(subject)}</h2><p>${escapeHtml(date)} to ${escapeHtml(to)}</p>
<pre>${escapeHtml(text).replace(/https?:\/\/\S+/g, (link) => `<a href="${link}">${link}</a>`)}</pre>
</article>`

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
