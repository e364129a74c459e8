import type { Call, Fixture } from './access-matrix.ts'

const inOrganization = ({ organizationId }: Fixture): Call => ({ query: { org_id: organizationId } })
const withBody =
  (body: (fixture: Fixture) => unknown) =>
  (fixture: Fixture): Call => ({ ...inOrganization(fixture), body: body(fixture) })
const withInput = withBody(({ modelId: model }) => ({ model, input: 'Hi' }))
const CREATORS = 'OAM'
const ITEMS = [{ role: 'user', content: 'Hi' }]

/** Operations under /openai. The ids in their paths are those of no record. */
export const OPENAI: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  post_openai_v1_chat_completions: [CREATORS, withBody(({ modelId: model }) => ({ model, messages: ITEMS }))],
  get_openai_v1_models: [CREATORS, inOrganization],
  post_openai_v1_embeddings: [CREATORS, withInput],

  post_openai_v1_responses: [CREATORS, withInput],
  post_openai_v1_responses_compact: [CREATORS, withInput],
  get_openai_v1_responses_response_id: [CREATORS, inOrganization],
  delete_openai_v1_responses_response_id: [CREATORS, inOrganization],
  post_openai_v1_responses_response_id_cancel: [CREATORS, inOrganization],
  get_openai_v1_responses_response_id_input_items: [CREATORS, inOrganization],

  post_openai_v1_conversations: [CREATORS, withBody(() => ({ items: ITEMS }))],
  get_openai_v1_conversations_conversation_id: [CREATORS, inOrganization],
  post_openai_v1_conversations_conversation_id: [CREATORS, withBody(() => ({ metadata: {} }))],
  delete_openai_v1_conversations_conversation_id: [CREATORS, inOrganization],
  get_openai_v1_conversations_conversation_id_items: [CREATORS, inOrganization],
  post_openai_v1_conversations_conversation_id_items: [CREATORS, withBody(() => ({ items: ITEMS }))],
  get_openai_v1_conversations_conversation_id_items_item_id: [CREATORS, inOrganization],
  delete_openai_v1_conversations_conversation_id_items_item_id: [CREATORS, inOrganization],
}
