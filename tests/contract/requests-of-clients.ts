import { readFileSync } from 'node:fs'
import type { Sent } from './changed-request.ts'

type AddModel = (model: object, config: object) => Promise<{ query: Record<string, string> }>

/** Valid requests of OpenAI clients that need a model or a file, for repeated-requests.test.ts. */
export function requestsOfClients(addModel: AddModel): Record<string, () => Promise<Sent>> {
  const withModel = async (name: string, version: string): Promise<Sent> => ({
    // An image costs more credits than the fixture's organization has.
    query: (await addModel({ name, version }, { capabilities: [name], output_ratio: 0 })).query,
  })
  const fixtureFile = (name: string) => ({ name, bytes: readFileSync(`tests/fixtures/${name}`) })
  return {
    post_openai_v1_embeddings: async () => ({
      ...(await withModel('embedding', 'emu-dim8')),
      body: { model: 'embedding', input: 'Hi' },
    }),
    post_openai_v1_images_generations: async () => ({
      ...(await withModel('image', 'emu-image')),
      body: { model: 'image', prompt: 'A fern' },
    }),
    post_openai_v1_audio_transcriptions: async () => ({
      ...(await withModel('transcription', 'emu')),
      file: fixtureFile('sound.wav'),
      fields: { model: 'transcription' },
    }),
    post_openai_v1_files: async () => ({
      ...(await withModel('text', 'emu')),
      file: fixtureFile('note.txt'),
    }),
  }
}
