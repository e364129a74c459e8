import { readFileSync } from 'node:fs'
import type { Sent } from './changed-request.ts'

type AddModel = (model?: object, config?: object) => Promise<{ query: Record<string, string> }>
type Post = (path: string, body: object) => Promise<{ body: { id: string } }>

/** Valid requests of OpenAI clients that need a model or a file, for repeated-requests.test.ts. */
export function requestsOfClients(addModel: AddModel, post: Post): Record<string, () => Promise<Sent>> {
  const inNewConversation = async (body: object): Promise<Sent> => {
    const { query } = await addModel()
    const conversation = await post(`/openai/v1/conversations?${new URLSearchParams(query)}`, {})
    return { query, params: { conversation_id: conversation.body.id }, body }
  }
  const withModel = async (name: string, version: string): Promise<Sent> => ({
    // An image costs more credits than the fixture's organization has.
    query: (await addModel({ name, version }, { capabilities: [name], output_ratio: 0 })).query,
  })
  const fixtureFile = (name: string) => ({ name, bytes: readFileSync(`tests/fixtures/${name}`) })
  return {
    post_openai_v1_conversations_conversation_id: () => inNewConversation({ metadata: { a: 'b' } }),
    post_openai_v1_conversations_conversation_id_items: () =>
      inNewConversation({ items: [{ role: 'user', content: 'Hi' }] }),
    post_openai_v1_embeddings: async () => ({
      ...(await withModel('embedding', 'emu-dim8')),
      body: { model: 'embedding', input: 'Hi' },
    }),
    post_openai_v1_images_generations: async () => ({
      ...(await withModel('image', 'emu-image')),
      body: { model: 'image', prompt: 'A fern' },
    }),
    post_openai_v1_audio_speech: async () => ({
      ...(await withModel('speech', 'emu')),
      body: { model: 'speech', input: 'Hi', voice: 'alloy' },
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
