/**
 * The only catalogue of errors that a client can see: a code, the HTTP status and the sentence.
 * Sentences that the specification gives are here word for word; `{name}` is filled in by `fail`.
 * Nothing else in the code writes a status or a sentence, so errors are recognised by code, never by text.
 */
const CATALOGUE = {
  'request.invalid': [400, '{reason}'],
  'request.malformed': [400, '{reason}'],
  'request.invalid_cursor': [400, 'cursor is not one that this list has given out'],
  'request.idempotency_reused': [409, 'This Idempotency-Key was used before with another request'],
  'request.in_progress': [409, 'The first request with this Idempotency-Key is still being worked on'],
  'request.interrupted': [
    409,
    'The first request with this Idempotency-Key was cut off, and what it has done elsewhere is not known here. ' +
      'Look at what has come of it, and send it with a new key to have it done again',
  ],
  'request.answer_not_kept': [
    409,
    'This was done, but its answer was larger than the {limit} bytes that are kept for repeats',
  ],
  'request.not_found': [404, 'No such endpoint: {method} {path}'],
  'request.method_not_allowed': [405, '{method} is not allowed here; allowed: {allowed}'],
  'request.timed_out': [408, 'The request took too long to arrive'],
  'request.too_large': [413, 'The request body is larger than {limit} bytes'],
  'request.file_too_large': [413, 'The file is larger than {limit} bytes'],
  'request.form_needed': [415, 'Send the file as multipart/form-data, in the field file'],
  'request.unsupported_type': [415, 'Send the body as application/json'],
  'request.uri_too_long': [414, 'The request address is too long'],
  'request.upgrade_needed': [426, 'Connect to this address with a WebSocket'],
  'request.headers_too_large': [431, 'The request headers are too large'],
  'rate.limited': [429, 'Too many requests: there may be {rate}. Try again in {wait}.'],
  'server.error': [500, 'Something went wrong on our side. Quote the request id when you report it.'],
  'server.unavailable': [503, '{reason}'],

  'auth.missing': [401, 'Not authenticated: send Authorization: Bearer <access token>, or X-API-Key'],
  'auth.invalid_token': [401, 'Invalid or expired token'],
  'auth.invalid_credentials': [401, 'Invalid email or password'],
  'auth.invalid_refresh_token': [401, 'Invalid or expired refresh token'],
  'auth.too_many_attempts': [429, 'Too many attempts to sign in. Try again in {seconds} seconds.'],
  'auth.oidc_off': [404, 'Sign-in with an OpenID provider is not set up on this server'],
  'auth.oidc_state': [400, 'This sign-in has expired, or was begun in another browser. Begin again.'],
  'auth.oidc_failed': [503, 'The OpenID provider did not answer as it should. Try again later.'],
  'auth.oidc_unverified': [403, 'The OpenID provider has not confirmed your email address'],
  'auth.oidc_account_unverified': [
    403,
    'There is an account with this email whose address was never confirmed. Sign in with its password and confirm it, or set a new password, first.',
  ],
  'auth.session_not_found': [404, 'Session not found'],
  'auth.password_set': [400, 'This account has a password already: leave password out'],
  'auth.link_gone': [410, 'This link has expired or was used. Ask for a new one.'],
  'auth.email_reserved': [400, 'This email address is not one that anybody can have'],
  'auth.email_taken': [409, 'A user with this email already exists'],
  'auth.signup_closed': [403, 'Sign-up is by invitation only on this server'],

  'access.missing_permission': [403, 'Missing permission: {permission}'],
  'access.session_needed': [403, 'Sign in to do this: an API key is not enough'],
  'access.no_deployment': [403, 'This is for deployments: send the key of one as X-API-Key'],
  'access.only_deployment': [403, 'The key of a deployment opens its chat and nothing else'],
  'access.not_system_admin': [403, 'Only a system administrator can do this'],
  'org.not_found': [404, 'Organization not found'],
  'org.name_taken': [409, 'An organization with this name already exists'],
  'org.personal': [400, 'A personal organization can not be deleted, left or handed over'],
  'org.last_owner': [400, 'An organization must always keep at least one owner'],
  'org.owner_needed': [403, 'Only the owner of the organization can do this'],
  'org.feature_off': [403, 'The {feature} feature is not enabled for this organization'],
  'org.daily_chat_limit': [
    429,
    'This organization has sent as many messages today as it may. It goes on at midnight (UTC).',
  ],
  'import.damaged': [400, 'This is no export that can be imported: {reason}'],
  'import.too_large': [400, 'This export is too large to be imported. {reason}'],
  'import.incomplete': [400, 'This export is not complete. {reason}'],
  'import.invalid': [400, '{place}: {reason}'],
  'import.under_way': [409, 'Another import is under way. Try again when it has ended'],

  'role.not_found': [404, 'Role not found'],
  'role.system': [400, 'System roles cannot be created, updated or deleted'],
  'role.name_taken': [400, 'A role with this name already exists in the organization'],
  'role.in_use': [400, 'This role is assigned to members: {members}'],
  'role.too_high': [403, 'Only roles below your own level ({level}) are yours to create, change or assign'],
  'role.permission_not_held': [403, 'You cannot grant a permission that you do not hold: {permission}'],
  'permission.not_found': [404, 'Permission not found: {id}'],
  'permission.exists': [409, 'This permission exists already'],
  'permission.built_in': [
    400,
    'Parley itself needs this permission: it can be taken from roles, but not removed',
  ],

  'user.not_found': [404, 'User not found'],
  'user.is_member': [409, 'This user is a member of the organization already'],
  'user.exists': [409, 'A user with this email already exists. Members are added with /api/org/add_member.'],
  'user.not_owner': [403, "Only users with 'owner' role can update user roles"],
  'user.owner_role': [403, "The 'owner' role cannot be assigned to users"],
  'user.same_role': [400, 'User already has the {role} role assigned'],
  'user.not_active': [400, 'Cannot update role for user with status {status}'],
  'user.status_move': [400, 'A member with status {from} cannot become {to}'],
  'user.self': [400, 'Nobody can suspend or remove themselves; leave the organization instead'],
  'user.wrong_password': [400, 'current_password is not your password'],
  'user.sign_in_again': [
    403,
    'You have no password to confirm this with: sign in again, and do it within {minutes} minutes',
  ],
  'user.owns_organizations': [
    400,
    'You are the only owner of these organizations: hand them over, or remove their other members, first: {organizations}',
  ],
  'user.last_administrator': [400, 'You are the only system administrator: there must always be one'],

  'invitation.not_found': [404, 'Invitation not found'],
  'invitation.level': [403, 'Only admins and owners may manage invitations'],
  'invitation.exists': [409, 'This email has a pending invitation already: resend or revoke it'],
  'invitation.not_pending': [400, 'This invitation is {status}'],
  'invitation.gone': [410, 'This invitation is {status}. Ask for a new one.'],
  'invitation.role_gone': [410, 'The role of this invitation no longer exists. Ask for a new one.'],

  'api_key.not_found': [404, 'API key not found'],
  'api_key.expiry_past': [400, 'expires_at must be in the future'],

  'llm.not_found': [404, 'Language model not found'],
  'llm.none': [400, 'No active language model here has the capability {capability}: add one'],
  'llm.in_use': [409, 'This language model is used by {users}. Change those first.'],
  'llm.key_needed': [400, 'Give config.api_key again when config.base_url changes'],
  'llm.cannot_call_tools': [
    400,
    'This language model can not call tools. Choose one with the capability tools, or an agent without tools.',
  ],
  'agent.not_found': [404, 'Agent not found'],
  'agent.inactive': [400, 'This agent is not active'],
  'agent.name_taken': [409, 'This organization has an agent with this name already'],
  'agent.in_use': [409, 'This agent is deployed as {deployments}. Delete those deployments first.'],
  'agent.changing': [409, 'Others are changing this agent at this moment: try again'],
  'agent.tools_too_large': [400, 'tools must take at most {limit} bytes'],
  'mcp.server_not_found': [404, 'MCP server not found'],
  'mcp.server_taken': [409, 'There is an MCP server with this toolkit_slug already'],
  'mcp.server_in_use': [
    409,
    'People are connected to this server: {count}. Set auth_config to null to keep others out.',
  ],
  'mcp.server_invalid': [400, '{reason}'],
  'mcp.secret_needed': [
    400,
    'Give auth_config.client_secret again when url, or client_id, authorization_url or token_url of auth_config change',
  ],
  'mcp.too_many_servers': [409, 'The catalogue holds {limit} servers already. Delete some first.'],
  'mcp.server_failed': [503, '{reason}'],
  'mcp.no_auth_config': [400, 'No auth config found for server: {serverId}'],
  'mcp.api_key_needed': [400, 'Give api_key: this server is used with a key of your own'],
  'mcp.no_api_key': [400, 'Leave api_key out: this server is not used with a key'],
  'mcp.too_many_instances': [
    402,
    'This organization may have {limit} MCP connections. Delete one that you no longer need.',
  ],
  'mcp.connect_failed': [500, 'Failed to create connected account: {reason}'],
  'mcp.state_invalid': [
    400,
    'This connection attempt has ended, or was never begun. Please connect your account again.',
  ],
  'mcp.no_attempt': [404, 'No connection attempt found. Please connect your account first.'],
  'mcp.instance_not_found': [404, 'MCP instance not found'],
  'mcp.instance_inactive': [400, 'This connection is not active. Please connect your account again.'],
  'mcp.agent_full': [400, 'An agent can use {limit} MCP connections. Take one from it first.'],
  'mcp.link_invalid': [403, 'This address has ended or is not complete. Ask generate_url for a new one.'],
  'mcp.no_valid_instances': [400, 'No valid MCP instances found for the provided IDs'],
  'mcp.unreachable': [503, 'Failed to connect to MCP server. Please check the URL and try again.'],
  'mcp.timed_out': [503, 'MCP server connection timed out. The server may be unavailable.'],
  'mcp.model_prefix': [400, 'model must begin with gpt, o1, claude, deepseek or gemini'],
  'mcp.sender_refused': [
    403,
    'This {name} may not ask here: it is neither of this server nor of what the operator names in FRONTEND_URL and CORS_ORIGINS',
  ],
  'oauth.consent_gone': [
    400,
    'This request has ended, or was begun in another browser. Begin again in the app that sent you here.',
  ],
  'oauth.nothing_allowed': [403, 'Your role in this organization allows nothing that is offered here'],
  'deployment.not_found': [404, 'Deployment not found'],
  'deployment.paused': [403, 'This deployment is paused'],
  'deployment.config_invalid': [400, '{reason}'],
  'deployment.origin_not_allowed': [403, 'This page is not one of the allowed_origins of the deployment'],
  'deployment.daily_limit': [
    429,
    'This chat has taken as many messages today as it may. It goes on at midnight (UTC).',
  ],
  'deployment.not_api': [403, 'Only the key of a deployment of the type api opens this'],
  'tool.not_found': [404, 'Tool not found'],
  'tool.taken': [409, 'This organization has this version of a tool with this name already'],
  'tool.in_use': [409, 'This tool is used by {users}. Take it from those first.'],
  'tool.changing': [409, 'This tool was changed by somebody else at the same time. Try again.'],
  'tool.invalid': [400, '{reason}'],
  'tool.code_invalid': [400, '{reason}'],
  'tool.config_invalid': [400, '{reason}'],
  'tool.function_twice': [
    400,
    'Both {first} and {second} have a function {name}: an agent can have one of them',
  ],
  'tool.category_not_found': [404, 'Tool category not found'],
  'tool.category_taken': [409, 'This organization has a tool category with this name already'],
  'tool.category_in_use': [409, 'This category has tools: {tools}. Move or delete those first.'],
  'openai.model_not_found': [
    404,
    'There is no model or agent called {model}. GET /openai/v1/models lists them.',
  ],
  'openai.agent_has_tools': [400, 'This agent calls tools of its own: leave tools out'],
  'openai.no_agent_embeddings': [
    403,
    'The key of a deployment opens its agent, and an agent makes no embeddings',
  ],
  'llm.inactive': [400, 'This language model is not active'],
  'llm.failed': [503, '{reason}'],
  'llm.cannot_see': [400, 'This language model can not see images. Choose one with the capability vision.'],
  'llm.takes_no_files': [
    400,
    'A model that makes images takes other images, one that makes videos takes nothing but words',
  ],
  'llm.cannot_chat': [400, 'This model does not write text, so it can not be used here'],
  'kb.not_found': [404, 'Knowledge base not found'],
  'kb.name_taken': [409, 'This organization has a knowledge base with this name already'],
  'kb.not_embedding': [
    400,
    'This language model does not embed text. Choose local, or a model with the capability embedding.',
  ],
  'kb.source_not_found': [404, 'Source not found'],
  'kb.source_invalid': [400, '{reason}'],
  'kb.too_many_sources': [400, 'A knowledge base has at most {limit} sources'],
  'kb.chunking_invalid': [400, 'overlap_tokens must be at most a quarter of max_tokens'],
  'kb.document_not_found': [404, 'Document not found'],
  'kb.chunk_not_found': [404, 'Chunk not found'],
  'kb.changing': [409, 'This document is being indexed anew: try again when it is ready'],
  'kb.dimensions': [
    409,
    'The embedding model makes vectors of {now} numbers now, and made {before} before. Use reindex with embedding_model.',
  ],
  'kb.filter_invalid': [400, '{reason}'],
  'kb.query_empty': [400, 'query must hold a word to look for'],
  'kb.window_too_small': [
    400,
    'No passage fits into the context window of this model beside the question. Choose one with a larger window, or a shorter system_prompt.',
  ],
  'kb.evaluation_not_found': [404, 'Evaluation not found'],
  'kb.run_not_found': [404, 'Evaluation run not found'],
  'kb.documents_unknown': [400, 'Not documents of this knowledge base: {ids}'],
  'kb.too_many_evaluations': [400, 'A knowledge base has at most {limit} evaluations: delete one first'],
  'kb.too_many_runs': [409, '{limit} runs of this evaluation are under way: wait until one has ended'],
  'llm.not_configured': [400, 'LLM provider {provider} is not configured correctly. Please contact support.'],

  'chat.not_found': [404, 'Chat session not found'],
  'chat.message_not_found': [404, 'Message not found'],
  'chat.parent_not_reply': [400, 'parent_message_id must be null or the id of a reply in this chat'],
  'chat.no_target': [400, 'Either model_id or agent_id must be provided'],
  'chat.busy': [409, 'A reply is still being written in this chat. Stop it or wait for its end.'],
  'chat.not_streaming': [409, 'No reply is being written in this chat'],
  'chat.search_empty': [400, 'q must hold a word to look for, beside those that are left out'],
  'chat.elsewhere': [
    409,
    'This reply is being written by another server process; set REDIS_URL to follow it from here',
  ],

  'upload.not_found': [404, 'Upload not found'],
  'upload.not_audio': [415, 'Send a recording as MP3, WAV, M4A, OGG, FLAC or WebM'],
  'upload.empty': [400, 'The file is empty'],
  'upload.type': [
    415,
    'Files of this kind are not taken. Documents: PDF, TXT, DOCX, XLSX, CSV, MD; images: JPG, PNG, GIF, WebP, SVG; audio: MP3, WAV, M4A, OGG, FLAC; video: MP4, WebM, MOV, AVI.',
  ],
  'upload.no_text': [415, 'Files of this kind hold no text. Send PDF, TXT, DOCX, XLSX, CSV or MD.'],
  'upload.quota': [
    402,
    'The files of this organization would take more than its {limit} bytes. Delete chats with files.',
  ],
  'upload.chat_full': [402, 'A chat can have at most {limit} files'],
  'upload.image_too_large': [400, '{name} is too large for a model: an image can have at most {limit} bytes'],
  'upload.images_too_large': [400, 'The images of a message can have at most {limit} bytes together'],
  'upload.too_many_images': [400, 'A message can have at most {limit} images'],
  'file.link_invalid': [403, 'This address has expired, or was never given out. Ask for the file again.'],
  'file.not_found': [404, 'File not found'],

  'conversation.not_found': [404, 'Conversation not found'],
  'conversation.session_not_found': [404, 'Conversation chat session not found'],
  'conversation.full': [400, 'A conversation has at most {limit} sessions'],

  'instruction.not_found': [404, 'Instruction not found'],
  'instruction.name_taken': [409, 'You already have an instruction with this name'],

  'events.no_token': [408, 'No {"type":"auth","token":"…"} came in time'],
  'events.malformed': [400, 'The first message must be {"type":"auth","token":"…"}'],
  'events.too_many': [429, 'You have {limit} live connections already: close one'],

  'webhook.not_found': [404, 'Webhook not found'],
  'webhook.delivery_not_found': [404, 'Webhook delivery not found'],
  'webhook.url_invalid': [400, '{reason}'],
  'webhook.too_many': [400, 'An organization has at most {limit} webhooks: delete one first'],
  'webhook.disabled': [409, 'This webhook is disabled: enable it first'],

  'billing.insufficient_credits': [402, 'Insufficient credits to use this model.'],
  'billing.budget_exceeded': [
    402,
    'The budget of {whose} for this month is used up. It begins anew on {day} (UTC).',
  ],
  'billing.budget_not_found': [404, 'Budget not found'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>

export type ErrorCode = keyof typeof CATALOGUE

/** An expected failure. Its message is the sentence for the client; its cause is for the log only. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  readonly status: number
  /** Seconds after which a retry makes sense; sent as Retry-After. */
  readonly retryAfter: number | undefined
  /** Where in the request the fault lies, for errors of validation. */
  readonly issues: readonly { path: string; message: string }[] | undefined

  constructor(code: ErrorCode, values: Record<string, string | number> = {}, extra: FailExtra = {}) {
    super(fill(CATALOGUE[code][1], values), { cause: extra.cause })
    this.code = code
    this.status = CATALOGUE[code][0]
    this.retryAfter = extra.retryAfter
    this.issues = extra.issues
  }
}

interface FailExtra {
  cause?: unknown
  retryAfter?: number
  issues?: readonly { path: string; message: string }[]
}

/** `throw fail('chat.not_found')`: the one way to end a request with an expected error. */
export const fail = (
  code: ErrorCode,
  values?: Record<string, string | number>,
  extra?: FailExtra,
): AppError => new AppError(code, values, extra)

export const statusOf = (code: ErrorCode): number => CATALOGUE[code][0]
export const sentenceOf = (code: ErrorCode): string => CATALOGUE[code][1]

function fill(sentence: string, values: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

/** What a request says is wrong in itself, whoever sends it and when: 400 under /api, 422 under /v1 (contract, 1). */
const VALIDATION: ReadonlySet<ErrorCode> = new Set([
  'request.invalid',
  'request.invalid_cursor',
  'agent.tools_too_large',
  'api_key.expiry_past',
  'auth.email_reserved',
  'chat.no_target',
  'chat.search_empty',
  'deployment.config_invalid',
  'kb.chunking_invalid',
  'kb.filter_invalid',
  'kb.query_empty',
  'kb.source_invalid',
  'mcp.model_prefix',
  'mcp.server_invalid',
  'tool.code_invalid',
  'tool.config_invalid',
  'tool.invalid',
  'upload.empty',
  'upload.too_many_images',
])

/** The code words of the `/v1` envelope (contract, 1). */
const CODE_OF_STATUS = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'quota_exceeded',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  410: 'gone',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_error',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'unavailable',
} as const
type EnvelopeCode = (typeof CODE_OF_STATUS)[keyof typeof CODE_OF_STATUS] | 'insufficient_credits'

export const ENVELOPE_CODES: readonly EnvelopeCode[] = [
  ...Object.values(CODE_OF_STATUS),
  'insufficient_credits',
]

/** The status of an error under /v1. */
export const envelopedStatusOf = (code: ErrorCode): number => (VALIDATION.has(code) ? 422 : statusOf(code))

/** What an error is called under /v1. A status that has no word of its own is a kind of 400 or 500. */
export function envelopeCodeOf(code: ErrorCode): EnvelopeCode {
  if (code === 'billing.insufficient_credits') return 'insufficient_credits'
  const status = envelopedStatusOf(code)
  const words: Record<number, EnvelopeCode> = CODE_OF_STATUS
  return words[status] ?? (status < 500 ? 'invalid_request' : 'internal_error')
}
