import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseEvents, textOf } from '#tests/support/client.ts'
import { runCli, startProcess } from '#tests/support/process.ts'
import { createDatabase } from '#tests/support/server.ts'

/** Timeout of a test with a first start, because creating an embedded database is slow on a busy machine. */
const FIRST_START_MS = 120_000

const folder = mkdtempSync(join(tmpdir(), 'parley-cli-'))
const environment = {
  DATA_DIR: join(folder, 'data'),
  BASE_URL: 'http://parley.test',
  ADMIN_PASSWORD: 'administrator',
}
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = async (args: string[], extra: Record<string, string> = {}, cwd = folder) => {
  const { ended, output } = runCli(args, { ...environment, ...extra }, cwd)
  return { code: await ended, output: output() }
}

describe('the command line', () => {
  test('config shows the effective settings without secrets', async () => {
    const { code, output } = await run(['config'], {
      OPENAI_API_KEY: 'sk-canary',
      SECRET: 'canary'.repeat(8),
    })
    expect(code).toBe(0)
    expect(output).toContain('openai: key set')
    expect(output).toContain('adminPassword: (set, hidden)')
    expect(output).not.toContain('canary')
  })

  test('reads .env', async () => {
    writeFileSync(join(folder, '.env'), 'PORT=4321\n')
    expect((await run(['config'])).output).toContain('port: 4321')
    rmSync(join(folder, '.env'))
  })

  test.each([
    [{ PORT: 'many' }, 'PORT must be a whole number from 0 to 65535'],
    [{ DATABASE_URL: 'postgres://localhost/x' }, 'SECRET is required when DATABASE_URL is set'],
    [{ SECRET: 'short' }, 'SECRET must have at least 32 characters'],
    [{ BASE_URL: 'parley' }, 'BASE_URL must be a URL'],
    [{ SIGNUP: 'maybe' }, 'SIGNUP must be one of: open, invite'],
    [{ ALLOW_PRIVATE_NETWORK: 'everything' }, 'ALLOW_PRIVATE_NETWORK must be true, false, or CIDR blocks'],
    [{ ROLE: 'worker' }, 'ROLE=worker requires DATABASE_URL'],
    [{ ROLE: 'none' }, 'ROLE must be one of: all, api, worker'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of'],
  ])('%o stops the server at startup with one line', async (wrong, line) => {
    const { code, output } = await run(['start'], wrong as unknown as Record<string, string>)
    expect(code).toBe(1)
    expect(output).toContain(line)
    expect(output.trim().split('\n')).toHaveLength(1)
  })

  test(
    'a start whose port is in use says so, and ends',
    async () => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const data = { DATA_DIR: join(folder, 'port'), PORT: String(port), LOG_LEVEL: 'silent' }
      const { code, output } = await run(['start'], data)
      expect([code, output]).toEqual([
        1,
        `parley: Another process uses port ${port}. Stop that process, or set another PORT.\n`,
      ])
      other.close()
    },
    FIRST_START_MS,
  )

  test(
    'admin create creates an administrator who can sign in, and chat streams in the terminal',
    async () => {
      const database = await createDatabase()
      const data = {
        DATA_DIR: join(folder, 'other'),
        ...(database && { DATABASE_URL: database.url, SECRET: 's'.repeat(32) }),
      }
      const made = await run(['admin', 'create', 'root@example.com'], data)
      expect(made.output).toContain('root@example.com created')
      const server = await startProcess({ ...environment, ...data })
      const login = { PARLEY_PASSWORD: 'administrator' }
      const chat = await run(
        ['chat', '--url', server.url, '--email', 'root@example.com', 'Hello', 'there'],
        login,
      )
      expect(chat.code).toBe(0)
      expect(chat.output).toContain('Hello there')
      const wrong = await run(['chat', '--url', server.url, '--email', 'nobody@example.com', 'Hi'], login)
      expect([wrong.code, wrong.output.trim()]).toEqual([1, 'parley: Invalid email or password'])
      await server.stop()
      await database?.drop()
    },
    FIRST_START_MS,
  )

  test(
    'the first start prints a command that streams a reply',
    async () => {
      const database = await createDatabase()
      const server = await startProcess({
        DATA_DIR: join(folder, 'first'),
        ...(database && { DATABASE_URL: database.url, SECRET: 's'.repeat(32) }),
      })
      const line = /^ {2}curl -sN '[^']*(\/api\S*)'.* -d '(\{"email".*?\})'.* -d '(\{.*\})'$/m
      await expect.poll(server.output).toMatch(line)
      const [, path = '', credentials = '', body] = line.exec(server.output()) ?? []
      const signedIn = await server.call('POST', '/api/auth/login', { body: credentials })
      const reply = await server.call('POST', path, { token: signedIn.body.access_token, body })
      expect(textOf(parseEvents(reply.text))).toContain('> Hello!')
      await server.stop()
      await database?.drop()
    },
    FIRST_START_MS,
  )

  test('any other command prints the usage', async () => {
    const { code, output } = await run(['dance'])
    expect(code).toBe(1)
    expect(output).toContain('Usage: parley <command>')
  })
})
