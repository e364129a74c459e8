import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import { type Format, google, openAi } from './formats.ts'

/** A PNG image of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
/** The first bytes of an MP3 file. */
export const MP3 = Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1')
/** The first bytes of an MP4 file. */
export const MP4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')

const WRONG_BYTES = Buffer.from('This is neither an image nor a video')

type Kind =
  | 'image'
  | 'gemini image'
  | 'transcription'
  | 'speech'
  | 'gemini transcription'
  | 'video'
  | 'operation'
  | 'file'

export interface FoundMedia {
  kind: Kind
  format: Format
  model: string
}

/** Parses a request for an image, video, transcription or speech. Returns undefined for other requests. */
export function findMedia(path: string, body: { model?: string } | undefined): FoundMedia | undefined {
  const [place = ''] = path.split('?')
  for (const [pattern, kind, format] of ROUTES) {
    const match = pattern.exec(place)
    if (match) return { kind, format, model: match[1] ?? body?.model ?? '' }
  }
  return undefined
}

const ROUTES: readonly (readonly [RegExp, Kind, Format])[] = [
  [/\/v1\/images\/(?:generations|edits)$/, 'image', openAi],
  [/\/v1\/audio\/transcriptions$/, 'transcription', openAi],
  [/\/v1\/audio\/speech$/, 'speech', openAi],
  [/\/v1beta\/interactions$/, 'gemini transcription', google],
  [/\/v1beta\/models\/([^/:]+):generateContent$/, 'gemini image', google],
  [/\/v1beta\/models\/([^/:]+):predictLongRunning$/, 'video', google],
  [/\/v1beta\/models\/([^/:]+)\/operations\/\d+$/, 'operation', google],
  [/\/files\/([^/:]+)$/, 'file', google],
]

/** Parses a multipart form for assertions. Replaces each file with its name, type and size. */
export async function readForm(
  headers: IncomingHttpHeaders,
  bytes: Buffer,
): Promise<Record<string, unknown>> {
  const type = headers['content-type'] ?? ''
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()
  return Object.fromEntries(
    [...form].map(([name, value]) => [
      name,
      typeof value === 'string' ? value : { name: value.name, type: value.type, size: value.size },
    ]),
  )
}

/** Responds to a media request with the behavior that the model's name selects. */
export function playMedia(
  request: IncomingMessage,
  response: ServerResponse,
  { kind, model }: FoundMedia,
  behaviour: Behaviour,
  stats: { open: number; aborted: number },
): void {
  stats.open += 1
  response.on('close', () => {
    stats.open -= 1
    if (!response.writableFinished) stats.aborted += 1
  })
  if (behaviour.fault === 'hang') return
  if (kind === 'file') return playFile(request, response, model, behaviour)
  if (kind === 'speech')
    return play(response, behaviour.fault === 'nothing' ? Buffer.alloc(0) : MP3, 'audio/mpeg', behaviour)
  if (kind === 'operation') {
    const asked = asks.get(model) ?? 0
    asks.set(model, asked + 1)
    if (behaviour.fault === 'deaf' || (behaviour.fault === 'flaky' && asked === 0))
      return sendWhole(response, google.error(503), 503)
    return sendWhole(response, operation(request, model, behaviour, asked))
  }
  const answer = ANSWERS[kind](request, model, behaviour)
  const bytes = Buffer.from(JSON.stringify(answer))
  const timer = setTimeout(() => play(response, bytes, 'application/json', behaviour), behaviour.firstTokenMs)
  response.on('close', () => clearTimeout(timer))
}

/** Number of polls received, by video. */
const asks = new Map<string, number>()

const ANSWERS: Record<
  Exclude<Kind, 'file' | 'operation' | 'speech'>,
  (request: IncomingMessage, model: string, behaviour: Behaviour) => object
> = {
  image: (request, model, behaviour) => ({
    created: 1_700_000_000,
    data:
      behaviour.fault === 'nothing'
        ? []
        : [
            behaviour.place
              ? { url: addressOf(request, model, behaviour) }
              : { b64_json: bytesOf(PNG, behaviour).toString('base64') },
          ],
    ...(!behaviour.noUsage && { usage: { input_tokens: 11, output_tokens: 1_056, total_tokens: 1_067 } }),
  }),
  'gemini image': (_request, model, behaviour) => {
    if (behaviour.fault === 'blocked')
      return { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, modelVersion: model }
    const isEmpty = behaviour.fault === 'nothing'
    const inlineData = { mimeType: 'image/png', data: bytesOf(PNG, behaviour).toString('base64') }
    return {
      candidates: [
        {
          content: { role: 'model', parts: isEmpty ? [] : [{ inlineData }] },
          finishReason: isEmpty ? 'IMAGE_SAFETY' : 'STOP',
          index: 0,
        },
      ],
      ...(!behaviour.noUsage && {
        usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1_290, totalTokenCount: 1_297 },
      }),
      modelVersion: model,
    }
  },
  transcription: (_request, model, behaviour) => {
    if (behaviour.fault === 'nothing') return { words: [] }
    const text = behaviour.fault === 'surrogate' ? ' half \ud83d and nul \0 ' : 'Guten Tag.'
    if (model.includes('whisper'))
      return { task: 'transcribe', language: 'german', duration: 2.5, text, segments: [] }
    return { text, usage: { type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 } }
  },
  'gemini transcription': (_request, _model, behaviour) => ({
    id: 'emulated',
    status: 'completed',
    steps:
      behaviour.fault === 'nothing'
        ? []
        : [{ type: 'model_output', content: [{ type: 'text', text: 'Guten Tag.' }] }],
    usage: { total_input_tokens: 20, total_output_tokens: 4, total_tokens: 24 },
  }),
  video: (_request, model) => {
    asks.delete(model)
    return { name: `models/${model}/operations/1` }
  },
}

function operation(request: IncomingMessage, model: string, behaviour: Behaviour, asked: number): object {
  const name = `models/${model}/operations/1`
  if (asked < behaviour.polls) return { name }
  if (behaviour.fault === 'rejected')
    return { name, done: true, error: { code: 13, message: 'No frame could be drawn for key-of-a-tenant' } }
  const generateVideoResponse =
    behaviour.fault === 'nothing'
      ? { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['It was filtered'] }
      : { generatedSamples: [{ video: { uri: `${addressOf(request, model, behaviour)}?alt=media` } }] }
  return { name, done: true, response: { generateVideoResponse } }
}

function addressOf({ headers }: IncomingMessage, model: string, { place }: Behaviour): string {
  const { port, host } = new URL(`http://${headers.host}`)
  if (place === 'private') return `http://10.0.0.1:${port}/files/${model}`
  return `http://${place === 'foreign' ? `elsewhere.example:${port}` : host}/files/${model}`
}

function playFile(
  request: IncomingMessage,
  response: ServerResponse,
  model: string,
  behaviour: Behaviour,
): void {
  const { hostname, port } = new URL(`http://${request.headers.host}`)
  if (behaviour.place === 'moved' && hostname !== 'elsewhere.example') {
    response.writeHead(302, { location: `http://elsewhere.example:${port}/files/${model}` })
    return void response.end()
  }
  const isImage = model.includes('image')
  if (behaviour.fault === 'hangfile') return
  if (behaviour.fault === 'hugefile') {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 1_000_000_000 })
    return void response.write(MP4)
  }
  const bytes = bytesOf(isImage ? PNG : MP4, behaviour)
  const fault = behaviour.fault === 'cutfile' ? 'cut' : undefined
  play(response, bytes, isImage ? 'image/png' : 'video/mp4', { ...behaviour, fault })
}

const bytesOf = (bytes: Buffer, { fault }: Behaviour): Buffer =>
  fault === 'wrongbytes' ? WRONG_BYTES : bytes

export function play(response: ServerResponse, bytes: Buffer, type: string, { fault }: Behaviour): void {
  response.writeHead(200, { 'content-type': type })
  const half = bytes.subarray(0, bytes.length >> 1)
  switch (fault) {
    case 'cut':
      response.write(half)
      return void setTimeout(() => response.socket?.destroy(), 20)
    case 'hangmid':
      return void response.write(half)
    case 'badjson':
      return void response.end(half)
    case 'huge':
      return writeOn(response)
    default:
      response.end(bytes)
  }
}

function writeOn(response: ServerResponse): void {
  const chunk = Buffer.alloc(1_000_000, 'x')
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

function sendWhole(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
