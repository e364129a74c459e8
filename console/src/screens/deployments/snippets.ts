/** The placeholder for an API key in code snippets. */
export const KEY_PLACE = 'YOUR_KEY'

/** Returns a script element for a website. The script shows a button that opens the chat. */
export const scriptTag = (origin: string, id: string): string =>
  `<script async
  src="${origin}/widget.js?deployment=${id}"></script>`

/** Returns an iframe element for a website. The chat appears in the page. */
export const frameTag = (origin: string, id: string): string =>
  `<iframe src="${origin}/embed/${id}" title="Chat" allow="clipboard-write"
  style="width: 400px; height: 640px; border: 0"></iframe>`

/** Returns the sources that a website's Content-Security-Policy must allow. */
export const policyOf = (origin: string, type: 'widget' | 'iframe'): string =>
  type === 'widget' ? `script-src ${origin}; frame-src ${origin}` : `frame-src ${origin}`

export const curl = (origin: string): string =>
  `curl -N ${origin}/api/agent_deploy/chat \\
  -H "Authorization: Bearer ${KEY_PLACE}" \\
  -H "Content-Type: application/json" \\
  -d '{"content": "Hello"}'`

export const typescript = (origin: string): string =>
  `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: '${origin}/openai/v1',
  apiKey: '${KEY_PLACE}',
})

const stream = await client.chat.completions.create({
  model: 'agent',
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
})
for await (const chunk of stream)
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')`

export const python = (origin: string): string =>
  `from openai import OpenAI

client = OpenAI(base_url="${origin}/openai/v1", api_key="${KEY_PLACE}")

stream = client.chat.completions.create(
    model="agent",
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")`
