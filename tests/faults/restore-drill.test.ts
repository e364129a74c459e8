import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { signUpWithModel } from '#tests/support/models.ts'
import { needs } from '#tests/support/programs.ts'
import { startProvider } from '#tests/support/provider/index.ts'
import { startBucket, type TestBucket } from '#tests/support/s3.ts'
import { createDatabase, startTestServer, type TestServer } from '#tests/support/server.ts'
import { drill } from '../../scripts/restore-drill.ts'

/** The restore drill on PostgreSQL and a bucket, while the source server runs. */

describe('a restore drill', needs('PostgreSQL'), () => {
  let buckets: [TestBucket, TestBucket]
  let server: TestServer
  let provider: Awaited<ReturnType<typeof startProvider>>
  beforeAll(async () => {
    buckets = await Promise.all([startBucket(), startBucket()])
    provider = await startProvider()
    server = await startTestServer(buckets[0].environment)
    const { person, modelId } = await signUpWithModel(server, provider, 'emu')
    const upload = await server.upload(person, { name: 'note.md', bytes: 'A note.' })
    await server.say(person, { model_id: modelId }, { content: 'Hello', file_uploads: [upload.body.id] })
    const books = librarian(server, person)
    const kbId = await books.create({ sources: [textSource('Maps', 'The lighthouse keeper sells maps.')] })
    await books.settle(kbId)
  })
  afterAll(async () => {
    await server.stop()
    await Promise.all([provider.close(), ...buckets.map((bucket) => bucket.close())])
  })

  async function drilled() {
    const target = await createDatabase({ isEmpty: true })
    try {
      return await drill({
        ...server.environment,
        DRILL_DATABASE_URL: target?.url,
        DRILL_S3_BUCKET: 'files',
        DRILL_S3_ENDPOINT: buckets[1].environment['S3_ENDPOINT'],
      })
    } finally {
      await target?.drop()
    }
  }

  test('finds a complete restore, and notices an object that is missing', async () => {
    expect(await drilled()).toMatchObject({
      objects: 1,
      messages: 2,
      wrongLedgers: 0,
      files: 1,
      missingFiles: 0,
      search: 'answers',
    })
    for (const folder of buckets.map(({ directory }) => join(directory, 'files')))
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
    expect(await drilled()).toMatchObject({ objects: 0, files: 1, missingFiles: 1, wrongLedgers: 0 })
  })

  test('refuses a database with tables, and the bucket of the server', async () => {
    const environment = { ...server.environment, DRILL_DATABASE_URL: server.environment['DATABASE_URL'] }
    const bucket = { DRILL_S3_BUCKET: 'files', DRILL_S3_ENDPOINT: buckets[1].environment['S3_ENDPOINT'] }
    await expect(drill({ ...environment, ...bucket })).rejects.toThrow('is not empty')
    await expect(drill({ ...environment, DRILL_S3_BUCKET: 'files' })).rejects.toThrow('bucket of the server')
  })
})
