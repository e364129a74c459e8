import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseEvents, textOf } from '#tests/support/client.ts'
import { findFreePort } from '#tests/support/free-port.ts'
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

  test.each([
    'postgres://parley:canary@host/db',
    'postgres://parley:can@canary@host/db',
    'postgres://:canary@host/db',
    'postgres://parley@host/db?password=canary&sslmode=require',
  ])('config hides the password of %s', async (url) => {
    const { output } = await run(['config'], { DATABASE_URL: url, SECRET: 's'.repeat(32) })
    expect(output).toContain('postgres://')
    expect(output).toContain('@host/db')
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
      expect(existsSync(join(folder, 'port/secret'))).toBe(false) // it has done no work
    },
    FIRST_START_MS,
  )

  test.each([
    [
      { HOST: '203.0.113.9' },
      "This machine doesn't have the address 203.0.113.9. Set HOST to one of its addresses",
    ],
    [{ HOST: 'nowhere.invalid' }, 'The name nowhere.invalid has no address. Set HOST to an address'],
    [
      { DATABASE_URL: 'postgres://parley:hunter22@127.0.0.1:1/parley', SECRET: 's'.repeat(32) },
      'PostgreSQL cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check that it runs',
    ],
  ])(
    'a start with %o says what to do in one line',
    async (wrong, line) => {
      const port = String(await findFreePort())
      const data = { DATA_DIR: join(folder, 'nowhere'), PORT: port, LOG_LEVEL: 'silent' }
      const { code, output } = await run(['start'], {
        ...data,
        ...(wrong as unknown as Record<string, string>),
      })
      expect(code).toBe(1)
      expect(output).toContain(line)
      expect(output.trim().split('\n')).toHaveLength(1)
      expect(output).not.toContain('hunter22')
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

  test.each([
    'start',
    'migrate',
    'config',
    'doctor',
    'admin',
    'factors',
    'backup',
    'restore',
    'rotate-secret',
    'mail',
    'chat',
  ])('%s --help prints its usage, and does nothing else', async (name) => {
    const empty = mkdtempSync(join(folder, 'help-'))
    const { code, output } = await run([name, '--help'], { DATA_DIR: join(empty, 'data') }, empty)
    expect([code, output]).toEqual([0, expect.stringMatching(`^Usage: parley <command>\n\n  ${name} `)])
    expect(readdirSync(empty)).toEqual([])
  })

  test('a command without arguments refuses one, and prints no secret', async () => {
    const data = { DATA_DIR: join(folder, 'unused') }
    for (const name of ['migrate', 'config', 'rotate-secret'])
      expect(await run([name, 'now'], data)).toMatchObject({
        code: 1,
        output: expect.stringContaining(`usage: parley ${name}`),
      })
    expect(existsSync(data.DATA_DIR)).toBe(false)
  })

  test('--version prints the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
    for (const name of ['--version', '-v', 'version'])
      expect(await run([name])).toEqual({ code: 0, output: `parley ${version}\n` })
  })

  test('any other command prints the usage', async () => {
    const { code, output } = await run(['dance'])
    expect(code).toBe(1)
    expect(output).toContain('Usage: parley <command>')
  })
})
