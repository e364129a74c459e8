import { createTransport } from 'nodemailer'
import type { Deliver } from './mail.ts'

const CONNECT_TIMEOUT_MS = 15_000
const SILENCE_TIMEOUT_MS = 30_000

/**
 * Returns a function that sends email through an SMTP server. `url` is `smtp://` or `smtps://`, and may contain
 * credentials.
 */
export function openSmtp(url: string): Deliver {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return async ({ id, about: _, ...message }) => {
    // Use the same message id for each attempt, so that mail clients can detect duplicates.
    const domain = message.from.match(/@([^\s>]+)/)?.[1] ?? 'localhost'
    await transport.sendMail({ ...message, messageId: `<${id}@${domain}>` })
  }
}
