import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

/*
 * Holds the house: imports run one way, main -> app -> parts -> platform -> database -> errors, and what only a few
 * may touch is touched by those few. The lists below are the written ones; ARCHITECTURE.md explains them.
 */

const FILES = globSync('server/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

/** Part to part, and only through the other's index.ts. */
const PART_MAY_IMPORT: Record<string, string[]> = {
  'agent-deploy': ['agents', 'chat'],
  agents: ['kb', 'llm', 'mcp', 'tools'],
  auth: ['api-keys', 'invitations', 'users'],
  chat: ['agents', 'kb', 'llm'],
  conversation: ['chat', 'llm'],
  // An import takes what each of these takes, within the same bounds.
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
  invitations: ['org'],
  kb: ['llm'],
  mcp: [],
  org: ['mcp'],
  'mcp-playground': ['llm', 'mcp'],
  'mcp-server': ['agents', 'api-keys', 'kb', 'llm'],
  openai: ['agents', 'kb', 'llm'],
  tools: ['llm'],
  users: ['invitations', 'org'],
}

/** Which packages only one room knows. */
const PACKAGE_OWNERS: Record<string, string[]> = {
  fastify: [
    'server/app.ts',
    'server/platform/events/register-live-sockets.ts', // the upgrade is a request like others
    'server/platform/http/',
    'server/platform/mail/dev-mail.ts',
    'server/platform/storage/serve-files.ts',
    'server/platform/telemetry/health.ts',
    'server/platform/telemetry/watch-requests.ts',
    'server/parts/mcp/gateway.ts', // speaks MCP, which is no operation of the API
    'server/parts/mcp-server/pass-to-provider.ts', // a request is another library's to answer
    'server/parts/mcp-server/serve.ts', // MCP and OAuth, whose wire is not ours to declare
    'server/parts/console/serve-console.ts', // the same for the console
    'server/parts/agent-deploy/serve-widget.ts', // pages and scripts for browsers, which are no part of the API
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
  // The server is what it talks to; the chat in the terminal is a client.
  '@parley/client': ['server/chat-client.ts'],
  redis: ['server/platform/redis/'],
  ws: ['server/platform/events/'],
  'drizzle-orm': ['server/database/drizzle.ts'],
  'drizzle-orm/pg-core': ['server/database/drizzle.ts'],
  jose: ['server/platform/access/'],
  nodemailer: ['server/platform/mail/'],
  'openid-client': ['server/parts/auth/'],
  '@simplewebauthn/server': ['server/parts/auth/passkeys.ts'],
  otpauth: ['server/parts/auth/codes-system.ts'],
  'oidc-provider': ['server/parts/mcp-server/'],
  // What parses files that people send is used behind the bounds of one room.
  unpdf: ['server/platform/documents/'],
  mammoth: ['server/platform/documents/'],
  'read-excel-file/universal': ['server/platform/documents/'],
  'file-type': ['server/platform/documents/'],
  yauzl: [
    'server/platform/documents/',
    'server/platform/sandbox/read-metadata.ts', // wheels, which the operator has put there
    'server/parts/data-rights/read-archive.ts', // exports, within bounds of their own
  ],
  yazl: ['server/parts/data-rights/'],
  'defuddle/node': ['server/platform/documents/'],
  linkedom: ['server/platform/documents/'],
  'robots-parser': ['server/platform/crawler/'],
  'pg-boss': ['server/platform/jobs/'],
  'prom-client': [
    'server/platform/telemetry/',
    'server/platform/events/live-sockets.ts', // is handed a gauge
  ],
  // Loaded where traces are wanted, and nowhere else (tracing.ts).
  '@opentelemetry/api': ['server/platform/telemetry/otlp-tracing.ts'],
  '@opentelemetry/exporter-trace-otlp-http': ['server/platform/telemetry/otlp-tracing.ts'],
  '@opentelemetry/resources': ['server/platform/telemetry/otlp-tracing.ts'],
  '@opentelemetry/sdk-trace': ['server/platform/telemetry/otlp-tracing.ts'],
  react: ['server/platform/mail/'],
  // A part has no other statements than those of a Scope and of system-sql.ts.
  postgres: ['server/database/', 'server/platform/', 'server/rotate-secret.ts'],
}

/** What the chat on web pages is made of: every byte of it is fetched by every visitor. */
const WIDGET_FILES = globSync('widget/**/*.{ts,tsx}')
const WIDGET_PACKAGES = [
  'preact',
  'preact/hooks',
  'marked',
  '@parley/client/visitor',
  '@parley/client/schemas', // types only
]

interface Import {
  file: string
  target: string
}

const floorOf = (path: string): number => {
  // An errors.ts is data of the catalogue, which lies below all (errors.test.ts).
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

describe('the house', () => {
  test('has files and imports to look at', () => {
    expect(FILES.length).toBeGreaterThan(40)
    expect(imports.length).toBeGreaterThan(100)
  })

  test('imports go down', () => {
    const upward = imports.filter(
      ({ file, target }) => target.startsWith('server/') && floorOf(target) > floorOf(file),
    )
    expect(upward).toEqual([])
  })

  test('parts meet only through their doors, along the written list', () => {
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [partOf(file), partOf(target)]
      if (from === undefined || to === undefined || from === to) return false
      return !PART_MAY_IMPORT[from]?.includes(to) || !target.endsWith('/index.ts')
    })
    expect(wrong).toEqual([])
  })

  test('nothing imports in a circle', () => {
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

  test('in parts, only files named *-system.ts open statements over all tenants', () => {
    const users = imports
      .filter(({ file, target }) => partOf(file) && target === 'server/database/system-sql.ts')
      .map(({ file }) => file)
    expect(users.length).toBeGreaterThan(0)
    expect(users.filter((file) => !file.endsWith('-system.ts'))).toEqual([])
  })

  test.each(Object.entries(PACKAGE_OWNERS))('%s is known to its rooms only', (name, owners) => {
    const users = imports.filter(({ target }) => target === name).map(({ file }) => file)
    expect(users.length).toBeGreaterThan(0)
    expect(users.filter((file) => !isIn(file, owners))).toEqual([])
  })
})

test('the widget knows nothing of the server, and few packages; its bundler runs in a process of its own', () => {
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

test('of the console the server knows what it is built from; its bundler runs in a process of its own', () => {
  const known = imports.filter(({ target }) => target.startsWith('console/')).map(({ target }) => target)
  expect(known).toEqual(['console/built-from.ts'])
  expect(imports.filter(({ target }) => /^(?:vite|@vitejs\/.+|@tailwindcss\/.+)$/.test(target))).toEqual([])
})

/** What takes long to load is loaded when it is first needed, not when the server starts. */
const LATE =
  /^(ai|@ai-sdk\/.+|@modelcontextprotocol\/.+|@opentelemetry\/.+|oidc-provider|otpauth|@simplewebauthn\/.+)$/

test('the start loads no SDK and no authorization server', () => {
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

/** What a file imports for more than its types, and not only when it is called. */
const loadedBy = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )(?:[^'"=]*? from )?'([^']+)'/gm)].map(
    ([, name = '']) => resolveName(file, name),
  )

/** A circle of type imports is none at run time. */
function isTypesOnly(circle: string[]): boolean {
  return circle.slice(1).some((target, index) => {
    const text = readFileSync(circle[index] as string, 'utf8')
    const lines = [...text.matchAll(/^(import|export)([^'"]*?)from '([^']+)'/gm)]
    return lines
      .filter(([, , , name = '']) => resolveName(circle[index] as string, name) === target)
      .every(([, , names = '']) => names.trim().startsWith('type '))
  })
}
