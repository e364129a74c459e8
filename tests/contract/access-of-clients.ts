import type { Call, Fixture } from './access-matrix.ts'

const inOrganization = ({ organizationId }: Fixture): Call => ({ query: { org_id: organizationId } })
const ofModel =
  (body: object) =>
  (fixture: Fixture): Call => ({ ...inOrganization(fixture), body: { model: fixture.modelId, ...body } })

const withBody =
  (body: object) =>
  (fixture: Fixture): Call => ({ ...inOrganization(fixture), body })
const ITEMS = [{ role: 'user', content: 'Hi' }]

/** The access matrix (access-matrix.ts) for the operations of clients of OpenAI and Anthropic. */
export const CLIENTS: Record<string, [allowed: string, call: (fixture: Fixture) => Call]> = {
  post_openai_v1_chat_completions: [
    'OAM',
    ofModel({
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  ],
  post_openai_v1_responses: ['OAM', ofModel({ input: 'Hi' })],
  post_openai_v1_responses_compact: ['OAM', ofModel({ input: 'Hi' })],
  get_openai_v1_responses_response_id: ['OAM', inOrganization],
  delete_openai_v1_responses_response_id: ['OAM', inOrganization],
  post_openai_v1_responses_response_id_cancel: ['OAM', inOrganization],
  get_openai_v1_responses_response_id_input_items: ['OAM', inOrganization],

  post_openai_v1_conversations: ['OAM', withBody({ items: ITEMS })],
  get_openai_v1_conversations_conversation_id: ['OAM', inOrganization],
  post_openai_v1_conversations_conversation_id: ['OAM', withBody({ metadata: {} })],
  delete_openai_v1_conversations_conversation_id: ['OAM', inOrganization],
  get_openai_v1_conversations_conversation_id_items: ['OAM', inOrganization],
  post_openai_v1_conversations_conversation_id_items: ['OAM', withBody({ items: ITEMS })],
  get_openai_v1_conversations_conversation_id_items_item_id: ['OAM', inOrganization],
  delete_openai_v1_conversations_conversation_id_items_item_id: ['OAM', inOrganization],
  post_openai_v1_completions: ['OAM', ofModel({ prompt: 'Hi' })],
  post_openai_v1_embeddings: ['OAM', ofModel({ input: 'Hi' })],
  post_openai_v1_files: ['OAM', inOrganization],
  get_openai_v1_files: ['OAM', inOrganization],
  get_openai_v1_files_file_id: ['OAM', inOrganization],
  get_openai_v1_files_file_id_content: ['OAM', inOrganization],
  delete_openai_v1_files_file_id: ['OAM', inOrganization],
  post_openai_v1_images_generations: ['OAM', ofModel({ prompt: 'Hi' })],
  post_openai_v1_audio_speech: ['OAM', ofModel({ input: 'Hi', voice: 'alloy' })],
  post_openai_v1_audio_transcriptions: ['OAM', inOrganization],
  get_openai_v1_models: ['OAM', inOrganization],
  get_openai_v1_models_model: ['OAM', inOrganization],
  post_anthropic_v1_messages: [
    'OAM',
    ofModel({
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  ],
  post_anthropic_v1_messages_count_tokens: [
    'OAM',
    ofModel({
      messages: [{ role: 'user', content: 'Hi' }],
    }),
  ],
  get_anthropic_v1_models: ['OAM', inOrganization],
  get_anthropic_v1_models_model: ['OAM', inOrganization],
}
