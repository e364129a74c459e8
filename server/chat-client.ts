import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { createParser } from 'eventsource-parser'

/** Something that the person in front of the terminal can put right. */
export class ChatError extends Error {
  override readonly name = 'ChatError'
  /** The sign-in goes on with a second factor. */
  challenge: string | undefined
}

interface Session {
  url: string
  token: string
  organizationId: string
  modelId: string
}

/** `parley chat`: a chat in the terminal with any server, over its public API, streaming. */
export async function chatInTerminal(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { url: { type: 'string' }, email: { type: 'string' }, model: { type: 'string' } },
  })
  const url = (values.url ?? 'http://localhost:3000').replace(/\/+$/, '')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const email = values.email ?? (await terminal.question('Email: '))
    const password = process.env['PARLEY_PASSWORD'] ?? (await terminal.question('Password: '))
    const askCode = () => terminal.question('Code of your authenticator app, or a recovery code: ')
    const session = await signIn(url, { email, password }, values.model, askCode)
    if (positionals.length > 0) {
      await say(session, positionals.join(' '), undefined)
      return
    }
    let chatId: string | undefined
    for await (const line of prompts(terminal)) chatId = await say(session, line, chatId)
  } finally {
    terminal.close()
  }
}

async function* prompts(terminal: ReturnType<typeof createInterface>): AsyncGenerator<string> {
  terminal.setPrompt('> ')
  terminal.prompt()
  for await (const line of terminal) {
    if (line.trim() !== '') yield line
    terminal.prompt()
  }
}

async function signIn(
  url: string,
  credentials: { email: string; password: string },
  wanted: string | undefined,
  askCode: () => Promise<string>,
): Promise<Session> {
  const post = (path: string, body: object) =>
    call<SignedIn>(`${url}/api/auth/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    })
  const signedIn = await post('login', credentials).catch(async (error: unknown) => {
    const challenge = error instanceof ChatError ? error.challenge : undefined
    if (challenge === undefined) throw error
    const code = (await askCode()).trim()
    return post('second_factor', {
      challenge,
      ...(/^[\d ]+$/.test(code) ? { code } : { recovery_code: code }),
    })
  })
  const organizationId = signedIn.user.organizations[0]?.id ?? ''
  const headers = { Authorization: `Bearer ${signedIn.access_token}` }
  const models = await call<{ data: ListedModel[] }>(
    `${url}/api/llm/list?org_id=${organizationId}&limit=100`,
    { headers },
  )
  const usable = models.data.filter((model) => model.is_active)
  const model =
    wanted === undefined
      ? usable.find(({ config }) => config.capabilities.includes('text'))
      : usable.find(({ id, name, version }) => [id, name, version].includes(wanted))
  if (!model) throw new ChatError(`no such model; there are: ${usable.map(({ name }) => name).join(', ')}`)
  process.stderr.write(`Talking to ${model.name}\n`)
  return { url, token: signedIn.access_token, organizationId, modelId: model.id }
}

interface SignedIn {
  access_token: string
  user: { organizations: { id: string }[] }
}

interface ListedModel {
  id: string
  name: string
  version: string
  is_active: boolean
  config: { capabilities: string[] }
}

/** Sends a message and prints the reply as it comes. Answers the id of the chat. */
async function say(session: Session, content: string, chatId: string | undefined): Promise<string> {
  const query = new URLSearchParams({ org_id: session.organizationId, model_id: session.modelId })
  if (chatId !== undefined) query.set('chat_id', chatId)
  const response = await request(`${session.url}/api/chat/send_message?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${session.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ content }),
  })
  const parser = createParser({ onEvent: ({ data }) => print(JSON.parse(data)) })
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) parser.feed(decoder.decode(bytes, { stream: true }))
  process.stdout.write('\n')
  return response.headers.get('X-Chat-Id') ?? ''
}

function print(event: { message?: string; error?: string; type?: string }): void {
  if (event.error !== undefined) throw new ChatError(event.error)
  if (event.type === undefined && event.message !== 'DONE') process.stdout.write(event.message ?? '')
}

async function call<T>(url: string, init: RequestInit): Promise<T> {
  return (await (await request(url, init)).json()) as T
}

interface Refusal {
  detail?: string
  challenge?: string
}

async function request(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init).catch((cause: unknown) => {
    throw new ChatError(`${new URL(url).origin} does not answer`, { cause })
  })
  if (response.ok) return response
  const { detail, challenge } = (await response.json().catch(() => ({}))) as Refusal
  throw Object.assign(new ChatError(detail ?? `the server answered ${response.status}`), { challenge })
}
