import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { readSavedMail } from '#platform/mail/saved-mail.ts'
import type { Person } from './client.ts'
import type { TestServer } from './server.ts'

const DEADLINE_MS = 60_000
const POLL_MS = 50

/** An email as its recipient reads it. */
export interface ReceivedMail {
  to: string
  subject: string
  text: string
  html: string
  /** The token in the link of the email. */
  token: string
}

export interface MailServer {
  url: string
  received: ReceivedMail[]
  /** Number of further emails to reject temporarily (status 451). */
  refuse: number
  close(): Promise<void>
}

/** Starts a real SMTP server on loopback that records its email. */
export async function startMailServer(): Promise<MailServer> {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username }, _session, callback) => callback(null, { user: username }),
    onData(stream, _session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk) => chunks.push(chunk))
      stream.on('end', async () => {
        if (mailServer.refuse > 0) {
          mailServer.refuse--
          return callback(Object.assign(new Error('later'), { responseCode: 451 }))
        }
        const { to, subject = '', text = '', html = '' } = await PostalMime.parse(Buffer.concat(chunks))
        mailServer.received.push({ to: to?.[0]?.address ?? '', subject, text, html, token: tokenIn(text) })
        callback()
      })
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const { port } = smtp.server.address() as AddressInfo
  const mailServer: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    received: [],
    refuse: 0,
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
  return mailServer
}

const tokenIn = (text: string): string => /token=([\w-]+)/.exec(text)?.[1] ?? ''

/**
 * Waits for the newest email to a recipient whose subject contains the given words. Reads from an SMTP server, or
 * from the email that a server saves in its data folder.
 */
export async function mailTo(
  from: MailServer | Pick<TestServer, 'environment'>,
  email: string,
  words: string,
): Promise<ReceivedMail> {
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const mails = 'received' in from ? from.received.toReversed() : await keptMails(from)
    const found = mails.find(({ to, subject }) => to === email && subject.includes(words))
    if (found) return found
  }
  throw new Error(`no mail to ${email} about ${words}`)
}

/** Verifies a user's email address by opening the emailed link while signed in. */
export async function confirmAddress(
  server: TestServer,
  person: Pick<Person, 'email' | 'token'>,
  from: MailServer | TestServer = server,
): Promise<void> {
  const { token } = await mailTo(from, person.email, 'Confirm your email')
  const answer = await server.call('POST', '/api/auth/verify_email', { token: person.token, body: { token } })
  if (answer.status !== 200) throw new Error(answer.text)
}

const keptMails = async ({ environment }: Pick<TestServer, 'environment'>): Promise<ReceivedMail[]> =>
  (await readSavedMail(environment['DATA_DIR'] ?? '', 100)).map((mail) => ({
    ...mail,
    token: tokenIn(mail.text),
  }))
