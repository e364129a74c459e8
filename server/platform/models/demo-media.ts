import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { crc32, deflateSync } from 'node:zlib'
import { pause } from './pause.ts'
import type { GeneratedMedia, Recording, Transcription } from './types.ts'

/*
 * Built-in demo models for images, videos and transcription. They need no API key and no network. Their results are
 * recognizable as demo output.
 */

const SIDE = 256
const CELLS = 8
const VIDEO_STEPS = 5
const VIDEO_STEP_MS = 120

/** Returns a mirrored pattern of colored squares, derived from the prompt's hash. */
export function demoImage(prompt: string): GeneratedMedia {
  const digest = createHash('sha256').update(prompt).digest()
  const palette = [0, 3, 6, 9].map((at) => digest.subarray(at, at + 3))
  const rows = Buffer.alloc(SIDE * (1 + SIDE * 3)) // filter byte 0 (none) at the start of each row
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++) {
      const column = Math.floor((Math.min(x, SIDE - 1 - x) * CELLS) / SIDE)
      const cell = Math.floor((y * CELLS) / SIDE) * (CELLS / 2) + column
      const colour = palette[(digest[cell] ?? 0) % palette.length]
      colour?.copy(rows, y * (1 + SIDE * 3) + 1 + x * 3)
    }
  return { mimeType: 'image/png', data: encodePng(rows), usage: null }
}

/**
 * Encodes rows of 8-bit RGB pixels as PNG. Each row starts with its filter byte.
 * https://www.w3.org/TR/png-3/#5DataRep
 */
function encodePng(rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(SIDE, 0)
  header.writeUInt32BE(SIDE, 4)
  header.set([8, 2], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

/**
 * Reports progress and returns a test video of 1.5 seconds (VP8 in WebM, 10 kB). This command generated the file:
 * `ffmpeg -f lavfi -i testsrc2=size=320x180:rate=12:duration=1.5 -c:v libvpx -b:v 40k -crf 40 -qmin 30 -qmax 63
 * -deadline best -an -fflags +bitexact -flags +bitexact demo-video.webm`
 */
export async function demoVideo(
  onProgress: (progress: number) => void,
  signal: AbortSignal,
): Promise<GeneratedMedia> {
  for (let step = 0; step < VIDEO_STEPS; step++) {
    signal.throwIfAborted()
    onProgress(step / VIDEO_STEPS)
    await pause(VIDEO_STEP_MS, signal)
  }
  const data = await readFile(new URL('demo-video.webm', import.meta.url))
  onProgress(1)
  return { mimeType: 'video/webm', data, usage: null }
}

/** Returns a description of the audio file instead of a transcription. */
export async function demoTranscription(
  { path, contentType }: Recording,
  durationSeconds: number | null,
): Promise<Transcription> {
  const { size } = await stat(path)
  const length = durationSeconds === null ? 'of unknown length' : `${durationSeconds.toFixed(1)} seconds long`
  return {
    text: `This is the Parley demo, which can't listen. The recording is ${contentType}, ${size} bytes, ${length}.`,
    language: 'en',
    durationSeconds,
    usage: null,
  }
}
