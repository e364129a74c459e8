/*
 * The two tiers of tests (docs/testing.md). Each test file is in at least one: a file that EVERYONE does not name runs in
 * the gate. Files that use a database and are in EVERYONE run in both, on both databases.
 */

/** Patterns of the test files of a run. */
export interface Tier {
  include: string[]
  exclude?: string[]
  /** Files that have a process to themselves. All others of the run share processes. */
  alone?: string[]
}

/** These measure times or the memory of their process, or count the processes that it has started: each has one to itself. */
const ALONE = [
  'console/src/growth.test.ts',
  'tests/house/{growth,growth-of-readers}.test.ts',
  'tests/faults/unread-answers.test.ts',
  'server/platform/sandbox/{lifecycle,javascript-attacks,python-attacks,python-bounds}.test.ts',
]

/** All test files but those of tests/kill, tests/outages and tests/more-clients, which have configurations of their own. */
export const ALL: Tier = {
  include: [
    'server/**/*.test.ts',
    'packages/*/src/**/*.test.ts',
    'console/src/**/*.test.{ts,tsx}',
    'tests/{attacks,client,console,contract,deploy,examples,faults,house,journeys,tenancy,widget}/**/*.test.ts',
  ],
  alone: ALONE,
}

/** Tests of algorithms and of the repository. */
const ALGORITHMS = [
  'server/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'console/src/**/*.test.{ts,tsx}',
  'tests/{client,house}/**/*.test.ts',
  'tests/widget/contrast.test.ts',
]

/** Exceptions: they take long, or read PostgreSQL's own catalogue. */
const FOR_THE_GATE = [
  'server/platform/sandbox/{javascript-attacks,lifecycle,network,packages,python,python-*,*-python}.test.ts',
  'server/platform/{bucket,crawler,documents,mcp}/*hostile*.test.ts',
  'server/parts/tools/tool-defaults.test.ts',
  'tests/client/follow-reply.test.ts',
  'tests/house/{check-sql,growth,growth-of-readers}.test.ts',
  'console/src/growth.test.ts',
  'server/platform/crawler/crawl-kinds.test.ts',
]

const CONTRACT = [
  'access',
  'auth',
  'bad-input',
  'deployment-keys',
  'earlier-addresses',
  'envelope-edges',
  'envelope-kinds',
  'forged-tokens',
  'openapi',
  'operations',
  'protection-headers',
  'tenancy',
]

/** Besides the main journeys of each part: what depends on locks, transactions, jobs or search, for the embedded database. */
const JOURNEYS = [
  ...['main-job', 'branches', 'history', 'resume', 'failed-replies', 'prompts'],
  ...['conversations', 'uploads'],
  ...['agents', 'agents-with-tools', 'public-agents', 'tool-classes'],
  ...['deployments', 'deployment-visitors', 'deployment-usage'],
  ...['kb-documents', 'kb-deletion', 'kb-in-chats', 'kb-ingestion', 'kb-management', 'kb-query', 'kb-search'],
  ...['kb-search-filter', 'kb-evaluation-runs'],
  ...['mcp-instances', 'mcp-planted-connections', 'mcp-tools'],
  ...['mcp-playground-discovery', 'mcp-server-tools', 'mcp-server-resources', 'mcp-token-refresh'],
  ...['model-connections', 'model-routes', 'default-models'],
  ...['openai-api', 'openai-clients', 'anthropic-api', 'responses', 'response-conversations'],
  ...['api-keys', 'invitations', 'members', 'roles', 'search-by-name'],
  ...['second-factor-codes', 'suspension'],
  ...['budgets', 'credits', 'usage', 'paid-embeddings', 'paid-tools'],
  ...['idempotency', 'effects', 'embedded-database', 'retention', 'metrics', 'doctor', 'minute-limits'],
  ...['live-events', 'webhooks', 'webhook-events'],
]

const FAULTS = ['agent-kill', 'deployment-races', 'held-connections', 'hold-histories']

const named = (folder: string, names: string[]): string => `tests/${folder}/{${names.join(',')}}.test.ts`

/** `npm test`: the algorithms, the rules of the repository, and a representative of each kind of the other tests. */
export const EVERYONE: Tier = {
  include: [
    ...ALGORITHMS,
    named('contract', CONTRACT),
    named('journeys', JOURNEYS),
    named('faults', FAULTS),
    named('console', ['chat', 'first-hour']),
    'tests/{examples,tenancy}/**/*.test.ts',
    'tests/widget/serving.test.ts',
  ],
  exclude: FOR_THE_GATE,
}

/** `npm run test:gate`: everything that uses PostgreSQL or another program. */
export const GATE: Tier = {
  include: [
    ...FOR_THE_GATE,
    'server/{database,platform/retrieval}/**/*.test.ts',
    'tests/house/{functions,tables}.test.ts',
    'tests/{attacks,client,console,contract,deploy,examples,faults,journeys,tenancy,widget}/**/*.test.ts',
  ],
  exclude: ['tests/widget/contrast.test.ts'],
  alone: ALONE,
}
