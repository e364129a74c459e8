/*
 * Every name that leaves in a trace. Those without `parley.` are OpenTelemetry's semantic conventions, as the package
 * @opentelemetry/semantic-conventions 1.45 has them (https://opentelemetry.io/docs/specs/semconv/); those of `gen_ai.`
 * are still in development there and move, so they stand here only.
 */

export const NAMES = {
  serviceName: 'service.name',
  hostName: 'host.name',
  processId: 'process.pid',

  errorType: 'error.type',
  serverAddress: 'server.address',
  serverPort: 'server.port',

  method: 'http.request.method',
  route: 'http.route',
  statusCode: 'http.response.status_code',
  path: 'url.path',

  databaseSystem: 'db.system.name',
  statement: 'db.query.text',
  statementSummary: 'db.query.summary',
  /** How many requests a grouped statement serves: it stands in the trace of each. */
  batchSize: 'db.operation.batch.size',

  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  outputType: 'gen_ai.output.type',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** Seconds. */
  firstToken: 'gen_ai.response.time_to_first_chunk',
  toolName: 'gen_ai.tool.name',

  requestId: 'parley.request_id',
  part: 'parley.part',
  queue: 'parley.queue',
  knowledgeBases: 'parley.knowledge_base.ids',
  passages: 'parley.retrieval.passages',
} as const

/** `gen_ai.operation.name`: the conventions have no word for images, videos and transcription of their own. */
export const OPERATIONS = {
  chat: 'chat',
  embeddings: 'embeddings',
  media: 'generate_content',
  retrieval: 'retrieval',
  tool: 'execute_tool',
} as const

/** `gen_ai.provider.name`, where the conventions know a provider by another name than the product does. */
export const PROVIDER_NAMES: Partial<Record<string, string>> = { google: 'gcp.gemini' }

export const POSTGRESQL = 'postgresql'
