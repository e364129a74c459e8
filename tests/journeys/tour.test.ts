import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '#tests/support/server.ts'

/** The commands of docs/tour.md, run one after another as a reader would. */

const folder = mkdtempSync(join(tmpdir(), 'parley-tour-'))
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('every request of the tour succeeds', async () => {
  const tour = readFileSync('docs/tour.md', 'utf8')
  const blocks = [...tour.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
  expect(blocks.length).toBeGreaterThan(5)
  writeFileSync(join(folder, 'report.pdf'), readFileSync('tests/fixtures/report.pdf'))
  const script = blocks
    .join('')
    .replaceAll('localhost:3000', new URL(server.url).host)
    .replace('PASSWORD', 'administrator')
  const variables = [...script.matchAll(/^([A-Z]+)=/gm)].map(([, name = '']) => name)
  const shown = variables.map((name) => `echo "${name}=$${name}"`).join('\n')
  const { stdout } = await promisify(execFile)('bash', ['-c', `${script}\necho\n${shown}`], {
    cwd: folder,
    timeout: 120_000,
  })
  expect(stdout).not.toMatch(/"(?:detail|error)":"/)
  expect(stdout.match(/\{"message":"DONE"\}/g)).toHaveLength(2)
  for (const name of variables)
    expect(stdout.split('\n')).toContainEqual(expect.stringMatching(new RegExp(`^${name}=.`)))
}, 180_000)
