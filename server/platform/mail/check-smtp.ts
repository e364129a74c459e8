import SmtpConnection from 'nodemailer/lib/smtp-connection/index.js'

export interface SmtpFacts {
  /** True if the connection is encrypted, by TLS or by STARTTLS. */
  isEncrypted: boolean
  /** True if the URL has a user, and the server accepted the login. */
  isLoggedIn: boolean
}

/** Connects to an SMTP server, greets it, encrypts and logs in as for sending, and sends nothing. Rejects on failure. */
export async function checkSmtp(url: string, timeoutMs: number): Promise<SmtpFacts> {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const connection = new SmtpConnection({
    host: hostname,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  })
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      connection.connect((error) => (error ? reject(error) : resolve()))
    })
    const isLoggedIn = username !== ''
    const credentials = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    if (isLoggedIn)
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject)
        connection.login(credentials, (error) => (error ? reject(error) : resolve()))
      })
    return { isEncrypted: connection.secure, isLoggedIn }
  } finally {
    connection.on('error', () => {}) // the outcome is known
    connection.quit()
    connection.close()
  }
}
