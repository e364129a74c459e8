import { createTransport } from 'nodemailer'
import type { Deliver } from './mail.ts'

const CONNECT_TIMEOUT_MS = 15_000
const SILENCE_TIMEOUT_MS = 30_000

/** Sends through an SMTP server, `smtp://` or `smtps://`, with user and password in the address where it wants them. */
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
    // The same id at every try, so that a mailbox that got it twice can tell.
    const domain = message.from.match(/@([^\s>]+)/)?.[1] ?? 'localhost'
    await transport.sendMail({ ...message, messageId: `<${id}@${domain}>` })
  }
}
