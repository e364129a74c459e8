import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { findFreePort } from '#tests/support/free-port.ts'
import { startMailServer } from '#tests/support/mail.ts'
import { runCli } from '#tests/support/process.ts'
import { isInstalled, needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { type RedisServer, startRedis } from '#tests/support/redis.ts'
import { startBucket, type TestBucket } from '#tests/support/s3.ts'
import { startTestServer } from '#tests/support/server.ts'
import { examine } from '../../server/doctor/doctor.ts'

/** `parley doctor` beside services that work, and beside each kind of broken neighbor. */

const folder = mkdtempSync(join(tmpdir(), 'parley-doctor-'))
const SECRET = 's'.repeat(32)
const CLOSED = '127.0.0.1:1'
const closers: (() => Promise<unknown>)[] = []
let bucket: TestBucket
let redis: RedisServer
beforeAll(async () => {
  bucket = await startBucket()
  closers.push(bucket.close)
  if (!isInstalled('Redis')) return
  redis = await startRedis()
  closers.push(redis.stop)
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

/** Returns the lines of one check, as `status: message`. */
async function linesOf(check: string, environment: Record<string, string>): Promise<string[]> {
  const lines = await examine({ DATA_DIR: join(folder, 'none'), ...environment })
  return lines.filter((line) => line.check === check).map(({ status, message }) => `${status}: ${message}`)
}

function listenOn(server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => open.add(socket.on('error', () => {})))
  closers.push(() => {
    for (const socket of open) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )
}

async function startHttp(answer: RequestListener): Promise<string> {
  const server = createHttpServer({ keepAlive: false } as object, (request, response) => {
    response.setHeader('connection', 'close')
    answer(request, response)
  })
  return `http://127.0.0.1:${await listenOn(server)}`
}

async function startSmtp(options: SMTPServerOptions): Promise<number> {
  const smtp = new SMTPServer(options)
  smtp.on('error', () => {}) // the client refuses the certificate
  closers.push(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  return (smtp.server.address() as AddressInfo).port
}

const inRedis = (command: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(redis.url).port), '127.0.0.1')
    socket.once('error', reject)
    socket.once('data', () => {
      socket.destroy()
      resolve()
    })
    socket.write(`${command}\r\n`)
  })

/** The URL of the administration database, with changes. */
function postgresUrl(change: (url: URL) => void = () => {}): string {
  const url = new URL(inject('postgres')?.administration ?? '')
  change(url)
  return url.href
}

describe('with PostgreSQL', needs('PostgreSQL', 'Redis'), () => {
  test('an installation that works has no problem and no secret in the output', async () => {
    const provider = await startProvider()
    const mail = await startMailServer()
    const port = await findFreePort()
    const services = {
      ...bucket.environment,
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      REDIS_URL: redis.url,
      SMTP_URL: mail.url.replace('//', '//postbox:hunter22@'),
      MAIL_FROM: 'Parley <parley@example.com>',
      OPENAI_API_KEY: 'sk-hunter33-and-more',
      OPENAI_BASE_URL: `${provider.url}/v1`,
    }
    const server = await startTestServer(services)
    try {
      // On a busy machine, a check may take longer than the doctor waits.
      const { output } = await vi.waitFor(
        async () => {
          const run = runCli(['doctor', '--json'], server.environment, folder)
          expect(await run.ended).toBe(0)
          return run
        },
        { timeout: 90_000 },
      )
      const { problems, checks } = JSON.parse(output()) as {
        problems: number
        checks: { check: string; status: string }[]
      }
      const notOk = checks.filter(({ status }) => status !== 'ok').map(({ check }) => check)
      expect([problems, notOk]).toEqual([0, []])
      expect(new Set(checks.map(({ check }) => check)).size).toBe(12)
      expect(output()).not.toMatch(/hunter|S3RVER"|ssss/)
      expect(bucket.requests.map(({ method }) => method)).toEqual(
        expect.arrayContaining(['PUT', 'GET', 'DELETE']),
      )
      expect(mail.received).toEqual([])
    } finally {
      await server.stop()
      await Promise.all([provider.close(), mail.close()])
    }
  })

  test('an empty database, a wrong password and a missing database', async () => {
    const lines = await linesOf('database', { DATABASE_URL: postgresUrl(), SECRET })
    expect(lines.join('\n')).toMatch(
      /ok: PostgreSQL 17.*warning: pgvector .* not created.*The database is empty/s,
    )
    const wrong = postgresUrl((url) => {
      url.password = 'hunter22-wrong'
    })
    const [rejected] = await linesOf('database', { DATABASE_URL: wrong, SECRET })
    expect(rejected).toMatch(/^problem: PostgreSQL rejected the user or password/)
    expect(rejected).not.toContain('hunter22')
    const missing = postgresUrl((url) => {
      url.pathname = '/nowhere'
    })
    expect(await linesOf('database', { DATABASE_URL: missing, SECRET })).toEqual([
      'problem: database "nowhere" does not exist. Create the database, or check DATABASE_URL.',
    ])
  })

  test('a connection pooler, which announces its own process id', async () => {
    const { hostname, port } = new URL(postgresUrl())
    const port2 = await listenOn(
      createServer((client) => {
        const upstream = connect(Number(port), hostname)
        const end = () => {
          client.destroy()
          upstream.destroy()
        }
        for (const socket of [client, upstream]) socket.on('error', end).on('close', end)
        client.pipe(upstream)
        upstream.on('data', (bytes: Buffer) => client.write(withOtherPid(bytes)))
      }),
    )
    const url = postgresUrl((address) => {
      address.port = String(port2)
    })
    expect((await linesOf('database', { DATABASE_URL: url, SECRET })).at(-1)).toContain(
      'Use its session mode',
    )
  })
})

/** Changes the process id in a BackendKeyData message. */
function withOtherPid(bytes: Buffer): Buffer {
  const at = bytes.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
  if (at >= 0) bytes.writeInt32BE(1, at + 5)
  return bytes
}

describe('a broken neighbor', () => {
  test('closed ports', async () => {
    const lines = await examine({
      DATA_DIR: join(folder, 'none'),
      SECRET,
      DATABASE_URL: `postgres://u:hunter22@${CLOSED}/x`,
      REDIS_URL: `redis://:hunter33@${CLOSED}`,
      SMTP_URL: `smtp://u:hunter44@${CLOSED}`,
      OPENAI_API_KEY: 'sk-hunter55',
      OPENAI_BASE_URL: `http://${CLOSED}/v1`,
      ...{
        S3_BUCKET: 'b',
        S3_ACCESS_KEY_ID: 'k',
        S3_SECRET_ACCESS_KEY: 'hunter66',
        S3_ENDPOINT: `http://${CLOSED}`,
      },
      BASE_URL: `http://${CLOSED}`,
    })
    const wrong = Map.groupBy(lines, ({ status }) => status)
    expect(wrong.get('problem')?.map(({ check }) => check)).toEqual([
      'database',
      'redis',
      'bucket',
      'mail',
      'proxy',
    ])
    expect(wrong.get('warning')?.map(({ check }) => check)).toEqual(['node', 'providers', 'address'])
    expect(JSON.stringify(lines)).not.toContain('hunter')
  })

  test('services that accept connections and never answer', async () => {
    const port = await listenOn(createServer())
    const silent = `127.0.0.1:${port}`
    const environment = {
      SECRET,
      DATABASE_URL: `postgres://u@${silent}/x`,
      REDIS_URL: `redis://${silent}`,
      SMTP_URL: `smtp://${silent}`,
    }
    const lines = await examine({
      DATA_DIR: join(folder, 'none'),
      ...environment,
      BASE_URL: `http://${silent}`,
    })
    const found = new Map(lines.map(({ check, status, message }) => [check, `${status}: ${message}`]))
    for (const check of ['database', 'redis', 'mail', 'address'])
      expect(found.get(check)).toMatch(/^problem: .*(?:No result within 5 seconds|cannot be reached)/)
  })

  test('an invalid configuration', async () => {
    expect(await examine({ PORT: 'many' })).toEqual([
      { check: 'configuration', status: 'problem', message: 'PORT must be a whole number from 0 to 65535.' },
    ])
    const { ended, output } = runCli(['doctor'], { PORT: 'many' }, folder)
    expect([await ended, output()]).toEqual([
      1,
      expect.stringContaining('problem  configuration  PORT must be'),
    ])
  })

  test('Redis that evicts keys, and Redis with another password', needs('Redis'), async () => {
    await inRedis('CONFIG SET maxmemory-policy allkeys-lru')
    expect((await linesOf('redis', { REDIS_URL: redis.url }))[1]).toMatch(
      /^warning: .*no effect until maxmemory is set/,
    )
    await inRedis('CONFIG SET maxmemory 100mb')
    expect((await linesOf('redis', { REDIS_URL: redis.url }))[1]).toMatch(
      /^problem: Redis evicts keys \(allkeys-lru\)/,
    )
    await inRedis('CONFIG SET requirepass hunter22')
    expect(await linesOf('redis', { REDIS_URL: redis.url })).toEqual([
      expect.stringContaining('Redis rejected the credentials'),
    ])
  })

  test('a bucket that refuses, and a bucket that does not exist', async () => {
    bucket.failWith(403)
    expect(await linesOf('bucket', bucket.environment)).toEqual([
      expect.stringMatching(/^problem: .*status 403\. Check S3_ACCESS_KEY_ID/),
    ])
    bucket.failWith(undefined)
    const other = { ...bucket.environment, S3_BUCKET: 'nothing' }
    expect(await linesOf('bucket', other)).toEqual([
      expect.stringMatching(/^problem: .*NoSuchBucket\. Create the bucket/),
    ])
  })

  test('a mail server with a wrong certificate, with a wrong login, and without TLS on the port for TLS', async () => {
    const port = await startSmtp({ authOptional: true })
    expect(await linesOf('mail', { SMTP_URL: `smtp://127.0.0.1:${port}` })).toEqual([
      expect.stringMatching(
        /^problem: .*certificate (?:of an unknown authority|for another name)|expired certificate/,
      ),
    ])
    const strict = await startSmtp({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_login, _session, callback) => callback(new Error('no')),
    })
    const [refused] = await linesOf('mail', { SMTP_URL: `smtp://u:hunter22@127.0.0.1:${strict}` })
    expect(refused).toMatch(/^problem: .*rejected the user or password/)
    expect(await linesOf('mail', { SMTP_URL: `smtps://127.0.0.1:${strict}` })).toEqual([
      expect.stringContaining('does not speak TLS from the start'),
    ])
  })

  test('a wrong provider key, and a clock that is an hour off', async () => {
    const url = await startHttp((_request, response) => {
      response.writeHead(401, { date: new Date(Date.now() + 3_600_000).toUTCString() }).end('{}')
    })
    const environment = { OPENAI_API_KEY: 'sk-hunter22', OPENAI_BASE_URL: `${url}/v1` }
    expect(await linesOf('providers', environment)).toEqual([
      'problem: openai rejected the key. Check OPENAI_API_KEY and its permissions.',
    ])
    expect(await linesOf('clock', environment)).toEqual([
      expect.stringMatching(/^warning: .*differs by (?:36|35)\d\d seconds/),
    ])
  })

  test('a public address that another program answers, and one that redirects', async () => {
    const other = await startHttp((_request, response) => response.end('hello'))
    expect(await linesOf('address', { BASE_URL: other })).toEqual([
      expect.stringContaining('is answered by another program'),
    ])
    const moved = await startHttp((_request, response) => {
      response.writeHead(301, { location: 'https://parley.example/' }).end()
    })
    expect(await linesOf('address', { BASE_URL: moved })).toEqual([
      expect.stringContaining('redirects to https://parley.example/'),
    ])
  })

  test('a public server without TLS, and proxies that TRUST_PROXY does not match', async () => {
    const open = await linesOf('address', { HOST: '0.0.0.0', PORT: '1', BASE_URL: `http://${CLOSED}` })
    expect(open.map((line) => line.split(':')[0])).toEqual(['problem', 'problem', 'warning'])
    const behind = { BASE_URL: `https://${CLOSED}` }
    expect(await linesOf('proxy', behind)).toEqual([expect.stringContaining('Set TRUST_PROXY to 1')])
    expect(await linesOf('proxy', { ...behind, TRUST_PROXY: '1' })).toEqual([expect.stringMatching(/^ok/)])
    expect(await linesOf('proxy', { TRUST_PROXY: '1' })).toEqual([
      expect.stringContaining('Unset TRUST_PROXY'),
    ])
  })

  test('a data folder that is a file', async () => {
    writeFileSync(join(folder, 'file'), '')
    const [line] = await linesOf('data folder', { DATA_DIR: join(folder, 'file') })
    expect(line).toMatch(/^problem: .* is not a folder/)
  })
})

test('an embedded database: its server is asked, or only its folder is read', async () => {
  const port = String(await findFreePort())
  const environment = { DATA_DIR: join(folder, 'embedded'), PORT: port }
  const server = await startTestServer({
    ...environment,
    DATABASE_URL: '',
    BASE_URL: `http://127.0.0.1:${port}`,
  })
  try {
    expect(await linesOf('database', environment)).toEqual([
      expect.stringMatching(/^ok: .*uses it and is ready/),
    ])
    expect(await linesOf('database', { ...environment, PORT: '1' })).toEqual([
      expect.stringContaining('no server answers'),
    ])
  } finally {
    await server.stop()
  }
  expect(await linesOf('database', environment)).toEqual(['ok: Embedded; no server uses it now'])
  writeFileSync(join(folder, 'embedded/restore-unfinished'), '')
  expect(await linesOf('database', environment)).toEqual([expect.stringMatching(/^problem: .*interrupted/)])
})
