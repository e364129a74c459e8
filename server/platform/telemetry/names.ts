/*
 * All names used in traces. Names without the prefix `parley.` are from OpenTelemetry's semantic conventions, as in
 * the package @opentelemetry/semantic-conventions 1.45 (https://opentelemetry.io/docs/specs/semconv/). The `gen_ai.`
 * names are still in development. They are defined only here, because they may change.
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
  /**
   * Number of requests that a grouped statement serves. The trace of each of these requests contains the statement.
   */
  batchSize: 'db.operation.batch.size',

  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  requestModel: 'gen_ai.request.model',
  outputType: 'gen_ai.output.type',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  finishReasons: 'gen_ai.response.finish_reasons',
  /** In seconds. */
  firstToken: 'gen_ai.response.time_to_first_chunk',
  toolName: 'gen_ai.tool.name',

  requestId: 'parley.request_id',
  part: 'parley.part',
  queue: 'parley.queue',
  knowledgeBases: 'parley.knowledge_base.ids',
  passages: 'parley.retrieval.passages',
} as const

/** Values of `gen_ai.operation.name`. The conventions define no value for images, videos and transcription. */
export const OPERATIONS = {
  chat: 'chat',
  embeddings: 'embeddings',
  media: 'generate_content',
  retrieval: 'retrieval',
  tool: 'execute_tool',
} as const

/** Values of `gen_ai.provider.name`, for providers whose name in the conventions differs from Parley's. */
export const PROVIDER_NAMES: Partial<Record<string, string>> = { google: 'gcp.gemini' }

export const POSTGRESQL = 'postgresql'
