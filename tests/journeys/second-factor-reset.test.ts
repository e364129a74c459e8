import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Person } from '#tests/support/client.ts'
import { addApp, logIn, signUpVerified } from '#tests/support/factors.ts'
import { mailTo } from '#tests/support/mail.ts'
import { runCli } from '#tests/support/process.ts'
import { sharedTestServer, type TestServer } from '#tests/support/server.ts'

/* The embedded database supports only one process, so the server is stopped before the command runs. */
let server: TestServer
let person: Person

beforeAll(async () => {
  server = await sharedTestServer()
  person = await signUpVerified(server)
})
afterAll(() => server.stop())

const reset = async (email: string) => {
  const { ended, output } = runCli(['factors', 'reset', email], server.environment, process.cwd())
  return { code: await ended, output: output() }
}

test("an operator can remove a user's lost factors on the command line", async ({ skip }) => {
  if (server.environment['DATABASE_URL'] === undefined) skip()
  await addApp(server, person)
  expect((await logIn(server, person)).body.code).toBe('auth.second_factor_needed')
  expect(await reset('nobody@example.com')).toMatchObject({ code: 1 })
  expect((await logIn(server, person)).body.code).toBe('auth.second_factor_needed')
  const { code, output } = await reset(person.email)
  expect(output).toContain(`Removed the second factors of ${person.email}`)
  expect(code).toBe(0)
  expect((await server.call('GET', '/api/users/me', { token: person.token })).status).toBe(401)
  expect((await logIn(server, person)).status).toBe(200)
  await mailTo(server, person.email, 'Two-factor authentication was removed')
})
