import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/*
 * Checks that imports run one way, main -> app -> parts -> platform -> database -> errors, and that only the
 * listed files use restricted modules. These lists are authoritative; ARCHITECTURE.md explains them.
 */

const FILES = globSync('server/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

/** Imports between parts, allowed only through the other's index.ts. */
const PART_MAY_IMPORT: Record<string, string[]> = {
  'agent-deploy': ['agents', 'chat'],
  anthropic: ['agents', 'llm', 'openai'],
  agents: ['kb', 'llm', 'mcp', 'tools'],
  auth: ['api-keys', 'invitations', 'users'],
  chat: ['agents', 'kb', 'llm'],
  conversation: ['chat', 'llm'],
  // Importing an organization validates records with the rules and limits of these parts.
  'data-rights': [
    'agent-deploy',
    'agents',
    'chat',
    'instructions',
    'kb',
    'llm',
    'mcp',
    'mcp-playground',
    'org',
    'roles',
    'tools',
    'webhooks',
  ],
  installation: ['llm'],
  invitations: ['org'],
  kb: ['llm'],
  mcp: [],
  org: ['mcp'],
  'mcp-playground': ['llm', 'mcp'],
  'mcp-server': ['agents', 'api-keys', 'instructions', 'kb', 'llm'],
  openai: ['agents', 'kb', 'llm'],
  tools: ['llm'],
  users: ['invitations', 'org'],
}

/** Packages that only these files may import. */
const PACKAGE_OWNERS: Record<string, string[]> = {
  fastify: [
    'server/app.ts',
    'server/platform/events/register-live-sockets.ts', // the upgrade is an ordinary HTTP request
    'server/platform/http/',
    'server/platform/mail/dev-mail.ts',
    'server/platform/storage/serve-files.ts',
    'server/platform/telemetry/health.ts',
    'server/platform/telemetry/watch-requests.ts',
    'server/parts/mcp/gateway.ts', // serves MCP, which isn't an operation of the API
    'server/parts/mcp-server/pass-to-provider.ts', // another library answers the request
    'server/parts/mcp-server/serve.ts', // MCP and OAuth define their own wire formats
    'server/parts/console/serve-console.ts', // files of the console, not the API
    'server/parts/agent-deploy/serve-widget.ts', // pages and scripts, which aren't part of the API
  ],
  ai: ['server/platform/models/'],
  '@ai-sdk/google': ['server/platform/models/'],
  '@ai-sdk/openai': ['server/platform/models/'],
  '@ai-sdk/openai-compatible': ['server/platform/models/'],
  '@modelcontextprotocol/client': ['server/platform/mcp/'],
  '@modelcontextprotocol/server': ['server/platform/mcp/'],
  '@fastify/busboy': ['server/platform/http/'],
  '@fastify/send': ['server/platform/storage/'],
  aws4fetch: ['server/platform/storage/'],
  undici: ['server/platform/net/', 'server/platform/models/'],
  'eventsource-parser': ['server/platform/models/', 'server/parts/conversation/stream-chat.ts'],
  // The server doesn't use its own client, but the chat in the terminal is a client.
  '@parley/client': ['server/chat-client.ts'],
  redis: ['server/platform/redis/'],
  ws: ['server/platform/events/', 'server/platform/http/'],
  'drizzle-orm': ['server/database/drizzle.ts'],
  'drizzle-orm/pg-core': ['server/database/drizzle.ts'],
  jose: ['server/platform/access/'],
  nodemailer: ['server/platform/mail/'],
  'openid-client': ['server/parts/auth/'],
  '@simplewebauthn/server': ['server/parts/auth/passkeys.ts'],
  otpauth: ['server/parts/auth/codes-system.ts'],
  'oidc-provider': ['server/parts/mcp-server/'],
  // Parsers of uploaded files are used only in the folder that enforces their limits.
  unpdf: ['server/platform/documents/'],
  'postal-mime': ['server/platform/documents/'],
  jschardet: ['server/platform/documents/'],
  '@exodus/bytes/encoding.js': ['server/platform/documents/'],
  'file-type': ['server/platform/documents/'],
  yauzl: [
    'server/platform/documents/',
    'server/platform/sandbox/read-metadata.ts', // wheels that the operator installed
    'server/parts/data-rights/read-archive.ts', // exports, with separate limits
    'server/backup/read-archive.ts', // backups of the operator
  ],
  yazl: ['server/parts/data-rights/', 'server/backup/'],
  'defuddle/node': ['server/platform/documents/'],
  linkedom: ['server/platform/documents/'],
  'robots-parser': ['server/platform/crawler/'],
  'pg-boss': ['server/platform/jobs/'],
  'prom-client': [
    'server/platform/telemetry/',
    'server/platform/events/live-sockets.ts', // receives a gauge
  ],
  // Loaded only if tracing is enabled (tracing.ts).
  '@opentelemetry/api': ['server/platform/telemetry/otlp-tracing.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['server/platform/telemetry/otlp-tracing.ts'],
  '@opentelemetry/resources': ['server/platform/telemetry/otlp-tracing.ts'],
  '@opentelemetry/sdk-trace': ['server/platform/telemetry/otlp-tracing.ts'],
  react: ['server/platform/mail/'],
  // Parts run statements only through a Scope and system-sql.ts.
  postgres: ['server/database/', 'server/platform/', 'server/rotate-secret.ts', 'server/doctor/database.ts'],
}

/** The sources of the chat on web pages. Every visitor downloads all of it. */
const WIDGET_FILES = globSync('widget/**/*.{ts,tsx}')
const WIDGET_PACKAGES = [
  'preact',
  'preact/hooks',
  'marked',
  '@parley/messages',
  '@parley/client/visitor',
  '@parley/client/schemas', // types only
]

interface Import {
  file: string
  target: string
}

const floorOf = (path: string): number => {
  // An errors.ts is data of the catalog, which is the lowest layer (errors.test.ts).
  if (/^server\/(?:parts|platform)\/[^/]+\/errors\.ts$/.test(path)) return 0
  if (path.startsWith('server/parts/')) return 3
  if (path.startsWith('server/platform/')) return 2
  if (path.startsWith('server/database/')) return 1
  if (path.startsWith('server/errors/') || path === 'server/config.ts') return 0
  return 4
}

const importsOf = (file: string): Import[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name = '']) => ({
    file,
    target: resolveName(file, name),
  }))

const imports = FILES.flatMap(importsOf)

function resolveName(file: string, name: string): string {
  if (name.startsWith('.')) return relative('.', join(dirname(file), name))
  if (name === '#errors') return 'server/errors/index.ts'
  if (name === '#config' || name === '#app') return `server/${name.slice(1)}.ts`
  return name.startsWith('#') ? `server/${name.slice(1)}` : name
}

const partOf = (path: string): string | undefined => /^server\/parts\/([^/]+)\//.exec(path)?.[1]
const isIn = (file: string, places: string[]): boolean => places.some((place) => file.startsWith(place))

describe('the server', () => {
  test('finds files and imports', () => {
    expect(FILES.length).toBeGreaterThan(40)
    expect(imports.length).toBeGreaterThan(100)
  })

  test('imports go only to lower layers', () => {
    const upward = imports.filter(
      ({ file, target }) => target.startsWith('server/') && floorOf(target) > floorOf(file),
    )
    expect(upward).toEqual([])
  })

  test('parts import each other only through index.ts, as listed', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [partOf(file), partOf(target)]
      if (from === undefined || to === undefined || from === to) return false
      return !PART_MAY_IMPORT[from]?.includes(to) || !target.endsWith('/index.ts')
    })
    expect(wrong).toEqual([])
  })

  test('there are no import cycles', () => {
    const graph = new Map<string, string[]>()
    for (const { file, target } of imports) graph.set(file, [...(graph.get(file) ?? []), target])
    const circles: string[][] = []
    const done = new Set<string>()
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file])
      else if (!done.has(file)) for (const next of graph.get(file) ?? []) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of graph.keys()) visit(file, [])
    expect(circles.filter((circle) => !isTypesOnly(circle))).toEqual([])
  })

  test('in parts, only files named *-system.ts run statements over all tenants', () => {
    const users = imports
      .filter(({ file, target }) => partOf(file) && target === 'server/database/system-sql.ts')
      .map(({ file }) => file)
    expect(users.length).toBeGreaterThan(0)
    expect(users.filter((file) => !file.endsWith('-system.ts'))).toEqual([])
  })

  test.each(Object.entries(PACKAGE_OWNERS))('only the listed rooms import %s', (name, owners) => {
    const users = imports.filter(({ target }) => target === name).map(({ file }) => file)
    expect(users.length).toBeGreaterThan(0)
    expect(users.filter((file) => !isIn(file, owners))).toEqual([])
  })
})

test('the widget imports nothing of the server and few packages; its bundler runs in a separate process', () => {
  const builder = 'widget/build.ts'
  const foreign = WIDGET_FILES.filter((file) => file !== builder)
    .flatMap(importsOf)
    .filter(({ target }) => !target.startsWith('widget/') && !WIDGET_PACKAGES.includes(target))
  expect(foreign).toEqual([])
  expect(imports.filter(({ target }) => target === 'rolldown')).toEqual([])
  const fromBuilder = FILES.filter((file) =>
    /^import (?!type )[^']*?'[^']*widget\/build\.ts'/m.test(readFileSync(file, 'utf8')),
  )
  expect(fromBuilder).toEqual([])
})

test('the server imports only the build inputs of the console; its bundler runs in a separate process', () => {
  const known = imports.filter(({ target }) => target.startsWith('console/')).map(({ target }) => target)
  expect(known).toEqual(['console/built-from.ts'])
  expect(imports.filter(({ target }) => /^(?:vite|@vitejs\/.+|@tailwindcss\/.+)$/.test(target))).toEqual([])
})

/** Slow modules, which load on first use instead of at startup. */
const LATE =
  /^(ai|@ai-sdk\/.+|@modelcontextprotocol\/.+|@opentelemetry\/.+|oidc-provider|otpauth|@simplewebauthn\/.+)$/

test('startup loads no SDK and no authorization server', () => {
  const seen = new Set(['server/main.ts'])
  const early: Import[] = []
  for (const file of seen)
    for (const target of loadedBy(file)) {
      if (LATE.test(target)) early.push({ file, target })
      if (target.startsWith('server/') && target.endsWith('.ts')) seen.add(target)
    }
  expect(early).toEqual([])
  expect(seen).toContain('server/platform/mcp/connection.ts')
})

/** Returns what a file imports at load time, except types. */
const loadedBy = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^'"=]*? from )?'([^']+)'/gm)].map(
    ([, name = '']) => resolveName(file, name),
  )

/** A cycle of type imports doesn't exist at run time. */
function isTypesOnly(circle: string[]): boolean {
  return circle.slice(1).some((target, index) => {
    const text = readFileSync(circle[index] as string, 'utf8')
    const lines = [...text.matchAll(/^(import|export)([^'"]*?)from '([^']+)'/gm)]
    return lines
      .filter(([, , , name = '']) => resolveName(circle[index] as string, name) === target)
      .every(([, , names = '']) => names.trim().startsWith('type '))
  })
}
