import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

/** Holds the console's house: its rooms know those before them, and one room alone talks to the server. */

const ROOT = 'console/src'
const FILES = globSync(`${ROOT}/**/*.{ts,tsx}`).filter((file) => !/\.test\.tsx?$/.test(file))

/** Each room may import those before it; main.tsx and router.tsx put them together. */
const ROOMS = ['api', 'streams', 'ui', 'markdown', 'shell', 'screens']

/** A group of screens may import of these others. */
const SCREENS_MAY_IMPORT: Record<string, string[]> = {
  agents: ['chat'],
  // The page that confirms a connection stands outside the shell.
  connections: ['identity'],
  organization: ['people'],
  playground: ['connections'],
}

interface Place {
  room: string
  /** Of screens. */
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

test('each room of the console knows those before it', () => {
  expect(imports.length).toBeGreaterThan(500)
  const wrong = imports.filter(
    ({ from, to }) => from.room !== 'top' && ROOMS.indexOf(to.room) > ROOMS.indexOf(from.room),
  )
  expect(wrong).toEqual([])
  expect(imports.filter(({ from, to }) => from.room !== 'top' && !ROOMS.includes(to.room))).toEqual([])
})

test('a group of screens knows few others', () => {
  const wrong = imports.filter(
    ({ from, to }) =>
      from.room === 'screens' &&
      to.room === 'screens' &&
      from.group !== to.group &&
      !SCREENS_MAY_IMPORT[from.group]?.includes(to.group),
  )
  expect(wrong).toEqual([])
})

test('only the room of the API talks to the server, and nothing becomes HTML', () => {
  const texts = FILES.map((file) => ({ file, text: readFileSync(file, 'utf8') }))
  const talking = texts.filter(({ text }) => /\bfetch\(|new (?:WebSocket|XMLHttpRequest)\(/.test(text))
  expect(talking.map(({ file }) => file).filter((file) => !file.startsWith(`${ROOT}/api/`))).toEqual([])
  expect(talking).not.toEqual([])
  expect(texts.filter(({ text }) => /dangerouslySetInnerHTML|\.innerHTML/.test(text))).toEqual([])
})

test('no screen is loaded by something that reloads the page when its chunk is missing', () => {
  const reloading = FILES.filter((file) =>
    /import \{[^}]*\blazyRouteComponent\b|vite:preloadError/.test(readFileSync(file, 'utf8')),
  )
  expect(reloading).toEqual([])
})
