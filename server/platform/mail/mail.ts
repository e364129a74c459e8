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

/** Sends email in a job, at least once, with retries for about a day. */
export interface Mail {
  /**
   * Sends an email when the caller's transaction commits, in the language of the recipient's account.
   */
  send(tx: ISql, to: string, email: Email, options?: SendOptions): Promise<void>
  /**
   * Returns the marks for an address under each secret, the current one first. Jobs `about` the address carry such a
   * mark (jobs.ts). It reveals nothing without the secret.
   */
  marksOf(email: string): string[]
  /** Deletes emails about these marks and ids from DATA_DIR/mail. */
  deleteSaved(about: readonly string[]): Promise<void>
  queue: Queue<SealedEmail>
}

interface SendOptions {
  /** Ids of all that the email mentions, besides its recipient. */
  about?: readonly string[]
  /** The language for a recipient whose account has none. Default: English. */
  language?: Language | null
}

/** A queued email. Encrypted, because it may contain a sign-in link. */
interface SealedEmail {
  id: string
  sealed: string
  about: string[]
  /** Absent in emails that an earlier version queued. */
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

/** Delivers a message, or throws. */
export type Deliver = (message: Message) => Promise<void>

/** Purpose of the signatures that serve as marks of addresses. */
export const MARKS = 'addresses of mail'
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
        // Imported on first use, because these modules are slow to load and most processes never send email.
        const { renderEmail } = await import('./templates.ts')
        deliver ??= openPost(config)
        const written = await renderEmail(email, (await languageOf(to)) ?? language ?? 'en')
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
  /** Returns the language that the owner of an address has chosen; null: none, or no account. */
  async function languageOf(email: string): Promise<Language | null> {
    const [user] = await systemSql(database)<{ language: Language | null }[]>`
      select language from users where email = ${normalizeEmail(email)}`
    return user?.language ?? null
  }
  const marksOf: Mail['marksOf'] = (email) => secrets.signatures(normalizeEmail(email), MARKS)
  return {
    queue,
    marksOf,
    async send(tx, to, email, { about = [], language = null } = {}) {
      const id = newId()
      const sealed = secrets.encrypt(JSON.stringify({ to, letter: email }), id)
      await jobs.add(tx, queue, { id, sealed, about: [...marksOf(to).slice(0, 1), ...about], language })
    },
    async deleteSaved(about) {
      assertOutsideTransaction('mail.deleteSaved')
      if (config.smtpUrl === null)
        await (await import('./saved-mail.ts')).deleteSavedMail(config.dataDir, about)
    },
  }
}

/** Opens the transport: SMTP_URL, or a folder in DATA_DIR without it. */
async function openPost({ smtpUrl, dataDir }: Dependencies['config']): Promise<Deliver> {
  if (smtpUrl !== null) return (await import('./smtp.ts')).openSmtp(smtpUrl)
  return (await import('./saved-mail.ts')).saveMail(dataDir)
}
