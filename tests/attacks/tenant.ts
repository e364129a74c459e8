import { CUSTOM_ROLE, type Fixture, KEY_PERMISSIONS } from '#tests/contract/access-matrix.ts'
import type { Person } from '#tests/support/client.ts'
import { askForToken, talk } from '#tests/support/deployments.ts'
import { addApp } from '#tests/support/factors.ts'
import { librarian, textSource } from '#tests/support/knowledge.ts'
import { mailTo } from '#tests/support/mail.ts'
import { Visitor } from '#tests/support/mcp/connecting.ts'
import { settingsOf, TEXT_INPUT } from '#tests/support/toolsmith.ts'
import type { Kind } from './slots.ts'
import type { Stage } from './stage.ts'

export type Records = Partial<Record<Kind, string>>

/**
 * The callers of a tenant: users with the four system roles and a custom role, and the credentials used in
 * access-matrix.ts.
 */
export type Insider = 'owner' | 'admin' | 'member' | 'guest' | 'custom' | 'API key' | 'deployment' | 'visitor'

/** An organization with a user in every role and a record of every kind. Everything is created through the API. */
export interface Tenant {
  organizationId: string
  people: Record<'owner' | 'admin' | 'member' | 'guest' | 'custom', Person>
  /** The credential of each kind of caller. */
  tokens: Record<Insider, string>
  records: Records
  /** Ids of the member's personal records in the same organization. */
  membersOwn: Records
  deleted: Records
  /** Values for the calls of access-matrix.ts. */
  fixture: Fixture
}

/** Ids of records that all tenants of a stage share. */
export interface Installation {
  mcpServerId: string
  permissionId: string
}

const CREDITS = 1_000_000

/** Creates a tenant. All its texts contain `marker`. */
export async function makeTenant(stage: Stage, installation: Installation, marker: string): Promise<Tenant> {
  const [owner, admin, member, guest, custom] = await Promise.all(
    Array.from({ length: 5 }, () => signUp(stage)),
  )
  if (!owner || !admin || !member || !guest || !custom) throw new Error('sign-up failed')
  const organizationId = await make(stage, owner.token, `org/create_org?name=${marker}`, undefined)
  await make(stage, stage.administrator, 'billing/credits', {
    organization_id: organizationId,
    amount: CREDITS,
    reason: 'for attacks',
  })
  const people = { owner, admin, member, guest, custom }
  for (const person of Object.values(people)) person.organizationId = organizationId
  await addMembers(stage, people)
  const personal = await makePersonal(stage, owner, installation, marker)
  const { records, deploymentKey, visitorToken } = await makeShared(stage, people, personal, marker)
  const key = await stage.call('POST', `/api/api_keys/create?org_id=${organizationId}`, {
    token: owner.token,
    body: { name: 'attacking', permissions: KEY_PERMISSIONS },
  })
  return {
    organizationId,
    people,
    tokens: {
      owner: owner.token,
      admin: admin.token,
      member: member.token,
      guest: guest.token,
      custom: custom.token,
      'API key': key.body.key,
      deployment: deploymentKey,
      visitor: visitorToken,
    },
    records: { ...personal, ...records, factor: await addFactor(stage, owner) },
    membersOwn: await makePersonal(stage, member, installation, `member${marker}`, personal.model),
    deleted: await makeDeleted(stage, owner, installation, records),
    fixture: fixtureOf({ ...personal, ...records }, installation),
  }
}

export const fixtureOf = (records: Records, { mcpServerId, permissionId }: Installation): Fixture => ({
  organizationId: records.organization ?? '',
  chatId: records.chat ?? '',
  modelId: records.model ?? '',
  instructionId: records.instruction ?? '',
  conversationId: records.conversation ?? '',
  sessionId: records.conversationSession ?? '',
  memberId: records.user ?? '',
  roleId: records.role ?? '',
  permissionId,
  invitationId: records.invitation ?? '',
  apiKeyId: records.apiKey ?? '',
  kbId: records.kb ?? '',
  kbEvaluationId: records.evaluation ?? '',
  toolCategoryId: records.toolCategory ?? '',
  toolId: records.tool ?? '',
  agentId: records.agent ?? '',
  deploymentId: records.deployment ?? '',
  mcpServerId,
  mcpInstanceId: records.mcpInstance ?? '',
  webhookId: records.webhook ?? '',
  modelConnectionId: records.modelConnection ?? '',
})

async function make(stage: Stage, token: string, path: string, body: unknown, key = 'id'): Promise<string> {
  const answer = await stage.call('POST', `/api/${path}`, { token, ...(body !== undefined && { body }) })
  if (answer.status !== 201 && answer.status !== 200)
    throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.body[key]
}

/** Signs up a user and adds a second session. Calls that end a session then don't end the session in use. */
async function signUp(stage: Stage): Promise<Person> {
  const person = await stage.signUp()
  await stage.call('POST', '/api/auth/login', { body: { email: person.email, password: person.password } })
  return person
}

/** Adds an authenticator app, after verifying the email address as the server requires. */
async function addFactor(stage: Stage, owner: Person): Promise<string> {
  const { token } = await mailTo(stage, owner.email, 'email address')
  const { status, text } = await stage.call('POST', '/api/auth/verify_email', {
    token: owner.token,
    body: { token },
  })
  if (status !== 200) throw new Error(text)
  return (await addApp(stage, owner)).factorId
}

async function addMembers(stage: Stage, people: Tenant['people']): Promise<void> {
  const { owner, ...others } = people
  const org = `org_id=${owner.organizationId}`
  const permissions = await stage.call('GET', '/api/roles/list_permissions?limit=100', { token: owner.token })
  const permission_ids = permissions.body.data
    .filter(({ name }: { name: string }) => CUSTOM_ROLE.permissions.includes(name))
    .map(({ id }: { id: string }) => id)
  await make(stage, owner.token, `roles/create?${org}`, {
    name: 'custom',
    hierarchy_level: CUSTOM_ROLE.hierarchy_level,
    permission_ids,
  })
  const roles = await stage.call('GET', `/api/roles/list_roles?${org}&limit=100`, { token: owner.token })
  for (const [name, person] of Object.entries(others))
    await make(stage, owner.token, 'org/add_member', {
      organization_id: owner.organizationId,
      user_id: person.userId,
      role_id: roles.body.data.find((role: { name: string }) => role.name === name).id,
    })
}

/** Creates the personal records of one user, and a model for them. */
async function makePersonal(
  stage: Stage,
  person: Person,
  installation: Installation,
  marker: string,
  knownModel?: string,
): Promise<Records> {
  const { token, organizationId } = person
  const org = `org_id=${organizationId}`
  const model =
    knownModel ??
    (await stage.addModel(person, {
      name: `model ${marker}`,
      provider: 'openai-compatible',
      version: 'emu-n2',
      config: { base_url: `${stage.provider.url}/v1` },
    }))
  const chat = await make(stage, token, `chat?${org}`, { title: `chat ${marker}` })
  const { messageId } = await stage.say(person, { model_id: model, chat_id: chat }, { content: marker })
  const upload = await stage.upload(
    person,
    { name: `${marker}.txt`, bytes: marker, type: 'text/plain' },
    chat,
  )
  const conversation = await make(stage, token, `conversation/create?${org}`, { title: `talk ${marker}` })
  const sessions = await stage.call('GET', '/api/auth/sessions', { token })
  return {
    organization: organizationId,
    authSession: sessions.body.data.find(({ is_current }: { is_current: boolean }) => !is_current)?.id,
    model,
    chat,
    message: messageId,
    upload: upload.body.id,
    instruction: await make(stage, token, `instructions/create?${org}`, {
      name: `instruction ${marker}`,
      content: marker,
    }),
    conversation,
    conversationSession: await make(stage, token, `conversation/create_session?${org}`, {
      conversation_id: conversation,
      model_id: model,
    }),
    mcpInstance: await connect(stage, person, installation),
  }
}

async function connect(stage: Stage, { token, organizationId }: Person, { mcpServerId }: Installation) {
  const browser = new Visitor()
  const asked = await browser.visit(`${stage.url}/api/mcp/connect_account?org_id=${organizationId}`, {
    method: 'POST',
    token,
    body: { server_id: mcpServerId },
  })
  const { redirect_url, connectionData } = JSON.parse(asked.text)
  await browser.visit(redirect_url)
  return connectionData.mcp_session_id as string
}

/** Creates the records that members of the organization share. */
async function makeShared(
  stage: Stage,
  { owner, member }: Tenant['people'],
  personal: Records,
  marker: string,
) {
  const { token, organizationId } = owner
  const org = `org_id=${organizationId}`
  const role = await make(stage, token, `roles/create?${org}`, {
    name: `role ${marker}`,
    hierarchy_level: 1,
    permission_ids: [],
  })
  const toolCategory = await make(stage, token, `tools/create_category?${org}`, {
    name: `category ${marker}`,
    description: marker,
  })
  const agent = await make(stage, token, `agents?${org}`, agentOf(personal.model, `agent ${marker}`))
  const deployed = { agent_id: agent, description: marker, config: {} }
  const api = await stage.call('POST', `/api/agent_deploy/create?${org}`, {
    token,
    body: { ...deployed, name: `api ${marker}`, deployment_type: 'api' },
  })
  const widget = await make(stage, token, `agent_deploy/create?${org}`, {
    ...deployed,
    name: `widget ${marker}`,
    deployment_type: 'widget',
  })
  const { body: pass } = await askForToken(stage, widget)
  const { sessionId } = await talk(stage, api.body.api_key, { content: marker })
  const webhook = await make(stage, token, `webhooks/create?${org}`, {
    url: `${stage.receiver.url}/${organizationId}`,
    description: marker,
    event_types: ['conversation.updated', 'agent_deployment.status_changed'],
  })
  await stage.call('POST', `/api/webhooks/test?webhook_id=${webhook}`, { token })
  const deliveries = await stage.call('GET', `/api/webhooks/deliveries?webhook_id=${webhook}`, { token })
  const records: Records = {
    user: member.userId,
    role,
    toolCategory,
    agent,
    agentName: `agent ${marker}`,
    modelName: `model ${marker}`,
    deployment: api.body.id,
    deploymentSession: sessionId,
    webhook,
    modelConnection: await make(
      stage,
      token,
      `llm/connections/create?${org}`,
      connectionOf(`connection ${marker}`),
    ),
    delivery: deliveries.body.data[0]?.id,
    invitation: await make(stage, token, `invitations/create?${org}`, {
      email: `${marker}@example.com`,
      role_id: role,
    }),
    apiKey: await make(stage, token, `api_keys/create?${org}`, {
      name: `key ${marker}`,
      permissions: KEY_PERMISSIONS,
    }),
    tool: await make(stage, token, `tools?${org}`, toolOf(toolCategory, `tool ${marker}`)),
    ...(await makeKnowledge(stage, owner, marker)),
  }
  await stage.call('PUT', `/api/billing/budgets/set?${org}`, {
    token,
    body: { user_id: member.userId, credits_per_month: 1_000 },
  })
  const budgets = await stage.call('GET', `/api/billing/budgets/list?${org}`, { token })
  records.budget = budgets.body.data[0]?.id
  const limited = await stage.call('PUT', `/api/billing/limits/set?${org}`, {
    token,
    body: { user_id: member.userId, requests_per_minute: 1_000_000 },
  })
  records.minuteLimit = limited.body.id
  return { records, deploymentKey: api.body.api_key as string, visitorToken: pass.token as string }
}

const connectionOf = (name: string) => ({ name, provider: 'openai', api_key: 'sk-connected' })

const agentOf = (model: string | undefined, name: string) => ({
  name,
  description: name,
  agent_type: 'chat',
  model_id: model,
  params: { system_prompt: name },
})

const toolOf = (category: string, name: string) => ({
  name,
  description: name,
  category_id: category,
  version: '1',
  configuration: [],
  inputs: [TEXT_INPUT],
  outputs: { type: 'dict', description: '' },
  settings: settingsOf({}),
})

async function makeKnowledge(stage: Stage, owner: Person, marker: string): Promise<Records> {
  const library = librarian(stage, owner)
  const kb = await library.create({ name: `library ${marker}`, description: marker })
  const { type, config } = textSource(`note ${marker}`)
  const source = await library.add(kb, type, config)
  await library.settle(kb)
  const { body: listed } = await library.call('GET', 'list_documents', { kb_id: kb })
  const document = listed.documents[0].id
  const { body: read } = await library.call('GET', 'get_document', { kb_id: kb, document_id: document })
  const evaluation = await make(stage, owner.token, `kb/evaluations/create?kb_id=${kb}`, {
    name: `evaluation ${marker}`,
    questions: [{ question: marker, document_ids: [document] }],
  })
  const evaluationRun = await make(
    stage,
    owner.token,
    `kb/evaluations/run?kb_id=${kb}&evaluation_id=${evaluation}`,
    {},
  )
  return { kb, source, document, chunk: read.chunks[0].id, evaluation, evaluationRun }
}

/** Creates records and deletes them. Returns their ids. */
async function makeDeleted(
  stage: Stage,
  owner: Person,
  installation: Installation,
  { role, toolCategory }: Records,
): Promise<Records> {
  const { token, organizationId } = owner
  const org = `org_id=${organizationId}`
  const personal = await makePersonal(stage, owner, installation, 'deleted')
  const agent = await make(stage, token, `agents?${org}`, agentOf(personal.model, 'deleted agent'))
  const kb = await librarian(stage, owner).create({ name: 'deleted library' })
  const webhook = await make(stage, token, `webhooks/create?${org}`, {
    url: stage.receiver.url,
    event_types: ['conversation.updated'],
  })
  const tool = await make(stage, token, `tools?${org}`, toolOf(toolCategory ?? '', 'deleted tool'))
  const deployment = await make(stage, token, `agent_deploy/create?${org}`, {
    agent_id: agent,
    name: 'deleted',
    description: '',
    deployment_type: 'api',
    config: {},
  })
  const apiKey = await make(stage, token, `api_keys/create?${org}`, {
    name: 'deleted',
    permissions: KEY_PERMISSIONS,
  })
  const modelConnection = await make(stage, token, `llm/connections/create?${org}`, connectionOf('deleted'))
  const goneRole = await make(stage, token, `roles/create?${org}`, GONE_ROLE)
  const gone = { role: goneRole, agent, kb, webhook, tool, modelConnection }
  const remove = async (path: string): Promise<void> => {
    const answer = await stage.call('DELETE', `/api/${path}`, { token })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  }
  await remove(`agent_deploy/delete?deployment_id=${deployment}`)
  await remove(`agents/delete?agent_id=${agent}`)
  await remove(`kb/delete?kb_id=${kb}`)
  await remove(`webhooks/delete?webhook_id=${webhook}`)
  await remove(`tools?${org}&tool_id=${tool}`)
  await remove(`api_keys/delete?api_key_id=${apiKey}`)
  await remove(`roles/remove?${org}&role_id=${gone.role}`)
  await remove(`chat/delete_session?session_id=${personal.chat}`)
  await remove(`conversation/delete?${org}&conversation_id=${personal.conversation}`)
  await remove(`instructions/delete?instruction_id=${personal.instruction}`)
  await remove(`mcp/instance?mcp_instance_id=${personal.mcpInstance}`)
  await remove(`llm/delete?model_id=${personal.model}`)
  await remove(`llm/connections/delete?connection_id=${modelConnection}`)
  const { organization: _organization, authSession: _session, ...rest } = personal
  void role
  return { ...rest, ...gone, deployment, apiKey }
}

const GONE_ROLE = { name: 'deleted role', hierarchy_level: 1, permission_ids: [] }
