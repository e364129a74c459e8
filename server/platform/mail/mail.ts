import type { Language } from '@parley/messages/languages'
import type { Logger } from 'pino'
import type { ISql } from 'postgres'
import type { Config } from '#config'
import { assertOutsideTransaction } from '#database/ambient.ts'
import type { Database } from '#database/connect.ts'
import { newId } from '#database/new-id.ts'
import { systemSql } from '#database/system-sql.ts'
import type { Jobs, Queue } from '#platform/jobs/jobs.ts'
import type { Secrets } from '#platform/secrets/secrets.ts'
import { normalizeEmail } from './address.ts'
import type { Email } from './templates.ts'

/** Sends email in background jobs, which retry for about a day. An email may be delivered more than once. */
export interface Mail {
  /**
   * Queues an email in the caller's transaction. After the commit, the email is sent in the language of the
   * recipient's account.
   */
  send(tx: ISql, to: string, email: Email, options?: SendOptions): Promise<void>
  /**
   * Returns the HMAC of an email address under each secret, the current secret first. Jobs that concern the address
   * contain the HMAC in `about` (jobs.ts). The HMAC does not reveal the address.
   */
  hmacsOf(email: string): string[]
  /** Deletes emails from DATA_DIR/mail whose `about` contains one of these HMACs or ids. */
  deleteSaved(about: readonly string[]): Promise<void>
  queue: Queue<SealedEmail>
}

interface SendOptions {
  /** Ids of all records that the email mentions. The recipient's address is added automatically, as an HMAC. */
  about?: readonly string[]
  /** Language for a recipient who has no account or has not chosen a language. Default: English. */
  language?: Language | null
}

/** A queued email, encrypted because it may contain a sign-in link. */
interface SealedEmail {
  id: string
  sealed: string
  about: string[]
  /** Undefined in emails queued by an earlier version. */
  language?: Language | null
}

/** A rendered email. */
export interface Message {
  id: string
  from: string
  to: string
  subject: string
  html: string
  text: string
  about: readonly string[]
}

/** Sends a message. Throws if sending fails. */
export type Deliver = (message: Message) => Promise<void>

/** Purpose of the HMACs of email addresses. */
export const ADDRESS_HMACS = 'addresses of mail'
const RETRIES = 12
const FIRST_RETRY_SECONDS = 20
const TRY_TIMEOUT_SECONDS = 120
const CONCURRENCY = 2

interface Dependencies {
  database: Database
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir'>
  jobs: Jobs
  secrets: Secrets
  log: Logger
}

export function createMail({ database, config, jobs, secrets, log }: Dependencies): Mail {
  let deliver: Promise<Deliver> | undefined
  const queue: Queue<SealedEmail> = {
    name: 'mail',
    retries: RETRIES,
    firstRetrySeconds: FIRST_RETRY_SECONDS,
    timeoutSeconds: TRY_TIMEOUT_SECONDS,
    concurrency: CONCURRENCY,
    async run({ id, sealed, about = [], language = null }, { isLastTry }) {
      assertOutsideTransaction('mail (delivery)')
      const { to, letter: email } = JSON.parse(secrets.decrypt(sealed, id)) as { to: string; letter: Email }
      try {
        // Import on first use: the modules load slowly, and most processes never send email.
        const { renderEmail } = await import('./templates.ts')
        deliver ??= openPost(config)
        const written = renderEmail(email, (await languageOf(to)) ?? language ?? 'en')
        await (await deliver)({ id, from: config.mailFrom, to, ...written, about })
      } catch (error) {
        if (isLastTry)
          log.error(
            { err: error, mail: id, template: email.kind },
            'an email could not be sent and was given up',
          )
        throw error
      }
    },
  }
  /**
   * Returns the language chosen by the account with this address. Null if there is no such account, or it has chosen
   * no language.
   */
  async function languageOf(email: string): Promise<Language | null> {
    const [user] = await systemSql(database)<{ language: Language | null }[]>`
      select language from users where email = ${normalizeEmail(email)}`
    return user?.language ?? null
  }
  const hmacsOf: Mail['hmacsOf'] = (email) => secrets.signatures(normalizeEmail(email), ADDRESS_HMACS)
  return {
    queue,
    hmacsOf,
    async send(tx, to, email, { about = [], language = null } = {}) {
      const id = newId()
      const sealed = secrets.encrypt(JSON.stringify({ to, letter: email }), id)
      await jobs.add(tx, queue, { id, sealed, about: [...hmacsOf(to).slice(0, 1), ...about], language })
    },
    async deleteSaved(about) {
      assertOutsideTransaction('mail.deleteSaved')
      if (config.smtpUrl === null)
        await (await import('./saved-mail.ts')).deleteSavedMail(config.dataDir, about)
    },
  }
}

/** Opens the SMTP server at SMTP_URL. Without SMTP_URL, saves emails in DATA_DIR/mail. */
async function openPost({ smtpUrl, dataDir }: Dependencies['config']): Promise<Deliver> {
  if (smtpUrl !== null) return (await import('./smtp.ts')).openSmtp(smtpUrl)
  return (await import('./saved-mail.ts')).saveMail(dataDir)
}
