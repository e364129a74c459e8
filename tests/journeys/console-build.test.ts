import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Answer } from '#tests/support/client.ts'
import { BUILD_PROGRAM, type ConsoleFolder, makeConsoleFolder } from '#tests/support/console-folder.ts'
import { startTestServer } from '#tests/support/server.ts'

/** Tests the program that builds the console, with a small console. */

const SOURCES = {
  'vite.config.ts': `export default { base: '/' as const, build: { outDir: 'dist' } }`,
  'index.html': `<!doctype html><meta property="csp-nonce" nonce="__NONCE__"><div id="root"></div>
    <script type="module" src="/src/main.ts"></script>`,
  'src/main.ts': mainThatSays('Hello'),
  'public/robots.txt': 'User-agent: *\n',
}

/** Returns a script that is long enough to be compressed. */
function mainThatSays(word: string): string {
  const lines = Array.from({ length: 100 }, (_, line) => `${word}, this is line ${line}`)
  return `const lines: string[] = ${JSON.stringify(lines)}\ndocument.body.append(...lines)`
}

interface Run {
  code: number
  stdout: string
  stderr: string
}

const runBuild = ({ folder }: ConsoleFolder): Promise<Run> =>
  new Promise((resolve) => {
    execFile(process.execPath, [BUILD_PROGRAM, folder], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })

const scriptOf = ({ folder }: ConsoleFolder): string => {
  const page = readFileSync(join(folder, 'dist/index.html'), 'utf8')
  return join(folder, 'dist', /src="([^"]+)"/.exec(page)?.[1] ?? '')
}

const workshopsIn = ({ folder }: ConsoleFolder): string[] =>
  readdirSync(folder).filter((name) => name.startsWith('.'))

let source: ConsoleFolder
beforeAll(async () => {
  source = makeConsoleFolder(SOURCES)
  mkdirSync(join(source.folder, '.build-left'))
  utimesSync(join(source.folder, '.build-left'), 0, 0)
})
afterAll(() => source.remove())

describe('the build', () => {
  test('writes hashed and compressed files, and removes its temporary folder', async () => {
    expect(await runBuild(source)).toMatchObject({ code: 0, stderr: '' })
    const script = scriptOf(source)
    expect(script).toMatch(/\/dist\/assets\/index-[\w-]{8}\.js$/)
    const bytes = readFileSync(script)
    expect(bytes.toString()).toContain('Hello, this is line 99')
    expect(brotliDecompressSync(readFileSync(`${script}.br`))).toEqual(bytes)
    expect(gunzipSync(readFileSync(`${script}.gz`))).toEqual(bytes)
    expect(readdirSync(join(source.folder, 'dist')).sort()).toEqual([
      'assets',
      'built-from',
      'index.html',
      'robots.txt',
    ])
    expect(workshopsIn(source)).toEqual([])
  })

  test('runs again only after a change of the sources or packages', async () => {
    const { ino } = statSync(scriptOf(source))
    expect((await runBuild(source)).stdout).toContain('built already')
    expect(statSync(scriptOf(source)).ino).toBe(ino)
    source.write({
      '../packages/client/src/generated.ts': '',
      '../packages/client/node_modules/other/index.js': '',
      'src/main.test.ts': '',
      'src/.main.ts.swp': '',
    })
    expect((await runBuild(source)).stdout).toContain('built already')
    source.write({ 'src/main.ts': mainThatSays('Good morning') })
    expect((await runBuild(source)).stdout).toMatch(/is built, in/)
    expect(readFileSync(scriptOf(source), 'utf8')).toContain('Good morning')
    source.write({ '../packages/client/src/index.ts': '' })
    expect((await runBuild(source)).stdout).toMatch(/is built, in/)
    source.write({ '../package-lock.json': '{"packages":{}}' })
    expect((await runBuild(source)).stdout).toMatch(/is built, in/)
  })

  test('can run several times concurrently', async () => {
    source.write({ 'src/main.ts': mainThatSays('Good evening') })
    const runs = await Promise.all([runBuild(source), runBuild(source), runBuild(source)])
    expect(runs).toEqual(runs.map(() => expect.objectContaining({ code: 0, stderr: '' })))
    expect(readFileSync(scriptOf(source), 'utf8')).toContain('Good evening')
    expect((await runBuild(source)).stdout).toContain('built already')
    expect(workshopsIn(source)).toEqual([])
  })

  test('reports the error when it fails, and keeps the previous files', async () => {
    const before = scriptOf(source)
    source.write({ 'src/main.ts': 'this is no TypeScript' })
    const { code, stderr } = await runBuild(source)
    expect([code, stderr]).toEqual([1, expect.stringContaining('src/main.ts')])
    expect(scriptOf(source)).toBe(before)
    expect(workshopsIn(source)).toEqual([])
  })
})

test('a server whose console fails to build serves the error', async () => {
  source.write({ 'src/main.ts': 'this is no TypeScript' })
  const page = await pageOfServer()
  expect(page.status).toBe(503)
  expect(page.text).toContain('semicolon')
  expect(page.text).not.toContain(source.folder)
})

test('a server builds its console at startup', async () => {
  source.write({ 'src/main.ts': mainThatSays('Good night') })
  const page = await pageOfServer()
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('<script type="module"')])
  expect(page.text).not.toContain('__NONCE__')
})

/** Returns the server's page after the build. The build has a low priority, so it can take long on a busy machine. */
async function pageOfServer(): Promise<Pick<Answer, 'status' | 'text'>> {
  const place = { folder: source.folder, program: BUILD_PROGRAM }
  const server = await startTestServer({ CONSOLE_BUILD: '1' }, { console: place })
  const settled = async (): Promise<Answer> => {
    const page = await server.call('GET', '/', { headers: { accept: 'text/html' } })
    expect(page.text).not.toContain('Building the console')
    return page
  }
  return vi.waitFor(settled, { timeout: 90_000, interval: 100 }).finally(server.stop)
}
