import type { ISql } from 'postgres'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  afterCommit,
  assertOutsideTransaction,
  inTransaction,
  onlyInDatabase,
  outsideTransaction,
} from '#database/ambient.ts'
import { scopeDatabase } from '#platform/access/scoped-database.ts'
import { answerOnce } from '#platform/http/answer-once.ts'
import { defineRoute, type Route } from '#platform/http/define-route.ts'
import { commitWithAnswer } from '#platform/idempotency/pending-answer.ts'
import type { Person } from '#tests/support/client.ts'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/*
 * A transaction, or a handler that declares only database effects, waits for nothing outside the database
 * (docs/idempotency.md).
 */

let server: TestServer
let services: TestServer['server']['services']
let person: Person
beforeAll(async () => {
  server = await startTestServer()
  services = server.server.services
  person = await server.signUp()
})
afterAll(() => server.stop())

type Work = () => Promise<unknown>

const { signal } = new AbortController()
const target = { provider: 'demo', version: 'demo', baseUrl: '', apiKey: null, guarded: true } as never
const request = { messages: [] } as never
const code = { language: 'python', code: '', name: 'f', isClass: false, requirements: [] } as const
const call = { code, method: null, input: {}, config: {}, network: [] }
const file = { path: '/nowhere', size: 0, sha256: '' }
const address = { origin: 'http://127.0.0.1:1', path: '/', method: 'GET' } as const

/** All operations that wait for something outside the database, by the name in the error. */
const OUTSIDE: [name: string, work: () => Promise<unknown>][] = [
  ['models (chat)', () => services.models.stream(target, request, {} as never, signal)],
  ['models (image)', () => services.models.generateImage(target, {} as never, signal)],
  ['models (video)', () => services.models.generateVideo(target, {} as never, () => {}, signal)],
  ['models (transcription)', () => services.models.transcribe(target, {} as never, { language: '' }, signal)],
  ['models (embeddings)', () => services.models.embed(target, ['a'], 'query' as never, signal)],
  ['models (list)', () => services.models.listModels(target)],
  ['net.dispatch', () => services.net.open.request(address)],
  ['net.dispatch', () => services.net.guarded.request(address)],
  ['storage.put', () => services.storage.put({ key: 'a/b/c', contentType: 'text/plain' }, file)],
  ['storage.read', () => services.storage.read('a/b/c')],
  ['storage.open', () => services.storage.open('a/b/c')],
  ['storage.delete', () => services.storage.delete('a/b/c')],
  ['storage.check', () => services.storage.check()],
  ['sandbox.run', () => services.sandbox.run(person.organizationId, call, signal)],
  ['sandbox.inspect', () => services.sandbox.inspect(person.organizationId, code)],
  ['sandbox.checkRequirements', () => services.sandbox.checkRequirements('python', [])],
  ['mail (delivery)', () => services.mail.queue.run({} as never, { id: '', isLastTry: false })],
  ['mail.deleteSaved', () => services.mail.deleteSaved([])],
  ['passwords.hash', () => services.passwords.hash('a')],
  ['passwords.verify', () => services.passwords.verify('a', null)],
]

const owner = () => ({ organizationId: person.organizationId, userId: person.userId }) as never

/**
 * All ways to run inside a transaction or a section that declares only database effects. Some pass statements that join
 * the transaction. In others, those of the pool do.
 */
const SECTIONS: [name: string, within: (work: (tx?: ISql) => Promise<unknown>) => Promise<unknown>][] = [
  ['sql.begin', (work) => services.database.sql.begin(work)],
  ['a savepoint', (work) => services.database.sql.begin((tx) => tx.savepoint(work))],
  ['the transaction of a request', (work) => inTransaction(services.database.sql, work)],
  [
    'a transaction inside the transaction of a request',
    (work) =>
      inTransaction(services.database.sql, () => services.database.sql.begin(work)) as Promise<unknown>,
  ],
  ['the last step of a handler', (work) => commitWithAnswer(work)],
  ['the handler of a route with database effects', (work) => handle('database', () => work())],
]

/** Transactions whose statements are not handwritten. */
const DRIZZLE: typeof SECTIONS = [
  ['a transaction of Drizzle', (work) => services.database.db.transaction(() => work())],
  ['scope.transaction', (work) => scopeDatabase(services, owner()).transaction(() => work())],
]

/** Runs a handler as it runs without an Idempotency-Key. */
const handle = (effects: 'database' | 'outside', handler: Work): Promise<unknown> =>
  answerOnce(
    services,
    { ...ROUTE, effects, handler } as Route,
    {} as never,
    { headers: {} } as never,
    {} as never,
  )

const ROUTE = defineRoute({
  method: 'POST',
  url: '/api/nothing',
  summary: 'Do nothing',
  access: 'public',
  effects: 'database',
  reply: [200, Type.Object({})],
  errors: [],
  handler: async () => ({}),
})

describe.each([...SECTIONS, ...DRIZZLE])('in %s', (_section, within) => {
  test.each(OUTSIDE)('%s is refused immediately', async (name, work) => {
    const refused = within(() => work())
    await expect(refused).rejects.toThrow(`${name} was called inside a database transaction`)
    await expect(refused).rejects.toThrow("declare effects: 'outside'")
  })
})

test.each(SECTIONS)('in %s, mail is queued, and URLs are signed', async (_section, within) => {
  const result = within(async (tx = services.database.sql) => {
    const letter = { kind: 'reset password', link: 'http://parley.test' } as const
    await services.mail.send(tx, 'a@example.com', letter)
    return services.storage.urlOf({ key: 'a/b/c', contentType: 'text/plain' })
  })
  await expect(result).resolves.toContain('/files/a/b/c')
})

// It would wait for a second connection. The embedded database has one, and PostgreSQL may have no other one left.
describe.each([...SECTIONS.slice(0, 2), ...DRIZZLE])('in %s', (_section, within) => {
  test.each<[string, Work]>([
    ['a statement', async () => services.database.sql`select 1`],
    ['a transaction', () => services.database.sql.begin((tx) => tx`select 1`)],
  ])('%s of the pool is refused', async (_what, work) => {
    await expect(within(work)).rejects.toThrow('must use the transaction')
    await expect(within(() => outsideTransaction(async () => {}))).resolves.toBeUndefined()
  })
})

describe('code outside a transaction', () => {
  const free = (): void => assertOutsideTransaction('anything')

  test.each<[string, Work]>([
    ['code without one', async () => free()],
    ['the handler of a route with effects outside', () => handle('outside', async () => free())],
    [
      'code that leaves the transaction',
      () => services.database.sql.begin(async () => outsideTransaction(() => free())),
    ],
    [
      'code that waits for the commit',
      () => inTransaction(services.database.sql, () => afterCommit(() => free())),
    ],
  ])('%s', async (_what, work) => {
    await expect(work()).resolves.not.toThrow()
  })

  test.each([...SECTIONS, ...DRIZZLE])(
    'includes promises that resolve after the end of %s',
    async (_section, within) => {
      const ended = Promise.withResolvers<void>()
      let later: Promise<void> | undefined
      await within(async () => {
        later = ended.promise.then(free)
      })
      ended.resolve()
      await expect(later).resolves.toBeUndefined()
    },
  )

  test('excludes promises that resolve after a nested section but before the end of the outer one', async () => {
    const result = onlyInDatabase(async () => {
      let later: Promise<void> | undefined
      const part = Promise.withResolvers<void>()
      await onlyInDatabase(async () => {
        later = part.promise.then(free)
      })
      part.resolve()
      await later
    })
    await expect(result).rejects.toThrow('anything was called inside a database transaction')
  })
})

/* Checked by `npm run types`: each of these must not compile. */
const shared = {
  url: '/api/nothing',
  summary: 'Do nothing',
  access: 'public',
  reply: [200, Type.Object({})],
  errors: [],
  handler: async () => ({}),
} as const

test('a route that changes data does not compile without its effects', () => {
  const routes = [
    // @ts-expect-error `effects` is required
    defineRoute({ ...shared, method: 'POST' }),
    // @ts-expect-error `effects` is required
    defineRoute({ ...shared, method: 'PUT' }),
    // @ts-expect-error `effects` is required
    defineRoute({ ...shared, method: 'DELETE' }),
    // @ts-expect-error only a POST can have an Idempotency-Key
    defineRoute({ ...shared, method: 'PUT', effects: 'outside once' }),
    // @ts-expect-error a GET has no effects
    defineRoute({ ...shared, method: 'GET', effects: 'database' }),
    defineRoute({ ...shared, method: 'GET' }),
    defineRoute({ ...shared, method: 'DELETE', effects: 'outside' }),
  ]
  expect(routes.map(({ effects }) => effects)).toEqual([
    undefined,
    undefined,
    undefined,
    'outside once',
    'database',
    undefined,
    'outside',
  ])
})
