import { createTransport } from '@parley/client'

/** Whether the server still serves the build that this page belongs to. */
export type BuildState = 'current' | 'replaced' | 'unreachable'

/** The page of the console is public. */
const send = createTransport({ answerTimeoutMs: 10_000 })

/**
 * Asks the server which build of the console it serves. The name of a build's first script changes with every file of the
 * build, so a page that names another one belongs to another build. Never rejects.
 */
export async function askForBuild(signal: AbortSignal): Promise<BuildState> {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]')
  try {
    // While the server builds the console, it answers with 503.
    const answer = await send('/', { headers: { accept: 'text/html' }, cache: 'no-store', signal })
    const page = await answer.text()
    return script && page.includes(script.getAttribute('src') ?? '') ? 'current' : 'replaced'
  } catch {
    return 'unreachable'
  }
}
