import Instructor from '@instructor-ai/instructor'
import OpenAI from 'openai'
import { type ChatClient, openAiUrl, PLACE } from './client.ts'

export const instructor: ChatClient = {
  name: '@instructor-ai/instructor',
  api: 'OpenAI',
  cannotAbort: true,
  structure(at, prompt) {
    const client = Instructor({
      client: new OpenAI({ baseURL: openAiUrl(at), apiKey: at.apiKey }),
      mode: 'TOOLS',
    })
    return client.chat.completions.create({
      model: at.model,
      messages: [{ role: 'user', content: prompt }],
      response_model: { schema: PLACE, name: 'place' },
    })
  },
}
