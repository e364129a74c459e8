import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

/**
 * Checks the structure of the console: each folder imports only lower ones, and only the client connects to the
 * server.
 */

const ROOT = 'console/src'
const FILES = globSync(`${ROOT}/**/*.{ts,tsx}`).filter((file) => !/\.test\.tsx?$/.test(file))

/** All code that runs in browsers. */
const CLIENT_SIDE = [
  ...FILES,
  ...globSync('widget/**/*.{ts,tsx}'),
  ...globSync('packages/*/src/**/*.ts').filter((file) => !/\.test\.ts$|\/generated\.ts$/.test(file)),
]

const namesIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name = '']) => name)

/** Each folder may import those before it. start.ts, app.tsx and router.tsx connect them. */
const ROOMS = ['messages', 'api', 'ui', 'markdown', 'shell', 'screens']

/** The other groups that each group of screens may import. */
const SCREENS_MAY_IMPORT: Record<string, string[]> = {
  admin: ['organization'],
  agents: ['chat'],
  // The page that confirms a connection is outside the shell, and uses the layout of `identity`.
  connections: ['identity'],
  home: ['providers'],
  organization: ['people', 'providers'],
  playground: ['connections'],
}

interface Place {
  room: string
  /** The second segment of the path. For a screen, this is its group, such as `chat`. */
  group: string
}

function placeOf(path: string): Place {
  const [room = '', group = ''] = path.split('/')
  return { room: room.includes('.') ? 'top' : room, group }
}

const imports = FILES.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, name = '']) => ({
    file,
    from: placeOf(relative(ROOT, file)),
    to: placeOf(relative(ROOT, join(dirname(file), name))),
  })),
)

test('each folder of the console imports only those before it', () => {
  expect(imports.length).toBeGreaterThan(500)
  const wrong = imports.filter(
    ({ from, to }) => from.room !== 'top' && ROOMS.indexOf(to.room) > ROOMS.indexOf(from.room),
  )
  expect(wrong).toEqual([])
  expect(imports.filter(({ from, to }) => from.room !== 'top' && !ROOMS.includes(to.room))).toEqual([])
})

test('a group of screens imports only the listed groups', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      from.room === 'screens' &&
      to.room === 'screens' &&
      from.group !== to.group &&
      !SCREENS_MAY_IMPORT[from.group]?.includes(to.group),
  )
  expect(wrong).toEqual([])
})

/** Calls that connect to a server. Comments may contain the names. */
const NETWORK = /(?<![.\w])fetch\(|\bnew (?:WebSocket|XMLHttpRequest|EventSource)\(|\bsendBeacon\(/

test('only the client connects to the server', () => {
  const talking = CLIENT_SIDE.filter((file) => NETWORK.test(readFileSync(file, 'utf8')))
  expect(talking.filter((file) => !file.startsWith('packages/client/src/'))).toEqual([])
  expect(talking).not.toEqual([])
})

test('the client imports nothing of the project, and only one package', () => {
  const foreign = CLIENT_SIDE.filter((file) => file.startsWith('packages/client/')).flatMap((file) =>
    namesIn(file).filter((name) => !name.startsWith('./') && !/^\.\.\/[\w-]+\.ts$/.test(name)),
  )
  expect(new Set(foreign)).toEqual(new Set(['eventsource-parser']))
})

test('no text is inserted as HTML', () => {
  const unsafe = FILES.filter((file) =>
    /dangerouslySetInnerHTML|\.innerHTML/.test(readFileSync(file, 'utf8')),
  )
  expect(unsafe).toEqual([])
})

test('no screen reloads the page when its chunk is missing', () => {
  const reloading = FILES.filter((file) =>
    /import \{[^}]*\blazyRouteComponent\b|vite:preloadError/.test(readFileSync(file, 'utf8')),
  )
  expect(reloading).toEqual([])
})

test('nothing that runs in browsers has an import cycle, types included', () => {
  const graph = new Map(
    CLIENT_SIDE.map((file) => [
      file,
      namesIn(file).flatMap((name) => (name.startsWith('.') ? join(dirname(file), name) : [])),
    ]),
  )
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' > '))
    else if (!done.has(file)) for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of graph.keys()) visit(file, [])
  expect(circles).toEqual([])
  expect(graph.size).toBeGreaterThan(350)
})
