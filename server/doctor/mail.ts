import { isLoopback } from './address.ts'
import { type Check, ok, problem, reasonOf, warning } from './check.ts'

const CONNECT_TIMEOUT_MS = 4_000

/** SMTP: connects, encrypts and logs in. Sends no mail. */
export const mailCheck: Check = {
  name: 'mail',
  async run({ config: { smtpUrl, mailFrom } }) {
    if (smtpUrl === null)
      return [warning('SMTP_URL is not set, so emails are stored in DATA_DIR/mail and reach no one.')]
    const { checkSmtp } = await import('#platform/mail/check-smtp.ts')
    const { host, hostname } = new URL(smtpUrl)
    try {
      const { isEncrypted, isLoggedIn } = await checkSmtp(smtpUrl, CONNECT_TIMEOUT_MS)
      const text = `${host} accepts ${isLoggedIn ? 'the login' : 'connections without a login'}${isEncrypted ? ', encrypted' : ''}`
      if (!isEncrypted && !isLoopback(hostname))
        return [warning(`${text}, but not encrypted. Use smtps://, or a server with STARTTLS.`)]
      if (mailFrom.includes('@localhost'))
        return [
          ok(text),
          warning('MAIL_FROM is an address at localhost. Set it to an address of your domain.'),
        ]
      return [ok(text)]
    } catch (error) {
      return [problem(explain(error, hostname, host))]
    }
  },
}

function explain(error: unknown, hostname: string, host: string): string {
  const { code, responseCode } = error as { code?: string; responseCode?: number }
  const reason = reasonOf(error)
  if (code === 'EAUTH' || responseCode === 535)
    return `${host} rejected the user or password (${responseCode ?? code}). Check SMTP_URL, and encode special characters in it.`
  if (/self[- ]signed|unable to (?:get|verify)/i.test(reason))
    return `${host} has a certificate of an unknown authority: ${reason}. Use a certificate of a public authority, or set NODE_EXTRA_CA_CERTS to its authority.`
  if (/expired/i.test(reason)) return `${host} has an expired certificate: ${reason}. Renew the certificate.`
  if (/altname|does not match/i.test(reason))
    return `${host} has a certificate for another name than ${hostname}. Use the name in the certificate in SMTP_URL.`
  if (/wrong version number|packet length|SSL routines/i.test(reason))
    return `${host} does not speak TLS from the start. Use smtp:// instead of smtps://, or the port for TLS (465).`
  return `${host} cannot be reached: ${reason}. Check the host and port in SMTP_URL.`
}
