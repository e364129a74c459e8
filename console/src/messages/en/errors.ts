import type { ErrorMessages } from '../error-messages.ts'

export default {
  agent: {
    tools_too_large:
      'The configuration of this agent’s tools can be at most {size}. Remove a tool, or shorten its values.',
  },
  api_key: {
    expiry_past: 'The expiry date must be in the future.',
  },
  chat: {
    elsewhere:
      'Another server process is writing this reply. Reload the chat when the reply is complete, or ask the operator to set REDIS_URL.',
    no_target: 'Choose a model or an agent.',
    parent_not_reply: 'The reply that this message follows is no longer in this chat. Reload the page.',
    search_empty: 'Enter at least one word without a minus sign.',
  },
  deployment: {
    config_invalid: 'Check the settings of the deployment: {reason}',
  },
  import: {
    daily_bytes: 'You can upload at most {size} of imports per day. Try again in {wait}.',
    invalid: 'This export can’t be imported. {location}: {reason}',
  },
  kb: {
    chunking_invalid: 'The overlap can be at most a quarter of the chunk size.',
    dimensions:
      'The embedding model now returns vectors of {now, plural, one {# dimension} other {# dimensions}} instead of {before, number}. Choose an embedding model in the settings, and reindex the documents.',
    not_embedding: 'This model doesn’t create embeddings. Choose an embedding model.',
    window_too_small:
      'The context window of this model is too small for the question and a passage. Choose a model with a larger window, or shorten the system prompt.',
  },
  llm: {
    api_key_needed: 'Enter an API key: {provider} requires one.',
    connection_key_needed: 'Enter the API key again when you change the base URL.',
    connection_or_key: 'Choose a connection, or enter a key and a base URL.',
    base_url_needed: 'Enter a base URL: {provider} has no public address.',
    cannot_call_tools: 'This model can’t call tools. Choose a model that can, or an agent without tools.',
    cannot_see: 'This model can’t see images. Choose a model with vision.',
    key_needed: 'Enter the API key again when you change the base URL.',
  },
  mcp: {
    api_key_needed: 'This server requires your own API key. Enter it.',
    model_prefix: 'Choose a model from OpenAI, Anthropic, DeepSeek or Google.',
    no_api_key: 'This server doesn’t use an API key. Leave the field blank.',
    no_auth_config: 'This server isn’t set up for connections. Ask a system administrator to set it up.',
    no_valid_instances: 'None of these connections work. Choose another one.',
    secret_needed:
      'Enter the client secret again when you change the URL, client ID, authorization URL or token URL.',
    server_in_use:
      'This server has connections ({count, number}) and can’t be deleted. Prevent new ones in its settings.',
    server_invalid: 'Check the details of the server: {reason}',
    server_taken: 'An MCP server with this short name already exists. Choose another short name.',
  },
  org: {
    feature_off:
      '{feature, select, team_members {Adding members isn’t enabled for this organization.} other {The {feature} feature isn’t enabled for this organization.}} Ask a system administrator to enable it.',
  },
  tool: {
    config_invalid: 'Check the configuration of the tool: {reason}',
    invalid: 'Check the tool: {reason}',
  },
  upload: {
    image_too_large: '{name} is too large for a model. An image can be at most {size}. Choose a smaller one.',
    images_too_large:
      'The images of a message can be at most {size} in total. Remove some, or choose smaller ones.',
    quota: 'This organization can store at most {size}. Delete files, texts or chats.',
  },
  user: {
    exists: 'A user with this email exists. Add them as a member.',
    not_active: 'This member isn’t active. You can change only the roles of active members.',
    not_owner: 'Only owners can change the roles of members. Ask an owner.',
    owner_role: 'The owner role can’t be assigned. An owner can transfer the organization.',
    same_role: 'This member already has the role {role}. Choose another role.',
    wrong_password: 'This isn’t your current password. Enter it again.',
  },
} satisfies ErrorMessages
