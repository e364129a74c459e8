import type { Answer, Person } from './client.ts'
import { confirmAddress, type MailServer, startMailServer } from './mail.ts'
import { startTestServer, type TestServer } from './server.ts'
import { roleOf } from './tenants.ts'

/**
 * A server that sends email through a test SMTP server, and an owner with a verified address who can invite users.
 */
export interface Inviting {
  server: TestServer
  mailServer: MailServer
  owner: Person
  /** The query string `org_id=…` of the owner's organization. */
  org: string
  /** The id of the system role `member`. */
  member: string
  asOwner(method: string, path: string, body?: unknown): Promise<Answer>
  stop(): Promise<void>
}

export async function startInviting(): Promise<Inviting> {
  const mailServer = await startMailServer()
  const server = await startTestServer({
    SMTP_URL: mailServer.url,
    MAIL_FROM: 'Parley <parley@example.com>',
    FRONTEND_URL: 'https://console.example.com',
  })
  const owner = await server.signUp()
  await confirmAddress(server, owner, mailServer)
  return {
    server,
    mailServer,
    owner,
    org: `org_id=${owner.organizationId}`,
    member: await roleOf(server, owner, 'member'),
    asOwner: (method, path, body) =>
      server.call(method, path, { token: owner.token, ...(body !== undefined && { body }) }),
    async stop() {
      await server.stop()
      await mailServer.close()
    },
  }
}
