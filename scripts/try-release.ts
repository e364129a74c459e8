import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, type Person } from '#tests/support/client.ts'
import { encodeText } from '#tests/support/encode-text.ts'
import { findFreePort } from '#tests/support/free-port.ts'
import { librarian } from '#tests/support/knowledge.ts'
import { cjkPdf } from '#tests/support/pdf-files.ts'
import { toolsmith } from '#tests/support/toolsmith.ts'

/*
 * `npm run try-release`: installs the files of `npm run release` as a user does, in an empty folder with an empty home.
 * Streams a first reply, then uses everything that a release could lack: the file readers, the ingestion thread, the
 * sandbox, the console, the widget and the client. Prints times and sizes. Fails if something does not work, or if the
 * installation is larger than its limit.
 */

/** Limits of the installed files, in MB: of the server alone, and with the programs that some users need. */
const SERVER_MEGABYTES_MAX = 170
const ALL_MEGABYTES_MAX = 350
const READY_MS_MAX = 180_000
const INSTALLED = '.npm/_npx/*/node_modules'
/** Deno runs tools. Node 24 is downloaded where Node is older. */
const PROGRAMS = { Deno: `${INSTALLED}/@deno`, 'Node 24': '.cache/parley' }
const PYTHON = 'def shout(text):\n    return text.upper()\n'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'parley-release-'))
const home = join(folder, 'home')
const port = await findFreePort()
/** Contains none of the variables that npm sets for scripts, and none of this checkout's programs. */
const environment = {
  HOME: home,
  PORT: String(port),
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules'))
    .join(delimiter),
}
const began = performance.now()

mkdirSync(home)
const server = spawn('npx', ['--yes', packed('server'), 'start'], {
  cwd: folder,
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
  detached: true,
})
let printed = ''
server.stdout.setEncoding('utf8').on('data', (text: string) => {
  printed += text
})
try {
  await streamFirstReply()
  const client = createClient(`http://127.0.0.1:${port}`)
  const person = await client.signUp()
  await tryServer(client, person)
  tryClient(person)
  reportSizes()
} finally {
  if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM')
  await Promise.race([once(server, 'exit'), sleep(15_000)])
  rmSync(folder, { recursive: true, force: true })
}

/** Copies a packed file into the empty folder, and returns its path as a user types it. */
function packed(name: string): string {
  const [path] = globSync(join(root, `release/parley-${name}-*.tgz`))
  if (!path) throw new Error('There is no release. Run `npm run release` first.')
  copyFileSync(path, join(folder, basename(path)))
  return `./${basename(path)}`
}

/** Waits for the printed command that streams a reply, and runs it as a user would. */
async function streamFirstReply(): Promise<void> {
  while (!/^ {2}curl .*\n/m.test(printed)) {
    if (server.exitCode !== null || performance.now() - began > READY_MS_MAX)
      throw new Error(`The server did not start:\n${printed}`)
    await sleep(50)
  }
  report('Server ready')
  const command = /^ {2}(curl .*)\n/m.exec(printed)?.[1] ?? ''
  const reply = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
  if (!reply.includes('DONE')) throw new Error(`The first reply is not complete: ${reply}`)
  report('First streamed reply')
}

async function tryServer(client: Client, person: Person): Promise<void> {
  const report = await client.upload(person, {
    name: 'report.docx',
    bytes: readFileSync(join(root, 'tests/fixtures/report.docx')),
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  })
  expectWorks('the text of an upload', report.body.text_extracted === true)
  const chinese = { encoding: 'gbk', text: '退款政策' }
  const pdf = cjkPdf({ ...chinese, map: 'GBK-EUC-H', ordering: 'GB1' })
  const { body: read } = await client.upload(person, { name: 'a.pdf', bytes: pdf })
  expectWorks('the character maps of PDFs', read.text_extracted === true)
  const table = { name: 'a.csv', bytes: encodeText(chinese.encoding, chinese.text) }
  expectWorks('a legacy encoding', (await client.upload(person, table)).body.text_encoding === 'gb18030')
  const library = librarian(client, person)
  const kbId = await library.create()
  await library.add(kbId, 'text', { name: 'Hours', content: 'We open at nine.' })
  await library.settle(kbId)
  const found = await library.call('POST', 'search', { kb_id: kbId }, { query: 'When do you open?' })
  expectWorks('a knowledge base', found.text.includes('We open at nine.'))
  const tools = toolsmith(client, person)
  expectWorks('a JavaScript tool', (await tools.submit()).status === 201)
  const python = await tools.submit({ framework: 'python', code: PYTHON, function: 'shout' })
  expectWorks('a Python tool', python.status === 201)
  for (const [path, text] of [
    ['/', '<script'],
    ['/docs/js/scalar.js', 'createApiReference'],
    ['/openapi.json', '"openapi"'],
    ['/embed/00000000-0000-4000-8000-000000000000', '</html>'],
  ] as const)
    expectWorks(
      path,
      (await client.call('GET', path, { headers: { accept: 'text/html' } })).text.includes(text),
    )
}

/** Runs a program on the machine's Node that uses the packed client. */
function tryClient({ email, password }: Person): void {
  const program = `
    import { createClient } from 'parley-client'
    const client = createClient({ baseUrl: 'http://127.0.0.1:${port}' })
    const signedIn = await client.request('POST /api/auth/login', { body: ${JSON.stringify({ email, password })} })
    console.log(signedIn.user.email)
  `
  writeFileSync(join(folder, 'program.mjs'), program)
  const options = { cwd: folder, env: environment, encoding: 'utf8' } as const
  execFileSync('npm', ['install', '--silent', packed('client')], options)
  expectWorks('the client', execFileSync('node', ['program.mjs'], options).trim() === email)
}

function expectWorks(what: string, works: boolean): void {
  if (!works) throw new Error(`The release lacks something: ${what} does not work.\n${printed.slice(-4000)}`)
  report(`${what} works`)
}

function report(what: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${what}`)
}

function reportSizes(): void {
  const programs = Object.entries(PROGRAMS).map(([name, path]) => ({ name, size: megabytes(path) }))
  const server = megabytes(INSTALLED) - megabytes(PROGRAMS.Deno)
  const all = programs.reduce((sum, { size }) => sum + size, server)
  for (const { name, size } of [{ name: 'Parley', size: server }, ...programs, { name: 'All', size: all }])
    console.log(`${size.toFixed(0).padStart(6)} MB ${name}`)
  if (server > SERVER_MEGABYTES_MAX || all > ALL_MEGABYTES_MAX)
    throw new Error(
      `The limits are ${SERVER_MEGABYTES_MAX} MB for Parley and ${ALL_MEGABYTES_MAX} MB for all.`,
    )
}

/**
 * Returns the size of the files below a path of the home folder. Counts a file with several names once: Deno's installer
 * links its program.
 */
function megabytes(path: string): number {
  const entries = globSync(join(home, path, '**/*'), { withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const files = entries.map(({ parentPath, name }) => statSync(join(parentPath, name)))
  return (
    [...new Map(files.map(({ ino, size }) => [ino, size])).values()].reduce((sum, size) => sum + size, 0) /
    1e6
  )
}
