import promptfoo from 'promptfoo'
import { type ChatClient, type Connection, openAiUrl, PLACE_SCHEMA } from '../clients/chat/client.ts'

/** Evaluates one prompt with one provider. Returns the output, if the assertions hold. */
async function evaluate(at: Connection, prompt: string, config: object = {}, assert: object[] = []) {
  const provider = {
    id: `openai:chat:${at.model}`,
    config: { apiBaseUrl: openAiUrl(at), apiKey: at.apiKey, ...config },
  }
  const suite = { prompts: [prompt], providers: [provider], tests: [{ assert: assert as never }] }
  const evaluation = await promptfoo.evaluate({ ...suite, writeLatestResults: false }, { cache: false })
  const [result] = (await evaluation.toEvaluateSummary()).results
  if (!result?.success) throw new Error(result?.error ?? 'no result')
  return result.response?.output
}

export const promptfooClient: ChatClient = {
  name: 'promptfoo',
  api: 'OpenAI',
  chat: (at, prompt) => evaluate(at, prompt),
  structure(at, prompt) {
    const json_schema = { name: 'place', strict: true, schema: PLACE_SCHEMA }
    return evaluate(at, prompt, { response_format: { type: 'json_schema', json_schema } }, [
      { type: 'is-json', value: PLACE_SCHEMA },
    ])
  },
}
