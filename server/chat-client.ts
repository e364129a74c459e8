import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { Client, ParleyError } from '@parley/client'
import type { SignedIn } from '@parley/client/schemas'

/** An error that the user can fix. Only its message is printed. */
export class ChatError extends Error {
  override readonly name = 'ChatError'
}

interface Session {
  client: Client
  organizationId: string
  modelId: string
}

interface Credentials {
  email: string
  password: string
}

/** Runs `parley chat`: chats in the terminal with any server over the public API, and streams the replies. */
export async function chatInTerminal(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { url: { type: 'string' }, email: { type: 'string' }, model: { type: 'string' } },
  })
  const url = (values.url ?? 'http://localhost:3000').replace(/\/+$/, '')
  // Imported on demand: every start of the server loads this file, but only this command needs the client.
  const { createClient, ParleyError } = await import('@parley/client')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const email = values.email ?? (await terminal.question('Email: '))
    const password = process.env['PARLEY_PASSWORD'] ?? (await terminal.question('Password: '))
    const askCode = () => terminal.question('Code from your authenticator app, or a recovery code: ')
    const signedIn = await signIn(createClient({ baseUrl: url }), { email, password }, askCode)
    const client = createClient({ baseUrl: url, auth: signedIn.access_token })
    const session = await chooseModel(client, signedIn, values.model)
    if (positionals.length > 0) {
      await say(session, positionals.join(' '), undefined)
      return
    }
    let chatId: string | undefined
    for await (const line of prompts(terminal)) chatId = await say(session, line, chatId)
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    const message =
      error.status === 0
        ? `${new URL(url).origin} is not responding. Check that the server is running.`
        : error.message
    throw new ChatError(message, { cause: error })
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

/** Signs in. Asks for a code if the server requires a second factor. */
function signIn(client: Client, credentials: Credentials, askCode: () => Promise<string>): Promise<SignedIn> {
  const signingIn: Promise<SignedIn> = client.request('POST /api/auth/login', { body: credentials })
  return signingIn.catch(async (error: ParleyError) => {
    const challenge = error.body?.['challenge']
    if (typeof challenge !== 'string') throw error
    const code = (await askCode()).trim()
    const proof = /^[\d ]+$/.test(code) ? { code } : { recovery_code: code }
    return client.request('POST /api/auth/verify_second_factor', { body: { challenge, ...proof } })
  })
}

async function chooseModel(client: Client, { user }: SignedIn, wanted: string | undefined): Promise<Session> {
  const organizationId = user.organizations[0]?.id ?? ''
  const models = await client.request('GET /api/llm/list', { query: { org_id: organizationId, limit: 100 } })
  const usable = models.data.filter((model) => model.is_active)
  const chosen =
    wanted ?? (await client.request('GET /api/llm/defaults', { query: { org_id: organizationId } })).model_id
  const model = usable.find(({ id, name, version }) => [id, name, version].some((one) => one === chosen))
  if (!model)
    throw new ChatError(`Model not found. Choose one of: ${usable.map(({ name }) => name).join(', ')}.`)
  process.stderr.write(`Talking to ${model.name}\n`)
  return { client, organizationId, modelId: model.id }
}

/** Sends a message and prints the reply while it streams. Returns the id of the chat. */
async function say(
  { client, organizationId, modelId }: Session,
  content: string,
  chatId: string | undefined,
): Promise<string> {
  let accepted = chatId ?? ''
  const events = client.follow('POST /api/chat/send_message', {
    query: { org_id: organizationId, model_id: modelId, ...(chatId !== undefined && { chat_id: chatId }) },
    body: { content },
  })
  for await (const event of events) {
    if (event.type === 'accepted') accepted = event.chatId
    if (event.type === 'text') process.stdout.write(event.text)
    if (event.type === 'end' && event.error !== null) throw new ChatError(event.error)
  }
  process.stdout.write('\n')
  return accepted
}
