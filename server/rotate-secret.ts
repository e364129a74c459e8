import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { type Config, ConfigError } from '#config'
import { connectDatabase } from '#database/connect.ts'
import { normalizeEmail } from '#platform/mail/address.ts'
import { ADDRESS_HMACS } from '#platform/mail/mail.ts'
import { claimSecret, explainOtherSecret, replaceSecret } from '#platform/secrets/known-secret.ts'
import { resealColumns, resealOne } from '#platform/secrets/reseal.ts'
import {
  beginRotation,
  createSecrets,
  endRotation,
  loadSecrets,
  type Secrets,
} from '#platform/secrets/secrets.ts'

/** Maximum number of jobs read per statement. */
const BATCH = 200

/**
 * Re-encrypts stored data under the current secret: encrypted columns, waiting jobs, and the hashed addresses of
 * saved email. Servers that know the current and the previous secret may keep running. The command can be repeated
 * after an interruption.
 *
 * If the environment has no SECRET, first generates a new secret in DATA_DIR. No server may run then, because the
 * command needs the embedded database's lock.
 *
 * Throws a ConfigError if there is no previous secret, or if the database is encrypted with neither, unless the secret
 * `isLost`. Values that only the lost secret can decrypt are counted and stay unreadable.
 */
export async function rotateSecret(
  config: Config,
  { isLost }: { isLost: boolean },
  say: (line: string) => void,
): Promise<void> {
  const database = await connectDatabase(config)
  try {
    if (!isLost) await demandKnownSecret(database.sql, config)
    if (config.secret === null) beginRotation(config.dataDir)
    const { current, previous } = loadSecrets(config)
    const secrets = createSecrets(current, previous)
    for await (const { location, resealed, lost } of resealColumns(database.sql, secrets))
      say(
        `${location}: ${resealed} re-encrypted${lost > 0 ? `, ${lost} cannot be decrypted with either secret` : ''}`,
      )
    say(`waiting jobs: ${await resealJobs(database.sql, secrets)} re-encrypted`)
    say(`stored mail: ${await remarkMail(config.dataDir, secrets)} re-marked`)
    await replaceSecret(database.sql, current)
    if (config.secret === null) endRotation(config.dataDir)
  } finally {
    await database.close()
  }
  say(
    config.secret === null ? 'Done. The new secret is in DATA_DIR.' : 'Done. SECRET_PREVIOUS can be removed.',
  )
}

async function demandKnownSecret(sql: Sql, config: Config): Promise<void> {
  if (config.secret !== null && config.secretPrevious === null)
    throw new ConfigError('set SECRET to the new secret and SECRET_PREVIOUS to the old one')
  const { current, previous } = loadSecrets(config)
  // A database of an earlier release has no id yet. Its values are encrypted with the previous secret.
  const pair = { current: previous ?? current, previous: current }
  if (!(await claimSecret(sql, pair))) throw new ConfigError(explainOtherSecret(config))
}

interface SealedJob {
  id: string
  data: { id: string; sealed: string; about?: string[] }
}

/**
 * Re-encrypts jobs that send email or process a password reset request. The id in a job's data is its encryption
 * context. `about` contains HMACs of the email address, which change with the secret, too.
 */
async function resealJobs(sql: Sql, secrets: Secrets): Promise<number> {
  const [known] = await sql<{ there: boolean }[]>`select to_regclass('jobs.job') is not null as there`
  if (!known?.there) return 0
  let count = 0
  for (let after: string | null = null; ; ) {
    const jobs: SealedJob[] = await sql<SealedJob[]>`
      select id, data from jobs.job
      where data ? 'sealed' and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${BATCH}`
    for (const { id, data } of jobs) {
      const opened = resealOne(secrets, data.sealed, data.id)
      if (opened === 'current' || opened === 'lost') continue
      const about = remarked(secrets, data.about ?? [], addressIn(opened.plain))
      const changed = JSON.stringify({ ...data, sealed: opened.resealed, about })
      const done = await sql`
        update jobs.job set data = ${changed}::text::jsonb
        where id = ${id} and data ->> 'sealed' = ${data.sealed}`
      count += done.count
    }
    if (jobs.length < BATCH) return count
    after = jobs.at(-1)?.id ?? null
  }
}

/**
 * Returns the email address in a job. For an email, the payload is JSON with the recipient; for a password reset
 * request, the payload is the address.
 */
function addressIn(plain: string): string {
  return plain.startsWith('{') ? (JSON.parse(plain) as { to: string }).to : plain
}

function remarked(secrets: Secrets, about: readonly string[], email: string): string[] {
  const [current, ...previous] = secrets.signatures(normalizeEmail(email), ADDRESS_HMACS)
  return about.map((mark) => (previous.includes(mark) ? current : mark))
}

/**
 * Replaces the address HMACs of email saved in DATA_DIR. Erasing an account finds the account's email by these HMACs.
 */
async function remarkMail(dataDir: string, secrets: Secrets): Promise<number> {
  const folder = join(dataDir, 'mail')
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  let count = 0
  for (const name of names.filter((file) => file.endsWith('.json'))) {
    const path = join(folder, name)
    const mail = JSON.parse(await readFile(path, 'utf8')) as { to: string; about?: string[] }
    const about = remarked(secrets, mail.about ?? [], mail.to)
    if (about.every((mark, index) => mark === mail.about?.[index])) continue
    await writeFile(`${path}.new`, JSON.stringify({ ...mail, about }, null, 2), { mode: 0o600 })
    await rename(`${path}.new`, path)
    count++
  }
  return count
}
