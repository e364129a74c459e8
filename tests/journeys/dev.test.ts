import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyEmbedded } from '#tests/support/embedded.ts'
import { startProcess } from '#tests/support/process.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/dev.ts')

test('npm run dev serves the API, the console and a model at one address, and ends them together', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-dev-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  // The default configuration: without a DATABASE_URL.
  await copyEmbedded(dataDir)
  const dev = await startProcess({ DATA_DIR: dataDir }, [SCRIPT])
  onTestFinished(async () => {
    await dev.stop()
  })
  const port = new URL(dev.url).port
  await expect.poll(() => dev.output()).toContain(`Console:   http://localhost:${port} `)

  const page = await dev.call('GET', '/', { headers: { accept: 'text/html' } })
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('src="/@vite/client"')])
  const source = /src="(\/src\/app\.tsx[^"]*)"/.exec(page.text)?.[1] ?? ''
  expect((await dev.call('GET', source)).text).toContain('createRoot')

  const credentials = { email: 'admin@localhost', password: 'administrator' }
  const { body } = await dev.call('POST', '/api/auth/login', { body: credentials })
  const person = { token: body.access_token, organizationId: body.user.organizations[0].id }
  const models = await dev.call('GET', `/api/llm/list?org_id=${person.organizationId}`, {
    token: person.token,
  })
  const model = models.body.data.find(({ version }: { version: string }) => version === 'emu-n5')
  const said = await dev.say(
    person as Parameters<typeof dev.say>[0],
    { model_id: model.id },
    { content: 'Hello' },
  )
  expect(said.text).toBe('the quick brown fox jumps')

  const processes = descendantsOf(dev.pid)
  // There are at least two processes: the watcher and the server that it runs.
  expect(processes.length).toBeGreaterThanOrEqual(2)
  expect(await dev.stop()).toBe(0)
  expect(processes.filter(isAlive)).toEqual([])
  await expect(dev.call('GET', '/')).rejects.toThrow('fetch failed')
})

function descendantsOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  )
  return children.flatMap((child) => [child, ...descendantsOf(child)])
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
